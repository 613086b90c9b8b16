"""Public names, the study, Adult and the ACS."""

from __future__ import annotations

import pytest

import sfumato.table
from sfumato.table.room import ROOM


def test_public_names() -> None:
    assert sorted(sfumato.table.__all__) == list(sfumato.table.__all__)
    for name in sfumato.table.__all__:
        assert getattr(sfumato.table, name).__name__ == name


def test_study_and_report() -> None:
    pytest.importorskip("plotly")
    from sfumato.study.run.runner import run as run_study

    recipe = next(iter(ROOM.recipes))
    study = recipe.build(people=1000, sizes=(2, 5))
    outcome = run_study(study, workers=1, progress=False)
    assert {row["varied"] for row in outcome.select(label="local recoding")} == {2.0, 5.0}
    worst = outcome.select(label="local recoding", measure="worst re-identification risk")
    assert all(row["value"] <= 1 / row["varied"] + 1e-12 for row in worst)
    for picture in study.pictures:
        assert picture(outcome).figure.data


@pytest.fixture(scope="module")
def adult():
    from sfumato.io.datasets.adult import ADULT_BENCHMARK, adult_hierarchy, load_adult_benchmark
    from sfumato.table import Hierarchy

    return load_adult_benchmark(), {name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK}


@pytest.mark.data
@pytest.mark.parametrize(
    ("k", "suppression", "levels", "loss"),
    [
        (5, 0.04, (0, 3, 0, 1, 1, 1, 1, 2, 0), 0.29282),
        (5, 1.0, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.22770),
        (20, 0.04, (0, 4, 0, 1, 2, 1, 1, 2, 0), 0.39605),
        (20, 1.0, (0, 3, 0, 1, 2, 1, 1, 1, 0), 0.31709),
    ],
)
def test_adult_optima(adult, k, suppression, levels, loss) -> None:
    """The optima of ARX on 30 162 records and nine quasi-identifiers."""
    from sfumato.table import Schema, protect

    table, trees = adult
    result = protect(table, Schema(quasi=trees), k=k, suppression=suppression)
    assert tuple(result.decision.levels.values()) == levels
    assert result.decision.information_loss == pytest.approx(loss, abs=5e-6)
    assert result.decision.proved


@pytest.mark.data
def test_adult_local(adult) -> None:
    from sfumato.table import Schema, check, protect

    table, trees = adult
    schema = Schema(quasi=trees)
    for k, most in ((5, 0.075), (20, 0.165)):
        result = protect(table, schema, k=k, recoding="local")
        assert result.decision.information_loss <= most
        assert check(result, schema).k >= k
    eight = Schema(quasi={name: trees[name] for name in list(trees)[:8]}, sensitive=["salary-class"])
    sets = protect(table, eight, k=5, recoding="local", publish="set")
    assert sets.decision.information_loss <= 0.032
    close = protect(table, eight, k=10, t=0.2, recoding="local")
    assert check(close, eight).sensitive["salary-class"].t <= 0.2


@pytest.mark.data
def test_fifteen_columns_of_the_american_community_survey() -> None:
    """24 columns, 15 of them quasi-identifiers, schema as proposed: both recodings keep k."""
    from sfumato.io.datasets.acs_pums import load_acs_pums
    from sfumato.table import Schema, check, protect
    from sfumato.table.core.proposal.schema_proposal import propose_schema

    table = load_acs_pums().slice(0, 2000)
    proposed = propose_schema(table)
    names = list(proposed.quasi)[:15]
    others = [name for name in table.column_names if name not in names]
    schema = Schema(quasi={name: proposed.quasi[name] for name in names}, insensitive=others, missing=proposed.missing)
    for options in ({"recoding": "local"}, {"suppression": 0.1}):
        result = protect(table, schema, k=5, **options)
        assert check(result, schema).k >= 5
        assert result.data.num_columns == table.num_columns


@pytest.mark.data
def test_adult_of_the_dissertation() -> None:
    """§3.6: age, education-num, workclass, marital-status; k = 4 at level 1, 22 with age at level 2 (P1 and S3)."""
    from reproduction._adult import adult_table, adult_trees, schema_of

    from sfumato.table import ColumnMethods, Generalise, check
    from sfumato.table.attacks.deanonymiser import deanonymise, view_of

    table, schema = adult_table(), schema_of(adult_trees())
    for age, k, cells in ((1, 4, 120), (2, 22, 60)):
        steps = {name: [Generalise(age if name == "age" else 1)] for name in schema.quasi}
        released = ColumnMethods(schema=schema, columns=steps).release(table)
        found = check(released, schema)
        assert (found.k, found.classes) == (k, cells)
        assert deanonymise(view_of(table, released, schema)).n_q == k
