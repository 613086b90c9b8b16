"""``sf.text.protect``: frames in, releases out, what they say of themselves, and what edits are found."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InputError
from sfumato.io.files import read_table, write_table
from sfumato.noise import seeded_rng
from sfumato.release import Card, Terms, verify
from sfumato.release.issuance import write_card
from sfumato.text.core.records import labelled_corpora
from sfumato.text.core.text_totals import TextTotals
from sfumato.text.data.letters import make_letters, make_letters_pool, make_letters_vocabulary
from sfumato.text.text_method import TextMethod
from sfumato.text.vocabulary.vocabulary_recipe import VocabularyRecipe

PUBLIC = make_letters_vocabulary()
TEXTS = ["the match was lovely", "a flight", "my ticket for the train is late", "the goal"]
MAILS = {"text": TEXTS, "author": ["ann", "bob", "ann", "ann"], "ssn": [1, 2, 3, 4]}
OPTIONS: dict[str, Any] = {"mechanism": "word-exponential", "epsilon": 2.0, "vocabulary": PUBLIC}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_the_same_kind_of_frame_comes_out(make):
    frame = make(MAILS)
    release = sf.text.protect(frame, keep=["author"], **OPTIONS)
    assert type(release.data) is type(frame)
    assert list(release.arrow.column_names) == ["text", "author"]
    assert release.key.rows is not None
    rows = release.key.rows.tolist()
    assert release.arrow["author"].to_pylist() == [MAILS["author"][row] for row in rows]
    lengths = [len(text.split()) for text in release.arrow["text"].to_pylist()]
    assert lengths == [len(TEXTS[row].split()) for row in rows]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
@pytest.mark.parametrize("empty", ["keep", "skip"])
def test_columns_stay_beside_their_texts(make, empty):
    """Rows are shuffled and blank ones may go: what is kept stands beside the text it stood beside."""
    frame = make({"text": ["ask Piotr", " ", "the train", "Hi Zofia!"], "day": [1, 2, 3, 4], "ssn": [5, 6, 7, 8]})
    release = sf.text.protect(frame, mechanism="scrubber", names="lists", keep=["day"], empty=empty)
    assert type(release.data) is type(frame)
    assert release.arrow.column_names == ["text", "day"]
    beside = dict(zip(release.arrow["day"].to_pylist(), release.arrow["text"].to_pylist(), strict=True))
    texts = {1: "ask [PERSON]", 2: " ", 3: "the train", 4: "Hi [PERSON]!"}
    assert beside == {day: text for day, text in texts.items() if empty == "keep" or text.strip()}


def test_an_index_does_not_leave(tmp_path):
    frame = pd.DataFrame(MAILS).rename(columns={"ssn": "passport number"}).set_index("passport number")
    release = sf.text.protect(frame, **OPTIONS)
    release.write(tmp_path / "out.parquet")
    assert read_table(tmp_path / "out.parquet").column_names == ["text"]
    assert b"passport number" not in (tmp_path / "out.parquet").read_bytes()
    assert list(release.data.columns) == ["text"]
    assert list(release.data.index) == list(range(4))


def test_totals_of_words_documents_and_people():
    totals = TextTotals.of([4, 2, 7, 2], people=MAILS["author"])
    assert (totals.mean, totals.longest, totals.person_texts, totals.person_words) == (3.75, 7, 3, 13)
    declared = TextTotals.of([4, 2, 7, 2], people=MAILS["author"], most=5)
    assert (declared.person_texts, declared.person_words) == (5, 35)
    with pytest.raises(InputError, match="no person with more texts"):
        TextTotals.of([4, 2, 7, 2], people=MAILS["author"], most=2)
    with pytest.raises(InputError, match="no texts"):
        TextTotals.of([])


@pytest.mark.parametrize(
    ("mechanism", "settings", "per_word"),
    [
        ("word-exponential", {}, 2.0 * PUBLIC.diameter_bound),
        ("truncated-exponential", {"truncation": 0.5}, 2.0 * 0.5),
        ("candidate-exponential", {}, 2.0),
    ],
)
def test_what_is_charged_is_the_loss_of_all_words_of_one_person(mechanism, settings, per_word):
    options = {**OPTIONS, "mechanism": mechanism, "settings": settings}
    alone = sf.text.protect(pa.table(MAILS), **options)
    ann = sf.text.protect(pa.table(MAILS), terms=Terms(person="author"), **options)
    for release, words, unit in ((alone, 7, "document"), (ann, 13, "person")):
        assert release.per_person.unit == unit
        assert release.per_person.epsilon == pytest.approx(words * per_word)
        assert release.per_person.epsilon >= words * per_word * (1 - 1e-15)
        assert "the number of words of each text" in release.card.promise["per_person"]["words"]
    sets = mechanism == "candidate-exponential"
    assert ("the candidate set of each word" in ann.card.not_covered) == sets
    assert ("candidate set of each word" in ann.card.promise["per_person"]["words"]) == sets


def test_syntf_counts_documents_of_one_person():
    options: dict[str, Any] = {"mechanism": "syntf", "epsilon": 5.0, "length": 9, "vocabulary": PUBLIC}
    release = sf.text.protect(pa.table(MAILS), terms=Terms(person="author"), **options)
    assert release.per_person.epsilon == pytest.approx(3 * release.guarantee.epsilon)
    assert "the number of words of each text" not in release.card.not_covered


@pytest.mark.parametrize(
    "options",
    [
        {"mechanism": "word-laplace", "epsilon": 3.0, "vocabulary": PUBLIC, "settings": {"decode": "remapped"}},
        {"mechanism": "syntf", "epsilon": 3.0, "length": 7, "vocabulary": PUBLIC, "scrub": True, "names": "capitals"},
        {"mechanism": "scrubber", "settings": {"replacement": "mask"}},
        {"mechanism": "scrubber", "settings": {"replacement": "pseudonym"}, "pseudonyms": b"k" * 32},
    ],
)
def test_the_mechanism_is_made_again_from_the_card(options):
    release = sf.text.protect(pa.table({"text": ["Hi Anna, the Match was lovely"]}), **options)
    method = TextMethod.of_card(Card.from_json(release.card.to_json()))
    again = method.again(options.get("vocabulary"), pseudonyms=options.get("pseudonyms"))
    assert again.guarantee == release.guarantee
    assert method.public() == release.card.mechanism.parameters
    if method.mechanism == "scrubber":
        assert again.release("Hi Anna, the Match was lovely") == release.arrow["text"][0].as_py()
    if "pseudonyms" in options:
        assert options["pseudonyms"].hex() not in release.card.to_json()
        with pytest.raises(InputError, match="secret of the pseudonyms"):
            method.again()


def test_a_vocabulary_is_described_and_made_again(monkeypatch):
    monkeypatch.setattr(
        "sfumato.text.vocabulary.vocabulary_recipe.load_glove", lambda count, content: PUBLIC.top(count)
    )
    recipe, made = VocabularyRecipe.settle(count=20, content=True)
    assert recipe.words == 20
    assert recipe.sha256 == hashlib.sha256("\n".join(PUBLIC.words[:20]).encode()).hexdigest()
    again = VocabularyRecipe.from_card(recipe.to_card())
    assert again == recipe
    assert again.make() == made
    with pytest.raises(InputError, match="words that the card names"):
        again.make(PUBLIC)
    own, _ = VocabularyRecipe.settle(PUBLIC)
    with pytest.raises(InputError, match="--vectors and --word-list"):
        own.make()
    with pytest.raises(InputError, match="cannot be read"):
        VocabularyRecipe.from_card({"name": "GloVe"})


def test_authors_are_split_between_learning_and_testing():
    names = pa.array(["ann", "ann", "ann", "bob", "bob", "bob", "eve"]).to_numpy(zero_copy_only=False)
    raw, protected = labelled_corpora(list("abcdefg"), list("ABCDEFG"), names)
    assert raw.texts == tuple("abcdef")  # one text of eve cannot be both learned from and tested
    assert protected.texts == tuple("ABCDEF")
    assert raw.train.tolist() == [True, True, False] * 2
    with pytest.raises(InputError, match="at least two labels"):
        labelled_corpora(list("abcd"), list("abcd"), names[:4])


def test_another_original_is_refused():
    release = sf.text.protect(pa.table(MAILS), **OPTIONS)
    with pytest.raises(InputError, match="those that were protected"):
        release.attack(pa.table({"text": ["a", "b"]}))
    release = sf.text.protect(pa.table(MAILS), **OPTIONS, terms=Terms(keep_order=True))
    with pytest.raises(InputError):
        replace(release, key=replace(release.key, rows=None)).measure(pa.table({"text": ["a"] * 5}))


def test_one_column_to_keep_is_a_list_of_one():
    with pytest.raises(InputError, match="a list of columns"):
        sf.text.protect(pa.table(MAILS), keep="author", **OPTIONS)


def test_one_seed_gives_one_release():
    first, second = (sf.text.protect(pa.table(MAILS), **OPTIONS, rng=seeded_rng(3)) for _ in range(2))
    assert first.arrow == second.arrow
    assert first.guarantee.vacuous


# ── what verification computes again ─────────────────────────────────────────────────────────────────────────────


def edited(path: Path, table: pa.Table, **changes: Any) -> Any:
    """The verdict on a release with other data, whose card was given their hash."""
    card = Card.read(f"{path}.card.json")
    write_table(table, path)
    content = replace(card.release, sha256=hashlib.sha256(path.read_bytes()).hexdigest(), **changes)
    write_card(replace(card, release=content), f"{path}.card.json")
    return verify(path)


def failed(verdict: Any) -> list[str]:
    return [check.name for check in verdict.checks if check.result == "fails"]


@pytest.fixture
def glove(monkeypatch):
    """A vocabulary that stands for GloVe, so that it can be made again."""
    monkeypatch.setattr("sfumato.text.vocabulary.vocabulary_recipe.load_glove", lambda count, content: PUBLIC)


def test_edits_of_texts_are_found(glove, tmp_path):
    out = tmp_path / "out.csv"
    release = sf.text.protect(pa.table(MAILS), epsilon=5.0, length=6, keep=["author"])
    release.write(out)
    assert [check.result for check in verify(out).checks].count("holds") == 5  # data, columns and three of the content
    table = release.arrow
    texts = table["text"].to_pylist()
    stranger = pa.array([*texts[:-1], " ".join(["xyzzy", *texts[-1].split()[1:]])])
    assert failed(edited(out, table.set_column(0, "text", stranger))) == ["vocabulary"]
    shorter = pa.array([*texts[:-1], " ".join(texts[-1].split()[1:])])
    assert failed(edited(out, table.set_column(0, "text", shorter))) == ["length", "words per document"]
    assert failed(edited(out, table.slice(1))) == ["columns"]
    assert failed(edited(out, table.append_column("ssn", [MAILS["ssn"]]))) == ["columns"]
    assert failed(edited(out, table)) == []


def test_a_text_that_was_made_longer_is_found(glove, tmp_path):
    out = tmp_path / "out.parquet"
    sf.text.protect(pa.table(MAILS), mechanism="word-laplace", epsilon=5.0).write(out)
    table = read_table(out)
    longer = pa.array([f"{text} {PUBLIC.words[0]}" for text in table["text"].to_pylist()])
    assert failed(edited(out, table.set_column(0, "text", longer))) == ["words per document"]


def test_other_words_of_word_vectors_are_found(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    out = tmp_path / "out.csv"
    sizes: dict[str, Any] = {"delta": 1e-5, "expected_users": 2, "dimension": 2, "steps": 1, "rate": 1.0}
    options: dict[str, Any] = {"mechanism": "private-skip-gram", "epsilon": 2.0, "settings": sizes}
    vocabulary = ("match", "flight", "goal")
    release = sf.text.protect(pa.table(MAILS), vocabulary=vocabulary, terms=Terms(person="author"), **options)
    release.write(out)
    assert verify(out).holds
    renamed = release.arrow.set_column(0, "word", pa.array(["match", "flight", "secret"]))
    assert failed(edited(out, renamed)) == ["vocabulary"]


@pytest.mark.parametrize("mechanism", ["word-exponential", "topic-response"])
def test_blank_texts_are_kept_or_left_out(mechanism):
    made = make_letters(authors=4, letters=6)
    texts = [" \n" if row in (1, 7) else text for row, text in enumerate(made.texts)]
    frame = pa.table({"text": texts, "author": made.authors, "topic": made.topics})
    options = {"mechanism": mechanism, "epsilon": 5.0}
    if mechanism == "topic-response":
        options["pool"] = make_letters_pool()
    else:
        options["vocabulary"] = make_letters_vocabulary()
    kept = sf.text.protect(frame, **options)
    left = sf.text.protect(frame, **options, empty="skip")
    assert (kept.data.num_rows, left.data.num_rows) == (24, 22)
    assert sorted(left.key.rows.tolist()) == [row for row in range(24) if row not in (1, 7)]
    assert any("left out" in words for words in left.card.not_covered)
    assert not any("left out" in words for words in kept.card.not_covered)
    assert "which texts are empty" in str(left.guarantee)
    assert "which texts are empty" not in str(kept.guarantee)
    again = {name: value for name, value in options.items() if name in ("pool", "vocabulary")}
    found = {one.name: one for one in left.attack(frame, **again)}
    assert not found["linkage (raw texts known)"].reason
    assert {one.name: one.reason for one in left.measure(frame)}["topic"] == ""
    with pytest.raises(InputError, match="skip"):
        sf.text.protect(frame, **options, empty="drop")
    with pytest.raises(InputError, match="none of the 2 texts"):
        sf.text.protect(frame.take([1, 7]), **options, empty="skip")
    if mechanism == "topic-response":
        one = sf.text.protect(frame, **options, author="author", empty="skip")
        assert {made.authors[row] for row in one.key.rows.tolist()} == set(made.authors)
        assert not {1, 7} & set(one.key.rows.tolist())


def test_an_original_with_more_texts_is_refused():
    made = make_letters(authors=3, letters=4)
    frame = pa.table({"text": made.texts, "author": made.authors})
    release = sf.text.protect(frame, mechanism="word-exponential", epsilon=5.0, vocabulary=make_letters_vocabulary())
    longer = pa.concat_tables([frame, frame.slice(0, 1)])
    with pytest.raises(InputError, match="those that were protected"):
        release.attack(longer, vocabulary=make_letters_vocabulary())
