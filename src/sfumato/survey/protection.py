"""Protect the answers of a survey in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.errors import SfumatoError, bad_input
from sfumato.io.engine import Engine, Source
from sfumato.io.frames import column as frame_column
from sfumato.io.frames import is_frame, to_arrow
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.release import Card, Check, Release, Terms
from sfumato.study.score import Finding
from sfumato.survey.core.friendships import Friendships
from sfumato.survey.core.neighbourhood import as_points, radius_of_points
from sfumato.survey.data.survey import Survey
from sfumato.survey.question import Question, side_knowledge
from sfumato.survey.streamed_answers import stream_answers

__all__ = ["attack", "measure", "protect", "question_of", "recompute"]


def protect(
    frame: Any,
    column: str = "answer",
    *,
    mechanism: str = "collection",
    epsilon: float | None = None,
    alpha: float | None = None,
    group: Sequence[str] = (),
    radius: float | None = None,
    radii: str | None = None,
    nearest: int | None = None,
    friends: Any = None,
    hops: int = 1,
    categories: Sequence[str] = (),
    geometry: str | None = None,
    order: str = "best",
    metric: str = "kendall",
    keep: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    engine: Engine | str = "duckdb",
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release the answers of a survey so that each is lost among those of its owner's neighbours.

    A row becomes a slot, not a person: its place stays, its answer comes from somewhere near. Only the places, the
    answer and the columns in ``keep`` leave, the rows in random order.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        One row an owner. A :class:`~sfumato.io.engine.Source` is a CSV or Parquet file that need not fit in memory, for
        mechanisms that encode each answer on its own.
    column : str
        The column with the answers.
    mechanism : str
        Its name, such as ``"collection"`` or ``"unary-encoding"``; a wrong one lists all.
    epsilon : float, optional
        Randomise each answer first; without it they are shuffled as they are.
    alpha : float
        The promise on who sent which report; 0 shuffles uniformly.
    group : sequence of str
        The columns with the public place: released unchanged, and they say who is near whom.
    radius, nearest
        Hide among all within this distance (km on the globe), or among this many nearest.
    radii : str, optional
        A public column with each owner's own distance instead; released unchanged, like the place.
    friends : frame, optional
        A public table of two columns, the names of two owners who are friends. Groups are then made of the graph;
        ``group`` names the column with the name of each owner, which is released, and the card holds the pairs.
    hops : int
        With ``friends``: hide among all within so many steps.
    categories : sequence of str
        Every possible answer; needed with ``epsilon``. They are public: never take them from the data.
    geometry : {"plane", "globe"}
        By default the globe for latitude and longitude.
    order : {"best", "linked", "cuthill-mckee", "bfs"}
        The public reference order; by default the one that keeps most of the map at this α (:func:`chosen_order`).
    metric : {"kendall", "hamming"}
    keep : sequence of str
        Columns that are released unchanged.
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
    >>> poll = pa.table({"name": ["A", "B", "C"], "x": [0.0, 1.0, 2.0], "answer": ["yes", "no", "no"]})
    >>> release = protect(poll, group=["x"], radius=1, alpha=1.0)
    >>> release.data.column_names, release.card.promise["statement"]
    (['x', 'answer'], 'α = 1 on who sent which report, within 1 by x')
    """
    if not is_frame(frame) and not isinstance(frame, Source):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    question = Question(
        mechanism=mechanism,
        column=column,
        group=tuple(group),
        radius=radius,
        radii=radii,
        nearest=nearest,
        friends=None if friends is None else Friendships.of_frame(friends, hops=hops).lines,
        hops=hops,
        alpha=alpha,
        epsilon=epsilon,
        categories=tuple(categories),
        geometry=geometry,
        order=order,
        metric=metric,
        settings=dict(settings or {}),
    )
    terms, generator, unchanged = terms or Terms(), resolve_rng(rng), _unchanged(question, keep)
    if isinstance(frame, Source):
        return stream_answers(question, frame, unchanged, engine=engine, terms=terms, rng=generator)
    table = to_arrow(frame)
    survey = question.survey(table)
    for name in unchanged:
        frame_column(table, name, missing=True)
    rows = question.arrangement(survey, generator)
    arranged = survey.arranged(rows)
    best = question.chosen(arranged) if question.order == "best" and not question.encodes else None
    made = question.build(arranged, best=best)
    promise = question.promise(made)
    per_person = terms.for_people(promise, frame)
    collected = made.release(arranged.answers if question.encodes else arranged, rng=generator)
    slots = np.argsort(rows)  # back to the order of the input: row i of the release is the slot of owner i
    kind = table.schema.field(question.column).type
    reports = {name: values.take(slots) for name, values in question.report_columns(collected, survey, kind).items()}
    return Release.make(
        _released_table(question, table, unchanged, reports),
        kind="survey",
        mechanism=question.mechanism,
        guarantee=promise,
        per_person=per_person,
        parameters=question.public()
        | ({} if question.encodes else {"groups": _facts(made.shuffler)})
        | ({} if best is None else {"map": question.map_kept(arranged, best)}),
        roles=dict.fromkeys(reports, "protected")
        | dict.fromkeys(unchanged, "kept")
        | dict.fromkeys(question.public_columns, "public place"),
        rows=np.arange(survey.n),
        terms=terms,
        rng=generator,
        not_covered=_not_covered(question, made, unchanged),
        technique="randomization"
        if question.encodes
        else "permutation"
        if made.front is None
        else "randomization and permutation",
        like=frame,
    )


