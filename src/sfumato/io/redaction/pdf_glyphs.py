"""The glyphs that a content stream of a PDF shows: what they mean, where they stand, which bytes they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sfumato.io.redaction.pdf_fonts import Font, read_font

__all__ = ["Glyph", "Matrix", "Run", "Stream", "multiply", "read_stream"]

Matrix = tuple[float, float, float, float, float, float]
_UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_INLINE = frozenset(
    ("/Width", "/Height", "/BitsPerComponent", "/ColorSpace", "/Filter", "/DecodeParms", "/Decode", "/ImageMask",
     "/Interpolate", "/Intent", "/Type", "/Subtype", "/W", "/H", "/BPC", "/CS", "/F", "/DP", "/D", "/IM", "/I", "/L",
     "/Length")
)  # fmt: skip
_SHOWS = frozenset(("Tj", "TJ", "'", '"'))
_MOVES = frozenset(("Td", "TD", "Tm", "T*"))


def multiply(first: Matrix, second: Matrix) -> Matrix:
    """What both do one after the other."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


@dataclass(slots=True, eq=False)
class Glyph:
    """One code that is shown.

    ``matrix`` places it in the space of its stream, ``device`` on the page; ``advance`` is its width in text space.
    """

    raw: bytes
    text: str | None
    matrix: Matrix
    device: Matrix
    size: float
    advance: float
    font: Font
    removed: bool = False


@dataclass(slots=True, eq=False)
class Run:
    """What one operator shows, with the state that it is shown in."""

    place: int
    glyphs: list[Glyph]
    spacing: tuple[float, float, float]
    operand: Any
    matrix: Matrix


@dataclass(slots=True, eq=False)
class Stream:
    """One content stream: its instructions, its runs, and what it uses.

    ``images`` are areas on the page; ``odd`` is how many images inside the stream may say more than their pixels.
    """

    owner: Any
    instructions: list[tuple[list[Any], str]]
    runs: dict[int, Run] = field(default_factory=dict)
    order: list[Run | Stream] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)
    images: list[float] = field(default_factory=list)
    odd: int = 0


@dataclass(slots=True)
class _State:
    ctm: Matrix
    font: Font | None = None
    size: float = 0.0
    character: float = 0.0
    word: float = 0.0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0


def read_stream(
    owner: Any,
    resources: Any,
    ctm: Matrix,
    draw: Callable[[Any, Matrix], Stream | None],
    is_hidden: Callable[[Any], bool],
) -> Stream:
    """Interpret a stream.

    Parameters
    ----------
    owner : pikepdf object
        A page or a form.
    draw : callable
        Reads a form that is drawn.
    is_hidden : callable
        Whether a layer is switched off.
    """
    import pikepdf

    instructions = [(list(one.operands), str(one.operator)) for one in pikepdf.parse_content_stream(owner)]
    stream = Stream(owner=owner, instructions=instructions)
    state, stack = _State(ctm=ctm), []
    matrix = line = _UNIT
    fonts: dict[str, Font] = {}
    marks: list[bool] = []  # for each open piece of marked content, whether it is switched off
    for place, (operands, operator) in enumerate(instructions):
        if operator in ("BMC", "BDC"):
            marks.append(operator == "BDC" and str(operands[0]) == "/OC" and _layer(operands[1], resources, is_hidden))
        elif operator == "EMC" and marks:
            marks.pop()
        if any(marks):
            stream.hidden.add(place)
        if operator == "q":
            stack.append(_State(*(getattr(state, name) for name in _State.__slots__)))
        elif operator == "Q" and stack:
            state = stack.pop()
        elif operator == "cm":
            state.ctm = multiply(_matrix(operands), state.ctm)
        elif operator == "BT":
            matrix = line = _UNIT
        elif operator == "Tf":
            name = str(operands[0])
            if name not in fonts:
                fonts[name] = read_font(resources.Font[name])
            state.font, state.size = fonts[name], float(operands[1])
        elif operator == "gs":
            _graphics(resources, operands, state)
        elif operator in ("Tc", "Tw", "TL", "Ts"):
            setattr(
                state, {"Tc": "character", "Tw": "word", "TL": "leading", "Ts": "rise"}[operator], float(operands[0])
            )
        elif operator == "Tz":
            state.scale = float(operands[0]) / 100
        elif operator in _MOVES:
            if operator == "Tm":
                matrix = line = _matrix(operands)
            else:
                if operator == "TD":
                    state.leading = -float(operands[1])
                x, y = (0.0, -state.leading) if operator == "T*" else (float(operands[0]), float(operands[1]))
                matrix = line = multiply((1, 0, 0, 1, x, y), line)
        elif operator in _SHOWS:
            if operator in ("'", '"'):
                if operator == '"':
                    state.word, state.character = float(operands[0]), float(operands[1])
                matrix = line = multiply((1, 0, 0, 1, 0, -state.leading), line)
            run, matrix = _show(place, operands[-1], state, matrix)
            stream.runs[place] = run
            stream.order.append(run)
        elif operator == "Do":
            drawn = resources.get("/XObject", {}).get(str(operands[0]))
            if drawn is not None and _is_off(drawn, is_hidden):
                stream.hidden.add(place)
            elif drawn is not None and drawn.get("/Subtype") == "/Form":
                inner = draw(drawn, multiply(_matrix(drawn.get("/Matrix", _UNIT)), state.ctm))
                if inner is not None:
                    stream.order.append(inner)
            elif drawn is not None and drawn.get("/Subtype") == "/Image":
                stream.images.append(_area(state.ctm))
        elif operator == "INLINE IMAGE" and _is_odd(operands[0]):
            stream.hidden.add(place)
            stream.odd += 1
        elif operator == "INLINE IMAGE":
            stream.images.append(_area(state.ctm))
    return stream


