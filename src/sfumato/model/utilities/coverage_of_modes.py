"""Precision and recall of generated samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.model.attacks.base import cohort_of
from sfumato.model.copying.baselines import precision_recall
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.samples import as_points
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["CoverageOfModes"]


@dataclass(frozen=True, kw_only=True)
class CoverageOfModes:
    """The best harmonic mean of precision and recall of the generated samples against fresh ones.

    Parameters
    ----------
    cells : int
        Of the clustering.
    """

    cells: int = 10
    name: str = "precision and recall"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("cells", self.cells)

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The reference is that of the training set itself."""
        group, generator = cohort_of(data), resolve_rng(rng)
        train, test, made = as_points(group.train, group.test, trained_on(release))
        cells = min(self.cells, len(test))
        return Score(
            precision_recall(test, made, cells=cells, repeats=3, rng=generator).best,
            reference=precision_recall(test, train, cells=cells, repeats=3, rng=generator).best,
        )
