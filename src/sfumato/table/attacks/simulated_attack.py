"""Base of the attacks that simulate the mechanism for every victim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sfumato.release.card import Criterion
from sfumato.table.attacks.deanonymiser import Attacked, View, deanonymise
from sfumato.table.attacks.scoring import KNOWS
from sfumato.table.core.schema import Schema
from sfumato.validate import choice, probability

__all__ = ["SimulatedAttack"]

Statistic = Literal["worst", "mean", "quantile"]
"""Over victims: the worst case, the mean, or the quantile in ``quantile``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedAttack:
    """Base of the attacks that simulate the mechanism for every victim (Mimoto, chapter 4).

    Parameters
    ----------
    schema : Schema
    statistic : {"worst", "mean", "quantile"}
    quantile : float
    threshold, mass, cover, outlier, counted
        As in :func:`~sfumato.table.attacks.deanonymiser.deanonymise`.
    """

    criterion: ClassVar[Criterion]

    schema: Schema
    statistic: Statistic = "worst"
    quantile: float = 0.95
    threshold: float = 0.9
    mass: Literal["each", "product"] = "each"
    cover: Literal["within", "reach"] = "within"
    outlier: float = 2.0
    counted: Literal["high", "possible"] = "high"

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("worst", "mean", "quantile"))
        probability("quantile", self.quantile)
        probability("threshold", self.threshold)
        choice("mass", self.mass, ("each", "product"))
        choice("cover", self.cover, ("within", "reach"))
        choice("counted", self.counted, ("high", "possible"))

    @property
    def knows(self) -> str:
        """Who attacks."""
        return KNOWS

    def _run(self, view: View) -> Attacked:
        return deanonymise(
            view,
            threshold=self.threshold,
            mass=self.mass,
            cover=self.cover,
            outlier=self.outlier,
            counted=self.counted,
        )

    @property
    def _which(self) -> str:
        return f"{self.quantile:.0%} quantile of" if self.statistic == "quantile" else self.statistic
