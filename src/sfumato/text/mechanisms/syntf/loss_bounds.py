"""Bounds on what SynTF loses, and the budget that useful words need (Weggenmann 2023, §5.2.4–5.2.5).

All are per output word; a document of n words loses n times as much.
"""

from __future__ import annotations

import math

from sfumato.errors import bad_input
from sfumato.validate import integer, positive, probability

__all__ = ["eta_bound", "needed_epsilon", "target_probability"]


def eta_bound(epsilon: float, size: int) -> float:
    """Upper bound on the loss per output word, rounded up: ε + ln η with η = (e^(−ε/2) + L − 1)/(e^(ε/2) + L − 1).

    Thm 5.4, for a rating in [0, 1] with every pair of inputs adjacent. The dissertation asks for a symmetric rating; a
    range of at most Δ is enough: π(v, w) is largest when w alone is rated 1, and smallest when w alone is rated 0.

    >>> [round(eta_bound(47.5, size), 3) for size in (2, 100, 30_000)]
    [23.75, 28.345, 34.059]
    """
    epsilon, others = positive("epsilon", epsilon), integer("size", size) - 1
    half = epsilon / 2
    # With x = e^(−ε/2): ε + ln η = ε/2 + ln((x + L − 1)/(1 + (L − 1)x)), of which nothing overflows or cancels.
    gain = (others - 1) * -math.expm1(-half) / (1 + others * math.exp(-half))
    return (half + math.log1p(gain)) * (1 + 2.0**-48) if others else 0.0


def target_probability(
    epsilon: float, *, targets: int, others: int, gap: float, spread: float, sensitivity: float = 1.0
) -> tuple[float, float]:
    """Bounds on the probability that a word is replaced by one of ``targets`` good words (Thm 5.6).

    Parameters
    ----------
    gap : float
        c = τ − max ρ outside: how much better the worst target is than the best other word.
    spread : float
        Δ̄_x: the best rating minus the worst.
    """
    rate = positive("epsilon", epsilon) / (2 * positive("sensitivity", sensitivity))
    inside, outside = integer("targets", targets), integer("others", others, least=0)
    if not 0 <= gap <= spread:
        raise bad_input("gap", gap, f"a number from 0 to the spread {spread:g}")
    low, high = (inside / (inside + outside * math.exp(-rate * width)) for width in (gap, spread))
    return low, high


def needed_epsilon(wanted: float, *, targets: int, others: int, width: float = 1.0, sensitivity: float = 1.0) -> float:
    """The ε per word that gives a target the wanted probability (Cor. 5.7).

    It is necessary with ``width`` = Δ̄_x (1 for SynTF) and sufficient with ``width`` = c, and grows with ln L.

    >>> round(needed_epsilon(0.5, targets=1, others=29_999), 2)
    20.62
    """
    p = probability("wanted", wanted)
    odds = p / (1 - p) * integer("others", others) / integer("targets", targets)
    return max(0.0, 2 * positive("sensitivity", sensitivity) / positive("width", width) * math.log(odds))
