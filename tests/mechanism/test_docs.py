"""The examples of docs/mechanism.md run."""

from __future__ import annotations

import doctest

from helpers import DOCS


def test_examples() -> None:
    page = DOCS / "mechanism.md"
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 10
    assert result.failed == 0
