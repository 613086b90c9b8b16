"""The book of claims: every verdict comes from a kept row or a section, and the pages agree with them."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from reproduction import __main__ as book
from reproduction import _rows, claims
from reproduction._recipe_source import recipe_source
from reproduction._rows import FOLDER, FRESH, Recipe, row, time_left
from reproduction.claims.claim import (
    NO_ROW,
    NOT_REPRODUCED,
    OUT_OF_REACH,
    REPRODUCED,
    VERDICTS,
    Claim,
    Finding,
    beyond,
    collected,
    judged,
)
from reproduction.claims.direction_rows import baseline_angles, sample_sizes
from reproduction.claims.inventory.reasons import WHY
from reproduction.claims.written_section import WrittenSection, number, sections_of

from helpers import DOCS, ROOT

BOOK = (DOCS / "reproduction.md").read_text(encoding="utf-8")
SECTIONS = {name: text for name, text in sections_of(BOOK).items() if name != "claims"}
EVERY = [(name, claim) for name, several in claims.DISSERTATIONS.items() for claim in several]


# --- the pages say what the rows say ---------------------------------------------------------------------------------


def test_the_book_has_the_verdicts_of_the_kept_rows() -> None:
    assert sections_of(BOOK)["claims"].strip() == claims.section(SECTIONS).strip()


def test_the_counts_of_book_and_readme_are_those_of_the_rows() -> None:
    counts = claims.summary(SECTIONS)
    assert counts in BOOK.partition("<!-- begin")[0]
    assert counts in (ROOT / "README.md").read_text(encoding="utf-8")
    together = re.search(r"^\| together \| (\d+) \| (.*) \|$", counts, flags=re.M)
    assert together is not None
    assert int(together[1]) == len(EVERY) == sum(map(int, together[2].split(" | ")))


def test_nothing_is_claimed_twice_and_everything_has_a_place() -> None:
    twice = [key for key, times in Counter((n, c.where, c.printed) for n, c in EVERY).items() if times > 1]
    assert twice == []
    assert all(claim.where and claim.printed and "\n" not in claim.where + claim.printed for _, claim in EVERY)


@pytest.mark.parametrize(("name", "claim"), EVERY, ids=[f"{n.split()[0]}, {c.where}" for n, c in EVERY])
def test_a_claim_is_judged_or_says_why_not(name: str, claim: Claim) -> None:
    verdict = claim.verdict(SECTIONS)
    assert verdict.kind in VERDICTS
    assert verdict.words
    if claim.source is None:
        assert verdict.kind == OUT_OF_REACH
        assert len(claim.because) > 20
    elif isinstance(claim.source, str):
        assert claim.source in SECTIONS


def test_every_reason_belongs_to_a_claim() -> None:
    assert set(WHY) <= {claim.printed for _, claim in EVERY}
    (said,) = [claim for _, claim in EVERY if claim.printed == "synonyms are of no benefit"]
    assert said.why in said.verdict(SECTIONS).words
    # what holds after all needs none
    assert "because" not in replace(said, judge=lambda _: Finding(True, "+0 %"), why="because").verdict(SECTIONS).words


def test_every_row_of_the_claims_is_kept() -> None:
    assert [one.name for one in claims.recipes() if one.kept is None] == []


def test_a_changed_number_changes_the_verdict() -> None:
    """The verdicts are no constants: each judge of a row or of a section can say no, or cannot read the page."""
    (said,) = [c for _, c in EVERY if "750 (Pur)" in c.printed]
    assert isinstance(said.source, Recipe)
    kept = json.loads(json.dumps(sample_sizes.kept))["row"]  # type: ignore[index]
    kept["n = 2, Pur"]["simulated"] = 2000
    assert said.judge is not None
    assert not said.judge(kept).holds  # type: ignore[union-attr]
    polar = json.loads(json.dumps(baseline_angles.kept))["row"]  # type: ignore[index]
    (closed,) = [c for _, c in EVERY if "64 M samples" in c.printed]
    assert closed.judge is not None
    assert not closed.judge(polar | {"Polar at 2/pi": 1.74}).holds  # type: ignore[union-attr]


# --- sections that judge themselves ----------------------------------------------------------------------------------

PAGE = """### First

| claim | here |
|---|---|
| water is wet | reproduced: at 20 °C |
| the moon is cheese | **not reproduced**: rock |
| a trend | trend not seen: flat |
| a private log | cannot be checked here, because the log is private |
| fitted | by construction |
| a long row | cannot be checked here, because not finished: V-VAE |

### Second

| claim of the text | naive Bayes | linear SVM |
|---|---|---|
| the gap grows | yes (3%) | **no** (1%) |
| water is wet | yes | yes |

