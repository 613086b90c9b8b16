"""A file of one's own, from the file to both editions of the report, in every kind of data."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers import ROOT, python_path
from helpers.vocabularies import made_up
from sfumato.errors import InputError
from sfumato.io import write_table
from sfumato.registry import rooms
from sfumato.study import Study, find_room
from sfumato.study.own.own_file import own_options, own_study
from sfumato.study.publication import publish_study
from sfumato.study.request import build_study, read_request

SECRET_NAME = "secret_folder_of_ann"


def table(folder: Path) -> str:
    from sfumato.table.core.proposal.schema_proposal import propose_schema

    rng = np.random.default_rng(3)
    ages = rng.integers(20, 60, 120)
    people = pa.table(
        {
            "age": ages,
            "town": rng.choice(["Linz", "Wels", "Graz"], 120).tolist(),
            "diagnosis": ["unicornitis", *("gout" if age > 45 else "flu" for age in ages[1:])],
        }
    )
    write_table(people, folder / "data.csv")
    propose_schema(people).write(folder / "table.toml")
    return 'schema = "table.toml"\n[options]\nk = [2, 12]\nsuppression = 0.1\n'


def statistic(folder: Path) -> str:
    rng = np.random.default_rng(4)
    write_table(pa.table({"income": rng.uniform(0, 100, 60), "who": rng.integers(0, 9, 60)}), folder / "data.csv")
    return '[options]\ncolumn = "income"\nlow = 0\nhigh = 100\nepsilons = [0.5, 5.0]\nperson = "who"\nrepeats = 20\n'


def text(folder: Path) -> str:
    vocabulary = made_up(60)
    rng = np.random.default_rng(5)
    words = list(vocabulary.words)
    lines = [" ".join(rng.choice(words, 12)) for _ in range(24)]
    write_table(
        pa.table({"text": lines, "author": ["annabella", "bobberino"] * 12, "topic": ["x", "x", "y", "y"] * 6}),
        folder / "data.jsonl",
    )
    np.save(folder / "vectors.npy", vocabulary.vectors)
    (folder / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    files = 'vectors = "vectors.npy"\nword_list = "words.txt"\n'
    return f'[options]\ntopic = "topic"\n{files}epsilons = [5.0, 20.0]\nlength = 8\n'


def trace(folder: Path) -> str:
    steps = np.arange(40.0)
    path = {"lat": 48 + np.cumsum(np.sin(steps / 9)) * 1e-4, "lon": 16 + np.cumsum(np.cos(steps / 7)) * 1e-4}
    write_table(pa.table({"t": 1_700_000_000 + 60 * steps, **path}), folder / "data.csv")
    return '[options]\nsecret = ["22:20-22:40"]\nerrors = [100.0, 1000.0]\n'


def survey(folder: Path) -> str:
    rng = np.random.default_rng(6)
    places = rng.uniform(0, 1, (80, 2))
    answers = rng.choice(["yes", "no"], 80).tolist()
    write_table(pa.table({"x": places[:, 0], "y": places[:, 1], "answer": answers}), folder / "data.csv")
    return '[options]\ncategories = ["yes", "no"]\ngroup = ["x", "y"]\nradius = 0.4\nalphas = [1.0, 4.0]\n'


def direction(folder: Path) -> str:
    hours = np.random.default_rng(7).uniform(5, 9, (40, 3))
    columns = {f"night{k}": hours[:, k] for k in range(3)}
    write_table(pa.table({"age": ["young", "old"] * 20, **columns}), folder / "data.csv")
    return '[options]\ncolumns = ["night0", "night1", "night2"]\ngroup = "age"\nlevels = [0.3, 3.0]\n'


def activity(folder: Path) -> str:
    """Ten users with a habit each, over two weeks."""
    rng = np.random.default_rng(8)
    events = [
        {"user": f"u{user}", "item": f"page{(3 * user + rng.integers(4)) % 20}", "time": f"2026-03-{day:02d}T09:00"}
        for user in range(10)
        for day in range(2, 16)
    ]
    write_table(pa.Table.from_pylist(events), folder / "data.csv")
    return "[options]\nks = [2]\nepsilons = [4.0]\n"


KINDS: dict[str, Callable[[Path], str]] = {
    "table": table,
    "statistic": statistic,
    "text": text,
    "trace": trace,
    "survey": survey,
    "direction": direction,
    "activity": activity,
}
FORBIDDEN = {
    "table": ["unicornitis"],
    "text": ["annabella", "bobberino"],
    "trace": ["22:20", "1700000000"],
}
"""What the edition to publish must not say besides paths."""


def make(kind: str, folder: Path) -> Path:
    """A study file in a folder of its own, with the data and whatever else it names beside it."""
    folder.mkdir()
    options = KINDS[kind](folder)
    (data,) = folder.glob("data.*")
    study = folder / "own.toml"
    study.write_text(f'room = "{kind}"\ndata = "{data.name}"\nseeds = 1\nout = "out"\n{options}', encoding="utf-8")
    return study


def test_every_file_that_is_taken_is_tried_here() -> None:
    assert {name for name in rooms() if find_room(name).own} == set(KINDS)
    for name in KINDS:
        assert own_options(find_room(name)), name


def test_a_kind_of_data_without_files() -> None:
    bare = dataclasses.replace(find_room("table"), own="")
    with pytest.raises(InputError, match="has ready studies only"):
        own_study(bare, "people.csv", {})


@pytest.mark.parametrize("kind", KINDS)
def test_from_file_to_report(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(kind, tmp_path / SECRET_NAME)
    monkeypatch.chdir(tmp_path)  # paths in a study file are relative to it, wherever one stands
    request = read_request(path)
    recipe, study = build_study(request)
    assert recipe.name == "own"
    assert request.out is not None
    outcome = publish_study(study, request.out, workers=1, public=True, command=f"sfumato study {path}")
    folder = tmp_path / SECRET_NAME / "out"
    assert {"report.html", "report-public.html", "results.parquet"} <= {file.name for file in folder.iterdir()}
    failed = {(row["label"], row["measure"]): row["reason"] for row in outcome.rows if row["reason"]}
    assert failed == {}
    internal, public = ((folder / f"{name}.html").read_text(encoding="utf-8") for name in ("report", "report-public"))
    assert SECRET_NAME in internal
    for private in (SECRET_NAME, "data.csv", "data.jsonl", "own.toml", *FORBIDDEN.get(kind, [])):
        assert private not in words_of(public), private


def words_of(page: str) -> str:
    """The page without the packed library, in which any letters may stand by chance."""
    start = page.index('id="plotly">')
    return page[:start] + page[page.index("</script>", start) :]


def test_studies_in_python(tmp_path: Path) -> None:
    make("table", tmp_path / "folder")
    data, schema = tmp_path / "folder" / "data.csv", tmp_path / "folder" / "table.toml"
    study = Study.of_file(data, room="table", schema=schema, k=[3], suppression=0.1)
    assert [line[0].target[0].k for line in study.mechanisms.values()] == [3, 3]  # type: ignore[attr-defined]
    assert study.records == 120
    assert "unicornitis" not in repr(study)
    assert "unicornitis" not in study._repr_html_()


def test_from_the_command_line(tmp_path: Path) -> None:
    make("statistic", tmp_path / "folder")
    options = ["column=income", "low=0", "high=100", "epsilons=[0.5]", "repeats=20"]
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "study", "statistic", "--data", "folder/data.csv", "--out", "here"]
        + [word for option in options for word in ("--set", option)]
        + ["--seeds", "1", "--workers", "1", "--limit", "0.9", "--public"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": python_path(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "to publish: here/report-public.html" in done.stderr
    assert "named by the reader" in (tmp_path / "here" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("table", {"schema": None}, "sfumato table init"),
        ("table", {"colunm": "x"}, "no option 'colunm': did you mean 'column'"),
        ("table", {"column": "age"}, "a sensitive column of the schema: diagnosis"),
        ("table", {"k": 5}, "values of the right kind"),
        ("statistic", {"column": None}, "needs column"),
        ("statistic", {"low": None}, "the public bounds"),
        ("statistic", {"mechanism": "median"}, "mechanism = 'median'"),
        ("statistic", {"neighbours": []}, "at least one of"),
        ("text", {"vectors": None}, "both of them or neither"),
        ("text", {"author": "sender"}, "author = 'sender'"),
        ("trace", {"secret": "22:20-22:40"}, "a list of intervals"),
        ("trace", {"secret": ["03:00-03:10"]}, "in which the trace has a point"),
        ("survey", {"categories": ["yes"]}, "at least two"),
        ("survey", {"categories": ["yes", "maybe"]}, "other answers"),
        ("survey", {"group": ["answer"]}, "without 'answer'"),
        ("direction", {"columns": "night0"}, r'a list such as \["night0"\]'),
        ("direction", {"kind": "latlon"}, "all three for places"),
        ("direction", {"user": "age"}, "nothing for hours"),
    ],
)
def test_bad_options_are_one_line(kind: str, change: dict[str, Any], message: str, tmp_path: Path) -> None:
    request = read_request(make(kind, tmp_path / "folder"))
    given = {**request.options, "schema": request.schema} if request.schema else dict(request.options)
    options = {name: value for name, value in (given | change).items() if value is not None}
    assert request.data is not None
    with pytest.raises(InputError, match=message) as caught:
        Study.of_file(request.data, room=kind, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('room = "table"\ndata = "a.csv"\nrecipe = "census"', "no recipe beside data"),
        ('room = "table"\nschema = "a.toml"', "data = … beside it"),
        ('room = "table"\ndata = "nowhere.csv"\nschema = "table.toml"', "nowhere.csv|table.toml"),
        ('room = "table"\ndata = 3', "data = 3"),
        ('room = "statistic"\ndata = "a.csv"\nschema = "b.toml"', "has no option 'schema'"),
    ],
)
def test_bad_study_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        build_study(read_request(path))


def test_places_with_a_public_map(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    venues = pa.table({"lat": 48 + rng.uniform(0, 0.05, 6), "lon": 16 + rng.uniform(0, 0.05, 6)})
    visited = rng.integers(0, 6, 90)
    visits = venues.take(visited).append_column("hour", pa.array(rng.uniform(0, 24, 90)))
    write_table(visits.append_column("who", pa.array(rng.integers(0, 6, 90))), tmp_path / "visits.csv")
    write_table(venues, tmp_path / "venues.csv")
    study = Study.of_file(
        tmp_path / "visits.csv",
        room="direction",
        kind="latlon",
        columns=["lat", "lon"],
        hour="hour",
        user="who",
        public=str(tmp_path / "venues.csv"),
        levels=[1.0],
    )
    assert study.records == 90
    assert study.contains["check-in"]["person"] == int(np.bincount(visits_of(tmp_path)).max())


def visits_of(folder: Path) -> Any:
    from sfumato.io import read_table

    return read_table(folder / "visits.csv")["who"].to_numpy()
