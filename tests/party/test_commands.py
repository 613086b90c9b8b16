"""The commands from file to file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.cli import main
from sfumato.io.files import read_table, write_table
from sfumato.party.data import make_party
from sfumato.party.room import ROOM
from sfumato.release import verify


def sfumato(*arguments: object) -> int:
    """The exit code of ``sfumato party ARGUMENTS``."""
    with pytest.raises(SystemExit) as ended:
        main(["party", *map(str, arguments)])
    return int(ended.value.code or 0)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    write_table(make_party(30), path)
    return path


@pytest.mark.parametrize("mechanism", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(people: Path, mechanism: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, key = people.with_name("release.csv"), people.with_name("release.key")
    settings = ["--set", "epsilon=1.0", "--set", "low=0.0", "--set", "high=100.0"]
    assert sfumato("protect", people, "-c", "value", "-m", mechanism, *settings, "-o", out, "--key", key) == 0
    assert read_table(out).num_rows == 30
    assert "promise: ε = 1" in capsys.readouterr().err
    assert verify(out).holds
    assert sfumato("attack", people, out, "--key", key) == 0
    assert sfumato("measure", people, out, "--key", key) == 0
    shown = capsys.readouterr().out
    assert "people linked" in shown
    assert "error of the mean" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "value", "-m", "nonsense"], "expected one of"),
        (["-c", "value"], "expected epsilon, low, high"),
        (["-c", "weight", "--epsilon", "1", "--low", "0", "--high", "100"], "has no column 'weight'"),
        (["-c", "value", "--epsilon", "1", "--low", "0", "--high", "9"], "widen the bounds"),
    ],
)
def test_errors_are_one_line(
    people: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sfumato("protect", people, "-o", people.with_name("release.csv"), *options) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert not people.with_name("release.csv").exists()
