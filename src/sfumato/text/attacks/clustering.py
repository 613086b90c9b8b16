"""An attacker without labels: cluster the releases, then link clusters by one known text of each author."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import score_of
from sfumato.text.core.text_features import features_of
from sfumato.validate import integer

__all__ = ["ClusteringAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusteringAttack:
    """Groups the released texts by style and names each group by one known text of every author (Fischer).

    The thesis calls this adversary the realistic one: nobody gives them labelled texts to learn from. Releases are
    clustered by k-means on character and word n-grams (50 singular vectors), as many clusters as authors. One raw
    text of each author is protected by the method, several times, and the clusters are given to the authors so that
    these releases lie closest together (optimal assignment).

    Parameters
    ----------
    copies : int
        How often each known text is protected.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "one raw text of every author, the method, and all releases without names"

    copies: int = 16
    name: str = "clustering (one text known)"

    def __post_init__(self) -> None:
        integer("copies", self.copies)

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The share of the test texts that are in the cluster of their author."""
        from scipy.optimize import linear_sum_assignment
        from sklearn.cluster import KMeans

        check_corpora(data, release)
        rng = resolve_rng(rng)
        authors = np.unique(data.authors[data.train])
        if len(authors) < 2:
            raise InputError("too few authors to tell apart: expected at least two")
        first = [int(np.flatnonzero(data.train & (data.authors == author))[0]) for author in authors]
        known = [data.texts[row] for row in first]
        own = [list(known if mechanism is None else mechanism.release(known, rng=rng)) for _ in range(self.copies)]
        points, seeds = _points(list(release.texts), [text for copy in own for text in copy], rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer distinct texts than authors
            found = KMeans(len(authors), n_init=16, random_state=int(rng.integers(2**31))).fit(points)
        middles = seeds.reshape(self.copies, len(authors), -1).mean(axis=0)
        apart = ((middles[:, None] - found.cluster_centers_[None]) ** 2).sum(axis=2)
        owner, cluster = linear_sum_assignment(apart)
        named = np.empty(len(authors), authors.dtype)
        named[cluster] = authors[owner]
        return score_of(data.authors[data.test], named[found.labels_[data.test]], "accuracy")


def _points(texts: list[str], known: list[str], rng: Rng) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Unit vectors of both, in the space of the first."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    learn, see = features_of(("characters", "words"), texts, known)
    size = min(50, learn.shape[1] - 1, learn.shape[0] - 1)
    if size < 1 or not learn.nnz:
        return np.zeros((len(texts), 1)), np.zeros((len(known), 1))
    space = TruncatedSVD(size, random_state=int(rng.integers(2**31))).fit(learn)
    return normalize(space.transform(learn)), normalize(space.transform(see))
