"""Progress on terminals only, warnings on standard error."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sfumato.study import console
from sfumato.study.console import command_rng, progress


def test_progress_is_silent_when_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(range(3), "working")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_progress_shows_a_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(console, "notes", Console(file=screen, force_terminal=True, width=100))
    assert list(progress((n for n in range(30)), "working", total=30)) == list(range(30))
    assert "working" in screen.getvalue()
    assert "30/30" in screen.getvalue()
    assert "/s" in screen.getvalue()


def test_a_seed_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_rng(3).integers(1000) == command_rng(3).integers(1000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "protects nothing" in captured.err
    assert command_rng(None).integers(2**62) != command_rng(None).integers(2**62)
    assert capsys.readouterr().err == ""
