"""Re-identification by the likelihood of every released record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import posterior_success, view_of
from sfumato.table.attacks.scoring import KNOWS, mean_score
from sfumato.table.core.schema import Schema
from sfumato.validate import choice

__all__ = ["PosteriorAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorAttack:
    """The Bayesian attacker: weighs every released record by its likelihood and picks the best.

    Noise and sampling are modelled exactly, with the victim in or out of the release
    (:func:`~sfumato.table.attacks.deanonymiser.posterior_success`).

    Parameters
    ----------
    schema : Schema
    statistic : {"mean", "worst"}
        The share of victims that it gets right, or the largest posterior it gives to a true record.
    """

    criterion: ClassVar[Criterion] = "linkability"

    schema: Schema
    statistic: Literal["mean", "worst"] = "mean"

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("mean", "worst"))

    @property
    def name(self) -> str:
        return "Bayesian re-identification rate" if self.statistic == "mean" else "worst posterior of the true record"

    @property
    def knows(self) -> str:
        return f"{KNOWS}; under noise or sampling also how common such records are among the other people"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism)
        right, true = posterior_success(view)
        chance = 1 / len(view.victim)
        if self.statistic == "worst":
            return Score(float(true.max()), reference=chance)
        return mean_score(right, chance)
