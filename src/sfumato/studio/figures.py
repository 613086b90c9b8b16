"""Pictures of the studio as plain SVG: numbers in, places of marks out; the templates draw them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bar", "Dot", "Plane", "Tick", "class_bars", "risk_plane"]

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
WIDTH, HEIGHT = 640, 300
LEFT, BOTTOM, TOP, RIGHT = 80, 46, 16, 20
APART = (52, 16)
"""How far apart two labels must be, across and up, for both to be read."""


@dataclass(frozen=True)
class Bar:
    """A bar: its name, the share that it shows and the records it stands for."""

    name: str
    share: float
    records: int


def class_bars(sizes: NDArray[np.int64]) -> list[Bar]:
    """The share of records in classes of each size.

    >>> [(bar.name, bar.records) for bar in class_bars(np.array([1, 1, 4])) if bar.records]
    [('1', 2), ('3–4', 4)]
    """
    sizes = np.asarray(sizes)
    total = int(sizes.sum())
    bars = []
    for low, high in itertools.pairwise((*EDGES, math.inf)):
        inside = int(sizes[(sizes >= low) & (sizes < high)].sum())
        last = "or more" if math.isinf(high) else ""
        name = f"{low:,} {last}".strip() if last or high == low + 1 else f"{low}–{int(high) - 1:,}"
        bars.append(Bar(name, inside / total if total else 0.0, inside))
    return bars


@dataclass(frozen=True)
class Dot:
    """A point of the plane of loss and risk: where it is drawn, and what it is called."""

    x: float
    y: float
    name: str
    words: str
    kind: str


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    place: float
    name: str


@dataclass(frozen=True)
class Plane:
    """The plane of information loss and risk."""

    dots: list[Dot]
    path: str
    across: list[Tick]
    up: list[Tick]
    limit: float | None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def risk_plane(points: Sequence[tuple[float, float, str, str, str]], limit: float | None = None) -> Plane:
    """Points (loss, risk, name, words, kind) on a plane: loss across, risk upwards on a logarithmic scale.

    Points of kind ``"curve"`` are joined by a line in the order of their loss.
    """
    losses = [point[0] for point in points] or [0.0]
    risks = [point[1] for point in points] or [1.0]
    far = max(*losses, 1e-3) * 1.08
    risks_seen = [*risks, *([limit] if limit else [])]
    low, high = math.floor(math.log10(min(risks_seen))), math.ceil(math.log10(max(risks_seen)))
    high = max(high, low + 1)

    def across(loss: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * loss / far, 1)

    def up(risk: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (math.log10(risk) - low) / (high - low), 1)

    dots: list[Dot] = []
    for loss, risk, name, words, kind in points:
        x, y = across(loss), up(risk)
        labels = [(dot.x, dot.y) for dot in dots if dot.words]
        if kind == "curve":  # a pin covers the label of the dot that it lies on
            labels += [(across(point[0]), up(point[1])) for point in points if point[4] == "pin"]
        crowded = any(abs(x - left) < APART[0] and abs(y - top) < APART[1] for left, top in labels)
        dots.append(Dot(x, y, name, "" if crowded and kind == "curve" else words, kind))
    curve = sorted((dot.x, dot.y) for dot in dots if dot.kind == "curve")
    step = _nice(far / 5)
    return Plane(
        dots=dots,
        path=" ".join(f"{'M' if place == 0 else 'L'}{x},{y}" for place, (x, y) in enumerate(curve)),
        across=[Tick(across(n * step), f"{100 * n * step:.3g} %") for n in range(int(far / step) + 1)],
        up=[Tick(up(10.0**power), f"{10.0**power:g}") for power in range(low, high + 1)],
        limit=None if limit is None else up(limit),
    )


def _nice(width: float) -> float:
    power = 10 ** math.floor(math.log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width)
