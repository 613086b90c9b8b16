"""Word-by-word replacement (Fischer B9; Meehan §4.5)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helpers.vocabularies import cloud
from sfumato.errors import InputError
from sfumato.text import (
    BagMechanism,
    CandidateExponential,
    TruncatedExponential,
    Vocabulary,
    WordExponential,
    WordLaplace,
    WordMahalanobis,
    deniability,
)
from sfumato.text.examples import PLANE

ALL = [WordLaplace, WordMahalanobis, WordExponential, TruncatedExponential, CandidateExponential]


@pytest.mark.parametrize("make", ALL)
def test_unknown_words_never_pass(make):
    """Nothing of the input can appear that is not in the public vocabulary."""
    mechanism = make(epsilon=500.0, vocabulary=PLANE)
    released = mechanism.release("Zebra 17 cat Sophie's!", rng=np.random.default_rng(0))
    assert set(released.split()) <= set(PLANE.words)
    assert len(released.split()) == 3


@pytest.mark.parametrize("make", ALL)
def test_large_epsilon_keeps_known_words(make):
    text = "cat dog horse stock bond share"
    assert make(epsilon=5000.0, vocabulary=PLANE).release(text, rng=np.random.default_rng(0)) == text


@pytest.mark.parametrize("make", ALL)
def test_kinds_of_data(make):
    pa = pytest.importorskip("pyarrow")
    mechanism = make(epsilon=1.0, vocabulary=PLANE)
    rng = np.random.default_rng(0)
    assert mechanism.release([], rng=rng) == []
    assert mechanism.release("", rng=rng) == ""
    table = pa.table({"id": list(range(1, 21)), "text": ["cat " * k for k in range(1, 21)], "who": ["ann"] * 20})
    assert mechanism.release(table, rng=rng).column_names == ["text"]
    released = mechanism.release(table, rng=rng, keep=["id"])
    assert released.column_names == ["id", "text"]
    assert released["id"].to_pylist() == [len(t.split()) for t in released["text"].to_pylist()]
    assert released["id"].to_pylist() != list(range(1, 21))  # in order once in 20! times
    for wrong in (["nothing"], ["text"], "id"):
        with pytest.raises(InputError):
            mechanism.release(table, rng=rng, keep=wrong)


def test_truncated_is_the_published_two_stage_draw():
    """TEM draws among the near words and one option for all others; the law is that of −min(d, γ)."""
    epsilon, gamma = 2.0, 1.5
    mechanism = TruncatedExponential(epsilon=epsilon, vocabulary=PLANE, truncation=gamma)
    apart = np.linalg.norm(PLANE.vectors.astype(float) - PLANE.vectors[0].astype(float), axis=1)
    near = apart <= gamma
    scores = np.append(-apart[near], -gamma + 2 / epsilon * math.log((~near).sum()))
    published = np.exp(epsilon * scores / 2)
    published /= published.sum()
    law = np.exp(mechanism.log_prob(PLANE.words, "cat"))
    assert law[near] == pytest.approx(published[:-1])
    assert law[~near] == pytest.approx(published[-1] / (~near).sum())
    assert mechanism.guarantee.loss_bound("cat", "share") == pytest.approx(epsilon * gamma)


def test_candidate_sets_part_the_vocabulary():
    words = cloud(100, 5)
    groups = CandidateExponential(epsilon=1.0, vocabulary=words, candidates=8).groups
    assert np.bincount(groups[:-1]).min() >= 8
    assert len(groups) == 101


def test_candidates_tell_their_set():
    mechanism = CandidateExponential(epsilon=2.0, vocabulary=PLANE, candidates=3)
    assert math.isinf(mechanism.guarantee.loss_bound("cat", "stock"))
    assert mechanism.guarantee.loss_bound("cat dog", "dog dog") == 2.0
    assert math.isinf(mechanism.guarantee.loss_bound("cat", "cat cat"))


def test_mahalanobis_without_mixture_is_round():
    words = cloud(50, 3)
    round_, plain = (make(epsilon=3.0, vocabulary=words) for make in (WordMahalanobis, WordLaplace))
    round_ = round_.replace(mixture=0.0)
    text = " ".join(words.words[:20])
    assert round_.release(text, rng=np.random.default_rng(1)) == plain.release(text, rng=np.random.default_rng(1))


def test_remapped_words_are_the_posterior_mode():
    mechanism = WordLaplace(epsilon=2.0, vocabulary=PLANE, decode="remapped")
    points = np.random.default_rng(0).normal(1.5, 2, (200, 2))
    vectors = PLANE.vectors.astype(float)
    posterior = -np.log(np.arange(6) + 2.0) - 2 * np.linalg.norm(points[:, None] - vectors[None], axis=2)
    assert (mechanism._decode(points) == posterior.argmax(axis=1)).all()


def test_deniability_falls_with_epsilon():
    words = cloud(200, 5)
    kept, distinct = [], []
    for epsilon in (0.5, 5.0, 50.0):
        found = deniability(
            WordLaplace(epsilon=epsilon, vocabulary=words), words.words[:30], rng=np.random.default_rng(0)
        )
        kept.append(found.kept.mean())
        distinct.append(found.distinct.mean())
    assert kept[0] < kept[1] < kept[2]
    assert distinct[0] > distinct[1] > distinct[2]


def test_law_of_the_exponential_by_hand():
    law = np.exp(WordExponential(epsilon=2.0, vocabulary=PLANE).log_prob(PLANE.words, "cat"))
    apart = np.linalg.norm(PLANE.vectors.astype(float), axis=1)
    assert law == pytest.approx(np.exp(-apart) / np.exp(-apart).sum(), rel=1e-6)
    assert WordExponential(epsilon=2.0, vocabulary=PLANE).log_prob(["zebra"], "cat")[0] == -np.inf


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (WordLaplace, {"epsilon": -1.0}),
        (WordLaplace, {"decode": "random"}),
        (WordMahalanobis, {"mixture": 1.5}),
        (TruncatedExponential, {"truncation": 0.0}),
        (TruncatedExponential, {"share": 1.0}),
        (CandidateExponential, {"candidates": 1}),
        (WordExponential, {"vocabulary": ["cat"]}),
        (BagMechanism, {"epsilon": math.inf}),
    ],
)
def test_bad_parameters(make, bad):
    with pytest.raises(InputError):
        make(**{"epsilon": 1.0, "vocabulary": PLANE, **bad})


def test_many_draws_from_few_rows_follow_the_law():
    """The sampler behind the exponential mechanisms, with its rarest branch taken often."""
    from sfumato.noise.choice import draw_exponential_many
    from sfumato.noise.interval import exact

    scores = np.array([[0.0, -1.0, -2.5, -8.0], [-3.0, -3.0, 0.0, -1.0]])
    rows = np.repeat([0, 1], 30_000)
    for margin, size in ((2.0**-40, 60_000), (0.01, 2_000)):
        part = rows[:: 60_000 // size]
        drawn = draw_exponential_many(
            scores, part, lambda digits: exact(1, digits), np.random.default_rng(4), margin=margin
        )
        for row in (0, 1):
            law = np.exp(scores[row]) / np.exp(scores[row]).sum()
            counts = np.bincount(drawn[part == row], minlength=4)
            expected = law * counts.sum()
            assert ((counts - expected) ** 2 / np.maximum(expected, 1)).sum() < 40  # one false alarm in 10⁷


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("candidates", [2, 3, 8])
def test_candidates_lose_all_of_epsilon_and_no_more(epsilon, candidates):
    """With r = ε/2, as published, the words of a set lose about half of what is promised and paid for."""
    rng = np.random.default_rng(3)
    names = tuple(f"w{chr(97 + k)}" for k in range(24))
    mechanism = CandidateExponential(
        epsilon=epsilon, vocabulary=Vocabulary(words=names, vectors=rng.normal(size=(24, 3))), candidates=candidates
    )
    groups = mechanism.groups
    for group in range(groups.max() + 1):
        inputs = [names[k] if k < 24 else "outside" for k in np.flatnonzero(groups == group)]
        outputs = [names[k] for k in np.flatnonzero(groups[:-1] == group)]
        law = np.array([mechanism.log_prob(outputs, word) for word in inputs])
        lost = (law.max(axis=0) - law.min(axis=0)).max()
        assert 0.99 * epsilon <= lost <= epsilon
        assert epsilon / 2 <= mechanism.rate(group)
