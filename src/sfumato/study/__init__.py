"""The loop: sweep, run, frontier, report."""

from sfumato.study.room import Recipe, Room, find_room, find_rooms
from sfumato.study.shapes import Attack, Picture, Raw, Score, Study, Utility, sweep

__all__ = [
    "Attack",
    "Picture",
    "Raw",
    "Recipe",
    "Room",
    "Score",
    "Study",
    "Utility",
    "find_room",
    "find_rooms",
    "sweep",
]
