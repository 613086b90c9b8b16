"""The baselines of the dissertation, by their known limits [DC6–DC11]."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from sfumato.errors import InputError
from sfumato.model import (
    KernelDensity,
    binning,
    frechet_distance,
    kernel_discrepancy,
    likelihood_gap,
    log_likelihood,
    make_half_moons,
    precision_recall,
    two_sample_accuracy,
)

RNG = np.random.default_rng(0)
T = make_half_moons(1000, rng=RNG)
COPIES = KernelDensity(bandwidth=0.001, count=1000).release(T, rng=RNG)
BLUR = KernelDensity(bandwidth=3.0, count=1000).release(T, rng=RNG)


def test_frechet_is_the_standard_formula() -> None:
    first, second = RNG.normal(size=(300, 4)), RNG.normal(size=(300, 4)) @ np.diag([1, 2, 1, 0.5]) + 1
    one, two = np.cov(first, rowvar=False), np.cov(second, rowvar=False)
    root = np.real(sqrtm(one @ two))
    expected = ((first.mean(0) - second.mean(0)) ** 2).sum() + np.trace(one + two - 2 * root)
    assert frechet_distance(first, second) == pytest.approx(expected)


def test_nearest_neighbour_accuracy_knows_copies_and_blurs() -> None:
    assert two_sample_accuracy(T, T.copy()).mean == 0  # an equal point is in the other sample
    assert two_sample_accuracy(T, T + 100).mean == 1
    collapsed = two_sample_accuracy(T, T[:1] + 1e-9 * RNG.normal(size=(1000, 2)))
    assert collapsed.generated > 0.99
    assert two_sample_accuracy(T, BLUR).mean > 0.8


def test_frechet_and_binning_are_blind_to_copying() -> None:
    assert frechet_distance(T, COPIES) < 0.02
    assert binning(T, COPIES).over <= 2
    assert frechet_distance(T, BLUR) > 10


def test_precision_and_recall() -> None:
    assert precision_recall(T, COPIES, repeats=3).best > 0.9
    half = precision_recall(T, T[T[:, 0] < 0.5], repeats=3)
    assert half.precision.max() > 0.9  # all that it makes is right
    assert half.recall.max() < 0.9  # but not all there is
    far = precision_recall(T, T + 100, cells=2, repeats=1)
    assert far.best == pytest.approx(0)


def test_the_likelihood_gap_sees_overfitting_only() -> None:
    fresh = make_half_moons(1000, rng=RNG)
    assert likelihood_gap(T, fresh, 0.01) > 10
    assert abs(likelihood_gap(T, fresh, 3.0)) < 0.1


def test_log_likelihood_is_a_density() -> None:
    grid = np.linspace(-10, 10, 4001)[:, None]
    density = np.exp(log_likelihood([[0.0], [1.0]], grid, 0.5))
    assert density.sum() * 0.005 == pytest.approx(1)


def test_discrepancy_is_unbiased_at_no_difference() -> None:
    found = [kernel_discrepancy(RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2))) for _ in range(40)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(40)
    assert kernel_discrepancy(T[:300], BLUR[:300]) > 0.05


@pytest.mark.parametrize(
    "call",
    [
        lambda: two_sample_accuracy([[0.0]], [[1.0]]),
        lambda: frechet_distance([[0.0], [1.0]], [[0.0, 1.0], [1.0, 1.0]]),
        lambda: kernel_discrepancy([[0.0], [0.0]], [[0.0], [0.0]]),
        lambda: binning([[0.0], [1.0]], [[1.0]], cells=3),
        lambda: log_likelihood([[0.0]], [[0.0]], 0.0),
    ],
)
def test_bad_input_is_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]
