"""The commands, from a file to a file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.cli.app import app
from sfumato.text.data.letters import make_letters, make_letters_vocabulary
from sfumato.text.room import ROOM


@pytest.fixture
def mails(tmp_path):
    made = make_letters(authors=3, letters=6)
    path = tmp_path / "mails.jsonl"
    records = [
        {"id": k, "text": text, "author": author, "topic": topic}
        for k, (text, author, topic) in enumerate(zip(made.texts, made.authors, made.topics, strict=True))
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    vocabulary = make_letters_vocabulary()
    np.save(tmp_path / "vectors.npy", vocabulary.vectors)
    (tmp_path / "words.txt").write_text("\n".join(vocabulary.words))
    return path


def protect(mails, *options):
    own = ["--vectors", str(mails.parent / "vectors.npy"), "--word-list", str(mails.parent / "words.txt")]
    return CliRunner().invoke(app, ["text", "protect", str(mails), *own, *options])


def test_protect_prints_budgets_per_word_and_document(mails):
    out = mails.parent / "out.jsonl"
    result = protect(mails, "--epsilon", "47.5", "--length", "20", "--keep", "id", "-o", str(out), "--seed", "1")
    assert result.exit_code == 0, result.output
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["id"] for record in records] == list(range(18))
    assert all(set(record) == {"id", "text"} and len(record["text"].split()) == 20 for record in records)
    shown = " ".join(result.stderr.split())
    assert "nominal (ε) 47.5 950" in shown
    assert "tight (ℓ)" in shown
    assert "per document" in shown


BUDGET = ["--epsilon", "5"]
COMMANDS: dict[str, list[str]] = {
    "syntf": BUDGET,
    "bag-exponential": BUDGET,
    "word-laplace": BUDGET,
    "word-mahalanobis": BUDGET,
    "word-exponential": BUDGET,
    "truncated-exponential": BUDGET,
    "candidate-exponential": BUDGET,
    "bag-mechanism": BUDGET,
    "scrubber": [],
}
"""The options of every mechanism that gives texts; private-skip-gram, which gives vectors, has a test of its own."""


@pytest.mark.parametrize("name", [name for name in ROOM.mechanisms() if name != "private-skip-gram"])
def test_protect_with_every_mechanism(mails, name):
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    out = mails.parent / "out.jsonl"
    result = protect(mails, "--mechanism", name, *COMMANDS[listed], "--scrub", "-o", str(out))
    assert result.exit_code == 0, result.output
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert len(texts) == 18
    shown = " ".join(result.stderr.split())
    assert ("no guarantee" in shown) == (listed == "scrubber")
    if listed == "scrubber":
        return
    assert ("(of the texts as scrubbed)" in shown) == (listed != "syntf")
    if listed == "syntf":
        assert "promise: ε = " in shown
        return
    words = [len(text.split()) for text in texts]
    sets = listed == "candidate-exponential"
    first = "words of one set ≤ 5 ≤" if sets else "per unit of distance 5"
    bound = "≤ " if sets else ""
    assert f"{first} {5 * sum(words) / 18:.5g} {bound}{5 * max(words):.5g}" in shown
    assert ("inf" in shown) == sets


def test_syntf_promises_the_same_after_scrubbing(mails):
    result = protect(mails, "--epsilon", "5", "--scrub", "-o", str(mails.parent / "out.jsonl"))
    assert result.exit_code == 0, result.output
    assert "promise: ε = " in result.stderr
    assert "as scrubbed" not in result.stderr


@pytest.mark.parametrize("own_words", [True, False])
def test_private_skip_gram_writes_word_vectors(mails, own_words):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    out = mails.parent / "vectors.jsonl"
    sizes = {"delta": 1e-5, "expected_users": 3, "dimension": 4, "steps": 2, "rate": 1.0}
    options = [part for name, value in sizes.items() for part in ("--set", f"{name}={value}")]
    vocabulary = ["--vectors", str(mails.parent / "vectors.npy")] if own_words else []
    vocabulary += ["--word-list", str(mails.parent / "words.txt")]
    command = ["text", "protect", str(mails), "-m", "private-skip-gram", "--epsilon", "4", *options, *vocabulary]
    result = CliRunner().invoke(app, [*command, "-o", str(out), "--scrub"])
    assert result.exit_code == 0, result.output
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert tuple(record["word"] for record in records) == make_letters_vocabulary().words
    assert all(len(record["vector"]) == 4 for record in records)
    assert "ε = 4, δ = 1e-05 per user" in " ".join(result.stderr.split())
    refused = CliRunner().invoke(app, [*command, "-o", str(out), "--keep", "id"])
    assert "nothing to keep" in f"{refused.exception} {refused.output}"
    nobody = CliRunner().invoke(app, [*command, "-o", str(out), "--author", "writer"])
    assert "a field of record 1" in f"{nobody.exception} {nobody.output}"


def test_parameters_without_an_option_of_their_own(mails):
    out = mails.parent / "out.jsonl"
    result = protect(mails, "-m", "truncated-exponential", "--epsilon", "5", "--set", "truncation=0.25", "-o", str(out))
    assert result.exit_code == 0, result.output
    assert "at most ε = 1.25" in " ".join(result.stderr.split())


def test_an_unknown_mechanism_is_told_all_names(mails):
    result = protect(mails, "-m", "magic", "--epsilon", "5", "-o", str(mails.parent / "out.jsonl"))
    for name in ROOM.mechanisms():
        assert name in f"{result.exception} {result.output}"


@pytest.mark.parametrize(
    ("names", "hidden"), [("lists", "Then Xiomara met [PERSON]"), ("capitals", "Then [NAME] met [PERSON]")]
)
def test_scrubbing_knows_names_from_where_it_is_told(tmp_path, names, hidden):
    (tmp_path / "one.jsonl").write_text('{"text": "Then Xiomara met Anna"}\n')
    result = protect(
        tmp_path / "one.jsonl", "--mechanism", "scrubber", "--names", names, "-o", str(tmp_path / "out.jsonl")
    )
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"text": hidden}


def test_attack_and_measure_commands(mails):
    out = mails.parent / "out.jsonl"
    assert protect(mails, "--mechanism", "word-laplace", "--epsilon", "20", "-o", str(out)).exit_code == 0
    for verb, wanted in (("attack", "writeprints+content, adaptive"), ("measure", "search results kept")):
        result = CliRunner().invoke(app, ["text", verb, str(mails), str(out)])
        assert result.exit_code == 0, result.output
        assert wanted in result.stdout


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b'{"text": "a \xff"}\n', [], "not UTF-8"),
        (b'{"text": 5}\n', [], "expected a text"),
        (b'{"body": "a"}\n', [], "--column names another"),
        (b'{"text": "' + b"a" * 200 + b'"}\n', ["--longest", "100"], "more than 100 bytes"),
        (b'{"text": "a"}\n', ["--mechanism", "magic"], "one of 'syntf'"),
        (b'{"text": "a"}\n', ["--mechanism", "scrubber"], "no budget for scrubber"),
        (b'{"text": "a"}\n', ["--mechanism", "bag-mechanism", "--length", "9"], "'length': expected one of epsilon"),
        (b'{"text": "a"}\n', ["--synsets"], "synonyms need vectors"),
        (b'{"text": "a"}\n', ["--keep", "id"], "a field of record 1"),
        (b"", [], "empty"),
        (b'{"text": "mia katto kaj hundo"}\n' * 20, [], "share a language"),
    ],
)
def test_bad_files_write_nothing(mails, content, options, message):
    mails.write_bytes(content)
    out = mails.parent / "out.jsonl"
    result = protect(mails, "--epsilon", "5", "-o", str(out), *options)
    assert result.exit_code != 0
    assert message in f"{result.exception} {result.output}"
    assert not out.exists()
