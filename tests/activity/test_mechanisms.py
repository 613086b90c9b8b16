"""What the generic checks cannot know of the mechanisms: promises in numbers, laws, bounds and refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.activity import (
    Activity,
    CellNoise,
    Factorisation,
    Factoriser,
    GroupedRows,
    LikelihoodAttack,
    PrivateFactorisation,
    RandomizedCells,
    make_browsing,
)
from sfumato.activity.examples import audit_cases
from sfumato.activity.mechanisms.private_factorisation import _scaled_rows
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise import ZeroConcentratedDP


def test_cells_and_users_have_different_promises() -> None:
    noise = CellNoise(scale=1.5)
    assert noise.guarantee.epsilon == pytest.approx(1 / 1.5)
    assert noise.per_user(1_000, 2).epsilon == pytest.approx(2_000 / 1.5)
    assert noise.per_user(1_000, 2).unit == "user"
    cells = RandomizedCells(epsilon=0.5)
    assert cells.per_user(10, 3).epsilon == pytest.approx(15.0)
    assert RandomizedCells(epsilon=0.5, most=2).per_user(10, 3).epsilon == pytest.approx(0.5 * 4 * 3)
    assert RandomizedCells(epsilon=0.5, most=9).per_user(10, 3).epsilon == pytest.approx(15.0)  # never more than all


def test_at_most_so_many_items_are_reported() -> None:
    """At ε = 60 nothing is flipped (one of e⁶⁰ cells): rows keep at most two of their ones, and lose none below."""
    matrix = np.array([[1.0] * 9, [0.0] * 8 + [1.0], [0.0] * 9])
    released = RandomizedCells(epsilon=60.0, most=2).release(matrix, rng=seeded_rng(0))
    assert released.sum(axis=1).tolist() == [2, 1, 0]
    assert (released <= matrix).all()


def test_the_law_of_chosen_items_sums_to_one() -> None:
    made = RandomizedCells(epsilon=0.7, most=2)
    outputs = np.array(np.meshgrid(*[[0.0, 1.0]] * 8)).reshape(8, -1).T.reshape(-1, 2, 4)
    data = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    assert np.exp(made.log_prob(outputs, data)).sum() == pytest.approx(1.0)


def test_estimates_of_randomised_cells_are_unbiased() -> None:
    """The mean of 400 estimates is the matrix within 6 standard errors."""
    matrix = (seeded_rng(1).random((20, 20)) < 0.3) * 1.0
    made = RandomizedCells(epsilon=1.0)
    draws = [made.release(Activity(windows=(matrix,)), rng=seeded_rng(seed)).estimates()[0] for seed in range(100)]
    low, high = made.channel
    spread = math.sqrt(high * (1 - high)) / (high - low)
    assert abs(np.mean(draws) - matrix.mean()) < 6 * spread / math.sqrt(100 * matrix.size)


def test_the_likelihood_attack_uses_the_law() -> None:
    """Laplace noise: the law finds at least as many as squared distances on most seeds, and many more than chance."""
    log = make_browsing(40, 60)
    better = 0
    for seed in range(5):
        made = CellNoise(scale=2.0)
        release = made.release(log, rng=seeded_rng(seed))
        found = LikelihoodAttack().attack(log, release, mechanism=made, rng=seeded_rng(seed))
        better += found.value > 4 * found.reference
    assert better >= 4
    with pytest.raises(InputError, match="known law"):
        LikelihoodAttack().attack(log, log, mechanism=GroupedRows(k=2))


def test_the_parts_of_a_private_factorisation_compose_to_its_promise() -> None:
    for windows, share in ((1, 0.5), (3, 0.2)):
        made = PrivateFactorisation(epsilon=2.0, delta=1e-6, windows=windows, share=share)
        total = made.item_side.rho + windows * made.row_side.rho
        assert total == pytest.approx(made.total.rho)
        assert ZeroConcentratedDP(total).as_approx(1e-6).epsilon <= 2.0 * (1 + 1e-9)
        assert ZeroConcentratedDP(1.01 * total).as_approx(1e-6).epsilon > 2.0  # nothing is given away
        for noise, promised in ((made._item_noise, made.item_side), (made._row_noise, made.row_side)):
            assert noise.guarantee.rho <= promised.rho


def test_the_statistics_of_the_items_have_the_sensitivity_of_the_proof() -> None:
    """Replacing a user changes S by at most √2·W in the Frobenius norm, over 500 random pairs and the worst one."""
    rng = seeded_rng(0)
    for _ in range(500):
        windows = int(rng.integers(1, 4))
        one, two = (
            rng.random((windows, 5)) * rng.choice([0.1, 1.0, 50.0]) * (rng.random((windows, 5)) < 0.5) for _ in range(2)
        )
        parts = [_scaled_rows(np.atleast_2d(side)) for side in (one, two)]
        change = parts[0].T @ parts[0] - parts[1].T @ parts[1]
        assert np.linalg.norm(change) <= math.sqrt(2) * windows
    for rows in (np.eye(2)[:1], np.full((1, 7), 3.0), seeded_rng(1).random((50, 9))):
        assert (np.linalg.norm(_scaled_rows(rows), axis=1) <= 1).all()
    worst = np.eye(2)[0][:, None] @ np.eye(2)[0][None] - np.eye(2)[1][:, None] @ np.eye(2)[1][None]
    assert np.linalg.norm(worst) == pytest.approx(math.sqrt(2))


def test_statistics_of_the_items_add_up_without_rounding() -> None:
    """Sums of products on the grid are exact: their order does not matter."""
    rows = _scaled_rows(seeded_rng(0).random((400, 6)) * 10)
    turned = rows[seeded_rng(1).permutation(400)]
    assert (rows.T @ rows == turned.T @ turned).all()


def test_more_budget_gives_better_rows() -> None:
    """Correlation of the released and the true popularity rises with ε (mean of 4 seeds)."""
    log = make_browsing(300, 40)
    popular = np.asarray(log.windows[0].sum(axis=0)).reshape(-1)

    def fit(epsilon: float) -> float:
        found = []
        for seed in range(4):
            made = PrivateFactorisation(epsilon=epsilon, rank=4, windows=2)
            released = made.release(log, rng=seeded_rng(seed)).windows[0].sum(axis=0)
            found.append(np.corrcoef(released, popular)[0, 1])
        return float(np.mean(found))

    assert fit(100.0) > max(fit(0.2), 0.6)


def test_windows_are_part_of_the_promise() -> None:
    with pytest.raises(InputError, match="as the promise was made for"):
        PrivateFactorisation(epsilon=1.0, rank=2).release(make_browsing(20, 10))


def test_one_v_or_two_and_a_scale_with_a_meaning() -> None:
    log = make_browsing(30, 40)
    spans = []
    for shared in (False, True):
        release = Factorisation(rank=3, sweeps=20, shared=shared).release(log, rng=seeded_rng(0))
        spans.append(np.linalg.matrix_rank(np.vstack(release.windows), tol=1e-8))
    assert spans == [6, 3]
    plain = Factorisation(rank=3, sweeps=20).release(log, rng=seeded_rng(0)).windows[0]
    scaled = Factorisation(rank=3, sweeps=20, normalise=True).release(log, rng=seeded_rng(0)).windows[0]
    assert np.allclose(plain, scaled)  # without noise only the two factors differ


def test_fitting_v_again_fits_better() -> None:
    """With grouped rows, a V of least squares for U′ is never farther from the data than the V for U."""
    log = make_browsing(40, 60)
    errors = []
    for update in (False, True):
        method = Factorisation(rank=4, k=8, solver="als", sweeps=10, penalty=1e-6, update_items=update)
        release = method.release(log, rng=seeded_rng(0))
        errors.append(float(((log.windows[0].toarray() - release.windows[0]) ** 2).sum()))
    assert errors[1] <= errors[0]


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (GroupedRows, {"k": 0}), (GroupedRows, {"k": 2, "grouping": "random"}), (GroupedRows, {"k": 2.5}),
        (CellNoise, {"scale": 0.0}), (CellNoise, {"scale": 1.0, "high": -1.0}),
        (RandomizedCells, {"epsilon": 0.0}), (RandomizedCells, {"epsilon": 1.0, "most": 0}),
        (Factorisation, {"rank": 0}), (Factorisation, {"rank": 2, "k": 2, "scale": 1.0}),
        (Factorisation, {"rank": 2, "solver": "magic"}), (Factorisation, {"rank": 2, "scale": -1.0}),
        (PrivateFactorisation, {"epsilon": -1.0}), (PrivateFactorisation, {"epsilon": 1.0, "delta": 0.0}),
        (PrivateFactorisation, {"epsilon": 1.0, "share": 1.0}), (PrivateFactorisation, {"epsilon": 1.0, "reach": 2.0}),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(kind: Any, parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        kind(**parameters)


def test_bad_input_is_refused_with_a_remedy() -> None:
    matrix = (seeded_rng(0).random((6, 4)) < 0.5) * 1.0
    with pytest.raises(InputError, match=r"rank = 5: expected at most min"):
        Factorisation(rank=5).release(matrix)
    with pytest.raises(InputError, match="negative entries"):
        Factorisation(rank=2, solver="nmf").release(matrix - 1)
    with pytest.raises(InputError, match=r"k = 7: expected at most the 6 users"):
        GroupedRows(k=7).release(matrix)
    with pytest.raises(InputError, match="raise high"):
        CellNoise(scale=1.0).release(2 * matrix)
    with pytest.raises(InputError, match="0 or 1"):
        RandomizedCells(epsilon=1.0).release(2 * matrix)
    with pytest.raises(InputError, match="did not converge"):
        Factoriser(rank=4, rate=50.0).fit(matrix, seeded_rng(0))


@pytest.mark.parametrize(
    ("label", "part", "factor"),
    [
        ("PrivateFactorisation", "_item_noise", 3.0),
        ("PrivateFactorisation, rows", "_row_noise", 3.0),
        ("PrivateFactorisation, statistics of the items", "_item_noise", 1.5),
        ("PrivateFactorisation, one row", "_row_noise", 1.05),
    ],
)
def test_the_audit_finds_a_private_factorisation_with_too_little_noise(label: str, part: str, factor: float) -> None:
    """Each case tells of the part it is about, for most of three seeds; that the right amount holds, the checks say."""
    case = next(one for one in audit_cases() if one.label == label)
    verdicts = []
    for seed in range(3):
        weak = replace(case.mechanism)
        noise = getattr(weak, part)
        vars(weak)[part] = replace(noise, sigma=noise.sigma / factor)
        verdicts.append(sf.audit(case.of(weak), rng=np.random.default_rng(seed)).verdict)
    assert verdicts.count("broken") >= 2


def test_many_releases_at_once_have_the_law_of_single_ones() -> None:
    """Means and spreads of every cell over 3 000 releases of each way differ by less than six standard errors."""
    log = (np.random.default_rng(5).random((12, 4)) < 0.5) * 1.0
    made = PrivateFactorisation(epsilon=8.0, rank=2)
    at_once = made.sample(log, 3_000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    single = np.array([made.release(log, rng=rng) for _ in range(3_000)])
    assert at_once.shape == single.shape
    error = np.sqrt((at_once.var(axis=0) + single.var(axis=0)) / 3_000)
    assert (np.abs(at_once.mean(axis=0) - single.mean(axis=0)) < 6 * error).all()
    assert np.allclose(at_once.std(axis=0), single.std(axis=0), rtol=0.25)
