"""Error of the shares estimated for groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.core.local_view import local_shares, sample_owners, unbias
from sfumato.survey.data.survey import Survey
from sfumato.survey.utilities.estimates import check_survey, total_variation
from sfumato.validate import integer, positive

__all__ = ["GroupEstimates"]


@dataclass(frozen=True, kw_only=True)
class GroupEstimates:
    """Mean total-variation distance between the true and the estimated shares of answers within ``radius``.

    The estimates are the unbiased ones of the front end, brought back to the simplex.
    """

    radius: float
    owners: int = 2000
    name: str = "group estimates"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        integer("owners", self.owners)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        check_survey(data, release)
        chosen = sample_owners(data, self.owners, resolve_rng(rng))
        estimate = unbias(local_shares(release, chosen, self.radius), release.channel)
        return Score.of_mean(total_variation(local_shares(data, chosen, self.radius), estimate))
