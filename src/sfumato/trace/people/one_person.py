"""One person among many: protected on their own, and what is promised to all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import SfumatoError
from sfumato.noise import seeded_rng
from sfumato.promise import Guarantee
from sfumato.release import Release, Terms
from sfumato.trace.people.own_traces import in_time

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ROW", "Done", "Task", "protect_one", "weakest"]

ROW = "sfumato row"
"""The column with the row of each point in the input."""


@dataclass(frozen=True)
class Task:
    """What a worker needs to protect one person."""

    name: str
    table: pa.Table
    options: Mapping[str, Any]
    terms: Terms
    seed: int | None


@dataclass(frozen=True)
class Done:
    """What a worker gives back: the release of one person, or why there is none."""

    name: str
    release: Release | None
    reason: str = ""


def protect_one(task: Task) -> Done:
    """Protect one person; what goes wrong is said, not raised."""
    from sfumato.trace.protection import protect

    try:
        table = in_time(task.table, task.options.get("zone"))
        rows = table[ROW].to_numpy()
        rng = None if task.seed is None else seeded_rng(task.seed)
        release = protect(table.drop_columns([ROW]), terms=task.terms, rng=rng, **task.options)
        kept = release.key.rows
        key = replace(release.key, rows=rows if kept is None else rows[kept])
        # what travels between processes is a table in memory, not a file somewhere else
        return Done(task.name, replace(release, key=key, table=release.arrow, path=None, like=None))
    except SfumatoError as error:
        return Done(task.name, None, str(error))


def weakest(promises: Sequence[Guarantee]) -> Guarantee:
    """The promise that holds for everybody: that of the person with the largest ε, or none if somebody has none."""
    for promise in promises:
        if promise.vacuous:
            return promise
    return max(promises, key=lambda one: getattr(one, "epsilon", np.inf))
