"""Bringing a ``table.toml`` up to date with a new file, without touching what its owner wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.io.atomic import atomic_path
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.proposal.schema_proposal import propose_reasons, propose_schema
from sfumato.table.core.rules.date_order import DateOrder
from sfumato.table.core.schema import Schema
from sfumato.table.core.schema_text import column_lines, quoted, read_content
from sfumato.table.core.summary import labels_of

__all__ = ["update_schema"]


def update_schema(
    path: str | Path,
    frame: Any,
    *,
    dates: DateOrder | None = None,
    orders: Mapping[str, DateOrder] | None = None,
) -> list[str]:
    """Add to a ``table.toml`` what a new file has and it does not; gives what was done, one sentence each.

    New columns get a role, written below what is there. Values that a hierarchy file does not know get a row at its
    end, a branch of their own that the owner can move. Nothing that stands in the files is changed or removed.
    ``dates`` and ``orders`` are those of :func:`propose_schema`.
    """
    path = Path(path)
    table, schema = arrow_of(frame), Schema.read(path)
    content, text = read_content(path), path.read_text(encoding="utf-8")
    done = []
    new = [name for name in table.column_names if name not in schema.roles]
    if new:
        part = table.select(new)
        proposed = propose_schema(part, missing_values=schema.missing_values, dates=dates, orders=orders)
        why = propose_reasons(part)
        for name, role in proposed.roles.items():
            if role in ("quasi", "sensitive"):
                text = text.rstrip("\n") + "\n\n" + "\n".join(_section(proposed, role, name, why[name])) + "\n"
            else:
                key = "identifiers" if role == "identifier" else "insensitive"
                text = _listed(text, key, name)
            done.append(f"{name}: new, {role} ({why[name]})")
    files: dict[Path, Hierarchy] = {}
    for role in ("quasi", "sensitive"):
        for name, entry in content.get(role, {}).items():
            if name not in table.column_names or name in schema.rules:
                continue
            tree = schema.quasi.get(name) or schema.secrets.get(name)
            unknown = [] if tree is None else _unknown(table, name, tree, schema)
            if unknown and "hierarchy" in entry:
                file = path.parent / entry["hierarchy"]
                known = Hierarchy.read(file)
                root = known.rows[0][-1]
                files[file] = Hierarchy([*known.rows, *([value] * (known.height - 1) + [root] for value in unknown)])
                done.append(f"{name}: {len(unknown)} new values at the end of {file.name}, each a branch of its own")
            elif unknown:
                done.append(f"{name}: {len(unknown)} values are not in its list; add them, or describe it by a rule")
    gone = [name for name in schema.roles if name not in table.column_names]
    done += [f"{name}: not in this file" for name in gone]
    for file, tree in files.items():
        with atomic_path(file) as beside:
            tree.write(beside)
    if new:
        with atomic_path(path) as beside:
            beside.write_text(text, encoding="utf-8")
    return done


def _section(schema: Schema, role: str, name: str, reason: str) -> list[str]:
    return column_lines(role, name, schema.rules.get(name), reason)


def _listed(text: str, key: str, name: str) -> str:
    """The text of a toml with one more name in a list of its own, which is made if it is not there."""
    found = re.search(rf"(?m)^{key}\s*=\s*\[(?P<inside>[^\]]*)\]", text)
    if found is None:
        return f"{key} = [{quoted(name)}]\n{text}"
    inside = found["inside"].rstrip().rstrip(",")
    joined = f"{inside}, {quoted(name)}" if inside.strip() else quoted(name)
    return text[: found.start("inside")] + joined + text[found.end("inside") :]


def _unknown(table: Any, name: str, tree: Hierarchy, schema: Schema) -> list[str]:
    codes, labels = labels_of(table[name], schema.missing_values, name)
    used = [labels[i] for i in np.unique(codes).tolist()]
    return sorted({label for label in used if label is not None and label not in tree.index})
