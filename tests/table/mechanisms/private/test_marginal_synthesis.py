"""Synthetic records: exact inference, a fit that is right without noise, and a budget that adds up."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato.table.mechanisms.private.synthesis.measured_marginals as module
from sfumato.errors import InputError
from sfumato.mechanism import Exponential, Gaussian
from sfumato.release import verify
from sfumato.table import Flat, MarginalSynthesis, Schema, protect_with
from sfumato.table.data import census_schema, make_census
from sfumato.table.mechanisms.private.synthesis.junction_tree import JunctionTree, Law, tree_cells
from sfumato.table.mechanisms.private.synthesis.law_estimate import Measured, estimate_law, estimate_total

SIZES = [2, 3, 2, 4, 2]
JOINED = [(0, 1), (1, 2), (2, 3), (0, 3), (4,)]


def joint(tree: JunctionTree, potentials: list[Any]) -> Any:
    """The whole table of probabilities, cell by cell."""
    whole = np.zeros(SIZES)
    for cell in itertools.product(*map(range, SIZES)):
        parts = zip(tree.cliques, potentials, strict=True)
        whole[cell] = math.exp(sum(one[tuple(cell[c] for c in clique)] for clique, one in parts))
    return whole / whole.sum()


def test_marginals_are_those_of_the_whole_table() -> None:
    rng = np.random.default_rng(1)
    tree = JunctionTree(SIZES, JOINED)
    potentials = [rng.normal(size=tree.shape(clique)) for clique in tree.cliques]
    whole, law = joint(tree, potentials), Law(tree, tree.beliefs(potentials))
    assert tree_cells(SIZES, JOINED) == sum(belief.size for belief in law.beliefs)
    for count in (1, 2, 3):
        for columns in itertools.combinations(range(len(SIZES)), count):
            others = tuple(j for j in range(len(SIZES)) if j not in columns)
            np.testing.assert_allclose(law.marginal(columns), whole.sum(axis=others), atol=1e-12)
    # 40 000 draws: a cell is off by more than six standard deviations with a chance below 1e-8.
    drawn = law.draw(40_000, rng)
    seen = np.zeros(SIZES)
    np.add.at(seen, tuple(drawn.T), 1 / len(drawn))
    assert (np.abs(seen - whole) < 6 * np.sqrt(whole * (1 - whole) / 40_000) + 1e-4).all()


def test_measurements_without_noise_are_met() -> None:
    rng = np.random.default_rng(2)
    rows = np.stack([rng.integers(0, size, 500) for size in SIZES], axis=1)
    rows[:, 1] = rows[:, 0] + (rng.random(500) < 0.2)
    found = [Measured(columns, module.count_records(rows, SIZES, columns).astype(float), 1.0) for columns in JOINED]
    assert estimate_total(found) == pytest.approx(500)
    law = estimate_law(SIZES, found, steps=2_000)
    for one in found:
        np.testing.assert_allclose(500 * law.marginal(one.columns), one.counts, atol=0.5)


@pytest.mark.parametrize("order", [2, 3])
def test_what_is_drawn_from_the_records_costs_no_more_than_rho(monkeypatch: pytest.MonkeyPatch, order: int) -> None:
    spent: list[float] = []

    class Counted(Gaussian):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            assert self.sensitivity == 1.0  # one record, one cell
            spent.append(1 / (2 * self.scale**2))
            return super().release(data, rng=rng)

    class Chosen(Exponential):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            assert not self.monotonic
            spent.append(self.epsilon**2 / 8)
            return super().release(data, rng=rng)

    monkeypatch.setattr(module, "Gaussian", Counted)
    monkeypatch.setattr(module, "Exponential", Chosen)
    monkeypatch.setattr(module, "_noise", module._noise.__wrapped__)
    monkeypatch.setattr(module, "_choice", module._choice.__wrapped__)
    for seed, epsilon in enumerate((0.2, 5.0)):
        spent.clear()
        mechanism = MarginalSynthesis(schema=census_schema(), epsilon=epsilon, delta=1e-5, order=order, cells=4_000)
        mechanism.release(make_census(300), rng=np.random.default_rng(seed))
        assert 0.9 * mechanism.rho < sum(spent) <= mechanism.rho
        assert spent.count(spent[0]) >= 9  # every column was measured


def test_one_record_moves_a_score_by_at_most_one() -> None:
    rng = np.random.default_rng(3)
    rows = np.stack([rng.integers(0, size, 60) for size in SIZES], axis=1)
    law = estimate_law(SIZES, [Measured((j,), np.ones(size), 1.0) for j, size in enumerate(SIZES)])
    for columns in itertools.combinations(range(5), 2):
        off = [
            np.abs(module.count_records(part, SIZES, columns) - 50 * law.marginal(columns)).sum()
            for part in (rows, rows[1:])
        ]
        assert abs(off[0] - off[1]) <= 1 + 1e-9


def test_the_law_of_what_is_measured_is_that_of_what_is_chosen() -> None:
    """Three pairs of columns, one of which goes together: how often each is measured is what the law says."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (40, 3))
    rows[:, 1] = rows[:, 0]
    mechanism = module.MeasuredMarginals(rho=2.0, sizes=(2, 2, 2), rounds=4)
    released = np.array([mechanism.release(rows, rng=rng) for _ in range(400)])
    assert released.shape == (400, 14)  # three columns, the place of the pair, its counts
    claimed = np.zeros(3)
    for one in released:  # the same counts under each of the three pairs: what is left is the chance of the choice
        others = np.stack([one] * 3)
        others[:, 9], others[:, 10:] = (3, 4, 5), 0.0
        choice = mechanism.log_prob(others, rows) - [
            module._noise(0.9 * 0.5).log_prob(np.zeros((1, 4)), module.count_records(rows, (2, 2, 2), pair).ravel())[0]
            for pair in ((0, 1), (0, 2), (1, 2))
        ]
        claimed += np.exp(choice - choice.max()) / np.exp(choice - choice.max()).sum()
    seen = np.bincount((released[:, 9] - 3).astype(int), minlength=3)
    assert seen[0] > 300  # the pair on which the model of single columns is wrong
    # Each count is a sum of 400 independent choices: five standard deviations, false alarm below 1e-5.
    assert (np.abs(seen - claimed) <= 5 * np.sqrt(claimed * (1 - claimed / 400)) + 5).all()
    assert np.isneginf(mechanism.log_prob([released[0][:-1], released[0] + 0.5, np.arange(14.0)], rows)).all()


