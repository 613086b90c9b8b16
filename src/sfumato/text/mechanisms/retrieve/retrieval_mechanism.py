"""Base of the mechanisms that read a document sentence by sentence and answer with a public one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.text_totals import verdict
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.mechanisms.retrieve.candidate_space import CandidateSpace, RecoderName, candidate_places
from sfumato.text.mechanisms.retrieve.encoder import SentenceEncoder, encoder_named
from sfumato.text.mechanisms.retrieve.recoder_network import By
from sfumato.text.mechanisms.retrieve.sentence_split import split_sentences
from sfumato.text.promise import TextLoss
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.validate import choice, integer, positive

__all__ = ["RetrievalMechanism", "Unit"]

Unit = Literal["document", "sentence"]
"""What ε is for."""
_LEAST = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalMechanism(TextMechanism):
    """Base of the mechanisms that answer with a public document, by the sentences of the protected one.

    Parameters
    ----------
    epsilon : float
        Per document, or per sentence: see ``unit``.
    pool : PublicPool
        Public documents by other people. Encoder, recoder and candidates come from them alone.
    encoder : {"minilm", "words", "tfidf"} or SentenceEncoder
        How a sentence becomes a vector.
    recoder : {"linear", "clusters", "none"}
        How the vector becomes few coordinates: Fisher's discriminant of public groups, the dissertation's network
        (PyTorch), or not at all.
    by : {"clusters", "topics"}
        The groups that it keeps apart: k-means clusters of the pool, or its topics.
    dimension : int
        How many coordinates. Depth needs few: in hundreds of dimensions nearly every candidate has depth 0.
    clusters : int
    projections : int
        p, the number of public directions.
    candidates : int
        The first so many documents of the pool that have ``least`` sentences.
    least : int
    most : int
        Only the first so many sentences of a document are read; of unit ``"sentence"``, it bounds what a document
        loses.
    unit : {"document", "sentence"}
        What ε is for. Of a sentence, it is the dissertation's promise, and a document loses far more:
        :attr:`document_epsilon`.
    short : {"refuse", "uniform"}
        What becomes of documents with fewer than two sentences: an error, or a candidate drawn blindly.
    seed : int
        Of the public directions and of everything learned from the pool.
    """

    technique = "synthetic data"

    epsilon: float
    pool: PublicPool
    encoder: str | SentenceEncoder = "minilm"
    recoder: RecoderName = "linear"
    by: By = "clusters"
    dimension: int = 5
    clusters: int = 50
    projections: int = 100
    candidates: int = 5000
    least: int = 2
    most: int = 50
    unit: Unit = "document"
    short: Literal["refuse", "uniform"] = "refuse"
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.pool, PublicPool):
            raise bad_input("pool", type(self.pool).__name__, "a PublicPool", "PublicPool.of(texts)")
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        if not isinstance(self.encoder, SentenceEncoder):
            encoder_named(self.encoder)
        choice("recoder", self.recoder, get_args(RecoderName))
        choice("by", self.by, get_args(By))
        choice("short", self.short, ("refuse", "uniform"))
        choice("unit", self.unit, get_args(Unit))
        for name in ("dimension", "projections", "least"):
            integer(name, getattr(self, name))
        for name in ("clusters", "candidates", "most"):
            integer(name, getattr(self, name), least=2)
        integer("seed", self.seed, least=0)

    @property
    def any_texts(self) -> bool:  # type: ignore[override]
        """Whether the promise compares any two texts alike: that of a sentence does not."""
        return self.unit == "document"

    @property
    @abstractmethod
    def document_epsilon(self) -> float:
        """What any two documents lose at most."""

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The texts of the pool that are candidates."""
        return candidate_places(self.pool, least=self.least, most=self.most, candidates=self.candidates)

    @cached_property
    def space(self) -> CandidateSpace:
        """The candidates, learned from the pool when they are first needed."""
        return CandidateSpace.fit(
            self.pool,
            self.places,
            encoder_named(self.encoder),
            recoder=self.recoder,
            by=self.by,
            dimension=self.dimension,
            clusters=self.clusters,
            projections=self.projections,
            most=self.most,
            seed=self.seed,
        )

    def sentences(self, text: str) -> list[str]:
        """The sentences that are read; fewer than two are refused, or none are read."""
        found = split_sentences(text)[: self.most]
        if len(found) >= _LEAST:
            return found
        if self.short == "refuse":
            raise bad_input(
                "text", f"{len(found)} sentences", "at least two in every document", "leave it out, or short='uniform'"
            )
        return []

    def points(self, text: str) -> NDArray[np.float64]:
        """The coordinates of the sentences of a document, shape (k, d)."""
        found = self.sentences(text)
        return self.space.coordinates(found) if found else np.empty((0, self.space.points.shape[1]))

    @property
    def warning(self) -> str:
        """What whoever asks for this ε should know before anything is paid; empty if there is nothing."""
        if self.unit == "document":
            return ""
        return (
            f"ε = {self.epsilon:.6g} is per sentence: a document of {self.most} sentences, the most that are read, may "
            f"lose ε = {self.document_epsilon:.6g}: {verdict(self.document_epsilon)}. unit=document states ε for the "
            "whole document"
        )

    def text_losses(self, words: float) -> list[TextLoss]:
        return []

    @abstractmethod
    def choose(self, points: NDArray[np.float64], count: int, rng: Rng) -> NDArray[np.int64]:
        """Candidates for a document with these points, ``count`` times anew, by their places in :attr:`space`."""

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        for text in rows:  # refuse all before anything is drawn
            self.sentences(text)
        warn_of_overlap(texts, self.pool.sources, what="pool of public texts")
        chosen = np.empty(len(texts), np.int64)
        for text, own in rows.items():  # the same text twice is read once and drawn for twice
            chosen[own] = self.choose(self.points(text), len(own), rng)
        return [self.pool.texts[self.space.places[k]] for k in chosen.tolist()]

    def stated(self, released: Sequence[str]) -> list[str] | None:
        """The topic of each released document, if the pool has topics: it is public."""
        if self.pool.topics is None:
            return None
        index, topics = self.pool.index, self.pool.topics
        return [topics[index[text]] if text in index else "" for text in released]

    def released_points(self, released: Sequence[str]) -> NDArray[np.float64]:
        """The public vectors of released documents, shape (n, d): what can be published instead of the texts.

        >>> from sfumato.text import DeepCandidate, PublicPool
        >>> pool = PublicPool.of(["Cats sit. Dogs run.", "Banks lend. Firms pay.", "Rain falls. Hail too."])
        >>> deep = DeepCandidate(epsilon=1.0, pool=pool, encoder="tfidf", dimension=2)
        >>> deep.released_points(["Banks lend. Firms pay."]).shape
        (1, 2)
        """
        places = self.chosen(check_texts(released))
        if (places < 0).any():
            raise bad_input("released", "another text", "documents of the pool")
        return self.space.points[places]

    def chosen(self, released: Sequence[str]) -> NDArray[np.int64]:
        """The candidates that released documents are, by their place; −1 for any other text."""
        place = {self.pool.texts[one]: k for k, one in enumerate(self.space.places)}
        return np.array([place.get(text, -1) for text in released], np.int64)
