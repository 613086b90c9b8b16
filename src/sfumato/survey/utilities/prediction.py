"""How well answers are predicted from places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.core.local_view import sample_owners
from sfumato.survey.data.survey import Survey
from sfumato.survey.utilities.estimates import check_survey, fitted_model
from sfumato.validate import integer

__all__ = ["Prediction"]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Accuracy of a model trained on the reports and asked for the true answers, or for coarser ones.

    Parameters
    ----------
    merge : int
        Answers a and b count as equal if a//merge = b//merge. On the colour map 1 asks for the eight colours, 2 for
        the four crescents, 4 for the two clusters.
    """

    merge: int = 1
    owners: int = 2000
    trees: int = 40
    name: str = "accuracy"
    better: Literal["higher"] = "higher"

    def __post_init__(self) -> None:
        for field in ("merge", "owners", "trees"):
            integer(field, getattr(self, field))

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        check_survey(data, release)
        coarse = release.with_answers(release.answers // self.merge)
        chosen = sample_owners(data, self.owners, rng)
        guess = np.argmax(fitted_model(coarse, self.trees, rng, calibrated=False)(data.where[chosen]), axis=1)
        return Score(float((guess == data.answers[chosen] // self.merge).mean()))
