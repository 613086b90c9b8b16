"""Small claims that public data or a made-up log can judge: the rows, with their judges."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from reproduction._rows import recipe
from reproduction.claims.claim import Finding
from sfumato.io.geography import EARTH_RADIUS
from sfumato.noise import seeded_rng

SWEEPS = (1, 10, 30, 100, 200)


@recipe("newsgroups20")
def authors_with_few_posts() -> dict[str, int]:
    """Weggenmann §5.3.2: authors of the training split, and those with fewer than 20 posts in it."""
    from sfumato.text.data.newsgroups import load_newsgroups

    posts = Counter(post.author for post in load_newsgroups() if post.train and post.author and post.text.strip())
    return {"authors": len(posts), "few": sum(count < 20 for count in posts.values())}


def judge_few_posts(row: Any) -> Finding:
    """As large a share, within a fifth of a percent."""
    share = row["few"] / row["authors"]
    words = f"{row['few']:,} of {row['authors']:,}, {share:.1%}; printed {5711 / 5735:.1%}"
    return Finding(abs(share - 5711 / 5735) < 2e-3, f"{words} (there ambiguous authors were dropped by an unsaid rule)")


@recipe("geolife")
def correlated_coordinates() -> dict[str, float]:
    """Meehan E.1.4: correlation of latitude and longitude in five-minute traces, together and trace by trace."""
    from sfumato.trace.data.published import five_minute_traces

    both, single = [], []
    for _, path in five_minute_traces():  # seen from above the pole, R cos φ (cos λ, sin λ)
        latitude = np.arccos(np.hypot(path[:, 0], path[:, 1]) / EARTH_RADIUS)
        moved = np.stack([latitude, np.arctan2(path[:, 1], path[:, 0])], axis=1)
        moved -= moved.mean(axis=0)
        spread = moved.std(axis=0)
        if (spread > 0).all():
            both.append(moved / spread)
            single.append(float(np.mean(both[-1][:, 0] * both[-1][:, 1])))
    all_points = np.concatenate(both)
    return {
        "traces": len(single),
        "together": float(np.mean(all_points[:, 0] * all_points[:, 1])),
        "median size": float(np.median(np.abs(single))),
    }


def judge_correlated_coordinates(row: Any) -> Finding:
    """Small together, which says nothing of a single trace."""
    words = f"{row['together']:+.2f} over {row['traces']:,.0f} traces"
    return Finding(
        abs(row["together"]) <= 0.1, f"{words}; but half of the single traces have more than {row['median size']:.2f}"
    )


@recipe()
def sweeps_of_factors() -> list[list[float]]:
    """Mimoto Fig. 5.2: root mean square error of the factors by sweeps, on the made-up log; rank 10, 20, 30, 40."""
    from sfumato.activity import make_browsing
    from sfumato.activity.core.factors import Factoriser

    matrix = make_browsing(seed=0).windows[0].toarray().astype(np.float64)
    found = []
    for rank in (10, 20, 30, 40):
        made = [Factoriser(rank=rank, sweeps=sweeps).fit(matrix, seeded_rng(0)).product() for sweeps in SWEEPS]
        found.append([float(np.sqrt(np.mean((matrix - one) ** 2))) for one in made])
    return found


def judge_sweeps(row: Any) -> Finding:
    """After 100 sweeps less than a fiftieth of the fall is left."""
    left = [(line[-2] - line[-1]) / (line[0] - line[-1]) for line in row]
    shown = "; ".join(", ".join(f"{error:.3f}" for error in line) for line in row)
    times = ", ".join(map(str, SWEEPS))
    return Finding(max(left) < 0.02, f"errors after {times} sweeps on the stand-in, r = 10 … 40: {shown}")
