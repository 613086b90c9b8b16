"""Who holds what: six ways to hold a number between two parties, and the 216 types of comparison they make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Literal

from sfumato.errors import bad_input

__all__ = ["ComparisonType", "Holding", "Role", "all_types"]

Role = Literal["alice", "bob"]


class Holding(Enum):
    """How a number is held: the first letter is Alice's part, the second Bob's.

    E: an encryption, S beside it: the key. S and S: additive shares (or, of an answer, two bits whose exclusive or it
    is). P: the number itself, N: nothing.
    """

    ES = "ES"
    SE = "SE"
    SS = "SS"
    PN = "PN"
    NP = "NP"
    PP = "PP"

    @property
    def mirrored(self) -> Holding:
        """The same with Alice and Bob exchanged."""
        return Holding(self.value[::-1])

    def known_to(self, role: Role) -> bool:
        """Whether a party has the number itself."""
        return self.value[["alice", "bob"].index(role)] == "P"

    @property
    def words(self) -> str:
        """The holding in words."""
        return {
            "ES": "Alice holds an encryption, Bob the key",
            "SE": "Bob holds an encryption, Alice the key",
            "SS": "each holds a share",
            "PN": "Alice holds it",
            "NP": "Bob holds it",
            "PP": "both hold it",
        }[self.value]


_NAMED = {
    "1": "SS-SS-SS",
    "2": "SE-SE-SE",
    "3": "PN-NP-SE",
    "4": "PN-NP-SS",
    "5": "PN-NP-NP",
    "6": "PN-SE-SS",
    "7": "PP-SE-ES",  # the title prints PP-SS-ES, its table shows Bob with an encryption of y
    "8": "SE-SE-SE",  # with x encrypted bit by bit
}


@dataclass(frozen=True)
class ComparisonType:
    """How x, y and the answer δ = [x ≥ y] are held.

    Examples
    --------
    >>> ComparisonType.parse("1")
    ComparisonType('SS-SS-SS')
    >>> sum(one.trivial for one in all_types()), sum(not one.trivial for one in all_types())
    (42, 174)
    """

    x: Holding
    y: Holding
    answer: Holding
    bitwise: bool = False
    """Whether x is encrypted bit by bit (Type 8, outside the 216)."""

    def __post_init__(self) -> None:
        if self.bitwise and self.x is not Holding.SE:
            raise bad_input("bitwise", self.bitwise, "x encrypted for Bob (SE)")

    @classmethod
    def parse(cls, text: str) -> ComparisonType:
        """From ``PN-NP-SS``, or from the number of one of the eight named types."""
        try:
            parts = [Holding(part) for part in _NAMED.get(text, text).upper().split("-")]
            x, y, answer = parts
            return cls(x, y, answer, bitwise=text == "8")
        except (ValueError, TypeError):
            raise bad_input(
                "type", text, "three of ES, SE, SS, PN, NP, PP such as PN-NP-SS, or a number from 1 to 8"
            ) from None

    @property
    def knower(self) -> Role | None:
        """A party that has both numbers and needs no protocol; Alice if both have."""
        roles: tuple[Role, ...] = ("alice", "bob")
        for role in roles:
            if self.x.known_to(role) and self.y.known_to(role):
                return role
        return None

    @property
    def trivial(self) -> bool:
        """Whether one party has both numbers (Lemma 8.1: 42 of the 216)."""
        return self.knower is not None

    def shows(self, role: Role) -> bool:
        """Whether a party shows the other something of the answer, to which it could add noise."""
        return self.answer.known_to("bob" if role == "alice" else "alice")

    def __str__(self) -> str:
        return f"{self.x.value}-{self.y.value}-{self.answer.value}" + (" (x bit by bit)" if self.bitwise else "")

    def __repr__(self) -> str:
        return f"ComparisonType({str(self)!r})"


def all_types() -> Iterator[ComparisonType]:
    """The 216 types."""
    for x, y, answer in product(Holding, repeat=3):
        yield ComparisonType(x, y, answer)
