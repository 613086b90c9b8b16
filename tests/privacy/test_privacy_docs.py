"""The examples of docs/privacy.md and docs/ledger.md run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["privacy.md", "ledger.md"])
def test_examples(page: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags)
    assert result.attempted > 3
    assert result.failed == 0
