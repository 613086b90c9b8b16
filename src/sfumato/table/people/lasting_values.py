"""Which records somebody may have had who left and has a successor: those whose values last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.table.people.delivery import Delivery

__all__ = ["LASTS", "RESTS", "Succession", "changed_hands", "successions"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LASTS = 1
"""A record whose values are in every release of its group: it may be of somebody who left or came."""
RESTS = 2
"""A record that can only be of people who stayed: those who left and came have all the others."""


@dataclass(frozen=True, eq=False)
class Succession:
    """What follows for the rows of one release from knowing that whoever succeeds somebody has the same values.

    ``part`` is for each row :data:`LASTS`, :data:`RESTS`, or 0 where nothing follows; ``open`` says among how many
    seats the person of the row is hidden, −1 where nothing follows and 0 where values did not last.
    """

    part: Ints
    open: Ints


def successions(deliveries: Sequence[Delivery], groups: Ints) -> list[Succession]:
    """What follows for each release; ``deliveries`` are by seats, ``groups`` says which each seat is in.

    The releases show n records of a group each, and it is known that s of its seats changed hands with their values.
    Who stayed may have other values now, so nobody can tell which record of one release goes with which of the other.
    But the people who left had values that are in every release: if value v is in them c₁(v), c₂(v), … times, the s
    seats can be any of Λ = Σ min(c₁(v), c₂(v), …). People who stayed can have any of the n if Λ > s, and of the n − Λ
    others if Λ = s.

    Only releases with the same columns are compared: nobody is the successor of somebody in another table.
    """
    found = [Succession(np.zeros(len(one.person), np.int64), np.full(len(one.person), -1)) for one in deliveries]
    tables = {one.shown.names for one in deliveries if one.shown is not None and one.holder is not None}
    for names in sorted(tables):
        of_table = [i for i, one in enumerate(deliveries) if one.shown is not None and one.shown.names == names]
        _follow([deliveries[i] for i in of_table], groups, [found[i] for i in of_table])
    return found


def _follow(deliveries: Sequence[Delivery], groups: Ints, found: Sequence[Succession]) -> None:
    """Write what follows from releases of one table into ``found``."""
    seat = np.concatenate([one.person for one in deliveries])
    value = np.concatenate([one.shown.value for one in deliveries if one.shown is not None])
    time = np.repeat(np.arange(len(deliveries)), [len(one.person) for one in deliveries])
    classes = np.concatenate([one.classes for one in deliveries])
    changed = changed_hands(deliveries, len(groups))
    concerned = np.isin(groups[seat], np.unique(groups[changed & (groups >= 0)]))
    if not concerned.any():
        return
    rows = np.flatnonzero(concerned)
    seat, value = seat[rows], value[rows]
    _, group = np.unique(groups[seat], return_inverse=True)
    number = int(group.max()) + 1
    members, first = np.unique(seat, return_index=True)
    seats = np.bincount(group[first], minlength=number)
    shared = np.bincount(group[first], changed[members], number).astype(np.int64)
    varies = _differs(seat, value, len(groups))[members]
    torn = np.zeros(number, np.bool_)  # groups with a successor whose values are not those of the seat
    torn[group[first][changed[members] & varies]] = True

    # A slot is a class of one release that a group is in; every seat of a group has the same number of rows in it.
    slots, slot = np.unique(np.stack([group, time[rows], classes[rows]], axis=1), axis=0, return_inverse=True)
    slot = slot.reshape(-1)
    each = np.bincount(slot) // seats[slots[:, 0]]
    several = np.isin(np.arange(number), slots[each > 1, 0])
    # Where a seat has several rows in a class, counts of rows are counts of seats only if the values of all seats last.
    torn[group[first][several[group[first]] & varies]] = True
    cells, cell = np.unique(np.stack([slot, value], axis=1), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    often = np.bincount(cell) // each[cells[:, 0]]
    pairs, pair = np.unique(np.stack([slots[cells[:, 0], 0], cells[:, 1]], axis=1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    least = np.full(len(pairs), len(seat))
    np.minimum.at(least, pair, often)
    everywhere = np.bincount(pair) == np.bincount(slots[:, 0])[pairs[:, 0]]
    least = np.where(everywhere, least, 0)
    lasting = np.bincount(pairs[:, 0], least, number).astype(np.int64)

    lasts = _rank(cell, seat) < (least[pair] * each[cells[:, 0]])[cell]
    alone = (lasting == shared)[group]
    part = np.where(lasts, LASTS, np.where(alone, RESTS, 0))
    stayed = np.where(alone, (seats - lasting)[group], seats[group])
    left = np.where(torn[group], 0, np.where(changed[seat], lasting[group], stayed))
    starts = np.searchsorted(rows, np.cumsum([0, *(len(one.person) for one in deliveries)]))
    offset = 0
    for one, into, (start, stop) in zip(deliveries, found, pairwise(starts.tolist()), strict=True):
        into.part[rows[start:stop] - offset] = part[start:stop]
        into.open[rows[start:stop] - offset] = left[start:stop]
        offset += len(one.person)


def changed_hands(deliveries: Sequence[Delivery], number: int) -> Bools:
    """Which of the ``number`` seats more than one person has in the releases together."""
    seat = np.concatenate([one.person for one in deliveries])
    holder = np.concatenate([one.person if one.holder is None else one.holder for one in deliveries])
    return _differs(seat, holder, number)


def _differs(seat: Ints, what: Ints, number: int) -> Bools:
    """The seats whose rows do not all have the same."""
    low, high = np.full(number, np.iinfo(np.int64).max), np.full(number, -1)
    np.minimum.at(low, seat, what)
    np.maximum.at(high, seat, what)
    return low < high


def _rank(keys: Ints, seat: Ints) -> Ints:
    """The place of each row among those with its key, seat by seat."""
    order = np.lexsort((seat, keys))
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    place = np.arange(len(keys)) - np.repeat(starts, np.diff(np.r_[starts, len(keys)]))
    found = np.empty(len(keys), np.int64)
    found[order] = place
    return found
