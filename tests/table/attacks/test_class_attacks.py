"""Attackers that neither l-diversity nor t-closeness bounds: deFinetti and minimality."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.promise import KAnonymity
from sfumato.table import (
    DeFinettiAttack,
    Hierarchy,
    LDiversity,
    Lineage,
    LocalRecoding,
    MinimalityAttack,
    RevealingAttack,
    Schema,
    TCloseness,
    protect,
)
from sfumato.table.attacks.battery import attacks_on
from sfumato.table.attacks.class_members import class_members
from sfumato.table.data import census_schema, make_census

TOWN = Hierarchy([["x", "*"], ["y", "*"]])
SCHEMA = Schema(quasi={"town": TOWN}, sensitive=["ill"])


@pytest.mark.parametrize("seed", range(3))
def test_de_finetti_learns_across_classes(seed) -> None:
    """Random groups of three hide who has what; all groups together tell that the secret follows age (95 % of it)."""
    rng = np.random.default_rng(seed)
    count = 600
    ages = rng.integers(0, 10, count)
    ill = np.where(rng.random(count) < 0.95, ages >= 5, ages < 5)
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 9, [5])}, sensitive=["ill"])
    people = pa.table({"age": ages, "ill": np.where(ill, "flu", "cold").tolist()})
    labels = [""] * count
    for group in rng.permutation(count).reshape(-1, 3):
        shown = "{" + ", ".join(str(age) for age in sorted(set(ages[group].tolist()))) + "}"
        for i in group:
            labels[i] = shown
    released = Lineage(people.set_column(0, "age", pa.array(labels)), range(count))
    plain = RevealingAttack(schema=schema, column="ill", statistic="mean").attack(people, released)
    learned = DeFinettiAttack(schema=schema, column="ill").attack(people, released)
    assert learned.value > plain.value + 0.1
    assert learned.value > 0.9


def test_minimality_tells_what_k_and_l_hide() -> None:
    """Town x was left with y, so both of x have flu: any other deal would have let x stand alone (Wong et al. 2007)."""
    people = pa.table({"town": list("xxyyy"), "ill": ["flu", "flu", "gout", "cold", "mumps"]})
    released = Lineage(people.set_column(0, "town", pa.array(["*"] * 5)), range(5))
    target = [KAnonymity(2), LDiversity(2, "ill")]
    attack = MinimalityAttack(schema=SCHEMA, column="ill", target=target)
    found = [attack.attack(people, released, rng=np.random.default_rng(seed)).value for seed in range(40)]
    plain = RevealingAttack(schema=SCHEMA, column="ill", statistic="mean").attack(people, released)
    # both of x always, and of y one in three: 0.6 on average, with a deviation of 0.026; "flu" for all gives 0.4
    assert min(found) >= 0.4 - 1e-9
    assert 0.5 < np.mean(found) < 0.7
    assert plain.value == pytest.approx((2 * 0.4 + 3 * 0.2) / 5)


def test_where_k_alone_decides_minimality_has_nothing_to_go_on() -> None:
    people = pa.table({"town": list("xyyyy"), "ill": ["flu", "flu", "gout", "cold", "mumps"]})
    released = Lineage(people.set_column(0, "town", pa.array(["*"] * 5)), range(5))
    loose = [KAnonymity(2), TCloseness(1.0, "ill")]
    found = MinimalityAttack(schema=SCHEMA, column="ill", target=loose, samples=2000).attack(
        people, released, rng=np.random.default_rng(1)
    )
    assert found.reference == pytest.approx(0.4)
    assert found.value <= 0.8


def test_they_are_made_where_the_promise_looks_at_the_secret() -> None:
    close = LocalRecoding(schema=SCHEMA, target=[KAnonymity(2), TCloseness(0.5, "ill")])
    plain = LocalRecoding(schema=SCHEMA, target=[KAnonymity(2)])
    kinds = {type(attack) for attack in attacks_on(SCHEMA, "ill", mechanism=close)}
    assert {DeFinettiAttack, MinimalityAttack} <= kinds
    assert not {DeFinettiAttack, MinimalityAttack} & {type(a) for a in attacks_on(SCHEMA, "ill", mechanism=plain)}


def test_refusals() -> None:
    people = pa.table({"town": list("xy"), "ill": ["flu", "cold"]})
    with pytest.raises(InputError, match="promises that the classes"):
        MinimalityAttack(schema=SCHEMA, column="ill").attack(people, Lineage(people, range(2)))
    with pytest.raises(InputError, match="promises on ill"):
        MinimalityAttack(schema=SCHEMA, column="ill", target=[KAnonymity(2)]).attack(people, Lineage(people, range(2)))
    for kind in (DeFinettiAttack, MinimalityAttack):
        with pytest.raises(InputError, match="sensitive column"):
            kind(schema=SCHEMA, column="shoe")


def test_both_are_made_where_the_promise_looks_at_the_secret() -> None:
    people, schema = make_census(600), census_schema()
    names = {
        l: [found.name for found in protect(people, schema, k=5, l=l, recoding="local").attack(people)]
        for l in (None, 2)  # noqa: E741 the name of the parameter in the field
    }
    assert any(name.startswith("deFinetti") for name in names[2])
    assert any(name.startswith("minimality") for name in names[2])
    assert not any(name.startswith(("deFinetti", "minimality")) for name in names[None])


def test_of_a_large_release_some_classes_are_attacked(monkeypatch) -> None:
    people, schema = make_census(2000), census_schema()
    release = protect(people, schema, k=5, recoding="local")
    everyone = class_members(people, release, schema, "income")
    monkeypatch.setattr("sfumato.table.attacks.class_members.CELLS", 600 * everyone.held.shape[1])
    some = class_members(people, release, schema, "income", np.random.default_rng(0))
    assert 300 < len(some.member) <= 600
    assert (np.bincount(some.member) == some.held.sum(1)).all()  # whole classes
    assert (np.bincount(some.member) >= 5).all()
    assert some.truth.tolist() == everyone.truth[np.argsort(everyone.rows)[some.rows]].tolist()
    assert DeFinettiAttack(schema=schema, column="income").attack(people, release).value > 0.5
