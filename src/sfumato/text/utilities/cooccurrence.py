"""How well word vectors know which words are used together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.text.mechanisms.skipgram.user_pairs import UserPairs
from sfumato.validate import finite_array, integer

__all__ = ["CooccurrenceUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CooccurrenceUtility:
    """The chance that two neighbouring words of the texts are closer in the vectors than two words at random.

    Words at random are drawn as often as they occur, so that common words alone tell nothing: 0.5 is worthless. The
    reference is the same for how often words really stand together, which no vectors can beat by much.

    Parameters
    ----------
    words : sequence of str
        The word of each vector.
    window : int
        How far apart neighbouring words may be.
    pairs : int
        How many pairs are compared at most.
    """

    words: Any = ()
    window: int = 2
    pairs: int = 20_000
    name: str = "neighbouring words"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("window", self.window)
        integer("pairs", self.pairs)

    def measure(self, data: Any, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        """``data`` is a mapping of people to their texts, ``release`` the vectors of the words."""
        from sklearn.metrics import roc_auc_score

        vectors, rng = finite_array("release", release, ndim=2), resolve_rng(rng)
        if len(vectors) != len(self.words):
            raise bad_input("release", f"{len(vectors)} vectors", f"one for each of the {len(self.words)} words")
        index = {word: place for place, word in enumerate(self.words)}
        near = UserPairs.of(list(data.values()), index, self.window).pairs
        if len(near) == 0:
            raise bad_input(
                "data", "no neighbouring words of the vocabulary", "texts in the language of the vocabulary"
            )
        near = near[rng.integers(len(near), size=min(self.pairs, len(near)))]
        apart = np.stack([rng.permutation(near[:, 0]), rng.permutation(near[:, 1])], axis=1)
        truth = np.repeat([True, False], len(near))
        both = np.concatenate([near, apart])
        units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        found = float(roc_auc_score(truth, (units[both[:, 0]] * units[both[:, 1]]).sum(axis=1)))
        return Score(found, reference=float(roc_auc_score(truth, _together(both, near, len(index)))))


def _together(pairs: NDArray[np.int64], near: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """ln of how often two words are neighbours, beside what their frequencies alone would give."""
    codes, counts = np.unique(near[:, 0] * size + near[:, 1], return_counts=True)
    often = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    seen = np.array([often.get(code, 0) for code in (pairs[:, 0] * size + pairs[:, 1]).tolist()], float)
    first, second = (np.bincount(near[:, side], minlength=size) for side in (0, 1))
    return np.log(seen + 0.5) - np.log(first[pairs[:, 0]] + 0.5) - np.log(second[pairs[:, 1]] + 0.5)
