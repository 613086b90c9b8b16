"""Audit by sampling: a lower confidence bound from one well-chosen event.

Releases of each input are split in three. On the first fifth scores are learned, on the second the event is chosen
that promises the largest bound, and only the remaining three fifths, which neither has seen, give the bound. All pairs,
directions and yardsticks share the error probability. Cuts follow the sample size: the rarest event that is tried is
the rarest that could be seen.

The bound on a log-ratio is a bound on one share. Of the last part, m releases are looked at, each of the one or the
other input by the toss of a fair coin; given that a release is in the event, it is one of x with probability p/(p + q)
exactly, and a Clopper-Pearson bound r on that share bounds ε by ln r/(1 − r). For a rare event that is much better than
two bounds on p and on q: with 60 of x and none of y at error probability 1e-6 it gives ε ≥ 1.3, the two give 0.7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor.case import AuditCase
from sfumato.auditor.features import Columns, learn_scores, read_releases
from sfumato.auditor.result import Event, Finding
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats
from sfumato.promise.yardstick import LogRatio, Yardstick

__all__ = ["clopper_pearson", "compare_releases", "sampling_findings"]

_MIDDLE = np.linspace(0.03, 0.97, 64)
_LEARNED = ("decision tree", "logistic regression")
_NEARLY = 0.98
"""An event that a reader understands is taken if its bound is nearly that of the best."""


def clopper_pearson(successes: Any, trials: Any, alpha: float) -> tuple[Floats, Floats]:
    """One-sided bounds (low, high) on a probability, each wrong with probability at most ``alpha``.

    >>> low, high = clopper_pearson(np.array([0, 5, 10]), 10, 0.025)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.1871, 0.6915]), array([0.3085, 0.8129, 1.    ]))
    """
    from scipy.special import betaincinv

    k, n = np.broadcast_arrays(np.atleast_1d(np.asarray(successes, float)), np.asarray(trials, float))
    low, high = np.zeros(k.shape), np.ones(k.shape)
    some, not_all = k > 0, k < n
    low[some] = betaincinv(k[some], (n - k)[some] + 1, alpha)
    high[not_all] = betaincinv(k[not_all] + 1, (n - k)[not_all], 1 - alpha)
    return low, high


def sampling_findings(
    case: AuditCase, measures: list[Yardstick], drawn: Sequence[tuple[Any, Any]], *, alpha: float, rng: Rng
) -> Iterator[Finding]:
    """The bound of every pair, direction and yardstick, from ``drawn``: releases of both inputs of each pair."""
    share = alpha / len(case.pairs)
    for index, (pair, outputs) in enumerate(zip(case.pairs, drawn, strict=True)):
        yield from compare_releases(case, pair, index, outputs, measures, alpha=share, rng=rng)


def compare_releases(
    case: AuditCase,
    pair: tuple[Any, Any],
    index: int,
    outputs: tuple[Any, Any],
    measures: list[Yardstick],
    *,
    alpha: float,
    rng: Rng,
) -> Iterator[Finding]:
    """The bounds of one pair, both ways; all of them hold with probability at least 1 − ``alpha``."""
    x, y = read_releases(case, *outputs)
    share = alpha / (2 * len(measures))
    count = min(len(x), len(y))
    learned, chosen = count // 5, 2 * (count // 5)
    scores = learn_scores(x.part(slice(learned)), y.part(slice(learned)), rng)

    def columns(rows: slice) -> tuple[Columns, Columns]:
        of_x, of_y = x.part(rows), y.part(rows)
        return of_x.columns | scores(of_x), of_y.columns | scores(of_y)

    events = _Events.of(*columns(slice(learned, chosen)), chosen - learned, share)
    test = columns(slice(chosen, count))
    coins = _coins(count - chosen, rng)
    for back in (False, True):  # half-lines of both signs: what was learned one way serves the other
        ordered, sides, tosses = (pair, test, coins) if not back else (pair[::-1], test[::-1], coins[::-1])
        for measure in measures:
            place, plainer = events.best(measure, measure.bound(*ordered), back=back)
            event, value = _test(place, sides, tosses, count - chosen, measure, share)
            yield Finding(
                symbol=measure.symbol,
                value=max(0.0, value),  # a distance is never negative
                bound=measure.bound(*ordered),
                shown=measure.shown(*ordered),
                slack=0.0,
                pair_index=index,
                pair=ordered,
                output=event.text,
                method="sampling",
                evidence=replace(event, plainer=plainer),
            )


Place = tuple[str, int, float]
"""A half-line: the name of a column, the sign of its direction, and where it is cut."""


def _test(
    place: Place, test: tuple[Columns, Columns], coins: tuple[int, int], trials: int, measure: Yardstick, alpha: float
) -> tuple[Event, float]:
    """The chosen event on releases that had no part in choosing it, and the bound that follows."""
    name, sign, cut = place
    inside_x, inside_y = (sign * side[name] >= sign * cut for side in test)
    event = Event(
        p=float(clopper_pearson(inside_x.sum(), trials, alpha / 2)[0][0]),
        q=float(clopper_pearson(inside_y.sum(), trials, alpha / 2)[1][0]),
        text=f"{name} {'≥' if sign > 0 else '≤'} {cut:.6g}",
        counts=(int(inside_x.sum()), int(inside_y.sum())),
        trials=trials,
    )
    if not isinstance(measure, LogRatio):
        return event, measure.of_event(event.p, event.q)
    of_x, of_y = int(inside_x[: coins[0]].sum()), int(inside_y[: coins[1]].sum())
    return event, float(_log_odds(np.array([of_x]), np.array([of_x + of_y]), alpha)[0])


def _coins(trials: int, rng: Rng) -> tuple[int, int]:
    """How many releases of x and of y are looked at: as a fair coin falls, out of as many as can be had of both.

    So many tosses are made that one side runs short with probability below 1e-14, and is cut short then.
    """
    tosses = max(0, 2 * trials - math.ceil(11 * math.sqrt(trials)))
    if tosses < trials:  # hardly any releases: half as many tosses never run short
        tosses = trials
    heads = int(rng.binomial(tosses, 0.5))
    return min(heads, trials), min(tosses - heads, trials)


def _log_odds(of_x: NDArray[Any], both: NDArray[Any], alpha: float) -> Floats:
    """A lower bound on ln(p/q) from ``of_x`` of ``both`` releases in the event."""
    share, _ = clopper_pearson(of_x, both, alpha)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(share) - np.log1p(-share), float)


class _Events:
    """Half-lines {column ≥ cut} and {column ≤ cut} with their counts in the choosing part.

    Scores with ties need no randomised event: both {> cut} and {≥ cut} are among the half-lines, and a mixture of the
    two never has a larger ratio than the better of them.
    """

    def __init__(self, places: list[Place], in_x: NDArray[Any], in_y: NDArray[Any], trials: int, alpha: float) -> None:
        code = in_x.astype(np.int64) * (trials + 1) + in_y
        _, first = np.unique(code, return_index=True)  # of events with the same counts one is enough
        first = np.sort(first)
        self.places = [places[index] for index in first]
        self.in_x, self.in_y, self.trials, self.alpha = in_x[first], in_y[first], trials, alpha

    @classmethod
    def of(cls, x: Columns, y: Columns, trials: int, alpha: float) -> _Events:
        places: list[Place] = []
        counts: list[tuple[NDArray[Any], NDArray[Any]]] = []
        rare = np.geomspace(1 / trials, 0.02, 4 + 2 * int(math.log2(trials)))
        shares = np.concatenate([rare, _MIDDLE, 1 - rare])
        for name in x:
            pooled = np.concatenate([x[name], y[name]])
            cuts = np.unique(pooled)
            if len(cuts) > len(shares):
                cuts = np.unique(np.quantile(cuts if _lumpy(cuts, pooled) else pooled, shares, method="nearest"))
            sorted_x, sorted_y = np.sort(x[name]), np.sort(y[name])
            for sign, side in ((1, "left"), (-1, "right")):
                below = [np.searchsorted(column, cuts, side=side) for column in (sorted_x, sorted_y)]  # type: ignore[call-overload]
                inside = [len(sorted_x) - b if sign > 0 else b for b in below]
                places += [(name, sign, float(cut)) for cut in cuts]
                counts.append((inside[0], inside[1]))
        in_x, in_y = (np.concatenate([c[side] for c in counts]) for side in (0, 1))
        return cls(places, in_x, in_y, trials, alpha)

    def best(self, measure: Yardstick, allowed: float, *, back: bool) -> tuple[Place, str]:
        """The event with the largest bound on ``measure``, of x against y or ``back`` again.

        With it the name of the best column that needs no learning, if that exceeds what is ``allowed`` too.
        """
        in_x, in_y = (self.in_y, self.in_x) if back else (self.in_x, self.in_y)
        if isinstance(measure, LogRatio):
            values = _log_odds(in_x, in_x + in_y, self.alpha)
        else:
            low = clopper_pearson(in_x, self.trials, self.alpha / 2)[0]
            high = clopper_pearson(in_y, self.trials, self.alpha / 2)[1]
            values = np.array([measure.of_event(float(p), float(q)) for p, q in zip(low, high, strict=True)])
        top = float(values.max())
        good = values >= (_NEARLY * top if 0 < top < math.inf else top)
        chosen = self.places[int(np.argmax(good))]  # the first of them: columns that need no learning say more
        plain = np.array([not place[0].startswith(_LEARNED) for place in self.places])
        telling = np.where(plain, values, -math.inf)
        at = int(np.argmax(telling))
        return chosen, self.places[at][0] if telling[at] > allowed else ""


def _lumpy(cuts: Floats, pooled: Floats) -> bool:
    """Whether a column has few values, most of them rare: then the values are cut, not the shares."""
    return len(cuts) < 0.01 * len(pooled)
