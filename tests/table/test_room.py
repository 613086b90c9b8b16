"""The room as a whole: names, commands, the study, Adult and the ACS (generic checks are in tests/test_checks.py)."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

import sfumato.table
from helpers.table_commands import Done, run_table
from sfumato.table.data import census_schema, make_census
from sfumato.table.room import ROOM


def test_public_names() -> None:
    assert sorted(sfumato.table.__all__) == list(sfumato.table.__all__)
    for name in sfumato.table.__all__:
        assert getattr(sfumato.table, name).__name__ == name


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    return run_table(capsys)


def test_commands_from_init_to_measure(tmp_path: Path, run: Callable[..., Done]) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    source = folder / "people.csv"
    csv.write_csv(make_census(600), source)
    toml = tmp_path / "table.toml"
    assert run("init", str(source), "-o", str(toml)).exit_code == 0
    assert run("init", str(source), "-o", str(toml)).exit_code != 0  # never replaces what the owner corrected
    census_schema().write(toml)
    out = tmp_path / "out.csv"
    for more in ([], ["--recoding", "local"], ["--recoding", "local", "--publish", "set", "--l", "2"]):
        done = run("protect", str(source), "-o", str(out), "--schema", str(toml), "--k", "4", *more)
        assert done.exit_code == 0, done.stderr
        assert "k = 4" in done.stderr
        for act in ("attack", "measure"):
            shown = run(act, str(source), str(out), "--schema", str(toml))
            assert shown.exit_code == 0
        checked = run("check", str(out), "--schema", str(toml))
        assert int(checked.stdout.split()[2]) >= 4
    rows = tmp_path / "rows.csv"
    done = run(
        "protect", str(source), "-o", str(out), "--schema", str(toml), "--suppression", "0.2", "--suppressed", "drop",
        "--lineage", str(rows),
    )  # fmt: skip
    assert done.exit_code == 0
    assert run("attack", str(source), str(out), "--schema", str(toml)).exit_code != 0  # rows without lineage
    assert run("attack", str(source), str(out), "--schema", str(toml), "--lineage", str(rows)).exit_code == 0
    assert run("protect", str(source), "-o", str(out), "--schema", str(toml), "--k", "9999").exit_code != 0
    assert "--engine spark" in run("protect", source, "-o", out, "--schema", toml, "--master", "local[1]").stderr
    assert run("protect", str(source), "-o", str(out), "--schema", str(tmp_path / "no.toml")).exit_code != 0


def test_json_lines_and_parquet(tmp_path: Path, run: Callable[..., Done]) -> None:
    table = make_census(200)
    census_schema().write(tmp_path / "table.toml")
    lines = tmp_path / "people.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    out = tmp_path / "out.parquet"
    done = run("protect", str(lines), "-o", str(out), "--schema", str(tmp_path / "table.toml"))
    assert done.exit_code == 0
    assert out.exists()


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
    assert tuple(result.levels.values()) == levels
    assert result.loss == pytest.approx(loss, abs=5e-6)
    assert result.decision.proved


@pytest.mark.data
def test_adult_local(adult) -> None:
    from sfumato.table import Schema, check, protect

    table, trees = adult
    schema = Schema(quasi=trees)
    for k, most in ((5, 0.075), (20, 0.165)):
        result = protect(table, schema, k=k, recoding="local")
        assert result.loss <= most
        assert check(result, schema).k >= k
    eight = Schema(quasi={name: trees[name] for name in list(trees)[:8]}, sensitive=["salary-class"])
    sets = protect(table, eight, k=5, recoding="local", publish="set")
    assert sets.loss <= 0.032
    close = protect(table, eight, k=10, t=0.2, recoding="local")
    assert check(close, eight).sensitive["salary-class"].t <= 0.2


@pytest.mark.data
def test_fifteen_columns_of_the_american_community_survey() -> None:
    """24 columns, 15 of them quasi-identifiers, schema as proposed: both recodings keep k."""
    from sfumato.io.datasets.acs_pums import load_acs_pums
    from sfumato.table import Schema, check, protect
    from sfumato.table.core.proposal import propose_schema

    table = load_acs_pums().slice(0, 8000)
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
    from sfumato.table import ColumnMethods, Generalise, check
    from sfumato.table.attacks.deanonymiser import deanonymise, view_of
    from sfumato.table.dissertation import adult_table, adult_trees, schema_of

    table, schema = adult_table(), schema_of(adult_trees())
    for age, k, cells in ((1, 4, 120), (2, 22, 60)):
        steps = {name: [Generalise(age if name == "age" else 1)] for name in schema.quasi}
        released = ColumnMethods(schema=schema, columns=steps).release(table)
        found = check(released, schema)
        assert (found.k, found.classes) == (k, cells)
        assert deanonymise(view_of(table, released, schema)).n_q == k


def test_gzip_in_and_out(tmp_path: Path, run: Callable[..., Done]) -> None:
    census_schema().write(tmp_path / "table.toml")
    plain = tmp_path / "people.csv"
    csv.write_csv(make_census(100), plain)
    with plain.open("rb") as raw, gzip.open(tmp_path / "people.csv.gz", "wb") as packed:
        shutil.copyfileobj(raw, packed)
    done = run("protect", str(tmp_path / "people.csv.gz"), "-o", str(tmp_path / "out.csv.gz"), "--schema",
                str(tmp_path / "table.toml"))  # fmt: skip
    assert done.exit_code == 0
    with gzip.open(tmp_path / "out.csv.gz") as stream:
        assert len(stream.readlines()) == 101


def test_nothing_is_written_on_failure(tmp_path: Path, run: Callable[..., Done]) -> None:
    census_schema().write(tmp_path / "table.toml")
    broken = make_census(50).to_pydict()
    broken["age"][3] = "old"
    csv.write_csv(pa.table(broken), tmp_path / "people.csv")
    done = run(
        "protect",
        str(tmp_path / "people.csv"),
        "-o",
        str(tmp_path / "out.csv"),
        "--schema",
        str(tmp_path / "table.toml"),
    )
    assert done.exit_code != 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hierarchies", "people.csv", "table.toml"]
