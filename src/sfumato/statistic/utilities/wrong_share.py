"""Share of released categories that are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.statistic.utilities.intervals import check_query, exact_answer
from sfumato.study.score import Score

__all__ = ["WrongShare"]


@dataclass(frozen=True, kw_only=True)
class WrongShare:
    """How often a released category is not the exact one: the choice of ``Exponential``, or each record's answer.

    Parameters
    ----------
    query : Exponential or RandomizedResponse

    Examples
    --------
    >>> from sfumato import RandomizedResponse
    >>> coin = RandomizedResponse(epsilon=1.0, categories=["no", "yes"])
    >>> WrongShare(query=coin).measure(["no", "yes"], ["no", "no"]).value
    0.5
    """

    query: Any
    better: Literal["higher", "lower"] = "lower"
    name: str = "share that is wrong"

    def __post_init__(self) -> None:
        check_query(self.query)

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        exact = exact_answer(self.query, data)
        released = exact if release is data else release
        return Score(float(np.mean(np.asarray(released) != np.asarray(exact))), reference=0.0)
