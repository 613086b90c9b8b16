"""Checks of attacks and utilities: a name, a finite score in its interval, the same score from the same seed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.study.conformance.parameters import require, same
from sfumato.study.score import Score

__all__ = ["ATTACK_CHECKS", "UTILITY_CHECKS", "Example"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """An attack or a utility with data and a release to try it on.

    Parameters
    ----------
    subject : Attack or Utility
    data, release
    mechanism : Mechanism, optional
        For an adaptive attack.
    """

    subject: Any
    data: Any
    release: Any
    mechanism: Any = None

    @classmethod
    def of(cls, subject: Any, data: Any, release: Any, mechanism: Any = None) -> Example:
        """From a tuple as rooms give it."""
        return cls(subject=subject, data=data, release=release, mechanism=mechanism)

    @property
    def label(self) -> str:
        return type(self.subject).__name__

    def score(self, rng: Any) -> Any:
        """What the subject says."""
        if hasattr(self.subject, "attack"):
            return self.subject.attack(self.data, self.release, mechanism=self.mechanism, rng=rng)
        return self.subject.measure(self.data, self.release, rng=rng)


def check_has_a_name(example: Example) -> None:
    """The name is what the report shows."""
    name = example.subject.name
    require(isinstance(name, str) and bool(name.strip()), f"name is {name!r}")


def check_score(example: Example) -> None:
    """A finite Score inside its interval."""
    score = example.score(np.random.default_rng(0))
    require(isinstance(score, Score), f"returns {type(score).__name__}, not a Score")
    require(math.isfinite(score.value), f"value is {score.value}")
    for end, wrong in (("low", score.low > score.value), ("high", score.high < score.value)):
        require(not wrong, f"{end} end {getattr(score, end)} is on the wrong side of {score.value}")


def check_rng_honoured(example: Example) -> None:
    """The same seed gives the same score, and a seed in place of a generator is refused where randomness is used."""
    first, second = (example.score(np.random.default_rng(0)) for _ in range(2))
    require(same(first, second), f"the same seed gives {first.value} and {second.value}")
    try:
        unseeded = example.score(0)
    except InputError:
        return
    require(same(unseeded, first), "rng = 0 is accepted by something that draws random numbers")


def check_chance(example: Example) -> None:
    """An attack says what guessing without the release achieves."""
    score = example.score(np.random.default_rng(0))
    require(math.isfinite(score.reference), "reference (chance) is not a number")


def check_direction(example: Example) -> None:
    """A utility says which way is better."""
    require(example.subject.better in ("higher", "lower"), f"better is {example.subject.better!r}")


ATTACK_CHECKS = (check_has_a_name, check_score, check_rng_honoured, check_chance)
UTILITY_CHECKS = (check_has_a_name, check_score, check_rng_honoured, check_direction)
