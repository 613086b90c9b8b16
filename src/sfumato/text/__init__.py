"""Words, bags, mails, reviews and documents: texts that keep their topic and lose their author.

``SynTF`` releases synthetic word counts, the word mechanisms replace word by word, ``BagMechanism`` forgets the order
too, ``Scrubber`` masks names and numbers without a promise. Names are loaded when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.text.bag import BagExponential, BagMechanism
    from sfumato.text.base import TextMechanism, VocabularyMechanism
    from sfumato.text.bounds import eta_bound, needed_epsilon, target_probability
    from sfumato.text.corpus import Corpus
    from sfumato.text.emd import centroid_distance, earth_mover_distance, positional_distance, relaxed_emd
    from sfumato.text.law import ReplacementLaw
    from sfumato.text.nearest import NearestWord
    from sfumato.text.promise import BagPrivacy, CandidatePrivacy, WordPrivacy
    from sfumato.text.rating import CosineRating, MatrixRating, Rating, dice
    from sfumato.text.syntf import SynTF
    from sfumato.text.vectorise import Vectoriser, bag_of_words, stop_words, synset_members, tokens
    from sfumato.text.vocabulary import Vocabulary, load_glove
    from sfumato.text.word_exponential import CandidateExponential, TruncatedExponential, WordExponential
    from sfumato.text.word_laplace import WordLaplace, WordMahalanobis
    from sfumato.text.words import Deniability, WordMechanism, deniability

_HOMES = {
    "BagExponential": "bag",
    "BagMechanism": "bag",
    "BagPrivacy": "promise",
    "CandidateExponential": "word_exponential",
    "CandidatePrivacy": "promise",
    "Corpus": "corpus",
    "CosineRating": "rating",
    "Deniability": "words",
    "MatrixRating": "rating",
    "NearestWord": "nearest",
    "Rating": "rating",
    "ReplacementLaw": "law",
    "SynTF": "syntf",
    "TextMechanism": "base",
    "TruncatedExponential": "word_exponential",
    "Vectoriser": "vectorise",
    "Vocabulary": "vocabulary",
    "VocabularyMechanism": "base",
    "WordExponential": "word_exponential",
    "WordLaplace": "word_laplace",
    "WordMahalanobis": "word_laplace",
    "WordMechanism": "words",
    "WordPrivacy": "promise",
    "bag_of_words": "vectorise",
    "centroid_distance": "emd",
    "deniability": "words",
    "dice": "rating",
    "earth_mover_distance": "emd",
    "eta_bound": "bounds",
    "load_glove": "vocabulary",
    "needed_epsilon": "bounds",
    "positional_distance": "emd",
    "relaxed_emd": "emd",
    "stop_words": "vectorise",
    "synset_members": "vectorise",
    "target_probability": "bounds",
    "tokens": "vectorise",
}

__all__ = [
    "BagExponential",
    "BagMechanism",
    "BagPrivacy",
    "CandidateExponential",
    "CandidatePrivacy",
    "Corpus",
    "CosineRating",
    "Deniability",
    "MatrixRating",
    "NearestWord",
    "Rating",
    "ReplacementLaw",
    "SynTF",
    "TextMechanism",
    "TruncatedExponential",
    "Vectoriser",
    "Vocabulary",
    "VocabularyMechanism",
    "WordExponential",
    "WordLaplace",
    "WordMahalanobis",
    "WordMechanism",
    "WordPrivacy",
    "bag_of_words",
    "centroid_distance",
    "deniability",
    "dice",
    "earth_mover_distance",
    "eta_bound",
    "load_glove",
    "needed_epsilon",
    "positional_distance",
    "relaxed_emd",
    "stop_words",
    "synset_members",
    "target_probability",
    "tokens",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.text.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
