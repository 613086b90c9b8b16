"""Attacks, utilities, stylometry, the ready studies and the commands."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import InputError
from sfumato.study.run.runner import run
from sfumato.text import (
    AuthorshipAttack,
    Corpus,
    RetrievalUtility,
    SentimentUtility,
    SimilarityUtility,
    SynTF,
    TopicUtility,
    VerificationAttack,
    ppmi_vocabulary,
    writeprints,
)
from sfumato.text.core.function_words import function_words
from sfumato.text.core.learners import score_of
from sfumato.text.core.stylometry import FEATURES
from sfumato.text.data.corpora import letters_corpus, letters_vocabulary
from sfumato.text.data.letters import make_letters
from sfumato.text.room import ROOM


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return letters_corpus(authors=6, letters=18)


def test_writeprints_has_557_features():
    assert sum(size for _, size in FEATURES) == 557
    assert len(set(function_words())) == 403
    matrix = writeprints(["The cat! @ 42", "", "x" * 1000])
    assert matrix.shape == (3, 557)
    assert np.isfinite(matrix).all()


def test_writeprints_by_hand():
    row = writeprints(["aa bb, the the cat"])[0]
    start = {}
    at = 0
    for name, size in FEATURES:
        start[name] = at
        at += size
    assert row[start["words"]] == pytest.approx(np.log(6))
    assert row[start["words"] + 1] == pytest.approx(13 / 5)
    assert row[start["richness"] : start["richness"] + 2] == pytest.approx([3 / 5, 1 / 5])
    assert row[start["function words"] + function_words().index("the")] == pytest.approx(2 / 5)
    assert row[start["punctuation"]] == pytest.approx(1 / len("aa bb, the the cat"))
    assert row[start["letter bigrams"]] == pytest.approx(2 / 13)  # "th" in "the the"


@pytest.mark.parametrize("features", ["writeprints", "characters", "words"])
def test_raw_letters_give_their_authors_away(corpus, features):
    score = AuthorshipAttack(features=features).attack(corpus, corpus, rng=np.random.default_rng(0))
    assert score.value > 3 * score.reference
    assert score.low <= score.value <= score.high


def test_syntf_keeps_the_topic_and_loses_the_author(corpus):
    rng = np.random.default_rng(1)
    vocabulary = letters_vocabulary()
    release = SynTF(epsilon=10.0, length=60, vocabulary=vocabulary).release(corpus, rng=rng)
    attack = AuthorshipAttack().attack(corpus, release, rng=rng)
    topic = TopicUtility().measure(corpus, release, rng=rng)
    assert topic.value > 0.9
    assert attack.value < 0.5 < AuthorshipAttack().attack(corpus, corpus, rng=rng).value
    assert SimilarityUtility(vocabulary=vocabulary).measure(corpus, release).value > 0.9
    assert VerificationAttack().attack(corpus, release).value < VerificationAttack().attack(corpus, corpus).value


def test_fewer_suspects_are_easier(corpus):
    release = SynTF(epsilon=15.0, length=60, vocabulary=letters_vocabulary()).release(
        corpus, rng=np.random.default_rng(1)
    )
    few, all_ = (AuthorshipAttack(suspects=k).attack(corpus, release, rng=np.random.default_rng(2)) for k in (2, None))
    assert few.value > all_.value
    assert few.reference == 0.5
    with pytest.raises(InputError, match="suspects"):
        AuthorshipAttack(suspects=7).attack(corpus, release, rng=np.random.default_rng(2))


def test_utilities_of_the_raw_data_are_their_reference(corpus):
    for one in (TopicUtility(), TopicUtility(learner="svm", metric="f1"), SentimentUtility(), RetrievalUtility()):
        score = one.measure(corpus, corpus, rng=np.random.default_rng(0))
        assert score.value == pytest.approx(score.reference)


def test_releases_without_words_are_no_error(corpus):
    empty = corpus.with_texts([""] * len(corpus))
    assert AuthorshipAttack().attack(corpus, empty, rng=np.random.default_rng(0)).value < 0.5
    assert VerificationAttack().attack(corpus, empty).value == pytest.approx(0.5)
    assert 0 <= TopicUtility().measure(corpus, empty, rng=np.random.default_rng(0)).value < 1


def test_scores_by_hand():
    truth, guess = np.array(list("aabb")), np.array(list("aaba"))
    assert score_of(truth, guess, "accuracy").value == 0.75
    assert score_of(truth, guess, "f1").value == pytest.approx((0.8 + 2 / 3) / 2)
    assert score_of(truth, guess, "mcc").value == pytest.approx(0.57735, abs=1e-5)
    assert score_of(truth, truth, "mcc").value == 1.0


def test_authors_without_habits_cannot_be_told_apart():
    made = make_letters(authors=4, letters=30, strength=0.0)
    data = Corpus(texts=made.texts, authors=made.authors, topics=made.topics, train=made.train)
    habits = make_letters(authors=4, letters=30, strength=2.0)
    marked = Corpus(texts=habits.texts, authors=habits.authors, topics=habits.topics, train=habits.train)
    rng = np.random.default_rng(0)
    words = AuthorshipAttack(features="words")
    assert words.attack(data, data, rng=rng).value + 0.2 < words.attack(marked, marked, rng=rng).value


def test_vectors_from_public_texts_find_the_pairs():
    vocabulary = letters_vocabulary()
    vectors = vocabulary.vectors / np.linalg.norm(vocabulary.vectors, axis=1, keepdims=True)
    index = vocabulary.index
    near = vectors[index["rose"]] @ vectors[index["tulip"]]
    far = vectors[index["rose"]] @ vectors[index["invoice"]]
    assert near > far + 0.3
    with pytest.raises(InputError, match="different words"):
        ppmi_vocabulary(["one two", "one two"], dimension=10)


@pytest.mark.parametrize(
    "bad",
    [
        {"texts": ["a", 3]},
        {"texts": "ab"},
        {"texts": ["ok", "broken \udcff"]},
        {"authors": ["x"]},
        {"train": [True, True]},
        {"train": [1, 0]},
        {"moods": ["good"]},
    ],
)
def test_bad_corpora(bad):
    good = {"texts": ["a", "b"], "authors": ["x", "y"], "topics": ["t", "t"], "train": [True, False]}
    Corpus(**good)
    with pytest.raises(InputError):
        Corpus(**{**good, **bad})


def test_attacks_need_a_corpus(corpus):
    with pytest.raises(InputError, match="Corpus"):
        AuthorshipAttack().attack(list(corpus.texts), corpus)
    with pytest.raises(InputError, match="one text for each"):
        TopicUtility().measure(corpus, letters_corpus(authors=2, letters=3))


def test_the_demo_study_runs(tmp_path):
    recipe = next(recipe for recipe in ROOM.recipes if recipe.demo)
    study = recipe.build(epsilons=[10.0], authors=3, letters=9, seeds=1)
    outcome = run(study, workers=1, progress=False)
    assert set(outcome.labels) == set(study.mechanisms)
    picture = study.pictures[0](outcome)
    assert len(picture.figure.data) == 2 * len(study.mechanisms)


@pytest.fixture
def mails(tmp_path):
    made = make_letters(authors=3, letters=6)
    path = tmp_path / "mails.jsonl"
    records = [
        {"id": k, "text": text, "author": author, "topic": topic}
        for k, (text, author, topic) in enumerate(zip(made.texts, made.authors, made.topics, strict=True))
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    vocabulary = letters_vocabulary()
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


@pytest.mark.parametrize("name", ["laplace", "mahalanobis", "exponential", "truncated", "candidates", "bag", "scrub"])
def test_protect_with_every_mechanism(mails, name):
    out = mails.parent / "out.jsonl"
    budget = [] if name == "scrub" else ["--epsilon", "5"]
    result = protect(mails, "--mechanism", name, *budget, "--scrub", "-o", str(out))
    assert result.exit_code == 0, result.output
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert len(texts) == 18
    shown = " ".join(result.stderr.split())
    assert ("no guarantee" in shown) == (name == "scrub")
    if name == "scrub":
        return
    assert "(of the texts as scrubbed)" in shown
    words = [len(text.split()) for text in texts]
    first = "words of one set ≤ 5 ≤" if name == "candidates" else "per unit of distance 5"
    bound = "≤ " if name == "candidates" else ""
    assert f"{first} {5 * sum(words) / 18:.5g} {bound}{5 * max(words):.5g}" in shown
    assert ("inf" in shown) == (name == "candidates")


@pytest.mark.parametrize(
    ("names", "hidden"), [("lists", "Then Xiomara met [PERSON]"), ("capitals", "Then [NAME] met [PERSON]")]
)
def test_scrubbing_knows_names_from_where_it_is_told(tmp_path, names, hidden):
    (tmp_path / "one.jsonl").write_text('{"text": "Then Xiomara met Anna"}\n')
    result = protect(
        tmp_path / "one.jsonl", "--mechanism", "scrub", "--names", names, "-o", str(tmp_path / "out.jsonl")
    )
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"text": hidden}


def test_attack_and_measure_commands(mails):
    out = mails.parent / "out.jsonl"
    assert protect(mails, "--mechanism", "laplace", "--epsilon", "20", "-o", str(out)).exit_code == 0
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
        (b'{"text": "a"}\n', ["--mechanism", "magic"], "one of syntf"),
        (b'{"text": "a"}\n', ["--mechanism", "scrub"], "no budget for scrub"),
        (b'{"text": "a"}\n', ["--mechanism", "bag", "--length", "9"], "they are for syntf"),
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


@pytest.mark.data
def test_newsgroup_scenarios_meet_their_minima():
    from sfumato.text.data.newsgroups import SCENARIOS, load_newsgroups, scenario_posts

    posts = load_newsgroups()
    assert len(posts) == 18_846
    assert sum(post.train for post in posts) == 11_314
    for name, (authors, groups, train, test) in SCENARIOS.items():
        chosen = scenario_posts(name, posts)
        by_author = {post.author: [p for p in chosen if p.author == post.author] for post in chosen}
        assert len(by_author) == authors
        for own in by_author.values():
            assert sum(p.train for p in own) >= train
            assert sum(not p.train for p in own) >= test
            assert len({p.group for p in own}) >= groups


@pytest.mark.data
def test_glove_from_the_data_folder(monkeypatch):
    import importlib.util

    from sfumato.text import load_glove

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name.startswith("kumo") else find(name))
    words = load_glove(1000, content=True)
    assert len(words) == 1000
    assert words.dimension == 50
    assert "the" not in words.index
