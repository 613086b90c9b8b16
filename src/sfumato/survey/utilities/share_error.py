"""Error of the shares of all answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.survey.core.local_view import unbias
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.encoding import Encoding
from sfumato.survey.utilities.estimates import check_survey, total_variation

__all__ = ["ShareError"]


@dataclass(frozen=True, kw_only=True)
class ShareError:
    """Total-variation distance between the true and the estimated shares of the answers, over all owners.

    The estimates are the unbiased ones of the front end, brought back to the simplex: what an analyst prints.

    Parameters
    ----------
    front : UnaryEncoding or HadamardResponse, optional
        The encoding that made the reports. None for a survey, which knows how its answers were randomised.

    Examples
    --------
    >>> from sfumato.survey import HadamardResponse
    >>> from sfumato.survey.data.survey import make_incomes
    >>> survey, front = make_incomes(5000), HadamardResponse(epsilon=3.0, categories=2)
    >>> ShareError(front=front).measure(survey, front.release(survey.answers)).value < 0.1
    True
    """

    front: Encoding | None = None
    name: str = "error of the shares"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        if self.front is not None and not isinstance(self.front, Encoding):
            raise bad_input("front", self.front, "an encoding of single answers, or None for a survey")

    def measure(self, data: Survey, release: Any, *, rng: Rng | None = None) -> Score:
        """The distance for ``release``, a survey of the same owners or the reports that ``front`` gave."""
        truth = _shares(data)
        if self.front is None:
            check_survey(data, release)
            estimate = unbias(_shares(release)[None], release.channel)[0]
        else:
            estimate = np.clip(self.front.estimate(release), 0, None)
            estimate = estimate / estimate.sum() if estimate.any() else np.full(data.k, 1 / data.k)
        return Score(float(total_variation(truth[None], estimate[None])[0]), reference=0.0)


def _shares(survey: Survey) -> NDArray[np.float64]:
    return np.bincount(survey.answers, minlength=survey.k) / survey.n
