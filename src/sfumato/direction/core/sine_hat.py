"""Exact rejection sampler for the density ∝ sin^N θ·e^{−κθ} on an interval, O(1) for each draw.

The logarithm N·log sinθ − κθ is concave, so its tangents lie above it (Gilks and Wild 1992; Devroye 1986, ch. VII). A
few tangents, placed where the density has fallen by fixed factors from its mode, make a hat of exponential pieces that
more than 97 % of the proposals pass, whatever N and κ. The hat is built once for a law and then serves every draw.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from sfumato.direction.core.sphere import Floats
from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng

__all__ = ["SineHat"]

# How far the log-density has fallen at the tangent points on either side of the mode.
_DROPS = np.array([0.02, 0.12, 0.3, 0.56, 0.9, 1.35, 1.95, 2.8, 4.0, 6.0, 9.5])
_GUIDE = 256
# Columns of the table of pieces.
_ANCHOR, _TOWARD, _RATE, _DECAY, _TOP, _SURE, _WIDTH = range(7)


class SineHat:
    """A sampler of angles with density ∝ sin^N θ·e^{−κθ} on [low, high] ⊆ [0, π], N ≥ 1.

    Parameters
    ----------
    power : int
        N ≥ 1.
    kappa : float
        κ ≥ 0.
    low, high : float
        The interval.

    Attributes
    ----------
    acceptance : float
        The share of proposals that are accepted at once, without evaluating the density.
    """

    def __init__(self, power: int, kappa: float, low: float, high: float) -> None:
        if not 0 <= low < high <= math.pi:
            raise bad_input("interval", (low, high), "0 ≤ low < high ≤ π")
        self.power, self.kappa = float(power), kappa
        self.mode = min(max(math.atan2(power, kappa), low), high)
        points = self._tangent_points(low, high)
        heights, slopes = self._log_density(points), self._slope(points)
        # Neighbouring tangents meet between their points; a piece of the hat reaches from meeting to meeting.
        meets = points[:-1] + (np.diff(heights) - np.diff(points) * slopes[1:]) / (slopes[:-1] - slopes[1:])
        ends = np.concatenate(([low], meets, [high]))
        # Each piece is described from its higher end, from where it decays at |slope|.
        anchor = np.where(slopes > 0, ends[1:], ends[:-1])
        top = heights + slopes * (anchor - points)
        rate = np.abs(slopes)
        decay = np.expm1(-rate * np.diff(ends))
        flat = decay > -1e-9
        with np.errstate(divide="ignore", invalid="ignore"):
            area = np.exp(top) * np.where(flat, np.diff(ends), -decay / rate)
        # Where the density is closest to the hat's edge, at the ends of a piece, bounds the test for the whole piece.
        shortfall = np.maximum(
            *(heights + slopes * (end - points) - self._log_density(end) for end in (ends[:-1], ends[1:]))
        )
        sure = np.exp(-shortfall) * (1 - 1e-9)
        share = np.cumsum(area / area.sum())
        share[-1] = 1.0
        self.acceptance = float((area * sure).sum() / area.sum())
        self._share = share
        self._guide = np.searchsorted(share, np.arange(_GUIDE) / _GUIDE, side="right").astype(np.int64)
        toward = np.where(slopes > 0, -1.0, 1.0)
        self._pieces = np.stack((anchor, toward, rate, np.where(flat, 0.0, decay), top, sure, np.diff(ends)), axis=1)

    def fill(self, rng: Rng, out: Floats) -> None:
        """Fill ``out`` with independent angles."""
        law = (self.power, self.kappa, self.mode, math.sin(self.mode))
        _fill(rng, law, self._share, self._guide, self._pieces, out)

    def _log_density(self, theta: Floats) -> Floats:
        """Relative to the mode, so that differences of huge logarithms never appear."""
        with np.errstate(divide="ignore"):
            return self.power * np.log(np.sin(theta) / math.sin(self.mode)) - self.kappa * (theta - self.mode)

    def _slope(self, theta: Floats) -> Floats:
        return self.power / np.tan(theta) - self.kappa

    def _tangent_points(self, low: float, high: float) -> Floats:
        found = [np.array([self.mode])]
        for end in (low, high):
            at_end = self._log_density(np.array([end]))[0]
            drops = _DROPS[-at_end > _DROPS]
            inner, outer = np.full(drops.size, self.mode), np.full(drops.size, end)
            for _ in range(60):
                middle = 0.5 * (inner + outer)
                fallen = self._log_density(middle) < -drops
                inner, outer = np.where(fallen, inner, middle), np.where(fallen, middle, outer)
            found.append(0.5 * (inner + outer))
        return np.unique(np.concatenate(found))


@njit(cache=True)
def _fill(rng, law, share, guide, pieces, out):  # type: ignore[no-untyped-def]
    power, kappa, mode, sine = law
    for i in range(out.size):
        while True:
            u = rng.random()
            k = guide[int(u * guide.size)]
            while share[k] <= u:
                k += 1
            v = rng.random()
            decay = pieces[k, _DECAY]
            shift = v * pieces[k, _WIDTH] if decay == 0.0 else -math.log1p(v * decay) / pieces[k, _RATE]
            theta = pieces[k, _ANCHOR] + pieces[k, _TOWARD] * shift
            test = 1.0 - rng.random()
            if test <= pieces[k, _SURE]:
                break
            found = math.sin(theta)
            if found > 0.0:
                excess = (
                    power * math.log(found / sine) - kappa * (theta - mode) - pieces[k, _TOP] + pieces[k, _RATE] * shift
                )
                if math.log(test) <= excess:
                    break
        out[i] = theta
