"""``sfumato table init``: a proposal on the screen and in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.study.console import notes, screen
from sfumato.study.door import Dialect
from sfumato.table.core.proposal.schema_proposal import near_unique, propose_reasons, propose_schema
from sfumato.table.core.proposal.schema_update import update_schema
from sfumato.table.core.rules.date_order import ORDERS
from sfumato.table.core.schema import MISSING, Schema
from sfumato.validate import choice

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["propose_file"]


def propose_file(
    dialect: Dialect, input: str, out: Path, *, force: bool = False, update: bool = False, dates: Any = None
) -> None:
    """Propose roles and hierarchies for the table in a file, or bring a proposal up to date with it."""
    if dates is not None:
        choice("dates", dates, ORDERS)
    if update and force:
        raise bad_input("--update", "with --force", "one of the two", "--update keeps what is there")
    orders: dict[str, Any] = {}
    if update:
        done = update_schema(out, dialect.read(input, orders=orders.__setitem__), dates=dates, orders=orders)
        for sentence in done or [f"{out} fits the file: nothing to do"]:
            screen.print(sentence, markup=False, soft_wrap=True)
        return
    if out.exists() and not force:
        raise bad_input(
            "out", str(out), "a file that is not there yet", "say --update to add what is new, or --force to replace it"
        )
    table = dialect.read(input, orders=orders.__setitem__)
    schema, why = propose_schema(table, dates=dates, orders=orders), propose_reasons(table)
    out.parent.mkdir(parents=True, exist_ok=True)
    schema.write(out, force=force, reasons=why)
    screen.print(_proposal(schema, why))
    for name in near_unique(table, schema):
        _say(f"warning: {name} would be released as it is and is different in most rows: whoever knows it finds people")
    if schema.person is not None:
        _say(f"{schema.person} says whose record it is: k counts its values, not records (person = in {out})")
    _say(f"proposal in {out}; correct it where you know better")


def _proposal(schema: Schema, why: dict[str, str]) -> Table:
    from rich.table import Table

    shown = Table("column", "role", "hierarchy", "values", "why", box=None, pad_edge=False, header_style="bold")
    trees = dict(schema.quasi) | {name: tree for name, tree in schema.secrets.items() if tree is not None}
    for name, role in schema.roles.items():
        tree, rule = trees.get(name), schema.rules.get(name)
        what = "" if rule is None else ", ".join(f"{key} {_short(value)}" for key, value in rule.settings().items())
        shown.add_row(
            name,
            "person" if name == schema.person else role,
            what.replace(" True", ""),
            "" if tree is None else str(sum(leaf != MISSING for leaf in tree.leaves)),
            why.get(name, ""),
        )
    return shown


def _short(value: Any) -> str:
    words = str(value["widths"] if isinstance(value, dict) and "widths" in value else value)
    return words if len(words) <= 24 else words[:21] + "…"


def _say(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)
