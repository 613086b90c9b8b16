"""Authorship attribution: which of the known authors wrote it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.attacks.known_method import law_scores
from sfumato.text.core.classifier import Learner, label_scores, standardised
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import Metric, score_of
from sfumato.text.core.protected_copies import protected_copies
from sfumato.text.core.text_features import DENSE, Features, features_of
from sfumato.validate import choice, integer

__all__ = ["AuthorshipAttack", "Knowledge"]

Knowledge = Literal["method", "releases", "raw"]
"""What an attacker learns from: raw texts that they protect, texts of the release, or raw texts as they are."""

_EVERYTHING: tuple[Features, ...] = ("characters", "words", "style", "length")
_KNOWN = {
    "method": "raw texts of every author, which they protect themselves by the method on the card",
    "releases": "two of three released texts of every author, with their names",
    "raw": "raw texts of every author",
}
_NEAR = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class AuthorshipAttack:
    """Names the author of each protected test text among known suspects (Weggenmann A1, A2).

    The default is the strongest attacker we know: they protect raw texts of every author 16 times by the method on the
    card and learn from these releases; where the law of a release is known, they also learn from the law itself (naive
    Bayes with the mean law of an author, an SVM on the laws of the texts; of a release with few possible values the
    exact posterior). The scores of all learners are standardised for each text and added.

    Parameters
    ----------
    learns_from : {"method", "releases", "raw"}
        Raw texts that the attacker protects; texts of the release with their authors; or raw texts as they are, which
        understates the risk.
    learners : sequence of {"svm", "bayes"}
        A linear SVM (C = 1), multinomial naive Bayes, or both: their scores are added.
    features : sequence of {"characters", "words", "style", "content", "length"}
        Character 2- to 4-grams; word 1- and 2-grams; 557 WritePrints-style features; the shares of the 500 commonest
        words; how long a text is. ``("style",)`` and ``("style", "content")`` with an SVM are the attackers of the
        dissertation. ``()`` learns from no text: what is left is ``order``, or the law where the method is known.
    copies : int
        How often the attacker protects each raw text.
    prior : bool
        Prefer prolific authors, where there is a single opinion and it is a likelihood: best for accuracy.
    order : bool
        Take the authors of the nearest known rows of the release into account.
    together : int
        So many texts are known to be of one author, and are judged together.
    suspects : int, optional
        Each text comes with this many suspects, drawn at random, the true author among them; by default all authors.
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
        F1 is the mean over the authors.
    """

    criterion: ClassVar[Criterion] = "linkability"

    learns_from: Knowledge = "method"
    learners: tuple[Learner, ...] = ("svm", "bayes")
    features: tuple[Features, ...] = _EVERYTHING
    copies: int = 16
    prior: bool = False
    order: bool = False
    together: int = 1
    suspects: int | None = None
    metric: Metric = "accuracy"
    name: str = "authorship (method known)"

    def __post_init__(self) -> None:
        choice("learns_from", self.learns_from, get_args(Knowledge))
        for name, known in (("learners", Learner), ("features", Features)):
            if isinstance(getattr(self, name), str):
                raise bad_input(name, getattr(self, name), f"several of them, such as ({getattr(self, name)!r},)")
            for one in getattr(self, name):
                choice(name, one, get_args(known))
        if not self.learners or not (self.features or self.order or self.learns_from == "method"):
            raise bad_input("learners, features", (), "at least one of each, or order=True")
        if self.order and self.learns_from != "releases":
            raise bad_input("order", True, "learns_from='releases'", "only rows of the release have neighbours")
        integer("copies", self.copies)
        integer("together", self.together)
        choice("metric", self.metric, get_args(Metric))
        if self.suspects is not None:
            integer("suspects", self.suspects, least=2)

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        more = f", and which {self.together} releases are of one author" if self.together > 1 else ""
        return _KNOWN[self.learns_from] + (", and the order of the rows" if self.order else "") + more

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The score of the named authors. ``mechanism`` is needed by an attacker who knows the method."""
        check_corpora(data, release)
        rng = resolve_rng(rng)
        authors, truth = data.authors[data.train], data.authors[data.test]
        classes, counts = np.unique(authors, return_counts=True)
        if len(classes) < 2:
            raise InputError("too few authors to tell apart: expected at least two")
        tried = list(self._opinions(data, release, mechanism, rng))
        if not tried:
            raise bad_input("features", (), "a mechanism whose law is known", "name features to learn from")
        scores = tried[0] if len(tried) == 1 else np.sum([standardised(one) for one in tried], axis=0)
        if self.together > 1:
            scores, truth = _joined(scores, truth, self.together)
        # the prior also breaks ties: an attacker who learns nothing names the most prolific author
        scores = scores + (1.0 if self.prior and len(tried) == 1 else 1e-9) * np.log(counts)
        if self.suspects is None:
            return score_of(truth, classes[scores.argmax(axis=1)], self.metric)
        found = score_of(truth, _among(classes, scores, truth, self.suspects, rng), self.metric)
        return Score(found.value, found.low, found.high, reference=1 / self.suspects)

    def _opinions(
        self, data: Corpus, release: Corpus, mechanism: Mechanism | None, rng: Rng
    ) -> Iterator[NDArray[np.float64]]:
        """The scores of each learner, shape (test texts, authors)."""
        authors, see = data.authors[data.train], release.part(data.test)
        learn = (release if self.learns_from == "releases" else data).part(data.train)
        if self.learns_from == "method":
            yield from law_scores(mechanism, data, release, rng)
            if self.features:
                learn, authors = protected_copies(mechanism, learn, authors, self.copies, rng)
        if self.order:
            yield _neighbours(data, release)
        if self.features:
            dense = set(self.features) <= DENSE
            known, seen = features_of(self.features, learn, see)
            for learner in self.learners:
                yield label_scores(learner, known, authors, seen, rng, dense=dense)


