"""Concentrations κ are rounded down: with 60 digits, κ times the distance is never above what is promised."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from sfumato.direction import ClippedLaplace, Purkayastha, SphericalCap, VonMisesFisher

PARAMETERS = np.exp(np.random.default_rng(12).uniform(math.log(1e-4), math.log(1e4), 200)).tolist()


@pytest.mark.parametrize("kind", [Purkayastha, VonMisesFisher, SphericalCap])
def test_for_the_whole_sphere(kind: Any) -> None:
    with mpmath.workdps(60):
        widest = mpmath.pi if kind.metric == "angle" else mpmath.mpf(2)
        for pure in PARAMETERS:
            mechanism = kind(pure=pure)
            if "kappa" not in vars(kind):  # a kind with a κ of its own has another law
                assert mpmath.mpf(pure) * (1 - mpmath.mpf(2) ** -50) <= mpmath.mpf(mechanism.kappa) * widest <= pure


def test_for_a_level_within_a_radius() -> None:
    radii = np.random.default_rng(3).uniform(1e-3, math.pi, len(PARAMETERS)).tolist()
    with mpmath.workdps(60):
        for level, radius in zip(PARAMETERS, radii, strict=True):
            mechanism = Purkayastha(level=level, radius=radius)
            assert mpmath.mpf(mechanism.kappa) * radius <= mpmath.mpf(level) * (1 + mpmath.mpf(2) ** -52)
            assert mechanism.guarantee.within(radius).epsilon <= level  # type: ignore[attr-defined]


def test_for_a_turn() -> None:
    with mpmath.workdps(60):
        for pure in PARAMETERS:
            assert mpmath.mpf(ClippedLaplace(pure=pure, kind="angle").kappa) * 2 * mpmath.pi <= pure
