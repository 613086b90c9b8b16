"""What a promise rests on: a vocabulary, bounds or a prior that is public. With its source, or as a condition.

A proof that treats something as public says nothing if it was read off the private data. Nobody can tell from the thing
itself where it came from, so whoever releases the data declares it, and the promise carries the declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Self

from sfumato.errors import bad_input

__all__ = ["Assumption", "Conditional"]


@dataclass(frozen=True)
class Assumption:
    """One thing that a promise rests on, usually that something is public.

    Parameters
    ----------
    what : str
        What is taken as public: ``"vocabulary"``, ``"bounds"``, ``"prior"``.
    source : str, optional
        Where it came from, in the words of whoever declared it. Without, the promise holds on condition.
    needed : str
        What it must be. Only what must be public has a source.

    >>> print(Assumption("vocabulary", source="GloVe 6B, published 2014"))
    the vocabulary (GloVe 6B, published 2014)
    >>> print(Assumption("bounds"))
    the bounds
    """

    what: str
    source: str | None = None
    needed: str = field(default="public", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.what, str) or not self.what.strip():
            raise bad_input("what", self.what, "what is taken as public, such as 'vocabulary' or 'bounds'")
        if self.source is not None and (not isinstance(self.source, str) or not self.source.strip()):
            raise bad_input("source", self.source, "where it came from, such as 'GloVe 6B, published 2014'")
        if self.needed != "public" and self.source is not None:
            raise bad_input("source", self.source, "a source of something public only")

    @property
    def plural(self) -> bool:
        """Whether it is spoken of in the plural: the bounds are, the corpus is."""
        noun = self.what.partition(" of ")[0]
        return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))

    @property
    def open(self) -> bool:
        """Whether it waits for a declaration of its source."""
        return self.source is None and self.needed == "public"

    def to_dict(self) -> dict[str, str | None]:
        """Its plain values; what must be public is not said once more."""
        values: dict[str, str | None] = {"what": self.what, "source": self.source}
        return values if self.needed == "public" else values | {"needed": self.needed}

    def __str__(self) -> str:
        return f"the {self.what}" if self.source is None else f"the {self.what} ({self.source})"


@dataclass(frozen=True, kw_only=True)
class Conditional:
    """What is said on the condition that something is public.

    Parameters
    ----------
    assumptions : tuple of Assumption
        Parts that are conditional themselves hand theirs on to the whole, where they are said, and declared, once.
    """

    assumptions: tuple[Assumption, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        gathered = list(self.assumptions)
        for part in fields(self):
            value = getattr(self, part.name)
            several = isinstance(value, tuple | list)
            inner = [one for one in (value if several else (value,)) if isinstance(one, Conditional)]
            if any(one.assumptions for one in inner):
                gathered += [assumption for one in inner for assumption in one.assumptions]
                bare = [replace(one, assumptions=()) for one in inner]
                object.__setattr__(self, part.name, tuple(bare) if several else bare[0])
        object.__setattr__(self, "assumptions", _united(gathered))

    def assuming(self, *assumptions: Assumption) -> Self:
        """The same promise, resting on these as well.

        >>> from sfumato.promise import PureDP
        >>> print(PureDP(1.0).assuming(Assumption("bounds")))
        ε = 1 per record (replace-one neighbours, central model), provided that the bounds are public
        """
        return replace(self, assumptions=(*self.assumptions, *assumptions))

    def declare(self, **sources: str) -> Self:
        """The same promise with the source of what it takes as public.

        A space in the name of an assumption is written ``_`` or ``-``. A source that was declared stays.

        >>> from sfumato.promise import PureDP
        >>> print(PureDP(1.0).assuming(Assumption("model weights")).declare(model_weights="BERT base, 2018"))
        ε = 1 per record (replace-one neighbours, central model); taken as public: the model weights (BERT base, 2018)
        """
        wanted = {_spaced(name): source for name, source in sources.items()}
        open_ones = {_spaced(one.what): one.what for one in self.assumptions if one.open}
        for name in wanted:
            if name not in open_ones:
                before = [one.source for one in self.assumptions if _spaced(one.what) == name]
                raise bad_input(
                    "public",
                    name,
                    "something that the promise takes as public without a source: "
                    + (", ".join(map(repr, open_ones.values())) or "here there is nothing"),
                    f"its source is declared already: {before[0]!r}" if before else "leave the declaration out",
                )
        named = [replace(one, source=wanted.get(_spaced(one.what))) if one.open else one for one in self.assumptions]
        return replace(self, assumptions=tuple(named))

    def _with_condition(self, statement: str) -> str:
        """A phrase with what it rests on; it ends with the condition, if there is one."""
        condition, taken = _said(self.assumptions)
        return "; ".join(filter(None, (statement, taken))) + (condition and f", {condition}")

    def _with_provenance(self, sentences: str) -> str:
        """The same for whole sentences."""
        condition, taken = _said(self.assumptions)
        more = [taken and f"{taken[0].upper()}{taken[1:]}.", condition and f"This holds {condition}."]
        return " ".join(filter(None, (sentences, *more)))


def _united(assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    """Each assumption once, in the order of their first mention."""
    found = tuple(dict.fromkeys(assumptions))
    for one in found:
        if not isinstance(one, Assumption):
            raise bad_input("assumptions", one, "an Assumption", 'Assumption("bounds", source="codebook of 2021")')
    return found


def _said(assumptions: Sequence[Assumption]) -> tuple[str, str]:
    """The condition that is left, and what was declared; either may be empty."""
    sourced = [str(one) for one in assumptions if one.source is not None]
    conditions = []
    for needed in dict.fromkeys(one.needed for one in assumptions if one.source is None):
        those = [one for one in assumptions if one.source is None and one.needed == needed]
        verb = "are" if len(those) > 1 or those[0].plural else "is"
        conditions.append(f"{_listed([str(one) for one in those])} {verb} {needed}")
    condition = f"provided that {' and '.join(conditions)}" if conditions else ""
    return condition, f"taken as public: {_listed(sourced)}" if sourced else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _spaced(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")
