"""Roles of the columns of a table, and the hierarchies of their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.rules.hierarchy_rules import HierarchyRule
from sfumato.table.core.schema_text import ROLES, column_lines, described, file_names, quoted, quoted_list, read_content
from sfumato.table.core.value_labels import labels_of
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MISSING", "Schema"]

UNBOUND = Hierarchy([["no value", STAR]])
"""The place of a hierarchy that a rule will make."""

MISSING = "missing"
"""The label of a missing value under the policy ``missing="category"``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Schema:
    """Roles and hierarchies of the columns of a table.

    Parameters
    ----------
    quasi : mapping of str to Hierarchy or HierarchyRule
        What an attacker may know of a person. These columns are generalised. A rule needs no list of values: it makes a
        hierarchy for those that a table has.
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
    weights : mapping of str to float
        How much each quasi-identifier matters when information must be lost, 1 by default.
    rules : mapping of str to HierarchyRule
        The rules of the columns that have one; those given in ``quasi`` and ``sensitive`` are put here.

    Examples
    --------
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> schema.roles
    {'age': 'quasi', 'illness': 'sensitive'}
    """

    quasi: Mapping[str, Hierarchy]  # rules become hierarchies when the schema is made
    sensitive: Mapping[str, Hierarchy | None] | Sequence[str] = ()
    identifiers: Sequence[str] = ()
    insensitive: Sequence[str] = ()
    person: str | None = None
    missing: Literal["reject", "category"] = "reject"
    missing_values: Sequence[str] = ("",)
    weights: Mapping[str, float] = field(default_factory=dict)
    rules: Mapping[str, HierarchyRule] = field(default_factory=dict)

    if TYPE_CHECKING:  # rules are taken where hierarchies are, and become hierarchies

        def __init__(
            self,
            *,
            quasi: Mapping[str, Hierarchy | HierarchyRule] | Mapping[str, Hierarchy] | Mapping[str, HierarchyRule],
            sensitive: Mapping[str, Any] | Sequence[str] = (),
            identifiers: Sequence[str] = (),
            insensitive: Sequence[str] = (),
            person: str | None = None,
            missing: Literal["reject", "category"] = "reject",
            missing_values: Sequence[str] = ("",),
            weights: Mapping[str, float] = ...,
            rules: Mapping[str, HierarchyRule] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        choice("missing", self.missing, ("reject", "category"))
        if not isinstance(self.quasi, Mapping):
            raise bad_input("quasi", self.quasi, "a mapping from column to Hierarchy", "Hierarchy.flat makes one")
        named = isinstance(self.sensitive, Mapping)
        sensitive = dict(self.sensitive) if named else dict.fromkeys(self.sensitive)  # type: ignore[arg-type]
        given: dict[str, Any] = {**sensitive, **self.quasi}
        rules = {name: rule for name, rule in self.rules.items() if name in given}
        rules |= {name: one for name, one in given.items() if isinstance(one, HierarchyRule)}
        object.__setattr__(self, "rules", rules)
        trees = {name: UNBOUND if isinstance(one, HierarchyRule) else one for name, one in given.items()}
        quasi, sensitive = {name: trees[name] for name in self.quasi}, {name: trees[name] for name in sensitive}
        for name, tree in quasi.items():
            if not isinstance(tree, Hierarchy):
                raise bad_input(
                    f"quasi[{name!r}]", tree, "a Hierarchy", "Hierarchy.read, .intervals, .flat or sfumato table init"
                )
        for name, weight in self.weights.items():
            if name not in quasi:
                raise bad_input("weights", name, "a quasi-identifier: " + ", ".join(quasi))
            positive(f"weight of {name}", weight, zero=True)
        quasi = {name: self._with_missing(tree) for name, tree in quasi.items()}
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

    def bound(self, *tables: pa.Table, names: Collection[str] | None = None) -> Schema:
        """The schema with a hierarchy for the values of some tables in place of each rule (or of those of ``names``).

        >>> import pyarrow as pa
        >>> from sfumato.table import Prefixes
        >>> schema = Schema(quasi={"zip": Prefixes(3)})
        >>> schema.bound(pa.table({"zip": ["816", "817"]})).quasi["zip"].rows[0]
        ('816', '81*', '8**', '*')
        """
        found: dict[str, Hierarchy] = {}
        for name, rule in self.rules.items():
            if names is not None and name not in names:
                continue
            values: dict[str, None] = {}
            for table in tables:
                if name in table.column_names:
                    codes, labels = labels_of(table[name], self.missing_values, name)
                    used = np.flatnonzero(np.bincount(codes, minlength=len(labels))).tolist()
                    values |= dict.fromkeys(label for i in used if (label := labels[i]) is not None)
            try:
                found[name] = rule.of(values)
            except InputError as error:
                raise InputError(f"column {name!r}: {error}") from error
        if not found:
            return self
        return replace(
            self,
            quasi={name: found.get(name, tree) for name, tree in self.quasi.items()},
            sensitive={name: found.get(name, tree) for name, tree in self.secrets.items()},
        )

    def __eq__(self, other: object) -> bool:
        """Schemas are equal if they say the same of every table: by rules, and by hierarchies where there are none."""
        return isinstance(other, Schema) and self._said == other._said

    __hash__ = None  # type: ignore[assignment]

    @property
    def _said(self) -> tuple[Any, ...]:
        trees = {**self.quasi, **self.secrets}
        listed = {name: tree for name, tree in trees.items() if name not in self.rules}
        lists = (self.identifiers, self.insensitive, self.person, self.missing, self.missing_values)
        return self.roles, dict(self.rules), listed, dict(self.weights), lists

    def counting(self, person: str) -> Schema:
        """The same schema with the column that says whose record it is, whatever role it had."""
        return replace(
            self,
            person=person,
            quasi={name: tree for name, tree in self.quasi.items() if name != person},
            sensitive={name: tree for name, tree in self.secrets.items() if name != person},
            weights={name: weight for name, weight in self.weights.items() if name != person},
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

        A column is described by a rule, which needs no list of values: ``dates = "day-first"``, ``prefixes = 5``,
        ``intervals = {widths = [5, 10], top = 90}``, ``cuts = [[10, 20], [20]]``, ``groups = {north = ["Linz"]}`` with
        ``other = "abroad"``, ``flat = true`` or ``initials = true``, with ``codes = ["unknown"]`` beside it; or by
        ``hierarchy = "file.csv"`` (ARX's format), ``intervals = {low = 0, high = 99, widths = [5, 10]}``,
        ``rows = [["a", "*"], …]``, or ``values = […]`` with ``by = "flat"``, ``"prefixes"`` or ``"dates"``. ``weight =
        3`` makes a quasi-identifier matter more.
        """
        path = Path(path)
        content = read_content(path)
        try:
            for role in ("quasi", "sensitive"):
                if not isinstance(content.get(role, {}), dict):
                    raise bad_input(role, content[role], "a table for each column", f"write [{role}.COLUMN]")
            quasi = {
                name: described("quasi", name, entry, path.parent) for name, entry in content.get("quasi", {}).items()
            }
            sensitive = {
                name: described("sensitive", name, entry, path.parent) if entry else None
                for name, entry in content.get("sensitive", {}).items()
            }
            rest = {key: content[key] for key in ROLES if key in content and key not in ("quasi", "sensitive")}
            weights = {
                name: entry["weight"]
                for name, entry in content.get("quasi", {}).items()
                if isinstance(entry, Mapping) and "weight" in entry
            }
            return cls(quasi=quasi, sensitive=sensitive, weights=weights, **rest)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def write(self, path: str | Path, *, force: bool = False, reasons: Mapping[str, str] | None = None) -> None:
        """Write a ``table.toml`` and, for each hierarchy that no rule makes, a file in ARX's format in
        ``hierarchies/<name of the toml>/`` beside it. A file there that says something else is replaced only with
        ``force``. ``reasons`` for the role of a column are written beside it."""
        path = Path(path)
        trees = {name: tree for name, tree in {**self.quasi, **self.secrets}.items() if tree is not None}
        files = file_names(path.stem, [name for name in trees if name not in self.rules])
        for name, file in files.items():
            there, listed = path.parent / file, trees[name]
            if there.exists() and not force and Hierarchy.read(there) != listed:
                raise bad_input(
                    "hierarchy", str(there), "a file that is not there yet, or says the same", "say --force, or move it"
                )
        lines = [
            "# Roles: quasi (generalised), sensitive (not to be inferred), identifiers (removed), insensitive (kept).",
            f"identifiers = {quoted_list(self.identifiers)}",
            f"insensitive = {quoted_list(self.insensitive)}",
            *([] if self.person is None else [f"person = {quoted(self.person)}  # k counts its values, not records"]),
            'missing = "reject"  # or "category": a value of its own'
            if self.missing == "reject"
            else 'missing = "category"  # a value of its own; "reject" refuses it',
            f"missing_values = {quoted_list(self.missing_values)}",
        ]
        columns: list[tuple[str, str, Hierarchy | None]] = [("quasi", name, tree) for name, tree in self.quasi.items()]
        columns += [("sensitive", name, tree) for name, tree in self.secrets.items()]
        for role, name, tree in columns:
            lines += ["", *column_lines(role, name, self.rules.get(name), (reasons or {}).get(name))]
            if tree is not None and name not in self.rules:
                file = files[name]
                (path.parent / file.parent).mkdir(parents=True, exist_ok=True)
                tree.write(path.parent / file)
                lines.append(f"hierarchy = {quoted(file.as_posix())}")
            if role == "quasi" and name in self.weights:
                lines.append(f"weight = {self.weights[name]:g}")
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
