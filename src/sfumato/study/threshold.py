"""Limits on risk and on ε: a value together with where it comes from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from sfumato.errors import bad_input
from sfumato.study.wording import shown
from sfumato.validate import choice, number, positive

__all__ = ["EPSILON_STRONG", "EPSILON_WEAK", "MEAN_RISK", "WORST_RECORD", "Limits", "Threshold"]

READER = "named by the reader"


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A limit and its source.

    Parameters
    ----------
    value : float
        In the unit of what is limited. What is equal to it keeps it.
    source : str
        Who says so: a guideline, a paper, or the reader.
    reading : str
        Another reading of the source that gives another answer, in one sentence.

    Examples
    --------
    >>> print(Threshold(value=0.2, source="our data protection officer"))
    at most 0.2 (our data protection officer)
    """

    value: float
    source: str
    reading: str = ""

    def __post_init__(self) -> None:
        number("value of a limit", self.value)
        if not isinstance(self.source, str) or not self.source.strip():
            raise bad_input("source of a limit", self.source, "who says so, in words")

    @classmethod
    def of(cls, given: Any, name: str = "limit") -> Self:
        """A number that the reader named, a table with value and source, or a threshold as it is."""
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            unknown = set(given) - {"value", "source", "reading"}
            if unknown or "value" not in given:
                raise bad_input(name, dict(given), 'a table such as { value = 0.09, source = "…" }')
            return cls(**{"source": READER, **given})
        return cls(value=number(name, given), source=READER)

    def __str__(self) -> str:
        return f"at most {shown(self.value)} ({self.source})"

    @property
    def origin(self) -> str:
        """The source and its other reading, as a card holds them."""
        return f"{self.source}. {self.reading}".strip()


WORST_RECORD = Threshold(
    value=0.09,
    source="EMA policy 0070 and Health Canada's public release of clinical information, for public release",
    reading="The guidance means classes of 11 records, whose risk is 1/11 = 0.0909; to the letter, 0.09 needs 12.",
)
"""The largest risk of any record."""

MEAN_RISK = Threshold(
    value=0.05,
    source="classes of 20, the strictest size that El Emam (Guide to the De-Identification of Personal Health "
    "Information, 2013) reports as in use",
)
"""The average risk of all records."""

_TIERS = "Ponomareva et al., How to DP-fy ML (2023), tiers 1 and 2; the second is called reasonable there"

EPSILON_STRONG = Threshold(value=1.0, source=_TIERS)
EPSILON_WEAK = Threshold(value=10.0, source=_TIERS)

Strength = Literal["strong", "weak", "none", ""]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the reader of a study accepts. Nothing is recommended while ``risks`` is empty.

    Parameters
    ----------
    risks : mapping of str to Threshold
        The largest risk accepted, by the name of the attack. A setting must keep all of them.
    strong, weak : Threshold
        Up to where an ε is called strong and weak.

    Examples
    --------
    >>> limits = Limits(risks={"re-identification": Threshold(value=0.05, source="our policy")})
    >>> limits.strength(0.5), limits.strength(3.0), limits.strength(47.5)
    ('strong', 'weak', 'none')
    >>> print(limits.words(47.5))
    above 10: no protection against someone who holds candidates
    """

    risks: Mapping[str, Threshold] = field(default_factory=dict)
    strong: Threshold = EPSILON_STRONG
    weak: Threshold = EPSILON_WEAK

    def __post_init__(self) -> None:
        for name in ("strong", "weak"):
            positive(f"value of {name}", getattr(self, name).value)
        if self.strong.value > self.weak.value:
            raise bad_input("strong", self.strong.value, f"at most weak ({shown(self.weak.value)})")

    @classmethod
    def of(cls, given: Any, attacks: Sequence[str], customary: Mapping[str, Threshold]) -> Self:
        """What a reader wrote, for a study with these attacks and customary limits.

        Parameters
        ----------
        given
            ``None``: no limit. A number: on the first attack. ``"default"``: the customary limits of the study. A
            mapping: by attack, and ``epsilon_strong`` and ``epsilon_weak``.
        """
        if isinstance(given, cls):
            named = dict(given.risks)
        elif given is None:
            return cls()
        elif given == "default":
            if not customary:
                raise bad_input(
                    "limit", given, "a number", f"nobody publishes a limit on {attacks[0]!r}: name your own"
                )
            return cls(risks=dict(customary))
        elif isinstance(given, Mapping):
            scale = {name: given[f"epsilon_{name}"] for name in ("strong", "weak") if f"epsilon_{name}" in given}
            risks = {name: value for name, value in given.items() if not name.startswith("epsilon_")}
            for name in given.keys() - risks.keys() - {f"epsilon_{end}" for end in scale}:
                raise bad_input("limit", name, "epsilon_strong, epsilon_weak or the name of an attack")
            named = {name: Threshold.of(value, f"limit on {name!r}") for name, value in risks.items()}
            given = cls(risks=named, **{name: Threshold.of(value, name) for name, value in scale.items()})
        else:
            named = {attacks[0]: Threshold.of(given)}
            given = cls(risks=named)
        for name in named:
            choice("attack with a limit", name, list(attacks))
        return given

    def strength(self, epsilon: float) -> Strength:
        """What an ε is called; nothing for NaN, of a promise that states no ε."""
        if math.isnan(epsilon):
            return ""
        return "strong" if epsilon <= self.strong.value else "weak" if epsilon <= self.weak.value else "none"

    def words(self, epsilon: float) -> str:
        """What an ε is called, in words."""
        strong, weak = shown(self.strong.value), shown(self.weak.value)
        return {
            "": "",
            "strong": f"strong: at most {strong}",
            "weak": f"weak: at most {weak}",
            "none": f"above {weak}: no protection against someone who holds candidates",
        }[self.strength(epsilon)]
