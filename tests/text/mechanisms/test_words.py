"""Word-level mechanisms, the bag mechanism and its distances (Fischer B7–B10, Meehan §4.5)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.text import (
    BagExponential,
    BagMechanism,
    CandidateExponential,
    NearestWord,
    TruncatedExponential,
    Vocabulary,
    WordExponential,
    WordLaplace,
    WordMahalanobis,
    centroid_distance,
    deniability,
    earth_mover_distance,
    positional_distance,
    relaxed_emd,
)
from sfumato.text.examples import PLANE, bags

ALL = [WordLaplace, WordMahalanobis, WordExponential, TruncatedExponential, CandidateExponential]


def cloud(size: int, dimension: int, seed: int = 0) -> Vocabulary:
    vectors = np.random.default_rng(seed).normal(size=(size, dimension))
    return Vocabulary(words=tuple(f"w{chr(97 + k % 26)}{'x' * (k // 26)}" for k in range(size)), vectors=vectors)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 700), st.integers(1, 60), st.floats(0.01, 1e4), st.integers(0, 2**32 - 1))
def test_nearest_word_is_exact(size, dimension, scale, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, dimension)).astype(np.float32)
    words = Vocabulary(words=tuple(map(str, range(size))), vectors=vectors)
    points = rng.normal(size=(9, dimension)) * scale
    apart = ((points[:, None] - vectors[None].astype(float)) ** 2).sum(axis=2)
    found = NearestWord(words).ids(points)
    best = apart.min(axis=1)
    assert apart[np.arange(9), found] == pytest.approx(best, rel=1e-12)


def test_nearest_word_of_points_beyond_single_precision():
    words = Vocabulary(words=tuple("abc"), vectors=[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert NearestWord(words).ids(np.array([[1e45, 0.0], [-1e45, 1.0], [0.0, 1e150]])).tolist() == [0, 2, 1]


def test_nearest_words_of_many_points_are_found_in_threads(rng):
    words = cloud(300, 5)
    points = rng.normal(size=(5_000, 5))
    one_by_one = np.concatenate([NearestWord(words).ids(part) for part in np.array_split(points, 5)])
    assert (NearestWord(words).ids(points) == one_by_one).all()


def test_nearest_of_equals_is_the_first():
    words = Vocabulary(words=tuple("abcd"), vectors=[[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    assert NearestWord(words).ids(np.array([[0.0, 3.0], [5.0, 1.0], [-2.0, 0.0]])).tolist() == [0, 0, 2]


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
    table = pa.table({"id": [1, 2], "text": ["cat dog", "stock"]})
    released = mechanism.release(table, rng=rng)
    assert released["id"].to_pylist() == [1, 2]
    assert [len(t.split()) for t in released["text"].to_pylist()] == [2, 1]


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


def test_permuted_bags_have_one_law():
    mechanism = BagExponential(epsilon=2.0, vocabulary=PLANE)
    outputs = bags(PLANE.words, 3)
    first, second = (mechanism.log_prob(outputs, text) for text in ("cat dog bond", "bond cat dog"))
    assert first == pytest.approx(second)
    assert np.exp(first).sum() == pytest.approx(1)
    assert mechanism.guarantee.loss_bound("cat dog", "dog cat") == 0.0


def test_bag_promise_over_all_pairs_of_two_words():
    """εN·E_d over every pair of bags of two words, a word outside included."""
    mechanism = BagExponential(epsilon=1.5, vocabulary=PLANE)
    inputs = [" ".join(b) for b in itertools.combinations_with_replacement([*PLANE.words, "zebra"], 2)]
    result = audit(mechanism, pairs=list(itertools.combinations(inputs, 2)), outputs=bags(PLANE.words, 2))
    assert result.verdict == "holds"


def test_order_is_forgotten():
    released = BagMechanism(epsilon=1e5, vocabulary=PLANE).release(
        "the stock and the cat", rng=np.random.default_rng(0)
    )
    assert released == "cat stock"


def test_bags_of_different_size_have_no_bound():
    assert math.isinf(BagMechanism(epsilon=1.0, vocabulary=PLANE).guarantee.loss_bound("cat", "cat dog"))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_assignment_equals_linear_programme(size, seed):
    """B8: for equal sizes the permutation is optimal; bounds lie on their sides."""
    pytest.importorskip("ot")
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, size, 3))
    exact = earth_mover_distance(x, y)
    weights = np.ones(size)
    assert exact == pytest.approx(earth_mover_distance(x, y, first_weights=weights, second_weights=weights), abs=1e-9)
    assert max(relaxed_emd(x, y), centroid_distance(x, y)) <= exact + 1e-9
    assert exact <= positional_distance(x, y) + 1e-9
    assert earth_mover_distance(x, rng.permutation(x)) == pytest.approx(0, abs=1e-12)


def test_positional_distance_is_not_the_earth_movers():
    """Fischer prints the identity flow: two bags equal up to order and 1 % noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 6, (5, 5))
    y = np.roll(x, 1, axis=0) + rng.normal(0, 0.06, (5, 5))
    assert positional_distance(x, y) > 50 * earth_mover_distance(x, y)


def test_bad_bags():
    with pytest.raises(InputError, match="at least one word"):
        earth_mover_distance(np.empty((0, 2)), [[1.0, 2.0]])
    with pytest.raises(InputError, match="one dimension"):
        earth_mover_distance([[1.0]], [[1.0, 2.0]])
    with pytest.raises(InputError, match="one size"):
        positional_distance([[1.0]], [[1.0], [2.0]])
    with pytest.raises(InputError, match="counts"):
        earth_mover_distance([[1.0], [2.0]], [[1.0]], first_weights=[-1.0, 2.0])


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
