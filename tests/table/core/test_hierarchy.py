"""Hierarchies: trees, ways to make them, and what is refused [P4]."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from helpers.table_strategies import trees
from sfumato.errors import InputError
from sfumato.table import Hierarchy, Schema
from sfumato.table.core.proposal.schema_proposal import propose_hierarchy, propose_schema


@given(trees())
def test_each_value_maps_to_an_ancestor_and_loss_rises(tree: Hierarchy) -> None:
    for level in range(1, tree.height):
        for leaf in range(tree.size):
            below, above = tree.codes[level - 1, leaf], tree.codes[level, leaf]
            assert (tree.codes[level][tree.codes[level - 1] == below] == above).all()
        assert (tree.information_loss(level) >= tree.information_loss(level - 1) - 1e-12).all()
    assert len(tree.labels[-1]) == 1
    assert (tree.information_loss(tree.height - 1) == (1.0 if tree.size > 1 else 0.0)).all()


def test_arx_format_round_trip(tmp_path) -> None:
    tree = Hierarchy.intervals(0, 19, [5, 10])
    tree.write(tmp_path / "age.csv")
    assert Hierarchy.read(tmp_path / "age.csv") == tree


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "x", "*"], ["b", "x", "*"], ["a", "y", "*"]], "each value once"),
        ([["a", "x", "p", "*"], ["b", "x", "q", "*"]], "a tree: one parent"),
        ([["a", "x"], ["b", "y"]], "one root"),
        ([["a", "*"], ["b"]], "levels as in the first row"),
        ([["a", "b", "*"], ["b", "c", "*"]], "one meaning"),
        ([], "without rows"),
    ],
)
def test_not_a_tree(rows, message) -> None:
    with pytest.raises(InputError, match=message):
        Hierarchy(rows)


def test_unknown_value_and_level() -> None:
    tree = Hierarchy.flat(["a", "b"])
    with pytest.raises(InputError, match="one of the 2 values"):
        tree.generalise(["c"], 1)
    with pytest.raises(InputError, match="level"):
        tree.generalise(["a"], 2)
    with pytest.raises(InputError, match="multiple"):
        Hierarchy.intervals(0, 9, [2, 5])
    with pytest.raises(InputError, match="ISO date"):
        Hierarchy.dates(["yesterday"])


def test_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        Hierarchy.read(tmp_path / "nowhere.csv")


def test_proposals() -> None:
    assert propose_hierarchy(["2020-01-05", "2021-07-01"]).height == 6
    assert propose_hierarchy([0.5, 1.5, 2.5, 7.0]).rows[0][0] == "0.5"
    assert propose_hierarchy([f"word{i}" for i in range(30)]).height == 3
    mixed = propose_hierarchy([*range(50), "N"])
    assert set(mixed.rows[-1][:-1]) == {"N"}
    assert mixed.height > 3
    many = propose_hierarchy(np.linspace(0, 1, 200).tolist())
    assert many.size == 200
    assert many.height > 4


def test_schema_file_round_trip(tmp_path, rng) -> None:
    import pyarrow as pa

    table = pa.table(
        {
            "customer-id": np.arange(50),
            "age": rng.integers(20, 80, 50),
            "zip": [f"{n:05d}" for n in rng.integers(10000, 10100, 50)],
            "diagnosis": rng.choice(["a", "b"], 50).tolist(),
        }
    )
    schema = propose_schema(table)
    assert schema.roles == {"age": "quasi", "zip": "quasi", "diagnosis": "sensitive", "customer-id": "identifier"}
    schema.write(tmp_path / "table.toml")
    assert Schema.read(tmp_path / "table.toml") == schema


def test_schema_forms_and_refusals(tmp_path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        'insensitive = ["note"]\n[quasi.age]\nintervals = {low = 0, high = 9, widths = [5]}\n'
        '[quasi.zip]\nvalues = ["12", "13"]\nby = "prefixes"\n[sensitive.x]\nrows = [["a", "*"], ["b", "*"]]\n'
    )
    schema = Schema.read(file)
    assert schema.quasi["zip"].rows[0] == ("12", "1*", "*")
    assert schema.secrets["x"] is not None
    file.write_text("[quasi.age]\nmagic = 1\n")
    with pytest.raises(InputError, match="one of hierarchy"):
        Schema.read(file)
    file.write_text("surprise = 1\n")
    with pytest.raises(InputError, match="surprise"):
        Schema.read(file)
    file.write_text("broken = [\n")
    with pytest.raises(InputError, match=r"table\.toml"):
        Schema.read(file)
    with pytest.raises(InputError, match="table init"):
        Schema.read(tmp_path / "none.toml")
    with pytest.raises(InputError, match="one role"):
        Schema(quasi={"a": Hierarchy.flat("xy")}, sensitive=["a"])
    with pytest.raises(InputError, match="a Hierarchy"):
        Schema(quasi={"a": ["x"]})  # type: ignore[dict-item]
