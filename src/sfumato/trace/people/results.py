"""What attacks and measures find of each person, and of all of them together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SfumatoError
from sfumato.study.score import Finding, Score
from sfumato.trace.attacks.locating import LocationAttack, location_scores

__all__ = ["Result", "findings_of"]


@dataclass(frozen=True, eq=False)
class Result:
    """What one attack or measure found of one person: errors in metres, or a score, or why there is neither.

    Parameters
    ----------
    by
        The attack or the measure.
    errors, chance : ndarray, optional
        Of guesses, and of guesses at random.
    score : Score, optional
    reason : str
    """

    by: Any
    errors: NDArray[np.float64] | None = None
    chance: NDArray[np.float64] | None = None
    score: Score | None = None
    reason: str = ""

    @classmethod
    def of(cls, one: Any, run: Callable[[Any], Result]) -> Result:
        """What ``run`` finds, or why it cannot."""
        try:
            return run(one)
        except SfumatoError as error:
            return cls(one, reason=str(error))


def findings_of(people: Sequence[Sequence[Result]]) -> list[Finding]:
    """One finding for each attack or measure over all people, and the strongest guess of places in metres.

    Guesses are pooled; of other scores the mean is taken. The strongest attacker has the least median error.
    """
    found: list[Finding] = []
    located: dict[str, tuple[LocationAttack, NDArray[np.float64], NDArray[np.float64]]] = {}
    for several in zip(*people, strict=True):
        one = several[0].by
        about: dict[str, Any] = {"name": one.name, "better": getattr(one, "better", "")}
        about |= {"criterion": getattr(one, "criterion", None), "knows": getattr(one, "knows", "")}
        good = [result for result in several if not result.reason]
        if not good:
            found.append(Finding(score=Score(math.nan), reason=several[0].reason, **about))
        elif good[0].errors is not None:
            errors = np.concatenate([result.errors for result in good if result.errors is not None])
            chance = np.concatenate([result.chance for result in good if result.chance is not None])
            located[one.name] = (one, errors, chance)
            share = Score.of_share(errors <= one.radius, float((chance <= one.radius).mean()))
            found.append(Finding(score=share, **about))
        else:
            found.append(Finding(score=_pooled([result.score for result in good if result.score is not None]), **about))
    return found + (_strongest(located) if located else [])


def _pooled(scores: Sequence[Score]) -> Score:
    if len(scores) == 1:
        return scores[0]
    return Score.of_mean([score.value for score in scores], float(np.mean([score.reference for score in scores])))


def _strongest(located: dict[str, tuple[LocationAttack, NDArray[np.float64], NDArray[np.float64]]]) -> list[Finding]:
    """Median error and shares of the attacker with the least median error."""
    name = min(located, key=lambda name: float(np.median(located[name][1])))
    one, errors, chance = located[name]
    radii = sorted({50.0, 200.0, float(one.radius)})
    lines = []
    for words, score in location_scores(errors, chance, radii=radii).items():
        share = words.startswith("within")
        criterion = one.criterion if share else None  # metres are no share, and less is more
        lines.append(Finding(name=f"strongest ({name}): {words}", score=score, criterion=criterion, knows=one.knows))
    return lines
