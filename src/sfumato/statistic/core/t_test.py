"""Welch's t: the statistic, its degrees of freedom and its p-value, on plain numbers (Mimoto §3.1.4)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.validate import finite_array

__all__ = ["Welch", "welch"]


class Welch(NamedTuple):
    """The result of Welch's test without protection."""

    statistic: float
    df: float
    p_value: float


def welch(a: ArrayLike, b: ArrayLike) -> Welch:
    """Welch's t-test of equal means, variances not assumed equal.

    t = (μ_A − μ_B)/√(s²_A/n_A + s²_B/n_B) with unbiased variances,
    df = (s²_A/n_A + s²_B/n_B)² / [(s²_A/n_A)²/(n_A − 1) + (s²_B/n_B)²/(n_B − 1)], p = 2·Pr[T_df ≥ |t|].

    >>> result = welch([1.0, 2.0, 4.0, 5.0], [2.0, 6.0, 7.0])
    >>> round(result.statistic, 4), round(result.df, 4), round(result.p_value, 4)
    (-1.1239, 3.395, 0.3342)
    """
    group_a, group_b = finite_array("a", a, ndim=1), finite_array("b", b, ndim=1)
    for name, group in (("a", group_a), ("b", group_b)):
        if len(group) < 2:
            raise bad_input(f"len({name})", len(group), "at least 2 values", "a variance needs two")
    share_a = float(np.var(group_a, ddof=1)) / len(group_a)
    share_b = float(np.var(group_b, ddof=1)) / len(group_b)
    total = share_a + share_b
    if total == 0:
        raise bad_input("variance", 0.0, "some spread in one group", "t is undefined: add dummy records")
    from scipy.special import stdtr

    statistic = float(group_a.mean() - group_b.mean()) / math.sqrt(total)
    df = total**2 / (share_a**2 / (len(group_a) - 1) + share_b**2 / (len(group_b) - 1))
    return Welch(statistic, df, float(2 * stdtr(df, -abs(statistic))))
