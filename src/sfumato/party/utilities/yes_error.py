"""How many were true?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.party.core.answers import answer_array
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.study.score import Score
from sfumato.validate import finite_array

__all__ = ["YesError"]


@dataclass(frozen=True, kw_only=True)
class YesError:
    """How far the estimated number of true comparisons is from the real one.

    Parameters
    ----------
    epsilon : float, optional
        With which answers were turned: their number is then estimated without bias. Without, they are counted, and a
        single number is a count itself.

    Examples
    --------
    >>> YesError().measure([1, 0, 1, 1], 2).value
    1.0
    """

    epsilon: float | None = None
    name: str = "error of the number of yes"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """|estimated number − true number|."""
        true = int(answer_array("data", data, least=1).sum())
        if np.ndim(release) == 0 or (len(release) == 1 and np.size(data) > 1):
            seen = float(finite_array("release", np.atleast_1d(release))[0])
        elif self.epsilon is not None:
            seen = PrivateAnswers(epsilon=self.epsilon).estimate(release)
        else:
            seen = float(answer_array("release", release).sum())
        return Score(abs(seen - true), reference=0.0)
