"""Attackers who name the author: they beat guessing on raw texts, knowing more helps, and ties do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.study.study import Raw
from sfumato.text import (
    AuthorshipAttack,
    BagMechanism,
    CandidateExponential,
    ClusteringAttack,
    Corpus,
    Scrubber,
    SynTF,
    TopicResponse,
    WordExponential,
)
from sfumato.text.core.text_features import features_of
from sfumato.text.data.letters import make_letters_corpus, make_letters_pool, make_letters_vocabulary

WORDS = make_letters_vocabulary()
STATIC = AuthorshipAttack(learns_from="raw")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_letters_corpus(authors=6, letters=18)


@pytest.mark.parametrize("features", [("style",), ("style", "content"), ("characters",), ("words",), ("length",)])
@pytest.mark.parametrize("learner", ["svm", "bayes"])
def test_raw_letters_give_their_authors_away(corpus, features, learner):
    attack = AuthorshipAttack(learns_from="raw", learners=(learner,), features=features)
    score = attack.attack(corpus, corpus, rng=np.random.default_rng(0))
    least = 1.0 if features == ("length",) else 2.5
    assert score.value >= least * score.reference
    assert score.low <= score.value <= score.high


def test_whoever_knows_the_method_wins_most(corpus):
    """For most seeds: 6 authors, 36 test letters; the differences are several standard deviations."""
    syntf = SynTF(epsilon=20.0, length=60, vocabulary=WORDS)
    better = []
    for seed in range(3):
        release = syntf.release(corpus, rng=np.random.default_rng(seed))
        known, static = (
            one.attack(corpus, release, mechanism=syntf, rng=np.random.default_rng(1)).value
            for one in (AuthorshipAttack(copies=8), STATIC)
        )
        better.append(known > static + 0.1)
    assert sum(better) >= 2


@pytest.mark.parametrize(
    "mechanism",
    [
        WordExponential(epsilon=6.0, vocabulary=WORDS),
        BagMechanism(epsilon=10.0, vocabulary=WORDS),
        CandidateExponential(epsilon=3.0, vocabulary=WORDS),
        Scrubber(),
        Raw(),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_the_method_of_every_release_can_be_used(corpus, mechanism):
    release = mechanism.release(corpus, rng=np.random.default_rng(1))
    score = AuthorshipAttack(copies=2).attack(corpus, release, mechanism=mechanism, rng=np.random.default_rng(2))
    assert score.value > score.reference


def test_texts_of_one_author_together_say_more(corpus):
    syntf = SynTF(epsilon=20.0, length=60, vocabulary=WORDS)
    pairs = []
    for seed in range(3):
        release = syntf.release(corpus, rng=np.random.default_rng(seed))
        pairs.append(
            [
                AuthorshipAttack(together=g, copies=2)
                .attack(corpus, release, mechanism=syntf, rng=np.random.default_rng(2))
                .value
                for g in (1, 6)
            ]
        )
    alone, joined = np.mean(pairs, axis=0)
    assert joined > alone + 0.1
    with pytest.raises(InputError, match="7 texts to test"):
        AuthorshipAttack(learns_from="releases", together=7).attack(corpus, release)


def test_fewer_suspects_are_easier(corpus):
    release = SynTF(epsilon=15.0, length=60, vocabulary=WORDS).release(corpus, rng=np.random.default_rng(1))
    few, all_ = (
        AuthorshipAttack(learns_from="releases", suspects=k).attack(corpus, release, rng=np.random.default_rng(2))
        for k in (2, None)
    )
    assert few.value > all_.value
    assert few.reference == 0.5
    with pytest.raises(InputError, match="suspects"):
        AuthorshipAttack(learns_from="releases", suspects=7).attack(corpus, release, rng=np.random.default_rng(2))


def test_the_order_of_rows_tells_unless_they_are_shuffled(corpus):
    attack = AuthorshipAttack(learns_from="releases", features=(), order=True)
    blank = corpus.with_texts([""] * len(corpus), order=np.arange(len(corpus)))
    assert attack.attack(corpus, blank).value > 0.9  # the letters stand author by author
    shuffled = [
        attack.attack(corpus, replace(blank, order=np.random.default_rng(seed).permutation(len(corpus)))).value
        for seed in range(5)
    ]
    assert np.median(shuffled) < 0.4
    with pytest.raises(InputError, match="the place of each text"):
        attack.attack(corpus, corpus)


def test_releases_that_say_nothing_name_nobody_better_than_guessing(corpus):
    pool = make_letters_pool()
    response = TopicResponse(epsilon=1e-6, pool=pool)
    release = response.release(corpus, rng=np.random.default_rng(0))
    attack = AuthorshipAttack(copies=2, features=("words",))
    score = attack.attack(corpus, release, mechanism=response, rng=np.random.default_rng(1))
    assert score.value <= score.reference + 0.3  # 36 letters: 4.8 standard deviations
    same = corpus.with_texts(["the same"] * len(corpus))
    for one in (AuthorshipAttack(learns_from="releases"), STATIC):
        found = one.attack(corpus, same, rng=np.random.default_rng(0))
        assert found.value <= found.reference


def test_what_cannot_be_is_refused(corpus):
    for options, message in (
        ({"features": "words"}, "several of them"),
        ({"learners": ()}, "at least one"),
        ({"learners": ("oracle",)}, "svm"),
        ({"order": True}, "learns_from='releases'"),
        ({"copies": 0}, "copies"),
    ):
        with pytest.raises(InputError, match=message):
            AuthorshipAttack(**options)
    with pytest.raises(InputError, match="method of the release"):
        AuthorshipAttack().attack(corpus, corpus)
    alone = replace(corpus, authors=np.array(["ann"] * len(corpus)))
    with pytest.raises(InputError, match="at least two"):
        STATIC.attack(alone, alone)


def test_groups_of_characters_are_those_of_scikit_learn():
    learn = ["The rose, a rose. I", "a  lender\tlends ROSES", "", "ü-boat o"]
    see = ["rose boats", "I a", "unknown"]
    ours = features_of("characters", learn, see)
    theirs = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    for own, other in zip(ours, (theirs.fit_transform(learn), theirs.transform(see)), strict=True):
        assert own.shape == other.shape
        assert np.allclose(np.sort(csr_matrix(own).toarray()), np.sort(other.toarray()))


def test_clusters_are_named_by_one_text(corpus):
    """Authors with words of their own fall into clusters of their own."""
    texts = [f"{author.replace(' ', '')} word{k % 3} " * 4 for k, author in enumerate(corpus.authors)]
    marked = corpus.with_texts(texts)
    attack = ClusteringAttack(copies=1)
    found = [attack.attack(marked, marked, mechanism=Raw(), rng=seeded_rng(seed)).value for seed in range(7)]
    assert np.median(found) > 0.9  # now and then two authors fall into one cluster
    blank = corpus.with_texts([""] * len(corpus))
    found = ClusteringAttack(copies=1).attack(corpus, blank)
    assert found.value <= found.reference
