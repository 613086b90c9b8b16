"""Vectors from public texts."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import (
    ppmi_vocabulary,
)
from sfumato.text.data.letters import make_letters_vocabulary


def test_vectors_from_public_texts_find_the_pairs():
    vocabulary = make_letters_vocabulary()
    vectors = vocabulary.vectors / np.linalg.norm(vocabulary.vectors, axis=1, keepdims=True)
    index = vocabulary.index
    near = vectors[index["rose"]] @ vectors[index["tulip"]]
    far = vectors[index["rose"]] @ vectors[index["invoice"]]
    assert near > far + 0.3
    with pytest.raises(InputError, match="different words"):
        ppmi_vocabulary(["one two", "one two"], dimension=10)
