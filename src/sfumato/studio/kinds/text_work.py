"""What was decided about texts: which column, who finds what is personal, and what a reviewer said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.text.publishing import REVIEW_FILE, text_column
from sfumato.text.scrub.review.span_review import MISSED, SpanReview
from sfumato.text.scrub.review.stretch_sample import Stretch
from sfumato.text.scrub.span import Span
from sfumato.text.text_method import NAMES, default_names
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Piece", "TextWork", "pages_of", "pieces_of", "stretch_pieces"]

REPLACEMENTS = {"label": "its kind, such as [PERSON]", "mask": "•••", "pseudonym": "the same code for the same name"}
MOST_TEXTS, MOST_SIGNS = 30, 12_000
"""How many texts, and how many characters, are on one page."""
AROUND = 90
"""Characters shown around a stretch of the sample, to be understood."""


@dataclass(frozen=True, kw_only=True)
class TextWork:
    """How a column of texts is scrubbed and reviewed.

    Parameters
    ----------
    column : str
    names : str
        How names are known, as in :func:`sfumato.text.protect`.
    replacement : {"label", "mask", "pseudonym"}
    reviewer : str
        Who decides.
    review : SpanReview
        What was decided.
    """

    kind = "text"

    column: str
    names: str
    replacement: str = "label"
    reviewer: str = ""
    review: SpanReview

    def __post_init__(self) -> None:
        choice("names", self.names, list(NAMES))
        choice("replacement", self.replacement, list(REPLACEMENTS))

    @classmethod
    def of(cls, table: pa.Table, reviewer: str, column: str | None = None) -> TextWork:
        """What is proposed for a table: its column of prose, and nothing decided."""
        name, _ = text_column(table, column)
        return cls(
            column=name,
            names=default_names(),
            reviewer=reviewer,
            review=SpanReview.of(texts_in(table, name)),
        )

    @property
    def words(self) -> str:
        """The settings in a few words."""
        said = self.review.to_card()
        return (
            f"column {self.column}, personal things replaced by {REPLACEMENTS[self.replacement]}; "
            f"{said['decided']} decided, {said['kept']} of them kept, {said['added']} added"
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Arguments of :func:`sfumato.text.protect`, but for the review."""
        found: dict[str, Any] = {"column": self.column, "mechanism": "scrubber", "names": self.names}
        return found if self.replacement == "label" else found | {"settings": {"replacement": self.replacement}}

    @property
    def decisions(self) -> Decisions:
        """As ``decisions.toml`` holds it; ``review.json`` stands beside it."""
        role = RoleChoice(column=self.column, role="text", reason="what was found and reviewed is replaced")
        return Decisions(kind="text", roles=(role,), protect=self.settings, schema=REVIEW_FILE)


def texts_in(table: pa.Table, column: str) -> list[str]:
    """The texts of a column; a cell without one is refused in the library's words."""
    from sfumato.text.core.records import texts_of

    if column not in table.column_names:
        raise bad_input("column", column, "one of the columns")
    return texts_of(table, column)


@dataclass(frozen=True)
class Piece:
    """A piece of a text as it is shown: a finding, or what stands between findings."""

    at: int
    text: str
    span: Span | None = None
    verdict: str = ""
    """Of a finding: ``"open"``, ``"hide"`` or ``"keep"``."""

    @property
    def missed(self) -> bool:
        """Whether a reviewer added it."""
        return self.span is not None and self.span.source == MISSED


def pages_of(lengths: Sequence[int]) -> list[range]:
    """Which texts are on which page.

    >>> pages_of([10, 20_000, 10])
    [range(0, 1), range(1, 2), range(2, 3)]
    """
    found, start, signs = [], 0, 0
    for number, length in enumerate(lengths):
        if number > start and (number - start == MOST_TEXTS or signs + length > MOST_SIGNS):
            found.append(range(start, number))
            start, signs = number, 0
        signs += length
    return [*found, range(start, len(lengths))]


def pieces_of(text: str, number: int, found: Sequence[Span], review: SpanReview) -> list[Piece]:
    """A text cut into findings, what was added, and the rest."""
    said = _by_text(review).get(number, {})
    spans = {(span.start, span.end): span for span in found}
    for (start, end), one in said.items():
        spans.setdefault((start, end), Span(start, end, one.label, 1.0, one.source))
    return _cut(text, 0, len(text), spans, said)


def stretch_pieces(texts: Sequence[str], stretch: Stretch, review: SpanReview) -> tuple[str, list[Piece], str]:
    """A stretch of the sample with what was added in it, and a little of the text before and after."""
    text, said = texts[stretch.text], _by_text(review).get(stretch.text, {})
    inside = {
        (start, end): Span(start, end, one.label, 1.0, one.source)
        for (start, end), one in said.items()
        if one.source == MISSED and stretch.start <= start and end <= stretch.end
    }
    before = text[max(stretch.start - AROUND, 0) : stretch.start]
    return before, _cut(text, stretch.start, stretch.end, inside, said), text[stretch.end : stretch.end + AROUND]


def _cut(text: str, low: int, high: int, spans: dict[tuple[int, int], Span], said: dict[Any, Any]) -> list[Piece]:
    pieces, at = [], low
    for (start, end), span in sorted(spans.items()):
        if start < at:
            continue  # it overlaps the one before, which is shown; both are applied
        if start > at:
            pieces.append(Piece(at, text[at:start]))
        verdict = said[start, end].verdict if (start, end) in said else "open"
        pieces.append(Piece(start, text[start:end], span, verdict))
        at = end
    return [*pieces, Piece(at, text[at:high])] if at < high else pieces


@lru_cache(maxsize=2)
def _by_text(review: SpanReview) -> dict[int, dict[tuple[int, int], Any]]:
    found: dict[int, dict[tuple[int, int], Any]] = {}
    for one in review.decisions:
        found.setdefault(one.text, {})[one.start, one.end] = one
    return found
