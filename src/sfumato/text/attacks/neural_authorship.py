"""Authorship attribution by networks: a reader of word order, or sentence vectors of a language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.attacks.authorship import Knowledge
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import Metric, score_of
from sfumato.text.core.protected_copies import protected_copies
from sfumato.text.core.sequence_reader import read_sequences, sequence_scores
from sfumato.text.mechanisms.retrieve.minilm_encoder import MiniLMEncoder
from sfumato.validate import choice, integer

__all__ = ["NeuralAuthorshipAttack"]

_KNOWN = {
    "method": "raw texts of every author, which they protect themselves by the method on the card",
    "releases": "two of three released texts of every author, with their names",
    "raw": "raw texts of every author",
}


_FAR = 20.0


@dataclass(frozen=True, kw_only=True, eq=False)
class NeuralAuthorshipAttack:
    """Names the author of each protected test text by a network (Fischer B19; Weggenmann A3).

    Parameters
    ----------
    reader : {"bilstm", "minilm"}
        A bidirectional LSTM trained on the words, or logistic regression on the sentence vectors of MiniLM. The
        first needs the extra ``neural``, the second ``encode``.
    view : {"words", "bag", "matrix"}
        Words in their order; sorted; or, of a mechanism that adds noise to word vectors, the noisy vectors before they
        become words (``mechanism.noisy``), which only a Bi-LSTM reads.
    learns_from : {"method", "releases", "raw"}
        As for :class:`AuthorshipAttack`.
    copies, epochs, longest : int
        Self-made releases of each raw text; passes of training; words that are read.
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
    """

    criterion: ClassVar[Criterion] = "linkability"

    reader: Literal["bilstm", "minilm"] = "bilstm"
    view: Literal["words", "bag", "matrix"] = "words"
    learns_from: Knowledge = "method"
    copies: int = 2
    epochs: int = 8
    longest: int = 120
    metric: Metric = "accuracy"
    name: str = "authorship (Bi-LSTM)"

    def __post_init__(self) -> None:
        choice("reader", self.reader, ("bilstm", "minilm"))
        choice("view", self.view, ("words", "bag", "matrix"))
        if self.view == "matrix" and (self.reader, self.learns_from) != ("bilstm", "method"):
            raise bad_input("view", self.view, "reader='bilstm' and learns_from='method'")
        choice("learns_from", self.learns_from, get_args(Knowledge))
        choice("metric", self.metric, get_args(Metric))
        for name in ("copies", "epochs", "longest"):
            integer(name, getattr(self, name))

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        return _KNOWN[self.learns_from]

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The score of the named authors. ``mechanism`` is needed by an attacker who knows the method."""
        check_corpora(data, release)
        generator = resolve_rng(rng)
        names, codes = np.unique(data.authors[data.train], return_inverse=True)
        if len(names) < 2:
            raise InputError("too few authors to tell apart: expected at least two")
        if self.view == "matrix":
            scores = self._matrix_scores(data, codes, mechanism, generator)
            return score_of(data.authors[data.test], names[scores.argmax(axis=1)], self.metric)
        learn, see = (release if self.learns_from == "releases" else data).part(data.train), release.part(data.test)
        if self.learns_from == "method":
            learn, codes = protected_copies(mechanism, learn, codes, self.copies, generator)
        scores = self._scores(learn, codes, see, generator)
        return score_of(data.authors[data.test], names[scores.argmax(axis=1)], self.metric)

    def _matrix_scores(self, data: Corpus, codes: NDArray[np.int64], mechanism: Any, rng: Rng) -> Any:
        """From noisy matrices of the training texts, what fits those of the test texts."""
        if not hasattr(mechanism, "noisy"):
            raise bad_input("mechanism", type(mechanism).__name__, "one with noisy word vectors", "view='words'")
        drawn = [mechanism.noisy(data.part(data.train), rng)[0] for _ in range(self.copies)]
        drawn.append(mechanism.noisy(data.part(data.test), rng)[0])
        shared = np.zeros((sum(map(len, drawn)), max(one.shape[1] for one in drawn), drawn[0].shape[2]))
        start = 0
        for one in drawn:
            shared[start : start + len(one), : one.shape[1]] = one
            start += len(one)
        scale = np.abs(shared[: -len(drawn[-1])]).mean() or 1.0
        given = np.clip(shared / scale, -_FAR, _FAR)  # a few huge numbers must not drown the others
        learn, see = given[: -len(drawn[-1])], given[-len(drawn[-1]) :]
        return sequence_scores(learn, np.tile(codes, self.copies), see, epochs=self.epochs, rng=rng)

    def _scores(self, learn: list[str], codes: NDArray[np.int64], see: list[str], rng: Rng) -> Any:
        if self.reader == "bilstm":
            known, seen = read_sequences(learn, see, longest=self.longest, ordered=self.view == "words")
            return sequence_scores(known, codes, seen, epochs=self.epochs, rng=rng)
        from sklearn.linear_model import LogisticRegression

        encoder = MiniLMEncoder(longest=128)
        model = LogisticRegression(C=10.0, tol=1e-4, max_iter=1000).fit(encoder.encode_public(learn), codes)
        law = np.full((len(see), int(codes.max()) + 1), -np.inf)
        law[:, model.classes_] = model.predict_log_proba(encoder.encode_public(see))
        return law
