"""What was decided about a file of any other kind: the arguments of that kind's ``protect``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.registry import room_module
from sfumato.study.own.decisions import Decisions, toml_value
from sfumato.study.preview import Preview, setting_for
from sfumato.study.rooms import find_rooms
from sfumato.study.settings import read_settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HINTS", "RoomWork", "argument_default", "argument_names", "mechanisms_of"]

HINTS = {
    "activity": "People with the same items in all windows look alike. Groups are made in two ways, and those that "
    "lose less are filed.",
    "survey": "The possible answers are what everybody could know: read from the data, they would tell about it.",
    "direction": "Every direction gets noise of its own, and ε holds between any two, however far apart. Where only "
    "near ones should look alike, as with places, say ε within a radius instead: 1 within 200 metres.",
    "statistic": "Bounds and words are what everybody knows, not what the data hold.",
    "model": "What values are possible is said, not taken from the data: 0, 100, 10 is from 0 to 100 in ten steps.",
}
"""What most people have to know about what they are asked for."""


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
            "activity": _columns_of_log(table) if kind == "activity" else {},
            "survey": {"column": _first(["answer"], anything, words), "mechanism": "unary-encoding", "epsilon": 1.0},
            "direction": {"columns": _first(["hour", "angle"], anything, numbers), "kind": "hour", "pure": 1.0},
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
        return cls.checked(kind, read_settings(pairs, option="settings"))

    @classmethod
    def checked(cls, kind: str, settings: Mapping[str, Any]) -> RoomWork:
        """Settings with names that this kind of data knows, and all that it needs."""
        known, needed = argument_names(kind), argument_names(kind, needed=True)
        for name in settings:
            if name not in known:
                raise bad_input("settings", name, "one of " + ", ".join(known))
        for name in needed:
            if name not in settings:
                raise bad_input("settings", f"no {name}", f"a line {name} = …", "it has no value by itself")
        return cls(kind=kind, settings=settings)

    def preview(self, table: pa.Table) -> Preview:
        """What the library can say of the release before it is made."""
        try:
            found: Preview = _foresight(self.kind).preview(table, **self.settings)
        except SfumatoError:
            raise
        except (TypeError, ValueError, AttributeError) as error:  # a text where a number or a list should be
            raise bad_input("settings", type(error).__name__, "values of the right kind", "compare the note") from error
        return found

    def turned(self, name: str, value: float) -> RoomWork:
        """The same with one argument changed, where it was said."""
        settings, inner = dict(self.settings), self.settings.get("settings")
        if isinstance(inner, Mapping) and name in inner:
            return replace(self, settings=settings | {"settings": {**inner, name: value}})
        return replace(self, settings=settings | {name: value})

    def solved(self, table: pa.Table, figure: str, wanted: float) -> RoomWork:
        """The same with the one argument changed that makes a figure what is wanted: in per cent if it is a share."""
        found = self.preview(table)
        asked = found.figure(figure)
        if asked.share:  # it is asked for in per cent
            wanted /= 100
        dial = found.dial(asked.by)

        def made(value: float) -> Preview:
            return self.turned(dial.name, int(value) if dial.whole else value).preview(table)

        value = setting_for(made, dial, figure, wanted)
        return self.turned(dial.name, int(value) if dial.whole else value)

    @property
    def lines(self) -> list[str]:
        """The settings as they are typed."""
        return [f"{name} = {toml_value(value)}" for name, value in self.settings.items()]

    @property
    def words(self) -> str:
        """The settings in a few words."""
        shown = ", ".join(
            f"{name} {value}" for name, value in self.settings.items() if not isinstance(value, list | dict)
        )
        return f"{self.kind}: {shown}" if shown else f"{self.kind}: as proposed"

    @property
    def decisions(self) -> Decisions:
        """As ``decisions.toml`` holds it."""
        return Decisions(kind=self.kind, protect=dict(self.settings))


@cache  # finding a kind of data takes longer than what it says
def _foresight(kind: str) -> ModuleType:
    return room_module(kind, "foresight")


@cache
def argument_names(kind: str, *, needed: bool = False) -> list[str]:
    """The arguments that ``protect`` of a kind of data takes, beside the data; or only those that it needs."""
    left_out = ("frame", "terms", "rng", "engine")
    found = inspect.signature(room_module(kind, "protection").protect).parameters.values()
    return [one.name for one in found if one.name not in left_out and (one.default is one.empty or not needed)]


@cache
def argument_default(kind: str, name: str) -> Any:
    """What an argument of ``protect`` is where it is not said; None if it has no value by itself."""
    found = inspect.signature(room_module(kind, "protection").protect).parameters.get(name)
    return None if found is None or found.default is found.empty else found.default


@cache  # every example of the kind of data is built for it
def mechanisms_of(kind: str) -> Mapping[str, type]:
    """The mechanisms of a kind of data by their names."""
    return find_rooms()[kind].mechanisms()


def _columns_of_log(table: pa.Table) -> dict[str, Any]:
    """Who, what and when by their names, and the k of the usual limit; nothing where the names do not say."""
    from sfumato.activity.publishing import propose

    try:
        found = propose(table, decisions=None, protect={}, limit=None).candidates[0].settings
    except InputError:
        return {}
    return {name: found[name] for name in ("user", "item", "time", "mechanism", "k")}


def _first(wanted: list[str], names: list[str], otherwise: list[str]) -> str:
    return next((name for name in wanted if name in names), (otherwise or names)[0])
