"""How a ``table.toml`` is read and written, column by column."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.rules.hierarchy_rules import RULES, HierarchyRule, rule_from
from sfumato.validate import choice

__all__ = ["ROLES", "column_lines", "described", "file_names", "quoted", "quoted_list", "read_content"]

ROLES = ("quasi", "sensitive", "identifiers", "insensitive", "person", "missing", "missing_values")
"""The keys of a ``table.toml`` that make a schema."""

REQUESTS = ("promise", "mechanism")
"""The keys that say what is wanted (:mod:`sfumato.table.table_file`)."""

RENAMED = {
    "promises": '[[promise]] with kind = "t-closeness", t = 0.2, column = "illness"',
    "method": '[mechanism] with kind = "microaggregation", k = 5',
    "columns": '[mechanism.columns] with age = [{ step = "noise", scale = 2 }]',
}
"""Keys that are not read any more, and what to write instead."""


def read_content(path: Path) -> dict[str, Any]:
    """What a ``table.toml`` says, with known keys only."""
    try:
        with path.open("rb") as stream:
            content = tomllib.load(stream)
    except OSError as error:
        raise bad_input(
            "schema", str(path), "a file that can be read", "sfumato table init data.csv proposes one"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    old = [key for key in content if key in RENAMED]
    if old:
        raise bad_input(f"{path}: key", old[0], "tables instead of texts", f"write {RENAMED[old[0]]}")
    known = (*ROLES, *REQUESTS)
    wrong = [key for key in content if key not in known]
    if wrong:
        raise bad_input(f"{path}: key", wrong[0], "one of " + ", ".join(known))
    return content


def column_lines(role: str, name: str, rule: HierarchyRule | None, reason: str | None) -> list[str]:
    """A column as ``table.toml`` says it."""
    lines = [f"[{role}.{quoted(name)}]" + (f"  # {reason}" if reason else "")]
    if rule is not None:
        lines += [f"{key} = {_plain(value)}" for key, value in rule.settings().items()]
    return lines


def _plain(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(key)} = {_plain(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_plain(one) for one in value) + "]"
    return repr(value)


def file_names(folder: str, names: Sequence[str]) -> dict[str, Path]:
    """A file for the hierarchy of each column; names that only differ in signs or case get a number.

    >>> [file.name for file in file_names("clinic", ["a b", "a_b", "A b"]).values()]
    ['a_b.csv', 'a_b-2.csv', 'A_b-3.csv']
    """
    found: dict[str, Path] = {}
    used: dict[str, int] = {}
    for name in names:
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
        used[safe.lower()] = number = used.get(safe.lower(), 0) + 1
        found[name] = Path("hierarchies") / folder / (f"{safe}.csv" if number == 1 else f"{safe}-{number}.csv")
    return found


def quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_list(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, values)) + "]"


def described(role: str, name: str, entry: Any, folder: Path) -> Hierarchy | HierarchyRule:
    if role == "quasi" and isinstance(entry, Mapping):
        entry = {key: value for key, value in entry.items() if key != "weight"}
    try:
        return _tree(entry, folder)
    except InputError as error:
        raise InputError(f"[{role}.{name}] {error}") from error


def _tree(entry: Any, folder: Path) -> Hierarchy | HierarchyRule:
    ways = ("hierarchy", "intervals", "rows", "values", *(word for word in RULES if word != "intervals"))
    chosen = [way for way in ways if isinstance(entry, Mapping) and way in entry]
    if len(chosen) != 1:
        raise bad_input("column", entry, "exactly one of " + ", ".join(ways))
    listed = chosen[0] == "intervals" and isinstance(entry["intervals"], Mapping) and "low" in entry["intervals"]
    if chosen[0] in RULES and not listed:
        rest = {key: value for key, value in entry.items() if key != chosen[0]}
        return rule_from(chosen[0], entry[chosen[0]], rest)
    way, extra = chosen[0], [key for key in entry if key not in (chosen[0], "by" if chosen[0] == "values" else "")]
    if extra:
        raise bad_input("key", extra[0], f"nothing beside {way}" + (" but by" if way == "values" else ""))
    value = entry[way]
    if way == "hierarchy":
        if not isinstance(value, str):
            raise bad_input("hierarchy", value, "the name of a file")
        return Hierarchy.read(folder / value)
    if way == "intervals":
        wanted = {"low", "high", "widths"}
        if not isinstance(value, Mapping) or set(value) != wanted or not isinstance(value["widths"], list):
            raise bad_input("intervals", value, "{low = 0, high = 99, widths = [5, 10]}")
        return Hierarchy.intervals(**value)
    if not isinstance(value, list) or (way == "rows" and not all(isinstance(row, list) for row in value)):
        raise bad_input(way, value, 'a list of rows [["a", "*"], …]' if way == "rows" else "a list of values")
    if way == "rows":
        return Hierarchy(value)
    makers = {"flat": Hierarchy.flat, "prefixes": Hierarchy.prefixes, "dates": Hierarchy.dates}
    return makers[choice("by", entry.get("by", "flat"), tuple(makers))](value)
