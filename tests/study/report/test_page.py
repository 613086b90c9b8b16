"""The report: what it says, that it needs nothing from outside, and that a browser shows it without complaint."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import plotly.graph_objects as go
import pytest

from helpers.toy_study import toy_study
from sfumato.study import Outcome, Picture
from sfumato.study.frontier import best
from sfumato.study.report.page import IndexEntry, report, report_index, sentences
from sfumato.study.report.rendering import packed_plotly
from sfumato.study.run.runner import run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: install the Debian package chromium"),
]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(toy_study(), workers=1)


@pytest.fixture(scope="module")
def page(outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    picture = Picture("A room's own", go.Figure(go.Bar(x=["a", "b"], y=[1.0, 2.0])), "Two bars & no </script> problem.")
    report(outcome, path, pictures=[picture], made="1 January 2026", command="sfumato study toy")
    return path


def words_of(page: Path) -> str:
    """What stands outside scripts and styles."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_it_says_what_an_officer_asks(page: Path, outcome: Outcome) -> None:
    words = words_of(page)
    for sentence in sentences(outcome):
        assert sentence in words
    for heading in (
        "Contents",
        "Which setting is best at a given risk",
        "Limits and where they come from",
        "What was promised",
        "What the attacks achieved",
        "What utility is left",
        "All settings",
        "How it was made",
        "Words used",
    ):
        assert heading in words
    assert (
        "Blur 5 settings proved ε = 0.1 to ε = 10 strong: at most 1 weak: at most 10 for a person with several bits it "
        "adds up: how many one has is not known here each bit any two values at all nobody but its owner (local)"
    ) in words
    assert "Rounding 3 settings nothing proved no guarantee: the support of the noise depends on the data" in words
    assert "1 January 2026" in words
    assert "numpy" in words
    assert "sfumato study toy" in words


def test_promises_on_form_are_told_apart(outcome: Outcome, tmp_path: Path) -> None:
    changed = {"promise": "k = 5 per record (syntactic: …)", "statement": "k = 5", "syntactic": True}
    rows = [row | changed if row["label"] == "Blur" else row for row in outcome.rows]
    report(dataclasses.replace(outcome, rows=rows), tmp_path / "report.html")
    words = words_of(tmp_path / "report.html")
    assert "Blur 5 settings form only k = 5 how each bit looks in the release" in words
    assert "A promise marked “form only”" in words


