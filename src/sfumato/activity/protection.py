"""Protect a log in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.activity.core.activity import Activity
from sfumato.activity.core.row_classes import row_classes, smallest_class
from sfumato.activity.examples import attack_examples, utility_examples
from sfumato.activity.question import COLUMNS, Question, as_read, draw_pseudonyms, to_cells, to_windows, windows_alone
from sfumato.errors import bad_input
from sfumato.io.engine import Engine, Source
from sfumato.io.frames import is_frame, to_arrow
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.promise import Assumption, Guarantee
from sfumato.release import Card, Check, Release, Terms
from sfumato.study.score import Finding

__all__ = ["attack", "measure", "promises_of", "protect", "question_of", "recompute"]


def protect(
    frame: Any,
    *,
    mechanism: str = "grouped-rows",
    user: str = "user",
    item: str = "item",
    time: str = "time",
    every: str = "week",
    timezone: str = "UTC",
    hours: tuple[int, int] | None = None,
    weekdays: bool = False,
    intervals: Sequence[str] = (),
    counts: bool = False,
    items: Sequence[str] = (),
    k: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rank: int | None = None,
    scale: float | None = None,
    settings: Mapping[str, Any] | None = None,
    engine: Engine | str = "duckdb",
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release who did what in each window of time, under a fresh pseudonym in every window.

    What leaves is one row a cell: ``window``, ``pseudonym``, ``item``, ``value``. Users, exact times and all other
    columns stay behind; the private key says which pseudonym is whose.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        One row an event. The events of a :class:`~sfumato.io.engine.Source`, a CSV or Parquet file, need not fit in
        memory; the matrices must.
    mechanism : str
        Its name, such as ``"grouped-rows"`` or ``"private-factorisation"``; a wrong one lists all.
    user, item, time : str
        The columns of the log.
    every, timezone, hours, weekdays, intervals
        The windows, as in :class:`~sfumato.activity.Calendar`.
    counts : bool
        How often, instead of whether.
    items : sequence of str
        The public list of items; events on others stay behind. Needed where an ε is promised.
    k, epsilon, delta, rank, scale
        Parameters of the mechanism.
    settings : mapping, optional
        More parameters of the mechanism by name.
    engine : {"duckdb", "spark"} or Engine
        What counts the events of a source.
    terms : Terms, optional
        Who pays, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> from sfumato.activity import make_log
    >>> release = protect(make_log(), k=5)
    >>> release.data.column_names, release.card.promise["statement"]
    (['window', 'pseudonym', 'item', 'value'], 'k = 5')
    """
    if not is_frame(frame) and not isinstance(frame, Source):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    given = {"k": k, "epsilon": epsilon, "delta": delta, "rank": rank, "scale": scale}
    question = Question(
        mechanism=mechanism,
        user=user,
        item=item,
        time=time,
        every=every,
        timezone=timezone,
        hours=hours,
        weekdays=weekdays,
        intervals=tuple(intervals),
        counts=counts,
        items=tuple(items),
        settings={**(settings or {}), **{name: value for name, value in given.items() if value is not None}},
    )
    terms, generator = terms or Terms(), resolve_rng(rng)
    if terms.person is not None and terms.person != user:
        raise bad_input("person", terms.person, f"{user!r}, the column of users", "leave it out")
    original = question.read(frame, engine)
    terms.check_roll(original.users)
    made = question.build(original.count)
    promise, whole = promises_of(question, made, original)
    released = made.release(original, rng=generator)
    names = draw_pseudonyms(original.count, original.shape[0], generator)
    key = {
        label: dict(zip(row.tolist(), original.users, strict=True))
        for label, row in zip(original.labels, names, strict=True)
    }
    return Release.make(
        to_cells(released, names),
        kind="activity",
        mechanism=question.mechanism,
        guarantee=promise,
        per_person=whole,
        totals=_totals(made),
        parameters=question.public(),
        roles={"window": "time", "pseudonym": "pseudonym", "item": "item", "value": "protected"},
        secrets={"pseudonyms": key},
        not_covered=_not_covered(question),
        technique=made.technique,
        terms=terms,
        rng=generator,
        like=None if isinstance(frame, Source) else frame,
    )


