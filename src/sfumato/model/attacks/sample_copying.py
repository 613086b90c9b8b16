"""Are generated samples copies of training samples?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanism import Mechanism
from sfumato.model.attacks.base import cohort_of
from sfumato.model.copying.copying_test import audit_copying
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.samples import as_points
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import choice

__all__ = ["SampleCopyingAttack"]


@dataclass(frozen=True, kw_only=True)
class SampleCopyingAttack:
    """Takes a generated sample for a copy: how often it is closer to the training set than a fresh sample is.

    1 − Δ̂ with the distribution-free interval of Theorem 1; ½ without copying. See
    :func:`~sfumato.model.audit_copying` for the whole test with its cells.

    Parameters
    ----------
    features : {"raw", "pca", "autoencoder"}
        Where distances are taken.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.model import Cohort
    >>> train, test = np.random.default_rng(0).normal(size=(2, 200, 2))
    >>> SampleCopyingAttack().attack(Cohort(train=train, test=test), train).value
    1.0
    """

    criterion: ClassVar[Criterion] = "singling out"
    knows: ClassVar[str] = "the generated samples, and takes those in dense spots for training samples"

    features: str = "raw"
    name: str = "generated closer than fresh"

    def __post_init__(self) -> None:
        choice("features", self.features, ("raw", "pca", "autoencoder"))

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of pairs in which the generated sample is closer."""
        group = cohort_of(data)
        train, test, made = as_points(group.train, group.test, trained_on(release))
        found = audit_copying(
            train, test, made, cells=1, minimum=1, duplicates="keep", features=self.features, rng=rng
        ).overall
        low, high = found.interval()
        return Score(1 - found.share, 1 - high, 1 - low, 0.5)
