"""Membership in the texts that word vectors were learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.mechanisms.skipgram.user_pairs import UserPairs
from sfumato.validate import finite_array, integer

__all__ = ["TrainingMembershipAttack"]

Floats = NDArray[np.float64]

_LEAST_PEOPLE = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingMembershipAttack:
    """Tells from word vectors whether somebody's texts were among those that they were learned from.

    The attacker knows the method. They train it anew on the texts of half of the people, drawn at random, and learn
    from that (logistic regression) what vectors look like to those who were in: how long the vectors of a person's
    words are, and how close those of neighbouring words, also beside the vectors that were released. They are tested on
    vectors learned from another half. The value is the area under the ROC curve; 0.5 is chance. It is about the method
    with these parameters on these texts: of the release itself everybody is a member.

    Parameters
    ----------
    repeats : int
        How many halves are tested on; each costs a training, and one more is learned from.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the texts of the person asked about and of half of the others, the method and the release"

    repeats: int = 1
    name: str = "membership (who was learned from)"

    def __post_init__(self) -> None:
        integer("repeats", self.repeats)

    def attack(
        self, data: Any, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """``data`` is a mapping of people to their texts, ``release`` the vectors of the words."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score

        if not isinstance(mechanism, PrivateSkipGram):
            raise bad_input("mechanism", type(mechanism).__name__, "PrivateSkipGram", "the attacker trains it anew")
        if len(data) < _LEAST_PEOPLE:
            raise InputError(f"too few people: expected at least {_LEAST_PEOPLE}, to leave some out")
        rng = resolve_rng(rng)
        place = {word: k for k, word in enumerate(mechanism.words)}
        pairs = UserPairs.of(list(data.values()), place, mechanism.window)
        everybody = _traits(finite_array("release", release, ndim=2), pairs)
        half = replace(mechanism, expected_users=max(1, mechanism.expected_users // 2))

        def world() -> tuple[Floats, NDArray[np.bool_]]:
            """The traits of everybody in vectors learned from half of the people, and who was in."""
            inside = np.zeros(len(data), bool)
            inside[rng.permutation(len(data))[: len(data) // 2]] = True
            members = {one: texts for (one, texts), chosen in zip(data.items(), inside, strict=True) if chosen}
            traits = _traits(np.asarray(half.release(members, rng=rng)), pairs)
            both = np.concatenate([traits, traits - everybody], axis=1)
            return (both - both.mean(axis=0)) / np.maximum(both.std(axis=0), 1e-12), inside

        model = LogisticRegression().fit(*world())
        areas = []
        for _ in range(self.repeats):
            traits, inside = world()
            areas.append(float(roc_auc_score(inside, model.decision_function(traits))))
        return replace(Score.of_mean(areas), reference=0.5)


def _traits(vectors: Floats, users: UserPairs) -> Floats:
    """For each user, over all pairs of neighbouring words: the mean log-length, product and cosine of their vectors."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)
    first, second = users.pairs[:, 0], users.pairs[:, 1]
    products = (vectors[first] * vectors[second]).sum(axis=1)
    each = np.stack([np.log(lengths[first]), products, products / (lengths[first] * lengths[second])], axis=1)
    ends = np.concatenate([np.zeros((1, each.shape[1])), np.cumsum(each, axis=0)])
    sizes = np.maximum(np.diff(users.first), 1)[:, None]
    return np.asarray((ends[users.first[1:]] - ends[users.first[:-1]]) / sizes, np.float64)
