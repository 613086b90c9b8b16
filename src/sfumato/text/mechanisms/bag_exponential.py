"""Bags whose words are replaced by the exponential mechanism."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.mechanisms.bag_mechanism import BagMechanism
from sfumato.text.mechanisms.words.word_exponential import WordExponential

__all__ = ["BagExponential"]

_MOST_ENUMERATED = 7


@dataclass(frozen=True, kw_only=True, eq=False)
class BagExponential(BagMechanism):
    """Replaces the words of a bag by the exponential mechanism (:class:`WordExponential`) and forgets their order.

    The promise is that of :class:`BagMechanism`; the law of the release is known.
    """

    @cached_property
    def word_mechanism(self) -> WordExponential:
        """What replaces the words."""
        return WordExponential(epsilon=self.epsilon, vocabulary=self.vocabulary)

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of released bags, written as texts, for up to 7 words.

        It is the permanent of the words' laws: the sum over all ways to match inputs and outputs.
        """
        inputs = self.bag_ids(data)
        if not 1 <= len(inputs) <= _MOST_ENUMERATED:
            raise bad_input("data", len(inputs), f"a text of 1 to {_MOST_ENUMERATED} words")
        logits = self.word_mechanism.scores(inputs) * self.word_mechanism.rate
        laws = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
        values = np.full(len(output), -np.inf)
        for place, text in enumerate(output):
            ids = self.vocabulary.ids(text.split())
            if len(ids) != len(inputs) or (ids == len(self.vocabulary)).any():
                continue
            arrangements = set(itertools.permutations(ids.tolist()))
            chance = math.fsum(float(laws[np.arange(len(inputs)), list(a)].prod()) for a in arrangements)
            values[place] = math.log(chance) if chance > 0 else -math.inf
        return values
