"""The people in a table or a folder: whose rows are whose, under which names the columns come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.io.files import read_table, table_format
from sfumato.io.frames import column, missing_columns, to_arrow
from sfumato.release import Key, Release
from sfumato.trace.core.gps import times_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "COLUMNS",
    "FILE",
    "PEOPLE",
    "USER",
    "in_time",
    "parse_columns",
    "people_in",
    "people_of",
    "persons",
    "read_people",
    "renamed",
]

FILE = "file"
"""The column with the name of each file of a folder."""
PEOPLE, USER, COLUMNS = "people", "user", "columns"
"""In the private key: who is who and what is hidden of each; in the card: the column that tells people apart, and the
names that its columns had."""
_NAMES = {"time": "time", "t": "time", "lat": "latitude", "latitude": "latitude", "lon": "longitude",
          "lng": "longitude", "longitude": "longitude"}  # fmt: skip


def parse_columns(text: str | None) -> dict[str, str]:
    """``time=stamp,lat=y,lon=x`` as the names of the columns by what they hold.

    >>> parse_columns("time=stamp,lat=y,lon=x")
    {'time': 'stamp', 'latitude': 'y', 'longitude': 'x'}
    """
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        what, sign, name = (piece.strip() for piece in part.partition("="))
        if not sign or not name or what not in _NAMES:
            raise bad_input("--columns", text, "what each column holds, such as time=stamp,lat=y,lon=x")
        found[_NAMES[what]] = name
    return found


def renamed(frame: Any, columns: Mapping[str, str]) -> pa.Table:
    """The table with its columns under the names ``time``, ``latitude`` and ``longitude``; others that have them go.

    >>> import pyarrow as pa
    >>> renamed(pa.table({"stamp": [0], "y": [52.5], "x": [13.4]}), {"time": "stamp", "latitude": "y"}).column_names
    ['time', 'latitude', 'x']
    """
    table = to_arrow(frame)
    missing_columns(list(columns.values()), table.column_names, "the table")
    taken = [name for name in columns if name in table.column_names and columns[name] != name]
    if taken:
        raise bad_input("--columns", f"{taken[0]}={columns[taken[0]]}", f"no other column named {taken[0]!r}",
                        "rename or drop it first")  # fmt: skip
    back = {name: what for what, name in columns.items()}
    return table.rename_columns([back.get(name, name) for name in table.column_names])


def people_of(frame: Any, user: str) -> list[tuple[str, pa.Table]]:
    """The rows of each person in the order of time of the input, without the column that names them.

    >>> import pyarrow as pa
    >>> [(who, rows.num_rows) for who, rows in people_of(pa.table({"who": ["b", "a", "b"], "t": [0, 0, 1]}), "who")]
    [('a', 1), ('b', 2)]
    """
    table = to_arrow(frame)
    names = column(table, user).astype(str)
    order = np.argsort(names, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], names[order][1:] != names[order][:-1]]))
    rest = table.drop_columns([user])
    return [(str(names[rows[0]]), rest.take(rows)) for rows in np.split(order, starts[1:])]


def persons(release: Release) -> Iterator[tuple[str, Release]]:
    """The name and the part of each person in a release; of a release of one person, that one without a name.

    This takes the private key where there are several: it says who is who.
    """
    about = release.card.mechanism.parameters
    if USER not in about:
        yield "", release
        return
    held = release.key.secrets.get(PEOPLE)
    if held is None:
        raise bad_input("key", None, "the private key: it says who is who", "protect --key FILE writes it")
    for who, rows in people_of(release.arrow, about[USER]):
        content = replace(release.card.release, rows=rows.num_rows)
        parameters = {key: value for key, value in about.items() if key not in (USER, COLUMNS)}
        card = replace(release.card, release=content, mechanism=replace(release.card.mechanism, parameters=parameters))
        key = Key(release=card.id, secrets=held[who]["secrets"])
        yield held[who]["name"], replace(release, card=card, key=key, table=rows)


def people_in(original: Any, release: Release) -> Iterator[tuple[str, pa.Table, Release]]:
    """The name, the own data and the part of each person in a release."""
    about = release.card.mechanism.parameters
    table = renamed(original, about.get(COLUMNS, {}))
    raw = dict(people_of(table, about[USER])) if USER in about else {"": table}
    for name, part in persons(release):
        if name not in raw:
            raise bad_input("original", "other people", "the data that were protected", "compare them with their own")
        yield name, in_time(raw[name], about.get("zone")) if USER in about else raw[name], part


def in_time(table: pa.Table, zone: str | None) -> pa.Table:
    """The points in the order of time; those of one time stay as they are."""
    times = times_of(table, zone=zone)
    return table if (np.diff(times) >= 0).all() else table.take(np.argsort(times, kind="stable"))


def read_people(
    folder: str | Path, read: Callable[[Path], pa.Table] = read_table, *, columns: Mapping[str, str] | None = None
) -> pa.Table:
    """All traces in a folder as one table, with the path of each file, without its ending, in a column ``file``.

    Files of one person go into one folder with their name: ``ann/monday.gpx`` and ``ann/tuesday.gpx`` are of ``ann``.
    A file at the top is of a person of its own. Files that are no tables are refused.
    """
    import pyarrow as pa

    top = Path(folder)
    files = sorted(path for path in top.rglob("*") if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"{folder} has no files: expected a trace in each")
    tables = []
    for path in files:
        table_format(path)  # a name that says no format is refused before any is read
    for path in files:
        part = path.relative_to(top)
        try:
            table = renamed(read(path), columns or {})
        except SfumatoError as error:
            raise InputError(f"{part}: {error}") from error
        if FILE in table.column_names:
            raise InputError(f"{part} has a column {FILE!r}: rename it first")
        whose = part.parts[0] if len(part.parts) > 1 else path.name.split(".")[0]
        tables.append(table.append_column(FILE, pa.array([whose] * table.num_rows, pa.string())))
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"the files of {folder} have columns of different types: read each on its own") from error
