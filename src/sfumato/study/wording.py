"""Numbers as people write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["GREEK", "change", "count", "listed", "shown"]

GREEK = {
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "epsilon": "ε",
    "kappa": "κ",
    "level": "level ℓ",
    "pure": "pure ε",
    "rho": "ρ",
    "sigma": "σ",
}
"""Parameters that people write with a letter."""


def shown(value: Any) -> str:
    """A number as people write it: three digits that matter, no exponent where none is needed.

    >>> shown(0.12345), shown(1234.5), shown(2.0), shown(1e-7), shown("a")
    ('0.123', '1,234', '2', '1e-07', 'a')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if math.isnan(value):
        return "—"
    if value < 0:
        return "−" + shown(-value)
    if 1000 <= value < 1e6 or (value < 1e6 and value == int(value)):
        return f"{value:,.0f}"
    return f"{value:.3g}".replace("inf", "∞")


def change(by: float, digits: int) -> str:
    """By how much a number rises or falls, with its sign.

    >>> change(-0.0794, 3), change(0.25, 1)
    ('−0.079', '+0.2')
    """
    return f"{by:+.{digits}f}".replace("-", "−")


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "setting"), count(3, "setting")
    ('1 setting', '3 settings')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
