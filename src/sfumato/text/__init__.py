"""Words, bags, mails, reviews and documents: texts that keep their topic and lose their author.

``SynTF`` releases synthetic word counts, the word mechanisms replace word by word, ``BagMechanism`` forgets the order
too, ``Scrubber`` masks names and numbers without a promise. Names are loaded when first asked for.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

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
    from sfumato.text.recogniser_capital import CapitalRecogniser
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
    "AuthorshipAttack": "sfumato.text.attack",
    "BagExponential": "sfumato.text.bag",
    "BagMechanism": "sfumato.text.bag",
    "BagPrivacy": "sfumato.text.promise",
    "CandidateExponential": "sfumato.text.word_exponential",
    "CandidatePrivacy": "sfumato.text.promise",
    "CapitalRecogniser": "sfumato.text.recogniser_capital",
    "Cascade": "sfumato.text.recogniser_spacy",
    "Corpus": "sfumato.text.corpus",
    "CosineRating": "sfumato.text.rating",
    "Deniability": "sfumato.text.words",
    "MatrixRating": "sfumato.text.rating",
    "NameRecogniser": "sfumato.text.recogniser_name",
    "NearestWord": "sfumato.text.nearest",
    "PatternRecogniser": "sfumato.text.recogniser_pattern",
    "PresidioRecogniser": "sfumato.text.recogniser",
    "PrivateSkipGram": "sfumato.text.skipgram",
    "PrivateVectors": "sfumato.text.skipgram",
    "Rating": "sfumato.text.rating",
    "Recogniser": "sfumato.text.recogniser",
    "ReplacementLaw": "sfumato.text.law",
    "RetrievalUtility": "sfumato.text.utility",
    "Scrubber": "sfumato.text.scrub",
    "SentimentUtility": "sfumato.text.utility",
    "SimilarityUtility": "sfumato.text.utility",
    "SpacyRecogniser": "sfumato.text.recogniser_spacy",
    "Span": "sfumato.text.recogniser",
    "SynTF": "sfumato.text.syntf",
    "TextMechanism": "sfumato.text.base",
    "TopicUtility": "sfumato.text.utility",
    "TruncatedExponential": "sfumato.text.word_exponential",
    "Vectoriser": "sfumato.text.vectorise",
    "VerificationAttack": "sfumato.text.attack",
    "Vocabulary": "sfumato.text.vocabulary",
    "VocabularyMechanism": "sfumato.text.base",
    "WordExponential": "sfumato.text.word_exponential",
    "WordLaplace": "sfumato.text.word_laplace",
    "WordMahalanobis": "sfumato.text.word_laplace",
    "WordMechanism": "sfumato.text.words",
    "WordPrivacy": "sfumato.text.promise",
    "bag_of_words": "sfumato.text.vectorise",
    "centroid_distance": "sfumato.text.emd",
    "deniability": "sfumato.text.words",
    "dice": "sfumato.text.rating",
    "earth_mover_distance": "sfumato.text.emd",
    "eta_bound": "sfumato.text.bounds",
    "letters_corpus": "sfumato.text.studies",
    "letters_vocabulary": "sfumato.text.studies",
    "load_glove": "sfumato.text.vocabulary",
    "needed_epsilon": "sfumato.text.bounds",
    "newsgroups_corpus": "sfumato.text.studies",
    "positional_distance": "sfumato.text.emd",
    "ppmi_vocabulary": "sfumato.text.embed",
    "relaxed_emd": "sfumato.text.emd",
    "span_scores": "sfumato.text.scrub",
    "stop_words": "sfumato.text.vectorise",
    "synset_members": "sfumato.text.vectorise",
    "target_probability": "sfumato.text.bounds",
    "tokens": "sfumato.text.vectorise",
    "writeprints": "sfumato.text.stylometry",
}

__all__ = [
    "AuthorshipAttack",
    "BagExponential",
    "BagMechanism",
    "BagPrivacy",
    "CandidateExponential",
    "CandidatePrivacy",
    "CapitalRecogniser",
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


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
