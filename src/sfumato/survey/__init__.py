"""Surveys: one answer per person, collected through a shuffler that hides each among its neighbours.

Local privacy alone leaves who-said-what in place; a uniform shuffle destroys every local pattern. The private shuffler
is the dial between the two. Names are loaded when first asked for.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

if TYPE_CHECKING:
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

_HOMES = {
    "BayesianAttack": "sfumato.survey.attack",
    "Collection": "sfumato.survey.collection",
    "GroupEstimates": "sfumato.survey.utility",
    "Groups": "sfumato.survey.groups",
    "HadamardResponse": "sfumato.survey.hadamard",
    "Learnability": "sfumato.survey.utility",
    "LearnedAttack": "sfumato.survey.attack",
    "MajorityVote": "sfumato.survey.attack",
    "MapError": "sfumato.survey.utility",
    "Prediction": "sfumato.survey.utility",
    "RandomizedResponse": "sfumato.mechanism.randomized_response",
    "ShufflePrivacy": "sfumato.survey.promise",
    "Shuffler": "sfumato.survey.shuffler",
    "Survey": "sfumato.data.surveys",
    "UnaryEncoding": "sfumato.survey.unary",
    "amplified_by_shuffling": "sfumato.survey.amplification",
    "bfs_order": "sfumato.survey.order",
    "cuthill_mckee_order": "sfumato.survey.order",
    "de_finetti_bounds": "sfumato.survey.bounds",
    "empirical_preservation": "sfumato.survey.preservation",
    "hamming_preservation": "sfumato.survey.preservation",
    "inferential_loss": "sfumato.survey.bounds",
    "linked_order": "sfumato.survey.linked",
    "posterior_bounds": "sfumato.survey.bounds",
    "preserved_share": "sfumato.survey.preservation",
    "reidentification_bound": "sfumato.survey.bounds",
    "reidentification_odds": "sfumato.survey.bounds",
    "sorted_order": "sfumato.survey.order",
}

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


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
