"""Releases turned into numbers that are uniform on (0, 1) if they follow the law that is claimed.

Four ways, the first that can be had is taken:

- *cells*: a law on a finite set. The outputs are put in order of their probability, and of their privacy loss, and
  the distribution function is randomised inside the jumps (Rosenblatt 1952).
- *line*: a law on a lattice or a density on the line, by its distribution function.
- *chains*: a density of vectors or of directions, of which no distribution function is known. From the release a
  Markov chain that leaves the law unchanged goes some steps back, and several chains go as many steps forth again: if
  the release follows the law, it and their ends are exchangeable, and its rank among them is uniform (Besag and
  Clifford 1989). The normalising constant does not matter.
- *inputs*: everything else. Given a release, Bayes' rule says how likely each of the inputs of the case is; the place
  of the true one in that posterior is uniform. Neither the measure of the density nor the shape of outputs matters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.features import category_of, floats_or_none
from sfumato.auditor.integral import LogLaw
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats, log_ratio

__all__ = ["Sample", "Uniforms", "uniforms"]

_MOST_CELLS = 50_000
_MISSING = 1e-6
_DROP = 40.0
_PANELS = 2_000
_MOST_CHAINED = 20_000
_STEPS, _CHAINS, _HELD_OUT = 10, 9, 64


@dataclass(frozen=True, eq=False)
class Sample:
    """Releases of one input, and its partner in the pair that it comes from."""

    data: Any
    partner: Any
    outputs: Any


@dataclass(frozen=True, eq=False)
class Uniforms:
    """Numbers that should be uniform, from which input they come, and what they say where they are not.

    ``low`` and ``high`` finish the sentence “the releases are …” for numbers that are too low or too high.
    """

    values: Floats
    way: str
    input: int
    low: str
    high: str


_BY_PROBABILITY = ("more often at likely outputs than the law says", "less often at likely outputs than the law says")
_BY_LOSS = ("too often on the side of the other input", "too often on their own side")


def uniforms(case: AuditCase, kind: str, law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Iterator[Uniforms]:
    """Every set of numbers that can be had from these releases."""
    law = _refusing(law)
    rest = []
    for number, sample in enumerate(samples):
        pair = [one for one in samples if one.data is sample.data or one.data is sample.partner]
        for way in (_cells, _line, _chains):
            try:
                found = way(case, kind, law, sample, number, pair, rng)
            except InputError:  # the law does not know an output that the auditor made: the next way asks less
                found = None
            if found is not None:
                yield from found
                break
        else:
            rest.append(sample)
    if len(rest) > 1:
        yield from _inputs(law, rest, rng)


def _refusing(law: LogLaw) -> LogLaw:
    """The law, which refuses outputs that it does not know: here they are the auditor's, not the mechanism's."""

    def checked(outputs: Any, data: Any) -> Floats:
        try:
            return np.asarray(law(outputs, data), float)
        except (IndexError, KeyError, TypeError, ValueError) as error:  # InputError is a ValueError
            raise InputError(str(error)) from error

    return checked


# Finite laws


def _key(output: Any) -> Any:
    numbers = floats_or_none(output, "iufb")
    return category_of(output) if numbers is None else (numbers.astype(float) + 0.0).tobytes()


def _cells(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    if kind != "law":
        return None
    if case.outputs is not None:
        cells = {_key(output): output for output in case.outputs}
    else:
        cells = {_key(output): output for one in pair for output in one.outputs}
        if len(cells) > 0.5 * sum(len(one.outputs) for one in pair):
            return None
    if len(cells) > _MOST_CELLS:
        return None
    cells = dict(sorted(cells.items(), key=lambda cell: repr(cell[0])))  # ties must not follow the order of arrival
    place = {key: index for index, key in enumerate(cells)}
    try:
        at = np.array([place[_key(output)] for output in sample.outputs])
        every = _stack(list(cells.values()), sample.outputs)
        log_p, log_q = law(every, sample.data), law(every, sample.partner)
    except KeyError:  # an output that is not in the list of all outputs
        return None
    if abs(float(np.exp(log_p).sum()) - 1) > _MISSING:
        return None
    found = []
    for order, sides in ((-log_p, _BY_PROBABILITY), (log_ratio(log_p, log_q), _BY_LOSS)):
        found.append(Uniforms(_randomised(np.exp(log_p), order, at, rng), "cells", number, *sides))
    return found


def _randomised(p: Floats, order: Floats, at: Any, rng: Rng) -> Floats:
    """The distribution function in the given order, randomised inside each jump."""
    rank = np.argsort(order, kind="stable")
    before = np.empty(len(p))
    before[rank] = np.concatenate([[0.0], np.cumsum(p[rank])[:-1]])
    return np.clip(before[at] + rng.random(len(at)) * p[at], 0.0, 1.0)


def _stack(outputs: list[Any], like: Any) -> Any:
    return np.array(outputs).astype(like.dtype) if isinstance(like, np.ndarray) else outputs


# The line


def _line(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    drawn = sample.outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "iuf" or math.prod(drawn.shape[1:]) != 1:
        return None
    step = float(getattr(case.mechanism, "step", 0.0)) if kind == "law" else 0.0
    if kind == "law" and drawn.dtype.kind in "iu":
        step = 1.0
    if kind == "law" and not step > 0:
        return None
    if kind == "density" and _has_atoms(drawn):
        return None

    def at(points: Floats) -> Floats:
        return np.asarray(law(points.astype(drawn.dtype).reshape(-1, *drawn.shape[1:]), sample.data), float)

    seen = np.concatenate([np.asarray(one.outputs, float).ravel() for one in pair])
    known = floats_or_none(case.outputs, "iuf") if case.outputs is not None else None
    points = seen if known is None else np.concatenate([seen, known.astype(float).ravel()])
    low, high = _reach(at, points, step)
    values = drawn.astype(float).ravel()
    if not high > low:
        return None
    if step > 0 and (high - low) / step <= _MOST_CELLS:
        whole = np.arange(round(low / step), round(high / step) + 1)
        p = np.exp(at(np.asarray(whole * step, np.float64)))
        place = np.rint(values / step).astype(np.int64) - int(whole[0])
        if abs(p.sum() - 1) > _MISSING or (place < 0).any() or (place >= len(p)).any():
            return None
        u = _randomised(p, whole.astype(float), place, rng)
    else:
        u = _distribution(at, low, high, points, values, step)
    centre = ("too often below their law", "too often above it")
    return [Uniforms(u, "line", number, *centre)]


def _has_atoms(drawn: Any) -> bool:
    """Whether one value comes so often that this is no density: clipping, for instance."""
    _, counts = np.unique(drawn, return_counts=True)
    return bool(counts.max() > 5 + 0.01 * len(drawn))


def _reach(at: Any, points: Floats, step: float) -> tuple[float, float]:
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


_GAUSS, _WEIGHT = np.polynomial.legendre.leggauss(4)


def _distribution(at: Any, low: float, high: float, points: Floats, values: Floats, step: float) -> Floats:
    """The distribution function at ``values``, by Gauss-Legendre panels that are finest where releases are."""
    shares = np.linspace(0, 1, _PANELS // 4)
    edges = np.unique(np.concatenate([np.linspace(low, high, _PANELS), np.quantile(points, shares)]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    nodes = (middle[:, None] + half[:, None] * _GAUSS).ravel()
    if step > 0:
        nodes = np.rint(nodes / step) * step
    log_p = at(nodes)
    density = np.exp(log_p - log_p.max()).reshape(len(middle), -1)
    mass = np.concatenate([[0.0], np.cumsum((density * _WEIGHT).sum(axis=1) * half)])
    least = 1 / (4 * len(values))  # beyond that the quadrature is not trusted
    return np.clip(np.interp(values, edges, mass / mass[-1]), least, 1 - least)


# Vectors and directions


def _chains(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    drawn = sample.outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "if" or len(drawn) < 2 * _HELD_OUT:
        return None
    if kind == "density" and _has_atoms(drawn.reshape(len(drawn), -1)[:, 0]):
        return None

    def log_p(outputs: Any) -> Floats:
        logs = np.asarray(law(outputs, sample.data), float)  # first: it refuses what is no output
        return logs if case.log_volume is None else logs + case.log_volume(outputs)

    held, start = drawn[:_HELD_OUT], drawn[_HELD_OUT : _HELD_OUT + _MOST_CHAINED]
    every = np.concatenate([one.outputs for one in pair])
    for box in (None, (every.min(axis=0), every.max(axis=0))):
        move = _Move.of(held, box)
        try:
            back = _walk(start, log_p, move, rng)
            ends = _walk(np.repeat(back, _CHAINS, axis=0), log_p, move, rng)
        except InputError:  # a proposal outside the domain: stay where releases were seen
            continue
        scores = (
            (log_p, ("too often near the middle of their law: too little noise", "too often far out")),
            (lambda z: log_ratio(law(z, sample.data), law(z, sample.partner)), _BY_LOSS),
        )
        found = []
        for score, sides in scores:
            own, others = score(start), score(ends).reshape(len(start), _CHAINS)
            above = (others > own[:, None]).sum(axis=1)
            ties = (others == own[:, None]).sum(axis=1)
            u = (above + rng.random(len(own)) * (1 + ties)) / (1 + _CHAINS)
            found.append(Uniforms(u if score is log_p else 1 - u, "chains", number, *sides))
        return found
    return None


@dataclass(frozen=True, eq=False)
class _Move:
    """Symmetric proposals: on the unit sphere by an isotropic step, elsewhere by differences of held-out releases.

    Differences stay on every lattice that the releases are on. Only a few coordinates move at once, as otherwise hardly
    any proposal is accepted in many dimensions.
    """

    held: Any
    spread: float
    sphere: bool
    box: tuple[Any, Any] | None

    @classmethod
    def of(cls, held: Any, box: tuple[Any, Any] | None) -> _Move:
        rows = held.reshape(len(held), -1).astype(float)
        sphere = held.ndim == 2 and rows.shape[1] > 1 and bool(np.allclose((rows**2).sum(axis=1), 1, atol=1e-6))
        spread = float(np.median(np.linalg.norm(rows - np.median(rows, axis=0), axis=1)))
        return cls(held, spread, sphere, None if sphere else box)

    def propose(self, at: Any, rng: Rng) -> tuple[Any, Any]:
        """New places, and which of them may be gone to."""
        inside = np.ones(len(at), bool)
        if self.sphere:
            size = self.spread * rng.choice([0.25, 0.5, 1.0, 2.0], (len(at), 1)) / math.sqrt(at.shape[1])
            new = at + size * rng.standard_normal(at.shape)
            return new / np.linalg.norm(new, axis=1, keepdims=True), inside
        first, second = rng.integers(len(self.held), size=(2, len(at)))
        change = (self.held[first] - self.held[second]).reshape(len(at), -1)
        moved = rng.random(change.shape) < min(1.0, 2.0 / change.shape[1])
        new = at + np.where(moved, change, 0).astype(at.dtype).reshape(at.shape)
        if self.box is not None:
            axes = tuple(range(1, at.ndim))
            inside = ((new >= self.box[0]) & (new <= self.box[1])).all(axis=axes)
            new = np.where(inside.reshape(-1, *([1] * len(axes))), new, at)
        return new, inside


def _walk(start: Any, log_p: Any, move: _Move, rng: Rng) -> Any:
    """Metropolis steps: at every turn ``here`` holds the log-law of ``at``, and the law is left unchanged."""
    at, here = start.copy(), log_p(start)
    for _ in range(_STEPS):
        new, inside = move.propose(at, rng)
        there = log_p(new)
        with np.errstate(invalid="ignore"):
            gain = there - here
        accept = inside & (np.log(rng.random(len(at))) < gain) & ~np.isnan(gain)
        at[accept], here[accept] = new[accept], there[accept]
    return at


# Anything


def _inputs(law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Iterator[Uniforms]:
    try:
        yield _posterior(law, samples, rng)
    except InputError:  # an output of one input is no output of another: only those of a pair are compared
        for number, one in enumerate(samples):
            other = next((s for s in samples[number + 1 :] if s.data is one.partner), None)
            if other is not None:
                yield _posterior(law, [one, other], rng)


def _posterior(law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Uniforms:
    """Uniform only over all inputs together, equally often each: the posterior's own assumption."""
    least = min(len(one.outputs) for one in samples)
    found = []
    for true, sample in enumerate(samples):
        logs = np.stack([np.asarray(law(sample.outputs[:least], one.data), float) for one in samples], axis=1)
        top = logs.max(axis=1, keepdims=True)
        p = np.exp(logs - np.where(np.isneginf(top), 0.0, top))
        p /= np.maximum(p.sum(axis=1, keepdims=True), 1e-300)
        own = p[:, [true]]
        earlier = np.arange(p.shape[1]) < true
        before = np.where((p < own) | ((p == own) & earlier), p, 0.0).sum(axis=1)
        found.append(np.clip(before + rng.random(len(p)) * own[:, 0], 0.0, 1.0))
    sides = ("less telling about their input than the law says", "more telling about their input than the law says")
    return Uniforms(np.concatenate(found), "inputs", -1, *sides)
