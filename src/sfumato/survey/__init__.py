"""Surveys: one answer per person, collected through a shuffler that hides each among its neighbours.

Local privacy alone leaves who-said-what in place; a uniform shuffle destroys every local pattern. The private shuffler
is the dial between the two.
"""

from sfumato.data.surveys import Survey
from sfumato.mechanism.randomized_response import RandomizedResponse
from sfumato.survey.amplification import amplified_by_shuffling
from sfumato.survey.attack import BayesianAttack, LearnedAttack, MajorityVote
from sfumato.survey.bounds import (
    de_finetti_bounds,
    inferential_loss,
    posterior_bounds,
    reidentification_bound,
    reidentification_odds,
)
from sfumato.survey.collection import Collection
from sfumato.survey.groups import Groups
from sfumato.survey.hadamard import HadamardResponse
from sfumato.survey.linked import linked_order
from sfumato.survey.order import bfs_order, cuthill_mckee_order, sorted_order
from sfumato.survey.preservation import empirical_preservation, hamming_preservation, preserved_share
from sfumato.survey.promise import ShufflePrivacy
from sfumato.survey.shuffler import Shuffler
from sfumato.survey.unary import UnaryEncoding
from sfumato.survey.utility import GroupEstimates, Learnability, MapError, Prediction

__all__ = [
    "BayesianAttack",
    "Collection",
    "GroupEstimates",
    "Groups",
    "HadamardResponse",
    "Learnability",
    "LearnedAttack",
    "MajorityVote",
    "MapError",
    "Prediction",
    "RandomizedResponse",
    "ShufflePrivacy",
    "Shuffler",
    "Survey",
    "UnaryEncoding",
    "amplified_by_shuffling",
    "bfs_order",
    "cuthill_mckee_order",
    "de_finetti_bounds",
    "empirical_preservation",
    "hamming_preservation",
    "inferential_loss",
    "linked_order",
    "posterior_bounds",
    "preserved_share",
    "reidentification_bound",
    "reidentification_odds",
    "sorted_order",
]
