"""Roles of the columns of a table, and the hierarchies of their values."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import InputError, bad_input
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.validate import choice

__all__ = ["MISSING", "Schema", "read_content"]

MISSING = "missing"
"""The label of a missing value under the policy ``missing="category"``."""

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


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Roles and hierarchies of the columns of a table.

    Parameters
    ----------
    quasi : mapping of str to Hierarchy
        What an attacker may know of a person. These columns are generalised.
    sensitive : mapping of str to Hierarchy or None, or sequence of str
        What must not be inferred. Its hierarchy gives the order and the tree for t-closeness; without one the order
        is that of numbers or names.
    identifiers : sequence of str
        Names, numbers of accounts: removed from every release.
    insensitive : sequence of str
        Released as they are. A column without a role is refused rather than released.
    person : str, optional
        The column that says whose record it is (a patient number, a household), where one person may have several. It
        is an identifier, and k counts its values instead of records.
    missing : {"reject", "category"}
        Whether a missing quasi or sensitive value is refused, or a value of its own that equals itself.
    missing_values : sequence of str
        Texts that mean "missing", beside null and NaN. A value that its hierarchy lists is never missing.

    Examples
    --------
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> schema.roles
    {'age': 'quasi', 'illness': 'sensitive'}
    """

    quasi: Mapping[str, Hierarchy]
    sensitive: Mapping[str, Hierarchy | None] | Sequence[str] = ()
    identifiers: Sequence[str] = ()
    insensitive: Sequence[str] = ()
    person: str | None = None
    missing: Literal["reject", "category"] = "reject"
    missing_values: Sequence[str] = ("",)

    def __post_init__(self) -> None:
        choice("missing", self.missing, ("reject", "category"))
        if not isinstance(self.quasi, Mapping):
            raise bad_input("quasi", self.quasi, "a mapping from column to Hierarchy", "Hierarchy.flat makes one")
        for name, tree in self.quasi.items():
            if not isinstance(tree, Hierarchy):
                raise bad_input(
                    f"quasi[{name!r}]", tree, "a Hierarchy", "Hierarchy.read, .intervals, .flat or sfumato table init"
                )
        named = isinstance(self.sensitive, Mapping)
        sensitive = dict(self.sensitive) if named else dict.fromkeys(self.sensitive)  # type: ignore[arg-type]
        quasi = {name: self._with_missing(tree) for name, tree in self.quasi.items()}
        object.__setattr__(self, "quasi", quasi)
        object.__setattr__(self, "sensitive", {n: t and self._with_missing(t) for n, t in sensitive.items()})
        for name, listed in (
            ("identifiers", self.identifiers),
            ("insensitive", self.insensitive),
            ("missing_values", self.missing_values),
        ):
            if (
                isinstance(listed, str)
                or not isinstance(listed, Sequence)
                or not all(isinstance(v, str) for v in listed)
            ):
                raise bad_input(name, listed, "a list of texts")
        if self.person is not None and not (isinstance(self.person, str) and self.person):
            raise bad_input("person", self.person, "the name of the column that says whose record it is")
        counted = () if self.person is None or self.person in self.identifiers else (self.person,)
        object.__setattr__(self, "identifiers", (*self.identifiers, *counted))
        object.__setattr__(self, "insensitive", tuple(self.insensitive))
        object.__setattr__(self, "missing_values", tuple(self.missing_values))
        roles = [*self.quasi, *self.sensitive, *self.identifiers, *self.insensitive]
        twice = [name for name in roles if roles.count(name) > 1]
        if twice:
            raise bad_input("column", twice[0], "one role for each column", "name it once")

    def _with_missing(self, tree: Hierarchy) -> Hierarchy:
        if self.missing == "reject" or MISSING in tree.index:
            return tree
        root = tree.rows[0][-1]
        return Hierarchy([*tree.rows, [MISSING] * (tree.height - 1) + [root]])

    def missing_label(self, name: str) -> str:
        """The label of a missing value of a column, or a refusal."""
        if self.missing == "reject":
            raise bad_input(
                f"column {name!r}: value",
                None,
                "no missing values",
                'say missing="category" to treat them as a value of their own, or remove the rows',
            )
        return MISSING

    @property
    def secrets(self) -> dict[str, Hierarchy | None]:
        """The sensitive columns with their hierarchies."""
        return self.sensitive  # type: ignore[return-value]  # a sequence became a mapping when the schema was made

    @property
    def roles(self) -> dict[str, str]:
        """The role of every column."""
        found = dict.fromkeys(self.quasi, "quasi") | dict.fromkeys(self.sensitive, "sensitive")
        found |= dict.fromkeys(self.identifiers, "identifier") | dict.fromkeys(self.insensitive, "insensitive")
        return found

    def counting(self, person: str) -> Schema:
        """The same schema with the column that says whose record it is, whatever role it had."""
        return replace(
            self,
            person=person,
            quasi={name: tree for name, tree in self.quasi.items() if name != person},
            sensitive={name: tree for name, tree in self.secrets.items() if name != person},
            insensitive=[name for name in self.insensitive if name != person],
        )

    def require(self, columns: Collection[str]) -> None:
        """Refuse a table in which a quasi or sensitive column is not there."""
        for name in (*self.quasi, *self.sensitive):
            if name not in columns:
                raise bad_input("column", name, "one of " + ", ".join(columns), "correct the schema or the table")

    def require_roles(self, columns: Collection[str]) -> None:
        """Refuse to release a column that has no role."""
        self.require(columns)
        if self.person is not None and self.person not in columns:
            raise bad_input("person", self.person, "one of " + ", ".join(columns), "it says whose record it is")
        without = [name for name in columns if name not in self.roles]
        if without:
            raise bad_input(
                "columns without a role",
                without,
                "a role for each column that is released",
                "list them as insensitive (released as they are) or identifiers (removed)",
            )

    # --- the file -----------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | Path) -> Schema:
        """Read a ``table.toml``; hierarchy files are named relative to it.

        A column is described by one of ``hierarchy = "file.csv"`` (ARX's format), ``intervals = {low = 0, high = 99,
        widths = [5, 10]}``, ``rows = [["a", "*"], …]``, or ``values = […]`` with ``by = "flat"``, ``"prefixes"`` or
        ``"dates"``.
        """
        path = Path(path)
        content = read_content(path)
        try:
            for role in ("quasi", "sensitive"):
                if not isinstance(content.get(role, {}), dict):
                    raise bad_input(role, content[role], "a table for each column", f"write [{role}.COLUMN]")
            quasi = {
                name: _described("quasi", name, entry, path.parent) for name, entry in content.get("quasi", {}).items()
            }
            sensitive = {
                name: _described("sensitive", name, entry, path.parent) if entry else None
                for name, entry in content.get("sensitive", {}).items()
            }
            rest = {key: content[key] for key in ROLES if key in content and key not in ("quasi", "sensitive")}
            return cls(quasi=quasi, sensitive=sensitive, **rest)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def write(self, path: str | Path) -> None:
        """Write a ``table.toml`` and, in ``hierarchies/`` beside it, one file in ARX's format for each hierarchy."""
        path = Path(path)
        lines = [
            "# Roles: quasi (generalised), sensitive (not to be inferred), identifiers (removed), insensitive (kept).",
            f"identifiers = {_strings(self.identifiers)}",
            f"insensitive = {_strings(self.insensitive)}",
            *([] if self.person is None else [f"person = {_string(self.person)}  # k counts its values, not records"]),
            f'missing = "{self.missing}"  # or "category": a value of its own',
            f"missing_values = {_strings(self.missing_values)}",
        ]
        described: list[tuple[str, str, Hierarchy | None]] = [
            ("quasi", name, tree) for name, tree in self.quasi.items()
        ]
        described += [("sensitive", name, tree) for name, tree in self.secrets.items()]
        for role, name, tree in described:
            lines += ["", f"[{role}.{_string(name)}]"]
            if tree is not None:
                safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
                file = Path("hierarchies") / f"{safe}.csv"
                (path.parent / file.parent).mkdir(parents=True, exist_ok=True)
                tree.write(path.parent / file)
                lines.append(f"hierarchy = {_string(file.as_posix())}")
        lines += [
            "",
            "# What recoding must reach; --k, --l, --t and --promise add to it.",
            "# [[promise]]",
            '# kind = "k-anonymity"',
            "# k = 5",
        ]
        beside = path.with_name(path.name + ".tmp")
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(path)


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


def _string(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _strings(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(_string, values)) + "]"


def _described(role: str, name: str, entry: Any, folder: Path) -> Hierarchy:
    try:
        return _tree(entry, folder)
    except InputError as error:
        raise InputError(f"[{role}.{name}] {error}") from error


def _tree(entry: Any, folder: Path) -> Hierarchy:
    ways = ("hierarchy", "intervals", "rows", "values")
    chosen = [way for way in ways if isinstance(entry, Mapping) and way in entry]
    if len(chosen) != 1:
        raise bad_input("column", entry, "exactly one of " + ", ".join(ways))
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
