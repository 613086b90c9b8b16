"""The examples of docs/promise.md and docs/ledger.md run."""

from __future__ import annotations

import doctest

import pytest

from helpers import DOCS


@pytest.mark.parametrize("page", ["promise.md", "ledger.md"])
def test_examples(page: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags)
    assert result.attempted > 3
    assert result.failed == 0