| n | printed | ours |
|---|---|---|
| 10 | 1.5 | **1.25** |
"""


@pytest.mark.parametrize(
    ("says", "options", "kind"),
    [
        ("moon", {}, NOT_REPRODUCED),
        ("a trend", {}, NOT_REPRODUCED),
        ("private log", {}, OUT_OF_REACH),
        ("fitted", {}, NO_ROW),
        ("water", {}, NO_ROW),  # there are two
        ("water", {"after": "Second"}, REPRODUCED),
        ("gap grows", {}, NOT_REPRODUCED),
        ("gap grows", {"column": "naive Bayes"}, REPRODUCED),
        ("gap grows", {"column": "forest"}, NO_ROW),
        ("the sun", {}, NO_ROW),
        ("a long row", {}, NO_ROW),
    ],
)
def test_sections_are_read(says: str, options: dict[str, str], kind: str) -> None:
    assert collected("§1", "…", "page", says, **options).verdict({"page": PAGE}).kind == kind


def test_cells_are_read() -> None:
    section = WrittenSection("page", PAGE)
    assert section.row("10", after="Second") == ["1.5", "**1.25**"]
    assert section.rows("printed | ours") == [["10", "1.5", "**1.25**"]]
    assert [number(text) for text in ("**.034**", "93%", "1,234 m", "−0.5", "8.1e-3")] == [
        0.034,
        0.93,
        1234,
        -0.5,
        8.1e-3,
    ]
    with pytest.raises(LookupError, match="no number"):
        number("not finished in the time given")
    with pytest.raises(LookupError, match="no heading"):
        section.row("10", after="Third")


def test_a_missing_section_is_no_row_yet() -> None:
    claim = judged("§1", "…", "nowhere", lambda section: Finding(True, section.row("x")[0]))
    assert claim.verdict({}).kind == NO_ROW
    assert beyond("§1", "…", "nobody has it").verdict({}).kind == OUT_OF_REACH


# --- rows ------------------------------------------------------------------------------------------------------------


def made() -> int:
    """A row."""
    return 7


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.delenv(FRESH, raising=False)
    return tmp_path


def test_a_row_is_made_once_and_noticed_when_its_recipe_changes(folder: Path) -> None:
    runs = []

    def make() -> list[float]:
        runs.append(1)
        return [0.5]

    one = Recipe("a row", make, ("adult",), {"seeds": 3})
    assert one.state == "missing"
    assert one.row() == one.row() == [0.5]
    assert (len(runs), one.state) == (1, "kept")
    assert Recipe("a row", make, ("adult",), {"seeds": 4}).state == "outdated"
    assert Recipe("a row", make, ("gowalla",), {"seeds": 3}).state == "outdated"
    assert Recipe("a row", made, ("adult",), {"seeds": 3}).state == "outdated"
    assert Recipe("a row", made, ("adult",), {"seeds": 3}).row() == 7


def test_a_row_of_before_keys_is_taken_and_said_to_be_of_unknown_age(folder: Path) -> None:
    (folder / "an-old-row.json").write_text('{"row": 3, "cpu_seconds": 90}')
    assert row("an old row", made) == 3
    assert Recipe("an old row", made).state == "of unknown age"
    assert (
        time_left([Recipe("an old row", made), Recipe("another", made)])
        == "about 1.5 CPU minutes and 1 of unknown length"
    )


def test_fresh_makes_a_row_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "an-old-row.json").write_text('{"row": 3, "cpu_seconds": 90}')
    monkeypatch.setenv(FRESH, "1")
    assert row("an old row", made) == 7


def test_a_fresh_run_that_was_interrupted_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def make() -> int:
        runs.append(1)
        return len(runs)

    assert row("a row", make) == 1
    monkeypatch.setattr(_rows, "library", lambda: "another library")
    assert row("a row", make) == 1  # noticed by those who ask for it
    monkeypatch.setenv(FRESH, "1")
    assert [row("a row", make), row("a row", make)] == [2, 2]  # the second run finds what the first one made
    assert not Recipe("a row", make).to_make
    assert Recipe("a row", made).to_make
    assert Recipe("another", make).to_make


def test_steps_kept_elsewhere_leave_the_claims_as_they_are(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A section whose steps are kept in another folder is written into the book: nothing else changes there."""
    elsewhere = tmp_path_factory.mktemp("book")
    for name in ("BOOK", "README"):
        path = elsewhere / getattr(book, name).name
        path.write_text(getattr(book, name).read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(book, name, path)
    before = sections_of(book.BOOK.read_text(encoding="utf-8"))
    book.write("party", before["party"] + "\nA word more.")
    after = sections_of(book.BOOK.read_text(encoding="utf-8"))
    assert after["party"] == before["party"].strip() + "\n\nA word more.\n"
    assert {**after, "party": ""} == {**before, "party": ""}
    assert NO_ROW not in after["claims"]
    assert book.README.read_text(encoding="utf-8") == (ROOT / "README.md").read_text(encoding="utf-8")
    assert row("a step", made) == 7
    assert [path.name for path in folder.iterdir()] == ["a-step.json"]
    assert book.recipe_of("party").path.parent == sample_sizes.path.parent == _rows.ROWS


def test_an_interrupted_row_leaves_the_old_one(folder: Path) -> None:
    one = Recipe("a row", made)
    one.row()

    def breaks() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Recipe("a row", breaks).row()
    assert one.row() == 7
    assert [path.name for path in folder.iterdir()] == ["a-row.json"]


def test_a_lambda_rests_on_what_it_names() -> None:
    (judge,) = [claim.judge for claim in claims.meehan.CLAIMS if claim.printed == "η grows with α"]
    assert judge is not None
    assert "defrises" in recipe_source(judge)
    assert "IMAGENET" not in recipe_source(judge)  # of the list around it
    assert recipe_source(functools.partial(sample_sizes.make)) == recipe_source(sample_sizes.make)


def test_the_source_of_a_recipe_has_what_it_uses_and_no_words() -> None:
    source = recipe_source(sample_sizes.make)
    assert "_clipped_size" in source  # a helper of the same module
    assert "Fig.7.8whole" not in source  # the docstring
    assert "def_mean_turn" not in source  # what others of the module use
    assert "classRecipe" not in source  # how rows are kept