def test_it_is_one_file_without_paths_or_addresses(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    ours = content.replace(packed_plotly(), "")
    assert len(ours) < 400_000 < len(content) < 2_500_000
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", ours)
    assert "http://www.w3.org" not in ours.replace("data:image/svg", "")
    assert str(Path.home()) not in ours
    assert str(page.parent) not in ours


def test_it_is_the_same_twice(outcome: Outcome, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        report(outcome, tmp_path / name, made="today")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_words_cannot_break_the_page(outcome: Outcome, tmp_path: Path) -> None:
    evil = dataclasses.replace(outcome, title="</script><script>alert(1)</script>", summary="<b>&")
    report(evil, tmp_path / "evil.html")
    assert "<script>alert(1)" not in (tmp_path / "evil.html").read_text(encoding="utf-8")
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in (tmp_path / "evil.html").read_text(encoding="utf-8")


def test_small_studies_have_a_report_too(tmp_path: Path) -> None:
    study = toy_study(seeds=1, n=40)
    one = dataclasses.replace(study, mechanisms={"Rounding": study.mechanisms["Rounding"][:1]})
    outcome = run(one, workers=1)
    report(outcome, tmp_path / "report.html")
    assert "1 setting of 1 mechanism was tried, each once" in words_of(tmp_path / "report.html")


def test_measures_that_are_not_defined_leave_a_dash(outcome: Outcome, tmp_path: Path) -> None:
    def without(label: str, measure: str) -> Outcome:
        gone = {"value": math.nan, "low": math.nan, "high": math.nan, "reference": math.nan}
        hit = [label in (row["label"], "") and row["measure"] == measure for row in outcome.rows]
        rows = [row | gone if lost else row for row, lost in zip(outcome.rows, hit, strict=True)]
        return dataclasses.replace(outcome, rows=rows)

    for label in ("raw data", "Blur", ""):
        for measure in (outcome.attacks[0], "correlation"):
            report(without(label, measure), tmp_path / "report.html")
            assert "—" in words_of(tmp_path / "report.html")


def chromium(page: Path, folder: Path, *flags: str) -> tuple[str, str]:
    """The page's DOM after its scripts have run, and what the browser said."""
    assert CHROMIUM is not None
    common = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=15000"
    )
    done = subprocess.run(
        [CHROMIUM, *common.split(), f"--user-data-dir={folder}/profile", *flags, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def seen(page: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[str]]:
    folder = tmp_path_factory.mktemp("browser")
    dom, said = chromium(page, folder, f"--log-net-log={folder}/net.json")
    net = (folder / "net.json").read_text()
    return dom, said, re.findall(r'"url":"((?:https?|ws)[^"]*)"', net)


class TestInChromium:
    pytestmark = needs_chromium

    def test_every_plot_is_drawn_and_nothing_complains(self, seen: tuple[str, str, list[str]]) -> None:
        dom, said, _ = seen
        assert 'data-drawn="5"' in dom  # the plane, three measures, the room's own picture
        assert dom.count('class="main-svg"') >= 5
        complaints = [line for line in said.splitlines() if "CONSOLE" in line]
        assert complaints == []

    def test_it_asks_nobody(self, seen: tuple[str, str, list[str]], page: Path) -> None:
        asked = [url for url in seen[2] if "google" not in url]  # the browser's own errands
        assert asked == []

    def test_nothing_is_recommended_before_a_limit_is_named(self, seen: tuple[str, str, list[str]]) -> None:
        answer = re.search(r'id="answer"[^>]*>(.*?)</div>', seen[0], flags=re.DOTALL)
        assert answer is not None
        assert answer[1] == "Move the slider to the largest risk that you accept. Nothing is recommended before."

    @pytest.mark.parametrize("limit", [0.75, 0.95])
    def test_the_answer_is_the_one_of_python(self, outcome: Outcome, tmp_path: Path, limit: float) -> None:
        report(outcome, tmp_path / "report.html", limits=limit)
        dom, _ = chromium(tmp_path / "report.html", tmp_path)
        assert re.search(r'id="limit-shown"[^>]*>([\d.]+)<', dom)[1] == str(limit)  # type: ignore[index]
        answer = re.search(r'id="answer"[^>]*>(.*?)</div>', dom, flags=re.DOTALL)
        assert answer is not None
        chosen = best(outcome, risk_at_most=limit, guaranteed=True).title
        assert chosen in answer[1]
        assert f"the most useful setting is {chosen}" in words_of(tmp_path / "report.html").replace("\u00a0", " ")

    def test_everything_is_unfolded_on_paper(self, tmp_path: Path) -> None:
        pypdf = pytest.importorskip("pypdf")
        study = toy_study(seeds=1, n=40)
        many = {f"Rounding {k}": study.mechanisms["Rounding"] for k in range(5)}
        report(run(dataclasses.replace(study, mechanisms=many), workers=1), tmp_path / "report.html")
        assert '<details class="long">' in chromium(tmp_path / "report.html", tmp_path)[0].replace(' open=""', "")
        chromium(tmp_path / "report.html", tmp_path, f"--print-to-pdf={tmp_path}/report.pdf", "--no-pdf-header-footer")
        pages = [page.extract_text() for page in pypdf.PdfReader(tmp_path / "report.pdf").pages]
        text = " ".join(" ".join(pages).split())
        assert "Every measure of every setting" in text
        headings = ("What was promised", "What the attacks achieved", "All settings", "How it was made", "Words used")
        for page in pages:
            last = [line.strip() for line in page.splitlines() if line.strip()][-1]
            assert last not in headings  # a heading is never the last line of a page

    @pytest.mark.parametrize("flags", [("--window-size=390,844",), ("--blink-settings=preferredColorScheme=0",)])
    def test_phones_and_dark_rooms(self, page: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
        dom, said = chromium(page, tmp_path, *flags)
        assert 'data-drawn="5"' in dom
        assert "CONSOLE" not in said

    def test_the_index(self, outcome: Outcome, tmp_path: Path) -> None:
        entries = [IndexEntry(room=name, outcome=outcome, link=f"{name}/report.html") for name in ("a", "b")]
        report_index(entries, tmp_path / "index.html", title="Two studies", lead="Both.")
        dom, said = chromium(tmp_path / "index.html", tmp_path)
        assert dom.count("Can blurred bits be guessed?") == 2
        assert "CONSOLE" not in said


def test_the_embedded_numbers_are_json(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    for name in ("figures", "settings"):
        found = re.search(rf'id="{name}">(.*?)</script>', content, flags=re.DOTALL)
        assert found is not None
        assert json.loads(found[1])
