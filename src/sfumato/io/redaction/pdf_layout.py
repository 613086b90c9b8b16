"""From glyphs to text, and back to instructions without some of the glyphs.

Taking glyphs away and leaving the gap would not do: the width of a gap, to a thousandth of the font size, tells nearly
which name it was. Every line that loses something is therefore set anew: each gap is a bar of one fixed width, glyphs
keep their own width only, word spaces are all the same, and the line starts on a coarse grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.io.redaction.pdf_glyphs import Glyph, Run, Stream

__all__ = ["UNREADABLE", "flowing", "instructions_without", "page_text", "visual_order"]

UNREADABLE = "\ufffd"
"""Stands for a glyph of which nobody can say what it means."""
_STATE = frozenset(("Td", "TD", "Tm", "T*", "TL", "Tc", "Tw"))
"""Said anew before everything that is shown: the spacing of a line that lost a name would tell how long that was."""
_MARKS = frozenset(("BMC", "BDC", "EMC", "MP", "DP"))
"""Marks of content: their names and properties may hold the text once more, and nothing that is seen needs them."""
_SPACE, _COLUMN = 0.18, 1.6
"""Gaps, in font sizes: more than the first is a space, more than the second another column."""
_CLOSE = 0.01
"""Points: what is nearer to its place than this stands there."""
_STILL: tuple[float, list[tuple[float, float]]] = (0.0, [])
_BAR, _WORD_SPACE = 3.0, 0.28
"""The width of a bar and of a space in font sizes."""
_SAME, _OTHER, _MARGIN = 3.0, 4.0, 36.0
"""Points: starts that are one, ends that are not, and the margin of a line that shares its start with no other."""
_Line = tuple[int, int]
"""The direction of a line and its height on the page."""


def page_text(glyphs: Sequence[Glyph]) -> tuple[str, list[Glyph | None]]:
    """The text of glyphs in the order given, and for each character its glyph (``None`` for spaces between)."""
    parts: list[str] = []
    owners: list[Glyph | None] = []
    last: Glyph | None = None
    for glyph in glyphs:
        gap = "" if last is None else _between(last, glyph)
        if gap and not (parts and parts[-1].endswith(gap)):
            parts.append(gap)
            owners += [None] * len(gap)
        text = UNREADABLE if glyph.text is None else glyph.text.replace("\u00ad", "-")
        parts.append(text)
        owners += [glyph] * len(text)
        last = glyph
    return "".join(parts), owners


def _between(last: Glyph, glyph: Glyph) -> str:
    """What stands between two glyphs that follow each other: nothing, a space, a new line."""
    size, along, across = _measure(last)
    x, y = glyph.device[4] - last.device[4], glyph.device[5] - last.device[5]
    length = x * along[0] + y * along[1]
    height = x * across[0] + y * across[1]
    scale = math.hypot(last.device[0], last.device[1])
    gap = length - last.advance * scale
    if abs(height) > 0.45 * size or gap < -0.9 * size:
        return "\n"
    return " " if gap > _SPACE * size else ""


def _measure(glyph: Glyph) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """The size of a glyph on the page, and the directions along and across its line."""
    a, b = glyph.device[0], glyph.device[1]
    norm = math.hypot(a, b) or 1.0
    height = math.hypot(glyph.device[2], glyph.device[3]) or norm
    return abs(glyph.size) * height or 1.0, (a / norm, b / norm), (-b / norm, a / norm)


def flowing(text: str) -> str:
    """The same text with the ends of full lines as spaces: what is broken over two lines stands in one.

    >>> flowing("he lives at 221B\\nBaker Street today.\\nAnna\\nleft")
    'he lives at 221B Baker Street today.\\nAnna\\nleft'
    """
    lines = text.split("\n")
    full = 0.6 * max(map(len, lines))
    parts = []
    for line in lines[:-1]:
        parts += [line, " " if len(line) >= full and not line.rstrip().endswith((".", ":", "!", "?")) else "\n"]
    return "".join([*parts, lines[-1]])


def visual_order(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs from top to bottom and from left to right, whatever order they are drawn in."""

    def place(glyph: Glyph) -> tuple[float, float, float]:
        size, along, across = _measure(glyph)
        x, y = glyph.device[4], glyph.device[5]
        turn = round(math.degrees(math.atan2(along[1], along[0])))
        return turn, -round((x * across[0] + y * across[1]) / (0.4 * size)), x * along[0] + y * along[1]

    return sorted(glyphs, key=place)


