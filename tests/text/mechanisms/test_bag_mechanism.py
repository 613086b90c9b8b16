"""Bags of words (Fischer B7, B10)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.auditor import audit
from sfumato.text import (
    BagExponential,
    BagMechanism,
)
from sfumato.text.examples import PLANE, bags


def test_permuted_bags_have_one_law():
    mechanism = BagExponential(epsilon=2.0, vocabulary=PLANE)
    outputs = bags(PLANE.words, 3)
    first, second = (mechanism.log_prob(outputs, text) for text in ("cat dog bond", "bond cat dog"))
    assert first == pytest.approx(second)
    assert np.exp(first).sum() == pytest.approx(1)
    assert mechanism.guarantee.loss_bound("cat dog", "dog cat") == 0.0


def test_bag_promise_over_all_pairs_of_two_words():
    """εN·E_d over every pair of bags of two words, a word outside included."""
    mechanism = BagExponential(epsilon=1.5, vocabulary=PLANE)
    inputs = [" ".join(b) for b in itertools.combinations_with_replacement([*PLANE.words, "zebra"], 2)]
    pairs = list(itertools.combinations(inputs, 2))
    result = audit(mechanism, pairs=pairs, outputs=bags(PLANE.words, 2), rng=np.random.default_rng(0))
    assert result.verdict == "holds"


def test_order_is_forgotten():
    released = BagMechanism(epsilon=1e5, vocabulary=PLANE).release(
        "the stock and the cat", rng=np.random.default_rng(0)
    )
    assert released == "cat stock"


def test_bags_of_different_size_have_no_bound():
    assert math.isinf(BagMechanism(epsilon=1.0, vocabulary=PLANE).guarantee.loss_bound("cat", "cat dog"))
