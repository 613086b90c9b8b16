"""Texts in the column of a table, and corpora with labels from other columns of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.io.frames import column
from sfumato.text.core.corpus import Corpus, check_texts

__all__ = ["Empty", "filled_rows", "labelled_corpora", "labels_of", "texts_by_person", "texts_of", "usable_rows"]

Empty = Literal["skip", "keep"]
"""What happens to texts without a word, such as scanned pages."""
_THIRD = 3
"""Every third text of a label is for testing, and a label needs that many texts."""


def texts_of(frame: Any, name: str, *, longest: int | None = None) -> list[str]:
    """The texts in a column; ``longest`` refuses those with more characters."""
    texts = check_texts(column(frame, name).tolist(), f"column {name!r}")
    if longest is not None:
        for row, text in enumerate(texts, 1):
            if len(text) > longest:
                raise InputError(
                    f"column {name!r}, row {row}, has more than {longest} characters: "
                    "write one text a row, or allow longer ones"
                )
    return texts


def filled_rows(texts: Sequence[str]) -> NDArray[np.int64]:
    """The rows of the texts that are not blank; there must be one.

    >>> filled_rows(["a rose", " \\n", "a loan"]).tolist()
    [0, 2]
    """
    rows = np.flatnonzero([bool(text.strip()) for text in texts])
    if not len(rows):
        raise InputError(f"none of the {len(texts)} texts has a word: scanned pages need text recognition first")
    return rows


def labels_of(frame: Any, name: str) -> NDArray[Any]:
    """A column of labels, such as authors, as texts."""
    return np.array([str(label) for label in column(frame, name).tolist()])


def texts_by_person(frame: Any, column: str, person: str) -> dict[str, list[str]]:
    """All texts of each person."""
    found: dict[str, list[str]] = {}
    for text, owner in zip(texts_of(frame, column), labels_of(frame, person).tolist(), strict=True):
        found.setdefault(owner, []).append(text)
    return found


def usable_rows(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The rows whose label has at least three texts: one text cannot be both learned from and tested."""
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[codes] >= _THIRD)


def labelled_corpora(
    raw: Sequence[str],
    released: Sequence[str],
    labels: NDArray[Any] | None = None,
    *,
    moods: NDArray[Any] | None = None,
    stated: NDArray[Any] | None = None,
    order: NDArray[np.int64] | None = None,
) -> tuple[Corpus, Corpus]:
    """Raw and protected texts in the same order, with a label of each as author and topic.

    ``stated`` and ``order`` are what the release says besides: a topic of each text, and where the text stands in it.

    Every third text of a label is for testing, the others for training; labels with fewer than three texts are left
    out (:func:`usable_rows`).
    """
    names = np.zeros(len(raw), np.int64) if labels is None else labels
    rows = usable_rows(names)
    if len(np.unique(names[rows])) < (1 if labels is None else 2):
        wanted = "at least three texts" if labels is None else "at least two labels with three texts or more"
        raise InputError(f"too few texts to learn from and to test: expected {wanted}")
    seen: dict[Any, int] = {}
    train = []
    for own in names[rows].tolist():
        seen[own] = seen.get(own, 0) + 1
        train.append(seen[own] % _THIRD != 0)
    data = Corpus(
        texts=[raw[row] for row in rows.tolist()],
        authors=names[rows],
        topics=names[rows],
        train=np.array(train),
        moods=None if moods is None else moods[rows],
    )
    besides = {"stated": stated, "order": order}
    shown = {name: None if value is None else value[rows] for name, value in besides.items()}
    return data, data.with_texts([released[row] for row in rows.tolist()], **shown)
