"""Hostile inputs: they stay neighbours, find what they are made for, and a refusal is no finding."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.auditor import AuditCase, audit
from sfumato.auditor.hostile import hostile_pairs, try_hostile
from sfumato.errors import InputError
from sfumato.mechanism import BoundedNumber, Laplace
from sfumato.promise import PureDP
from sfumato.study.conformance import collect_cases

ALMOST_SURE = 1 - 1e-6


class Doubles:
    """Noise on the grid of whole numbers, after a cast to double that nobody charged."""

    guarantee = PureDP(1.0)

    def release(self, data: Any, *, rng: Any = None) -> Any:
        data = np.asarray(data, dtype=float)
        return data + np.rint(rng.laplace(0.0, 1.5, data.shape))


def test_whole_numbers_beyond_doubles():
    result = audit(
        AuditCase(mechanism=Doubles(), pairs=[(0, 1)], samples=2_000),
        confidence=ALMOST_SURE,
        rng=np.random.default_rng(0),
    )
    assert result.verdict == "broken"
    hostile = next(part for part in result.parts if part.name == "hostile inputs")
    assert "int64 beyond 2⁵³" in hostile.text


def test_refusal_is_no_finding():
    class Careful(Doubles):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            if np.max(np.abs(np.asarray(data, dtype=object))) >= 2**53:
                raise InputError("too large")
            return super().release(data, rng=rng)

    found = try_hostile(
        AuditCase(mechanism=Careful(), pairs=[(0, 1)]),
        PureDP(1.0).yardsticks(),
        alpha=1e-6,
        rng=np.random.default_rng(0),
    )
    assert found.refused >= 1
    assert not found.crashed
    assert not any(finding.broken for _, finding in found.findings)


def test_another_error_is_told_apart_from_a_refusal():
    class Crashing(Doubles):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            if np.ma.isMaskedArray(data):
                raise AttributeError("no mask here")
            return super().release(data, rng=rng)

    case = AuditCase(mechanism=Crashing(), pairs=[(0.0, 1.0)])
    found = try_hostile(case, PureDP(1.0).yardsticks(), alpha=1e-6, rng=np.random.default_rng(0))
    assert found.crashed == ("masked array: AttributeError: no mask here",)


def test_names():
    names = [
        name
        for name, _ in hostile_pairs(AuditCase(mechanism=Laplace(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)]))
    ]
    wanted = {"float32", "int64", "masked array", "2⁵³ edge", "tie of the grid", "denormal", "int64 beyond 2⁵³"}
    assert wanted <= set(names)
    bounded = AuditCase(mechanism=BoundedNumber(epsilon=1.0, low=0.0, high=1.0), pairs=[(0.25, 0.5)])
    assert dict(hostile_pairs(bounded))["bounds"] == (0.0, 1.0)
    records = AuditCase(mechanism=Doubles(), pairs=[(np.array([1.0, 2.0]), np.array([1.0]))])
    longer, empty = dict(hostile_pairs(records))["one record and none"]
    assert (len(longer), len(empty)) == (1, 0)


def test_every_hostile_pair_of_the_house_is_a_pair_of_neighbours():
    """No coordinate is farther apart than in the pair it was made of, in rational arithmetic; bounds are any pair."""
    checked = 0
    for case in collect_cases("mechanism"):
        for name, (x, y) in hostile_pairs(case):
            if name in ("bounds", "one record and none"):
                continue
            widest = max(_apart(*pair) for pair in case.pairs if np.size(pair[0]) == np.size(pair[1]))
            assert _apart(x, y) <= widest, (case.label, name)
            checked += 1
    assert checked > 50


def _apart(x: Any, y: Any) -> Fraction:
    first, second = (np.ma.getdata(np.ma.asarray(v, dtype=object)).ravel().tolist() for v in (x, y))
    pairs = zip(first, second, strict=True)
    return max((abs(_exact(a) - _exact(b)) for a, b in pairs), default=Fraction(0))


def _exact(value: Any) -> Fraction:
    return Fraction(int(value)) if isinstance(value, (int, np.integer)) else Fraction(float(value))


@pytest.mark.parametrize("seed", range(3))
def test_sound_mechanisms_stand_them(seed):
    """One false alarm in a million."""
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    result = audit(mechanism, pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(seed))
    assert result.verdict == "holds", result.sentences