def test_more_privacy_loss_means_better_pairs() -> None:
    people = make_census(3_000)
    errors = []
    for epsilon in (0.05, 5.0):
        mechanism = MarginalSynthesis(schema=census_schema(), epsilon=epsilon, delta=1e-5)
        release = protect_with(people, mechanism, rng=np.random.default_rng(1))
        errors.append(next(one for one in release.measure(people) if "range" in one.name).score.value)
    assert errors[1] < errors[0]


def test_papers_of_a_synthetic_table(tmp_path: Path) -> None:
    people = make_census(1_000)
    release = protect_with(people, MarginalSynthesis(schema=census_schema(), epsilon=1.0, delta=1e-5))
    release.write(tmp_path / "out.csv", key=tmp_path / "out.key")
    assert verify(tmp_path / "out.csv").holds
    assert release.card.class_risk is None  # equal rows that nobody has say nothing of a risk
    found = {one.name: one for one in release.attack(people, control=make_census(500, seed=9))}
    assert "made up" in found["worst re-identification risk"].reason
    assert all(not one.reason for name, one in found.items() if "guessed" in name or "in the table" in name)
    assert all(not one.reason for one in release.measure(people))


def test_values_that_only_the_table_lists_are_refused_or_assumed_public() -> None:
    table = pa.table({"town": ["Linz", "Graz"] * 20, "note": ["a", "b"] * 20})
    schema = Schema(quasi={"town": Flat()}, insensitive=["note"])
    with pytest.raises(InputError, match="lists the values"):
        MarginalSynthesis(schema=schema, epsilon=1.0, delta=1e-3)
    mechanism = MarginalSynthesis(schema=schema, epsilon=1.0, delta=1e-3, domain="observed")
    assert "values that occur in town, note" in str(mechanism.guarantee)
    assert mechanism.release(table).column_names == ["town", "note"]


@pytest.mark.parametrize("wrong", [{"epsilon": 0.0}, {"delta": 0.0}, {"order": 4}, {"most": 1}, {"rounds": 0}])
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        MarginalSynthesis(**{"schema": census_schema(), "epsilon": 1.0, "delta": 1e-5, **wrong})
