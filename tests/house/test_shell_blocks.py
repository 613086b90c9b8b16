"""The commands of README and every page of docs/ run, on files made for the page.

The commands of a page run one after the other in one folder. What takes minutes, or needs a second party or a network
that was trained, is only parsed: its options exist and their values are of the right kind.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import DOCS, ROOT
from helpers.door_contract import run as sfumato
from helpers.sample_files import FILES
from sfumato.cli.app import command

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]

PARSED = re.compile(
    r"sfumato (study|audit|demo|new|model dejavu|party (listen|compare)|text train)\b"
    r"|.* --model model.npz|.* --mechanism retrieve --epsilon 10 -o"
)
"""Run by tests of their own, or too long to run here."""

SYNOPSIS = re.compile(r"--install-completion|…| \[| {8}[a-z]|(?<![\w.])(KIND|INPUT|OUT|FILE|DIR|HOST)\b")
"""Lines that show what can be written, not what to write; and the one that would change the shell."""


def commands(page: Path) -> list[str]:
    """The lines of a page that are to be typed in: in ``sh`` blocks, or indented by four spaces."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?: {4})?(sfumato [^\\\n]*(?:\\\n[^\\\n]*)*)$", text, re.M)
    typed = [re.sub(r"\\\n *", " ", line).partition(" #")[0] for line in lines]
    return [line.rstrip() for line in typed if not SYNOPSIS.search(line)]


def run(line: str) -> None:
    """Run one command; a pipe or a substitution through the shell."""
    if re.search(r">|\$\(", line):
        typed = line.replace("sfumato ", f"{shlex.quote(sys.executable)} -m sfumato ")
        subprocess.run(["bash", "-c", f"set -e; {typed}"], check=True, capture_output=True)
        return
    words = shlex.split(line)[1:]
    if PARSED.match(line):
        parse(words)
        return
    assert sfumato(*words) == 0, line


def parse(words: list[str]) -> None:
    """Read the words as the command would, and stop before it does anything."""
    found: Any = command()
    context = found.make_context("sfumato", list(words))
    while hasattr(found, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, found, rest = found.resolve_command(context, rest)
        context = found.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.stem)
def test_every_command_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    for make in FILES.get(page.stem, ()):
        make()
    for line in commands(page):
        run(line)


def test_a_wrong_command_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```sh\nsfumato rooms --colour  # no such option\n```\n\n    sfumato study trace --sed 3\n")
    wrong, slow = commands(page)
    with pytest.raises(AssertionError, match="--colour"):
        run(wrong)
    with pytest.raises(Exception, match="--sed"):
        run(slow)
