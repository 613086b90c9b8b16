"""``sfumato study`` with limits and with files of one's own, from outside."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Sfumato = Callable[..., subprocess.CompletedProcess[str]]
QUICK = ("--workers", "1", "--seeds", "1", "--set", "n=50", "--set", "epsilon=[0.5, 8.0]")


def test_a_limit_is_named_and_both_editions_are_written(sfumato: Sfumato, tmp_path: Path) -> None:
    done = sfumato("study", "outside", *QUICK, "--out", "here", "--limit", "1", "--public")
    assert done.returncode == 0, done.stderr
    assert "Blur, ε = 8: share guessed" in done.stderr
    assert "to publish: here/report-public.html" in done.stderr
    internal, public = (
        (tmp_path / "here" / f"{name}.html").read_text(encoding="utf-8") for name in ("report", "report-public")
    )
    assert "the most useful setting is" in internal
    assert "sfumato study outside --recipe bits --seeds 1" in internal
    assert "sfumato study" not in public


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--limit", "little"], "--limit = 'little': expected a number, ATTACK=NUMBER, or default"),
        (["--limit", "0.1", "--limit", "0.2"], "say which attack each limit is on"),
        (["--limit", "shares guessed=0.1"], "attack with a limit = 'shares guessed'"),
        (["--limit", "default"], "name your own"),
        (["--data", "people.csv"], "has ready studies only"),
        (["--schema", "table.toml"], "data = … beside it"),
    ],
)
def test_what_cannot_be_asked(sfumato: Sfumato, tmp_path: Path, options: list[str], message: str) -> None:
    done = sfumato("study", "outside", "--workers", "1", *options)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_demo_recommends_nothing(sfumato: Sfumato, tmp_path: Path) -> None:
    done = sfumato("demo", "outside", "--out", "demo", "--workers", "1")
    assert done.returncode == 0, done.stderr
    pages = [done.stderr, *(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html"))]
    assert len(pages) == 3
    for words in pages:
        assert "most useful setting is" not in words
        assert "nothing is recommended" in words
