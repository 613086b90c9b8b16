"""Protect directions in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from operator import methodcaller
from typing import Any

import numpy as np

from sfumato.direction.core.clock import is_clock
from sfumato.direction.core.coordinates import CIRCLES, Kind, period_of
from sfumato.direction.core.frame_columns import read_columns
from sfumato.direction.promise import per_person
from sfumato.direction.question import Question, known_directions
from sfumato.direction.streamed_directions import stream_directions
from sfumato.direction.views import View, views
from sfumato.errors import SfumatoError, bad_input
from sfumato.io.engine import Engine, Source
from sfumato.io.frames import column, is_frame, to_arrow
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.promise import PureDP
from sfumato.release import Card, Check, Release, Terms
from sfumato.study.score import Finding

__all__ = ["attack", "measure", "protect", "question_of", "recompute"]


def protect(
    frame: Any,
    columns: str | Sequence[str],
    *,
    mechanism: str = "purkayastha",
    kind: Kind = "hour",
    epsilon: float | None = None,
    level: float | None = None,
    radius: float | None = None,
    pure: float | None = None,
    noise: str = "purkayastha",
    hour: str | None = None,
    hours: float = 3.0,
    group: str | None = None,
    trace: str | None = None,
    zone: str | None = None,
    known: Any = None,
    keep: Sequence[str] = (),
    wrap: bool = False,
    normalise: bool = False,
    settings: Mapping[str, Any] | None = None,
    engine: Engine | str = "duckdb",
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release directions (hours, angles, places, vectors) with noise on every one of them.

    Only the protected columns and those in ``keep`` leave, the rows in random order.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        A :class:`~sfumato.io.engine.Source` is a CSV or Parquet file that need not fit in memory: the release is drawn
        as :meth:`~sfumato.Release.write` writes it, with the same law.
    columns : str or sequence of str
        The column of hours or angles, or several, each protected on its own; latitude and longitude for places, or the
        geometry of a GeoDataFrame of points; one column a coordinate for vectors.
    mechanism : str
        Its name, such as ``"von-mises-fisher"``; a wrong one lists all.
    kind : {"hour", "week", "angle", "latlon", "vector"}
        Columns of clock times (``07:30``) and of timestamps are read as hours of the day or, for ``week``, since
        Monday; they leave as clock times, without a date.
    epsilon : float, optional
        Loss per radian (von Mises–Fisher: per chord).
    level, radius : float, optional
        Loss within a radius: in hours for hours, metres for places, radians otherwise.
    pure : float, optional
        Loss between any two directions.
    noise : str
        The noise inside a mechanism that has another one inside.
    hour : str, optional
        For protected-check-ins: the column of the time of day; ``level`` holds within ``hours`` of it.
    group : str, optional
        For surveys: the column of the group, which is public.
    trace : str, optional
        For directional-trace: the column that says to which trace a row belongs.
    zone : str, optional
        The time zone of the clock, for timestamps that are points in time: ``Europe/Berlin``.
    known : frame, optional
        Public directions in the same columns: the candidates of bayesian-remap, the places of protected-check-ins.
    keep : sequence of str
        Columns that are released unchanged.
    wrap, normalise : bool
        Take hours and angles modulo their period; take the direction of vectors of any length.
    settings : mapping, optional
        More parameters of the mechanism by name.
    engine : {"duckdb", "spark"} or Engine
        What reads a source.
    terms : Terms, optional
        Who pays, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa
    >>> poll = pa.table({"name": ["A", "B", "C"], "wakes": [6.5, 23.25, 7.0]})
    >>> release = protect(poll, "wakes", pure=1.0)
    >>> release.data.column_names, release.card.promise["statement"]
    (['wakes'], 'ε = 1')
    """
    for name, value in (("frame", frame), ("known", known)):
        if not is_frame(value) and not (name == "known" and known is None) and not isinstance(frame, Source):
            raise bad_input(name, type(value).__name__, "a pandas, Polars or Arrow table")
    question = ask(
        frame,
        columns,
        mechanism=mechanism,
        kind=kind,
        epsilon=epsilon,
        level=level,
        radius=radius,
        pure=pure,
        noise=noise,
        hour=hour,
        hours=hours,
        group=group,
        trace=trace,
        zone=zone,
        known=known,
        wrap=wrap,
        normalise=normalise,
        settings=dict(settings or {}),
    )
    terms, generator = terms or Terms(), resolve_rng(rng)
    kept = _kept(question, keep)
    if isinstance(frame, Source):
        return stream_directions(question, frame, kept, engine=engine, terms=terms, rng=generator)
    made, table = question.build(), to_arrow(frame)
    question.check_zone(table)
    for name in kept:
        column(table, name, missing=True)
    promise = question.promise(made)
    # ε = 1 for each record counts them.
    counted = None if promise.vacuous else terms.for_people(PureDP(1.0), _units(question, terms, frame))
    total, records = per_person(promise, counted, question.in_a_row, row_is_person=question.row_is_person)
    columns_out = question.released(made.release(question.data(table), rng=generator), table)
    return Release.make(
        _released_table(question, table, columns_out, kept),
        kind="direction",
        mechanism=question.mechanism,
        guarantee=promise,
        per_person=total,
        totals=question.totals(made, total, records),
        parameters=question.public(),
        roles=dict.fromkeys(columns_out, "protected")
        | dict.fromkeys(kept, "kept")
        | ({str(group): "public group"} if question.gives_means else {}),
        rows=None if question.gives_means else np.arange(table.num_rows),
        ordered=question.gives_means,
        terms=terms,
        rng=generator,
        not_covered=[f"{name} (unchanged)" for name in kept]
        + ([f"which groups of {group} there are"] if question.gives_means else ["the number of records"]),
        technique="aggregate statistic with noise" if question.gives_means else "noise addition",
        like=frame,
    )


