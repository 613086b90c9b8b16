"""The examples and the commands of docs/survey.md run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from helpers import DOCS
from helpers.door_contract import run
from sfumato.io.files import write_table

PAGE = (DOCS / "survey.md").read_text()


def test_examples_run():
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        exec(code, names)
    assert "within groups of 1 to 15 of 3000 owners; ε = 2.55 per answer" in str(names["collect"].guarantee)
    assert names["shuffled"].data.column_names == ["age", "answer"]


def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """All of them, one after the other, in a folder of made-up answers."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    columns = {"lat": rng.normal(52.5, 0.1, 120), "lon": rng.normal(13.4, 0.1, 120), "age": rng.integers(18, 80, 120)}
    words = {"status": ["married", "single"] * 60, "answer": ["yes", "no", "no"] * 40}
    write_table(pa.table(columns | words), "answers.csv")
    commands = re.findall(r"^    (sfumato (?:survey|budget|verify) .*)$", PAGE, flags=re.M)
    assert len(commands) >= 8
    for command in commands:
        assert run(*shlex.split(command)[1:]) == 0, command
