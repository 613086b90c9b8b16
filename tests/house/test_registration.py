"""What is audited is exported and can be had from the command line."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import get_type_hints

import pyarrow as pa
import pytest
from typer.models import ArgumentInfo

from sfumato.auditor.examples import audit_cases
from sfumato.cli import main
from sfumato.io.files import write_table
from sfumato.study import Room, find_rooms

ROOMS = list(find_rooms().values())
FIRST: dict[str, list[str]] = {"table": ["init", "in.csv", "--out", "table.toml"]}
"""What has to be called before ``protect``, so that only the name of the mechanism is wrong."""


def needed(target: str) -> list[str]:
    """A file for every argument and something for every option that a command asks for."""
    module, _, name = target.partition(":")
    command = getattr(importlib.import_module(module), name)
    hints = get_type_hints(command, include_extras=True)
    words: list[str] = []
    for parameter in inspect.signature(command).parameters.values():
        kind, info = hints[parameter.name].__origin__, hints[parameter.name].__metadata__[0]
        if parameter.default is not parameter.empty:
            continue
        if isinstance(info, ArgumentInfo):
            words.append("in.csv")
        else:
            flag = (info.param_decls or [f"--{parameter.name}"])[0]
            words += [flag, "1" if kind in (int, float) else "release.csv" if parameter.name == "out" else "age"]
    return words


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_audited_class_is_exported(room: Room) -> None:
    package = importlib.import_module(f"sfumato.{room.name}")
    missing = [kind.__name__ for kind in room.mechanisms().values() if kind.__name__ not in package.__all__]
    assert missing == []


def test_every_textbook_mechanism_is_exported() -> None:
    package = importlib.import_module("sfumato.mechanism")
    kinds = {type(case.mechanism).__name__ for case in audit_cases()}
    assert sorted(kinds - set(package.__all__)) == []


def test_every_textbook_mechanism_is_on_the_command_line() -> None:
    """``sfumato statistic protect --mechanism`` reaches them; its tests run each from file to file."""
    from sfumato.statistic.question import kinds

    assert {type(case.mechanism) for case in audit_cases()} <= set(kinds().values())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_audited_class_is_on_the_command_line(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown name of a mechanism is refused with all names there are."""
    monkeypatch.chdir(tmp_path)
    write_table(pa.table({"age": [31, 47], "hour": [7.5, 8.0], "answer": ["a", "b"]}), "in.csv")
    if room.name in FIRST:
        with pytest.raises(SystemExit):
            main([room.name, *FIRST[room.name]])
        capsys.readouterr()
    words = needed(room.commands["protect"])
    with pytest.raises(SystemExit) as ended:
        main([room.name, "protect", *words, "--mechanism", "nonsense"])
    said = capsys.readouterr().err
    assert ended.value.code == 2, said
    assert [name for name in room.mechanisms() if name not in said] == [], said
