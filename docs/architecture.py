"""Draw docs/architecture.svg from the imports that are really in the sources: ``make architecture``."""

from __future__ import annotations

import ast
import html
import textwrap
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"

WIDTH, MARGIN, GAP = 1160, 56, 64
BOX_HEIGHT, ROOM_HEIGHT = 112, 126
COLUMNS = {"promise": 0, "ledger": 0, "noise": 1, "mechanism": 1, "auditor": 1, "study": 1, "cli": 1, "io": 2}
STYLE = """
    svg { font-family: system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
    .paper { fill: #fbfaf7; }
    .band { fill: #f1ede4; stroke: #d9d2c3; }
    .box { fill: #ffffff; stroke: #b9ae98; }
    .name { font-size: 17px; font-weight: 600; fill: #33302a; }
    .count { font-size: 12px; fill: #8a8171; }
    .words { font-size: 12.5px; fill: #5b5548; }
    .caption { font-size: 13px; font-weight: 600; fill: #8a8171; letter-spacing: 0.04em; }
    .arrow { fill: none; stroke: #7b8ea3; stroke-width: 1.6; }
    .found { stroke-dasharray: 5 4; }
    .head { fill: #7b8ea3; }
    .label { font-size: 11.5px; fill: #62748a; paint-order: stroke; stroke: #fbfaf7; stroke-width: 5px; }
"""


@dataclass(frozen=True)
class Structure:
    """The packages of sfumato and who imports whom.

    Parameters
    ----------
    modules : dict of str to int
        How many modules each package has.
    imports : dict of (str, str) to int
        How many imports lead from one package to another.
    rooms : list of str
        The kinds of data among the packages.
    small : list of str
        Single modules that everything may use.
    """

    modules: dict[str, int]
    imports: dict[tuple[str, str], int]
    rooms: list[str]
    small: list[str]

    @property
    def arrows(self) -> dict[tuple[str, str], int]:
        """The imports to draw: the kinds of data as one, and none that follows from two others."""
        merged: Counter[tuple[str, str]] = Counter()
        for (start, end), count in self.imports.items():
            pair = tuple("rooms" if name in self.rooms else name for name in (start, end))
            if pair[0] != pair[1]:
                merged[pair[0], pair[1]] += count
        merged["cli", "rooms"] = 0  # found by name, loaded when called
        return {pair: count for pair, count in sorted(merged.items()) if not _detour(merged, *pair)}

    @property
    def rows(self) -> list[list[str]]:
        """The packages from top to bottom: each above all that it imports."""
        drawn = self.arrows
        names = {*self.modules, "rooms"} - {*self.rooms, *self.small, ""}
        depth = {name: _depth(name, drawn) for name in names}
        rows = defaultdict(list)
        for name in sorted(names, key=lambda name: (COLUMNS.get(name, 3), name)):
            rows[depth[name]].append(name)
        return [rows[level] for level in sorted(rows, reverse=True)]


def _detour(pairs: Counter[tuple[str, str]], start: str, end: str) -> bool:
    """Whether one can go from start to end by way of another package."""
    waiting, seen = [other for one, other in pairs if one == start and other != end], set()
    while waiting:
        name = waiting.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            waiting += [other for one, other in pairs if one == name]
    return False


def _depth(name: str, arrows: dict[tuple[str, str], int]) -> int:
    below = [end for start, end in arrows if start == name]
    return 1 + max((_depth(other, arrows) for other in below), default=-1)


def read_structure(source: Path = ROOT / "src" / "sfumato") -> Structure:
    """The structure of the sources, from their import graph."""
    import grimp

    graph = grimp.build_graph("sfumato", cache_dir=None)
    small = sorted(path.stem for path in source.glob("*.py") if path.stem != "__init__")
    rooms = sorted(path.parent.name for path in source.glob("*/room.py"))
    modules: Counter[str] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        start = _package(module)
        modules[start] += 1
        for imported in graph.find_modules_directly_imported_by(module):
            end = _package(imported)
            shared_options = end == "cli" and start in rooms  # the one import that points upwards
            if start != end and not {start, end} & {*small, ""} and not shared_options:
                imports[start, end] += 1
    return Structure(dict(modules), dict(imports), rooms, small)


