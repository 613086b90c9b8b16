"""Attacks on released statistics: was this person in it, and what is this person's value?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import ApproxDP
from sfumato.statistic.attacks.worlds import worst_worlds
from sfumato.statistic.core.column import read_column
from sfumato.statistic.core.studies import StudiesMechanism
from sfumato.statistic.mechanisms.histogram import Histogram
from sfumato.statistic.mechanisms.mean import Mean
from sfumato.statistic.mechanisms.sum import Sum
from sfumato.statistic.mechanisms.variance import Variance
from sfumato.statistic.utility import share_interval
from sfumato.study.shapes import Raw, Score
from sfumato.validate import integer, probability

__all__ = ["DifferencingAttack", "EmpiricalEpsilonAttack", "MembershipAttack"]

Floats = NDArray[np.float64]

_LEAST = 1e-9  # of a deviation: a count of hundreds of releases may show no noise at all


@dataclass(frozen=True, kw_only=True)
class _LikelihoodRatio:
    """An attacker who knows the mechanism and all records but one, and weighs two values of that one.

    The two worlds are the farthest neighbours of the data. The score of a release is its log-likelihood ratio under the
    mechanism's own law, which no other attacker beats (Neyman and Pearson); for a variance it is how much nearer the
    release is to one exact answer than to the other, which for public n is the same up to a factor.

    Parameters
    ----------
    trials : int
        Releases drawn from each world.
    """

    trials: int = 1000

    def __post_init__(self) -> None:
        integer("trials", self.trials, least=20)

    def _scores(self, data: Any, mechanism: Mechanism | None, rng: Rng | None) -> tuple[Floats, Floats] | None:
        """Scores of releases from either world; nothing to score where the raw data itself is released."""
        if mechanism is None:
            raise bad_input("mechanism", None, "the mechanism that made the release", "the attacker uses its law")
        if isinstance(mechanism, Raw):
            return None
        first, second = worst_worlds(mechanism, data)
        if isinstance(mechanism, StudiesMechanism):
            mechanism = mechanism.one_test()
        rng = resolve_rng(rng)
        drawn = [_draw(mechanism, world, self.trials, rng) for world in (first, second)]
        return _score(mechanism, drawn[0], first, second), _score(mechanism, drawn[1], first, second)


def _draw(mechanism: Any, data: Any, count: int, rng: Rng) -> Any:
    if hasattr(mechanism, "sample"):
        return mechanism.sample(data, count, rng)
    return [mechanism.release(data, rng=rng) for _ in range(count)]


def _score(mechanism: Any, outputs: Any, first: Any, second: Any) -> Floats:
    if not isinstance(mechanism, Variance):
        law = mechanism.log_prob if hasattr(mechanism, "log_prob") else mechanism.log_density
        return np.asarray(law(outputs, first) - law(outputs, second))
    near, far = np.asarray(mechanism.answer(first), float), np.asarray(mechanism.answer(second), float)
    released = np.asarray(outputs, float).reshape(len(outputs), -1)
    return np.asarray(np.abs(released - far).sum(axis=1) - np.abs(released - near).sum(axis=1))


@dataclass(frozen=True, kw_only=True)
class MembershipAttack(_LikelihoodRatio):
    """How well the strongest attacker tells the farthest neighbours apart: area under the ROC curve, chance 0.5.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> from sfumato.statistic import Mean
    >>> mean = Mean(epsilon=0.1, bounds=(0, 100))
    >>> data = np.full(50, 40.0)
    >>> score = MembershipAttack().attack(data, mean.release(data), mechanism=mean, rng=seeded_rng(0))
    >>> score.reference, score.value < 0.6
    (0.5, True)
    """

    name: str = "membership (AUC)"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        scores = self._scores(data, mechanism, rng)
        if scores is None:
            return Score(1.0, 1.0, 1.0, reference=0.5)
        value = _area(*scores)
        spread = 1.96 * _area_deviation(value, self.trials)
        return Score(value, max(0.0, value - spread), min(1.0, value + spread), reference=0.5)


def _area(inside: Floats, outside: Floats) -> float:
    """Pr[inside > outside] + Pr[equal]/2."""
    order = np.sort(outside)
    below, upto = np.searchsorted(order, inside, "left"), np.searchsorted(order, inside, "right")
    return float((below + upto).mean() / (2 * len(outside)))


def _area_deviation(area: float, trials: int) -> float:
    """Hanley and McNeil (1982)."""
    q_1, q_2 = area / (2 - area), 2 * area * area / (1 + area)
    variance = area * (1 - area) + (trials - 1) * (q_1 + q_2 - 2 * area * area)
    return math.sqrt(max(variance, 0.0)) / trials


@dataclass(frozen=True, kw_only=True)
class EmpiricalEpsilonAttack(_LikelihoodRatio):
    """A lower bound on ε that the attack's success proves, with 95 % confidence; a kept promise is never exceeded.

    The threshold is chosen on one half of the releases; on the other half, hits and false alarms are bounded by
    Clopper–Pearson, and ε ≥ ln((hits − δ)/false alarms).
    """

    trials: int = 4000
    name: str = "empirical ε (lower bound)"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        scores = self._scores(data, mechanism, rng)
        if scores is None:  # the raw data always tells: the bound is what so many trials can prove
            scores = np.ones(self.trials), -np.ones(self.trials)
        promise = mechanism.guarantee if mechanism is not None else None
        delta = promise.delta if isinstance(promise, ApproxDP) else 0.0
        value = max(_epsilon_bound(*scores, delta), _epsilon_bound(-scores[1], -scores[0], delta), 0.0)
        return Score(value, reference=0.0)


def _epsilon_bound(inside: Floats, outside: Floats, delta: float) -> float:
    from scipy.special import betaincinv

    half = len(inside) // 2
    thresholds = np.unique(np.quantile(np.concatenate([inside[:half], outside[:half]]), np.linspace(0.01, 0.99, 99)))

    def bound(hits: int, alarms: int) -> float:
        miss = 0.0125  # two sides, two directions
        low = 0.0 if hits == 0 else float(betaincinv(hits, half - hits + 1, miss))
        high = 1.0 if alarms == half else float(betaincinv(alarms + 1, half - alarms, 1 - miss))
        return math.log((low - delta) / high) if low > delta else -math.inf

    def counts(part: slice, threshold: float) -> tuple[int, int]:
        return int((inside[part] >= threshold).sum()), int((outside[part] >= threshold).sum())

    best = max(thresholds, key=lambda threshold: bound(*counts(slice(0, half), threshold)))
    return bound(*counts(slice(half, 2 * half), best))


@dataclass(frozen=True, kw_only=True)
class DifferencingAttack:
    """Asks for a statistic with and without one person, and reads the person's value from the difference.

    Works on Sum, Mean and Histogram. The attacker knows how the noise is spread and all other people's values, and
    guesses the value that is likeliest under both: without a telling answer, the commonest one. Asking again and
    averaging wears the noise down, which is what a ledger is for.

    Parameters
    ----------
    people : int
        How many persons are tried.
    repeats : int
        How many times each of the two questions is asked.
    tolerance : float
        A number counts as recovered within this part of the bounds' range; a category must be right.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> from sfumato.statistic import Mean
    >>> mean = Mean(epsilon=1.0, bounds=(0, 100))
    >>> data = np.linspace(0, 100, 200)
    >>> score = DifferencingAttack(repeats=10_000).attack(data, 50.0, mechanism=mean, rng=seeded_rng(0))
    >>> score.value > 0.9  # 20 000 questions were far too many
    True
    """

    people: int = 50
    repeats: int = 1
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        integer("people", self.people)
        integer("repeats", self.repeats)
        probability("tolerance", self.tolerance)

    @property
    def name(self) -> str:
        return "differencing" if self.repeats == 1 else f"differencing, asked {self.repeats} times"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        if isinstance(mechanism, Raw):
            return Score(1.0, 1.0, 1.0, reference=_commonest(read_column(data, None), self.tolerance))
        if not isinstance(mechanism, (Sum, Mean, Histogram)):
            raise bad_input(
                "mechanism", type(mechanism).__name__, "Sum, Mean or Histogram", "others need another attack"
            )
        rng = resolve_rng(rng)
        records = read_column(data, mechanism.column)
        if len(records) < 3:
            raise bad_input("data", f"{len(records)} records", "at least 3", "somebody must be left to ask about")
        truth: NDArray[Any]
        if isinstance(mechanism, Histogram):  # from here on a category is its place in the list
            truth, window = mechanism.place(records), 0.0
        else:
            truth, window = mechanism.values(records), 2 * self.tolerance * mechanism.span
        weight = len(records) if isinstance(mechanism, Mean) else 1
        asked = weight * np.asarray(mechanism.sample(records, 400, rng), float)
        deviation = max(float(asked.std(axis=0).mean()) * math.sqrt(2 / self.repeats), _LEAST)
        chosen = rng.choice(len(records), min(self.people, len(records)), replace=False)
        hits = 0
        for person in chosen:
            with_person = mechanism.sample(records, self.repeats, rng).mean(axis=0)
            without = mechanism.sample(np.delete(records, person), self.repeats, rng).mean(axis=0)
            seen = weight * with_person - max(weight - 1, 1) * without
            others = np.delete(truth, person)
            likely = _fit(seen, others) / (2 * deviation**2)
            guess = _best_window(others, np.exp(likely.min() - likely), window)
            hits += int(abs(guess - float(truth[person])) <= window / 2 * (1 + 1e-9))
        low, high = share_interval(hits, len(chosen))
        return Score(hits / len(chosen), low, high, reference=_commonest(truth, self.tolerance, window))


def _fit(seen: Any, candidates: NDArray[Any]) -> Floats:
    """The squared distance of what was seen from what each candidate value would have shown."""
    if np.ndim(seen) == 0:
        return np.asarray((candidates - seen) ** 2, float)
    return np.asarray((seen**2).sum() + 1 - 2 * seen[candidates], float)  # the difference is a unit vector


def _best_window(values: NDArray[Any], weight: Floats, window: float) -> float:
    """The middle of the interval of this width that holds the most weight."""
    order = np.argsort(values)
    ordered, total = values[order], np.concatenate(([0.0], np.cumsum(weight[order])))
    end = np.searchsorted(ordered, ordered + window, side="right")
    start = np.searchsorted(ordered, ordered, side="left")
    return float(ordered[int(np.argmax(total[end] - total[start]))] + window / 2)


def _commonest(records: NDArray[Any], tolerance: float, window: float | None = None) -> float:
    """How many people the best fixed guess is right about: within tolerance, or the commonest category."""
    if records.dtype.kind not in "iuf":
        records, window = np.unique(records, return_inverse=True)[1], 0.0
    ordered = np.sort(records)
    if window is None:
        window = 2 * tolerance * float(ordered[-1] - ordered[0])
    end = np.searchsorted(ordered, ordered + window, side="right")
    return float((end - np.arange(len(ordered))).max() / len(ordered))
