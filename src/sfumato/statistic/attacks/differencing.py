"""Differencing attack: a person's value from the statistic with and without that person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.attacks.likelihood_ratio import Floats
from sfumato.statistic.core.column import read_column
from sfumato.statistic.mechanisms.histogram import Histogram
from sfumato.statistic.mechanisms.mean import Mean
from sfumato.statistic.mechanisms.sum import Sum
from sfumato.study.score import Score
from sfumato.study.study import Raw
from sfumato.validate import integer, probability

__all__ = ["DifferencingAttack"]

_LEAST = 1e-9  # of a deviation: a count of hundreds of releases may show no noise at all


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

    criterion: ClassVar[str] = "inference"
    knows: ClassVar[str] = "the mechanism and everybody else's record; may ask with and without the victim"

    targets: ClassVar[tuple[type, ...]] = (Sum, Mean, Histogram)
    """The mechanisms that it attacks."""

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
        hits = []
        for person in chosen:
            with_person = mechanism.sample(records, self.repeats, rng).mean(axis=0)
            without = mechanism.sample(np.delete(records, person), self.repeats, rng).mean(axis=0)
            seen = weight * with_person - max(weight - 1, 1) * without
            others = np.delete(truth, person)
            likely = _fit(seen, others) / (2 * deviation**2)
            guess = _best_window(others, np.exp(likely.min() - likely), window)
            hits.append(abs(guess - float(truth[person])) <= window / 2 * (1 + 1e-9))
        return Score.of_share(hits, reference=_commonest(truth, self.tolerance, window))


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
