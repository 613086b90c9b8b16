"""Shell completion, and help that shows flags as flags."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Sfumato = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("sfumato stu", {"study"}), ("sfumato statistic pro", {"protect"}), ("sfumato study --fre", {"--fresh"})],
)
def test_completion(words: str, expected: set[str]) -> None:
    asked = {
        "_SFUMATO_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "sfumato"], capture_output=True, text=True, env=os.environ | asked, check=False
    )
    assert expected <= set(done.stdout.split()), done.stderr


def test_flags_have_no_type(sfumato: Sfumato) -> None:
    for arguments in (["--help"], ["study", "--help"], ["budget", "show", "--help"], ["outside", "protect", "--help"]):
        shown = sfumato(*arguments).stdout
        assert "--help" in shown
        assert "bool" not in shown.lower(), shown
