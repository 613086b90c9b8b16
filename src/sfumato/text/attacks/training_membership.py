"""Membership in the texts that word vectors were learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.mechanisms.skipgram.user_pairs import UserPairs
from sfumato.validate import finite_array, integer

__all__ = ["TrainingMembershipAttack"]

_LEAST_PEOPLE = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingMembershipAttack:
    """Tells from word vectors whether somebody's texts were among those that they were learned from.

    The attacker knows the method. They train it anew on the texts of half of the people, drawn at random, and score
    everybody by how close their neighbouring words are in the vectors, less how close the same words are in the vectors
    that were released, which everybody is in. The value is the area under the ROC curve of members against the others;
    0.5 is chance. It is about the method with these parameters on these texts: of the release itself everybody is a
    member.

    Parameters
    ----------
    repeats : int
        How many halves are tried; each costs a training.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the texts of the person asked about and of half of the others, and the method"

    repeats: int = 1
    name: str = "membership (who was learned from)"

    def __post_init__(self) -> None:
        integer("repeats", self.repeats)

    def attack(
        self, data: Any, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """``data`` is a mapping of people to their texts, ``release`` the vectors of the words."""
        from sklearn.metrics import roc_auc_score

        if not isinstance(mechanism, PrivateSkipGram):
            raise bad_input("mechanism", type(mechanism).__name__, "PrivateSkipGram", "the attacker trains it anew")
        if len(data) < _LEAST_PEOPLE:
            raise bad_input("data", f"{len(data)} people", f"at least {_LEAST_PEOPLE}, to leave some out")
        vectors, rng = finite_array("release", release, ndim=2), resolve_rng(rng)
        people = list(data)
        place = {word: k for k, word in enumerate(mechanism.words)}
        pairs = UserPairs.of([data[one] for one in people], place, mechanism.window)
        usual = _closeness(vectors, pairs)
        areas = []
        for _ in range(self.repeats):
            inside = np.zeros(len(people), bool)
            inside[rng.permutation(len(people))[: len(people) // 2]] = True
            half = replace(mechanism, expected_users=max(1, mechanism.expected_users // 2))
            members = {one: data[one] for one, chosen in zip(people, inside, strict=True) if chosen}
            gained = _closeness(np.asarray(half.release(members, rng=rng)), pairs) - usual
            areas.append(float(roc_auc_score(inside, gained)))
        return replace(Score.of_mean(areas), reference=0.5)


def _closeness(vectors: NDArray[np.float64], users: UserPairs) -> NDArray[np.float64]:
    """The mean cosine of the pairs of neighbouring words of each user; 0 for a user without any."""
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    cosines = (units[users.pairs[:, 0]] * units[users.pairs[:, 1]]).sum(axis=1)
    ends = np.concatenate([[0.0], np.cumsum(cosines)])
    sizes = np.diff(users.first)
    return (ends[users.first[1:]] - ends[users.first[:-1]]) / np.maximum(sizes, 1)
