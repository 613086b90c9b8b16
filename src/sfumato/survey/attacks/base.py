"""The attack that the learning attackers of surveys share: a model of the map, then the most probable answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.attacks.likelihood import check_survey
from sfumato.survey.core.local_view import sample_owners, unbias
from sfumato.survey.data.survey import Survey

__all__ = ["LearningAttack"]


class LearningAttack(ABC):
    """Learns from the release alone how answers lie on the map, and guesses each owner's from that."""

    owners: int

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        """The share of right guesses, beside that of always guessing the commonest answer."""
        rng = resolve_rng(rng)
        check_survey(data, release)
        if data.n < 2:
            raise InfeasibleError("one owner: expected another one to learn from")
        targets = sample_owners(data, self.owners, rng)
        prior = unbias(self._shares(release, targets, rng), release.channel)
        told = self._told(release, targets, mechanism, rng)
        truth = data.answers[targets]
        return Score.of_share(
            np.argmax((prior + 1e-3) * told, axis=1) == truth, float(np.bincount(truth).max() / truth.size)
        )

    @abstractmethod
    def _shares(self, release: Survey, targets: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """Pr[report | place, privileged attributes] of the targets, as it was learned."""

    def _told(
        self, release: Survey, targets: NDArray[np.int64], mechanism: Any, rng: Rng
    ) -> NDArray[np.float64] | float:
        """What the reports say of each target and answer beside the map; 1 where nothing more is used."""
        return 1.0
