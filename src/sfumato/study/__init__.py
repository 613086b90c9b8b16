"""The loop: sweep, run, frontier, report."""

from sfumato.study.room import Recipe, Room, find_room, find_rooms, room_names
from sfumato.study.run import CellError, Outcome, run
from sfumato.study.shapes import RAW_LABEL, Attack, Picture, Raw, Score, Study, Utility, sweep

__all__ = [
    "RAW_LABEL",
    "Attack",
    "CellError",
    "Outcome",
    "Picture",
    "Raw",
    "Recipe",
    "Room",
    "Score",
    "Study",
    "Utility",
    "find_room",
    "find_rooms",
    "room_names",
    "run",
    "sweep",
]