def _is_odd(image: Any) -> bool:
    """Whether an image inside a stream has entries that no picture needs, or a format of its own."""
    keys = {str(key) for key in image.obj}
    return not keys <= _INLINE or any(name in ("/DCTDecode", "/JPXDecode", "/DCT") for name in image.filters)


def _area(ctm: Matrix) -> float:
    """How much of the page an image covers: it is drawn on the unit square."""
    return abs(ctm[0] * ctm[3] - ctm[1] * ctm[2])


def _graphics(resources: Any, operands: list[Any], state: _State) -> None:
    """A graphics state may set the font, too."""
    chosen = resources.get("/ExtGState", {}).get(str(operands[0]), {})
    if "/Font" in chosen:
        state.font, state.size = read_font(chosen.Font[0]), float(chosen.Font[1])


def _is_off(drawn: Any, is_hidden: Callable[[Any], bool]) -> bool:
    return "/OC" in drawn and is_hidden(drawn.OC)


def _layer(name: Any, resources: Any, is_hidden: Callable[[Any], bool]) -> bool:
    layer = resources.get("/Properties", {}).get(str(name))
    return layer is not None and is_hidden(layer)


def _matrix(values: Any) -> Matrix:
    a, b, c, d, e, f = (float(value) for value in values)
    return a, b, c, d, e, f


def _show(place: int, operand: Any, state: _State, matrix: Matrix) -> tuple[Run, Matrix]:
    """The glyphs of one operator, and where the pen is afterwards."""
    import pikepdf

    first = matrix
    glyphs: list[Glyph] = []
    for piece in operand if isinstance(operand, pikepdf.Array) else [operand]:
        if not isinstance(piece, pikepdf.String):
            shift = -float(piece) / 1000 * state.size * state.scale
            matrix = multiply((1, 0, 0, 1, shift, 0), matrix)
            continue
        content = bytes(piece)
        if state.font is None:
            continue
        for raw, text, width, is_space in state.font.decode(content):
            here = multiply((1, 0, 0, 1, 0, state.rise), matrix)
            advance = width * state.size * state.scale
            glyphs.append(Glyph(raw, text, here, multiply(here, state.ctm), state.size, advance, state.font))
            step = advance + (state.character + (state.word if is_space else 0.0)) * state.scale
            matrix = multiply((1, 0, 0, 1, step, 0), matrix)
    return Run(place, glyphs, (state.character, state.word, state.scale), operand, first), matrix
