"""A made-up browsing log: who visits which domains, in windows of some hours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from sfumato.activity.core.activity import Activity
from sfumato.noise import seeded_rng
from sfumato.validate import integer, positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_browsing", "make_log"]

_TOPICS = 20


def make_browsing(
    users: int = 200, items: int = 1_000, *, hours: Sequence[float] = (8.0, 8.0), counts: bool = False, seed: int = 0
) -> Activity:
    """Users × domains in windows of some hours: the stand-in for the private web log of chapter 5.

    Popularity ∝ rank^−0.8; each user has an activity (log-normal, σ = 2), interests in 20 topics (Dirichlet 0.15) and a
    taste for single domains (Gamma, shape 0.05); visits are Poisson. Parameters were chosen so that 51, 65 and 76 % of
    the raw rows are linked in windows of 2, 4 and 8 hours, as published; the rest follows.

    Parameters
    ----------
    hours : sequence of float
        The length of each window.
    counts : bool
        How often, instead of whether.

    Examples
    --------
    >>> make_browsing(20, 50)
    Activity(2 windows, 20 users, 50 items)
    """
    rng = seeded_rng(seed)
    rates = _rates(integer("users", users), integer("items", items), rng)
    windows = []
    for length in hours:
        visits = rng.poisson(rates * positive("hours", length)).astype(float)
        windows.append(sparse.csr_array(visits if counts else (visits > 0) * 1.0))
    return Activity(windows=tuple(windows), items=tuple(f"site{j + 1:04d}.example" for j in range(items)))


def make_log(users: int = 50, items: int = 40, *, days: int = 14, seed: int = 0) -> pa.Table:
    """Events of made-up people with user, item and time (UTC, from Monday 1 January 2024): a file to try things on.

    >>> make_log(5, 6).column_names
    ['user', 'item', 'time']
    """
    import pyarrow as pa

    rng = seeded_rng(seed)
    rates = _rates(integer("users", users), integer("items", items), rng)
    visits = np.minimum(rng.poisson(np.minimum(rates, 3.0) * integer("days", days)), 20)
    user, item = np.nonzero(visits)
    repeated = visits[user, item]
    user, item = np.repeat(user, repeated), np.repeat(item, repeated)
    start = 1_704_067_200  # 2024-01-01T00:00:00Z
    seconds = start + rng.integers(0, days * 86_400, len(user))
    order = np.argsort(seconds, kind="stable")
    return pa.table(
        {
            "user": [f"u{k:03d}" for k in user[order].tolist()],
            "item": [f"site{k + 1:02d}.example" for k in item[order].tolist()],
            "time": pa.array(seconds[order] * 1_000_000).cast(pa.timestamp("us", "UTC")),
        }
    )


def _rates(users: int, items: int, rng: np.random.Generator) -> np.ndarray:
    popular = np.arange(1, items + 1) ** -0.8
    popular /= popular.sum()
    busy = rng.lognormal(0.0, 2.0, users)
    topic = rng.integers(0, _TOPICS, items)
    interest = rng.dirichlet(np.full(_TOPICS, 0.15), users)
    taste = rng.gamma(0.05, 1 / 0.05, (users, items))
    return 12 * busy[:, None] * popular * (0.3 * taste + 0.7 * _TOPICS * interest[:, topic])
