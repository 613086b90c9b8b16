"""The example of docs/survey.md runs."""

from __future__ import annotations

import re

import pytest

from helpers import DOCS

PAGE = DOCS / "survey.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S))
def test_example_runs(code):
    names: dict[str, object] = {}
    exec(code, names)
    assert "within groups of 1 to 15 of 3000 owners; ε = 2.55 per answer" in str(names["collect"].guarantee)
