"""The cell test: moons of the dissertation, null law of Z̃, partial copying, bad input [DC1–DC5]."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kstest

from sfumato.errors import InputError
from sfumato.model import KernelDensity, audit_copying, different_bins, fit_bandwidth, make_half_moons

MOONS = {0.001: -17.3, 0.01: -11.7, 0.1: 0.2, 0.5: 5.5, 10.0: 16.1}


def _moons(seed: int, bandwidth: float) -> float:
    rng = np.random.default_rng(seed)
    train, fresh = make_half_moons(2000, rng=rng), make_half_moons(1000, rng=rng)
    generated = KernelDensity(bandwidth=bandwidth, count=1000).release(train, rng=rng)
    return audit_copying(train, fresh, generated, cells=5).c_t


@pytest.mark.parametrize(("bandwidth", "expected"), MOONS.items())
def test_moons(bandwidth: float, expected: float) -> None:
    """The mean of five draws; one draw has a standard deviation of about .5, the mean of five .25."""
    mean = np.mean([_moons(seed, bandwidth) for seed in range(5)])
    assert mean == pytest.approx(expected, abs=1.0)


def test_z_tilde_is_standard_normal_and_c_t_is_not() -> None:
    """250 draws of P = Q: a Kolmogorov p-value below 1e-4 is a false alarm of that rate; sd of C_T is about 1/√5."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(250):
        train, fresh, generated = rng.normal(size=(3, 300, 2))
        found.append(audit_copying(train, fresh, generated, cells=5, minimum=10, rng=rng))
    assert kstest([one.z_tilde for one in found], "norm").pvalue > 1e-4
    assert np.std([one.c_t for one in found]) < 0.7
    # The verdict's level is 0.01: 2.5 false alarms are expected in 250, more than 12 have probability < 1e-5.
    assert sum(one.copies for one in found) <= 12


def test_the_tail_finds_what_the_mean_rank_hides() -> None:
    """2 % of the samples are copies."""
    rng = np.random.default_rng(2)
    train, fresh, generated = rng.normal(size=(3, 3000, 4))
    generated[:60] = train[:60] + 1e-6
    found = audit_copying(train, fresh, generated)
    assert found.p_value > 0.001
    assert found.copies
    assert found.tail.excess == pytest.approx(60, abs=25)
    assert set(found.copied(60).tolist()) == set(range(60))
    assert found.closest[found.copied(1)[0]] == found.copied(1)[0]


def test_one_copied_cell_is_found_among_blurred_ones() -> None:
    rng = np.random.default_rng(3)
    centres = 20.0 * np.eye(5)
    train, fresh, generated = (np.concatenate([c + rng.normal(size=(400, 5)) for c in centres]) for _ in range(3))
    generated[400:] += 0.7 * rng.normal(size=(1600, 5))
    generated[:400] = train[:400] + 1e-3 * rng.normal(size=(400, 5))
    found = audit_copying(train, fresh, generated, cells=5)
    assert found.copies
    assert found.underfits
    copied = [cell for cell in found.cells if cell.copies]
    assert len(copied) == 1
    assert (found.cell_of[:400] == copied[0].number).all()
    assert found.worst_cells(1)[0].number == copied[0].number
    assert "Elsewhere it underfits" in found.words


def test_neighbours_of_the_cell_are_nearly_those_of_all() -> None:
    rng = np.random.default_rng(4)
    train, fresh = make_half_moons(2000, rng=rng), make_half_moons(1000, rng=rng)
    generated = KernelDensity(bandwidth=0.03, count=1000).release(train, rng=rng)
    both = [
        audit_copying(train, fresh, generated, cells=5, neighbours=kind).c_t  # type: ignore[arg-type]
        for kind in ("all", "cell")
    ]
    assert both[0] == pytest.approx(both[1], abs=0.3)


