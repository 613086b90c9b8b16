"""A path as plain SVG: grid, scale bar, true path, release and guess. No map: asking for a tile tells where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.studio.jobs import SeenPath

__all__ = ["PathMap", "RiskLine", "path_map", "risk_line"]

WIDTH, HEIGHT, EDGE = 720, 460, 24
MOST_POINTS = 2000
"""Of each line that is drawn."""
WITHIN = 2.448
"""Deviations that hold 95 % of a round normal law in the plane."""
LINE_WIDTH, LINE_HEIGHT = 1000, 120
NEAREST, FARTHEST = 1.0, 3000.0
"""Metres at the top and at the bottom of the risk curve."""


@dataclass(frozen=True)
class PathMap:
    """What the template draws: lines as SVG paths, circles, a grid and a scale bar."""

    true: str
    hidden: str
    released: str
    guesses: list[tuple[float, float, float]]
    across: list[float]
    up: list[float]
    bar: float
    bar_words: str
    width: int = WIDTH
    height: int = HEIGHT


def path_map(path: NDArray[np.float64], hidden: NDArray[np.bool_], seen: SeenPath | None) -> PathMap:
    """The true path with its hidden parts, and what left and what was guessed, if it was filed."""
    every = [path]
    if seen is not None:
        every.append(seen.seen[np.isfinite(seen.seen).all(1)])
        every += [np.array([[x - WITHIN * d, y - WITHIN * d], [x + WITHIN * d, y + WITHIN * d]])
                  for x, y, d, _ in seen.guesses]  # fmt: skip
    points = np.concatenate(every)
    low, high = points.min(0), points.max(0)
    scale = min((WIDTH - 2 * EDGE) / max(high[0] - low[0], 100.0), (HEIGHT - 2 * EDGE) / max(high[1] - low[1], 100.0))
    middle = (low + high) / 2

    def place(points: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = (points - middle) * scale
        return np.stack([WIDTH / 2 + moved[:, 0], HEIGHT / 2 - moved[:, 1]], axis=1)

    step = _nice(110 / scale)
    grid = [
        np.arange(math.ceil((m - half / scale) / step), (m + half / scale) // step + 1) * step
        for m, half in zip(middle, (WIDTH / 2, HEIGHT / 2), strict=True)
    ]
    guesses = [] if seen is None else seen.guesses
    circles = [
        (*(round(float(one), 1) for one in place(np.array([[east, north]]))[0]), round(WITHIN * deviation * scale, 1))
        for east, north, deviation, _ in guesses
    ]
    return PathMap(
        true=_line(place(path), np.ones(len(path), bool)),
        hidden=_line(place(path), hidden),
        released="" if seen is None else _line(place(seen.seen), np.asarray(np.isfinite(seen.seen).all(1))),
        guesses=circles,
        across=[round(float(one), 1) for one in WIDTH / 2 + (grid[0] - middle[0]) * scale],
        up=[round(float(one), 1) for one in HEIGHT / 2 - (grid[1] - middle[1]) * scale],
        bar=round(step * scale, 1),
        bar_words=f"{step:g} m" if step < 1000 else f"{step / 1000:g} km",
    )


def _line(points: NDArray[np.float64], kept: NDArray[np.bool_]) -> str:
    """The kept points as an SVG path of at most 2 000 points, broken where points are left out.

    >>> _line(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([True, True, False]))
    'M0,0L1,0'
    """
    step = max(math.ceil(int(kept.sum()) / MOST_POINTS), 1)
    words, drawn, last = [], 0, -2
    for index in np.flatnonzero(kept).tolist():
        begins = index != last + 1
        last, drawn = index, 0 if begins else drawn + 1
        ends = index + 1 >= len(kept) or not kept[index + 1]
        if begins or ends or drawn % step == 0:
            words.append(f"{'M' if begins else 'L'}{points[index, 0]:.4g},{points[index, 1]:.4g}")
            if begins and ends:
                words.append("h.1")  # a single point is a dot
    return "".join(words)


@dataclass(frozen=True)
class RiskLine:
    """How closely each minute can be told: a curve, higher where it is closer, and the height of the radius."""

    path: str
    limit: float
    width: int = LINE_WIDTH
    height: int = LINE_HEIGHT


def risk_line(minutes: NDArray[np.float64], metres: NDArray[np.float64], radius: float) -> RiskLine:
    """The risk of each minute, metres on a logarithmic scale with the smallest on top."""

    def up(value: float) -> float:
        share = math.log(min(max(value, NEAREST), FARTHEST) / NEAREST) / math.log(FARTHEST / NEAREST)
        return round(4 + (LINE_HEIGHT - 8) * share, 1)

    span = max(float(minutes[-1] - minutes[0]), 1.0)
    points = [
        f"{LINE_WIDTH * (minute - minutes[0]) / span:.1f},{up(value)}"
        for minute, value in zip(minutes.tolist(), metres.tolist(), strict=True)
    ]
    return RiskLine("M" + "L".join(points), up(radius))


def _nice(width: float) -> float:
    power = 10 ** math.floor(math.log10(width))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= width))
