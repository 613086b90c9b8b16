"""The commands, from a file to a file with its papers, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.cli import main
from sfumato.cli.app import app
from sfumato.errors import BudgetError, InputError
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.promise import ApproxDP, PureDP
from sfumato.release import Card, Key, verify
from sfumato.text.data.letters import make_letters, make_letters_pool, make_letters_vocabulary
from sfumato.text.examples import TEXT_ATTACKS, TEXT_UTILITIES
from sfumato.text.room import ROOM

BUDGET = ["--epsilon", "5"]
COMMANDS: dict[str, list[str]] = {
    "syntf": BUDGET,
    "bag-exponential": BUDGET,
    "word-laplace": BUDGET,
    "word-mahalanobis": BUDGET,
    "word-exponential": BUDGET,
    "attention-noise": BUDGET,
    "level-noise": [*BUDGET, "--set", "sensitive=['cheers']"],
    "truncated-exponential": BUDGET,
    "candidate-exponential": BUDGET,
    "bag-mechanism": BUDGET,
    "topic-response": [*BUDGET, "--pool", "POOL"],
    "neighbourhood-response": [*BUDGET, "--pool", "POOL"],
    "retrieve": [*BUDGET, "--pool", "POOL", "--set", "encoder=tfidf", "--set", "most=10"],
    "truncated-mean": [*BUDGET, "--pool", "POOL", "--set", "encoder=tfidf"],
    "scrubber": [],
    "name-replacement": ["--set", 'sensitive=["anna", "peter"]'],
    "code-response": [*BUDGET, "--pool", "POOL"],
    "dp-vae": [*BUDGET, "--model", "bounded.npz", "--set", "sentences=40"],
    "code-vae": [*BUDGET, "--model", "code.npz"],
    "plain-vae": ["--model", "plain.npz", "--set", "sentences=40"],
    "average-aae": ["--model", "split.npz", "--set", "sentences=40"],
    "dp-aae": ["--model", "split.npz", "--set", "sentences=40"],
}
"""The options of every mechanism that gives texts; private-skip-gram, which gives vectors, has tests of its own."""


RETRIEVED = ("retrieve", "truncated-mean")


def run(*words: Any) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def own(mails: Path) -> list[str]:
    """The options that name the vocabulary."""
    return ["--vectors", str(mails.parent / "vectors.npy"), "--word-list", str(mails.parent / "words.txt")]


def protect(mails: Path, *options: Any) -> Any:
    return run("text", "protect", mails, *own(mails), *filled(mails, options))


def filled(mails: Path, options: Any) -> list[Any]:
    """The options with the places of the public texts and of the networks."""
    files = {"POOL": "pool.jsonl"} | {name: name for name in map(str, options) if name.endswith(".npz")}
    return [mails.parent / files[str(option)] if str(option) in files else option for option in options]


def said(result: Any) -> str:
    return " ".join(result.stderr.split())


def released(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_protect_says_what_is_lost_per_word_document_and_person(mails):
    out = mails.parent / "out.jsonl"
    options = ["--epsilon", "47.5", "--length", "20", "--keep", "id", "--person", "author"]
    result = protect(mails, *options, "-o", out)
    assert result.exit_code == 0, result.output
    records = released(out)
    assert sorted(record["id"] for record in records) == list(range(18))
    assert all(set(record) == {"id", "text"} and len(record["text"].split()) == 20 for record in records)
    shown = said(result)
    assert "nominal (ε) 47.5 950 950 5700" in shown  # 20 words, and six letters of 20 words
    assert "tight (ℓ)" in shown
    card = Card.read(f"{out}.card.json")
    assert card.promise["unit"] == "document"
    whole = card.promise["per_person"]
    assert whole["unit"] == "person"
    assert whole["parameters"]["epsilon"] == pytest.approx(6 * card.promise["parameters"]["epsilon"])
    assert f"for one person as a whole: {whole['statement']}" in shown
    (row,) = [row for row in whole["totals"]["epsilon"] if row["counted"] == "nominal (ε)"]
    assert [row[unit] for unit in ("word", "document (mean)", "document (longest)", "person (most)")] == [
        47.5, 950, 950, 5700,
    ]  # fmt: skip


def words_of(name: str) -> list[str]:
    return COMMANDS[listed_as(ROOM.mechanisms()[name], COMMANDS)]


ON_TEXTS = [name for name in ROOM.mechanisms() if name != "private-skip-gram"]


@pytest.mark.parametrize("name", ON_TEXTS)
def test_protect_with_every_mechanism(mails, name):
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    out = mails.parent / "out.jsonl"
    result = protect(mails, "--mechanism", name, *COMMANDS[listed], "--scrub", "-o", out)
    assert result.exit_code == 0, result.output
    texts = [record["text"] for record in released(out)]
    assert len(texts) == 18
    shown = said(result)
    nothing = listed in ("scrubber", "name-replacement", "plain-vae", "average-aae", "dp-aae")
    assert ("no guarantee" in shown) == nothing
    if nothing:
        return
    whole = listed in ("syntf", "dp-vae", "code-vae", *RETRIEVED) or listed.endswith("response")
    assert ("about the texts as scrubbed" in shown) == (not whole)
    if whole:
        assert "promise: ε = " in shown
        return
    words = [len(text.split()) for text in texts]
    sets = listed == "candidate-exponential"
    first = "words of one set ≤ 5 ≤" if sets else "per unit of distance 5"
    bound = "≤ " if sets else ""
    assert f"{first} {5 * sum(words) / 18:.5g} {bound}{5 * max(words):.5g}" in shown
    assert ("inf" in shown) == sets


@pytest.mark.parametrize(
    ("name", "ending"), [*((name, "csv") for name in ON_TEXTS), ("word-laplace", "jsonl"), ("word-laplace", "parquet")]
)
def test_the_whole_way_with_every_mechanism(mails, name, ending):
    out, key = mails.parent / f"out.{ending}", mails.parent / "key"
    assert protect(mails, "-m", name, *words_of(name), "-o", out, "--key", key).exit_code == 0
    given = words_of(name)
    again = [k for k, word in enumerate(given) if word in ("--pool", "--model")]
    more = filled(mails, [word for k in again for word in given[k : k + 2]])
    attacked = run("text", "attack", mails, out, "--key", key, *own(mails), *more)
    assert attacked.exit_code == 0, attacked.output
    assert all(one.name in attacked.stdout for one in TEXT_ATTACKS)
    _, _, raw = attacked.stdout.partition("against the raw texts")
    assert all(f"authorship ({one})" in raw for one in ("static", "Bi-LSTM", "MiniLM"))
    measured = run("text", "measure", mails, out, "--key", key, *own(mails))
    assert measured.exit_code == 0, measured.output
    assert all(one.name in measured.stdout for one in TEXT_UTILITIES)
    assert "sentiment: mood" in said(measured)  # the letters in the file have no mood: a dash with a reason
    assert verify(out).holds


RESPONSE = ["-m", "topic-response", "--epsilon", "3", "--pool", "POOL", "--public", "pool=letters of 1999"]


def test_a_topic_response_states_topics_and_both_promises(mails):
    out, key = mails.parent / "out.csv", mails.parent / "key"
    result = protect(mails, *RESPONSE, "-o", out, "--key", key)
    assert result.exit_code == 0, result.output
    table, pool = read_table(out), make_letters_pool()
    assert table.column_names == ["text", "stated"]
    topics = dict(zip(pool.texts, pool.topics, strict=True))
    assert [topics[text] for text in table["text"].to_pylist()] == table["stated"].to_pylist()
    assert "maximal leakage" in said(result)
    assert "letters of 1999" in said(result)
    assert "verdict: ε = 3 for one document: fair protection" in said(result)
    card = Card.read(f"{out}.card.json")
    assert card.promise["parameters"]["epsilon"] == 3.0
    assert card.mechanism.parameters["pool"] == pool.to_card()
    without = run("text", "attack", mails, out, "--key", key)
    assert "method of the release" in said(without)  # the attacker has no pool: a dash with a reason
    measured = run("text", "measure", mails, out, "--key", key)
    assert "topic (static)" in measured.stdout
    refused = protect(mails, *RESPONSE, "--keep", "stated", "-o", out)
    assert refused.exit_code != 0


def test_what_tells_known_authors_apart_is_left_out(mails):
    """The texts of known authors are on the card, are not covered, and are needed again by the attacker."""
    out, key, known = mails.parent / "out.csv", mails.parent / "key", mails.parent / "known.jsonl"
    letters = make_letters(authors=3, letters=12, seed=5)
    write_table(pa.table({"text": letters.texts, "from": letters.authors}), known)
    writers, code = ["--known", known, "--known-author", "from"], ["-m", "code-response", *BUDGET, "--pool", "POOL"]
    label_only, code = code, [*code, "--set", "topics=2"]
    source = ["--public", "texts of known authors=their own book"]
    result = protect(mails, *code, *writers, *source, "-o", out, "--key", key)
    assert result.exit_code == 0, result.output
    assert "the texts of known authors (their own book)" in said(result)
    assert "the texts whose authors' directions are removed" in said(result)
    assert Card.read(f"{out}.card.json").mechanism.parameters["authors"]["topics"] == 3
    pool = filled(mails, ["--pool", "POOL"])
    attacked = run("text", "attack", mails, out, "--key", key, *pool, *writers)
    assert attacked.exit_code == 0, attacked.output
    assert "– authorship (method known)" not in said(attacked)
    for more in ([], ["--known", mails.parent / "pool.jsonl", "--known-author", "topic"]):  # none, or others
        with pytest.raises(InputError, match="the 36 texts"):
            raise run("text", "attack", mails, out, "--key", key, *pool, *more).exception
    with pytest.raises(InputError, match="code-response takes them"):
        raise protect(mails, *RESPONSE, *writers, "-o", out).exception
    with pytest.raises(InputError, match="at least 2 with authors"):
        raise protect(mails, *label_only, *writers, "-o", out).exception
    with pytest.raises(InputError, match="a column of the file of --known"):
        raise protect(mails, *code, "--known", mails, "--known-author", "nobody", "-o", out).exception


@pytest.mark.parametrize("name", ["topic-response", "neighbourhood-response"])
def test_one_release_for_each_author(mails, name):
    book, out, key = mails.parent / "book.ledger", mails.parent / "out.csv", mails.parent / "key"
    with Ledger(book) as ledger:
        ledger.set("letters", PureDP(5.0, unit="person", neighbours="any-pair", model="local"))
    options = ["-m", name, "--epsilon", "3", "--pool", "POOL", "--author", "author", "--scrub", "-o", out]
    result = protect(mails, *options, "--ledger", book, "--subject", "letters", "--key", key)
    assert result.exit_code == 0, result.output
    assert read_table(out).num_rows == 3  # three authors of six letters each
    assert "ε = 3 for one person" in said(result)
    with Ledger(book) as ledger:
        assert ledger.spent("letters").epsilon == 3.0
    attacked = run("text", "attack", mails, out, "--key", key, *filled(mails, ["--pool", "POOL"]))
    assert attacked.exit_code == 0, attacked.output
    assert "linkage (raw texts known)" in attacked.stdout
    measured = run("text", "measure", mails, out, "--key", key)
    assert measured.exit_code == 0, measured.output
    assert ("– topic (static)" in said(measured)) == (name == "neighbourhood-response")
    assert verify(out, ledger=book).holds
    with pytest.raises(InputError, match="stands for all of an author"):
        raise protect(mails, *options, "--keep", "id").exception


def test_the_author_is_the_person_who_is_charged(mails):
    out = mails.parent / "out.csv"
    results = [
        protect(mails, "-m", "word-exponential", *BUDGET, option, "author", "-o", out)
        for option in ("--author", "--person")
    ]
    assert "for one person as a whole" in said(results[0])
    assert said(results[0]).split("verdict: ")[1:] == said(results[1]).split("verdict: ")[1:]
    assert "no protection against someone who holds candidate texts" in said(results[0])
    with pytest.raises(InputError, match="the same column as person"):
        raise protect(mails, *BUDGET, "--author", "author", "--person", "id", "-o", out).exception


def test_the_strongest_attack_is_named(mails):
    out, key = mails.parent / "out.csv", mails.parent / "key"
    assert protect(mails, "-m", "scrubber", "-o", out, "--key", key).exit_code == 0
    attacked = run("text", "attack", mails, out, "--key", key)
    assert "strongest: " in said(attacked)
    assert "where guessing gives" in said(attacked)


def test_attack_needs_the_key_after_shuffling_and_not_without(mails):
    out = mails.parent / "out.csv"
    assert protect(mails, "-m", "word-laplace", *BUDGET, "-o", out).exit_code == 0
    with pytest.raises(InputError, match="protect --key FILE writes it"):
        raise run("text", "attack", mails, out).exception
    result = protect(mails, "-m", "word-laplace", *BUDGET, "-o", out, "--keep-order")
    assert "often tells who is who" in said(result)
    assert run("text", "attack", mails, out).exit_code == 0


def test_the_key_brings_every_text_back_to_its_row(mails):
    """Texts that nobody changes are found where they were: scrubbing leaves the made-up letters as they are."""
    before = read_table(mails)["text"].to_pylist()
    out, key = mails.parent / "out.csv", mails.parent / "key"
    assert protect(mails, "-m", "scrubber", "--keep", "id", "-o", out, "--key", key).exit_code == 0
    after, rows = read_table(out), Key.read(key).rows
    assert after["id"].to_pylist() == rows.tolist()
    assert rows.tolist() != list(range(18))  # in order once in 18! times
    same = [before[row] == text for row, text in zip(rows, after["text"].to_pylist(), strict=True)]
    assert np.mean(same) > 0.5
    assert key.stat().st_mode & 0o777 == 0o600


def test_rows_are_shuffled_unless_told_otherwise(mails):
    out = mails.parent / "out.csv"
    for options, kept in ((["--keep-order"], True), ([], False)):
        assert protect(mails, *BUDGET, "--keep", "id", "-o", out, *options).exit_code == 0
        assert (read_table(out)["id"].to_pylist() == list(range(18))) == kept


def test_what_is_not_named_does_not_leave(mails):
    out = mails.parent / "out.parquet"
    assert protect(mails, "-m", "word-laplace", *BUDGET, "-o", out).exit_code == 0
    assert read_table(out).column_names == ["text"]
    assert {column.name: column.role for column in Card.read(f"{out}.card.json").release.columns} == {
        "text": "protected"
    }
    card = (mails.parent / "out.parquet.card.json").read_text()
    assert "mails" not in card
    assert "author" not in card


def test_attackers_are_named_to_the_owner_alone(mails):
    """Under a proved promise what was measured on the raw data stands in the internal certificate, not on the card."""
    out, page = mails.parent / "out.csv", mails.parent / "internal.html"
    result = protect(mails, *BUDGET, "--person", "author", "-o", out, "--report", page)
    assert result.exit_code == 0, result.output
    assert Card.read(f"{out}.card.json").risk == ()
    shown = page.read_text(encoding="utf-8")
    assert "Internal:" in shown
    assert "For all records of one person" in shown
    assert all(one.name in shown and one.name in result.output for one in TEXT_ATTACKS)
    nobody = mails.parent / "nobody.html"
    assert protect(mails, *BUDGET, "-o", out, "--report", nobody).exit_code == 0
    assert "of one person" not in nobody.read_text(encoding="utf-8")  # the promise is for a document


def test_a_reason_on_the_card_names_nothing_of_the_input(mails):
    table = read_table(mails).rename_columns(["zahl", "text", "sender", "rubrik"])
    write_table(table, mails)
    out = mails.parent / "out.csv"
    assert protect(mails, *BUDGET, "-o", out, "--attack").exit_code == 0
    card = Card.read(f"{out}.card.json")
    assert card.risk == ()
    assert not {"zahl", "sender", "rubrik"} & set(Path(f"{out}.card.json").read_text().replace('"', " ").split())


def test_a_measure_that_cannot_run_is_a_dash_with_a_reason(mails):
    out, key = mails.parent / "out.csv", mails.parent / "key"
    assert protect(mails, *BUDGET, "-o", out, "--key", key).exit_code == 0
    result = run("text", "measure", mails, out, "--key", key, "--topic", "folder")
    assert result.exit_code == 0, result.output
    assert "topic = 'folder': expected a column of the original" in said(result)
    assert "--vectors and --word-list" in said(result)  # similarity
    assert "search results kept" in result.stdout
    nobody = run("text", "attack", mails, out, "--key", key, "--author", "writer")
    assert nobody.exit_code == 0
    assert "author = 'writer'" in said(nobody)
    assert "against the raw texts" not in nobody.stdout


def test_another_vocabulary_than_on_the_card_is_refused(mails):
    out, key = mails.parent / "out.csv", mails.parent / "key"
    assert protect(mails, *BUDGET, "-o", out, "--key", key).exit_code == 0
    words = mails.parent / "words.txt"
    words.write_text(words.read_text().replace("cherry", "berry") + "\nend")
    np.save(mails.parent / "vectors.npy", np.ones((len(words.read_text().splitlines()), 3)))
    with pytest.raises(InputError, match="words that the card names"):
        raise run("text", "attack", mails, out, "--key", key, *own(mails)).exception


# ── paying ───────────────────────────────────────────────────────────────────────────────────────────────────────


SCOPE: dict[str, Any] = {"unit": "person", "neighbours": "any-pair", "model": "local"}
WORDS = ["-m", "word-laplace", "--epsilon", "2", "--person", "author"]


@pytest.fixture
def book(mails):
    path = mails.parent / "book.ledger"
    with Ledger(path) as ledger:
        ledger.set("letters", PureDP(5000.0, **SCOPE))
    return path


def test_what_one_person_wrote_is_paid_for(mails, book):
    out = mails.parent / "out.csv"
    result = protect(mails, *WORDS, "-o", out, "--ledger", book, "--subject", "letters")
    assert result.exit_code == 0, result.output
    card = Card.read(f"{out}.card.json")
    texts = read_table(out)["text"].to_pylist()
    diameter = make_letters_vocabulary().diameter_bound
    epsilon = card.promise["per_person"]["parameters"]["epsilon"]
    assert 2 * diameter * max(len(text.split()) for text in texts) < epsilon
    assert epsilon < 2 * diameter * sum(len(text.split()) for text in texts)
    with Ledger(book) as ledger:
        assert ledger.spent("letters").epsilon == pytest.approx(epsilon)
    assert card.ledger.paid
    assert verify(out, ledger=book).holds
    again = mails.parent / "again.csv"
    refused = protect(mails, *WORDS, "-o", again, "--ledger", book, "--subject", "letters")
    assert isinstance(refused.exception, BudgetError)
    assert not again.exists()
    assert not Path(f"{again}.card.json").exists()
    with Ledger(book) as ledger:
        assert ledger.spent("letters").epsilon == pytest.approx(epsilon)


def test_the_number_of_texts_may_be_declared(mails, book):
    out = mails.parent / "out.csv"
    options = [*WORDS, "-o", out, "--ledger", book, "--subject", "letters"]
    assert protect(mails, *options, "--most", "7").exit_code == 0
    promise = Card.read(f"{out}.card.json").promise["per_person"]
    longest = promise["totals"]["words"]["document (longest)"]
    assert promise["totals"]["words"]["person (most)"] == 7 * longest
    assert "most that one person wrote" not in promise["words"]
    with pytest.raises(InputError, match="no person with more texts"):
        raise protect(mails, *options, "--most", "5").exception


def test_a_seeded_release_promises_nothing_and_spends_nothing(mails, book):
    out = mails.parent / "out.csv"
    result = protect(mails, *WORDS, "-o", out, "--ledger", book, "--subject", "letters", "--seed", "1")
    assert result.exit_code == 0
    card = Card.read(f"{out}.card.json")
    assert card.promise["kind"] == "NoGuarantee"
    assert "per_person" not in card.promise
    assert card.mechanism.randomness == "seeded"
    with Ledger(book) as ledger:
        assert ledger.spent("letters").epsilon == 0
        assert len(ledger.releases("letters")) == 1
    assert "any two words" not in said(result)


def test_a_release_without_a_promise_is_recorded_and_the_next_one_is_told(mails, book):
    out = mails.parent / "out.csv"
    options = ["-m", "scrubber", "-o", out, "--ledger", book, "--subject", "people"]
    assert "without a budget" in said(protect(mails, *options))
    second = protect(mails, *options)
    assert "'people' was released once before this" in said(second)
    assert verify(out, ledger=book).holds


def test_a_subject_alone_is_refused(mails):
    out = mails.parent / "out.csv"
    with pytest.raises(InputError, match="a ledger with it"):
        raise protect(mails, *WORDS, "-o", out, "--subject", "letters").exception
    assert not out.exists()


@pytest.mark.parametrize("name", ["mails.jsonl", "link.jsonl", "hard.jsonl"])
def test_the_input_is_never_overwritten(mails, name):
    os.symlink(mails, mails.parent / "link.jsonl")
    os.link(mails, mails.parent / "hard.jsonl")
    before = mails.read_bytes()
    with pytest.raises(InputError, match="it is the input"):
        raise protect(mails, *BUDGET, "-o", mails.parent / name).exception
    assert mails.read_bytes() == before


# ── scrubbing ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_syntf_promises_the_same_after_scrubbing(mails):
    result = protect(mails, "--epsilon", "5", "--scrub", "-o", mails.parent / "out.jsonl")
    assert result.exit_code == 0, result.output
    assert "promise: ε = " in result.stderr
    assert "as scrubbed" not in result.stderr


@pytest.mark.parametrize(
    ("names", "hidden"), [("lists", "Then Xiomara met [PERSON]"), ("capitals", "Then [NAME] met [PERSON]")]
)
def test_scrubbing_knows_names_from_where_it_is_told(tmp_path, names, hidden):
    (tmp_path / "one.jsonl").write_text('{"text": "Then Xiomara met Anna"}\n')
    result = run(
        "text", "protect", tmp_path / "one.jsonl", "-m", "scrubber", "--names", names, "-o", tmp_path / "out.jsonl"
    )
    assert result.exit_code == 0, result.output
    assert released(tmp_path / "out.jsonl") == [{"text": hidden}]


def test_pseudonyms_go_on_with_the_key_of_an_earlier_release(tmp_path):
    source, options = tmp_path / "one.jsonl", ["-m", "scrubber", "--set", "replacement=pseudonym"]
    source.write_text('{"text": "Then Xiomara met Anna"}\n')
    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"0123456789abcdef0123456789abcdef")

    def pseudonym(name: str, *more: Any) -> str:
        out = tmp_path / f"{name}.jsonl"
        result = run("text", "protect", source, *options, "-o", out, "--key", tmp_path / f"{name}.key", *more)
        assert result.exit_code == 0, result.output
        assert "secret" not in Path(f"{out}.card.json").read_text()
        return str(released(out)[0]["text"])

    first, second = pseudonym("first"), pseudonym("second")
    assert first != second
    assert pseudonym("third", "--pseudonyms", tmp_path / "first.key") == first
    assert pseudonym("fourth", "--pseudonyms", secret) == pseudonym("fifth", "--pseudonyms", secret) != first
    assert pseudonym("sixth", "--pseudonyms", tmp_path / "fifth.key") == pseudonym("seventh", "--pseudonyms", secret)
    forgotten = run("text", "protect", source, *options, "-o", tmp_path / "out.jsonl")
    assert "was not kept" in said(forgotten)
    refused = run("text", "protect", source, "-m", "scrubber", "--pseudonyms", secret, "-o", tmp_path / "x.csv")
    with pytest.raises(InputError, match="replacement=pseudonym"):
        raise refused.exception
    secret.write_bytes(b"short")
    with pytest.raises(InputError, match="16 secret bytes"):
        raise run("text", "protect", source, *options, "--pseudonyms", secret, "-o", tmp_path / "x.csv").exception


# ── word vectors ─────────────────────────────────────────────────────────────────────────────────────────────────


SIZES = {"delta": 1e-5, "expected_users": 3, "dimension": 4, "steps": 2, "rate": 1.0}


def skip_gram(mails: Path, *options: Any) -> Any:
    sizes = [part for name, value in SIZES.items() for part in ("--set", f"{name}={value}")]
    return run("text", "protect", mails, "-m", "private-skip-gram", "--epsilon", "4", *sizes, *options)


@pytest.mark.parametrize("own_words", [True, False])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_private_skip_gram_writes_word_vectors(mails, own_words, ending):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    out = mails.parent / f"vectors.{ending}"
    vocabulary = own(mails) if own_words else ["--word-list", mails.parent / "words.txt"]
    result = skip_gram(mails, *vocabulary, "--person", "author", "-o", out, "--scrub")
    assert result.exit_code == 0, result.output
    table = read_table(out)
    assert tuple(table["word"].to_pylist()) == make_letters_vocabulary().words
    assert table.column_names == ["word", "v1", "v2", "v3", "v4"]
    assert "ε = 4, δ = 1e-05 per user" in said(result)
    attacked = run("text", "attack", mails, out)
    assert "at least 4, to leave some out" in said(attacked)  # three authors are too few
    measured = run("text", "measure", mails, out)
    assert measured.exit_code == 0, measured.output
    assert "neighbouring words" in measured.stdout
    assert verify(out).holds


def test_private_skip_gram_is_attacked_and_pays(mails):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    table = read_table(mails)
    writers = [f"{author} {k % 2}" for k, author in enumerate(table["author"].to_pylist())]
    write_table(table.append_column("writer", [writers]), mails)
    book, out = mails.parent / "book.ledger", mails.parent / "vectors.csv"
    with Ledger(book) as ledger:
        ledger.set("letters", ApproxDP(5.0, 1e-4, unit="user", neighbours="add-remove"))
    options = [*own(mails), "--person", "writer", "-o", out, "--ledger", book, "--subject", "letters"]
    result = skip_gram(mails, *options, "--attack")
    assert result.exit_code == 0, result.output
    card = Card.read(f"{out}.card.json")
    assert card.risk == ()
    assert "membership (who was learned from)" in result.output
    assert verify(out, ledger=book).holds
    assert isinstance(skip_gram(mails, *options).exception, BudgetError)
    attacked = run("text", "attack", mails, out, "--author", "writer")
    assert attacked.exit_code == 0, attacked.output
    assert "0.5" in attacked.stdout


def test_private_skip_gram_refuses_what_it_cannot_use(mails):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    out = mails.parent / "vectors.csv"
    for options, message in (
        (["--person", "author", "--keep", "id"], "nothing to keep"),
        (["--person", "writer"], "no column 'writer'"),
        ([], "--person"),
    ):
        with pytest.raises(InputError, match=message):
            raise skip_gram(mails, *own(mails), "-o", out, *options).exception
        assert not out.exists()


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────


def test_parameters_without_an_option_of_their_own(mails):
    out = mails.parent / "out.jsonl"
    result = protect(mails, "-m", "truncated-exponential", "--epsilon", "5", "--set", "truncation=0.25", "-o", out)
    assert result.exit_code == 0, result.output
    assert "at most ε = 1.25" in said(result)
    assert Card.read(f"{out}.card.json").mechanism.parameters["settings"] == {"truncation": 0.25}


def test_an_unknown_mechanism_is_told_all_names(mails):
    result = protect(mails, "-m", "magic", "--epsilon", "5", "-o", mails.parent / "out.jsonl")
    for name in ROOM.mechanisms():
        assert name in f"{result.exception} {result.output}"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b'{"text": 5}\n', [], "expected texts"),
        (b'{"text": "a"}\n{"text": null}\n', [], "no value in row 2"),
        (b'{"body": "a"}\n', [], "no column 'text'"),
        (b'{"text": "' + b"a" * 200 + b'"}\n', ["--longest", "100"], "more than 100 characters"),
        (b'{"text": "a"}\n', ["--mechanism", "magic"], "one of 'syntf'"),
        (b'{"text": "a"}\n', ["--mechanism", "scrubber"], "no budget for scrubber"),
        (b'{"text": "a"}\n', ["--mechanism", "bag-mechanism", "--length", "9"], "'length': expected one of epsilon"),
        (b'{"text": "a"}\n', ["--set", "epsilon=4"], "each parameter in one place"),
        (b'{"text": "a"}\n', ["--synsets"], "synonyms need vectors"),
        (b'{"text": "a"}\n', ["--pool", "POOL"], "no pool for syntf"),
        (b'{"text": "a"}\n', ["-m", "topic-response"], "name them with pool= or --pool"),
        (b'{"text": "a"}\n', ["--keep", "id"], "no column 'id'"),
        (b'{"text": "a"}\n', ["--keep", "text"], "a column other than the text"),
        (b'{"text": "a"}\n', ["--person", "who"], "no column 'who'"),
        (b"", [], "empty"),
        (b'{"text": "mia katto kaj hundo"}\n' * 20, [], "share a language"),
    ],
)
def test_bad_files_write_nothing(mails, content, options, message):
    mails.write_bytes(content)
    out = mails.parent / "out.jsonl"
    result = protect(mails, "--epsilon", "5", "-o", out, *options)
    assert result.exit_code != 0
    assert message in f"{result.exception} {result.output}"
    assert not out.exists()
    assert not Path(f"{out}.card.json").exists()


def test_an_error_is_one_line_and_exit_code_2(mails, capsys):
    out = mails.parent / "out.csv"
    with pytest.raises(SystemExit) as ended:
        main(["text", "protect", str(mails), *own(mails), "--epsilon", "-1", "-o", str(out)])
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not out.exists()


def test_documents_in_a_folder_leave_without_their_names(mails):
    folder = mails.parent / "letters"
    (folder / "ann").mkdir(parents=True)
    for k, text in enumerate(read_table(mails)["text"].to_pylist()):
        (folder / "ann" / f"{k}.txt").write_text(text)
    out = mails.parent / "out.csv"
    command = ["text", "protect", folder, "-m", "word-exponential", "--epsilon", "5", *own(mails)]
    assert run(*command, "-o", out).exit_code == 0
    assert read_table(out).column_names == ["text"]
    assert read_table(out).num_rows == 18
    assert "ann" not in Path(f"{out}.card.json").read_text()
    with pytest.raises(InputError, match="names of files"):
        raise run(*command, "-o", out, "--keep", "file").exception
    with pytest.raises(InputError, match="lies in the folder"):
        raise run(*command, "-o", folder / "out.csv").exception


def test_a_retrieval_is_for_whole_documents_unless_asked(mails):
    """ε of a sentence says what a document loses before anything is paid, and a ledger pays for the document."""
    out, book, given = mails.parent / "out.csv", mails.parent / "book.db", words_of("retrieve")
    with Ledger(book) as ledger:
        ledger.set("mails", PureDP(20.0, unit="document", neighbours="any-pair", model="local"))
    pays = ("--ledger", book, "--subject", "mails")
    result = protect(mails, "-m", "retrieve", *given, "-o", out, *pays)
    assert result.exit_code == 0, result.output
    assert "ε = 5, and no guess is more than" in said(result)
    with Ledger(book) as ledger:
        assert ledger.spent("mails").epsilon == 5.0
    with pytest.warns(UserWarning, match="may lose ε = 25: no protection"):
        result = protect(mails, "-m", "retrieve", *given, "--unit", "sentence", "-o", mails.parent / "two.csv", *pays)
    assert isinstance(result.exception, BudgetError)
    assert not (mails.parent / "two.csv").exists()
