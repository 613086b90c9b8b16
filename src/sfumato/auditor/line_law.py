"""Distribution functions of laws on the line, from their log-probabilities or log-densities alone.

Releases become uniform in two orders. In the order of the line a shift shows. In the order of probability, the
likeliest first, too little noise shows: for a Laplace law −ln of the tail is then |z|/b, whose sum is the sufficient
statistic of the scale, so that no test of the scale is more powerful.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.features import floats_or_none, low_bit
from sfumato.auditor.integral import LogLaw
from sfumato.auditor.sample import BY_PROBABILITY, Sample, Uniforms, has_atoms, randomised
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats

__all__ = ["CENTRE", "MOST_CELLS", "At", "lattice_step", "line_numbers", "orders_on_line", "orders_within"]

MOST_CELLS = 50_000
"""Finite laws and lattices of up to so many cells are summed."""

MISSING = 1e-6
"""Probability that a list of all cells may leave out."""

CENTRE = ("too often below their law", "too often above it")
At = Callable[[Floats], Floats]
"""The log-law at some points of the line, up to a constant."""

_DROP = 40.0
_PANELS = 2_000
_GAUSS, _WEIGHT = np.polynomial.legendre.leggauss(4)
_SAME = 1e-9
_BETWEEN = 0.02


def line_numbers(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    """Releases that are single numbers, in both orders."""
    drawn = sample.outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "iuf" or math.prod(drawn.shape[1:]) != 1:
        return None
    step = lattice_step(case, kind, drawn)
    if step is None or (kind == "density" and has_atoms(drawn)):
        return None

    def at(points: Floats) -> Floats:
        return np.asarray(law(points.astype(drawn.dtype).reshape(-1, *drawn.shape[1:]), sample.data), float)

    seen = np.concatenate([np.asarray(one.outputs, float).ravel() for one in pair])
    known = floats_or_none(case.outputs, "iuf") if case.outputs is not None else None
    points = seen if known is None else np.concatenate([seen, known.astype(float).ravel()])
    found = orders_on_line(at, points, drawn.astype(float).ravel(), step, rng, whole=True)
    if found is None:
        return None
    sides = (CENTRE, BY_PROBABILITY)
    return [Uniforms(u, "line", number, *side) for u, side in zip(found, sides, strict=True)]


def lattice_step(case: AuditCase, kind: str, drawn: Any) -> float | None:
    """The grid of a law: what the mechanism says, or the coarsest power of two that all releases are multiples of.

    0 for a density, ``None`` where there is no grid.
    """
    if kind != "law":
        return 0.0
    if drawn.dtype.kind in "iu":
        return 1.0
    said = float(getattr(case.mechanism, "step", 0.0))
    if said > 0:
        return said
    lowest = float(low_bit(drawn.astype(float).ravel()).min())
    return 2.0**lowest if -1000 < lowest < 1000 else None


def orders_on_line(
    at: At, points: Floats, values: Floats, step: float, rng: Rng, *, whole: bool
) -> tuple[Floats, Floats] | None:
    """``values`` by their distribution function, and by that in the order of probability.

    Parameters
    ----------
    at : callable
        The log-law, or log-density where ``step`` is 0.
    points : ndarray
        Where releases were seen: the law is followed from there to where it ends.
    whole : bool
        Whether the law must sum to 1 on its lattice; a conditional one is only known up to a constant.
    """
    low, high = _reach(at, points, step)
    if not high > low:
        return None
    if step > 0 and (high - low) / step <= MOST_CELLS:
        cells = np.arange(round(low / step), round(high / step) + 1)
        logs = at(np.asarray(cells * step, np.float64))
        p = np.exp(logs if whole else logs - logs.max())
        place = np.rint(values / step).astype(np.int64) - int(cells[0])
        if (whole and abs(p.sum() - 1) > MISSING) or (place < 0).any() or (place >= len(p)).any():
            return None
        p = p / p.sum()
        return randomised(p, cells.astype(float), place, rng), randomised(p, -logs, place, rng)
    return orders_within(at, low, high, points, values, step, rng)


def orders_within(
    at: At, low: float, high: float, points: Floats, values: Floats, step: float, rng: Rng
) -> tuple[Floats, Floats] | None:
    """The same between two ends, by Gauss-Legendre panels that are finest where releases are.

    ``None`` where the law between releases is not that at releases: a law that knows other outputs only.
    """
    shares = np.linspace(0, 1, _PANELS // 4)
    edges = np.unique(np.concatenate([np.linspace(low, high, _PANELS), np.quantile(points, shares)]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    nodes = (middle[:, None] + half[:, None] * _GAUSS).ravel()
    if step > 0:
        nodes = np.rint(nodes / step) * step
    logs, own = at(nodes), at(values)
    with np.errstate(invalid="ignore"):
        off = np.abs(np.interp(values, nodes, logs) - own)
    if step > 0 and not float(np.quantile(off, 0.9)) < _BETWEEN:  # also where it is not a number
        return None
    mass = np.exp(logs - logs.max()).reshape(len(middle), -1) * _WEIGHT * half[:, None]
    below = np.concatenate([[0.0], np.cumsum(mass.sum(axis=1))])
    least = 1 / (4 * len(values))  # beyond that the quadrature is not trusted
    by_place = np.interp(values, edges, below / below[-1])
    by_law = _by_probability(logs, mass.ravel() / below[-1], own, rng)
    return np.clip(by_place, least, 1 - least), np.clip(by_law, least, 1 - least)


def _by_probability(logs: Floats, mass: Floats, own: Floats, rng: Rng) -> Floats:
    """How much probability is at outputs that are likelier than each release, from the nodes of a quadrature.

    Where the law is level, many nodes are as likely as the release and its place among them is drawn.
    """
    order = np.argsort(-logs, kind="stable")
    falling, share = -logs[order], mass[order]
    before = np.concatenate([[0.0], np.cumsum(share)])
    first = np.searchsorted(falling, -own - _SAME, side="left")
    last = np.searchsorted(falling, -own + _SAME, side="right")
    middle = np.interp(-own, falling, before[:-1] + share / 2)
    drawn = before[first] + rng.random(len(own)) * (before[last] - before[first])
    return np.where(last > first, drawn, middle)


def _reach(at: At, points: Floats, step: float) -> tuple[float, float]:
    """How far the law reaches: to e^−40 of its largest value, or to the ends of its domain."""
    ends = []
    top = float(np.max(at(points[: 4 * _PANELS])))
    width = float(np.ptp(points)) or max(step, 1e-9 * abs(float(points[0])), 1e-300)
    for sign, start in ((-1.0, float(points.min())), (1.0, float(points.max()))):
        good, jump = start, width / 4
        for _ in range(80):
            try:
                here = float(at(np.array([_on(good + sign * jump, step)]))[0])
            except InputError:  # the domain ends here: approach its end
                if jump < 1e-9 * width or jump < step:
                    break
                jump /= 4
                continue
            good = _on(good + sign * jump, step)
            if here < top - _DROP or math.isnan(here):
                break
            jump *= 2
        ends.append(good)
    return ends[0], ends[1]


def _on(value: float, step: float) -> float:
    return round(value / step) * step if step > 0 else value
