"""The glossary explains what is used, where it is used, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import DOCS
from helpers.toy_study import toy_study
from sfumato.study import Outcome
from sfumato.study.report.glossary import GLOSSARY, terms_in
from sfumato.study.report.page import report
from sfumato.study.report.rendering import with_links
from sfumato.study.run.runner import run


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(toy_study(seeds=1), workers=1)


def test_only_words_that_are_used(outcome: Outcome, tmp_path: Path) -> None:
    report(outcome, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    explained = re.findall(r'<dt id="word-[\w-]+">([^<]+)</dt>', page)
    assert "ε (epsilon)" in explained
    assert "Chance" in explained
    for absent in ("Rényi order", "F-ratio", "k-anonymity", "Authorship"):
        assert absent not in explained
    assert set(re.findall(r'href="#(word-[\w-]+)"', page)) <= set(re.findall(r'id="(word-[\w-]+)"', page))


def test_jargon_is_linked_once_and_escaped() -> None:
    linked = str(with_links("F-ratio <b> & the F-ratio, Rényi ε = 2 at order 3"))
    assert linked.count('href="#word-f-ratio"') == 1
    assert linked.count('href="#word-renyi-order"') == 1
    assert "&lt;b&gt; &amp;" in linked


def test_every_place_has_its_own_name() -> None:
    anchors = [term.anchor for term in GLOSSARY]
    assert len(set(anchors)) == len(anchors)
    for term in GLOSSARY:
        assert re.fullmatch(r"word-[a-z0-9]+(-[a-z0-9]+)*", term.anchor)
        assert term.meaning.endswith(".")


def test_words_inside_words_are_none() -> None:
    assert [term.word for term in terms_in("unitary seeding riskless")] == []


def test_the_page_of_the_docs_has_every_term() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    for term in GLOSSARY:
        assert f"**{term.word}**" in text
        assert term.meaning in text


def test_tables_have_captions_and_scopes(outcome: Outcome, tmp_path: Path) -> None:
    report(outcome, tmp_path / "report.html", limits=0.75)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    body = page[page.index("<main>") : page.index("</main>")]
    tables = re.findall(r"<table>.*?</table>", body, flags=re.DOTALL)
    assert len(tables) >= 5
    for table in tables:
        assert "<caption>" in table
        assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", table))
    contents = re.search(r"<nav.*?</nav>", page, flags=re.DOTALL)
    assert contents is not None
    assert re.findall(r'href="#([\w-]+)"', contents[0]) == re.findall(r'<h2 id="([\w-]+)"', page)
