"""The promise of a private shuffle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Self

import numpy as np

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, Neighbours, PureDP
from sfumato.promise.amount import exact, multiply_up
from sfumato.survey.core.groups import Groups
from sfumato.validate import positive

__all__ = ["ShufflePrivacy"]


@dataclass(frozen=True)
class ShufflePrivacy(Guarantee):
    """(α, 𝒢)-d_σ privacy: who inside a group sent which report changes no probability by more than e^α.

    **Definition** (Meehan 2023, §4.4). Pr[A(σ(y)) ∈ O] ≤ e^α·Pr[A(σ′(y)) ∈ O] for all reports y, all outputs O, and all
    permutations σ, σ′ that agree outside one group G_i. It says nothing about *what* a group answered; that is left to
    the local promise of each report, which shuffling cannot weaken, and which is stated beside it.

    :func:`sfumato.promise.composition` adds up α and ε of independent releases for the same groups (Thm 13).

    Parameters
    ----------
    alpha : float
        0 is a uniform shuffle within reach of each group.
    groups : Groups or str
        The groups themselves, or the public rule that makes them in a given population, such as
        ``"within 5 km by lat, lon"``. A rule can be written down: on a card, and as the budget of a ledger.
    local : PureDP, optional
        The promise of the reports before they were shuffled.

    Examples
    --------
    >>> print(ShufflePrivacy(4.0, Groups.everyone(100), PureDP(2.5, unit="answer", model="local")))
    α = 4 on who sent which report, within groups of 100 to 100 of 100 owners; ε = 2.5 per answer
    >>> print(ShufflePrivacy(4.0, "within 5 km by lat, lon"))
    α = 4 on who sent which report, within 5 km by lat, lon
    """

    losses = ("alpha", "local")
    remedy = "keep a budget of its own for a shuffle, with the same groups"

    alpha: float
    groups: Groups | str
    local: PureDP | None = None
    unit: str = field(default="owner", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("alpha", self.alpha, "α = 0 hides the order completely", zero=True)
        if not isinstance(self.groups, Groups) and not (isinstance(self.groups, str) and self.groups.strip()):
            raise bad_input(
                "groups", self.groups, "Groups or their rule", "Groups.from_places, from_lists, … make them"
            )
        if self.local is not None and not isinstance(self.local, PureDP):
            raise bad_input("local", self.local, "PureDP or None")

    @staticmethod
    def local_part(promise: Guarantee) -> PureDP | None:
        """The promise of a front end that can stand beside α: an ε for each answer."""
        return promise if isinstance(promise, PureDP) else None

    @property
    def epsilon(self) -> float:
        """ε of each report (∞ without a local promise)."""
        return np.inf if self.local is None else self.local.epsilon

    @property
    def statement(self) -> str:
        text = f"α = {self.alpha:.6g} on who sent which report, {_said(self.groups)}"
        return text if self.local is None else f"{text}; {self.local.statement} per {self.local.unit}"

    @property
    def meaning(self) -> str:
        """What that means, in a sentence for readers who do not know the field."""
        hidden = f"Who in a group sent which report stays hidden up to a factor e^{self.alpha:.3g}."
        return hidden if self.local is None else f"{hidden} {self.local.meaning}"

    @property
    def scoped(self) -> str:
        return self.statement if self.unit == "owner" else f"{self.statement}; per {self.unit}"

    @property
    def best_guess(self) -> float:
        """About one answer: what the local promise leaves; which of two reports is whose is bounded by α instead."""
        return 1.0 if self.local is None else self.local.best_guess

    def over(self, size: int, *, unit: str | None = None) -> Self:
        """The promise for somebody who sent ``size`` reports: σ and σ′ may differ inside the group of each of them.

        Rearranging one group after the other leads from σ to σ′ in ``size`` steps of at most α each, whichever groups
        they are: α·size. The answers themselves cost ε·size.

        >>> print(ShufflePrivacy(4.0, "within 5 km by lat, lon", PureDP(0.5, unit="answer")).over(3, unit="person"))
        α = 12 on who sent which report, within 5 km by lat, lon; ε = 1.5 per person; per person
        """
        grown = super().over(size, unit=unit)
        return grown if self.local is None else replace(grown, local=self.local.over(size, unit=unit))

    def _over(self, k: int) -> Self:
        return replace(self, alpha=multiply_up(self.alpha, k))

    def loss_bound(self, x: Any, y: Any) -> float:
        """α if x is y rearranged inside one group; or ε for each answer that differs, if that is less."""
        first, second = (np.asarray(getattr(value, "answers", value)) for value in (x, y))
        if first.shape != second.shape or (isinstance(self.groups, Groups) and len(first) != self.groups.n):
            return np.inf
        differ = np.flatnonzero((first != second).reshape(len(first), -1).any(axis=1))
        if differ.size == 0:
            return 0.0
        by_answer = self.epsilon * np.count_nonzero(first != second)
        if isinstance(self.groups, str):  # a rule does not say who is in whose group
            return by_answer
        rearranged = np.array_equal(_bag(first[differ]), _bag(second[differ])) and _within_one_group(
            self.groups, differ
        )
        return min(self.alpha, by_answer) if rearranged else by_answer

    def _amounts(self, release: Any) -> dict[str, Decimal]:
        """α, and ε for each answer if this budget has one: answers that were not randomised cannot be paid from it."""
        amounts = {"alpha": exact(release.alpha)}
        if self.local is None:
            return amounts
        if release.local is None:
            raise bad_input(
                "guarantee",
                str(release),
                f"an ε for each answer, as in the budget: {self.local.statement}",
                "randomise the answers, or keep a budget for α alone",
            )
        return amounts | {f"local.{name}": cost for name, cost in self.local.price(release.local).amounts.items()}


def _said(groups: Groups | str) -> str:
    if isinstance(groups, str):
        return groups
    sizes = groups.site_sizes
    return f"within groups of {sizes.min()} to {sizes.max()} of {groups.n} owners"


def _within_one_group(groups: Groups, owners: np.ndarray[Any, Any]) -> bool:
    here = np.bincount(groups.site_of[owners], minlength=groups.sites)
    inside = np.concatenate([[0], np.cumsum(here[groups.indices])])
    return bool((inside[groups.indptr[1:]] - inside[groups.indptr[:-1]] == owners.size).any())


def _bag(reports: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    rows = reports.reshape(len(reports), -1)
    return rows[np.lexsort(rows.T[::-1])]
