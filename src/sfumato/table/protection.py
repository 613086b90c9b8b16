"""Protect a table in one call, in memory or from file to file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.engine import COUNT, Engine, Source, find_engine, staged
from sfumato.io.engine.source import file_format
from sfumato.io.frames import to_arrow
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.information_loss import InformationLoss
from sfumato.table.core.lineage import native
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
from sfumato.table.mechanisms.recoding.partition import Publish
from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder
from sfumato.table.promise.base import flatten
from sfumato.table.promise.closeness import TCloseness
from sfumato.table.promise.diversity import LDiversity
from sfumato.validate import choice, integer

__all__ = ["Protected", "protect", "protect_file", "protect_with", "recoder", "target_of"]


@dataclass(frozen=True, eq=False)
class Protected:
    """A protected table and how it came about.

    Parameters
    ----------
    data : frame
        The release: the same kind of frame as the input.
    levels : dict
        The level of each column; for local recoding the lowest and the highest.
    information_loss : float
        By the measure that was minimised (generalised information loss by default).
    guarantee : Guarantee
        What the release promises.
    rows : ndarray
        Private: the input row of each released row.
    decision : Decision
        More: suppressed records, class sizes, whether the optimum is proved.
    """

    data: Any
    levels: dict[str, Any]
    information_loss: float
    guarantee: Guarantee
    rows: NDArray[np.int64]
    decision: Decision

    def __repr__(self) -> str:
        return (
            f"Protected({self.guarantee}; information loss {self.information_loss:.5f}, "
            f"{len(self.decision.sizes)} classes, {self.decision.suppressed} suppressed, levels {self.levels})"
        )


def target_of(
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
) -> tuple[Guarantee, ...]:
    """The promises that k, l and t (for every sensitive column) stand for, and those in ``target``."""
    promises: list[Guarantee] = [] if k is None else [KAnonymity(integer("k", k))]
    if (l is not None or t is not None) and not schema.sensitive:
        raise bad_input("l" if l is not None else "t", l or t, "a sensitive column in the schema", "name one")
    if l is not None:
        promises += [LDiversity(l, column) for column in schema.sensitive]
    if t is not None:
        promises += [TCloseness(t, column) for column in schema.sensitive]
    return (*promises, *flatten(target))


def recoder(
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
    recoding: Literal["global", "local"] = "global",
    suppression: float = 0.0,
    suppressed: Literal["star", "drop"] = "star",
    information_loss: InformationLoss | str = "generalised",
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    population: Any = None,
) -> Recoder:
    """The mechanism that :func:`protect` uses, from the same arguments."""
    promises = target_of(schema, k=k, l=l, t=t, target=target)
    choice("recoding", recoding, ("global", "local"))
    if recoding == "global":
        if publish != "hierarchy":
            raise InputError(f"publish = {publish!r}: expected 'hierarchy' with global recoding; say recoding='local'")
        return GlobalRecoding(
            schema=schema,
            target=promises,
            suppression=suppression,
            information_loss=information_loss,
            suppressed=suppressed,
            population=population,
        )
    if suppression:
        raise InputError(f"suppression = {suppression}: local recoding suppresses nothing; leave it out")
    if information_loss != "generalised":
        raise InputError(f"information_loss = {information_loss!r}: local recoding minimises the generalised one")
    return LocalRecoding(
        schema=schema, target=promises, publish=publish, start=start, sweeps=sweeps, population=population
    )


def protect(
    frame: Any,
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
    recoding: Literal["global", "local"] = "global",
    suppression: float = 0.0,
    suppressed: Literal["star", "drop"] = "star",
    information_loss: InformationLoss | str = "generalised",
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    population: Any = None,
) -> Protected:
    """Protect a table.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    schema : Schema
    k, l, t
        k-anonymity; distinct l-diversity and t-closeness for every sensitive column.
    target : sequence of Guarantee
        More promises, any conjunction.
    recoding : {"global", "local"}
        One level a column, optimal; or classes of their own levels, with less information loss.
    suppression : float
        Share of records that may be suppressed (global only).
    suppressed : {"star", "drop"}
        What becomes of them.
    information_loss, publish, start, sweeps, population
        As in :class:`~sfumato.table.GlobalRecoding` and :class:`~sfumato.table.LocalRecoding`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Schema, protect
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])}, sensitive=["illness"])
    >>> people = pa.table({"age": [21, 23, 34, 38], "illness": ["flu", "cold", "flu", "gout"]})
    >>> result = protect(people, schema, k=2, l=2)
    >>> result.data["age"].to_pylist(), result.levels
    (['20-29', '20-29', '30-39', '30-39'], {'age': 1})
    >>> print(result.guarantee)
    k = 2 and distinct l = 2 for illness (syntactic, per class of records), provided that the hierarchy is public
    """
    mechanism = recoder(
        schema,
        k=k,
        l=l,
        t=t,
        target=target,
        recoding=recoding,
        suppression=suppression,
        suppressed=suppressed,
        information_loss=information_loss,
        publish=publish,
        start=start,
        sweeps=sweeps,
        population=population,
    )
    return protect_with(frame, mechanism)


def protect_with(frame: Any, mechanism: Recoder) -> Protected:
    """Protect a table with a recoder that is already made."""
    schema = mechanism.schema
    arrow = to_arrow(frame)
    schema.require_roles(arrow.column_names)
    table, member = summarise(arrow, schema)
    decision = mechanism.decide(table)
    released, rows = decision.recoding.table(arrow, member if mechanism.population is None else None)
    return Protected(
        native(released, frame, rows),
        decision.levels,
        decision.information_loss,
        mechanism.guarantee,
        rows,
        decision,
    )


def protect_file(
    path: str | Path,
    target_path: str | Path,
    mechanism: Recoder,
    *,
    engine: Engine | str = "duckdb",
    delimiter: str | None = None,
    advance: Callable[[int], None] | None = None,
) -> Decision:
    """Protect a file that need not fit in memory: summarise, decide, recode.

    The decision is made on the distinct combinations of quasi and sensitive values; the records only stream past.

    Parameters
    ----------
    path, target_path : path
        CSV (also gzipped) or Parquet.
    mechanism : Recoder
    engine : Engine or {"duckdb", "spark"}
        All engines give the same output.
    delimiter : str, optional
        Of a CSV file; found in its header by default. A CSV output uses the same.
    advance : callable, optional
        Told, now and then, how many more records are written.
    """
    schema = mechanism.schema
    source = Source.of(path, delimiter=delimiter)
    schema.require_roles(source.columns)
    runs = find_engine(engine) if isinstance(engine, str) else engine
    target = Path(target_path)
    file_format(target)  # a name that says no format is refused before the work
    with staged(source, runs, target) as ready:
        summary = runs.summarise(ready, [*schema.quasi, *schema.sensitive])
        table, _ = summarise(summary, schema, weight=COUNT)
        decision = mechanism.decide(table)
        runs.recode(ready, decision.recoding, target, source.delimiter, advance)
    return decision
