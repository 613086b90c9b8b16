"""sfumato table: from a file to a release, with every mechanism."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from helpers.commands import listed_as
from helpers.table_commands import Done, run_table
from helpers.table_people import SCHEMA, make_people
from sfumato.table import Hierarchy, Schema, check
from sfumato.table.data import census_schema, make_census
from sfumato.table.room import ROOM


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
    for more in (
        [],
        ["--mechanism", "local-recoding"],
        ["--mechanism", "local-recoding", "--publish", "set", "--l", "2"],
    ):
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


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """People, schema and where the release goes."""
    people = tmp_path / "people.csv"
    csv.write_csv(make_people(), people)
    SCHEMA.write(tmp_path / "table.toml")
    return people, tmp_path / "table.toml", tmp_path / "out.csv"


def _ask(toml: Path, text: str) -> None:
    """Put tables after the roles."""
    toml.write_text(toml.read_text() + "\n" + text + "\n", encoding="utf-8")


def test_the_file_asks_for_promises(files, run) -> None:
    people, toml, out = files
    _ask(
        toml,
        '[[promise]]\nkind = "risk"\nlimit = 0.1\nattacker = "marketer"\n'
        '[[promise]]\nkind = "t-closeness"\nt = 0.3\ncolumn = "illness"',
    )
    done = run("protect", people, "-o", out, "--schema", toml, "--promise", "l-diversity l=2 column=illness")
    assert done.exit_code == 0, done.stderr
    assert "marketer risk ≤ 0.1 and t = 0.3 for illness (equal distance) and distinct l = 2" in done.stderr
    assert "optimal: " in done.stderr
    found = check(csv.read_csv(out), SCHEMA)
    assert found.risk.marketer <= 0.1
    assert found.sensitive["illness"].t <= 0.3
    assert found.sensitive["illness"].distinct_l >= 2
    assert "k = 5" not in done.stderr  # 5 is asked for only where nothing else is
    other = ("protect", people, "-o", out, "-s", toml, "--mechanism", "greedy-k-member", "--k", "2")
    assert "none with greedy-k-member" in run(*other, "--promise", "k-anonymity k=2").stderr
    assert run(*other).exit_code == 0


def test_the_file_asks_for_steps_for_each_column(files, run) -> None:
    people, toml, out = files
    rows = out.with_name("rows.csv")
    _ask(
        toml,
        '[mechanism]\nkind = "column-methods"\nrate = 0.8\n[mechanism.columns]\n'
        'age = [{ step = "noise", scale = 1 }, { step = "generalise", level = 1 }]',
    )
    done = run("protect", people, "-o", out, "--schema", toml, "--lineage", rows, "--seed", "3")
    assert done.exit_code == 0, done.stderr
    assert "no guarantee" in done.stderr
    assert "experiments only" in done.stderr
    released = csv.read_csv(out)
    assert released.column_names == ["age", "town", "illness"]
    assert 60 < released.num_rows < 115
    attacked = run("attack", people, out, "--schema", toml, "--lineage", rows)
    assert attacked.exit_code == 0, attacked.stderr
    assert "re-identification" in attacked.stdout


NUMBERS = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, insensitive=["town", "illness"], identifiers=["name"])
COMMANDS: dict[str, tuple[list[str], str]] = {
    "global-recoding": (["--k", "3", "--suppression", "0.2", "--information-loss", "entropy"], "k = 3"),
    "local-recoding": (["--publish", "set", "--set", "sweeps=1"], "k = 5"),
    "greedy-k-member": (["--k", "3"], "k = 3"),
    "microaggregation": (["--k", "4", "--set", "grouping=k-member"], "k = 4"),
    "record-suppression": (["--set", "k=1"], "k = 1"),
    "anatomy": (["--l", "2", "--set", "column=illness"], "distinct l = 2"),
    "column-methods": (["--set", 'columns={age=[{step="generalise", level=1}]}'], "no guarantee"),
    "record-sampling": (["--set", "rate=0.5"], "no guarantee"),
    "swapping": (["--set", "columns=illness", "--set", "rate=0.2"], "no guarantee"),
    "independent-noise": (["--set", "columns=['age']", "--set", "share=0.1"], "no guarantee"),
    "correlated-noise": (["--set", "columns=age", "--set", "c=0.1"], "no guarantee"),
}


@pytest.mark.parametrize("name", list(ROOM.mechanisms()))
def test_every_mechanism_by_command(files, run, name) -> None:
    people, toml, out = files
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    if listed == "microaggregation":
        NUMBERS.write(toml)
    options, promise = COMMANDS[listed]
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", name, *options)
    assert done.exit_code == 0, done.stderr
    assert promise in done.stderr
    assert "name" not in csv.read_csv(out).column_names


def test_an_unknown_mechanism_is_answered_with_all_names(files, run) -> None:
    people, toml, out = files
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", "blur")
    assert done.exit_code == 2
    assert all(name in done.stderr for name in ROOM.mechanisms())


def test_micro_aggregation_reads_numbers_from_text_and_is_attacked_by_distance(tmp_path: Path, run) -> None:
    people, toml, out = tmp_path / "people.csv", tmp_path / "table.toml", tmp_path / "out.csv"
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, insensitive=["town"])
    csv.write_csv(make_people().select(["age", "town"]), people)
    schema.write(toml)
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", "microaggregation", "--set", "k=4")
    assert (done.exit_code, "k = 4" in done.stderr) == (0, True)
    assert check(csv.read_csv(out), schema).k >= 4
    attacked = run("attack", people, out, "--schema", toml, "--mechanism", "microaggregation", "--set", "k=4")
    assert "nearest record" in attacked.stdout
    assert "name the mechanism" in run("attack", people, out, "--schema", toml).stderr  # means are no ages
    refused = run("protect", people, "-o", out, "--schema", toml, "--mechanism", "independent-noise",
                  "--set", "columns=town", "--set", "share=1")  # fmt: skip
    assert "column 'town': value = " in refused.stderr
    assert "this mechanism takes no words" in refused.stderr


def test_anatomy_by_command(files, run) -> None:
    people, toml, out = files
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", "anatomy", "--l", "2",
               "--set", "column=illness")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert csv.read_csv(out).column_names == ["age", "town", "group"]
    values = csv.read_csv(out.with_name("values-out.csv"))
    assert values.column_names == ["group", "illness", "count"]
    piped = run(
        "protect", people, "-o", "-", "-s", toml, "--mechanism", "anatomy", "--l", "2", "--set", "column=illness"
    )
    assert "two tables" in piped.stderr


def test_refusals(files, run) -> None:
    people, toml, out = files
    for message, more in {
        "parameter = 'suppression'": ["--mechanism", "greedy-k-member", "--k", "3", "--suppression", "0.1"],
        "parameter = 'publish'": ["--publish", "set"],
        "expected k; say k=": ["--mechanism", "greedy-k-member"],
        "none with a mechanism that does not recode": ["--mechanism", "greedy-k-member", "--population", str(people)],
        "no seed with recoding": ["--seed", "1"],
        "works in memory": ["--mechanism", "greedy-k-member", "--k", "3", "--engine", "spark"],
        "expected one of 'k-anonymity'": ["--promise", "beauty"],
    }.items():
        done = run("protect", people, "-o", out, "--schema", toml, *more)
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    assert not out.exists()


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