def ask(frame: Any, columns: str | Sequence[str], *, kind: Kind = "hour", known: Any = None, **given: Any) -> Question:
    """What is asked of a frame, from the arguments of :func:`protect`."""
    names = _point_columns(frame, columns) if kind == "latlon" else None
    names = names or ([columns] if isinstance(columns, str) else list(columns))
    public = None if known is None else known_directions(known, names, kind)
    return Question(columns=tuple(names), kind=kind, known=public, **given)


def attack(
    original: Any,
    release: Release,
    *,
    seed: int = 0,
    person: str | None = None,
    hour: str | None = None,
    tolerance: float | None = None,
) -> list[Finding]:
    """What an attacker who knows the law of the noise finds out. For the owner of the data.

    Parameters
    ----------
    original : frame
        The data that were protected.
    release : Release
        With its key, which says whose each row is.
    person : str, optional
        The column of ``original`` that says whose record it is: all records of a person are attacked together.
    hour : str, optional
        For places: a column of the release with the time of day, if one was kept.
    tolerance : float, optional
        A guess so near counts: hours, metres for places, radians otherwise.
    """
    question, mechanism = question_of(release.card), question_of(release.card).build()
    rng = seeded_rng(seed)
    looks = views(question, to_arrow(original), release, person=person, hour=hour)
    return [
        Finding.of(made, methodcaller("attack", view.data, view.release, mechanism=mechanism, rng=rng))
        for made, view in _registered("attacks", looks, question, tolerance)
    ]


def measure(
    original: Any, release: Release, *, seed: int = 0, person: str | None = None, hour: str | None = None
) -> list[Finding]:
    """What is left of the directions in the release. For the owner of the data; parameters as in :func:`attack`."""
    question, rng = question_of(release.card), seeded_rng(seed)
    looks = views(question, to_arrow(original), release, person=person, hour=hour)
    return [
        Finding.of(made, methodcaller("measure", view.data, view.release, rng=rng))
        for made, view in _registered("utilities", looks, question, None)
    ]


def recompute(release: Release) -> list[Check]:
    """Check columns and rows, the domain of the directions, and the grid or the public list that they come from."""
    question, table = question_of(release.card), release.arrow
    checks = [Check.of_shape(release)]
    if checks[0].result == "fails":
        return checks
    names = ["mean_hour"] if question.gives_means else list(question.columns)
    try:
        values = read_columns(table, names, "hour" if question.gives_means else question.kind)
        inside = _inside(values, question.kind, 180 if question.known is None else 360)
    except SfumatoError as error:
        return [*checks, Check(name="domain", result="fails", words=str(error))]
    checks.append(
        Check.that("domain", inside, f"every direction is one of kind {question.kind}", "some are no directions")
    )
    if question.known is not None:
        listed = {tuple(row) for row in question.candidates.tolist()}
        rows = values.reshape(-1, 1) if question.kind in CIRCLES else values
        held = all(tuple(row) in listed for row in rows.tolist())
        checks.append(
            Check.that("known", held, "every direction is one of the public ones", "some are not public ones")
        )
    elif inside and question.kind in CIRCLES and not question.gives_means:
        checks.append(_check_grid(question, values, any(is_clock(table, name) for name in names)))
    return checks


