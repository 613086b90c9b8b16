"""What the commands say to files and options that do not go together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from helpers.door_contract import run
from sfumato.io.files import read_table, write_table


def written(folder: Path, **columns: list[object]) -> Path:
    file = folder / "in.csv"
    write_table(pa.table(columns), file)
    return file


def test_midnight_may_be_the_end_of_the_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.csv"
    file = written(tmp_path, wakes=["24:00", "07:30", "00:00"])
    assert run("direction", "protect", file, "-c", "wakes", "--pure", "1", "-o", out) == 0
    assert len(read_table(out)) == 3
    file = written(tmp_path, wakes=["24:01", "07:30"])
    assert run("direction", "protect", file, "-c", "wakes", "--pure", "1", "-o", tmp_path / "other.csv") == 2
    assert "an hour outside the day in row 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("columns", "words", "said"),
    [
        ({"t": ["07h30", "08h15"]}, ("-c", "t", "--pure", "1"), "times such as 07:30, or timestamps"),
        ({"t": [1.0, 24.0]}, ("-c", "t", "--pure", "1"), "--wrap"),
        (
            {"lat": [48.1, 48.2], "lon": [11.5, 11.6], "who": ["A", "A"]},
            (
                *("-c", "lat", "-c", "lon", "--kind", "latlon", "--level", "1", "--radius", "200"),
                *("-m", "directional-trace", "--trace", "who"),
            ),
            "--set length=",
        ),
        (
            {"lat": [48.1, 48.2], "lon": [11.5, 11.6]},
            ("-c", "lat", "-c", "lon", "--kind", "latlon", "--level", "1", "--radius", "200", "-m", "elliptical"),
            "--set centre=",
        ),
    ],
)
def test_the_remedy_is_named(
    columns: dict[str, list[object]],
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written(tmp_path, **columns)
    assert run("direction", "protect", file, *words, "-o", tmp_path / "out.csv") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
