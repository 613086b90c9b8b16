"""One person, one pseudonym: which names in a corpus are names of the same person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.text.scrub.names.known_names import name_words

__all__ = ["People"]


@dataclass(frozen=True, kw_only=True)
class People:
    """The people of a corpus by their full names.

    A full name has two words or more. A shorter one ("Anna", "Ms Kowalska", "A. Kowalska") is that of the one person
    whose full name has its words: first among those of the same text, then among all. If there are two, it stays a name
    of its own, since joining two people would be worse than splitting one.

    Examples
    --------
    >>> people = People.of([["Anna Kowalska", "Anna", "Ms Kowalska"], ["Anna Berg"], ["Anna", "Kowalska, Anna"]])
    >>> people.full(0, "Anna"), people.full(0, "Ms Kowalska"), people.full(2, "A. Kowalska"), people.full(1, "Anna")
    ('anna kowalska', 'anna kowalska', 'anna kowalska', 'anna berg')
    >>> people.full(3, "Anna")
    'anna'
    """

    everywhere: frozenset[tuple[str, ...]]
    here: tuple[frozenset[tuple[str, ...]], ...]
    spelled: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, names: Sequence[Sequence[str]]) -> People:
        """From the names that each text has."""
        here: list[frozenset[tuple[str, ...]]] = []
        spelled: dict[str, str] = {}
        for found in names:
            full: set[tuple[str, ...]] = set()
            for name in found:
                words = _ordered(name)
                if sum(len(word) > 1 for word in words) > 1:
                    full.add(words)
                spelled.setdefault(" ".join(words) or name.casefold(), name)
            here.append(frozenset(full))
        return cls(everywhere=_merged(frozenset().union(*here)), here=tuple(map(_merged, here)), spelled=spelled)

    def full(self, text: int, name: str) -> str:
        """The normal form of the person that a name in the numbered text is of."""
        words = _ordered(name)
        if not words:
            return " ".join(name.casefold().split())
        for known in (self.here[text] if text < len(self.here) else frozenset(), self.everywhere):
            fitting = [person for person in known if _fits(words, person)]
            if len(fitting) == 1:
                longer = [person for person in self.everywhere if person != fitting[0] and _fits(fitting[0], person)]
                return " ".join(longer[0] if len(longer) == 1 else fitting[0])
        return " ".join(words)


def _ordered(name: str) -> tuple[str, ...]:
    """The words of a name; "Kowalska, Anna" is Anna Kowalska."""
    family, comma, given = name.partition(",")
    return tuple(name_words(f"{given} {family}" if comma and given.strip() else name))


def _fits(words: tuple[str, ...], person: tuple[str, ...]) -> bool:
    """Whether a shorter name can be of this person: its words, in order, are words or initials of it."""
    if len(words) > len(person):
        return False
    at = 0
    for word in words:
        while at < len(person) and not (person[at] == word or (len(word) == 1 and person[at].startswith(word))):
            at += 1
        if at == len(person):
            return False
        at += 1
    return True


def _merged(people: frozenset[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """Without full names that are those of exactly one longer one ("Anna Kowalska" beside "Anna Maria Kowalska")."""
    by_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for person in people:
        for word in person:
            by_word[word].append(person)
    kept = set()
    for person in people:
        longest = max(person, key=len)
        longer = [other for other in by_word[longest] if len(other) > len(person) and _fits(person, other)]
        if len(longer) != 1:
            kept.add(person)
    return frozenset(kept)
