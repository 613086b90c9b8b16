"""A release read as a density: against its definition, and what it tells of members and of others."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.table import LikenessValueAttack, MembershipAttack, protect
from sfumato.table.attacks.nearness.likeness import Likeness, person_codes, whole_schema
from sfumato.table.data import census_schema, make_census

PEOPLE, OTHERS, SCHEMA = make_census(600, seed=1), make_census(600, seed=2), census_schema()
RELEASE = protect(PEOPLE, SCHEMA, k=2, recoding="local")


def test_density_is_that_of_the_definition() -> None:
    schema = whole_schema(SCHEMA, [*SCHEMA.quasi, "income"], PEOPLE, OTHERS)
    found = Likeness.of(RELEASE.arrow, schema, np.random.default_rng(0))
    spread = [one.toarray() for one in found.spread]
    codes = person_codes(PEOPLE, schema)[:3]
    for person, density in zip(codes, found.density(codes, 0.1), strict=True):
        total = 0.0
        for labels, count in zip(found.tuples, found.counts, strict=True):
            parts = [
                0.9 * spread[j][label, value] + 0.1 * max(found.base[j][value], 1e-9)
                for j, (label, value) in enumerate(zip(labels, person, strict=True))
            ]
            total += count * np.prod(parts)
        assert density == pytest.approx(total / found.counts.sum(), rel=1e-9)


def test_small_classes_tell_who_was_in_the_table_and_large_ones_do_not() -> None:
    attack = MembershipAttack(schema=SCHEMA, control=OTHERS, people=300)
    small = attack.attack(PEOPLE, RELEASE, rng=np.random.default_rng(1))
    large = attack.attack(PEOPLE, protect(PEOPLE, SCHEMA, k=300), rng=np.random.default_rng(1))
    assert small.low > 0.55  # 0.65 to 0.75 with other seeds
    assert large.value < small.value
    assert large.low < 0.55


def test_one_s_own_record_gives_a_value_away_that_others_do_not() -> None:
    raw = LikenessValueAttack(schema=SCHEMA, column="income", control=OTHERS)
    score = raw.attack(PEOPLE, PEOPLE, rng=np.random.default_rng(1))
    assert score.low > score.reference


def test_bad_controls_are_refused() -> None:
    with pytest.raises(InputError, match="control"):
        MembershipAttack(schema=SCHEMA, control="others.csv")
    with pytest.raises(InputError, match="four"):
        MembershipAttack(schema=SCHEMA, control=OTHERS.slice(0, 2))
    with pytest.raises(InputError, match="sensitive"):
        LikenessValueAttack(schema=SCHEMA, column="age")
