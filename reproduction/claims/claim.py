"""A claim: what a dissertation prints, and the code that judges it by a kept row or a section of the book."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from reproduction._rows import Recipe
from reproduction.claims.written_section import WrittenSection

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
OUT_OF_REACH = "cannot be checked here"
NO_ROW = "no row yet"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, OUT_OF_REACH, NO_ROW)


class Finding(NamedTuple):
    """What the numbers say of a claim, and the numbers in words."""

    holds: bool
    words: str


class Verdict(NamedTuple):
    """One of :data:`VERDICTS`, with its numbers or its reason."""

    kind: str
    words: str

    def __str__(self) -> str:
        joint = ", because " if self.kind == OUT_OF_REACH else ": " if self.words else ""
        return f"**{self.kind}**{joint}{self.words}".replace("|", "\\|")


@dataclass(frozen=True)
class Claim:
    """One printed table, figure or quantitative sentence.

    Parameters
    ----------
    where : str
        Chapter or section, table or figure, page where it is known.
    printed : str
        What was printed.
    source : Recipe, str or None
        The kept row, or the name of the section of the book, that judges it; None if it is out of reach.
    judge : callable
        From the row, or from the section, to a :class:`Finding` or a :class:`Verdict`.
    because : str
        Why it cannot be checked here. This is the only verdict that is written by hand.
    why : str
        Why it was not reproduced, if that is known and the numbers do not say it.
    """

    where: str
    printed: str
    source: Recipe | str | None = None
    judge: Callable[[Any], Finding | Verdict] | None = None
    because: str = ""
    why: str = ""

    def verdict(self, sections: dict[str, str]) -> Verdict:
        """Judge by what is kept; nothing is computed."""
        if self.judge is None or self.source is None:
            return Verdict(OUT_OF_REACH, self.because)
        if isinstance(self.source, Recipe):
            kept = self.source.kept
            if kept is None:
                return Verdict(NO_ROW, f"`python -m reproduction claims` makes the row “{self.source.name}”")
            found = self.judge(kept["row"])
            older = " (the recipe changed since this row was made)" if self.source.state == "outdated" else ""
        else:
            older = ""
            try:
                found = self.judge(WrittenSection(self.source, sections.get(self.source, "")))
            except LookupError as missing:
                return Verdict(NO_ROW, f"the section “{self.source}” has {missing.args[0]}")
        if isinstance(found, Finding):
            found = Verdict(REPRODUCED if found.holds else NOT_REPRODUCED, found.words)
        why = f" ({self.why})" if self.why and found.kind == NOT_REPRODUCED else ""
        return found._replace(words=found.words + why + older)


def judged(where: str, printed: str, source: Recipe | str, judge: Callable[[Any], Finding | Verdict]) -> Claim:
    """A claim that code judges by a kept row or by the tables of a section."""
    return Claim(where, printed, source, judge)


def collected(where: str, printed: str, section: str, says: str, after: str = "", column: str = "") -> Claim:
    """A claim that a section has judged itself: the row of its table of claims that has these words.

    Below a heading with the words ``after``. If the row has several verdicts, in columns of their own, all must hold,
    or that of one ``column``.
    """
    return Claim(where, printed, section, lambda written: _together(*written.claim(says, after, column)))


def beyond(where: str, printed: str, because: str) -> Claim:
    """A claim that cannot be checked here, and why."""
    return Claim(where, printed, because=because)


SPOKEN = (
    ("cannot be checked here, because not finished", NO_ROW),
    ("cannot be checked here, because:", OUT_OF_REACH),
    ("cannot be checked here, because", OUT_OF_REACH),
    ("cannot be checked here:", OUT_OF_REACH),
    ("not reproduced", NOT_REPRODUCED),
    ("trend not seen", NOT_REPRODUCED),
    ("refuted", NOT_REPRODUCED),
    ("no", NOT_REPRODUCED),
    ("reproduced", REPRODUCED),
    ("trend seen", REPRODUCED),
    ("confirmed", REPRODUCED),
    ("yes", REPRODUCED),
)
"""How sections begin a verdict, the longer beginnings first, and what it means."""


def _together(claim: str, verdicts: dict[str, str]) -> Verdict:
    """One verdict of several: the worst of them, with the words of all."""
    found = {name: _translated(claim, told) for name, told in verdicts.items()}
    if len(found) == 1:
        return next(iter(found.values()))
    worst = max(found.values(), key=lambda one: VERDICTS.index(one.kind))
    return Verdict(worst.kind, "; ".join(f"{name}: {one.kind}, {one.words}" for name, one in found.items()))


def _translated(claim: str, told: str) -> Verdict:
    """The verdict of a section in the words of this book."""
    plain = told.replace("**", "").strip()
    for words, kind in SPOKEN:
        if plain.casefold().startswith(words) and not plain[len(words) : len(words) + 1].isalpha():
            rest = plain[len(words) :].lstrip(" :;,").strip()
            rest = rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest
            return Verdict(kind, rest or f"“{claim}” in its section")
    raise LookupError(f"“{claim}” is said to be “{plain}”")


def counts(claims: Iterable[Claim], sections: dict[str, str]) -> dict[str, int]:
    """How many claims have each verdict."""
    kinds = [claim.verdict(sections).kind for claim in claims]
    return {kind: kinds.count(kind) for kind in VERDICTS}
