"""The examples of docs/survey.md run."""

from __future__ import annotations

import re

from helpers import DOCS

PAGE = (DOCS / "survey.md").read_text()


def test_examples_run():
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        exec(code, names)
    assert "within groups of 1 to 15 of 3000 owners; ε = 2.55 per answer" in str(names["collect"].guarantee)
    assert names["shuffled"].data.column_names == ["age", "answer"]
