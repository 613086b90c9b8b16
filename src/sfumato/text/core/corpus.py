"""Texts with labels: who wrote them and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input

__all__ = ["Corpus", "check_corpora", "check_texts"]


def check_texts(texts: Any, name: str = "data") -> list[str]:
    """The texts as a list; refuses anything but strings of valid Unicode."""
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__len__"):
        raise bad_input(name, type(texts).__name__, "a list of texts")
    checked = list(texts)
    for place, text in enumerate(checked):
        if not isinstance(text, str):
            raise bad_input(f"{name}[{place}]", type(text).__name__, "a text", "decode bytes as UTF-8 first")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise bad_input(
                    f"{name}[{place}]",
                    f"broken character at {error.start}",
                    "valid Unicode",
                    "decode the file as UTF-8",
                ) from error
    return checked


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """Texts, their authors, topics and optional sentiment; some for training, the others for testing.

    A mechanism protects the texts. The labels are the truth against which attacks and utilities are scored.

    Parameters
    ----------
    texts : sequence of str
    authors, topics : array of shape (n,)
    train : boolean array of shape (n,)
        Which texts attackers and analysts may learn from.
    moods : array of shape (n,), optional
        Sentiment labels.
    stated : array of shape (n,), optional
        Of a release: the topic that it states for each text, where it states one.
    order : integer array of shape (n,), optional
        Of a release: the place of each text in it.
    """

    texts: Sequence[str]
    authors: Any
    topics: Any
    train: Any
    moods: Any = None
    stated: Any = None
    order: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(check_texts(self.texts, "texts")))
        for name in ("authors", "topics", "train", "moods", "stated", "order"):
            value = getattr(self, name)
            if name in ("moods", "stated", "order") and value is None:
                continue
            array = np.asarray(value)
            if array.shape != (len(self.texts),):
                raise bad_input(name, array.shape, f"one label for each of the {len(self.texts)} texts")
            object.__setattr__(self, name, array)
        if self.train.dtype != bool or self.train.all() or not self.train.any():
            raise bad_input("train", self.train.dtype, "booleans, some true and some false")

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self)} texts, {len(np.unique(self.authors))} authors, {len(np.unique(self.topics))} topics)"
        )

    @property
    def test(self) -> NDArray[np.bool_]:
        """Which texts are for testing."""
        return ~self.train

    def with_texts(self, texts: Sequence[str], *, stated: Any = None, order: Any = None) -> Self:
        """The same labels with other texts, and what a release says besides."""
        return replace(self, texts=tuple(texts), stated=stated, order=order)

    def part(self, rows: NDArray[Any]) -> list[str]:
        """Some of the texts."""
        return [self.texts[int(k)] for k in np.flatnonzero(rows)]


def check_corpora(data: Any, release: Any) -> None:
    """Refuse anything but two corpora of the same texts, raw and protected."""
    for name, value in (("data", data), ("release", release)):
        if not isinstance(value, Corpus):
            raise bad_input(name, type(value).__name__, "a Corpus", "attacks need authors and topics to score against")
    if len(data) != len(release):
        raise bad_input("release", len(release), f"one text for each of the {len(data)}")