def _neighbours(data: Corpus, release: Corpus) -> NDArray[np.float64]:
    """For each test row, how close the known rows of each author are in the order of the release."""
    if release.order is None:
        raise bad_input("release.order", None, "the place of each text in the release", "a release in a file has one")
    classes, codes = np.unique(data.authors[data.train], return_inverse=True)
    known = np.argsort(release.order[data.train], kind="stable")
    places, owners = release.order[data.train][known], codes[known]
    seen = release.order[data.test]
    scores = np.zeros((len(seen), len(classes)))
    at = np.searchsorted(places, seen)
    for step in range(-_NEAR, _NEAR):
        near = at + step
        inside = np.flatnonzero((near >= 0) & (near < len(places)))
        apart = np.abs(places[near[inside]] - seen[inside])
        np.add.at(scores, (inside, owners[near[inside]]), 1 / np.maximum(apart, 1))
    return scores


def _joined(
    scores: NDArray[np.float64], truth: NDArray[Any], together: int
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """The sums of the scores of several texts of one author; texts that are left over do not count."""
    sums, owners = [], []
    for author in np.unique(truth):
        rows = np.flatnonzero(truth == author)
        for start in range(0, len(rows) - together + 1, together):
            sums.append(scores[rows[start : start + together]].sum(axis=0))
            owners.append(author)
    if len(set(owners)) < 2:
        raise InputError(f"too few authors with {together} texts to test: expected at least two")
    return np.array(sums), np.array(owners)


def _among(classes: Any, certainty: Any, truth: Any, suspects: int, rng: Rng) -> NDArray[Any]:
    if suspects > len(classes):
        raise bad_input("suspects", suspects, f"at most the {len(classes)} authors of the corpus")
    order = rng.random(certainty.shape)
    order[classes[None] == truth[:, None]] = -1.0  # the true author is always among them
    chosen = order.argsort(axis=1).argsort(axis=1) < suspects
    return classes[np.where(chosen, certainty, -np.inf).argmax(axis=1)]