def promises_of(question: Question, made: Any, log: Activity) -> tuple[Guarantee, Guarantee | None]:
    """What is promised for one unit and, where that is less than a user, for everything of one user."""
    promise, whole = made.guarantee, made.per_user(log.shape[1], log.count)
    if question.intervals or promise.vacuous or promise.syntactic:
        return promise, whole
    public = Assumption("windows")
    return promise.assuming(public), None if whole is None else whole.assuming(public)


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What the attacks of this kind of data achieve; the card says by which mechanism the release was made."""
    mechanism, log, seen = _opened(original, release)
    rng = seeded_rng(seed)
    return [
        Finding.of(one, lambda attack: attack.attack(log, seen, mechanism=mechanism, rng=rng))
        for one, *_ in attack_examples()
        if hasattr(mechanism, getattr(one, "needs", "release"))
    ]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What is left of the log."""
    _, log, seen = _opened(original, release)
    rng = seeded_rng(seed)
    return [Finding.of(one, lambda use: use.measure(log, seen, rng=rng)) for one, *_ in utility_examples()]


def recompute(release: Release) -> list[Check]:
    """Check columns, cells, items and k of the release against its card."""
    table, question, shape = release.arrow, question_of(release.card), Check.of_shape(release)
    if shape.result == "fails" or table.column_names != list(COLUMNS):
        return [shape]
    once = table.group_by(list(COLUMNS[:3])).aggregate([]).num_rows == table.num_rows
    checks = [shape, Check.that("cells", once, "every cell is there once", "a cell is there twice")]
    if question.items:
        listed = set(as_read(question.items, table["item"].type))
        inside = set(table["item"].unique().cast("string").to_pylist()) <= listed
        checks.append(Check.that("items", inside, "every item is on the list of the card", "other items are there"))
    return checks + _check_values(question, table)


def question_of(card: Card) -> Question:
    """What was asked, from the card."""
    given: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in card.mechanism.parameters.items()
    }
    try:
        return Question(mechanism=card.mechanism.name, **given)
    except TypeError as error:
        raise bad_input("card", "other parameters", f"those of {card.mechanism.name}", "was it edited?") from error


def _totals(made: Any) -> dict[str, Any] | None:
    """What the parts of a composed promise cost, for the card."""
    if not hasattr(made, "item_side"):
        return None
    return {"item side": made.item_side.statement, "each row of a window": made.row_side.statement}


def _not_covered(question: Question) -> list[str]:
    said = ["the number of users", "the windows"]
    return said if question.items else [*said, "which items occur in the log"]


def _opened(original: Any, release: Release) -> tuple[Any, Activity, Activity]:
    """The mechanism, the original as matrices, and the release with its rows in the same order."""
    question = question_of(release.card)
    log = question.read(to_arrow(original))
    names = release.key.secrets.get("pseudonyms")
    if names is None:
        raise bad_input(
            "key", None, "the private key: every window has pseudonyms of its own", "protect --key FILE writes it"
        )
    place = {name: k for k, name in enumerate(log.users)}
    if set(names) != set(log.labels) or any(set(row.values()) != set(place) for row in names.values()):
        raise bad_input("original", "other users or windows", "those of the release", "is it the data protected?")
    rows = {label: {name: place[user] for name, user in names[label].items()} for label in log.labels}
    mechanism = question.build(log.count)
    windows = to_windows(release.arrow, log.labels, log.items, rows, log.shape[0])
    return mechanism, log, log.with_windows(windows, channel=getattr(mechanism, "channel", None))


def _check_values(question: Question, table: Any) -> list[Check]:
    """k again from the released rows; bits of randomised cells; the grid of noise."""
    values = np.asarray(table["value"].to_numpy(), float)
    if question.mechanism == "randomized-cells":
        bits = bool(np.isin(values, (0.0, 1.0)).all())
        return [Check.that("values", bits, "every cell is a bit", "some cells are no bits")]
    if question.mechanism == "cell-noise":
        on_grid = bool((values * 2.0**20 == np.round(values * 2.0**20)).all())
        return [Check.that("values", on_grid, "every value is on the grid of the noise", "values are off the grid")]
    k = question.settings.get("k")
    if k is None:
        return []
    reached = min(smallest_class(row_classes(window)) for window in windows_alone(table))
    words = f"every released row is there at least {reached} times; the card says k = {k}"
    return [Check.that("k", reached >= k, words, words)]
