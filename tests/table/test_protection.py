"""What leaves with a table and what does not; attack and measure through the release; the card computed again."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from helpers import ROOT, python_path
from helpers.table_people import SCHEMA, make_people
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise import Guarantee, KAnonymity
from sfumato.release import Card, Release, Source, Terms, verify
from sfumato.release.issuance import fingerprint
from sfumato.table import (
    Anatomy,
    ColumnMethods,
    DeltaPresence,
    Generalise,
    GroupValuesAttack,
    Hierarchy,
    IndependentNoise,
    LDiversity,
    NumberNoise,
    PopulationUniqueness,
    RecordSampling,
    RecursiveDiversity,
    ReidentificationRisk,
    Schema,
    SkewAttack,
    Swapping,
    TCloseness,
    protect,
    protect_file,
    protect_with,
)
from sfumato.table.protection import recoder, recompute
from sfumato.table.tabular_release import mechanism_of, public_parameters

IN_ORDER = Terms(keep_order=True)


# What leaves


@pytest.mark.parametrize("index", ["named", "multi", "numbers"])
def test_an_index_does_not_leave(index: str, tmp_path: Path) -> None:
    frame = make_people().to_pandas()
    names = frame.pop("name")
    frame.index = {
        "named": pd.Index(names, name="name"),
        "multi": pd.MultiIndex.from_arrays([names, np.arange(len(frame))], names=["name", "number"]),
        "numbers": pd.Index(np.arange(len(frame))[::-1]),
    }[index]
    release = protect(frame, SCHEMA, k=3)
    assert list(release.data.columns) == ["age", "town", "illness"]
    assert list(release.data.index) == list(range(len(frame)))
    assert release.data.index.names == [None]
    release.write(tmp_path / "out.parquet")
    raw = (tmp_path / "out.parquet").read_bytes()
    assert b"person 7" not in raw
    assert b"pandas" not in raw
    released = RecordSampling(schema=SCHEMA, rate=0.5).release(frame)
    assert list(released.index) == list(range(len(released)))


def test_categories_that_no_row_has_and_metadata_do_not_leave(tmp_path: Path) -> None:
    table = make_people().append_column("note", pa.array(["x"] * 119 + ["telling"]).dictionary_encode())
    table = table.replace_schema_metadata({"secret": "remark"})
    schema = Schema(quasi=SCHEMA.quasi, sensitive=["illness"], identifiers=["name"], insensitive=["note"])
    release = protect_with(table, RecordSampling(schema=schema, rate=0.2), rng=seeded_rng(1))
    if "telling" not in release.data["note"].to_pylist():
        release.write(tmp_path / "out.parquet")
        assert b"telling" not in (tmp_path / "out.parquet").read_bytes()
    assert release.arrow.schema.metadata is None


def test_undeclared_columns_are_refused_and_identifiers_stay() -> None:
    table = make_people()
    with pytest.raises(InputError, match="columns without a role"):
        protect(table.append_column("shoe", table["age"]), SCHEMA, k=3)
    release = protect(table, SCHEMA, k=3)
    assert "name" not in release.data.column_names
    assert "person 7" not in release.card.to_json()


def test_rows_are_shuffled_and_the_key_knows_them() -> None:
    table = make_people(300)
    for mechanism in (recoder(SCHEMA, k=3), Swapping(schema=SCHEMA, columns=["age"], rate=0.1)):
        release = protect_with(table, mechanism)
        rows = release.key.rows
        assert sorted(rows.tolist()) == list(range(300))
        assert rows.tolist() != list(range(300))
        assert release.data["illness"].to_pylist() == table["illness"].take(rows).to_pylist()
        kept = protect_with(table, mechanism, terms=IN_ORDER)
        assert kept.data["illness"].to_pylist() == table["illness"].to_pylist()


def test_what_the_card_says() -> None:
    table = make_people(300)
    release = protect(table, SCHEMA, k=5, suppression=0.2, terms=Terms(source=Source(population_size=10_000)))
    card = release.card
    assert {column.name: column.role for column in card.release.columns} == {
        "age": "quasi-identifier", "town": "quasi-identifier", "illness": "sensitive",
    }  # fmt: skip
    assert card.mechanism.parameters["levels"] == release.decision.levels
    assert card.mechanism.randomness == "secure"
    stars = sum(row == ("*", "*") for row in zip(*(release.data[n].to_pylist() for n in ("age", "town")), strict=True))
    assert card.release.rows_suppressed in (stars, None)
    assert card.class_risk.highest <= 0.2
    assert (card.class_risk.population_unique, card.class_risk.threshold) == (0.0, 0.09)
    assert any("illness" in phrase for phrase in card.not_covered)  # k says nothing of inference
    assert Card.from_json(card.to_json()) == card
    dropped = protect(table, SCHEMA, k=5, suppression=0.2, suppressed="drop").card
    assert dropped.release.rows_suppressed is None
    assert str(table.num_rows) not in dropped.to_json() or dropped.release.rows == table.num_rows


def test_a_seeded_order_promises_nothing_and_a_kept_one_draws_nothing() -> None:
    table = make_people()
    assert protect(table, SCHEMA, k=3, rng=seeded_rng(1)).guarantee.vacuous
    assert protect(table, SCHEMA, k=3, rng=seeded_rng(1), terms=IN_ORDER).guarantee.vacuous
    kept = protect(table, SCHEMA, k=3, terms=IN_ORDER)
    assert (kept.card.mechanism.randomness, kept.guarantee.statement) == ("none", "k = 3")
    with pytest.raises(InputError, match="promise for groups"):  # k records of one person hide nobody
        protect(pa.concat_tables([table, table]), SCHEMA, k=3, terms=Terms(person="name"))


MECHANISMS: list[Any] = [
    recoder(SCHEMA, k=3, l=2, suppression=0.1),
    recoder(SCHEMA, k=3, t=0.4, recoding="local", publish={"age": "set"}),
    recoder(SCHEMA, k=2, information_loss="classification:illness"),
    recoder(SCHEMA, target=[RecursiveDiversity(3.0, 2, "illness", allowed=["flu"])]),
    Anatomy(schema=SCHEMA, column="illness", l=2),
    ColumnMethods(schema=SCHEMA, columns={"age": [NumberNoise(scale=1.0), Generalise(1)]}, rate=0.9),
    ColumnMethods(schema=SCHEMA, columns={"age": [NumberNoise(sizes={0: 0.5, 1: 0.5})]}),
    Swapping(schema=SCHEMA, columns=["age"], rate=0.3),
    RecordSampling(schema=SCHEMA, rate=0.5),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: type(one).__name__)
def test_the_mechanism_is_on_the_card(mechanism: Any, tmp_path: Path) -> None:
    protect_with(make_people(), mechanism).write(tmp_path / "out.csv")
    card = Card.read(tmp_path / "out.csv.card.json")
    again = mechanism_of(card, SCHEMA)
    assert type(again) is type(mechanism)
    assert public_parameters(again) == public_parameters(mechanism)
    assert again.guarantee == mechanism.guarantee


# Attack and measure


def test_every_finding_has_a_criterion_and_says_what_is_known() -> None:
    table = make_people()
    for mechanism in MECHANISMS:
        found = protect_with(table, mechanism).attack(table)
        assert any(one.score.value == one.score.value for one in found)
        assert all(one.criterion and one.knows for one in found)
        assert all(one.reason for one in found if one.score.value != one.score.value)


def test_what_cannot_be_measured_is_a_reason() -> None:
    table = make_people()
    found = {one.name: one for one in protect_with(table, MECHANISMS[4]).measure(table)}
    assert found["F-ratio predicting illness"].reason  # there is nothing to learn from, and nothing to learn
    assert found["information lost"].score.value == 0  # anatomy changes no quasi-identifier


def test_a_release_from_a_file_needs_the_schema_and_the_key(tmp_path: Path) -> None:
    table, out = make_people(), tmp_path / "out.csv"
    protect(table, SCHEMA, k=3).write(out, key=tmp_path / "key")
    with pytest.raises(InputError, match="hierarchies, which are not on the card"):
        Release.read(out, key=tmp_path / "key").attack(table)
    with pytest.raises(InputError, match="rows of the release were shuffled"):
        Release.read(out).attack(table, schema=SCHEMA)
    with pytest.raises(InputError, match="a sensitive column of the schema"):
        Release.read(out, key=tmp_path / "key").attack(table, schema=SCHEMA, column="age")
    found = Release.read(out, key=tmp_path / "key").attack(table, schema=SCHEMA)
    assert {one.criterion for one in found} == {"singling out", "linkability", "inference"}
    assert found[0].score.value <= 1 / 3 + 1e-12


def test_nothing_can_be_attacked_without_quasi_identifiers() -> None:
    table = make_people()
    schema = Schema(quasi={}, sensitive=["illness"], insensitive=["age", "town"], identifiers=["name"])
    release = protect_with(table, Swapping(schema=schema, columns=["illness"], rate=0.5))
    for act in (release.attack, release.measure):
        with pytest.raises(InputError, match="at least one quasi-identifier"):
            act(table)


def test_order_does_not_matter_to_an_attack() -> None:
    table = make_people()
    shuffled, kept = (protect(table, SCHEMA, k=3, terms=terms) for terms in (None, IN_ORDER))
    for one, other in zip(shuffled.attack(table), kept.attack(table), strict=True):
        assert one.score.value == pytest.approx(other.score.value)


def test_a_swapping_rate_is_no_sampling_rate() -> None:
    """Nothing is swapped: the worst re-identification is that of the raw table, whatever the rate is called."""
    table = make_people(40)
    mechanism = Swapping(schema=SCHEMA, columns=["age"], rate=0.04)  # fewer than two of 40 records
    found = {one.name: one.score.value for one in protect_with(table, mechanism).attack(table)}
    raw = {
        one.name: one.score.value for one in protect_with(table, RecordSampling(schema=SCHEMA, rate=1.0)).attack(table)
    }
    assert found["mean re-identification risk"] == pytest.approx(raw["mean re-identification risk"])


def test_skew_is_the_share_above_the_table() -> None:
    schema = Schema(quasi={"town": Hierarchy.flat("ab")}, sensitive=["illness"])
    table = pa.table({"town": list("aaaabbbb"), "illness": ["x", "x", "x", "y", "y", "y", "y", "y"]})
    release = protect(table, schema, k=4)
    score = SkewAttack(schema=schema, column="illness").attack(table, release)
    # x: 3 of 4 in a, 3 of 8 in the table; y: 4 of 4 in b, 5 of 8 in the table
    assert score.value == pytest.approx(0.375)
    mean = SkewAttack(schema=schema, column="illness", statistic="mean").attack(table, release)
    assert mean.value == pytest.approx((3 * 0.375 + 0 + 4 * 0.375) / 8)
    with pytest.raises(InputError, match="sensitive column"):
        SkewAttack(schema=schema, column="town")


@pytest.mark.parametrize("missing", ["reject", "category"])
def test_words_that_stay_narrow_down_who_is_near(missing: str) -> None:
    """Noise on the age, the town as it is: who is alone in a town is found, however large the noise."""
    quasi = {"age": Hierarchy.intervals(0, 99, [10]), "town": Hierarchy.flat("abcdefgh")}
    schema = Schema(quasi=quasi, sensitive=["illness"], missing=missing)
    table = pa.table({"age": [20, 30, 40, 50, 60, 70, 80, 90], "town": list("abcdefgh"), "illness": list("xyxyxyxy")})
    release = protect_with(table, IndependentNoise(schema=schema, columns=["age"], share=5.0))
    found = {one.name: one.score.value for one in release.attack(table)}
    assert found["nearest record is the right one"] == found["illness of the nearest record"] == 1.0


def test_groups_of_an_anatomy_tell_at_most_one_in_l() -> None:
    rng = np.random.default_rng(3)
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 999, [10])}, sensitive=["illness"])
    table = pa.table({"age": np.arange(300), "illness": rng.permutation(["a", "b", "c", "d"] * 75).tolist()})
    for l in (2, 4):  # noqa: E741
        release = protect_with(table, Anatomy(schema=schema, column="illness", l=l))
        worst = GroupValuesAttack(schema=schema, column="illness").attack(table, release).value
        assert worst <= 1 / l + 1e-12  # every age is alone: each victim has one group
    same = pa.table({"age": [1] * 8, "illness": ["a"] * 4 + ["b"] * 4})
    release = protect_with(same, Anatomy(schema=schema, column="illness", l=2))
    assert GroupValuesAttack(schema=schema, column="illness", statistic="mean").attack(same, release).value == 0.5
    named = Schema(quasi=schema.quasi, sensitive=["illness"], insensitive=["group"])
    with pytest.raises(InputError, match="anatomy adds them"):
        protect_with(same.append_column("group", same["age"]), Anatomy(schema=named, column="illness", l=2))


# The card computed again


def _edited(path: Path, table: pa.Table, **content: Any) -> None:
    """Edit the data and write the hash anew, as who holds an unsigned card can."""
    csv.write_csv(table, path)
    card = Card.read(f"{path}.card.json")
    changed = replace(card.release, **fingerprint(path), **content)
    Path(f"{path}.card.json").write_text(replace(card, release=changed, class_risk=None).to_json())


PROMISES: dict[str, tuple[list[Guarantee], str]] = {
    "k": ([KAnonymity(4)], "k = 4"),
    "distinct": ([KAnonymity(2), LDiversity(2, "illness")], "distinct l = 2"),
    "entropy": ([LDiversity(1.5, "illness", "entropy")], "entropy l = 1.5"),
    "recursive": ([RecursiveDiversity(4.0, 2, "illness")], "recursive (c, l)"),
    "t": ([TCloseness(0.35, "illness")], "t = 0.35"),
    "prosecutor": ([ReidentificationRisk(0.25)], "prosecutor risk"),
    "marketer": ([ReidentificationRisk(0.25, "marketer")], "marketer risk"),
    "unique": ([PopulationUniqueness(0.0001, 10_000)], "population uniqueness"),
}


@pytest.mark.parametrize("name", list(PROMISES))
@pytest.mark.parametrize("recoding", ["global", "local"])
def test_promises_are_computed_again(tmp_path: Path, name: str, recoding: str) -> None:
    promises, statement = PROMISES[name]
    out = tmp_path / "out.csv"
    release = protect(make_people(240), SCHEMA, target=promises, recoding=recoding)
    release.write(out)
    verdict = verify(out)
    assert verdict.holds, verdict
    assert [check.result for check in verdict.checks if check.name.startswith(statement)] == ["holds"]
    # a record moves into a class of its own, and of one illness; for promises on the table as a whole, all of them
    rows = release.arrow.to_pylist()
    for i in range(len(rows) if name in ("marketer", "unique") else 1):
        rows[i] = {"age": str(i % 80), "town": "abc"[i // 80], "illness": "flu"}
    _edited(out, pa.Table.from_pylist(rows, schema=pa.schema([(n, pa.string()) for n in release.arrow.column_names])))
    failed = [check.name for check in verify(out).checks if check.result == "fails"]
    assert any(one.startswith(statement) for one in failed), verify(out)


def test_a_process_that_has_seen_no_table_reads_the_promises(tmp_path: Path) -> None:
    """Kinds of promise are found by name, whatever was imported before."""
    out = tmp_path / "out.csv"
    protect(make_people(240), SCHEMA, k=4, l=2).write(out)
    code = f"import sfumato as sf; verdict = sf.verify({str(out)!r}); print(verdict); assert verdict.holds"
    alone = {**os.environ, "PYTHONPATH": python_path(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=alone, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "holds: distinct l = 2 for illness" in done.stdout


def test_classes_suppressed_rows_and_shape_are_computed_again(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    table = make_people(200)
    release = protect(table, SCHEMA, k=12, suppression=0.5)
    release.write(out)
    assert verify(out).holds
    card = Card.read(f"{out}.card.json")
    text = card.to_json()
    for changed, name in (
        (replace(card, class_risk=replace(card.class_risk, highest=0.01)), "classes"),
        (replace(card, class_risk=replace(card.class_risk, share_above=0.5)), "classes"),
        (replace(card, release=replace(card.release, rows=199)), "columns"),
        (replace(card, release=replace(card.release, columns=card.release.columns[::-1])), "columns"),
        (replace(card, release=replace(card.release, rows_suppressed=3)), "suppressed records"),
    ):
        Path(f"{out}.card.json").write_text(changed.to_json())
        assert [one.name for one in verify(out).checks if one.result == "fails"] == [name]
    Path(f"{out}.card.json").write_text(text)


def test_what_cannot_be_computed_again_says_why(tmp_path: Path) -> None:
    everyone = make_people(240)
    table = everyone.slice(0, 120)
    tree = Hierarchy([["flu", "lung", "*"], ["cold", "lung", "*"], ["gout", "joint", "*"]])
    schema = Schema(quasi=SCHEMA.quasi, sensitive={"illness": tree}, identifiers=["name"])
    close = protect(table, schema, target=[TCloseness(0.5, "illness", "hierarchical")])
    words = {check.name: check for check in recompute(close)}
    found = next(check for name, check in words.items() if name.startswith("t = 0.5"))
    assert (found.result, "hierarchy of illness" in found.words) == ("not checked", True)
    assert any(c.name.startswith("t = 0.5") and c.result == "holds" for c in recompute(close, schema=schema))
    present = protect(table, schema, target=[DeltaPresence(0.0, 1.0)], population=everyone)
    assert any("compares with the population" in check.words for check in recompute(present))
    sampled = protect_with(table, RecordSampling(schema=schema, rate=0.5))
    assert any("not a property of the table" in check.words for check in recompute(sampled))


def test_anatomy_is_computed_again_from_both_tables(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    release = protect_with(make_people(), Anatomy(schema=SCHEMA, column="illness", l=2))
    release.write(out)
    assert any(check.words == "computed again from both tables" for check in verify(out).checks)
    values = csv.read_csv(tmp_path / "values-out.csv")
    beside, card = tmp_path / "values-out.csv", Card.read(f"{out}.card.json")

    def rewritten(table: pa.Table) -> list[str]:
        csv.write_csv(table, beside)
        (part,) = card.release.parts
        parts = (replace(part, rows=table.num_rows, **fingerprint(beside)),)
        Path(f"{out}.card.json").write_text(replace(card, release=replace(card.release, parts=parts)).to_json())
        return [check.name for check in verify(out).checks if check.result == "fails"]

    assert rewritten(values) == []
    assert rewritten(values.slice(1)) == ["groups"]
    same = values.set_column(1, "illness", pa.array(["flu"] * values.num_rows))
    assert rewritten(same) == ["distinct l = 2 for illness"]


# From file to file


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_streamed_release_has_the_papers_of_one_in_memory(tmp_path: Path, ending: str) -> None:
    table = make_people(300)
    source, out = tmp_path / "people.parquet", tmp_path / f"out.2021.{ending}"
    parquet.write_table(table, source)
    mechanism = recoder(SCHEMA, k=5, suppression=0.2)
    streamed = protect_file(source, out, mechanism)
    memory = protect_with(table, mechanism)
    assert verify(out).holds, verify(out)
    card = Card.read(f"{out}.card.json")
    assert card == streamed.card
    for name in ("mechanism", "promise", "class_risk", "not_covered"):
        assert getattr(card, name) == getattr(memory.card, name)
    assert card.release.columns == memory.card.release.columns
    assert card.release.rows_suppressed == memory.card.release.rows_suppressed
    released = streamed.arrow
    order = [(n, "ascending") for n in released.column_names]
    text = pa.schema([(n, pa.string()) for n in released.column_names])
    assert released.cast(text).sort_by(order).equals(memory.arrow.cast(text).sort_by(order))
    assert released["illness"].to_pylist() != table["illness"].to_pylist()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name, f"{out.name}.card.json"])


def test_nothing_is_left_of_a_streamed_release_that_was_not_paid(tmp_path: Path) -> None:
    source, out = tmp_path / "people.parquet", tmp_path / "out.csv"
    parquet.write_table(make_people(), source)
    with pytest.raises(InputError):  # there is no such ledger
        protect_file(source, out, recoder(SCHEMA, k=3), terms=Terms(ledger=tmp_path / "none.db", subject="clinic"))
    with pytest.raises(InputError, match="none from file to file"):
        protect_file(source, out, recoder(SCHEMA, k=3), terms=Terms(person="name"))
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]