def attack(
    original: Any, release: Release, *, seed: int = 0, privileged: Sequence[str] = (), near: float | None = None
) -> list[Finding]:
    """What an attacker who knows the method finds out about single owners. For the owner of the data.

    Parameters
    ----------
    original : frame
        The data that were protected.
    release : Release
        With its key, which says whose slot each row is.
    privileged : sequence of str
        Columns of ``original`` that the attacker knows of every owner.
    near : float, optional
        How near is near; by default the radius, or the reach of a typical group.
    """
    question, mechanism, survey, reports = _opened(original, release, privileged)
    rng = seeded_rng(seed)
    context = _context(question, mechanism, survey, near) | {"simulated": False}  # this release, not others like it
    attacks = _kinds_for("attacks", lambda example: isinstance(mechanism, type(example[3])))
    return [
        Finding.of(_made(kind, context), lambda one: one.attack(survey, reports, mechanism=mechanism, rng=rng))
        for kind in attacks
    ]


def measure(original: Any, release: Release, *, seed: int = 0, near: float | None = None) -> list[Finding]:
    """What is left of the answers in the release. For the owner of the data; parameters as in :func:`attack`."""
    question, mechanism, survey, reports = _opened(original, release)
    rng = seeded_rng(seed)
    context = _context(question, mechanism, survey, near)
    utilities = _kinds_for("utilities", lambda example: isinstance(reports, type(example[2])))
    return [Finding.of(_made(kind, context), lambda one: one.measure(survey, reports, rng=rng)) for kind in utilities]


def recompute(release: Release) -> list[Check]:
    """Check columns, rows, categories and groups of the release against its card."""
    question, table = question_of(release.card), release.arrow
    checks = [Check.of_shape(release)]
    if checks[0].result == "fails":
        return checks
    if question.encodes:
        checks.append(_check_reports(question, table))
    elif question.categories:
        words = {str(value) for value in frame_column(table, question.column)}
        inside = words <= set(question.categories)
        checks.append(
            Check.that("categories", inside, "every answer is a category of the card", "other answers are there")
        )
    if not question.encodes:
        checks.append(_check_groups(question, release))
    return checks


def question_of(card: Card) -> Question:
    """What was asked, from the card."""
    given = {name: value for name, value in card.mechanism.parameters.items() if name not in ("groups", "map")}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if isinstance(given.get("alpha"), str):
        given["alpha"] = float(given["alpha"])  # JSON has no infinity
    try:
        return Question(mechanism=card.mechanism.name, **given)
    except TypeError as error:
        raise bad_input("card", "other parameters", f"those of {card.mechanism.name}", "was it edited?") from error


# ── what leaves ──────────────────────────────────────────────────────────────────────────────────────────────────


def _unchanged(question: Question, keep: Sequence[str]) -> list[str]:
    """The columns that leave as they are: the places and those that were named."""
    unchanged = list(dict.fromkeys([*question.public_columns, *keep]))
    if question.column in unchanged:
        raise bad_input("--keep", question.column, "other columns than the answer", "the answer is written, protected")
    return unchanged


def _released_table(question: Question, table: Any, unchanged: Sequence[str], reports: Mapping[str, Any]) -> Any:
    """The released columns in the order of the input, reports in the place of the answer."""
    import pyarrow as pa

    taken = [name for name in reports if name in unchanged]
    if taken:
        raise bad_input("--keep", taken[0], "other names than those of the reports", "rename the column first")
    columns: dict[str, Any] = {}
    for name in table.column_names:
        if name == question.column:
            columns |= reports
        elif name in unchanged:
            columns[name] = table[name]
    return pa.table(columns)


def _facts(shuffler: Any) -> dict[str, int]:
    """What the public places say about the groups; the same can be counted in the release."""
    sizes = shuffler.groups.sizes
    return {
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "alone": int(np.count_nonzero(sizes == 1)),
        "width": int(shuffler.width),
        "sensitivity": int(shuffler.sensitivity),
    }


def _not_covered(question: Question, made: Any, unchanged: Sequence[str]) -> list[str]:
    said = [f"{name} (unchanged)" for name in unchanged] + ["the number of owners"]
    if question.encodes:
        return said
    alone = int(np.count_nonzero(made.shuffler.groups.sizes == 1))
    if alone:
        said.append(f"who sent which report, for {alone} owners who are alone in their group")
    if made.front is None:
        said.append("what a group answered as a whole: the answers were not randomised here")
    return said


# ── attacks and utilities ────────────────────────────────────────────────────────────────────────────────────────


