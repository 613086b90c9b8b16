"""Mutants: each breaks the promise where it is said to, keeps the claimed law, and most are caught."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from sfumato.auditor import AuditCase, mutate
from sfumato.auditor.kill_rate import hunt, kill_table
from sfumato.auditor.mutate import KINDS, mutants_of, sharper
from sfumato.errors import SfumatoError
from sfumato.mechanism import Gaussian, Laplace, RandomizedResponse
from sfumato.promise import KAnonymity, NoGuarantee

LAPLACE = AuditCase(mechanism=Laplace(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)])
COUNT = AuditCase(
    mechanism=Laplace(epsilon=0.7, sensitivity=2.0, grid=1.0),
    pairs=[(10, 12), (0, 1)],
    outputs=np.arange(-200.0, 200.0),
)
VECTOR = AuditCase(
    mechanism=Laplace(epsilon=2.0, sensitivity=3.0), pairs=[(np.zeros(3), np.ones(3))], name="Laplace, vector"
)


def test_kinds():
    kinds = {mutant.kind for case in (LAPLACE, COUNT, VECTOR) for mutant in mutants_of(case, np.random.default_rng(0))}
    assert kinds == set(KINDS)


def test_truth_is_computed_from_the_changed_law():
    found = {mutant.kind: mutant for mutant in mutants_of(LAPLACE, np.random.default_rng(0))}
    assert found["noise ÷ 1.05"].breaks
    assert found["noise ÷ 1.05"].argument == "its true law attains 1.05 of the promise"
    assert found["dropped rounding allowance"].argument == "its true law attains 1.33 of the promise"
    assert "wrong norm" not in found  # one number has one norm
    assert found["clipped support"].breaks
    loose = AuditCase(mechanism=Laplace(epsilon=1.0, sensitivity=10.0), pairs=[(0.0, 1.0)])
    within = {mutant.kind: mutant.breaks for mutant in mutants_of(loose, np.random.default_rng(0))}
    assert within["noise ÷ 3"] is False  # the pair is ten times closer than the sensitivity
    assert within["seeded generator"] is True


def test_the_claimed_law_is_kept():
    outputs = np.arange(-3.0, 4.0)
    for mutant in mutants_of(LAPLACE, np.random.default_rng(0)):
        mechanism = mutant.case.mechanism
        assert mechanism.guarantee == LAPLACE.mechanism.guarantee
        np.testing.assert_array_equal(mechanism.log_prob(outputs, 0.0), LAPLACE.mechanism.log_prob(outputs, 0.0))


def test_promises_that_cannot_be_mutated():
    for promise in (NoGuarantee("a test"), KAnonymity(3)):

        class Other(Laplace):
            guarantee = promise

        case = AuditCase(mechanism=Other(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)])
        assert list(mutants_of(case, np.random.default_rng(0))) == []


def test_sharper():
    assert sharper(Laplace(epsilon=1.0, sensitivity=1.0), 2.0).scale == 0.5
    assert sharper(Gaussian(sigma=2.0, sensitivity=1.0), 2.0).sensitivity == 0.5
    assert sharper(RandomizedResponse(epsilon=1.0, categories=3), 2.0).epsilon == 2.0
    with pytest.raises(SfumatoError):
        sharper(object(), 2.0)


def test_kill_rate():
    """Of the mutants of three mechanisms that break their promise nine in ten are caught, at one false alarm in 10⁶."""
    kills = [
        kill
        for case in (LAPLACE, COUNT, VECTOR)
        for kill in hunt(case, confidence=1 - 1e-6, rng=np.random.default_rng(3))
    ]
    rows = {row["mistake"]: row for row in kill_table(kills)}
    assert rows["all"]["breaking"] >= 30
    assert rows["all"]["share"] >= 0.9
    assert rows["noise ÷ 3"]["share"] == 1.0
    assert sum(row["mutants"] for name, row in rows.items() if name != "all") == rows["all"]["mutants"]


def test_a_mutant_is_looked_at_as_long_as_its_original(monkeypatch):
    """3 000 releases at first where they come one by one, 8 000 where they come in batches."""
    monkeypatch.setattr(mutate, "KINDS", {"noise ÷ 3": KINDS["noise ÷ 3"]})
    drawn = []

    class Counted(RandomizedResponse):
        def release(self, data, *, rng=None):
            drawn.append(np.size(data))
            return super().release(data, rng=rng)

        def many(self, data, count, rng):
            return self.release(np.full(count, data), rng=rng)

    original = Counted(epsilon=1.0, categories=2)
    for sampler, looked_at in ((None, 3_000), (original.many, 8_000)):
        drawn.clear()
        case = AuditCase(mechanism=original, pairs=[(0, 1)], outputs=np.arange(2), sampler=sampler)
        (kill,) = hunt(case, confidence=1 - 1e-6, rng=np.random.default_rng(0))
        assert kill.by == "fit"
        assert sum(drawn) == looked_at


def test_a_sampler_that_draws_from_another_mechanism_is_not_taken_for_the_mutant():
    changed, unlike = (RandomizedResponse(epsilon=epsilon, categories=2) for epsilon in (2.0, 3.0))
    case = AuditCase(mechanism=changed, pairs=[(0, 1)], sampler=partial(_answers, unlike))
    kinds = {mutant.kind: mutant for mutant in mutants_of(case, np.random.default_rng(0))}
    drawn = kinds["noise ÷ 3"].case.draw(0, 400, np.random.default_rng(0))
    assert np.mean(drawn == 0) > 0.97  # e⁶/(e⁶ + 1) = 0.9975, and e³/(e³ + 1) = 0.953


def _answers(mechanism, data, count, rng):
    return mechanism.release(np.full(count, data), rng=rng)
