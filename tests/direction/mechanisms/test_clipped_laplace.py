"""The clipped Laplace baseline at its true loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.direction import (
    ClippedLaplace,
)
from sfumato.noise import seeded_rng


def test_clipped_laplace_spends_twice_what_is_compared():
    """B1: with κ = ε/π the loss across the cut is 2ε."""
    mechanism = ClippedLaplace(pure=2.0, snap=False)
    ends = np.array([0.0, math.nextafter(2 * math.pi, 0)])
    loss = mechanism.log_density(ends, 0.0) - mechanism.log_density(ends, ends[1])
    assert np.abs(loss).max() == pytest.approx(2.0, rel=1e-9)
    released = mechanism.release(np.full(20_000, 1.0), rng=seeded_rng(1))
    edge = (released == 0).mean()
    assert edge == pytest.approx(0.5 * math.exp(-mechanism.kappa), abs=0.02)
    arcs = np.abs(np.mod(released - 1 + math.pi, 2 * math.pi) - math.pi)
    assert arcs.mean() == pytest.approx(mechanism.expected_error(1.0), abs=5 * arcs.std() / math.sqrt(20_000))
