"""What the dissertation says of activity logs: worked examples, theorems and the attacks' invariants (D1–D5, P12)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from sfumato.activity import (
    Activity,
    Calendar,
    ChainAttack,
    Factorisation,
    Factoriser,
    GroupedRows,
    LearnedLinkageAttack,
    LinkageAttack,
    ReidentificationAttack,
    TargetPrediction,
    make_browsing,
    read_activity,
)
from sfumato.activity.attacks.scoring import score_assignment
from sfumato.activity.core.row_classes import joint_classes, row_classes, smallest_class
from sfumato.noise import seeded_rng


def test_table_5_1() -> None:
    """Ten-minute windows: a log of three users and four domains gives the two printed matrices."""
    events = [
        ("1", "a", "00:01"), ("1", "c", "00:04"), ("2", "b", "00:05"), ("3", "d", "00:09"), ("1", "a", "00:02"),
        ("1", "a", "00:12"), ("1", "c", "00:15"), ("3", "c", "00:19"),
    ]  # fmt: skip
    log = pa.table(
        {
            "user": [event[0] for event in events],
            "item": [event[1] for event in events],
            "time": [f"2021-05-03T16:{event[2][3:]}:00" for event in events],
        }
    )
    made = read_activity(log, calendar=Calendar(every="10 minutes"))
    assert made.labels == ("2021-05-03T16:00", "2021-05-03T16:10")
    assert made.windows[0].toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert made.windows[1].toarray().tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    counted = read_activity(log, calendar=Calendar(every="10 minutes"), counts=True)
    assert counted.windows[0].toarray()[0].tolist() == [2, 0, 1, 0]


def test_figure_5_1() -> None:
    """Seven users; 2 to 5 are mis-assigned: 3/7. With k = 2, users 4 and 5 land in their cluster: 5/7 · 1/2."""
    found = np.array([0, 2, 1, 4, 3, 5, 6])
    assert score_assignment(found, np.eye(7)).value == pytest.approx(3 / 7)
    clusters = np.eye(3)[[0, 0, 1, 2, 2, 1, 1]]
    assert score_assignment(found, clusters, k=2).value == pytest.approx(5 / 14)
    picked = score_assignment(found, clusters)  # what picking one of the equal rows achieves: less, as one has three
    assert picked.value == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1 / 3 + 1 / 3) / 7)
    assert picked.low <= picked.value <= picked.high


@pytest.mark.parametrize("attack", [LinkageAttack(), LinkageAttack(distance="rarity"), ChainAttack()])
def test_a_matrix_with_distinct_rows_is_linked_to_itself(attack: LinkageAttack) -> None:
    matrix = (seeded_rng(0).random((60, 40)) < 0.3) * 1.0
    assert smallest_class(row_classes(matrix)) == 1
    assert len(np.unique(row_classes(matrix))) == 60
    log = Activity(windows=(matrix, matrix, matrix))
    assert attack.attack(log, log, rng=seeded_rng(1)).value == 1.0


@pytest.mark.parametrize("exact", [5_000, 1])
def test_ties_never_help(exact: int) -> None:
    """Equal rows are found by chance alone, 1/n, whatever the order, by the optimal assignment and by the auction."""
    log = Activity(windows=(np.ones((50, 6)), np.ones((50, 6))))
    for attack in (LinkageAttack(exact=exact), ReidentificationAttack(exact=exact), LinkageAttack(distance="rarity")):
        assert attack.attack(log, log, rng=seeded_rng(0)).value == pytest.approx(1 / 50)
    empty = Activity(windows=(np.zeros((50, 6)), np.zeros((50, 6))))
    assert LinkageAttack(exact=exact).attack(empty, empty, rng=seeded_rng(0)).value == pytest.approx(1 / 50)


def test_rows_that_say_nothing_are_linked_by_chance() -> None:
    """Distinct rows without a relation: over 20 seeds the mean share is 1/40 ± 6 standard errors (0.021)."""
    found = []
    for seed in range(20):
        rng = seeded_rng(seed)
        log = Activity(windows=(rng.random((40, 5)), rng.random((40, 5))))
        found.append(LinkageAttack().attack(log, log, rng=rng).value)
    assert abs(np.mean(found) - 1 / 40) < 0.021


@pytest.mark.parametrize("shape", [(60, 23), (61, 37), (97, 64), (128, 1000)])
@pytest.mark.parametrize("update", [False, True])
def test_theorem_5_1_by_exact_equality(shape: tuple[int, int], update: bool) -> None:
    """Rows of the release are equal to the last bit, each at least k times, whatever BLAS does with equal inputs."""
    matrix = (seeded_rng(shape[0]).random(shape) < 0.1) * 1.0
    for k in (2, 5):
        made = Factorisation(rank=7, k=k, sweeps=3, update_items=update)
        assert smallest_class(row_classes(made.release(matrix, rng=seeded_rng(1)))) >= k


@pytest.mark.parametrize("grouping", ["mdav", "k-member"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_grouped_rows_are_k_anonymous(grouping: str, kind: type) -> None:
    log = make_browsing(50, 300)
    windows = tuple(kind(window.toarray()) for window in log.windows)
    for k in (1, 2, 7, 50):
        release = GroupedRows(k=k, grouping=grouping).release(Activity(windows=windows), rng=seeded_rng(0))  # type: ignore[arg-type]
        assert smallest_class(joint_classes(release)) >= k
        for one, two in zip(windows, release.windows, strict=True):
            assert np.asarray(one.sum(axis=0)) == pytest.approx(np.asarray(two.sum(axis=0)))


def test_one_grouping_for_all_windows_bounds_linkage() -> None:
    """With groups of its own in each window a link can still single out; with one grouping it finds groups of k."""
    log = make_browsing(60, 200)
    k = 6
    apart = GroupedRows(k=k, together=False).release(log, rng=seeded_rng(0))
    assert smallest_class(joint_classes(apart)) < k  # two windows together
    for method in (GroupedRows(k=k), Factorisation(rank=5, k=k, sweeps=5, together=True)):
        release = method.release(log, rng=seeded_rng(0))
        assert smallest_class(joint_classes(release)) >= k
        for attack in (LinkageAttack(), LinkageAttack(distance="rarity"), LearnedLinkageAttack()):
            assert attack.attack(log, release, mechanism=method, rng=seeded_rng(1)).value <= 1 / k + 1e-12


def test_original_has_utility_one_and_labels_differ() -> None:
    log = make_browsing(60, 80)
    assert TargetPrediction(targets=8).measure(log, log, rng=seeded_rng(0)).value == 1.0
    grouped = GroupedRows(k=5).release(log, rng=seeded_rng(0))
    found = {
        labels: TargetPrediction(targets=8, labels=labels).measure(log, grouped, rng=seeded_rng(0)).value  # type: ignore[arg-type]
        for labels in ("clean", "half", "nonzero")
    }
    assert found["clean"] > found["half"]


@pytest.mark.parametrize("solver", ["sgd", "als", "nmf"])
def test_the_error_falls(solver: str) -> None:
    """More sweeps fit better; the multiplicative rule never gets worse (P12)."""
    matrix = (seeded_rng(0).random((40, 60)) < 0.2) * 1.0
    errors = []
    for sweeps in (1, 5, 50):
        factors = Factoriser(rank=6, solver=solver, sweeps=sweeps).fit(matrix, seeded_rng(1))  # type: ignore[arg-type]
        errors.append(float(((matrix - factors.product()) ** 2).sum()))
    assert errors[0] > errors[1] > errors[2]


def test_nmf_is_monotone_and_non_negative() -> None:
    matrix = (seeded_rng(0).random((30, 40)) < 0.2) * 1.0
    before = np.inf
    for sweeps in range(1, 20):
        factors = Factoriser(rank=4, solver="nmf", sweeps=sweeps).fit(matrix, seeded_rng(1))
        error = float(((matrix - factors.product()) ** 2).sum())
        assert error <= before * (1 + 1e-12)
        assert min(factors.users.min(), factors.items.min()) >= 0
        before = error


def test_least_squares_reach_the_same_minimum_as_gradients() -> None:
    """Both minimise the same sum over all cells: at rank 2 their losses agree to 2 %."""
    matrix = np.outer([1, 2, 3, 1, 2, 1.0], [1, 0, 1, 1, 0, 1, 0, 1.0]) + 0.1 * seeded_rng(0).random((6, 8))

    def loss(solver: str) -> float:
        made = Factoriser(rank=2, solver=solver, sweeps=2_000, rate=0.01).fit(matrix, seeded_rng(1))  # type: ignore[arg-type]
        penalty = 0.01 * (8 * (made.users**2).sum() + 6 * (made.items**2).sum())
        return float(((matrix - made.product()) ** 2).sum() + penalty)

    assert loss("sgd") == pytest.approx(loss("als"), rel=0.02)


def test_sgd_uses_the_old_row_for_the_column() -> None:
    """One cell: u ← u + γ(e·v − λu) and v ← v + γ(e·u − λv) with the same old u and v."""
    rng = seeded_rng(5)
    u, v = rng.random((1, 1))[0, 0], rng.random((1, 1))[0, 0]
    made = Factoriser(rank=1, sweeps=1, rate=0.05, penalty=0.01).fit(np.array([[1.0]]), seeded_rng(5))
    error = 1 - u * v
    assert made.users[0, 0] == pytest.approx(u + 0.05 * (error * v - 0.01 * u))
    assert made.items[0, 0] == pytest.approx(v + 0.05 * (error * u - 0.01 * v))


def test_the_stand_in_is_linked_as_published() -> None:
    """Linkage of raw rows: .51, .64 and .80 in 2, 4 and 8 hours (Table 5.2); the stand-in within .08, over 3 seeds."""
    for hours, printed in ((2.0, 0.51), (4.0, 0.64), (8.0, 0.80)):
        found = []
        for seed in range(3):
            log = make_browsing(hours=(hours, hours), seed=seed)
            found.append(LinkageAttack().attack(log, log, rng=seeded_rng(0)).value)
        assert np.mean(found) == pytest.approx(printed, abs=0.08)
