"""Those whose records a model was trained on, and those whose were not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.io.frames import is_frame, to_arrow
from sfumato.model.core.mixed_rows import MixedRows, code_together

__all__ = ["Cohort", "trained_on"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cohort:
    """Training records and fresh ones of the same kind, which the model never saw.

    An attack that succeeds as often against the fresh ones learned what holds for everybody; what it achieves beyond
    that, it has from the training set.

    Parameters
    ----------
    train, test : frame or array
        With the same columns.
    """

    train: Any
    test: Any

    def __post_init__(self) -> None:
        for name in ("train", "test"):
            value = getattr(self, name)
            count = to_arrow(value).num_rows if is_frame(value) else len(np.asarray(value))
            if not count:
                raise InputError(
                    f"{name} has no records: expected some that were {'not ' * (name == 'test')}trained on"
                )

    def coded(self, release: Any) -> tuple[MixedRows, MixedRows, MixedRows]:
        """Training, fresh and released records coded alike."""
        train, test, made = code_together(self.train, self.test, trained_on(release))
        return train, test, made


def trained_on(data: Any) -> Any:
    """The training records of a cohort; anything else is itself.

    Generators are fitted to them, and a cohort that was released as it is, the raw data of a study, is its training
    set.
    """
    return data.train if isinstance(data, Cohort) else data
