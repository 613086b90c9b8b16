"""Linkage: which of the texts that an attacker holds is behind a release?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.attacks.known_method import known_law
from sfumato.text.core.classifier import standardised
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.text_features import features_of
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism
from sfumato.validate import choice, integer

__all__ = ["LinkageAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkageAttack:
    """Finds the raw text behind each released one among candidates that hold it.

    Where the law of a release is known, the candidate under which the release is most likely is named; for a release
    with few possible values this is the best that anybody can do. Elsewhere the nearest candidate by character and word
    n-grams, a self-made release of each candidate beside the candidate itself. A tie is worth its share: ties never
    help.

    Parameters
    ----------
    candidates : int
        How many texts the attacker holds at most, drawn at random.
    by : {"content", "order"}
        Compare the texts, or take the k-th row of the release for the k-th text of the input.
    """

    criterion: ClassVar[Criterion] = "linkability"
    label: ClassVar[Literal["author", ""]] = ""
    """Which label of a text it needs."""

    candidates: int = 1000
    by: Literal["content", "order"] = "content"
    name: str = "linkage (raw texts known)"

    def __post_init__(self) -> None:
        integer("candidates", self.candidates, least=2)
        choice("by", self.by, ("content", "order"))

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        how = "the method" if self.by == "content" else "the order of the input"
        return f"the raw texts, among at most {self.candidates} of them, and {how}"

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The share of released texts whose raw text is named; chance is one in the number of candidates."""
        check_corpora(data, release)
        if len(data) < 2:
            raise InputError("too few texts to link: expected at least two")
        rng = resolve_rng(rng)
        rows = np.sort(rng.permutation(len(data))[: self.candidates])
        if self.by == "order":
            if release.order is None:
                raise bad_input("release.order", None, "the place of each text in the release", "a file has one")
            places = np.asarray(release.order)[rows]
            hits = (places.argsort(kind="stable").argsort(kind="stable") == np.arange(len(rows))).astype(float)
        else:
            raw, released = ([corpus.texts[k] for k in rows.tolist()] for corpus in (data, release))
            hits = _hits(self._closeness(raw, released, mechanism, rng))
        return Score.of_share(hits, reference=1 / len(rows))

    def attack_people(
        self, people: Sequence[Sequence[str]], released: Sequence[str], *, mechanism: Mechanism | None = None
    ) -> Score:
        """The same for one release of all texts of a person: the attacker holds all that every person wrote.

        ``people`` and ``released`` are in the same order.
        """
        law = getattr(mechanism, "then", mechanism)
        if not isinstance(law, ResponseMechanism):
            raise bad_input("mechanism", type(mechanism).__name__, "a response, with its pool", "--pool FILE")
        if len(people) < 2:
            raise InputError("too few people to link: expected at least two")
        means = np.array([law.summaries(list(texts)).mean(axis=0) for texts in people])
        hits = _hits(law.log_likelihood_of(released, means))
        return Score.of_share(hits, reference=1 / len(people))

    @property
    def people(self) -> bool:
        """Whether it can link one release of all texts of a person."""
        return self.by == "content"

    def _closeness(
        self, raw: list[str], released: list[str], mechanism: Mechanism | None, rng: Rng
    ) -> NDArray[np.float64]:
        """How well each candidate fits each release, shape (releases, candidates)."""
        law, seen = known_law(mechanism, raw)
        found = None if law is None else law.log_likelihood(released, seen)
        if found is not None:
            return found
        own = raw if mechanism is None else list(mechanism.release(raw, rng=rng))
        parts = [_cosines(released, raw), _cosines(released, own)]
        return np.asarray(np.sum([standardised(part) for part in parts], axis=0))


def _cosines(released: list[str], candidates: list[str]) -> NDArray[np.float64]:
    known, seen = features_of(("characters", "words"), candidates, released)
    product: Any = seen @ known.T
    return np.asarray(product.toarray(), np.float64)


def _hits(closeness: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the candidate of the same row fits best, a share of it where others fit as well."""
    own = np.diagonal(closeness)
    best = closeness.max(axis=1)
    ties = (closeness >= best[:, None]).sum(axis=1)
    return np.where(own >= best, 1 / ties, 0.0)
