"""Words, bags, mails, reviews and documents: texts that keep their topic and lose their author.

``SynTF`` releases synthetic word counts, the word mechanisms replace word by word, ``BagMechanism`` forgets the order
too, ``Scrubber`` masks names and numbers without a promise. Names are loaded when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.text.attack import AuthorshipAttack, VerificationAttack
    from sfumato.text.bag import BagExponential, BagMechanism
    from sfumato.text.base import TextMechanism, VocabularyMechanism
    from sfumato.text.bounds import eta_bound, needed_epsilon, target_probability
    from sfumato.text.corpus import Corpus
    from sfumato.text.embed import ppmi_vocabulary
    from sfumato.text.emd import centroid_distance, earth_mover_distance, positional_distance, relaxed_emd
    from sfumato.text.law import ReplacementLaw
    from sfumato.text.nearest import NearestWord
    from sfumato.text.promise import BagPrivacy, CandidatePrivacy, WordPrivacy
    from sfumato.text.rating import CosineRating, MatrixRating, Rating, dice
    from sfumato.text.recogniser import PresidioRecogniser, Recogniser, Span
    from sfumato.text.recogniser_name import NameRecogniser
    from sfumato.text.recogniser_pattern import PatternRecogniser
    from sfumato.text.recogniser_spacy import Cascade, SpacyRecogniser
    from sfumato.text.scrub import Scrubber, span_scores
    from sfumato.text.skipgram import PrivateSkipGram, PrivateVectors
    from sfumato.text.studies import letters_corpus, letters_vocabulary, newsgroups_corpus
    from sfumato.text.stylometry import writeprints
    from sfumato.text.syntf import SynTF
    from sfumato.text.utility import RetrievalUtility, SentimentUtility, SimilarityUtility, TopicUtility
    from sfumato.text.vectorise import Vectoriser, bag_of_words, stop_words, synset_members, tokens
    from sfumato.text.vocabulary import Vocabulary, load_glove
    from sfumato.text.word_exponential import CandidateExponential, TruncatedExponential, WordExponential
    from sfumato.text.word_laplace import WordLaplace, WordMahalanobis
    from sfumato.text.words import Deniability, WordMechanism, deniability

_HOMES = {
    "AuthorshipAttack": "attack",
    "BagExponential": "bag",
    "BagMechanism": "bag",
    "BagPrivacy": "promise",
    "CandidateExponential": "word_exponential",
    "CandidatePrivacy": "promise",
    "Cascade": "recogniser_spacy",
    "Corpus": "corpus",
    "CosineRating": "rating",
    "Deniability": "words",
    "MatrixRating": "rating",
    "NameRecogniser": "recogniser_name",
    "NearestWord": "nearest",
    "PatternRecogniser": "recogniser_pattern",
    "PresidioRecogniser": "recogniser",
    "PrivateSkipGram": "skipgram",
    "PrivateVectors": "skipgram",
    "Rating": "rating",
    "Recogniser": "recogniser",
    "ReplacementLaw": "law",
    "RetrievalUtility": "utility",
    "Scrubber": "scrub",
    "SentimentUtility": "utility",
    "SimilarityUtility": "utility",
    "SpacyRecogniser": "recogniser_spacy",
    "Span": "recogniser",
    "SynTF": "syntf",
    "TextMechanism": "base",
    "TopicUtility": "utility",
    "TruncatedExponential": "word_exponential",
    "Vectoriser": "vectorise",
    "VerificationAttack": "attack",
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
    "letters_corpus": "studies",
    "letters_vocabulary": "studies",
    "load_glove": "vocabulary",
    "needed_epsilon": "bounds",
    "newsgroups_corpus": "studies",
    "positional_distance": "emd",
    "ppmi_vocabulary": "embed",
    "relaxed_emd": "emd",
    "span_scores": "scrub",
    "stop_words": "vectorise",
    "synset_members": "vectorise",
    "target_probability": "bounds",
    "tokens": "vectorise",
    "writeprints": "stylometry",
}

__all__ = [
    "AuthorshipAttack",
    "BagExponential",
    "BagMechanism",
    "BagPrivacy",
    "CandidateExponential",
    "CandidatePrivacy",
    "Cascade",
    "Corpus",
    "CosineRating",
    "Deniability",
    "MatrixRating",
    "NameRecogniser",
    "NearestWord",
    "PatternRecogniser",
    "PresidioRecogniser",
    "PrivateSkipGram",
    "PrivateVectors",
    "Rating",
    "Recogniser",
    "ReplacementLaw",
    "RetrievalUtility",
    "Scrubber",
    "SentimentUtility",
    "SimilarityUtility",
    "SpacyRecogniser",
    "Span",
    "SynTF",
    "TextMechanism",
    "TopicUtility",
    "TruncatedExponential",
    "Vectoriser",
    "VerificationAttack",
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
    "letters_corpus",
    "letters_vocabulary",
    "load_glove",
    "needed_epsilon",
    "newsgroups_corpus",
    "positional_distance",
    "ppmi_vocabulary",
    "relaxed_emd",
    "span_scores",
    "stop_words",
    "synset_members",
    "target_probability",
    "tokens",
    "writeprints",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.text.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
