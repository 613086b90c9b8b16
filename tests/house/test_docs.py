"""The code blocks of README, CONTRIBUTING and every page of docs/ run.

The Python blocks of a page run one after the other and share their names. A block with ``>>>`` is checked as a doctest,
any other one only has to run. TOML blocks have to parse.
"""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from helpers import DOCS, ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The fenced code blocks of a language, with the line they begin at."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```", text, flags=re.S | re.M)
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in found]


def run(page: Path, line: int, code: str, names: dict[str, Any]) -> None:
    """Run one block and keep its names."""
    if ">>>" not in code:
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line - 1)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=said.append, clear_globs=False)
    names |= test.globs
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes is written there
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, code in blocks(page, "python"):
        run(page, line, code, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_parses(page: Path) -> None:
    for _, code in blocks(page, "toml"):
        assert tomllib.loads(code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_tests_that_are_named_exist(page: Path) -> None:
    """Links to other pages, and the tests that errata and claims rest on."""
    text = page.read_text(encoding="utf-8")
    links = {link for link in re.findall(r"\]\(([^)#]+)", text) if not link.startswith("http")}
    assert [link for link in sorted(links) if not (page.parent / link).exists()] == []
    named = set(re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", text))
    missing = [(path, test) for path, test in named if not (ROOT / path).is_file()]
    missing += [
        (p, t) for p, t in named - set(missing) if t and f"def {t}" not in (ROOT / p).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_a_wrong_example_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n\n```python\nraise KeyError\n```\n")
    (first, wrong), (second, raises) = blocks(page, "python")
    with pytest.raises(AssertionError, match="Expected:"):
        run(page, first, wrong, {})
    with pytest.raises(KeyError):
        run(page, second, raises, {})
