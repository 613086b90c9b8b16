"""Audit from the mechanism's own law or density.

The largest log-ratio is sought over the outputs of the case, or over releases stretched outwards up to 10⁴ times
(Fischer §7.3: a data-dependent scale shows only far out) and, for a density, climbed from the best of them. Divergences
are summed over a finite law, integrated on the line, and estimated from below by importance sampling elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase, HasDensity, HasLaw
from sfumato.auditor.features import both_floats, category_of, floats_or_none, whole_codes
from sfumato.auditor.integral import LogLaw, Mixture, quadrature
from sfumato.auditor.result import Finding, Nodes
from sfumato.errors import InputError, bad_input
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats, log_ratio, max_log_ratio
from sfumato.promise.yardstick import HockeyStick, Integral, Yardstick

__all__ = ["evaluate", "exact_findings", "log_law_of"]

RELATIVE_TOLERANCE = 1e-9
"""A promise may be exceeded by this share of itself before it counts as broken: constants are rounded too."""

_ROUNDING = 64 * np.finfo(float).eps
_STRETCHES = (10.0, 1e2, 1e3, 1e4)
_PROBES = 256
_CLOSER = (1e-1, 1e-3)


def log_law_of(mechanism: Any) -> tuple[str, LogLaw] | None:
    """``("law", log_prob)`` or ``("density", log_density)``, whichever the mechanism has; the law first."""
    if isinstance(mechanism, HasLaw):
        return "law", mechanism.log_prob
    if isinstance(mechanism, HasDensity):
        return "density", mechanism.log_density
    return None


def exact_findings(
    case: AuditCase, measures: list[Yardstick], *, samples: int, alpha: float, rng: Rng
) -> Iterator[Finding]:
    """The worst finding of every pair, direction and yardstick."""
    known = log_law_of(case.mechanism)
    if known is None:
        raise bad_input(
            "mechanism", case.label, "one with log_prob or log_density", "audit it with method='sampling' instead"
        )
    kind, function = known
    pairs = _with_closer_pairs(case, function)
    share = alpha / (2 * len(pairs) * max(1, len(measures)))
    for index, (x, y) in pairs:
        comparison = _Comparison.of(case, kind, function, x, y, samples, rng)
        for view in (comparison, comparison.reversed()):
            for measure in measures:
                yield view.finding(measure, index, share)


def _with_closer_pairs(case: AuditCase, function: LogLaw) -> list[tuple[int, tuple[Any, Any]]]:
    """The pairs of the case; a metric promise also covers all inputs on the way from one to the other."""
    pairs = list(enumerate(case.pairs))
    if not case.mechanism.guarantee.by_distance:
        return pairs
    for index, (x, y) in enumerate(case.pairs):
        if not both_floats(x, y):
            continue
        for part in _CLOSER:
            near = np.asarray(x) + part * (np.asarray(y) - np.asarray(x))
            near = float(near) if isinstance(x, float) else near
            try:
                case.mechanism.release(near, rng=np.random.default_rng(0))
            except InputError:  # between two inputs there may be none, as on a sphere
                continue
            pairs.append((index, (x, near)))
    return pairs


def evaluate(kind: str, function: LogLaw, outputs: Any, data: Any) -> Floats:
    """The claimed log-probability or log-density of each output, checked to be one number each and no NaN.

    Equal texts are asked for once: many are, and a law may take its time for each.
    """
    if isinstance(outputs, list) and outputs and isinstance(outputs[0], str):
        codes = whole_codes(outputs)
        first = np.unique(codes, return_index=True)[1]
        if len(first) < len(outputs):
            return evaluate(kind, function, [outputs[place] for place in first], data)[codes]
    values = np.asarray(function(outputs, data), float)
    if values.shape != (len(outputs),):
        raise bad_input(
            f"log_{'prob' if kind == 'law' else kind}", values.shape, f"one value for each of {len(outputs)} outputs"
        )
    if np.isnan(values).any():
        where = outputs[int(np.argmax(np.isnan(values)))]
        raise bad_input("log-probability", math.nan, f"a number or −inf at output {where!r}")
    return values


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Two inputs, and the laws of their outputs at some outputs."""

    case: AuditCase
    kind: str
    function: LogLaw
    x: Any
    y: Any
    outputs: Any
    log_p: Floats
    log_q: Floats
    drawn: int
    samples: int
    rng: Rng

    @classmethod
    def of(cls, case: AuditCase, kind: str, function: LogLaw, x: Any, y: Any, samples: int, rng: Rng) -> _Comparison:
        if case.outputs is not None:
            blocks = [case.outputs]
        else:
            blocks = _probes(case, kind, x, y, rng)
        parts = []
        for number, block in enumerate(blocks):
            try:
                parts.append((block, evaluate(kind, function, block, x), evaluate(kind, function, block, y)))
            except InputError:
                if number == 0:
                    raise
        outputs = parts[0][0] if len(parts) == 1 else np.concatenate([part[0] for part in parts])
        log_p = np.concatenate([part[1] for part in parts])
        log_q = np.concatenate([part[2] for part in parts])
        for name, values in (("x", log_p), ("y", log_q)):
            mass = float(np.exp(values).sum()) if kind == "law" else 0.0
            if mass > 1 + 1e-6:
                raise bad_input(f"sum of exp(log_prob) for {name}", mass, "at most 1", "list every output once")
        drawn = len(blocks[0]) if case.outputs is None else 0
        return cls(case, kind, function, x, y, outputs, log_p, log_q, drawn, samples, rng)

    def reversed(self) -> _Comparison:
        """The same comparison seen from the other input."""
        return replace(self, x=self.y, y=self.x, log_p=self.log_q, log_q=self.log_p)

    @property
    def is_scalar(self) -> bool:
        outputs = floats_or_none(self.outputs)
        return outputs is not None and math.prod(outputs.shape[1:]) == 1

    @property
    def step(self) -> float:
        """The grid of a lattice law, 0 for a density or a law that has none."""
        return float(getattr(self.case.mechanism, "step", 0.0)) if self.kind == "law" else 0.0

    @property
    def _can_integrate(self) -> bool:
        """A density on the line, or a lattice law so fine that its sum is an integral to ten digits."""
        if not self.is_scalar:
            return False
        return self.kind == "density" or 0 < self.step < 1e-6 * float(np.ptp(np.asarray(self.outputs, float)))

    @property
    def missing(self) -> float:
        """Probability that the listed outputs leave out."""
        if self.kind != "law":
            return 1.0
        return 1 - min(float(np.exp(self.log_p).sum()), float(np.exp(self.log_q).sum()))

    @cached_property
    def mixture(self) -> Mixture:
        """Releases for integrals that can be neither summed nor integrated; drawn once for all yardsticks."""
        return Mixture.draw(
            lambda outputs, data: evaluate(self.kind, self.function, outputs, data),
            lambda data, count: self.case.draw(data, count, self.rng),
            (self.x, self.y),
            self.samples,
            self.rng,
        )

    def finding(self, measure: Yardstick, index: int, alpha: float) -> Finding:
        bound = measure.bound(self.x, self.y)
        method, slack = self.kind, RELATIVE_TOLERANCE * (bound if math.isfinite(bound) else 0.0)
        output: Any = None
        if not isinstance(measure, Integral):
            value, output, rounding = self._climb() if self.kind == "density" else self._largest()
            slack, evidence = slack + rounding, self._curve()
        elif self.kind == "law" and self.missing < 1e-3 * min(bound, 1e-3):
            weight = np.zeros(len(self.log_p))
            value = measure.of_law(self.log_p, self.log_q)
            evidence = Nodes(self.log_p, self.log_q, weight)
            output = self.outputs[int(np.argmax(log_ratio(self.log_p, self.log_q)))]
        elif self._can_integrate:
            log_value, relative, evidence = self._integrate(measure)
            value = measure.from_log_sum(log_value + math.log1p(-min(relative, 0.999)))
        else:
            method = f"{self.kind}, sampled"
            value, evidence = measure.from_log_sum(self.mixture.lower_bound(measure, alpha)), self.mixture.nodes
        return Finding(
            symbol=measure.symbol,
            value=value,
            bound=bound,
            shown=measure.shown(self.x, self.y),
            slack=slack,
            pair_index=index,
            pair=(self.x, self.y),
            output=output,
            method=method,
            evidence=evidence,
        )

    def _largest(self) -> tuple[float, Any, float]:
        value, at = max_log_ratio(self.log_p, self.log_q)
        size = max(abs(self.log_p[at]), abs(self.log_q[at]))
        return value, self.outputs[at], _ROUNDING * (1 + size) if math.isfinite(size) else 0.0

    def _climb(self) -> tuple[float, Any, float]:
        """The largest log-ratio, after a random search around the best output so far."""
        value, best, rounding = self._largest()
        outputs = floats_or_none(self.outputs)
        if outputs is None or not math.isfinite(value):
            return value, best, rounding
        width = np.median(np.abs(outputs - np.median(outputs, axis=0)), axis=0)
        for part in (1.0, 0.1, 0.01):
            near = best + part * width * self.rng.standard_normal((64, *outputs.shape[1:]))
            try:
                log_p = evaluate(self.kind, self.function, near, self.x)
                log_q = evaluate(self.kind, self.function, near, self.y)
            except InputError:  # a curved output space: its neighbourhoods are not balls
                break
            here, at = max_log_ratio(log_p, log_q)
            if here > value + rounding:
                size = max(abs(log_p[at]), abs(log_q[at]))
                value, best, rounding = here, near[at], _ROUNDING * (1 + size)
        return value, best, rounding

    def _curve(self) -> Nodes | None:
        """Nodes from which the privacy-loss curve can be drawn."""
        if self.kind == "law" and self.missing < 0.5:
            return Nodes(self.log_p, self.log_q, np.zeros(len(self.log_p)))
        if self._can_integrate:
            return self._integrate(HockeyStick(0.0, 1.0))[2]
        if self.drawn == 0:
            return None
        p, q = self.log_p[: self.drawn], self.log_q[: self.drawn]  # as many releases of x as of y
        return Nodes(p, q, math.log(2 / self.drawn) - np.logaddexp(p, q))

    def _integrate(self, measure: Integral) -> tuple[float, float, Nodes]:
        shape = np.shape(self.outputs)[1:]

        def at(data: Any) -> Any:
            def log_density(points: Floats) -> Floats:
                if self.step == 0:
                    return evaluate(self.kind, self.function, points.reshape(-1, *shape), data)
                nearest = np.round(points / self.step) * self.step
                return evaluate(self.kind, self.function, nearest.reshape(-1, *shape), data) - math.log(self.step)

            return log_density

        points = np.sort(np.asarray(self.outputs, float).ravel())
        kinks = [np.ravel(v) for v in (self.x, self.y) if floats_or_none(v, "iuf") is not None and np.size(v) == 1]
        inside = [k for k in kinks if points[0] < k[0] < points[-1]]
        edges = np.concatenate([np.quantile(points, np.linspace(0, 1, 65)), *inside])
        return quadrature(at(self.x), at(self.y), edges, measure)


def _probes(case: AuditCase, kind: str, x: Any, y: Any, rng: Rng) -> list[Any]:
    """Releases of both inputs, then the same stretched away from a central one (which keeps them on a lattice)."""
    drawn = [case.draw(data, _PROBES, rng) for data in (x, y)]
    if not all(isinstance(d, np.ndarray) for d in drawn):
        return [list({category_of(output): output for output in [*drawn[0], *drawn[1]]}.values())]
    outputs = np.unique(np.concatenate(drawn), axis=0)
    if outputs.dtype.kind != "f":
        return [outputs]
    flat = outputs.reshape(len(outputs), -1)
    centre = outputs[np.argmin(np.abs(flat - np.median(flat, axis=0)).sum(axis=1))]
    stretched = [centre + factor * (outputs[::4] - centre) for factor in _STRETCHES]
    known = [outputs, *stretched]
    if kind == "law":
        merged = np.unique(np.concatenate(known), axis=0)
        seen = {row.tobytes() for row in outputs}
        fresh = [row for row in merged if row.tobytes() not in seen]
        known = [outputs, np.array(fresh)] if fresh else [outputs]  # none if all releases are one
    return known
