"""What will people use next? Recall at 20 of a recommender that learns from the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.activity.attacks.scoring import window_pairs
from sfumato.activity.core.activity import as_dense
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.validate import integer, positive

__all__ = ["RecommendationRecall"]


@dataclass(frozen=True, kw_only=True)
class RecommendationRecall:
    """Share of the items new to people that a recommender names which learned from the release.

    The model is EASE (Steck 2019): B = I − P/diag(P), P = (XᵀX + λI)⁻¹, learned from the first window of the release.
    It then recommends to the original users, from their true first window, 20 items they had not used; recall is the
    share of the items new in the last window that is among them. The reference is the model of the original.

    Parameters
    ----------
    top : int
        How many are recommended.
    ridge : float
        λ, as a share of the number of users.
    most_items : int
        Of the most used items.
    """

    top: int = 20
    ridge: float = 0.05
    most_items: int = 1_000
    name: str = "recall of new items at 20"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("top", self.top)
        positive("ridge", self.ridge)
        integer("most_items", self.most_items, least=2)

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The mean recall over users with new items."""
        original, seen = window_pairs(data, release)
        if original.count < 2:
            raise bad_input("windows", original.count, "at least two windows: the next one is predicted")
        used = np.asarray(original.windows[0].sum(axis=0)).reshape(-1)
        columns = np.argsort(-used, kind="stable")[: self.most_items]
        before, after = (as_dense(original.windows[w][:, columns]) for w in (0, -1))
        new = (after > 0) & (before <= 0)
        people = np.asarray(new.any(axis=1))
        if not people.any():
            raise bad_input("windows", "nothing new in the last", "users with items that are new to them")
        shown = as_dense(seen.estimates()[0][:, columns])
        raw = self._recall(before, before, new, people)
        return Score.of_mean(self._recall(shown, before, new, people), float(raw.mean()))

    def _recall(
        self, learned: NDArray[Any], before: NDArray[Any], new: NDArray[Any], people: NDArray[Any]
    ) -> NDArray[Any]:
        gram = learned.T @ learned
        size = max(float(np.trace(gram)) / len(gram), 1e-12)
        gram[np.diag_indices(len(gram))] += self.ridge * len(learned) * min(1.0, size) + size
        inverse = np.linalg.inv(gram)
        model = -inverse / np.diag(inverse)
        np.fill_diagonal(model, 0.0)
        scores = np.where(before[people] > 0, -np.inf, before[people] @ model)
        top = min(self.top, scores.shape[1] - 1)
        best = np.argpartition(-scores, top, axis=1)[:, :top]
        hits = np.take_along_axis(new[people], best, axis=1).sum(axis=1)
        return hits / np.minimum(new[people].sum(axis=1), top)
