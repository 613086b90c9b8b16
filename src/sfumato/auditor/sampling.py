"""Audit by sampling: a lower confidence bound from one well-chosen event.

Releases of each input are split in three. On the first quarter scores are learned, on the second the event is chosen
that promises the largest bound, and only the remaining half, which neither has seen, gives the bound: the
probability of the event under one input from below and under the other from above (Clopper & Pearson 1934). All
pairs, directions and yardsticks share the error probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor.case import AuditCase
from sfumato.auditor.features import Columns, Releases, learn_scores, plain_columns, read_releases
from sfumato.auditor.result import Event, Finding
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats
from sfumato.promise.yardstick import Yardstick

__all__ = ["clopper_pearson", "sampling_findings"]

_TAILS = np.geomspace(2e-4, 0.02, 12)
_CUTS = np.concatenate([_TAILS, np.linspace(0.03, 0.97, 64), 1 - _TAILS])
"""Shares of the pooled values at which a column is cut: rare values matter as much as common ones."""


def clopper_pearson(successes: Any, trials: int, alpha: float) -> tuple[Floats, Floats]:
    """One-sided bounds (low, high) on a probability, each wrong with probability at most ``alpha``.

    >>> low, high = clopper_pearson(np.array([0, 5, 10]), 10, 0.025)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.1871, 0.6915]), array([0.3085, 0.8129, 1.    ]))
    """
    from scipy.special import betaincinv

    k = np.atleast_1d(np.asarray(successes, float))
    low, high = np.zeros(k.shape), np.ones(k.shape)
    some, not_all = k > 0, k < trials
    low[some] = betaincinv(k[some], trials - k[some] + 1, alpha)
    high[not_all] = betaincinv(k[not_all] + 1, trials - k[not_all], 1 - alpha)
    return low, high


def sampling_findings(
    case: AuditCase, measures: list[Yardstick], *, samples: int, alpha: float, rng: Rng
) -> Iterator[Finding]:
    """The bound of every pair, direction and yardstick."""
    share = alpha / (2 * len(case.pairs) * len(measures)) / 2  # the last half: two bounds an event
    for index, (x, y) in enumerate(case.pairs):
        of_x, of_y = read_releases(case, case.draw(x, samples, rng), case.draw(y, samples, rng))
        for pair, first, second in (((x, y), of_x, of_y), ((y, x), of_y, of_x)):
            yield from _compare(pair, index, first, second, measures, share, rng)


def _compare(
    pair: tuple[Any, Any], index: int, x: Releases, y: Releases, measures: list[Yardstick], alpha: float, rng: Rng
) -> Iterator[Finding]:
    quarter, half = len(x) // 4, len(x) // 2
    scores = learn_scores(x.part(slice(quarter)), y.part(slice(quarter)), rng)

    def columns(rows: slice) -> tuple[Columns, Columns]:
        return (
            plain_columns(x.part(rows)) | scores(x.part(rows)),
            plain_columns(y.part(rows)) | scores(y.part(rows)),
        )

    choose_x, choose_y = columns(slice(quarter, half))
    test_x, test_y = columns(slice(half, None))
    trials = len(x) - half
    events = _Events.of(choose_x, choose_y, half - quarter, alpha)
    for measure in measures:
        name, sign, cut = events.best(measure)
        inside_x, inside_y = (sign * side[name] >= sign * cut for side in (test_x, test_y))
        low, _ = clopper_pearson(inside_x.sum(), trials, alpha)
        _, high = clopper_pearson(inside_y.sum(), trials, alpha)
        text = f"{name} {'≥' if sign > 0 else '≤'} {cut:.6g}"
        event = Event(float(low[0]), float(high[0]), text)
        bound = measure.bound(*pair)
        yield Finding(
            symbol=measure.symbol,
            value=max(0.0, measure.of_event(event.p, event.q)),  # a distance is never negative
            bound=bound,
            shown=measure.shown(*pair),
            slack=0.0,
            pair_index=index,
            pair=pair,
            output=text,
            method="sampling",
            evidence=event,
        )


class _Events:
    """Half-lines {column ≥ cut} and {column ≤ cut} with bounds on their probabilities in the choosing part.

    Scores with ties need no randomised event: both {> cut} and {≥ cut} are among the half-lines, and a mixture of the
    two never has a larger ratio than the better of them.
    """

    def __init__(self, places: list[tuple[str, int, float]], low: Floats, high: Floats) -> None:
        self.places, self.low, self.high = places, low, high

    @classmethod
    def of(cls, x: Columns, y: Columns, trials: int, alpha: float) -> _Events:
        places: list[tuple[str, int, float]] = []
        counts: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for name in x:
            pooled = np.concatenate([x[name], y[name]])
            cuts = np.unique(pooled)
            if len(cuts) > len(_CUTS):
                cuts = np.unique(np.quantile(pooled, _CUTS, method="nearest"))
            sorted_x, sorted_y = np.sort(x[name]), np.sort(y[name])
            for sign, side in ((1, "left"), (-1, "right")):
                below = [np.searchsorted(column, cuts, side=side) for column in (sorted_x, sorted_y)]  # type: ignore[call-overload]
                inside = [len(sorted_x) - b if sign > 0 else b for b in below]
                places += [(name, sign, float(cut)) for cut in cuts]
                counts.append((inside[0], inside[1]))
        in_x, in_y = (np.concatenate([c[side] for c in counts]) for side in (0, 1))
        return cls(places, clopper_pearson(in_x, trials, alpha)[0], clopper_pearson(in_y, trials, alpha)[1])

    def best(self, measure: Yardstick) -> tuple[str, int, float]:
        values = [measure.of_event(float(p), float(q)) for p, q in zip(self.low, self.high, strict=True)]
        return self.places[int(np.argmax(values))]
