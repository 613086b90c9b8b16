"""The ready studies and the commands."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.study.run.runner import run
from sfumato.survey import protect
from sfumato.survey.data.survey import Survey
from sfumato.survey.question import Question
from sfumato.survey.room import ROOM, colour_map_study, hospital_study


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
    groups = {"hospital": ("radii", 2.0, "within 2 km"), "friends": ("hops", 1, "within 1 step")}
    option, value, label = groups.get(recipe.name, ("reaches", 5, "among 11"))
    study = recipe.build(**{option: (value,)}, alphas=(4.0,), seeds=1)
    lines = {label: line[0] for label, line in study.mechanisms.items()}
    released = lines[f"shuffled {label}"].release(study.data, rng=np.random.default_rng(0))
    assert released.n == study.data.n


def test_a_study_says_which_shuffles_are_uniform():
    """A thousand hospitals leave something to compare; the people of one of 200 are enough for a uniform shuffle."""
    settings = {"n": 4_000, "radii": (0.0, 30.0), "alphas": (4.0,), "seeds": 1}
    assert "1 of 2 shuffles among groups are practically uniform" in hospital_study(**settings, sites=1_000).summary
    assert "2 of 2" in hospital_study(**settings, sites=20).summary
    assert "uniform" not in hospital_study(**settings | {"radii": (0.0,)}, sites=1_000).summary


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(3)
    lines = ["id,lat,lon,age,answer"]
    for i in range(300):
        lat, lon = 52.5 + rng.normal(0, 0.1), 13.4 + rng.normal(0, 0.1)
        lines.append(f"{i},{lat:.4f},{lon:.4f},{rng.integers(18, 80)},{'yes' if lat > 52.5 else 'no'}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


PLACE = ["--group", "lat", "--group", "lon"]


def call(command: str, *arguments: str):
    from sfumato.cli.app import app

    return CliRunner().invoke(app, ["survey", command, *arguments])


def read(path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_protect_writes_the_places_with_shuffled_answers(answers, tmp_path):
    out = tmp_path / "out.csv"
    options = [*PLACE, "--radius", "5", "--alpha", "4", "--seed", "3"]
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
    options = [*PLACE, "--radius", "5", "--alpha", "4", "--out", str(out), "--seed", "5"]
    done = call("protect", str(answers), *options)
    assert list(read(out)[0]) == ["lat", "lon", "answer"]
    assert "not protected: lat (unchanged); lon (unchanged); the number of owners" in " ".join(done.output.split())
    assert [row["lat"] for row in read(out)] != [f"{float(row['lat']):g}" for row in read(answers)]
    done = call("protect", str(answers), *options, "--keep", "age", "--keep", "id")
    assert "age (unchanged); id (unchanged)" in done.output
    ages = {(float(row["lat"]), float(row["lon"])): (row["age"], row["id"]) for row in read(answers)}
    assert all(ages[float(row["lat"]), float(row["lon"])] == (row["age"], row["id"]) for row in read(out))


def test_protect_does_not_depend_on_the_order_of_the_file():
    """All at one place in a file sorted by the answer: each answer is equally likely in each row (1 in 10⁹ fails)."""
    table = csv_table(["x,answer", *["0,no"] * 50, *["0,yes"] * 50])
    heads = 0
    for seed in range(40):
        release = protect(table, group=["x"], radius=1.0, alpha=1000.0, rng=np.random.default_rng(seed))
        heads += release.data["answer"].to_pylist()[:50].count("yes")
    assert abs(heads - 1000) < 6.2 * np.sqrt(2000 / 4)


def test_owners_at_one_place_are_taken_in_random_order():
    """The reference order may not follow the file: two rows of one place stand in either order, half of the time."""
    question = Question(mechanism="shuffler", group=("x",), radius=1.0, alpha=1.0)
    survey = Survey(np.zeros(3, int), np.array([[1.0], [0.0], [1.0]]), ["yes"])
    first = [question.arrangement(survey, np.random.default_rng(seed)).tolist() for seed in range(400)]
    assert {tuple(rows) for rows in first} == {(1, 0, 2), (1, 2, 0)}
    assert abs(first.count([1, 0, 2]) - 200) < 6.2 * np.sqrt(400 / 4)


def csv_table(lines: list[str]):
    import pyarrow.csv

    return pyarrow.csv.read_csv(io.BytesIO("\n".join(lines).encode()))


def test_answers_keep_their_type_and_a_category_must_have_it(tmp_path):
    path, out = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(f'{{"x": {i}, "answer": {i % 2}, "flag": {str(i % 2 > 0).lower()}}}\n' for i in range(40)))
    options = ["--group", "x", "--radius", "2", "--alpha", "4", "--out", str(out), "--epsilon", "9"]
    for column, words in (("answer", ["0", "1", "2"]), ("flag", ["True", "False"])):
        done = call(
            "protect", str(path), *options, "--column", column, *(part for w in words for part in ("--category", w))
        )
        assert done.exit_code == 0, done.output
        released = [json.loads(line)[column] for line in out.read_text().splitlines()]
        assert {type(value) for value in released} == {int if column == "answer" else bool}
    out.unlink()
    done = call("protect", str(path), *options, "--category", "0", "--category", "1", "--category", "other")
    assert done.exit_code != 0
    assert "type" in str(done.output) + str(done.exception)
    assert not out.exists()


@pytest.mark.parametrize("answer", ["1.0", "true", "7"])
def test_a_file_of_text_may_lose_the_type_of_the_answers(answer, tmp_path):
    """Answers 1.0 are written as 1: they are still the answers of the original."""
    path, out, key = tmp_path / "answers.jsonl", tmp_path / "out.csv", tmp_path / "out.key"
    other = {"1.0": "2.0", "true": "false", "7": "8"}[answer]
    path.write_text("".join(f'{{"x": {i}, "answer": {answer if i % 3 else other}}}\n' for i in range(60)))
    options = ["--group", "x", "--radius", "2", "--alpha", "4", "--key", str(key)]
    assert call("protect", str(path), "-o", str(out), *options).exit_code == 0
    done = call("measure", str(path), str(out), "--key", str(key))
    assert done.exit_code == 0, done.output
    line = next(line for line in done.output.splitlines() if "error of the shares" in line)
    assert line.split()[4] == "0"


def test_protect_says_who_is_alone(answers, tmp_path):
    options = [*PLACE, "--radius", "2", "--alpha", "4", "--out", str(tmp_path / "out.csv")]
    done = call("protect", str(answers), *options)
    assert "owners are alone in their group" in done.output
    assert "owners who are alone in their group" in done.output.replace("\n", " ")
    assert "shuffled as they are" in done.output


def test_protect_randomises_too_and_says_both_promises(answers, tmp_path):
    out = tmp_path / "out.parquet"
    words = ["--category", "yes", "--category", "no", "--epsilon", "1", "--nearest", "10", "--order", "bfs"]
    place = ["--group", "lon", "--group", "lat"]
    done = call("protect", str(answers), *place, "--alpha", "2", "--out", str(out), *words)
    assert done.exit_code == 0, done.output
    assert "α = 2 on who sent which report, among the 10 nearest by lon, lat; ε = 1 per answer" in done.output
    said = " ".join(done.output.split())
    condition = said.partition("provided that ")[2].partition(" public")[0]
    assert "places" in condition
    assert "categories" in condition
    said = ["--public", "places='land register'", "--public", "categories='questionnaire of 2025'"]
    done = call("protect", str(answers), *place, "--alpha", "2", "--out", str(out), *words, *said)
    taken = " ".join(done.output.split()).partition("Taken as public: ")[2]
    assert "the places (land register)" in taken
    assert "the categories (questionnaire of 2025)" in taken
    assert "provided that" not in done.output


@pytest.mark.parametrize("command", ["attack", "measure"])
@pytest.mark.parametrize("crowd", [["--radius", "5"], ["--nearest", "12"]])
def test_attack_and_measure_print_scores(command, crowd, answers, tmp_path):
    out, key = tmp_path / "out.csv", tmp_path / "out.key"
    assert (
        call("protect", str(answers), *PLACE, *crowd, "--alpha", "4", "-o", str(out), "--key", str(key)).exit_code == 0
    )
    known = ["--privileged", "age"] if command == "attack" else []
    done = call(command, str(answers), str(out), "--key", str(key), *known)
    assert done.exit_code == 0, done.output
    assert ("majority vote" if command == "attack" else "learnability") in done.output
    assert "–" not in done.output  # nothing that could not be run


def test_the_attacker_may_know_words(tmp_path):
    """Two places of sixty; the side knowledge is the answer itself, in words."""
    lines = ["x,status,code,answer"]
    lines += [f"{i % 2},{'married' if i % 3 else 'single'},c{i},{'yes' if i % 3 else 'no'}" for i in range(120)]
    path, out, key = tmp_path / "answers.csv", tmp_path / "out.csv", tmp_path / "out.key"
    path.write_text("\n".join(lines) + "\n")
    options = ["--group", "x", "--radius", "1", "--alpha", "1", "-o", str(out), "--key", str(key)]
    assert call("protect", str(path), *options).exit_code == 0
    again = [str(path), str(out), "--key", str(key)]
    done = call("attack", *again, "--privileged", "status")
    assert done.exit_code == 0, done.output
    assert next(line for line in done.output.splitlines() if "Bayesian" in line).split()[1] == "1"
    done = call("attack", *again, "--privileged", "code")
    assert done.exit_code != 0
    assert "at most 100 words" in str(done.output) + str(done.exception)


@pytest.mark.parametrize(
    "options",
    [
        [*PLACE, "--radius", "5", "--alpha", "-1"],
        [*PLACE, "--radius", "-5", "--alpha", "1"],
        [*PLACE, "--alpha", "1"],
        ["--group", "lat", "--group", "height", "--radius", "5", "--alpha", "1"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--column", "vote"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--category", "yes"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--epsilon", "1"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--order", "random"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--geometry", "torus"],
        ["--group", "lat", "--group", "lat", "--radius", "5", "--alpha", "1"],
        ["--group", "lat,lon", "--radius", "5", "--alpha", "1"],
        ["--group", "lat", "--group", "age", "--column", "age", "--radius", "5", "--alpha", "1"],
        [*PLACE, "--radius", "5", "--nearest", "3", "--alpha", "1"],
        [*PLACE, "--radius", "nan", "--alpha", "1"],
        [*PLACE, "--radius", "5", "--alpha", "nan"],
        [*PLACE, "--radius", "5", "--alpha", "inf"],
        [*PLACE, "--nearest", "1", "--alpha", "1"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--keep", "height"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--keep", "answer"],
        [*PLACE, "--radius", "5", "--alpha", "1", "--metric", "cayley"],
        [*PLACE, "--radius", "5", "--alpha", "1", *["--category", "yes", "--category", "no"] * 2],
    ],
)
def test_bad_options_are_refused_and_nothing_is_written(options, answers, tmp_path):
    out = tmp_path / "out.csv"
    done = call("protect", str(answers), "--out", str(out), *options)
    assert done.exit_code != 0
    assert not out.exists()
