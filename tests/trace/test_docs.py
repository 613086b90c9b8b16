"""The examples of docs/trace.md run."""

from __future__ import annotations

import doctest

from helpers import DOCS

PAGE = (DOCS / "trace.md").read_text()


def test_example_runs():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(PAGE, {}, "trace.md", "trace.md", 0)
    assert len(test.examples) > 8
    assert doctest.DocTestRunner(optionflags=flags, verbose=False).run(test).failed == 0
