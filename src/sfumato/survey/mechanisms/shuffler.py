"""The private shuffler (Meehan 2023, Algorithm 1)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.promise import Assumption, NoGuarantee
from sfumato.promise.amount import share_down
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.order import OrderName, group_sensitivities, group_widths, printed_sensitivity, reference_order
from sfumato.survey.permutation.mallows import PermutationMetric, log_probability, sample_mallows
from sfumato.survey.promise import ShufflePrivacy
from sfumato.validate import choice

__all__ = ["Shuffler"]

Sensitivity = Literal["exact", "printed"]
_ENUMERABLE = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Shuffler(Mechanism):
    """Reorders reports so that each is lost among its owner's group: (α, 𝒢)-d_σ private (Meehan 2023, Alg. 1, Thm 6).

    A permutation σ̇ is drawn from Mallows' law around a public reference σ₀ with spread θ = α/Δ, and the slot of owner
    σ₀(k) receives the report of owner σ̇(k). **Theorem.** Permuting the input inside a group moves the centre of the law
    by a distance of at most Δ, and both distances are invariant under relabelling the owners; hence every probability
    changes by a factor of at most e^{θΔ} = e^α. The dial runs from α = ∞ (nothing moves) to α = 0 (uniform).

    Parameters
    ----------
    alpha : float
        The promise; ``inf`` for none.
    groups : Groups
        Whom each owner hides among.
    order : {"cuthill-mckee", "bfs"} or permutation
        The reference σ₀: reverse Cuthill–McKee, the dissertation's breadth-first search, or any public permutation
        (:func:`~sfumato.survey.sorted_order` is best on a line). All are private; a narrow one moves less.
    metric : {"kendall", "hamming"}
        Kendall moves reports to near places; Hamming exchanges a few reports with anybody's.
    sensitivity_form : {"exact", "printed"}
        ``"printed"`` uses ω(ω+1)/2 as the dissertation does: valid, and far more noise than needed.

    Examples
    --------
    >>> groups = Groups.from_places([0.0, 1.0, 2.0, 3.0], radius=1)
    >>> shuffler = Shuffler(alpha=1.0, groups=groups)
    >>> shuffler.width, shuffler.sensitivity, round(shuffler.theta, 4)
    (2, 3, 0.3333)
    >>> sorted(shuffler.release([10, 20, 30, 40]).tolist())
    [10, 20, 30, 40]
    """

    alpha: float
    groups: Groups
    order: OrderName | Any = "cuthill-mckee"
    metric: PermutationMetric = "kendall"
    sensitivity_form: Sensitivity = "exact"

    def __post_init__(self) -> None:
        alpha: object = self.alpha  # what a caller may have given
        if isinstance(alpha, bool) or not isinstance(alpha, Real) or not float(alpha) >= 0:
            raise bad_input("alpha", self.alpha, "a number ≥ 0", "0 shuffles uniformly, inf does not shuffle")
        if not isinstance(self.groups, Groups):
            raise bad_input("groups", self.groups, "Groups", "Groups.from_places, from_lists, … make them")
        choice("metric", self.metric, get_args(PermutationMetric))
        choice("sensitivity_form", self.sensitivity_form, get_args(Sensitivity))
        if self.sensitivity_form == "printed" and self.metric != "kendall":
            raise bad_input("sensitivity_form", "printed", "'exact' for Hamming", "the printed bound is for Kendall")
        if isinstance(self.order, str):
            choice("order", self.order, get_args(OrderName))
        else:
            reference_order(self.groups, self.order)

    @cached_property
    def reference(self) -> NDArray[np.int64]:
        """σ₀: the owner in each place."""
        return reference_order(self.groups, self.order)

    @cached_property
    def width(self) -> int:
        """ω: the most places that lie between two members of one group."""
        return int(group_widths(self.groups, self.reference).max())

    @cached_property
    def sensitivity(self) -> int:
        """Δ: the largest distance between permutations that differ inside one group."""
        if self.sensitivity_form == "printed":
            return printed_sensitivity(self.width)
        return int(group_sensitivities(self.groups, self.reference, self.metric).max())

    @cached_property
    def theta(self) -> float:
        """θ = α/Δ, rounded down; ∞ where no group has two members."""
        if self.alpha == 0:
            return 0.0
        if self.sensitivity == 0 or math.isinf(self.alpha):
            return math.inf
        theta = share_down(float(self.alpha), self.sensitivity)
        return math.nextafter(theta, 0.0)  # less than the decimals and less than the doubles

    @property
    def guarantee(self) -> ShufflePrivacy | NoGuarantee:
        if math.isinf(self.alpha):
            return NoGuarantee("α = ∞ leaves every report with its owner")
        if self.groups.site_sizes.max() == 1:
            return NoGuarantee("every owner is alone in its group: nobody to hide among")
        return ShufflePrivacy(float(self.alpha), self.groups).assuming(Assumption("groups"))

    @cached_property
    def certificates(self) -> NDArray[np.float64]:
        """α_i = θ·Δ(G_i) ≤ α, rounded up: what each owner was in fact given."""
        per_site = group_sensitivities(self.groups, self.reference, self.metric)
        return np.minimum(_times(self.theta, per_site), float(self.alpha))[self.groups.site_of]

    def certify(self, groups: Groups) -> ShufflePrivacy:
        """The promise that the same release keeps for other groups: α′ = θ·Δ(𝒢′), rounded up (Thm 7)."""
        if not isinstance(groups, Groups) or groups.n != self.groups.n:
            raise bad_input("groups", groups, f"Groups of the same {self.groups.n} owners")
        alpha = _times(self.theta, group_sensitivities(groups, self.reference, self.metric)).max()
        if math.isinf(alpha):
            raise bad_input("groups", groups, "groups that the release hides", "θ = ∞: this release moves nothing")
        return ShufflePrivacy(float(alpha), groups)

    def draw(self, *, size: int | None = None, rng: Rng | None = None) -> NDArray[np.int64]:
        """σ*: the owner whose report each slot receives; ``size`` of them, one a row."""
        drawn = sample_mallows(self.reference, self.theta, metric=self.metric, size=size, rng=rng)
        moved = np.empty_like(drawn)
        moved[..., self.reference] = drawn
        return moved

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[Any]:
        """The reports in shuffled order (along the first axis)."""
        reports = self.check(data)
        return reports[self.draw(rng=rng)]

    def sample(self, data: ArrayLike, count: int, rng: Rng | None = None) -> NDArray[Any]:
        """``count`` independent releases, one a row, for experiments and audits; each of them costs α."""
        return self.check(data)[self.draw(size=count, rng=rng)]

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """Exact log-probabilities of outputs (one a row); equal reports are summed over, for up to eight owners."""
        reports, outputs = self.check(data), np.asarray(output)
        if outputs.shape[1:] != reports.shape:
            raise bad_input("output", outputs.shape, f"outputs of shape {reports.shape}")
        together = np.concatenate([reports[None], outputs]).reshape((-1, *reports.shape[1:]))
        axis = 0 if together.ndim > 1 else None
        labels = np.unique(together, axis=axis, return_inverse=True)[1].reshape(-1, reports.shape[0])
        own, seen = labels[0], labels[1:]
        result = np.full(len(seen), -math.inf)
        possible = (np.sort(seen, axis=1) == np.sort(own)).all(axis=1)
        if possible.any():
            values, ranks = np.unique(own, return_inverse=True)
            result[possible] = self._law(ranks, np.searchsorted(values, seen[possible]))
        return result

    def _law(self, own: NDArray[np.int64], seen: NDArray[np.int64]) -> NDArray[np.float64]:
        """The law of rearrangements ``seen`` of the labels ``own``, which are 0, 1, …"""
        n, kinds = own.size, int(own.max()) + 1
        if kinds == n:
            drawn = np.argsort(own)[seen][:, self.reference]
            return np.asarray(log_probability(drawn, self.reference, self.theta, self.metric))
        if n > _ENUMERABLE:
            raise InputError(
                f"{n} owners with equal reports: expected at most {_ENUMERABLE} for the exact law; "
                "give all reports different values, or audit by sampling"
            )
        orders = np.array(list(itertools.permutations(range(n))))
        log_p = np.asarray(log_probability(orders, self.reference, self.theta, self.metric))
        slots = np.empty_like(orders)
        slots[:, self.reference] = own[orders]
        code = np.power(kinds, np.arange(n))
        keys, which = np.unique(slots @ code, return_inverse=True)
        mass = np.bincount(which, np.exp(log_p))
        with np.errstate(divide="ignore"):
            return np.log(mass[np.searchsorted(keys, seen @ code)])

    def check(self, data: ArrayLike) -> NDArray[Any]:
        """One report for each owner, along the first axis, as an array."""
        try:
            reports = np.asarray(data)
        except ValueError as error:
            raise bad_input("reports", data, "reports of one shape") from error
        if reports.ndim == 0 or len(reports) != self.groups.n:
            raise bad_input("reports", reports.shape, f"one report for each of the {self.groups.n} owners")
        return reports


def _times(theta: float, sensitivities: NDArray[np.int64]) -> NDArray[np.float64]:
    """θ·Δ with ∞·0 = 0, rounded up."""
    losses = np.zeros(sensitivities.shape)
    np.multiply(sensitivities, theta, out=losses, where=sensitivities > 0)
    return np.where(losses > 0, np.nextafter(losses, math.inf), 0.0)
