"""Releases on the public grid are the real-valued ones rounded: held against 60-digit arithmetic of the same words."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from sfumato.direction import Purkayastha, SphericalCap, VonMisesFisher, WrappedLaplace
from sfumato.direction.core.angle_hat import AngleHat, ExactAngle
from sfumato.direction.core.certified import (
    _circle_cell,
    _sphere_cell,
    circle_cells,
    degrees_mean,
    sphere_cells,
    vector_mean,
)
from sfumato.direction.core.directional import ROUNDING
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw
from sfumato.direction.mechanisms.spherical_cap import CapLaw
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisherLaw
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplaceLaw
from sfumato.noise.interval import exact, pi
from sfumato.noise.normal import draw_pairs

LAWS = {
    "Purkayastha": PurkayasthaLaw,
    "VonMisesFisher": VonMisesFisherLaw,
    "SphericalCap": CapLaw,
    "WrappedLaplace": WrappedLaplaceLaw,
}
ON_SPHERES = [(name, n) for name in ("Purkayastha", "VonMisesFisher", "SphericalCap") for n in (2, 3, 4, 7)]
STEP = 2.0**-13


def true_profile(name: str, law: Any, theta: Any) -> Any:
    """The logarithm of the density by its definition, in 60 digits."""
    kappa = mpmath.mpf(law.kappa)
    if name == "Purkayastha":
        return -kappa * theta
    if name == "VonMisesFisher":
        return kappa * (mpmath.cos(theta) - 1)
    if name == "SphericalCap":
        return mpmath.mpf(0) if theta <= mpmath.mpf(law.cap_angle) else -kappa
    return mpmath.log(mpmath.cosh(kappa * (mpmath.pi - theta))) - mpmath.log(mpmath.cosh(kappa * mpmath.pi))


def true_angle(hat: AngleHat, words: Any) -> Any:
    """θ with its side, from the middle of what its word leaves open, by hand."""
    step = next(k for k, end in enumerate(hat.cumulative) if int(words[0]) >> 2 < end)
    signed = int(words[1]) - (1 << 64) * (int(words[1]) >> 63)
    place = abs((mpmath.mpf(signed) + mpmath.mpf("0.5")) / mpmath.mpf(2) ** 63)
    start = mpmath.mpf(float(hat.steps.start[step]))
    last = step + 1 == len(hat.cumulative)
    end = mpmath.pi if last else mpmath.mpf(float(hat.steps.start[step + 1]))
    theta = start + (end - start) * place
    return -theta if signed < 0 else theta


@pytest.mark.parametrize("kappa", [0.3, 5.0, 2e4])
@pytest.mark.parametrize(("name", "n"), [*ON_SPHERES, ("WrappedLaplace", 2)])
def test_steps_cover_the_density(name, n, kappa):
    """At 60 digits, nowhere above the steps; and what is kept without asking is below the density."""
    hat = AngleHat(LAWS[name](n, min(kappa, 30.0) if name == "SphericalCap" else kappa))
    steps, rng = hat.steps, np.random.default_rng(n)
    assert hat.cumulative[-1] <= 1 << 62
    assert steps.start[0] == 0
    with mpmath.workdps(60):
        for k in rng.integers(len(steps.start), size=60):
            for place in (mpmath.mpf("1e-25"), mpmath.mpf(rng.random()), 1 - mpmath.mpf("1e-25")):
                start, last = mpmath.mpf(float(steps.start[k])), k + 1 == len(steps.start)
                width = (mpmath.pi if last else mpmath.mpf(float(steps.start[k + 1]))) - start
                theta = start + width * place
                density = true_profile(name, hat.law, theta) + (n - 2) * mpmath.log(mpmath.sin(theta))
                height = mpmath.log(steps.weight[k]) + mpmath.mpf(hat.log_unit) - mpmath.log(width)
                assert density <= height
                assert hat._sure[k] == 0 or mpmath.log(mpmath.mpf(float(hat._sure[k]))) <= density - height
    assert hat.acceptance > 0.9


@pytest.mark.parametrize(("name", "n"), [*ON_SPHERES, ("WrappedLaplace", 2)])
def test_angles_follow_their_law(name, n):
    """Kolmogorov-Smirnov against the distribution function by quadrature; a false alarm once in 10⁵ runs."""
    law = LAWS[name](n, 2.0)
    theta, _, unsure = AngleHat(law).draw(20_000, np.random.default_rng(n))
    assert not unsure.any()
    assert stats.kstest(np.abs(theta), law.cdf).pvalue > 1e-5
    assert abs((theta > 0).mean() - 0.5) < 5 / math.sqrt(20_000)


@pytest.mark.parametrize("name", LAWS)
def test_hours_equal_high_precision(name):
    """Every value by doubles, by interval arithmetic and by 60 digits of the same words."""
    hat, cells = AngleHat(LAWS[name](2, 3.0)), 1 << 14
    hours = np.random.default_rng(5).uniform(0, 24, 150)
    plain = circle_cells(hours, hat, cells, 24.0, np.random.default_rng(6))
    _, words, _ = hat.draw(hours.size, np.random.default_rng(6))
    with mpmath.workdps(60):
        for hour, word, one in zip(hours, words, plain, strict=True):
            theta = true_angle(hat, word)
            place = (mpmath.mpf(float(hour)) / 24 + theta / (2 * mpmath.pi)) * cells
            assert int(mpmath.floor(place + mpmath.mpf("0.5"))) % cells == one
            assert _circle_cell(float(hour), hat, word, cells, 24.0, np.random.default_rng(0)) % cells == one


@pytest.mark.parametrize(("name", "n"), ON_SPHERES)
def test_vectors_equal_high_precision(name, n):
    hat, rng = AngleHat(LAWS[name](n, 3.0)), np.random.default_rng(n)
    means = rng.standard_normal((25, n))
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    found = sphere_cells(means, means, vector_mean, hat, STEP, np.random.default_rng(9))
    words, pairs = drawn_words(hat, means, 9)
    with mpmath.workdps(60):
        for i, mean in enumerate(means):
            assert true_row(hat, mean, words[i], pairs[i] if n > 2 else pairs) == tuple(found[i])
            exactly = partial(vector_mean, mean)
            settled = _sphere_cell(exactly, mean[-1] >= 0, hat, words[i], pairs[i] if n > 2 else pairs, STEP, rng)
            assert settled == list(found[i])


def drawn_words(hat: AngleHat, means: Any, seed: int) -> tuple[Any, Any]:
    """The words that a release with this seed is made from."""
    rng, n = np.random.default_rng(seed), means.shape[1]
    _, words, _ = hat.draw(len(means), rng)
    half = 1 if n == 3 else n // 2
    return words, draw_pairs(len(means) * half if n > 2 else 0, rng).reshape(-1, half, 2)


def true_row(hat: AngleHat, mean: Any, words: Any, pairs: Any) -> tuple[float, ...]:
    """The cells by the definition x = cosθ·μ + sinθ·ξ with ξ the reflected tangent, in 60 digits."""
    n = len(mean)
    theta = true_angle(hat, words)
    mu = mpmath.matrix([mpmath.mpf(float(value)) for value in mean])
    mu /= mpmath.norm(mu)
    tangent = [mpmath.sign(theta)] if n == 2 else []
    for pair in pairs:
        v, w = (
            (mpmath.mpf(int(word) - (1 << 64) * (int(word) >> 63)) + mpmath.mpf("0.5")) / mpmath.mpf(2) ** 63
            for word in pair
        )
        square = v * v + w * w
        stretch = 1 if n == 3 else mpmath.sqrt(-2 * mpmath.log(square) / square)
        tangent += [v * stretch, w * stretch]
    across = mpmath.matrix([*tangent[: n - 1], 0])
    across /= mpmath.norm(across)
    sign = 1 if mean[-1] >= 0 else -1
    mirror = mu + sign * mpmath.matrix([0] * (n - 1) + [1])  # reflects the axis to ±μ, across to right angles with μ
    carried = -sign * (across - 2 * (mirror.T * across)[0] / (mirror.T * mirror)[0] * mirror)
    assert abs((carried.T * mu)[0]) < mpmath.mpf("1e-50")
    point = mpmath.cos(theta) * mu + mpmath.sin(abs(theta)) * carried
    return tuple(float(mpmath.floor(value / mpmath.mpf(STEP) + mpmath.mpf("0.5"))) for value in point)


def test_places_are_taken_as_they_were_given():
    """Latitude and longitude in degrees, to any digit; poles and the date line included."""
    places = np.array([[48.1, 11.6], [-90.0, 0.0], [0.0, 180.0], [89.9999, -359.0], [-12.5, 77.25]])
    with mpmath.workdps(60):
        for place in places:
            phi, lam = (mpmath.mpf(float(value)) * mpmath.pi / 180 for value in place)
            truth = mpmath.cos(phi) * mpmath.cos(lam), mpmath.cos(phi) * mpmath.sin(lam), mpmath.sin(phi)
            for found, real in zip(degrees_mean(place, 40), truth, strict=True):
                assert mpmath.mpf(str(found.low)) <= real <= mpmath.mpf(str(found.high))
                assert found.high - found.low < 1e-36


def test_an_open_decision_takes_more_bits_of_the_same_reals():
    """The word of a value that lies on the edge of a cell to 64 bits: either neighbour may come, nothing else."""
    hat, cells = AngleHat(PurkayasthaLaw(2, 1.0)), 1 << 13
    words = np.array([[5 << 60, 0, 0]], np.uint64)  # the very start of a step, and U = 0: kept
    angle = ExactAngle(hat, words[0], np.random.default_rng(0))
    edge = float(angle.angle(40).low)
    assert edge == float(hat.steps.start[angle._step])

    class Fixed:
        """A generator whose first words are given."""

        def __init__(self, seed: int) -> None:
            self.rng, self.given = np.random.default_rng(seed), True

        def integers(self, *args: Any, **options: Any) -> Any:
            drawn = self.rng.integers(*args, **options)
            if self.given:
                drawn[:3], self.given = words[0], False
            return drawn

    value = (math.pi * 2 / cells) * 10.5 - edge
    seen = {float(circle_cells(np.array([value]), hat, cells, None, Fixed(seed))[0]) for seed in range(10)}  # type: ignore[arg-type]
    assert seen <= {10.0, 11.0}


@pytest.mark.parametrize("x", [1e-30, 0.1, 1.5, 3.1, -2.0, 6.28])
def test_sine_and_cosine(x):
    with mpmath.workdps(80):
        for digits in (20, 60):
            for found, real in ((exact(x, digits).sin(), mpmath.sin(x)), (exact(x, digits).cos(), mpmath.cos(x))):
                assert mpmath.mpf(str(found.low)) <= real <= mpmath.mpf(str(found.high))
                assert found.high - found.low < 10.0 ** (2 - digits)
        assert mpmath.mpf(str(pi(60).low)) < mpmath.pi < mpmath.mpf(str(pi(60).high))


def test_the_printed_promise():
    for mechanism in (
        VonMisesFisher(epsilon=2.0),
        Purkayastha(pure=1.0, kind="hour"),
        SphericalCap(pure=1.0),
        WrappedLaplace(epsilon=1.0, kind="angle"),
    ):
        assert "provided that" not in str(mechanism.guarantee)
        raw = mechanism.replace(snap=False)
        assert raw.guarantee == mechanism.guarantee.assuming(ROUNDING)
        assert str(raw.guarantee).endswith("provided that the rounding of doubles is negligible")


@pytest.mark.parametrize("promise", [{"epsilon": 0.1}, {"epsilon": 3.0}, {"pure": 0.7}, {"pure": 12.0}])
def test_tight_wrapped_noise_keeps_its_promise_to_60_digits(promise):
    kappa = WrappedLaplace(kind="hour", **promise).kappa
    with mpmath.workdps(60):
        whole = mpmath.mpf(kappa) * mpmath.pi
        loss = mpmath.mpf(kappa) * mpmath.tanh(whole) if "epsilon" in promise else mpmath.log(mpmath.cosh(whole))
        limit = mpmath.mpf(repr(next(iter(promise.values()))))
        assert limit * (1 - mpmath.mpf("1e-13")) < loss <= limit
