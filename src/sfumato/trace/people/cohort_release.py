"""Protect the traces of many people: each on their own, in parallel, as one release."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.engine import Engine, Source
from sfumato.noise import Rng, is_secure, resolve_rng
from sfumato.release import Release, Terms
from sfumato.trace.people.one_person import ROW, Done, Task, protect_one, weakest
from sfumato.trace.people.own_traces import COLUMNS, PEOPLE, USER, people_of, renamed
from sfumato.trace.people.streamed_people import stream_people
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["protect_people"]

_FEW = 4
"""So many people are not worth a second process."""


def protect_people(
    frame: Any,
    *,
    user: str,
    columns: Mapping[str, str] | None = None,
    workers: int | None = None,
    skip: bool = False,
    keep_names: bool = False,
    advance: Callable[[int], None] = lambda steps: None,
    terms: Terms | None = None,
    engine: Engine | str = "duckdb",
    rng: Rng | None = None,
    **options: Any,
) -> Release:
    """Protect every person of a table as :func:`~sfumato.trace.protect` does, and release them together.

    Each person is a trace of their own, with promise and, with a ledger, budget and zones of their own: the name in the
    column is the subject. In the release people are numbered in random order; the private key says who is who. Points
    of one person are put in the order of time.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        A :class:`~sfumato.io.engine.Source` is a CSV or Parquet file that need not fit in memory; each person must.
    user : str
        The column that says whose point it is.
    columns : mapping of str to str, optional
        Which columns hold ``time``, ``latitude`` and ``longitude``, if they have other names.
    workers : int, optional
        Processes; as many as there are processors by default.
    skip : bool
        Leave out people who cannot be released, such as those of whom fewer than two points would be left, instead of
        refusing all. How many is on the card.
    keep_names : bool
        Release the names as they are.
    advance : callable
        Is told how many more people are done.
    engine : {"duckdb", "spark"} or Engine
        What reads a source.
    terms, rng
        As in :func:`~sfumato.trace.protect`.
    options
        Of :func:`~sfumato.trace.protect`, the same for everybody.

    Examples
    --------
    >>> import pyarrow as pa
    >>> minutes = [60.0 * k for k in range(180)]
    >>> two = {"who": ["ann"] * 180 + ["bob"] * 180, "time": minutes * 2}
    >>> two |= {"latitude": [52.5] * 180 + [52.6] * 180, "longitude": [13.4] * 360}
    >>> release = protect_people(pa.table(two), user="who", secrets=["01:20-01:40"])
    >>> release.data.column_names, sorted(set(release.data["who"].to_pylist()))
    (['who', 'time', 'latitude', 'longitude'], [1, 2])
    """
    terms, generator = terms or Terms(), resolve_rng(rng)
    if terms.person is not None:
        raise bad_input("person", terms.person, "no column of people", "a person's promise is for each hidden place")
    if isinstance(frame, Source):
        how: dict[str, Any] = {"columns": columns or {}, "skip": skip, "engine": engine, "options": options}
        return stream_people(frame, user=user, **how, terms=terms, rng=generator)
    table = renamed(frame, columns or {})
    if user not in table.column_names:
        raise bad_input("--user", user, "one of " + ", ".join(table.column_names))
    table = _numbered(table)
    tasks = [_task(name, rows, options, terms, generator) for name, rows in people_of(table, user)]
    done = _checked(list(_all_done(tasks, workers, advance)), skip)
    return _together(
        done, user, terms, generator, columns=columns or {}, left_out=len(tasks) - len(done), keep_names=keep_names
    )


def _numbered(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    return table.append_column(ROW, pa.array(np.arange(table.num_rows)))


def _task(name: str, rows: pa.Table, options: Mapping[str, Any], terms: Terms, rng: Rng) -> Task:
    own = replace(terms, subject=name) if terms.ledger else Terms(ledger=False, public=terms.public)
    seed = None if is_secure(rng) else int(rng.integers(2**63))
    return Task(name, rows, options, own, seed)


def _all_done(tasks: Sequence[Task], workers: int | None, advance: Callable[[int], None]) -> Iterator[Done]:
    """Each person in turn, or several at once in processes of one thread each; in the order of the tasks."""
    count = workers if workers is not None else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    count = min(integer("workers", count), max(1, len(tasks) // _FEW))
    if count == 1:
        for task in tasks:
            yield protect_one(task)
            advance(1)
        return
    size = max(1, min(8, len(tasks) // (4 * count)))
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"), initializer=_alone) as pool:
        for found in pool.map(protect_one, tasks, chunksize=size):
            yield found
            advance(1)


def _alone() -> None:
    """One thread in each worker: the processes are the parallelism."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)


def _checked(done: Sequence[Done], skip: bool) -> list[Done]:
    """Those who can be released, if that is all of them or the others may be left out."""
    good = [one for one in done if one.release is not None]
    bad = [one for one in done if one.release is None]
    if bad and (not skip or not good):
        raise InputError(
            f"{len(bad)} of {len(done)} people cannot be released; of the first, number {done.index(bad[0]) + 1} in "
            f"the order of names: {bad[0].reason}; --skip leaves them out"
        )
    return good


def _together(
    done: Sequence[Done],
    user: str,
    terms: Terms,
    rng: Rng,
    *,
    columns: Mapping[str, str],
    left_out: int,
    keep_names: bool,
) -> Release:
    """One release of all people, with one card."""
    import pyarrow as pa

    number = np.arange(len(done)) if keep_names else rng.permutation(len(done))
    order = np.argsort(number)
    releases = [(done[int(k)].name, _made(done[int(k)])) for k in order]
    shown: list[Any] = [name for name, _ in releases] if keep_names else list(range(1, len(done) + 1))
    parts = [
        one.arrow.add_column(0, user, pa.array([who] * one.arrow.num_rows))
        for who, (_, one) in zip(shown, releases, strict=True)
    ]
    first = releases[0][1]
    rows = [one.key.rows for _, one in releases if one.key.rows is not None]
    lineage = np.concatenate(rows) if len(rows) == len(releases) else None
    held = {
        str(who): {"name": name, "secrets": dict(one.key.secrets)}
        for who, (name, one) in zip(shown, releases, strict=True)
    }
    covered = dict.fromkeys(word for _, one in releases for word in one.card.not_covered)
    beside = ["how many points each person has", *covered]
    if keep_names:
        beside.append("the names of the people, which are released as they are")
    roles = {user: "kept" if keep_names else "pseudonym"}
    roles |= {column.name: column.role for column in first.card.release.columns}
    parameters = dict(first.card.mechanism.parameters) | {USER: user} | ({COLUMNS: dict(columns)} if columns else {})
    return Release.make(
        pa.concat_tables(parts),
        kind="trace",
        mechanism=first.card.mechanism.name,
        guarantee=weakest([one.guarantee for _, one in releases]),
        parameters=parameters,
        roles=roles,
        rows=lineage,
        ordered=True,
        secrets={PEOPLE: held},
        not_covered=beside,
        suppressed=left_out or None,
        terms=replace(terms, ledger=False, subject=None),
        rng=rng,
        technique=first.card.mechanism.technique_iso20889,
    )


def _made(one: Done) -> Release:
    assert one.release is not None
    return one.release
