"""The commands of docs/direction.md run; its examples are run with the other tests of the room."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest

from helpers import DOCS
from helpers.door_contract import run
from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey
from sfumato.io.files import write_table


def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, one after the other, in a folder of made-up files."""
    monkeypatch.chdir(tmp_path)
    survey, visits = make_sleep_survey(people=40, nights=3), make_check_ins(users=6, places=12, cities=2, records=80)
    nights = dict(zip(("wakes", "monday", "tuesday"), survey.hour.T, strict=True))
    write_table(pa.table({"name": [f"p{i}" for i in range(40)], "age": ["old", "young"] * 20, **nights}), "poll.csv")
    columns = {"lat": visits.latlon[:, 0], "lon": visits.latlon[:, 1], "hour": visits.hour}
    write_table(pa.table(columns), "visits.csv")
    write_table(pa.table({"lat": visits.places[:, 0], "lon": visits.places[:, 1]}), "venues.csv")
    commands = re.findall(r"^    (sfumato (?:direction|budget) .*)$", (DOCS / "direction.md").read_text(), flags=re.M)
    assert len(commands) >= 11
    for command in commands:
        assert run(*shlex.split(command)[1:]) == 0, command