def instructions_without(stream: Stream) -> list[tuple[list[Any], str]]:
    """The instructions of a stream without its removed glyphs and hidden layers.

    Every operator that shows text gets a matrix of its own, so that nothing depends on how wide a removed string was.
    """
    import pikepdf

    moved = _set_lines(stream)
    made: list[tuple[list[Any], str]] = []
    bars: list[list[tuple[float, float]]] = []
    for place, (operands, operator) in enumerate(stream.instructions):
        if place in stream.hidden:
            if operator in ("BT", "ET", "q", "Q", "cm"):  # the frame stays whole
                made.append((operands, operator))
            continue
        run = stream.runs.get(place)
        if operator in _STATE or operator in _MARKS:
            continue
        if run is not None and operator in ("Tj", "TJ", "'", '"'):
            if any(glyph in moved for glyph in run.glyphs):
                made += _chunks(run, moved)
            elif run.glyphs:
                made += [([run.spacing[0]], "Tc"), ([run.spacing[1]], "Tw"), (list(run.matrix), "Tm")]
                made.append(([run.operand], "TJ" if isinstance(run.operand, pikepdf.Array) else "Tj"))
            bars += [moved[glyph][1] for glyph in run.glyphs if glyph in moved and moved[glyph][1]]
        else:
            made.append((operands, operator))
        if operator == "ET" and bars:
            made.append(([], "q"))
            made.append(([0], "g"))
            for (x, y), *rest in bars:
                made.append(([_number(x), _number(y)], "m"))
                made += [([_number(a), _number(b)], "l") for a, b in rest]
                made.append(([], "f"))
            made.append(([], "Q"))
            bars = []
    return made


def _number(value: float) -> Any:
    from decimal import Decimal

    return Decimal(f"{value:.4f}")


def _chunks(run: Run, moved: dict[Glyph, tuple[float, list[tuple[float, float]]]]) -> Iterator[tuple[list[Any], str]]:
    """What is left of a run at its new places, without the spacing of the old: strings of glyphs that touch."""
    import pikepdf

    yield [0], "Tc"
    yield [0], "Tw"
    raw, start, reach = b"", None, 0.0
    for glyph in [*run.glyphs, None]:
        here = None if glyph is None or glyph.removed else _along(glyph) + moved.get(glyph, _STILL)[0]
        if start is not None and (here is None or abs(here - reach) > _CLOSE):
            a, b, c, d, e, f = start.matrix
            x, y = _shift(start, moved.get(start, _STILL)[0])
            yield [_number(value) for value in (a, b, c, d, e + x, f + y)], "Tm"
            yield [pikepdf.String(raw)], "Tj"
            start = None
        if glyph is not None and here is not None:
            raw, start = (raw + glyph.raw, start) if start is not None else (glyph.raw, glyph)
            reach = here + _width(glyph)


def _set_lines(stream: Stream) -> dict[Glyph, tuple[float, list[tuple[float, float]]]]:
    """For each glyph of a line that loses something: how far it moves, and the bar that stands for it."""
    moved: dict[Glyph, tuple[float, list[tuple[float, float]]]] = {}
    segments = list(_segments([glyph for run in stream.runs.values() for glyph in run.glyphs]))
    margins = _margins(segments)
    reached: dict[_Line, float] = {}  # where the part of each line that is set already ends
    for line, segment in segments:
        size = _measure(segment[0])[0]
        if not any(glyph.removed for glyph in segment):
            reached[line] = _along(segment[-1]) + _width(segment[-1])
            continue
        pen = max(_start(segment, margins[line[0]]), reached.get(line, -math.inf) + _WORD_SPACE * size)
        end, barred, spaced = _along(segment[0]), False, True
        for glyph in segment:
            is_space = glyph.text == " "
            if _along(glyph) - end > _SPACE * size and not (barred or spaced or is_space):
                pen += _WORD_SPACE * size
            end = _along(glyph) + _width(glyph)
            spaced = is_space
            if glyph.removed:
                bar: list[tuple[float, float]] = []
                if not barred:
                    bar = _bar(glyph, pen - _along(glyph), size)
                    pen += (_BAR + _WORD_SPACE) * size
                barred = True
                moved[glyph] = (0.0, bar)
                continue
            barred = barred and is_space  # two items with nothing but a space between them are one
            moved[glyph] = (pen - _along(glyph), [])
            pen += _width(glyph)
        reached[line] = pen
    return moved


