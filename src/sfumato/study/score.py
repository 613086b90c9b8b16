"""What an attack or a utility finds, and the shapes of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import SfumatoError
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion

__all__ = ["Attack", "Finding", "Note", "Score", "Utility", "find_all", "silent"]

Note = Callable[[str], None]
"""Takes words about the progress of long work."""

_Z = 1.959963984540054  # 97.5 % point of the normal law


@dataclass(frozen=True)
class Score:
    """One measurement.

    Parameters
    ----------
    value : float
        The measurement itself.
    low, high : float
        A 95 % interval around it where the measure knows one (NaN otherwise).
    reference : float
        What the value means nothing without: for an attack, what guessing without the release achieves (chance);
        for a utility, its value on the raw data.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reference: float = math.nan

    @classmethod
    def of_share(cls, hits: ArrayLike, reference: float = math.nan) -> Score:
        """The share of hits (0 or 1 each) with its Wilson interval, which is sound near 0 and 1.

        >>> score = Score.of_share([1] * 5 + [0] * 95)
        >>> score.value, round(score.low, 3), round(score.high, 3)
        (0.05, 0.022, 0.112)
        """
        right = np.asarray(hits, float)
        n, share, z2 = right.size, float(right.mean()), _Z**2
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
        return cls(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)), reference)

    @classmethod
    def of_mean(cls, values: ArrayLike, reference: float = math.nan) -> Score:
        """The mean of several values with its normal interval; none for a single value.

        >>> score = Score.of_mean([1.0, 2.0, 3.0])
        >>> score.value, round(score.low, 2), round(score.high, 2)
        (2.0, 0.87, 3.13)
        """
        several = np.asarray(values, float)
        mean = float(several.mean())
        half = _Z * float(several.std(ddof=1)) / math.sqrt(several.size) if several.size > 1 else math.nan
        return cls(mean, mean - half, mean + half, reference)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A named score: what one attack achieved, or what is left for one use.

    Parameters
    ----------
    name : str
    score : Score
    criterion : {"singling out", "linkability", "inference"}, optional
        Which of the three an attack stands for.
    knows : str
        What the attacker knows and can do, in one sentence.
    better : {"higher", "lower", ""}
        For a use, which direction is better.
    reason : str
        Why there is no score (its value is NaN then).
    """

    name: str
    score: Score
    criterion: Criterion | None = None
    knows: str = ""
    better: Literal["higher", "lower", ""] = ""
    reason: str = ""

    @classmethod
    def of(cls, one: Any, run: Callable[[Any], Score]) -> Finding:
        """What ``run`` finds with an attack or a utility; one that cannot run has no score but a reason.

        The rest comes from the attack (``criterion``, ``knows``) or the utility (``better``) itself.
        """
        about: dict[str, Any] = {"name": one.name, "better": getattr(one, "better", "")}
        about |= {"criterion": getattr(one, "criterion", None), "knows": getattr(one, "knows", "")}
        try:
            return cls(score=run(one), **about)
        except SfumatoError as error:
            return cls(score=Score(math.nan), reason=str(error), **about)


def silent(words: str) -> None:
    """Say nothing about the progress."""


def find_all(several: Sequence[Any], run: Callable[[Any], Score], note: Note = silent) -> list[Finding]:
    """What ``run`` finds with each attack or utility; ``note`` is told which comes next, as in "2 of 7: linkage"."""
    found = []
    for place, one in enumerate(several, 1):
        note(f"{place} of {len(several)}: {one.name}")
        found.append(Finding.of(one, run))
    return found


class Attack(Protocol):
    """Tries to undo a protection. A larger value is more risk."""

    @property
    def name(self) -> str: ...

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """What the attacker achieves on ``release``, scored against the truth in ``data``.

        An *adaptive* attacker uses ``mechanism`` to protect training data of its own; a *static* one ignores it.
        """


class Utility(Protocol):
    """Measures what is left of the data."""

    @property
    def name(self) -> str: ...

    @property
    def better(self) -> Literal["higher", "lower"]: ...

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """How well ``release`` serves in place of ``data``."""