def _opened(original: Any, release: Release, privileged: Sequence[str] = ()) -> tuple[Question, Any, Survey, Any]:
    """The question, its mechanism, the original in the order of :meth:`Question.arrangement`, and the reports."""
    question, table = question_of(release.card), to_arrow(original)
    survey = question.survey(table)
    rows = release.input_rows(survey.n)
    if len(rows) != survey.n or len(rows) != release.arrow.num_rows:
        raise bad_input("original", survey.n, f"{len(rows)} owners, as in the release", "is it the data protected?")
    known = [side_knowledge(table, name)[rows] for name in privileged]
    here = replace(survey.arranged(rows), privileged=np.concatenate(known, axis=1) if known else None)
    if not question.encodes and not np.allclose(question.places(release.arrow), here.where, rtol=1e-6):
        raise bad_input("original", "other places", "the data that were protected", "or is it the key of another run?")
    seen = release.arrow
    if question.column in seen.column_names and not question.encodes:
        seen = _same_type(seen, question.column, table.schema.field(question.column).type)
    turn = question.arrangement(here, seeded_rng(0))
    here = here.arranged(turn)
    mechanism = question.build(here)
    channel = None if question.encodes else mechanism.channel(here.k)
    return question, mechanism, here, question.reports(seen.take(turn), here, channel)


def _same_type(table: Any, name: str, kind: Any) -> Any:
    """The table with one column as in the original: a file of text may have lost the type of the answers."""
    import pyarrow as pa

    place = table.column_names.index(name)
    try:
        return table.set_column(place, name, table[name].cast(kind))
    except pa.ArrowException:  # other values: they are said to be no categories of the original
        return table


def _context(question: Question, mechanism: Any, survey: Survey, near: float | None) -> dict[str, Any]:
    """What attacks and utilities need to know of this release, by the name of their parameter."""
    if question.encodes:
        return {"front": mechanism}
    friends = {} if question.friends is None else {"fellows": mechanism.shuffler.groups}
    return {"radius": _reach(question, mechanism, survey) if near is None else near} | friends


def _reach(question: Question, mechanism: Any, survey: Survey) -> float:
    """The radius, or for groups of the nearest the typical distance of the farthest member."""
    if question.radius is not None:
        return question.radius
    points, groups = as_points(survey.where, survey.geometry), mechanism.shuffler.groups
    some = np.linspace(0, survey.n - 1, min(survey.n, 200)).astype(int)
    far = [np.linalg.norm(points[groups.members(owner)] - points[owner], axis=1).max() for owner in some.tolist()]
    return radius_of_points(float(np.median(far)), survey.geometry)


def _kinds_for(what: str, fits: Callable[[tuple[Any, ...]], bool]) -> Iterable[type]:
    """The kinds of attacks or utilities that are registered for such a mechanism or release."""
    from sfumato.survey.room import ROOM

    return dict.fromkeys(type(example[0]) for example in getattr(ROOM, what)() if fits(example))


def _made(kind: type, context: Mapping[str, Any]) -> Any:
    """One with its defaults, and of the context what it has a parameter for."""
    known = {one.name for one in dataclasses.fields(kind)}
    return kind(**{name: value for name, value in context.items() if name in known})


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _check_reports(question: Question, table: Any) -> Check:
    reports = question.encoded(table)
    front = question.build(Survey(np.zeros(1, np.int64), np.zeros((1, 1)), question.categories))
    try:
        front.estimate(reports)
    except SfumatoError as error:
        return Check(name="reports", result="fails", words=f"not the reports of {question.mechanism}: {error}")
    return Check(name="reports", result="holds", words=f"every report is one that {question.mechanism} can give")


def _check_groups(question: Question, release: Release) -> Check:
    """The groups again from the released places; Δ too, where it does not depend on how ties were broken."""
    where = question.places(release.arrow)
    geometry: Any = question.geometry
    public: dict[str, Any] = {"radii": question.reaches(release.arrow), "owners": question.owners(release.arrow)}
    blank = Survey(np.zeros(len(where), np.int64), where, question.categories or ("",), None, geometry, **public)
    blank = blank.arranged(question.arrangement(blank, seeded_rng(0)))
    facts, said = _facts(question.build(blank).shuffler), release.card.mechanism.parameters.get("groups", {})
    tied = question.nearest is not None and len(np.unique(where, axis=0)) < len(where)
    compared = [name for name in facts if not (tied and name in ("width", "sensitivity"))]
    wrong = [name for name in compared if facts[name] != said.get(name)]
    if wrong:
        first = wrong[0]
        return Check(
            name="groups",
            result="fails",
            words=f"the released places make groups with {first} = {facts[first]}, the card says {said.get(first)}",
        )
    crowd = release.card.promise.get("parameters") or {}
    if crowd.get("groups", question.crowd) != question.crowd:
        return Check(name="groups", result="fails", words="the promise of the card names other groups")
    words = f"the released places make groups of {facts['smallest']} to {facts['largest']} owners, as the card says"
    return Check(name="groups", result="holds", words=words)
