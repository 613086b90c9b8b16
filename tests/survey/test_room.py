"""The ready studies and the commands."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.study.run.runner import run
from sfumato.survey.room import ROOM, colour_map_study


def test_demo_study_runs_and_draws_its_map():
    study = colour_map_study(n=300, alphas=(4.0,), seeds=1)
    outcome = run(study, workers=1)
    picture = study.pictures[0](outcome)
    headings = [note.text for note in picture.figure.layout.annotations]
    assert len(headings) == 4
    assert headings[0].startswith("local privacy only")
    assert headings[3].startswith("uniform shuffle")
    assert all("majority vote" in heading and "λ" in heading for heading in headings)
    votes = {row["label"]: row["value"] for row in outcome.select(measure="majority vote")}
    assert votes["local privacy only"] > votes["uniform shuffle"]


def test_room_is_found_with_one_demo():
    from sfumato.study import find_room

    assert find_room("survey") is ROOM
    assert [recipe.name for recipe in ROOM.recipes if recipe.demo] == ["colour-map"]


@pytest.mark.data
@pytest.mark.parametrize(
    "recipe", [recipe for recipe in ROOM.recipes if not recipe.demo], ids=lambda recipe: recipe.name
)
def test_public_studies_are_built(recipe):
    study = recipe.build(reaches=(5,), alphas=(4.0,), seeds=1)
    lines = {label: line[0] for label, line in study.mechanisms.items()}
    released = lines["shuffled among 11"].release(study.data, rng=np.random.default_rng(0))
    assert released.n == study.data.n


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(3)
    lines = ["lat,lon,age,answer"]
    for _ in range(300):
        lat, lon = 52.5 + rng.normal(0, 0.1), 13.4 + rng.normal(0, 0.1)
        lines.append(f"{lat:.4f},{lon:.4f},{rng.integers(18, 80)},{'yes' if lat > 52.5 else 'no'}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def call(*arguments: str):
    from sfumato.cli.app import app

    return CliRunner().invoke(app, ["survey", *arguments])


def read(path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_protect_writes_the_places_with_shuffled_answers(answers, tmp_path):
    out = tmp_path / "out.csv"
    options = ["--group", "lat,lon", "--radius", "5", "--alpha", "4", "--seed", "3"]
    done = call("protect", str(answers), "--out", str(out), *options)
    assert done.exit_code == 0, done.output
    before, after = read(answers), read(out)
    assert sorted(row["answer"] for row in before) == sorted(row["answer"] for row in after)
    places = [sorted((float(row["lat"]), float(row["lon"])) for row in rows) for rows in (before, after)]
    assert places[0] == places[1]
    owner = {(float(row["lat"]), float(row["lon"])): row["answer"] for row in before}
    assert any(owner[float(row["lat"]), float(row["lon"])] != row["answer"] for row in after)


def test_protect_releases_only_what_the_promise_speaks_of(answers, tmp_path):
    """Other columns go only if they are named, and the order of the rows, which may tell the answers, never."""
    out = tmp_path / "out.csv"
    options = ["--group", "lat,lon", "--radius", "5", "--alpha", "4", "--out", str(out), "--seed", "5"]
    done = call("protect", str(answers), *options)
    assert list(read(out)[0]) == ["lat", "lon", "answer"]
    assert "not protected: lat, lon, and how many" in " ".join(done.output.split())
    assert [row["lat"] for row in read(out)] != [f"{float(row['lat']):g}" for row in read(answers)]
    call("protect", str(answers), *options, "--keep", "age")
    ages = {(float(row["lat"]), float(row["lon"])): row["age"] for row in read(answers)}
    assert all(ages[float(row["lat"]), float(row["lon"])] == row["age"] for row in read(out))


def test_protect_does_not_depend_on_the_order_of_the_file():
    """All at one place in a file sorted by the answer: each answer is equally likely in each row (1 in 10⁹ fails)."""
    from sfumato.survey.commands import _asked

    heads = 0
    lines = ["x,answer", *["0,no"] * 50, *["0,yes"] * 50]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.survey.commands.read_table", lambda path: csv_table(lines))
        for seed in range(40):
            asked = _asked("-", "x", 1000.0, radius=1.0, seed=seed)
            heads += int(asked.collection.release(asked.survey, rng=asked.rng).answers[:50].sum())
    assert abs(heads - 1000) < 6.2 * np.sqrt(2000 / 4)


def csv_table(lines: list[str]):
    import pyarrow.csv

    return pyarrow.csv.read_csv(io.BytesIO("\n".join(lines).encode()))


def test_answers_keep_their_type_and_a_category_must_have_it(tmp_path):
    path, out = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(f'{{"x": {i}, "answer": {i % 2}, "flag": {str(i % 2 > 0).lower()}}}\n' for i in range(40)))
    options = ["--group", "x", "--radius", "2", "--alpha", "4", "--out", str(out), "--epsilon", "9"]
    for column, words in (("answer", ["0", "1", "2"]), ("flag", ["True", "False"])):
        done = call(
            "protect", str(path), *options, "--answer", column, *(part for w in words for part in ("--category", w))
        )
        assert done.exit_code == 0, done.output
        released = [json.loads(line)[column] for line in out.read_text().splitlines()]
        assert {type(value) for value in released} == {int if column == "answer" else bool}
    out.unlink()
    done = call("protect", str(path), *options, "--category", "0", "--category", "1", "--category", "other")
    assert done.exit_code != 0
    assert "type" in str(done.output) + str(done.exception)
    assert not out.exists()


def test_protect_says_who_is_alone(answers, tmp_path):
    options = ["--group", "lat,lon", "--radius", "2", "--alpha", "4", "--out", str(tmp_path / "out.csv")]
    done = call("protect", str(answers), *options)
    assert "owners are alone in their group" in done.output
    assert "shuffled as they are" in done.output


def test_protect_randomises_too_and_says_both_promises(answers, tmp_path):
    out = tmp_path / "out.parquet"
    words = ["--category", "yes", "--category", "no", "--epsilon", "1", "--nearest", "10", "--order", "bfs"]
    done = call("protect", str(answers), "--group", "lon,lat", "--alpha", "2", "--out", str(out), "--seed", "1", *words)
    assert done.exit_code == 0, done.output
    assert out.exists()


@pytest.mark.parametrize("command", ["attack", "measure"])
def test_attack_and_measure_print_scores(command, answers):
    options = ["--group", "lat,lon", "--radius", "5", "--alpha", "4", "--seed", "2"]
    done = call(command, str(answers), *options, *(["--privileged", "age"] if command == "attack" else []))
    assert done.exit_code == 0, done.output
    assert ("majority vote" if command == "attack" else "learnability") in done.output


def test_the_attacker_may_know_words(tmp_path):
    """Two places of sixty; the side knowledge is the answer itself, in words."""
    lines = ["x,status,code,answer"]
    lines += [f"{i % 2},{'married' if i % 3 else 'single'},c{i},{'yes' if i % 3 else 'no'}" for i in range(120)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    options = ["--group", "x", "--radius", "1", "--alpha", "1", "--seed", "2"]
    done = call("attack", str(path), *options, "--privileged", "status")
    assert done.exit_code == 0, done.output
    assert next(line for line in done.output.splitlines() if "Bayesian" in line).split()[1] == "1"
    done = call("attack", str(path), *options, "--privileged", "code")
    assert done.exit_code != 0
    assert "at most 100 words" in str(done.output) + str(done.exception)


@pytest.mark.parametrize(
    "options",
    [
        ["--group", "lat,lon", "--radius", "5", "--alpha", "-1"],
        ["--group", "lat,lon", "--radius", "-5", "--alpha", "1"],
        ["--group", "lat,lon", "--alpha", "1"],
        ["--group", "lat,height", "--radius", "5", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--answer", "vote"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--category", "yes"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--epsilon", "1"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--order", "random"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--geometry", "torus"],
        ["--group", "lat,lat", "--radius", "5", "--alpha", "1"],
        ["--group", "lat,", "--radius", "5", "--alpha", "1"],
        ["--group", "lat,age", "--answer", "age", "--radius", "5", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "5", "--nearest", "3", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "nan", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "nan"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "inf"],
        ["--group", "lat,lon", "--nearest", "1", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--keep", "height"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--keep", "answer"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", "--metric", "cayley"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1", *["--category", "yes", "--category", "no"] * 2],
    ],
)
def test_bad_options_are_refused_and_nothing_is_written(options, answers, tmp_path):
    out = tmp_path / "out.csv"
    done = call("protect", str(answers), "--out", str(out), *options)
    assert done.exit_code != 0
    assert not out.exists()
