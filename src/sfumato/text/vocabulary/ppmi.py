"""Word vectors from public texts: positive pointwise mutual information, then a singular value decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sfumato.errors import bad_input
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.tokens import stop_words, tokens
from sfumato.text.vocabulary.shingles import shingles
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import integer

__all__ = ["ppmi_vocabulary"]


def ppmi_vocabulary(
    public: Sequence[str], *, dimension: int = 50, least: int = 3, window: int = 5, keep_stop_words: bool = False
) -> Vocabulary:
    """The words of public texts, the commonest first, with vectors from the words around them.

    Entry (v, w) is max(0, ln(p(v, w)/(p(v)·p(w)))) for w within ``window`` words of v; the vectors are its left
    singular vectors times the roots of the singular values. Deterministic.

    >>> texts = ["the red apple is sweet", "the green apple is sour", "the red cherry is sweet"] * 3
    >>> ppmi_vocabulary(texts, dimension=2)
    Vocabulary(6 words × 2)
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    texts = check_texts(public, "public")
    dropped = frozenset() if keep_stop_words else stop_words()
    rows = [[word for word in map(str.lower, tokens(text)) if word not in dropped] for text in texts]
    counts = Counter(word for row in rows for word in row)
    words = [word for word, count in counts.most_common() if count >= integer("least", least)]
    size = len(words)
    if size <= integer("dimension", dimension):
        raise bad_input("public", f"{size} words", f"more than {dimension} different words", "lower dimension or least")
    index = {word: k for k, word in enumerate(words)}
    pairs: Counter[tuple[int, int]] = Counter()
    for row in rows:
        ids = [index[word] for word in row if word in index]
        for gap in range(1, integer("window", window) + 1):
            pairs.update(zip(ids[:-gap], ids[gap:], strict=True))
    places = np.array(list(pairs), np.int64).reshape(-1, 2)
    values = np.array(list(pairs.values()), float)
    together = csr_matrix((values, places.T), shape=(size, size))
    together = (together + together.T).tocoo()
    margin = np.asarray(together.sum(axis=1)).ravel()
    information = np.log(together.data * margin.sum() / (margin[together.row] * margin[together.col]))
    positive = csr_matrix((np.maximum(information, 0), (together.row, together.col)), shape=(size, size))
    start = np.ones(size) / np.sqrt(size)
    left, singular, _ = svds(positive, k=dimension, v0=start)
    order = np.argsort(-singular)
    vectors = left[:, order] * np.sqrt(singular[order])
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(dimension)])
    return Vocabulary(words=tuple(words), vectors=vectors * signs, sources=shingles(texts))
