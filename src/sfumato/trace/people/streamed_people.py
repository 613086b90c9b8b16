"""The traces of many people in a file that need not fit in memory: person by person, as one release."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.engine import COUNT, Engine, Source, as_numbers, find_engine, reader_of
from sfumato.io.frames import missing_columns
from sfumato.noise import Rng, is_secure
from sfumato.promise import Guarantee
from sfumato.release import Release, Terms
from sfumato.trace.core.gps import place_names, time_name
from sfumato.trace.people.one_person import ROW, Done, Task, protect_one, weakest
from sfumato.trace.people.own_traces import COLUMNS, USER, renamed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["stream_people"]


@dataclass(frozen=True)
class _Person:
    """Protects one person of a batch that holds nobody else."""

    user: str
    columns: Mapping[str, str]
    options: Mapping[str, Any]
    public: Mapping[str, str]

    def protected(self, batch: pa.RecordBatch, seed: int | None) -> tuple[pa.Table, Done]:
        """The points as they came, under their usual names, and what became of them."""
        import pyarrow as pa

        if batch.column(self.user)[0].as_py() is None:
            raise InputError(f"column {self.user!r} has records without a value: expected whose each of them is")
        came = renamed(pa.Table.from_batches([batch]), self.columns)
        typed = as_numbers(came.to_batches()[0], place_names(came))
        when = time_name(typed)
        if pa.types.is_string(typed[when].type):  # all cells of a CSV file are texts; those of Unix times are numbers
            with contextlib.suppress(pa.ArrowInvalid):
                typed = typed.set_column(typed.column_names.index(when), when, typed[when].cast(pa.float64()))
        rows = typed.drop_columns([self.user]).append_column(ROW, pa.array(np.arange(typed.num_rows)))
        return came, protect_one(Task("", rows, self.options, Terms(ledger=False, public=self.public), seed))


@dataclass(frozen=True)
class _Papers:
    """What is promised to a person, or why they cannot be released; nothing that was drawn comes out."""

    person: _Person

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        said: list[str] = []
        if batch.num_rows:
            done = self.person.protected(batch, None)[1]
            said.append(json.dumps({"reason": done.reason} if done.release is None else _papers(done.release)))
        return pa.RecordBatch.from_arrays([pa.array(said, pa.string())], names=["papers"])


@dataclass(frozen=True)
class _Points:
    """The released points of a person, under a random number in place of the name; none of one who was left out."""

    person: _Person

    def schema(self, source: pa.Schema) -> pa.Schema:
        import pyarrow as pa

        empty = renamed(source.empty_table(), self.person.columns)
        kinds = {time_name(empty): empty.schema.field(time_name(empty)).type}
        kinds |= dict.fromkeys(place_names(empty), pa.float64())
        shown = [(name, kinds[name]) for name in empty.column_names if name in kinds]
        return pa.schema([(self.person.user, pa.int64()), *shown])

    def __call__(self, batch: pa.RecordBatch, rng: Rng) -> Mapping[str, Any]:
        import pyarrow as pa

        came, done = self.person.protected(batch, None if is_secure(rng) else int(rng.integers(2**63)))
        schema = self.schema(batch.schema)
        if done.release is None:
            return {field.name: pa.array([], field.type) for field in schema}
        table, rows = done.release.arrow, done.release.key.rows
        number = int(rng.integers(1, 2**63))
        return {
            self.person.user: pa.array(np.full(table.num_rows, number)),
            **{name: table[name] for name in place_names(came)},
            time_name(came): came[time_name(came)].take(pa.array(rows)),
        }


def stream_people(
    source: Source,
    *,
    user: str,
    columns: Mapping[str, str],
    skip: bool,
    engine: Engine | str,
    terms: Terms,
    rng: Rng,
    options: Mapping[str, Any],
) -> Release:
    """Protect every person of a CSV or Parquet file, sorted by person as it streams past.

    Everybody is protected twice: the first time only what is promised comes out, as that must be known, and paid for,
    before anything is drawn that leaves. A ledger has one entry for the job, of its subject.
    """
    if options.get("home") is not None or options.get("for_ever"):
        raise bad_input("engine", str(engine), "none with --home and --for-ever", "what lasts is kept for one person")
    missing_columns([user, *columns.values()], source.columns, "the file")
    runs = find_engine(engine) if isinstance(engine, str) else engine
    person = _Person(user, dict(columns), dict(options), dict(terms.public))
    found = reader_of(source, runs).summarise(source, ["papers"], _Papers(person), by=user)
    papers = [(json.loads(text), n) for text, n in zip(*(found[c].to_pylist() for c in ("papers", COUNT)), strict=True)]
    good = [one for one, _ in papers if "promise" in one]
    left_out = sum(n for one, n in papers if "promise" not in one)
    if left_out and (not skip or not good):
        reason = next(one["reason"] for one, _ in papers if "promise" not in one)
        total = sum(n for _, n in papers)
        raise InputError(
            f"{left_out} of {total} people cannot be released; of one of them: {reason}; --skip leaves them out"
        )
    if not good:
        raise InputError("there are no points: expected at least one person")
    if terms.by_roll:
        terms.check_roll(reader_of(source, runs).summarise(source, [user])[user])
    covered = dict.fromkeys(word for one in good for word in one["not_covered"])
    first = good[0]
    return Release.streamed(
        source,
        _Points(person),
        kind="trace",
        mechanism=first["mechanism"],
        guarantee=weakest([Guarantee.from_dict(one["promise"]) for one in good]),
        parameters=first["parameters"] | {USER: user} | ({COLUMNS: dict(columns)} if columns else {}),
        roles={user: "pseudonym"} | first["roles"],
        engine=runs,
        terms=terms,
        rng=rng,
        not_covered=["how many points each person has", *covered],
        technique=first["technique"],
        by=user,
        suppressed=left_out or None,
    )


def _papers(release: Release) -> dict[str, Any]:
    method = release.card.mechanism
    return {
        "promise": release.guarantee.to_dict(),
        "not_covered": list(release.card.not_covered),
        "mechanism": method.name,
        "parameters": dict(method.parameters),
        "technique": method.technique_iso20889,
        "roles": {column.name: column.role for column in release.card.release.columns},
    }