@pytest.mark.parametrize("features", ["pca", lambda samples: np.asarray(samples).reshape(len(samples), -1)[:, :3]])
def test_feature_spaces(features: object) -> None:
    rng = np.random.default_rng(5)
    train, fresh = rng.normal(size=(2, 300, 6, 6))
    assert audit_copying(train, fresh, train[:200], features=features).copies  # type: ignore[arg-type]
    assert not audit_copying(train, fresh, rng.normal(size=(200, 6, 6)), features=features).copies  # type: ignore[arg-type]


def test_the_autoencoder_is_a_feature_space() -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng(6)
    train, fresh = rng.normal(size=(2, 200, 8))
    assert audit_copying(train, fresh, train + 1e-4, features="autoencoder").copies


def test_lemma_3() -> None:
    """At σ_MLE the mean responsibility-weighted squared distance of fresh and of generated points is kσ²."""
    rng = np.random.default_rng(7)
    train, fresh = make_half_moons(500, rng=rng), make_half_moons(6_000, rng=rng)
    sigma = fit_bandwidth(train, fresh[:1500])
    generated = KernelDensity(bandwidth=sigma, count=5000).release(train, rng=rng)
    for sample in (fresh[1500:], generated):
        gaps = ((sample[:, None] - train[None]) ** 2).sum(-1)
        weights = np.exp(-(gaps - gaps.min(1, keepdims=True)) / (2 * sigma**2))
        mean = ((weights * gaps).sum(1) / weights.sum(1)).mean()
        assert mean == pytest.approx(2 * sigma**2, rel=0.1)


def test_different_bins_under_no_difference() -> None:
    """5 % of the cells on each side; 2 000 cells, standard deviation .5 %."""
    rng = np.random.default_rng(8)
    over = under = 0
    for _ in range(100):
        found = different_bins(rng.multinomial(2000, [0.05] * 20), rng.multinomial(2000, [0.05] * 20))
        over, under = over + found.over, under + found.under
    assert over / 2000 == pytest.approx(0.05, abs=0.025)
    assert under / 2000 == pytest.approx(0.05, abs=0.025)
    assert math.isnan(different_bins([0, 5], [0, 5]).z[0])


RNG = np.random.default_rng(0)
T, P, Q = RNG.normal(size=(3, 100, 2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test": np.concatenate([P, T[:3]])}, "3 of 103 samples are in the training set"),
        ({"test": np.full((5, 2), np.nan)}, "finite"),
        ({"generated": np.zeros((9, 3))}, "as in the training set"),
        ({"train": np.zeros(4)}, "one a row"),
        ({"cells": 101}, "at most 100"),
        ({"cells": 50}, "no cell has 20"),
        ({"neighbours": "some"}, "expected one of"),
        ({"duplicates": "drop"}, "expected one of"),
        ({"features": "inception"}, "expected one of"),
        ({"features": lambda samples: np.zeros((1, 2))}, "one row for each sample"),
        ({"level": 0.0}, "level"),
        ({"minimum": 0}, "minimum"),
    ],
)
def test_bad_input_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit_copying(**({"train": T, "test": P, "generated": Q} | changes))  # type: ignore[arg-type]


def test_few_samples_are_flagged_and_never_scored() -> None:
    centres = np.array([[0.0, 0.0], [50.0, 50.0]])
    rng = np.random.default_rng(9)
    train = np.concatenate([c + rng.normal(size=(100, 2)) for c in centres])
    fresh = np.concatenate([centres[0] + rng.normal(size=(50, 2)), centres[1] + rng.normal(size=(5, 2))])
    generated = np.concatenate([c + rng.normal(size=(50, 2)) for c in centres])
    found = audit_copying(train, fresh, generated, cells=2)
    assert found.skipped == 1
    lonely = next(cell for cell in found.cells if not cell.enough)
    assert math.isnan(lonely.z)
    assert not lonely.copies
    assert "1 cells have fewer than 20" in found.words


def test_natural_duplicates_may_be_kept() -> None:
    rng = np.random.default_rng(10)
    train, fresh, generated = rng.integers(0, 6, size=(3, 500, 2)).astype(float)
    assert not audit_copying(train, fresh, generated, duplicates="keep").copies
