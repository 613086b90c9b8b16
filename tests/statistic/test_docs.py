"""The examples of docs/statistic.md run."""

from __future__ import annotations

import re

import pytest

from helpers import DOCS

PAGE = (DOCS / "statistic.md").read_text()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, flags=re.S))
def test_example_runs(code):
    names: dict[str, object] = {}
    exec(code, names)
    assert abs(names["answer"] - 47) < 5
