"""DeepCandidate: its law by enumeration, what a document and a person lose, the baseline, encoders and recoders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.text import (
    DeepCandidate,
    MiniLMEncoder,
    PublicPool,
    SentenceEncoder,
    TfidfEncoder,
    TruncatedMean,
    WordTableEncoder,
    split_sentences,
)
from sfumato.text.data.letters import make_letters, make_letters_pool
from sfumato.text.examples import DOCUMENTS, retrieval_cases
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw
from sfumato.text.mechanisms.retrieve.recoder_network import Recoder

SMALL = {"pool": DOCUMENTS, "encoder": "tfidf", "dimension": 2, "projections": 15, "clusters": 2}
ONE = {"unit": "sentence", **SMALL}
PARTS = ["A dog and a cat.", "The horse ran.", "Stock and bond.", "My share of stock.", "Hail and rain.", "Nothing."]


def log_laws(deep: DeepCandidate, documents: list[str]) -> np.ndarray:
    return deep.log_likelihood(list(DOCUMENTS.texts), documents)


@pytest.mark.parametrize("sampler", ["exponential", "permute-and-flip"])
def test_neighbours_are_told_apart_by_at_most_the_promise(sampler):
    """All documents of three of six sentences, and all that differ in one: every output of every pair."""
    deep = DeepCandidate(epsilon=2.0, sampler=sampler, **ONE)
    documents = list(itertools.product(range(6), repeat=3))
    laws = log_laws(deep, [" ".join(PARTS[k] for k in document) for document in documents])
    assert np.exp(laws).sum(axis=0) == pytest.approx(np.ones(len(documents)))
    worst = 0.0
    for (i, one), (j, other) in itertools.combinations(enumerate(documents), 2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            worst = max(worst, float(np.abs(laws[:, i] - laws[:, j]).max()))
    assert 0.5 < worst <= 2.0 * (1 + 1e-9)


@pytest.mark.parametrize("deepest", [None, 2])
def test_any_two_documents_are_told_apart_by_at_most_the_promise(deepest):
    """All documents of two or three of six sentences, of any lengths: every output of every pair."""
    deep = DeepCandidate(epsilon=2.0, deepest=deepest, **SMALL)
    documents = [d for size in (2, 3) for d in itertools.combinations_with_replacement(range(6), size)]
    laws = log_laws(deep, [" ".join(PARTS[k] for k in document) for document in documents])
    assert np.exp(laws).sum(axis=0) == pytest.approx(np.ones(len(documents)))
    worst = float((laws.max(axis=1) - laws.min(axis=1)).max())
    assert worst == pytest.approx(2.0, rel=1e-6)
    assert worst <= deep.guarantee.epsilon
    assert np.log(np.exp(laws).max(axis=1).sum()) <= deep.guarantee.leakage
    assert deep.whole_promise(texts=3, words=9, unit="person").epsilon == pytest.approx(6.0)
    assert deep.warning == ""
    drawn = deep.release([" ".join(PARTS[:3])] * 2000, rng=seeded_rng(2))
    shares = np.array([drawn.count(text) for text in DOCUMENTS.texts]) / 2000
    assert np.abs(shares - np.exp(log_laws(deep, [" ".join(PARTS[:3])])[:, 0])).max() < 0.06  # five deviations


def test_a_promise_per_sentence_says_what_a_document_loses():
    deep = DeepCandidate(epsilon=10.0, **ONE)
    assert "ε = 250" in deep.warning
    assert "no protection" in deep.warning
    mean = TruncatedMean(epsilon=2.0, **SMALL)
    assert mean.guarantee.unit == "document"
    assert mean.document_epsilon == 2.0
    assert "number of sentences" not in str(mean.guarantee)
    assert mean.sums(mean.points(" ".join(PARTS))).min() >= 0
    assert mean.sums(mean.points(" ".join(PARTS))).max() <= 2**16


def test_one_sentence_more_costs_what_add_remove_promises_and_any_two_documents_the_bound():
    half = DeepCandidate(epsilon=1.0, neighbours="add-remove", most=6, **ONE)
    documents = [d for size in (2, 3) for d in itertools.combinations_with_replacement(range(6), size)]
    laws = {d: log_laws(half, [" ".join(PARTS[k] for k in d)])[:, 0] for d in documents}
    grown = [(d, tuple(sorted((*d, k)))) for d in documents if len(d) == 2 for k in range(6)]
    worst = max(float(np.abs(laws[a] - laws[b]).max()) for a, b in grown)
    assert 0.2 < worst <= 1.0 * (1 + 1e-9)
    far = max(float(np.abs(laws[a] - laws[b]).max()) for a, b in itertools.combinations(documents, 2))
    assert far <= half.document_epsilon == pytest.approx(2 * 1.0 * 3)
    assert half.whole_promise(texts=2, words=9, unit="person").epsilon == pytest.approx(12.0)
    assert "number of sentences" not in str(half.guarantee)


def test_what_a_document_loses_is_half_of_group_privacy():
    deep = DeepCandidate(epsilon=3.0, most=10, **ONE)
    assert deep.document_epsilon == pytest.approx(15.0)
    assert deep.guarantee.over(10, unit="document").epsilon == pytest.approx(30.0)
    documents = ["A dog. A cat. A horse. The dog.", "Stock and bond. A share.", "Hail. Rain. Rain and hail."]
    laws = log_laws(deep, documents)
    assert np.abs(laws[:, :, None] - laws[:, None]).max() <= 15.0


def test_permute_and_flip_is_its_definition_and_never_shallower():
    depths = np.array([0, 1, 1, 3], np.int32)
    law = DepthLaw(epsilon=1.5, sampler="permute-and-flip")
    coins = np.exp(0.75 * (depths - 3.0))
    expected = np.zeros(4)
    for order in itertools.permutations(range(4)):
        left = 1 / math.factorial(4)
        for k in order:
            expected[k] += left * coins[k]
            left *= 1 - coins[k]
    assert np.exp(law.log_probs(depths)) == pytest.approx(expected, abs=1e-12)
    plain = np.exp(DepthLaw(epsilon=1.5).log_probs(depths))
    assert expected @ depths > plain @ depths
    drawn = np.bincount(law.draw(depths, 4000, seeded_rng(1)), minlength=4) / 4000
    assert np.abs(drawn - expected).max() < 0.045  # five standard deviations
    large = np.repeat(np.arange(6), [4000, 600, 300, 80, 15, 5]).astype(np.int32)
    assert np.exp(DepthLaw(epsilon=6.0, sampler="permute-and-flip").log_probs(large)).sum() == pytest.approx(
        1, abs=1e-9
    )


def test_a_large_budget_gives_the_deepest_and_a_text_of_the_pool_leaves():
    deep = DeepCandidate(epsilon=600.0, **ONE)
    depths = deep.depths(deep.points("The dog. A cat. The dog ran. A horse."))
    released = deep.release("The dog. A cat. The dog ran. A horse.", rng=seeded_rng(1))
    assert depths[deep.chosen([released])[0]] == depths.max()
    assert released in DOCUMENTS.texts
    assert deep.stated([released]) == [DOCUMENTS.topics[DOCUMENTS.index[released]]]


def test_the_vector_of_a_sentence_depends_on_that_sentence_alone():
    letters = make_letters(authors=4, letters=6).texts
    sentences = [one for text in letters for one in split_sentences(text)][:40]
    for recoder in ("linear", "none"):
        space = DeepCandidate(epsilon=1.0, pool=make_letters_pool(), encoder="tfidf", recoder=recoder).space
        together = space.coordinates(sentences)
        assert (together == np.concatenate([space.coordinates([one]) for one in sentences])).all()
        assert (together[::-1] == space.coordinates(sentences[::-1])).all()


def test_recoding_lifts_depths_in_few_dimensions():
    """In many dimensions nearly all depths are 0, so that ε buys nothing."""
    pool, letters = make_letters_pool(), make_letters(authors=2, letters=6, length=120).texts
    letters = [text for text in letters if len(split_sentences(text)) >= 4]
    few, many = (
        DeepCandidate(epsilon=5.0, pool=pool, encoder="tfidf", recoder=recoder, dimension=4, by="topics")
        for recoder in ("linear", "none")
    )
    assert few.space.points.shape[1] == 4 < many.space.points.shape[1]
    deepest = [np.mean([one.depths(one.points(text)).mean() for text in letters]) for one in (few, many)]
    assert deepest[0] > deepest[1]


def test_the_network_recoder_keeps_clusters_apart():
    pytest.importorskip("torch")
    deep = DeepCandidate(epsilon=5.0, pool=make_letters_pool(), encoder="tfidf", recoder="clusters", by="topics")
    again = DeepCandidate(epsilon=5.0, pool=make_letters_pool(), encoder="tfidf", recoder="clusters", by="topics")
    assert (deep.space.points == again.space.points).all()
    topics = deep.pool.codes[list(deep.space.places)]
    centres = np.array([deep.space.points[topics == k].mean(axis=0) for k in np.unique(topics)])
    nearest = ((deep.space.points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (np.unique(topics)[nearest] == topics).mean() > 0.6  # of five topics


def test_a_layer_is_what_it_says():
    rng = np.random.default_rng(1)
    layers = tuple((rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in ((6, 5), (5, 3)))
    points = rng.normal(size=(7, 6))
    expected = np.maximum(points @ layers[0][0].T + layers[0][1], 0) @ layers[1][0].T + layers[1][1]
    assert Recoder(layers=layers)(points) == pytest.approx(expected)


def test_truncation_charges_what_it_adds():
    """Σ_j of how far one sentence moves the sum, over the noise of that coordinate, is ε."""
    mean = TruncatedMean(epsilon=2.0, **ONE)
    dimensions = mean.space.points.shape[1]
    first, second = mean.points(" ".join(PARTS[:4])), mean.points(" ".join([*PARTS[:3], PARTS[4]]))
    moved = np.abs(mean.sums(first) - mean.sums(second)).sum()
    assert moved / mean.scale <= 2.0
    assert dimensions * 2**16 / mean.scale == pytest.approx(2.0)
    assert mean.whole_promise(texts=1, words=5, unit="document").epsilon == pytest.approx(2.0 * mean.most)


@pytest.mark.parametrize("case", retrieval_cases(), ids=lambda case: case.label)
def test_copies_of_one_text_are_drawn_anew(case):
    texts = case.mechanism.release([case.pairs[0][0]] * 60, rng=seeded_rng(3))
    assert len(set(texts)) > 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"encoder": "nonsense"},
        {"encoder": 7},
        {"recoder": "pca"},
        {"by": "authors"},
        {"dimension": 0},
        {"most": 1},
        {"projections": 0},
        {"sampler": "best"},
        {"neighbours": "any-pair"},
        {"short": "drop"},
        {"unit": "word"},
        {"deepest": 5},
        {"deepest": 0},
        {"unit": "sentence", "deepest": 2},
        {"sampler": "permute-and-flip"},
        {"neighbours": "add-remove"},
        {"pool": ["a", "b"]},
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(InputError):
        DeepCandidate(**{"epsilon": 1.0, **SMALL, **wrong})


def test_wrong_documents_pools_and_dimensions_are_refused():
    deep = DeepCandidate(epsilon=1.0, **SMALL)
    with pytest.raises(InputError, match="at least two"):
        deep.release(["Two sentences. Here.", "Only one"])
    with pytest.raises(InputError, match="shape"):
        deep.space.depths(np.zeros((3, 7)))
    with pytest.raises(InputError, match="at least two public texts"):
        PublicPool.of(["Only one. Text."])
    with pytest.raises(InputError, match="sentences or more"):
        _ = DeepCandidate(epsilon=1.0, **{**SMALL, "least": 9}).space
    with pytest.raises(InputError, match="documents of the pool"):
        deep.released_points(["something else"])


def test_a_short_document_may_be_answered_blindly():
    deep = DeepCandidate(epsilon=5.0, short="uniform", **SMALL)
    assert np.exp(log_laws(deep, ["One sentence"])) == pytest.approx(np.full((5, 1), 0.2))
    assert deep.release("", rng=seeded_rng(1)) in DOCUMENTS.texts


def test_an_encoder_with_broken_vectors_is_refused():
    class Broken(SentenceEncoder):
        name = "broken"

        def encode(self, sentences):
            return np.full((len(sentences), 3), np.nan)

    with pytest.raises(InputError, match="finite"):
        _ = DeepCandidate(epsilon=1.0, **{**SMALL, "encoder": Broken()}).space


def test_tfidf_must_learn_first():
    from sfumato.errors import NotFittedError

    with pytest.raises(NotFittedError):
        TfidfEncoder().encode(["a cat"])


def encoders() -> list[SentenceEncoder]:
    found: list[SentenceEncoder] = []
    for kind in (MiniLMEncoder, WordTableEncoder):
        try:
            found.append(kind())
        except (ImportError, InputError):
            continue
    return found


@pytest.mark.parametrize("encoder", encoders(), ids=lambda encoder: encoder.name)
def test_learned_encoders_work_alone_and_mean_something(encoder):
    texts = ["The cat sat on the mat.", "A kitten slept on the rug.", "The bank raised its rates.", ""]
    cat, kitten, bank, _ = encoder.encode(texts)
    assert cat @ kitten > cat @ bank
    assert (encoder.encode(texts[::-1])[::-1] == encoder.encode(texts)).all()
    assert (encoder.encode([texts[1]])[0] == kitten).all()
    assert encoder.encode_public(texts)[:3] == pytest.approx(encoder.encode(texts)[:3], abs=1e-3)
