"""Elliptical noise: the density by quadrature, the draws, the promise by brute force, cells in 60 digits, refusals."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from sfumato.direction import Elliptical, Purkayastha, metres_to_radians
from sfumato.direction.core.angle_hat import AngleHat
from sfumato.direction.core.certified import _sphere_cell
from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.core.sphere import angle_between
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.noise.normal import draw_pairs
from sfumato.promise.metric import distance

NOISE = Elliptical(epsilon=3.0, stretch=3.0, axis=(1.0, -2.0, 0.5))
CITY: dict[str, Any] = {"kind": "latlon", "centre": (48.1, 11.5), "bearing": 30.0}


def sphere(count: int) -> tuple[Any, Any]:
    """Nodes and weights of a product rule on the sphere: Gauss–Legendre in the height, equal steps around."""
    height, weight = np.polynomial.legendre.leggauss(count)
    turn = np.arange(2 * count) * math.pi / count
    ring = np.sqrt(1 - height**2)[:, None]
    up = np.repeat(height[:, None], 2 * count, axis=1)
    nodes = np.stack([ring * np.cos(turn), ring * np.sin(turn), up], axis=-1)
    return nodes.reshape(-1, 3), np.repeat(weight, 2 * count) * math.pi / count


INPUTS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.6, 0.64, 0.48]])


@pytest.mark.parametrize("x", INPUTS)
def test_density_integrates_to_one(x: Any) -> None:
    nodes, weights = sphere(400)
    assert weights @ np.exp(NOISE.log_density(nodes, x)) == pytest.approx(1.0, abs=2e-3)  # it has a cusp at x


@pytest.mark.parametrize("x", INPUTS)
def test_draws_have_the_density(x: Any) -> None:
    """χ² over 96 cells of equal probability by rings and sectors: p > 10⁻⁵ at a fixed seed."""
    nodes, weights = sphere(600)
    mass = weights * np.exp(NOISE.log_density(nodes, x))

    def cell(points: Any) -> Any:
        ring = np.minimum((points[:, 2] + 1) * 4, 7).astype(int)
        sector = ((np.arctan2(points[:, 1], points[:, 0]) + math.pi) * 6 / math.pi).astype(int)
        return ring * 12 + sector.clip(0, 11)

    expected = np.bincount(cell(nodes), mass, minlength=96)
    drawn = NOISE.release(np.tile(x, (20_000, 1)), rng=seeded_rng(3))
    assert np.abs(np.linalg.norm(drawn, axis=1) - 1).max() < 1e-12
    seen = np.bincount(cell(drawn), minlength=96)
    often = expected * 20_000 > 10
    assert often.sum() > 20
    scaled = expected[often] / expected[often].sum() * seen[often].sum()
    assert stats.chisquare(seen[often], scaled).pvalue > 1e-5


def test_promise_by_brute_force() -> None:
    """No output tells two inputs better than the promise says, and the input itself attains it."""
    rng = seeded_rng(1)
    outputs = rng.standard_normal((3000, 3))
    outputs /= np.linalg.norm(outputs, axis=1)[:, None]
    for _ in range(30):
        x, y = rng.standard_normal((2, 3))
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
        seen = np.concatenate([outputs, [x, y]])
        loss = NOISE.log_density(seen, x) - NOISE.log_density(seen, y)
        allowed = NOISE.guarantee.loss_bound(x, y)
        assert np.abs(loss).max() <= allowed + 1e-9
        assert loss[-2] == pytest.approx(allowed, abs=1e-9)
        assert allowed == pytest.approx(3 * distance(NOISE.metric_called, x, y))


def test_shape_in_a_city() -> None:
    """Along the bearing the noise is ``stretch`` times as long as across it; across, as that of the round law."""
    noise = Elliptical(level=1.0, radius=metres_to_radians(200), stretch=4.0, **CITY)
    centre = np.array(CITY["centre"])
    moved = noise.release(np.tile(centre, (40_000, 1)), rng=seeded_rng(2)) - centre
    metres = moved * 111_194.9 * np.array([1, math.cos(math.radians(48.1))])
    bearing = math.radians(30)
    along = metres @ [math.cos(bearing), math.sin(bearing)]
    across = metres @ [-math.sin(bearing), math.cos(bearing)]
    assert np.std(along) / np.std(across) == pytest.approx(4, rel=0.03)
    round_one = Purkayastha(level=1.0, radius=metres_to_radians(200), kind="latlon")
    spread = np.std((round_one.release(np.tile(centre, (40_000, 1)), rng=seeded_rng(4)) - centre)[:, 0]) * 111_194.9
    assert np.std(across) == pytest.approx(spread, rel=0.03)


def test_distances_in_a_city_are_those_that_are_said() -> None:
    noise = Elliptical(level=1.0, radius=metres_to_radians(200), stretch=4.0, **CITY)
    lat, lon = CITY["centre"]
    for bearing, expected in ((30.0, 0.25), (120.0, 1.0)):
        turn = math.radians(bearing)
        there = (lat + 0.001 * math.cos(turn), lon + 0.001 * math.sin(turn) / math.cos(math.radians(lat)))
        arc = float(angle_between(latlon_to_vector([lat, lon]), latlon_to_vector(there)))
        assert distance(noise.metric_called, [lat, lon], there) / arc == pytest.approx(expected, rel=2e-3)
    assert "200 m across the axis, or about 800 m along it" in noise.guarantee.words


def test_a_stretch_of_one_is_the_round_law() -> None:
    flat, x = Elliptical(epsilon=2.0, stretch=1.0, axis=(0.0, 0.0, 1.0)), INPUTS[2]
    nodes, _ = sphere(20)
    assert flat.log_density(nodes, x) == pytest.approx(Purkayastha(epsilon=2.0).log_density(nodes, x), abs=1e-12)


def test_maps_are_inverse_to_each_other() -> None:
    rng = seeded_rng(5)
    vectors = rng.standard_normal((200, 5))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    noise = Elliptical(epsilon=2.0, stretch=50.0, axis=rng.standard_normal(5))
    assert angle_between(noise.bend(noise.straighten(vectors)), vectors).max() < 1e-12


@pytest.mark.parametrize("stretch", [1.5, 1000.0])
def test_cells_in_60_digits(stretch: float) -> None:
    """The centre in interval arithmetic is g(x) to 60 digits, doubles err by less than the allowance, cells agree."""
    rng = seeded_rng(7)
    noise = Elliptical(epsilon=40.0, stretch=stretch, axis=(0.3, -0.5, 0.8))
    hat, step, n = AngleHat(noise.law(3)), 2.0**-13, 3
    a = [mpmath.mpf(float(value)) for value in noise.direction]
    with mpmath.workdps(60):
        for trial in range(30):
            near = noise.direction if trial % 2 else np.zeros(3)  # where an error of Ax is stretched most
            x = near + rng.standard_normal(3) * (1e-3 if trial % 2 else 1)
            x /= np.linalg.norm(x)
            length = mpmath.sqrt(sum(mpmath.mpf(float(v)) ** 2 for v in x))
            true = [mpmath.mpf(float(v)) / length for v in x]
            share = mpmath.mpf(noise._cut) * sum(p * q for p, q in zip(a, true, strict=True)) / sum(p * p for p in a)
            true = [t - share * p for t, p in zip(true, a, strict=True)]
            size = mpmath.sqrt(sum(t * t for t in true))
            true = [t / size for t in true]
            exactly = noise._exactly(x, 40)
            assert all(part.low <= t <= part.high for part, t in zip(exactly, map(_decimal, true), strict=True))
            doubles = noise.straighten(x[None])[0]
            wrong = [abs(float(t - mpmath.mpf(float(d)))) for t, d in zip(true, doubles, strict=True)]
            assert max(wrong) <= 2.0**-50 + noise._blur(n)
            _, words, _ = hat.draw(1, rng)
            pairs = draw_pairs(1, rng).reshape(-1, 2)
            both = [
                _sphere_cell(partial(noise._exactly, x), up, hat, words[0], pairs, step, seeded_rng(0))
                for up in (True, False)
            ]
            assert all(len(cells) == 3 for cells in both)  # either reflection is one of the law


def _decimal(value: Any) -> Any:
    import decimal

    return decimal.Decimal(mpmath.nstr(value, 50))


def test_doubles_and_intervals_find_the_same_cells() -> None:
    """With every cell left open, interval arithmetic settles what doubles settled."""
    from sfumato.direction.core import certified

    rng = seeded_rng(11)
    x = rng.standard_normal((40, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    noise = Elliptical(epsilon=5.0, stretch=7.0, axis=(0.3, -0.5, 0.8))
    hat, means = AngleHat(noise.law(3)), noise.straighten(x)

    def cells(blur: float) -> Any:
        rng = np.random.default_rng(9)
        return certified.sphere_cells(means, x, noise._exactly, hat, 2.0**-13, rng, blur=blur)

    found, settled = cells(noise._blur(3)), cells(1.0)
    assert np.array_equal(found, settled)


@pytest.mark.parametrize(
    "parameters",
    [
        {"axis": (1.0, 0.0, 0.0), "stretch": 0.5},
        {"axis": (1.0, 0.0, 0.0), "stretch": 1e6},
        {"axis": (0.0, 0.0, 0.0), "stretch": 2.0},
        {"stretch": 2.0},
        {"axis": (1.0, 0.0), "stretch": 2.0, "kind": "hour"},
        {"kind": "latlon", "stretch": 2.0, "centre": (95.0, 0.0), "bearing": 0.0},
        {"kind": "latlon", "stretch": 2.0, "axis": (1.0, 0.0, 0.0)},
        {"axis": (1.0, 0.0, 0.0), "stretch": 2.0, "sensitivity": 1.0},
    ],
)
def test_refused(parameters: Any) -> None:
    with pytest.raises(InputError):
        Elliptical(epsilon=1.0, **parameters)
    with pytest.raises(InputError, match="as the axis"):
        NOISE.release([[1.0, 0.0, 0.0, 0.0]])
