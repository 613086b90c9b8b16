"""How well members of a training set are told from strangers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta

from sfumato.errors import bad_input
from sfumato.model.copying.rank_test import rank_test
from sfumato.validate import finite_array, probability

__all__ = ["MembershipReport", "loss_attack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MembershipReport:
    """Scores of members and strangers; a higher one looks more like a member.

    Parameters
    ----------
    members, strangers : ndarray
        The attacker's score of each record.
    """

    members: NDArray[np.float64]
    strangers: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("members", "strangers"):
            if not len(finite_array(name, getattr(self, name), ndim=1)):
                raise bad_input(name, 0, "at least one score")

    @property
    def area(self) -> float:
        """The area under the curve: the probability that a member scores above a stranger; ½ is chance."""
        return rank_test(self.strangers, self.members, method="normal").share

    @property
    def advantage(self) -> float:
        """The largest difference of true- and false-positive rate over all thresholds; 0 is chance."""
        cuts = np.concatenate([self.members, self.strangers])
        found = [
            1 - np.searchsorted(np.sort(part), cuts, side="left") / len(part) for part in (self.members, self.strangers)
        ]
        return max(0.0, float((found[0] - found[1]).max()))

    def found(self, false_alarms: float = 0.01) -> float:
        """The share of members that is found if at most a share ``false_alarms`` of strangers may be accused.

        Averages hide who is found for sure, so that this is the figure to look at (Carlini et al. 2022).

        >>> MembershipReport(members=np.array([3.0, 1.0]), strangers=np.array([0.0, 2.0])).found(0.25)
        0.5
        """
        allowed = math.floor(probability("false_alarms", false_alarms) * len(self.strangers))
        cut = np.sort(self.strangers)[::-1][allowed]  # at or below it nobody is accused
        return float((self.members > cut).mean())

    def epsilon(self, level: float = 0.95, delta: float = 0.0) -> float:
        """A lower bound, with confidence ``level``, on the ε of any (ε, δ) promise that would still be true.

        The threshold is chosen on one half of the records and its rates are bounded on the other (Clopper–Pearson), so
        that the search costs no confidence (Jagielski, Ullman, Oprea 2020).
        """
        miss = (1 - probability("level", level)) / 2
        halves = [(part[::2], part[1::2]) for part in (self.members, self.strangers)]
        (fit_in, test_in), (fit_out, test_out) = halves
        if not len(test_in) or not len(test_out):
            raise bad_input("members", len(self.members), "at least two members and two strangers")
        best, chosen = 0.0, None
        for cut in np.unique(fit_out):
            rates = ((fit_in > cut).mean(), ((fit_out > cut).sum() + 1) / (len(fit_out) + 1))
            if rates[0] > 0 and math.log(rates[0] / rates[1]) > best:
                best, chosen = math.log(rates[0] / rates[1]), cut
        if chosen is None:
            return 0.0
        hits, alarms = int((test_in > chosen).sum()), int((test_out > chosen).sum())
        low = float(beta.ppf(miss, hits, len(test_in) - hits + 1)) if hits else 0.0
        high = float(beta.ppf(1 - miss, alarms + 1, len(test_out) - alarms)) if alarms < len(test_out) else 1.0
        return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def loss_attack(members: ArrayLike, strangers: ArrayLike) -> MembershipReport:
    """Take records of small loss for members (Yeom et al. 2018).

    Parameters
    ----------
    members, strangers : array_like
        The model's loss on each record that was trained on, and on each that was not.

    >>> loss_attack([0.1, 0.2], [0.5, 0.9]).area
    1.0
    """
    return MembershipReport(
        members=-finite_array("members", members, ndim=1), strangers=-finite_array("strangers", strangers, ndim=1)
    )
