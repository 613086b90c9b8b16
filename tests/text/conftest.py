"""Made-up letters in a file, with a vocabulary in two others."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from sfumato.text import RewritingDesign, RewritingModel, Tokeniser
from sfumato.text.data.letters import make_letters, make_letters_pool, make_letters_vocabulary
from sfumato.text.mechanisms.rewrite.rewriting_design import Latent


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    made = make_letters(authors=3, letters=6)
    path = tmp_path / "mails.jsonl"
    records = [
        {"id": k, "text": text, "author": author, "topic": topic}
        for k, (text, author, topic) in enumerate(zip(made.texts, made.authors, made.topics, strict=True))
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    vocabulary = make_letters_vocabulary()
    np.save(tmp_path / "vectors.npy", vocabulary.vectors)
    (tmp_path / "words.txt").write_text("\n".join(vocabulary.words))
    public = make_letters_pool()
    lines = [json.dumps({"text": t, "topic": k}) for t, k in zip(public.texts, public.topics or (), strict=True)]
    (tmp_path / "pool.jsonl").write_text("\n".join(lines))
    for latent in ("bounded", "plain", "split", "code"):
        letters_model(latent).save(tmp_path / f"{latent}.npz")
    return path


@lru_cache(maxsize=4)
def letters_model(latent: Latent) -> RewritingModel:
    """A network that knows the words of the letters and has learned nothing."""
    words = Tokeniser.of(make_letters_pool().texts, source="letters by other invented people")
    sizes = {"size": 2, "author_size": 2, "hidden": 4, "embedding": 4}
    design = RewritingDesign(latent=latent, labels=("bad", "good"), topics=2, authors=("ann", "bob"), **sizes)
    return RewritingModel.untrained(replace(words, sources=None), design)
