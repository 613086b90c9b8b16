"""Integrals over an output space: adaptive quadrature on the line, importance sampling elsewhere.

Both return the nodes they used, so that the privacy-loss curve can be drawn from the same points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor.features import both_floats
from sfumato.auditor.result import Nodes
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats
from sfumato.promise.yardstick import Integral

__all__ = ["LogLaw", "Mixture", "quadrature"]

LogLaw = Callable[[Any, Any], Floats]
"""``log_law(outputs, data)``: one log-probability or log-density for each output."""

_GAUSS, _GAUSS_WEIGHT = np.polynomial.legendre.leggauss(10)
_MOST_PANELS = 6_000
_TILTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)


def quadrature(
    log_p: Callable[[Floats], Floats], log_q: Callable[[Floats], Floats], edges: Floats, measure: Integral
) -> tuple[float, float, Nodes]:
    """The integral that ``measure`` sums, between the outermost ``edges``: its log, relative error and nodes.

    Composite Gauss-Legendre; a panel is halved until halving changes nothing that matters (1e-11 of the total). The
    error is the sum of those last changes, which overstates what remains.
    """

    def evaluate(low: Floats, high: Floats) -> tuple[Floats, Nodes]:
        at = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * _GAUSS
        p, q = log_p(at.ravel()).reshape(at.shape), log_q(at.ravel()).reshape(at.shape)
        weight = np.log((high - low)[:, None] / 2 * _GAUSS_WEIGHT)
        return weight + measure.log_terms(p, q), Nodes(p, q, weight)

    edges = np.unique(edges)
    low, high = edges[:-1], edges[1:]
    terms, nodes = evaluate(low, high)
    shift = float(terms.max())  # sums are kept relative to the largest term, so that nothing overflows
    shift = shift if math.isfinite(shift) else 0.0
    value = np.exp(terms - shift).sum(axis=1)
    error = np.full(value.shape, np.inf)
    while True:
        total = value.sum()
        split = error > 1e-11 * total / len(value)
        if not split.any() or len(value) + split.sum() > _MOST_PANELS or (total == 0 and len(value) > 1_000):
            break
        middle = (low[split] + high[split]) / 2
        new_low = np.stack([low[split], middle], axis=1).ravel()
        new_high = np.stack([middle, high[split]], axis=1).ravel()
        new_terms, new_nodes = evaluate(new_low, new_high)
        higher = float(new_terms.max()) - shift
        if higher > 0:
            shift, value = shift + higher, value * math.exp(-higher)
            error[np.isfinite(error)] *= math.exp(-higher)
        new_value = np.exp(new_terms - shift).sum(axis=1)
        change = np.abs(new_value.reshape(-1, 2).sum(axis=1) - value[split])
        keep = ~split
        low, high = np.concatenate([low[keep], new_low]), np.concatenate([high[keep], new_high])
        value = np.concatenate([value[keep], new_value])
        error = np.concatenate([error[keep], np.repeat(change / 2, 2)])
        nodes = Nodes(
            np.concatenate([nodes.log_p[keep], new_nodes.log_p]),
            np.concatenate([nodes.log_q[keep], new_nodes.log_q]),
            np.concatenate([nodes.log_weight[keep], new_nodes.log_weight]),
        )
    total = float(value.sum())
    flat = Nodes(nodes.log_p.ravel(), nodes.log_q.ravel(), nodes.log_weight.ravel())
    if total <= 0:
        return -math.inf, 0.0, flat
    return shift + math.log(total), float(error.sum()) / total, flat


@dataclass(frozen=True, eq=False)
class Mixture:
    """Outputs of the mechanism at several inputs, in random order, with their log-laws at two of them."""

    log_p: Floats
    log_q: Floats
    log_mixture: Floats

    @classmethod
    def draw(
        cls, log_law: LogLaw, draw: Callable[[Any, int], Any], pair: tuple[Any, Any], samples: int, rng: Rng
    ) -> Mixture:
        """Outputs at x, y and, where the mechanism takes them, at inputs beyond x (x + t·(x − y)).

        There the loss is large, and with the mixture of all these laws as proposal the weights p/mixture stay below the
        number of components.
        """
        inputs = _proposals(log_law, draw, pair)
        counts = rng.multinomial(samples, np.full(len(inputs), 1 / len(inputs)))
        drawn = [draw(data, int(count)) for data, count in zip(inputs, counts, strict=True) if count]
        order = rng.permutation(samples)
        if all(isinstance(block, np.ndarray) for block in drawn):
            outputs: Any = np.concatenate(drawn)[order]
        else:  # texts, or arrays of different lengths
            every = list(itertools.chain.from_iterable(drawn))
            outputs = [every[place] for place in order]
        laws = [log_law(outputs, data) for data in inputs]
        return cls(
            log_law(outputs, pair[0]),
            log_law(outputs, pair[1]),
            np.logaddexp.reduce(laws, axis=0) - math.log(len(inputs)),
        )

    @property
    def nodes(self) -> Nodes:
        """The outputs as points of a sum."""
        return Nodes(self.log_p, self.log_q, -self.log_mixture - math.log(len(self.log_p)))

    def lower_bound(self, measure: Integral, alpha: float) -> float:
        """The log of a lower bound, with error probability ``alpha``, on the integral that ``measure`` sums.

        The terms are cut at the largest value seen in a first half, which can only lower their mean, and the mean over
        the second half is bounded below by the empirical Bernstein inequality (Maurer & Pontil 2009, Theorem 4).
        """
        log_terms = measure.log_terms(self.log_p, self.log_q) - self.log_mixture
        half = len(log_terms) // 2
        cut = float(log_terms[:half].max())
        if math.isinf(cut):
            return cut
        scaled = np.exp(np.minimum(log_terms[half:] - cut, 0.0))
        n, tail = len(scaled), math.log(2 / alpha)
        lower = scaled.mean() - math.sqrt(2 * scaled.var(ddof=1) * tail / n) - 7 * tail / (3 * (n - 1))
        return cut + math.log(lower) if lower > 0 else -math.inf


def _proposals(log_law: LogLaw, draw: Callable[[Any, int], Any], pair: tuple[Any, Any]) -> list[Any]:
    """Inputs to draw from: x, y and, where the mechanism takes them, inputs beyond x."""
    x, y = pair
    if not both_floats(x, y):
        return [x, y]
    inputs: list[Any] = [y]
    for tilt in _TILTS:
        beyond = x + tilt * (np.asarray(x) - np.asarray(y))
        beyond = float(beyond) if isinstance(x, float) else np.asarray(beyond)
        try:
            log_law(draw(beyond, 1), beyond)
        except InputError:  # outside the mechanism's domain
            break
        inputs.append(beyond)
    return inputs