def question_of(card: Card) -> Question:
    """What was asked, from the card."""
    written = card.mechanism.parameters
    given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in written.items()}
    try:
        return Question(mechanism=card.mechanism.name, **given)
    except TypeError as error:
        raise bad_input("card", "other parameters", f"those of {card.mechanism.name}", "was it edited?") from error


def _point_columns(frame: Any, columns: str | Sequence[str]) -> list[str] | None:
    """Latitude and longitude, which the points of a GeoDataFrame are read as, for the name of its geometry."""
    points = getattr(frame, "geometry", None) if hasattr(frame, "to_wkb") else None
    return ["latitude", "longitude"] if points is not None and columns in (points.name, [points.name]) else None


# ── what leaves ──────────────────────────────────────────────────────────────────────────────────────────────────


def _kept(question: Question, keep: Sequence[str]) -> list[str]:
    kept = list(dict.fromkeys(keep))
    for name in kept:
        if question.gives_means:
            raise bad_input("--keep", name, f"no column: {question.mechanism} releases means only")
        if name in question.protected:
            raise bad_input("--keep", name, "other columns than the protected ones")
    return kept


def _released_table(question: Question, table: Any, new: Mapping[str, Any], kept: Sequence[str]) -> Any:
    """The released columns in the order of the input."""
    import pyarrow as pa

    if question.gives_means:
        return pa.table(dict(new))
    columns = {name: new.get(name) for name in table.column_names if name in new or name in kept}
    return pa.table({name: table[name] if values is None else pa.array(values) for name, values in columns.items()})


def _units(question: Question, terms: Terms, frame: Any) -> Any:
    """One row for each thing that the promise is about: a record, or a trace."""
    if question.trace is None or terms.person is None:
        return frame
    table = to_arrow(frame).select(list(dict.fromkeys([terms.person, question.trace])))
    return table.group_by(table.column_names).aggregate([])


# ── attacks and utilities ────────────────────────────────────────────────────────────────────────────────────────


def _registered(
    what: str, looks: Sequence[View], question: Question, tolerance: float | None
) -> Iterator[tuple[Any, View]]:
    """Each registered attack or utility that fits a view of this release, with the first such view."""
    from sfumato.direction.room import ROOM

    done: set[str] = set()
    for example in getattr(ROOM, what)():
        for view in looks:
            if not view.fits(example):
                continue
            made = _made(example[0], view, question, tolerance)
            if made is not None and made.name not in done:
                done.add(made.name)
                yield made, view
            break


def _made(example: Any, view: View, question: Question, tolerance: float | None) -> Any:
    """The example with the kind and the tolerance of this release; None if it is not made for this kind."""
    parameters = {one.name for one in dataclasses.fields(example)}
    changes: dict[str, Any] = {}
    if "kind" in parameters:
        changes["kind"] = question.kind
    if "night" in parameters and "hour" not in view.has:
        changes["night"] = (0.0, 23.999_999)  # nobody knows when it is night
    if tolerance is not None and "tolerance" in parameters and _same_unit(example, question):
        changes["tolerance"] = tolerance / 1000 if "kind" in parameters and question.kind == "latlon" else tolerance
    try:
        return dataclasses.replace(example, **changes)
    except SfumatoError:
        if "kind" in changes:
            return None
        raise


def _same_unit(example: Any, question: Question) -> bool:
    """Whether what is guessed is measured as the directions of the release are: hours with hours."""
    needed = example.needs & {"hour", "place"}
    return not needed or needed == {"place" if question.kind == "latlon" else question.kind}


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _inside(values: Any, kind: Kind, longitude: float) -> bool:
    if kind == "latlon":
        return bool((np.abs(values[:, 0]) <= 90).all() and (np.abs(values[:, 1]) <= longitude).all())
    if kind == "vector":
        return bool((np.abs(np.linalg.norm(values, axis=1) - 1) <= 1e-6).all())
    return bool(((values >= 0) & (values < period_of(kind))).all())


def _check_grid(question: Question, values: Any, clock: bool) -> Check:
    """Whether the releases lie on the public grid that the noise was rounded to."""
    made = question.build()
    noise = getattr(made, "noise", made)
    if clock:
        return Check(name="grid", result="not checked", words="clock times are written to the second")
    if not noise.snap:
        return Check(name="grid", result="not checked", words="the release was not rounded to a grid")
    cells = values / noise.cell
    held = bool((np.abs(cells - np.rint(cells)) <= 1e-3).all())
    return Check.that(
        "grid", held, "every direction lies on the public grid", "some directions are not on the public grid"
    )