def _package(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def summary(name: str) -> str:
    """The first line of a package's or a module's docstring."""
    path = ROOT / "src" / "sfumato" / name / "__init__.py"
    path = path if path.is_file() else path.parents[1] / f"{name}.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0].replace("``", "")


@dataclass
class Canvas:
    """The picture while it is drawn."""

    parts: list[str] = field(default_factory=list)
    places: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)

    def text(self, x: float, y: float, kind: str, words: str, anchor: str = "start") -> None:
        """One line of text."""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'
        )

    def box(self, name: str, x: float, y: float, width: float, height: float, count: int, lines: list[str]) -> None:
        """A package: its name, how many modules it has, and what it is for."""
        self.places[name] = (x, y, width, height)
        self.parts.append(f'<g data-package="{name}">')
        self.parts.append(f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="9"/>')
        self.text(x + 14, y + 26, "name", name)
        self.text(x + 14, y + 44, "count", f"{count} modules")
        for number, line in enumerate(lines):
            self.text(x + 14, y + 65 + 16 * number, "words", line)
        self.parts.append("</g>")

    def arrow(self, start: str, end: str, points: str, label: tuple[float, float, str], kind: str = "arrow") -> None:
        """A curve from one package to another."""
        self.parts.append(f'<g data-from="{start}" data-to="{end}">')
        self.parts.append(f'<path class="{kind}" d="{points}" marker-end="url(#head)"/>')
        self.text(label[0], label[1], "label", label[2], "middle")
        self.parts.append("</g>")


def draw(structure: Structure) -> str:
    """The picture as SVG."""
    canvas, y, levels = Canvas(), 30.0, {}
    for level, row in enumerate(structure.rows):
        levels |= dict.fromkeys(row, level)
        y += _draw_row(canvas, structure, row, y) + GAP
    y = _draw_foot(canvas, structure, y - GAP + 34)
    _draw_arrows(canvas, structure, levels)
    size = f'width="{WIDTH}" height="{y:g}" viewBox="0 0 {WIDTH} {y:g}"'
    head = (
        '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M 0 0 L 10 5 L 0 10 z"/></marker>'
    )
    title = "<title>The packages of sfumato and what they import</title>"
    paper = f'<rect class="paper" width="{WIDTH}" height="{y:g}" rx="14"/>'
    body = "\n".join(canvas.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n{title}\n<style>{STYLE}</style>\n'
        f"<defs>{head}</defs>\n{paper}\n{body}\n</svg>\n"
    )


def _draw_row(canvas: Canvas, structure: Structure, row: list[str], y: float) -> float:
    if row == ["rooms"]:
        return _draw_rooms(canvas, structure, y)
    width = (WIDTH - 2 * MARGIN - 2 * GAP) / 3
    free = [0, 1, 2]
    for name in row:
        column = free.pop(free.index(COLUMNS[name]) if COLUMNS.get(name) in free else 0)
        lines = textwrap.wrap(summary(name), 40)[:3]
        canvas.box(name, MARGIN + column * (width + GAP), y, width, BOX_HEIGHT, structure.modules[name], lines)
    return BOX_HEIGHT


def _draw_rooms(canvas: Canvas, structure: Structure, y: float) -> float:
    height = ROOM_HEIGHT + 48
    canvas.places["rooms"] = (MARGIN, y, WIDTH - 2 * MARGIN, height)
    canvas.parts.append('<g data-package="rooms">')
    canvas.parts.append(
        f'<rect class="band" x="{MARGIN}" y="{y:g}" width="{WIDTH - 2 * MARGIN}" height="{height}" rx="12"/>'
    )
    canvas.text(MARGIN + 16, y + 24, "caption", "KINDS OF DATA · none imports another · all on one floor plan")
    canvas.parts.append("</g>")
    inner, count = WIDTH - 2 * MARGIN - 32, len(structure.rooms)
    width = (inner - 12 * (count - 1)) / count
    for number, name in enumerate(structure.rooms):
        x = MARGIN + 16 + number * (width + 12)
        canvas.box(name, x, y + 36, width, ROOM_HEIGHT - 8, structure.modules[name], _contents(name))
    return height


def _contents(name: str) -> list[str]:
    """How many mechanisms, attacks and utilities a kind of data has registered."""
    from sfumato.study import find_room

    room = find_room(name)
    counts = {
        "mechanism": len(room.mechanisms()),
        "attack": len({type(example[0]) for example in room.attacks()}),
        "utility": len({type(example[0]) for example in room.utilities()}),
    }
    plural = {"mechanism": "mechanisms", "attack": "attacks", "utility": "utilities"}
    return [f"{count} {word if count == 1 else plural[word]}" for word, count in counts.items()]


def _draw_foot(canvas: Canvas, structure: Structure, y: float) -> float:
    """The single modules that everything may use."""
    canvas.parts.append(f'<rect class="band" x="{MARGIN}" y="{y:g}" width="{WIDTH - 2 * MARGIN}" height="92" rx="12"/>')
    canvas.text(MARGIN + 16, y + 24, "caption", "SINGLE MODULES · used by all")
    width = (WIDTH - 2 * MARGIN - 32) / max(1, len(structure.small))
    for number, name in enumerate(structure.small):
        x = MARGIN + 16 + number * width
        canvas.parts.append(f'<g data-package="{name}">')
        canvas.text(x, y + 50, "name", name)
        for line, words in enumerate(
            textwrap.wrap(textwrap.shorten(summary(name).partition(". ")[0], 76, placeholder=" …"), 38)[:2]
        ):
            canvas.text(x, y + 67 + 15 * line, "words", words)
        canvas.parts.append("</g>")
    return y + 92 + 26


def _draw_arrows(canvas: Canvas, structure: Structure, levels: dict[str, int]) -> None:
    arrows = structure.arrows
    ports = _ports(canvas, arrows, levels)
    for (start, end), count in arrows.items():
        (x1, y1), (x2, y2) = ports[start, end]
        label = "found by name, loaded when called" if not count else f"{count} import{'s' * (count > 1)}"
        kind = "arrow" if count else "arrow found"
        if levels[end] - levels[start] == 1:
            middle = (y1 + y2) / 2
            points = f"M {x1:g} {y1:g} C {x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"
            canvas.arrow(start, end, points, ((x1 + x2) / 2, middle + 4, label), kind)
        else:
            side = MARGIN - 34 if x2 < WIDTH / 2 else WIDTH - MARGIN + 34
            canvas.arrow(start, end, _around(x1, y1, x2, y2, side), ((side + x2) / 2, y2 - 18, label), kind)


def _around(x1: float, y1: float, x2: float, y2: float, side: float) -> str:
    """A line along an edge of the picture, past the rows between."""
    out, back, r = (10 if side > x1 else -10), (-10 if side > x2 else 10), 10
    return " ".join(
        [
            f"M {x1:g} {y1:g} V {y1 + 22 - r:g} q 0 {r} {out} {r} H {side - out:g} q {out} 0 {out} {r}",
            f"V {y2 - 22 - r:g} q 0 {r} {back} {r} H {x2 - back:g} q {back} 0 {back} {r} V {y2:g}",
        ]
    )


def _ports(
    canvas: Canvas, arrows: dict[tuple[str, str], int], levels: dict[str, int]
) -> dict[tuple[str, str], tuple[tuple[float, float], tuple[float, float]]]:
    """Where each arrow leaves and arrives: side by side along the edges of the boxes, in an order without crossings."""

    def centre(name: str) -> float:
        return canvas.places[name][0] + canvas.places[name][2] / 2

    def reach(pair: tuple[str, str], own: int) -> float:
        """Where the other end is seen from this one; arrows that go around are outermost."""
        far = levels[pair[1]] - levels[pair[0]] > 1
        return (10_000.0 if centre(pair[1]) > WIDTH / 2 else -10_000.0) if far else centre(pair[1 - own])

    found = {}
    for pair in arrows:
        ends = []
        for own, name in enumerate(pair):
            same = sorted((other for other in arrows if other[own] == name), key=lambda other: reach(other, own))
            x, y, width, height = canvas.places[name]
            share = (same.index(pair) + 1) / (len(same) + 1)
            ends.append((x + width * share, y + (height if own == 0 else 0)))
        found[pair] = (ends[0], ends[1])
    return found


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(draw(read_structure()), encoding="utf-8")


if __name__ == "__main__":
    main()
