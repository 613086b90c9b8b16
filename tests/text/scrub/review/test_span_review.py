"""Decisions about findings: they hold places only, and a release follows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import hypergeom

import sfumato as sf
from helpers.door_contract import run as sfumato
from sfumato.errors import InputError
from sfumato.io.files import read_table, write_table
from sfumato.noise import seeded_rng
from sfumato.text import (
    Scrubber,
    Span,
    SpanReview,
    Stretch,
    estimate_recall,
    sample_stretches,
    stretches_without_findings,
)
from sfumato.text.scrub.review.span_review import MISSED, equal_places, places_of_words
from sfumato.text.text_method import recognisers_of

TEXTS = [
    "Dear Anna, I moved to Wexcombe. Write to me@example.org!",
    "Anna and I met in wexcombe, near the Anna Karenina shop.",
    "",
]


def scrubber() -> Scrubber:
    return Scrubber(recognisers=recognisers_of("lists"))


@pytest.fixture
def review() -> SpanReview:
    """Anna stays in the second text, and the town is hidden everywhere."""
    found = scrubber().spans(TEXTS)
    made = SpanReview.of(TEXTS)
    for text, span in places_of_words(TEXTS, "Wexcombe", "PLACE"):
        made = made.decide(text, [span], "hide", reviewer="Kim")
    return made.decide(1, [found[1][0]], "keep", reviewer="Kim")


def test_a_release_hides_and_keeps_as_decided(review: SpanReview) -> None:
    release = sf.text.protect(
        pa.table({"text": TEXTS}), mechanism="scrubber", names="lists", review=review, empty="skip"
    )
    first, second = sorted(release.data["text"].to_pylist(), key=lambda text: "Dear" not in text)
    assert "wexcombe" not in (first + second).lower()
    assert "[PLACE]" in first
    assert "Anna" not in first
    assert second.startswith("Anna and I")
    assert release.card.mechanism.parameters["review"] == {"decided": 3, "kept": 1, "added": 2, "stretches_seen": 0}
    assert "excombe" not in str(release.card)


def test_the_file_has_places_and_no_text(review: SpanReview, tmp_path: Path) -> None:
    review.write(tmp_path / "review.json")
    written = (tmp_path / "review.json").read_text()
    assert (tmp_path / "review.json").stat().st_mode & 0o777 == 0o600
    for word in ("Anna", "excombe", "example"):
        assert word not in written
    assert "Kim" in written
    assert SpanReview.read(tmp_path / "review.json") == review


def test_a_command_applies_it_again(review: SpanReview, tmp_path: Path) -> None:
    write_table(pa.table({"text": TEXTS}), tmp_path / "notes.jsonl")
    review.write(tmp_path / "review.json")
    words = ("text", "protect", tmp_path / "notes.jsonl", "-o", tmp_path / "out.jsonl", "-m", "scrubber")
    assert sfumato(*map(str, words), "--names", "lists", "--review", str(tmp_path / "review.json")) == 0
    written = " ".join(read_table(tmp_path / "out.jsonl")["text"].to_pylist())
    assert "excombe" not in written
    assert "Anna and I" in written
    words = ("publish", tmp_path / "notes.jsonl", "--out", tmp_path / "papers", "--set", "names=lists")
    assert sfumato(*map(str, words), "--set", f"review={tmp_path / 'review.json'}", "--to", "jsonl") == 0
    (tmp_path / "review.json").unlink()
    again = ("publish", tmp_path / "notes.jsonl", "--out", tmp_path / "again", "--to", "jsonl", "--decisions")
    assert sfumato(*map(str, again), str(tmp_path / "papers" / "private" / "decisions.toml")) == 0
    for folder in ("papers", "again"):
        texts = read_table(tmp_path / folder / "release.jsonl")["text"].to_pylist()
        assert sorted(texts) == sorted(read_table(tmp_path / "out.jsonl")["text"].to_pylist())


@pytest.mark.parametrize("texts", [TEXTS[:2], [*TEXTS[:2], "x"], [TEXTS[1], TEXTS[0], ""]])
def test_other_texts_are_refused(review: SpanReview, texts: list[str]) -> None:
    with pytest.raises(InputError, match="of other texts"):
        sf.text.protect(pa.table({"text": texts}), mechanism="scrubber", names="lists", review=review)


def test_only_a_scrubber_is_reviewed(review: SpanReview) -> None:
    with pytest.raises(InputError, match="the scrubber"):
        sf.text.protect(pa.table({"text": TEXTS}), mechanism="syntf", epsilon=1.0, review=review)


@pytest.mark.parametrize("place", [(0, 5, 5), (0, -1, 3), (9, 0, 1)])
def test_bad_places_are_refused(review: SpanReview, place: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        review.decide(place[0], [Span(place[1], place[2], "X")], "hide")
    with pytest.raises(InputError):
        review.decide(0, [Span(0, 1, "X")], "perhaps")  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["no json", "[]", '{"texts": 1}', '{"texts": 1, "texts_sha256": "", "more": 1}'])
def test_a_file_that_is_no_review(tmp_path: Path, content: str) -> None:
    (tmp_path / "review.json").write_text(content)
    with pytest.raises(InputError):
        SpanReview.read(tmp_path / "review.json")


def test_hiding_wins_and_a_larger_finding_is_not_kept() -> None:
    review = SpanReview.of(["Anna Karenina"]).decide(0, [Span(0, 4, "PERSON")], "keep")
    assert review.apply([[Span(0, 4, "PERSON")]]) == [[]]
    assert review.apply([[Span(0, 13, "PERSON")]]) == [[Span(0, 13, "PERSON")]]
    both = review.decide(0, [Span(2, 9, "X")], "hide", source=MISSED)
    assert [(one.start, one.end) for one in both.apply([[Span(0, 4, "PERSON")]])[0]] == [(2, 9)]


def test_decisions_are_replaced_and_withdrawn() -> None:
    span = Span(0, 4, "PERSON", source="lists")
    review = SpanReview.of(["Anna Karenina"]).decide(0, [span], "keep").decide(0, [span], "hide", reviewer="Kim")
    assert [(one.verdict, one.source, one.reviewer) for one in review.decisions] == [("hide", "lists", "Kim")]
    assert review.withdraw(0, 0, 4).decisions == ()


def test_equal_findings() -> None:
    found = scrubber().spans(TEXTS)
    assert [text for text, _ in equal_places(TEXTS, found, "ANNA")] == [0, 1]
    assert places_of_words(["a.b a b"], "a b", "X") == [(0, Span(4, 7, "X", 1.0, MISSED))]
    with pytest.raises(InputError):
        places_of_words(TEXTS, " ", "X")


class TestSample:
    def test_findings_and_stretches_cover_every_word_once(self) -> None:
        texts = ["One two. Anna went there,\nand then " + "word " * 30 + "(end)", "Anna", " … "]
        found = scrubber().spans(texts)
        for number, text in enumerate(texts):
            covered = np.zeros(len(text), int)
            for one in (*found[number], *(s for s in stretches_without_findings(texts, found) if s.text == number)):
                covered[one.start : one.end] += 1
            assert covered.max(initial=0) <= 1
            assert all(hit or not sign.isalnum() for hit, sign in zip(covered, text, strict=True))

    def test_a_stretch_is_short(self) -> None:
        cut = stretches_without_findings(["word " * 100], [[]])
        assert max(len(("word " * 100)[one.start : one.end].split()) for one in cut) == 12

    def test_a_sample_is_part_of_all_without_twice(self) -> None:
        cut = [Stretch(0, n, n + 1) for n in range(100)]
        sample = sample_stretches(cut, 30, rng=seeded_rng(1))
        assert len(set(sample)) == 30
        assert set(sample) <= set(cut)
        assert len(sample_stretches(cut, 500)) == 100
        assert sample_stretches([], 5) == ()

    def test_every_stretch_is_as_likely(self) -> None:
        """3000 draws of 5 of 50; a count has mean 300 and deviation 16: six of them, false alarms below 1e-7."""
        cut = [Stretch(0, n, n + 1) for n in range(50)]
        drawn = np.zeros(50)
        for seed in range(3000):
            for one in sample_stretches(cut, 5, rng=seeded_rng(seed)):
                drawn[one.start] += 1
        assert np.abs(drawn - 300).max() < 6 * 16.5


class TestRecall:
    def review(self, population: int, seen: int, hits: int) -> SpanReview:
        sample = tuple(Stretch(0, 10 * n, 10 * n + 9) for n in range(seen))
        review = SpanReview(texts=1, texts_sha256="", sample=sample, stretches=population, seen=tuple(range(seen)))
        return review.decide(0, [Span(10 * n, 10 * n + 3, "X") for n in range(hits)], "hide", source=MISSED)

    def test_the_interval_is_that_of_clopper_and_pearson(self) -> None:
        """x = 2 of n = 20: [0.01235, 0.31698], as tables have it."""
        found = [[Span(1000 + n, 1001 + n, "PERSON") for n in range(90)]]
        got = estimate_recall(self.review(200, 20, 2), found)
        assert got.recall == pytest.approx(90 / 110)
        assert got.high == pytest.approx(90 / (90 + 200 * 0.012349), rel=1e-4)
        assert got.low == pytest.approx(90 / (90 + 200 * 0.316983), rel=1e-4)
        assert (got.left, got.with_missed, got.undecided) == (pytest.approx(18.0), 2, 90)
        assert "recall 0.818" in got.words

    def test_wrong_findings_do_not_count(self) -> None:
        found = [[Span(1000 + n, 1001 + n, "PERSON") for n in range(90)]]
        review = self.review(200, 20, 2).decide(0, found[0][:40], "keep")
        got = estimate_recall(review, found)
        assert (got.found, got.wrong, got.undecided) == (50, 40, 50)
        assert got.recall == pytest.approx(50 / 70)

    def test_what_was_read_in_full_is_not_estimated(self) -> None:
        got = estimate_recall(self.review(20, 20, 2), [[Span(1000, 1001, "PERSON")] * 8])
        assert got.low == got.recall == got.high == pytest.approx(0.8)
        assert got.left_high == 0

    @pytest.mark.parametrize(("population", "seen"), [(40, 10), (60, 30), (200, 25), (300, 100)])
    def test_it_covers_draws_without_replacement(self, population: int, seen: int) -> None:
        """For every number of stretches with something missed, the interval holds the truth with probability ≥ 0.95."""
        found = [[Span(10_000 + n, 10_001 + n, "PERSON") for n in range(50)]]
        limits = [estimate_recall(self.review(population, seen, hits), found) for hits in range(seen + 1)]
        for missed in range(population + 1):
            truth = 50 / (50 + missed)
            chance = hypergeom.pmf(np.arange(seen + 1), population, missed, seen)
            inside = [one.low - 1e-12 <= truth <= one.high + 1e-12 for one in limits]
            assert chance[inside].sum() >= 0.95, missed

    def test_nothing_read_is_refused(self) -> None:
        with pytest.raises(InputError, match="no stretch was read"):
            estimate_recall(SpanReview.of(TEXTS), [[], [], []])
        with pytest.raises(InputError):
            SpanReview.of(TEXTS).look(0)
