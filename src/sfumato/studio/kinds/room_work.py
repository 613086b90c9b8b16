"""What was decided about a file of any other kind: the arguments of that kind's ``protect``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.registry import room_module
from sfumato.study.own.decisions import Decisions, toml_value
from sfumato.study.rooms import find_rooms
from sfumato.study.settings import read_settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HINTS", "RoomWork", "argument_names", "mechanism_names"]

HINTS = {
    "activity": "Nothing needs to be said: a way is proposed from the columns user, item and time.",
    "survey": 'All possible answers must be named, such as categories = ["yes", "no"]: read from the answers, they '
    "would tell about them.",
    "direction": "What the numbers are: kind is hour, week, angle, latlon or vector.",
    "statistic": "Bounds are what everybody knows, not what the data hold: low = 0, high = 120.",
    "model": "What values are possible is said, not taken from the data: settings = { domains = { age = [0, 100, 10], "
    'sex = ["f", "m"] } } is ages from 0 to 100 in ten steps, and two words.',
}
"""What most people have to add to what is proposed."""


@dataclass(frozen=True, kw_only=True)
class RoomWork:
    """The settings with which a kind of data is protected.

    Parameters
    ----------
    kind : str
    settings : mapping
        Arguments of ``sfumato.<kind>.protect``, as ``decisions.toml`` holds them.
    """

    kind: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, kind: str, table: pa.Table) -> RoomWork:
        """What is proposed: only what can be said without a look at the values, which the promise would not cover."""
        import pyarrow as pa

        numbers = [one.name for one in table.schema if pa.types.is_floating(one.type) or pa.types.is_integer(one.type)]
        words = [one.name for one in table.schema if one.name not in numbers]
        anything = table.column_names
        proposals: dict[str, dict[str, Any]] = {
            "activity": {},
            "survey": {"column": _first(["answer"], anything, words), "mechanism": "unary-encoding", "epsilon": 1.0},
            "direction": {"columns": _first(["hour", "angle"], anything, numbers), "kind": "hour", "epsilon": 1.0},
            "statistic": {"columns": _first([], anything, numbers), "mechanism": "mean", "epsilon": 1.0},
            "model": {"columns": list(anything), "mechanism": "noisy-marginals", "epsilon": 1.0},
        }
        if kind not in proposals:
            raise bad_input("kind of data", kind, "one of " + ", ".join(proposals))
        return cls(kind=kind, settings=proposals[kind])

    @classmethod
    def typed(cls, kind: str, text: str) -> RoomWork:
        """What somebody typed: one ``name = value`` a line."""
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        pairs = []
        for line in lines:
            name, equals, value = line.partition("=")
            if not equals:
                raise bad_input("settings", "a line without =", "name = value, one a line")
            pairs.append(f"{name.strip()}={value.strip()}")
        return cls(kind=kind, settings=read_settings(pairs, option="settings"))

    @property
    def lines(self) -> list[str]:
        """The settings as they are typed."""
        return [f"{name} = {toml_value(value)}" for name, value in self.settings.items()]

    @property
    def words(self) -> str:
        """The settings in a few words."""
        shown = ", ".join(f"{name} {value}" for name, value in self.settings.items() if not isinstance(value, list))
        return f"{self.kind}: {shown}" if shown else f"{self.kind}: as proposed"

    @property
    def decisions(self) -> Decisions:
        """As ``decisions.toml`` holds it."""
        return Decisions(kind=self.kind, protect=dict(self.settings))


def argument_names(kind: str) -> list[str]:
    """The arguments that ``protect`` of a kind of data takes, beside the data."""
    left_out = ("frame", "terms", "rng", "engine")
    signature = inspect.signature(room_module(kind, "protection").protect)
    return [name for name in signature.parameters if name not in left_out]


def mechanism_names(kind: str) -> list[str]:
    """The mechanisms of a kind of data."""
    return list(find_rooms()[kind].mechanisms())


def _first(wanted: list[str], names: list[str], otherwise: list[str]) -> str:
    return next((name for name in wanted if name in names), (otherwise or names)[0])
