"""The examples of docs/mechanism.md run."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_examples() -> None:
    page = Path(__file__).parents[2] / "docs" / "mechanism.md"
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 10
    assert result.failed == 0
