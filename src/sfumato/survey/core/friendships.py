"""Public friendships of the owners: who hides among whom by path length, where there is no map."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import column, to_arrow
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.order import cuthill_mckee_order
from sfumato.validate import integer

__all__ = ["Friendships"]


@dataclass(frozen=True)
class Friendships:
    """A list of pairs of owners, and how many steps along it a group reaches.

    Parameters
    ----------
    lines : sequence of str
        The public names of two owners, parted by a tab: a pair is one line of the card.
    hops : int
        1 for friends, 2 for their friends as well.

    Examples
    --------
    >>> friends = Friendships(("a\\tb", "b\\tc"), hops=2)
    >>> friends.groups(np.array(["c", "a", "b", "d"])).members(0)
    array([0, 1, 2])
    """

    lines: Sequence[str]
    hops: int = 1

    def __post_init__(self) -> None:
        integer("hops", self.hops, least=1)
        if not len(self.lines) or any(line.count("\t") != 1 for line in self.lines):
            raise bad_input("friends", len(self.lines), "pairs of names without a tab, one row for each friendship")

    @classmethod
    def of_frame(cls, frame: Any, *, hops: int = 1) -> Friendships:
        """The pairs in the first two columns of a table, which must have no other."""
        table = to_arrow(frame)
        if len(table.column_names) != 2:
            raise bad_input("friends", table.column_names, "two columns of names, one row for each friendship")
        first, second = ([str(name) for name in column(table, one)] for one in table.column_names)
        return cls(tuple(sorted({"\t".join(sorted(pair)) for pair in zip(first, second, strict=True)})), hops)

    @property
    def pairs(self) -> list[list[str]]:
        """The two names of each line."""
        return [line.split("\t") for line in self.lines]

    def __str__(self) -> str:
        """The rule in words. The number stands for the list: other pairs make other groups."""
        number = hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:8]
        return f"within {self.hops} step{'s' * (self.hops > 1)} of friendship (list {number})"

    def groups(self, owners: NDArray[Any]) -> Groups:
        """Everybody within so many steps of each owner."""
        return Groups.from_friends(owners, self.pairs, hops=self.hops)

    def places(self, owners: NDArray[Any]) -> NDArray[np.float64]:
        """A place on a line for each owner, friends near each other: that in the Cuthill–McKee order of the list.

        It depends on the names and the pairs alone, not on the order of the owners.
        """
        names, number = np.unique(owners, return_inverse=True)
        if len(names) < len(owners):
            raise bad_input("owners", f"{len(owners)} rows, {len(names)} names", "different names", "one row a person")
        order = cuthill_mckee_order(Groups.from_friends(names, self.pairs))
        return np.argsort(order).astype(float)[number]
