"""Crops that show the background of an image and nothing of its objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from sfumato.errors import bad_input
from sfumato.validate import choice, integer, probability

__all__ = ["Rectangle", "corner_crop", "largest_empty_rectangle"]


class Rectangle(NamedTuple):
    """Pixels ``left`` ≤ x < ``right`` and ``top`` ≤ y < ``bottom``."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return self.bottom - self.top

    def meets(self, other: Rectangle) -> bool:
        """Whether the two have a pixel in common."""
        across = max(self.left, other.left) < min(self.right, other.right)
        return across and max(self.top, other.top) < min(self.bottom, other.bottom)


def largest_empty_rectangle(
    width: int,
    height: int,
    boxes: Sequence[Sequence[int]],
    *,
    objective: Literal["short side", "area"] = "short side",
    strips: Literal["all", "narrow"] = "all",
    least: int = 1,
) -> Rectangle | None:
    """The largest rectangle of an image that meets no box; None if it is smaller than ``least`` on a side.

    Every maximal empty rectangle is bounded by sides of boxes or of the image, so that trying all pairs of them finds
    the best one (Meehan 2023, §1.3.1, says “largest” without saying what is large).

    Parameters
    ----------
    boxes : list of (left, top, right, bottom)
        Inside the image.
    objective : {"short side", "area"}
        What is maximised; the other one breaks ties.
    strips : {"all", "narrow"}
        "narrow" tries only strips between neighbouring box sides, as the authors' program does, and misses rectangles
        that reach across several.
    least : int
        The shortest side that is allowed (100 in the dissertation).

    Examples
    --------
    >>> largest_empty_rectangle(10, 6, [(0, 0, 4, 6)])
    Rectangle(left=4, top=0, right=10, bottom=6)
    >>> largest_empty_rectangle(10, 6, [(0, 0, 10, 6)]) is None
    True
    """
    width, height, least = integer("width", width), integer("height", height), integer("least", least)
    choice("objective", objective, ("short side", "area"))
    choice("strips", strips, ("all", "narrow"))
    known = [_checked(box, width, height) for box in boxes]
    cuts = sorted({0, width, *(side for box in known for side in (box.left, box.right))})
    pairs: Iterable[tuple[int, int]]
    if strips == "narrow":
        pairs = itertools.pairwise(cuts)
    else:
        pairs = ((left, right) for place, left in enumerate(cuts) for right in cuts[place + 1 :])
    best: Rectangle | None = None
    score = (0, 0)
    for left, right in pairs:
        for top, bottom in _gaps(left, right, height, known):
            found = Rectangle(left, top, right, bottom)
            short, area = min(found.width, found.height), found.width * found.height
            rated = (short, area) if objective == "short side" else (area, short)
            if short >= least and rated > score:
                best, score = found, rated
    return best


def _checked(box: Sequence[int], width: int, height: int) -> Rectangle:
    if len(box) != 4:
        raise bad_input("box", box, "left, top, right, bottom")
    left, top, right, bottom = (integer("side of a box", side, least=0) for side in box)
    if not (left < right <= width and top < bottom <= height):
        raise bad_input("box", tuple(box), f"a box inside {width} × {height} pixels", "leave the image out")
    return Rectangle(left, top, right, bottom)


def _gaps(left: int, right: int, height: int, boxes: Sequence[Rectangle]) -> list[tuple[int, int]]:
    """The ranges of rows between left and right that no box meets."""
    inside = sorted((box.top, box.bottom) for box in boxes if box.left < right and left < box.right)
    gaps, start = [], 0
    for top, bottom in inside:
        if top > start:
            gaps.append((start, top))
        start = max(start, bottom)
    return [*gaps, (start, height)] if start < height else gaps


def corner_crop(width: int, height: int, *, share: float = 0.3) -> Rectangle:
    """The lower left corner, for images without boxes: a heuristic, an object may be there.

    >>> corner_crop(10, 10)
    Rectangle(left=0, top=7, right=3, bottom=10)
    """
    width, height = integer("width", width), integer("height", height)
    probability("share", share, one=True)
    across, down = max(1, round(share * width)), max(1, round(share * height))
    return Rectangle(0, height - down, across, height)
