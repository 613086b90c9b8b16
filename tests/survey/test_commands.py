"""Every mechanism on the command line, from a file to a release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.io.files import write_table
from sfumato.survey import HadamardResponse, UnaryEncoding
from sfumato.survey.commands import KINDS
from sfumato.survey.room import ROOM

CATEGORIES = ("--category", "yes", "--category", "no", "--category", "never")
PLACES = ("--group", "x,y", "--radius", "0.3", "--alpha", "4")
COMMANDS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "collection": ((*PLACES, *CATEGORIES, "--epsilon", "1"), ["x", "y", "answer"]),
    "shuffler": ((*PLACES, "--set", "sensitivity_form=printed"), ["x", "y", "answer"]),
    "unary-encoding": (
        (*CATEGORIES, "--epsilon", "2", "--set", "optimised=false"),
        ["answer=yes", "answer=no", "answer=never"],
    ),
    "hadamard-response": ((*CATEGORIES, "--epsilon", "2", "--keep", "x"), ["x", "answer"]),
}
"""The options of every mechanism, and the columns that it releases."""


def call(*arguments: object):
    from sfumato.cli.app import app

    return CliRunner().invoke(app, ["survey", *map(str, arguments)])


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "answers.parquet"
    columns = {"x": rng.random(80), "y": rng.random(80), "answer": np.array(["yes", "no"])[rng.integers(0, 2, 80)]}
    write_table(pa.table(columns | {"secret": rng.random(80)}), path)
    return path


def test_every_mechanism_has_words():
    assert set(KINDS) == set(ROOM.mechanisms())
    assert set(COMMANDS) == {listed_as(kind, COMMANDS) for kind in KINDS.values()}
    assert set(COMMANDS) <= set(KINDS)


@pytest.mark.parametrize("name", list(KINDS))
def test_protect(name, answers, tmp_path):
    out = tmp_path / "release.parquet"
    options, columns = COMMANDS[listed_as(KINDS[name], COMMANDS)]
    done = call("protect", answers, "--mechanism", name, *options, "--out", out, "--seed", 1)
    assert done.exit_code == 0, done.output
    assert "promise:" in done.output
    released = pq.read_table(out)
    assert len(released) == 80
    assert released.column_names == columns


def test_encoded_reports_can_be_counted(answers, tmp_path):
    """At ε = 20: unary bits show the shares of the file; a Hadamard report of 80 owners adds 1/√80 of its own."""
    out = tmp_path / "release.parquet"
    truth = pq.read_table(answers)["answer"].to_pylist()
    shares = [truth.count(word) / 80 for word in ("yes", "no", "never")]
    for name, front in (("unary-encoding", UnaryEncoding), ("hadamard-response", HadamardResponse)):
        words = ("--mechanism", name, *CATEGORIES, "--epsilon", "20", "--seed", "3", "--out", out)
        more = ("--set", "optimised=false") if name == "unary-encoding" else ()
        assert call("protect", answers, *words, *more).exit_code == 0
        made = front(epsilon=20.0, categories=3, **({"optimised": False} if more else {}))
        released = pq.read_table(out).to_pandas().to_numpy()
        estimate = made.estimate(released if name == "unary-encoding" else released[:, 0])
        assert np.abs(estimate - shares).max() < (0.01 if name == "unary-encoding" else 0.25)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--mechanism", "mallows", *PLACES), "collection"),
        (("--mechanism", "shuffler", *PLACES, "--epsilon", "1"), "--epsilon"),
        (("--mechanism", "unary-encoding", "--epsilon", "1"), "--category"),
        (("--mechanism", "unary-encoding", *CATEGORIES), "epsilon"),
        (("--mechanism", "unary-encoding", *CATEGORIES, "--epsilon", "1", "--set", "categories=9"), "categories"),
        (("--group", "x,y", "--radius", "0.3"), "--alpha"),
        (("--alpha", "4", "--radius", "0.3"), "--group"),
        ((*PLACES, "--set", "speed=3"), "speed"),
    ],
)
def test_bad_words_are_refused(options, expected, answers, tmp_path):
    out = tmp_path / "release.parquet"
    done = call("protect", answers, *options, "--out", out)
    assert done.exit_code != 0
    assert expected in str(done.output) + str(done.exception)
    assert not out.exists()


def test_an_unknown_name_is_answered_with_all_names(answers):
    done = call("protect", answers, "--mechanism", "mallows", *PLACES)
    assert all(name in str(done.exception) + done.output for name in KINDS)


@pytest.mark.parametrize("command", ["attack", "measure"])
def test_encodings_have_no_places_to_attack(command, answers):
    done = call(command, answers, "--mechanism", "unary-encoding", *CATEGORIES, "--epsilon", "1", "--near", "1")
    assert done.exit_code != 0
    assert "collection or shuffler" in str(done.output) + str(done.exception)


def test_measure_prints_every_utility(answers):
    done = call("measure", answers, *PLACES, "--seed", "2")
    assert done.exit_code == 0, done.output
    for utility, *_ in ROOM.utilities():
        assert utility.name.split()[0] in done.output
