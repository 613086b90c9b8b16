"""Adult as chapter 4 of Mimoto's dissertation uses it (§3.6 of our specification)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.io.datasets.adult import load_adult
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["adult_table", "adult_trees", "schema_of"]

MISSING = "?"


def adult_table() -> pa.Table:
    """The 32 561 records of the training part, over the four quasi-identifiers and income; ``?`` is a value."""
    import pyarrow.compute as pc

    whole = load_adult()
    train = whole.filter(pc.equal(whole["split"], "train"))
    names = {
        "age": "age",
        "education_num": "education-num",
        "workclass": "workclass",
        "marital_status": "marital-status",
    }
    table = train.select([*names, "income"]).rename_columns([*names.values(), "income"])
    return table.set_column(2, "workclass", pc.fill_null(table["workclass"], MISSING))


def adult_trees() -> dict[str, Hierarchy]:
    """The hierarchies that give the dissertation's k = 4 (all at level 1) and 22 (age at level 2)."""
    government = ("Federal-gov", "Local-gov", "State-gov")
    others = ("Self-emp-inc", "Self-emp-not-inc", "Without-pay", "Never-worked", MISSING)
    married = ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent")
    single = ("Never-married", "Divorced", "Separated", "Widowed")
    return {
        "age": Hierarchy.cuts(range(17, 91), [28, 36, 48], [36]),
        "education-num": Hierarchy.cuts(range(1, 17), [9, 10, 11, 13]),
        "workclass": Hierarchy(
            [[name, "government", "*"] for name in government]
            + [["Private", "private", "*"]]
            + [[name, "other", "*"] for name in others]
        ),
        "marital-status": Hierarchy(
            [[name, "married", "*"] for name in married] + [[name, "not married", "*"] for name in single]
        ),
    }


def schema_of(trees: Mapping[str, Hierarchy]) -> Schema:
    """Four quasi-identifiers, income sensitive."""
    return Schema(quasi=trees, sensitive=["income"])