def _start(segment: list[Glyph], margins: list[float]) -> float:
    """Where a line that loses something starts anew.

    Where a centred line or one that ends at the right margin began, tells how wide it was. So only a start that lines
    of other widths share stays; the others move to the next such start on their left, or to a margin of their own.
    """
    here = _along(segment[0])
    shared = [margin for margin in margins if margin <= here + _SAME]
    if shared:
        return shared[-1]
    return _MARGIN if here >= _MARGIN else 0.0


def _margins(segments: list[tuple[_Line, list[Glyph]]]) -> dict[int, list[float]]:
    """For each direction the starts that lines of different widths share, in order."""
    found: dict[int, list[float]] = {}
    ends: dict[int, list[tuple[float, float]]] = {}
    for (turn, _), segment in segments:
        found.setdefault(turn, [])
        ends.setdefault(turn, []).append((_along(segment[0]), _along(segment[-1]) + _width(segment[-1])))
    for turn, spans in ends.items():
        spans.sort()
        group: list[tuple[float, float]] = []
        for span in [*spans, (math.inf, math.inf)]:
            if group and span[0] - group[0][0] > _SAME:
                reach = [end for _, end in group]
                if max(reach) - min(reach) > _OTHER:
                    found[turn].append(group[0][0])
                group = []
            group.append(span)
    return found


def _along(glyph: Glyph) -> float:
    """How far along its line a glyph stands on the page."""
    _, (x, y), _ = _measure(glyph)
    return glyph.device[4] * x + glyph.device[5] * y


def _width(glyph: Glyph) -> float:
    return glyph.advance * math.hypot(glyph.device[0], glyph.device[1])


def _shift(glyph: Glyph, along: float, across: float = 0.0) -> tuple[float, float]:
    """A distance on the page, along the line and towards the top of its letters, in the space of the stream."""
    a, b, c, d = glyph.matrix[:4]
    right = along / (math.hypot(glyph.device[0], glyph.device[1]) or 1.0)
    up = across / (math.hypot(glyph.device[2], glyph.device[3]) or 1.0)  # a stream may be drawn upside down
    return right * a + up * c, right * b + up * d


def _bar(glyph: Glyph, shift: float, size: float) -> list[tuple[float, float]]:
    """The corners of a bar in the space of the stream."""
    low, high = -0.2 * size, 0.75 * size
    corners = [(shift, low), (shift + _BAR * size, low), (shift + _BAR * size, high), (shift, high)]
    return [(glyph.matrix[4] + x, glyph.matrix[5] + y) for x, y in (_shift(glyph, *corner) for corner in corners)]


def _segments(glyphs: list[Glyph]) -> Iterator[tuple[_Line, list[Glyph]]]:
    """Glyphs on one line without a wide gap between them, from left to right."""
    lines: dict[_Line, list[Glyph]] = {}
    for glyph in glyphs:
        size, along, across = _measure(glyph)
        height = glyph.device[4] * across[0] + glyph.device[5] * across[1]
        key = (round(math.degrees(math.atan2(along[1], along[0]))), round(height / (0.3 * size)))
        lines.setdefault(key, []).append(glyph)
    for key, line in lines.items():
        line.sort(key=_along)
        segment: list[Glyph] = []
        end = -math.inf
        for glyph in line:
            if segment and _along(glyph) - end > _COLUMN * _measure(glyph)[0]:
                yield key, segment
                segment = []
            segment.append(glyph)
            end = _along(glyph) + _width(glyph)
        if segment:
            yield key, segment
