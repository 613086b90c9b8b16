"""sfumato table: from a file to a release, with every mechanism."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from helpers.commands import listed_as
from helpers.table_commands import Done, run_table
from helpers.table_people import SCHEMA, make_people
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, Key, verify
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
    out, key = tmp_path / "out.csv", tmp_path / "out.key"
    for more in (
        [],
        ["--mechanism", "local-recoding"],
        ["--mechanism", "local-recoding", "--publish", "set", "--l", "2"],
    ):
        done = run("protect", str(source), "-o", str(out), "--schema", str(toml), "--k", "4", "--key", key, *more)
        assert done.exit_code == 0, done.stderr
        assert "k = 4" in done.stderr
        for act in ("attack", "measure"):
            shown = run(act, str(source), str(out), "--schema", str(toml), "--key", key)
            assert shown.exit_code == 0
            assert "–" not in shown.stderr, shown.stderr  # nothing failed
        checked = run("check", str(out), "--schema", str(toml))
        assert int(checked.stdout.split()[2]) >= 4
    done = run(
        "protect", str(source), "-o", str(out), "--schema", str(toml), "--suppression", "0.2", "--suppressed", "drop",
        "--key", str(key),
    )  # fmt: skip
    assert done.exit_code == 0
    for act in ("attack", "measure"):
        without = run(act, str(source), str(out), "--schema", str(toml))
        assert (without.exit_code, "the rows of the release were shuffled" in without.stderr) == (2, True)
        assert run(act, str(source), str(out), "--schema", str(toml), "--key", str(key)).exit_code == 0
    assert Card.read(f"{out}.card.json").release.rows_suppressed is None  # what was left out is not in the release
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
    level = ("--mechanism", "global-recoding", "--promise", "l-diversity l=2 column=illness")
    done = run("protect", people, "-o", out, "--schema", toml, *level)
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
    key = out.with_name("out.key")
    _ask(
        toml,
        '[mechanism]\nkind = "column-methods"\nrate = 0.8\n[mechanism.columns]\n'
        'age = [{ step = "noise", scale = 1 }, { step = "generalise", level = 1 }]',
    )
    done = run("protect", people, "-o", out, "--schema", toml, "--key", key, "--seed", "3")
    assert done.exit_code == 0, done.stderr
    assert "no guarantee" in done.stderr
    assert "experiments only" in done.stderr
    released = csv.read_csv(out)
    assert released.column_names == ["age", "town", "illness"]
    assert 60 < released.num_rows < 115
    attacked = run("attack", people, out, "--schema", toml, "--key", key)
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
    "safe-harbor": ([], "no guarantee"),
    "sampled-generalisation": (["--epsilon", "2", "--delta", "0.05", "--set", "rate=0.5"], "ε = 2"),
    "marginal-synthesis": (["--epsilon", "2", "--delta", "0.01", "--set", "domain=observed"], "ε = 2"),
}


@pytest.mark.parametrize("name", list(ROOM.mechanisms()))
def test_every_mechanism_by_command(files, run, name) -> None:
    people, toml, out = files
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    if listed == "microaggregation":
        NUMBERS.write(toml, force=True)
    options, promise = COMMANDS[listed]
    key = out.with_name("out.key")
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", name, "--key", key, *options)
    assert done.exit_code == 0, done.stderr
    assert promise in done.stderr
    released = csv.read_csv(out)
    assert "name" not in released.column_names
    card = Card.read(f"{out}.card.json")
    assert (card.mechanism.name, card.release.rows) == (name, released.num_rows)
    assert [column.name for column in card.release.columns] == released.column_names
    assert "identifier" not in {column.role for column in card.release.columns}
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert verify(out).holds, verify(out)
    for act in ("attack", "measure"):
        done = run(act, people, out, "--schema", toml, "--key", key)
        assert done.exit_code == 0, done.stderr
        assert sum(char.isdigit() for char in done.stdout) > 2  # some attack ran


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
    key = tmp_path / "out.key"
    done = run("protect", people, "-o", out, "--schema", toml, "--mechanism", "microaggregation", "--set", "k=4",
               "--key", key)  # fmt: skip
    assert (done.exit_code, "k = 4" in done.stderr) == (0, True)
    assert check(csv.read_csv(out), schema).k >= 4
    attacked = run("attack", people, out, "--schema", toml, "--key", key)  # the card names the mechanism
    assert "nearest record" in attacked.stdout
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
    groups = values["group"].to_pylist()
    assert groups != sorted(groups)  # both tables are shuffled
    (part,) = Card.read(f"{out}.card.json").release.parts
    assert (part.name, part.rows) == ("values", values.num_rows)
    assert verify(out).holds
    beside = out.with_name("values-out.csv")
    beside.write_text(beside.read_text().replace("flu", "flue"))
    assert "values-out.csv are not those" in str(verify(out))
    beside.unlink()
    assert "values-out.csv, a table of the release, is missing" in str(verify(out))
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
        "--key, --attack and --report": ["--engine", "duckdb", "--key", str(out.with_name("k"))],
        "works in memory": ["--mechanism", "greedy-k-member", "--k", "3", "--engine", "spark"],
        "expected one of 'k-anonymity'": ["--promise", "beauty"],
    }.items():
        done = run("protect", people, "-o", out, "--schema", toml, *more)
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    assert sorted(path.name for path in out.parent.iterdir()) == ["hierarchies", "people.csv", "table.toml"]


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


def _sorted_people(tmp_path: Path) -> tuple[Path, Path]:
    """A file in the order of its sensitive column, and its schema."""
    table = make_people(400).sort_by("illness")
    people, toml = tmp_path / "people.csv", tmp_path / "table.toml"
    csv.write_csv(table, people)
    SCHEMA.write(toml)
    return people, toml


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_rows_are_shuffled_unless_the_order_is_kept(tmp_path: Path, run, engine) -> None:
    people, toml = _sorted_people(tmp_path)
    before = csv.read_csv(people)["illness"].to_pylist()
    for more, kept in (([], False), (["--keep-order"], True)):
        out = tmp_path / f"out{kept}.csv"
        done = run("protect", people, "-o", out, "-s", toml, "--k", "5", *engine, *more)
        assert done.exit_code == 0, done.stderr
        after = csv.read_csv(out)["illness"].to_pylist()
        assert sorted(after) == before
        assert (after == before) is kept  # 400 rows by chance in order: less than 1 in 10^180
        assert ("order of the input" in done.stderr) is kept
        assert Card.read(f"{out}.card.json").release.order_shuffled is not kept
        assert verify(out).holds
    done = run(
        "attack", people, tmp_path / "outTrue.csv", "-s", toml
    )  # no key is needed where the order is the input's
    assert done.exit_code == 0, done.stderr


def test_suppressed_rows_do_not_stand_together(tmp_path: Path, run) -> None:
    people, toml = _sorted_people(tmp_path)
    out = tmp_path / "out.csv"
    done = run("protect", people, "-o", out, "-s", toml, "--k", "40", "--suppression", "0.6")
    assert done.exit_code == 0, done.stderr
    starred = [row == "*" for row in csv.read_csv(out)["town"].to_pylist()]
    card = Card.read(f"{out}.card.json")
    if card.release.rows_suppressed is not None and 40 <= sum(starred) <= 360:
        runs = sum(a != b for a, b in pairwise(starred))
        assert runs > 8  # stars in one block have one or two changes


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_a_release_is_recorded_and_the_second_is_noticed(files, run, engine) -> None:
    people, toml, out = files
    book = out.with_name("budget.db")
    Ledger(book).close()
    asked = ("protect", people, "-s", toml, "--ledger", book, "--subject", "clinic", *engine)
    first = run(*asked, "-o", out)
    assert first.exit_code == 0, first.stderr
    assert "recorded for 'clinic'" in first.stderr
    other = out.with_name("other.csv")
    second = run(*asked, "-o", other, "--k", "9")
    assert "warning: 'clinic' was released once before" in second.stderr
    cards = [Card.read(f"{path}.card.json") for path in (out, other)]
    assert cards[1].earlier_releases == (cards[0].id,)
    with Ledger(book) as ledger:
        assert [entry.release for entry in ledger.releases("clinic")] == [card.id for card in cards]
    for path in (out, other):
        verdict = verify(path, ledger=book)
        assert verdict.holds, verdict
        assert "recorded as an unpaid release of 'clinic'" in str(verdict)


LOCAL = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, identifiers=["name", "town", "illness"])


def test_local_privacy_pays_and_does_not_overspend(files, run) -> None:
    people, toml, out = files
    LOCAL.write(toml, force=True)
    noise = ["--mechanism", "column-methods", "--set", 'columns={age=[{step="noise", scale=99}]}']
    book = out.with_name("budget.db")
    with Ledger(book) as ledger:
        ledger.set("clinic", PureDP(1.5, neighbours="any-pair", model="local"))
    asked = ("protect", people, "-s", toml, *noise)
    paying = ("--ledger", book, "--subject", "clinic")
    seeded = run(*asked, "-o", out, *paying, "--seed", "1")
    assert seeded.exit_code == 0, seeded.stderr
    assert "no guarantee: the random numbers were seeded" in seeded.stderr
    with Ledger(book) as ledger:
        assert ledger.spent("clinic").epsilon == 0
    paid = run(*asked, "-o", out, *paying)
    assert "paid by 'clinic': ε = 1; left: ε = 0.5" in paid.stderr, paid.stderr
    assert verify(out, ledger=book).holds
    before = {path: path.read_bytes() for path in out.parent.iterdir() if path.is_file()}
    refused = run(*asked, "-o", out.with_name("second.csv"), *paying)
    assert (refused.exit_code, "only ε = 0.5" in refused.stderr) == (2, True)
    after = {path: path.read_bytes() for path in out.parent.iterdir() if path.is_file()}
    assert before == after
    alone = run(*asked, "-o", out.with_name("second.csv"), "--subject", "clinic")
    assert (alone.exit_code, "a ledger with it" in alone.stderr) == (2, True)


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_a_seeded_order_promises_nothing(files, run, engine) -> None:
    people, toml, out = files
    done = run("protect", people, "-o", out, "-s", toml, "--seed", "1", *engine)
    assert done.exit_code == 0, done.stderr
    card = Card.read(f"{out}.card.json")
    assert (card.mechanism.randomness, card.promise["kind"]) == ("seeded", "NoGuarantee")


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_the_input_is_never_overwritten(files, run, engine) -> None:
    people, toml, out = files
    (out.with_name("soft.csv")).symlink_to(people)
    os.link(people, out.with_name("hard.csv"))
    content = people.read_bytes()
    for target in (people, out.with_name("soft.csv"), out.with_name("hard.csv")):
        done = run("protect", people, "-o", target, "-s", toml, *engine)
        assert (done.exit_code, "it is the input" in done.stderr) == (2, True), done.stderr
    assert people.read_bytes() == content


def test_a_streamed_release_is_signed_and_has_no_key(files, run) -> None:
    from sfumato.release import make_keys

    people, toml, out = files
    private, public = make_keys(out.with_name("office.key"))
    done = run("protect", people, "-o", out, "-s", toml, "--engine", "duckdb", "--sign", private)
    assert done.exit_code == 0, done.stderr
    assert verify(out, public_key=public).holds
    done = run("attack", people, out, "-s", toml)
    assert "the rows of the release were shuffled" in done.stderr


def test_attacks_on_the_card(files, run) -> None:
    people, toml, out = files
    done = run(
        "protect", people, "-o", out, "-s", toml, "--attack", "--l", "2", "--k", "4", "--key", out.with_name("k")
    )
    assert done.exit_code == 0, done.stderr
    card = Card.read(f"{out}.card.json")
    assert {one.criterion for one in card.risk} == {"singling out", "linkability", "inference"}
    assert {"worst re-identification risk", "worst gain in belief in illness"} <= {one.attack for one in card.risk}
    assert {one.use for one in card.utility} >= {"information lost", "error of marginals"}
    assert Key.read(out.with_name("k")).rows is not None


def test_the_schema_must_fit_the_card(files, run) -> None:
    people, toml, out = files
    key = out.with_name("out.key")
    assert run("protect", people, "-o", out, "-s", toml, "--key", key).exit_code == 0
    LOCAL.write(toml, force=True)
    done = run("attack", people, out, "-s", toml, "--key", key)
    assert (done.exit_code, "those of the card: age, town" in done.stderr) == (2, True)


@pytest.mark.parametrize("way", ["csv", "semicolon", "xlsx", "stream"])
def test_a_hospital_by_file(tmp_path: Path, run, way) -> None:
    """Zip codes with leading zeros, birth dates, blanks, cents; as every file that people have."""
    from sfumato.table.data import hospital_schema, make_hospital

    table, toml, out = make_hospital(900), tmp_path / "table.toml", tmp_path / "out.csv"
    hospital_schema().write(toml)
    source = tmp_path / ("cases.xlsx" if way == "xlsx" else "cases.csv")
    if way == "xlsx":
        pytest.importorskip("python_calamine")
        writer = pytest.importorskip("xlsxwriter")
        book = writer.Workbook(source)
        sheet = book.add_worksheet()
        for column, name in enumerate(table.column_names):
            sheet.write(0, column, name)
            for row, value in enumerate(table[name].to_pylist(), 1):
                if value is not None:
                    sheet.write(row, column, value if isinstance(value, float) else str(value))
        book.close()
    elif way == "semicolon":
        rows = [";".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()]
        text = "\n".join([";".join(table.column_names), *rows]) + "\n"
        source.write_bytes(text.replace("ulcer", "ulcère").encode("latin-1"))
        tree = tmp_path / "hierarchies" / "table" / "diagnosis.csv"
        tree.write_text(tree.read_text().replace("ulcer", "ulcère"))
    else:
        csv.write_csv(table, source)
    key = [] if way == "stream" else ["--key", tmp_path / "out.key"]
    engine = ["--engine", "duckdb"] if way == "stream" else []
    done = run("protect", source, "-o", out, "-s", toml, "--k", "5", "--l", "2", "--suppression", "0.05", *key, *engine)
    assert done.exit_code == 0, done.stderr
    released = csv.read_csv(out)
    assert released.column_names == ["zip", "birth_date", "sex", "diagnosis", "cost"]
    assert verify(out).holds, verify(out)
    card = Card.read(f"{out}.card.json")
    assert {column.name: column.role for column in card.release.columns} == {
        "zip": "quasi-identifier", "birth_date": "quasi-identifier", "sex": "quasi-identifier",
        "diagnosis": "sensitive", "cost": "insensitive",
    }  # fmt: skip
    assert card.class_risk is not None
    assert card.class_risk.highest <= 0.2
    if key:
        for act in ("attack", "measure"):
            done = run(act, source, out, "-s", toml, *key)
            assert done.exit_code == 0, done.stderr
