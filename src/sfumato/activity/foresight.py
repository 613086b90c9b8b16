"""What can be said of a protected log before it is made."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from sfumato.activity.core.activity import Activity
from sfumato.activity.core.row_classes import joint_classes, smallest_class
from sfumato.activity.protection import promises_of
from sfumato.activity.question import Question
from sfumato.activity.utilities.item_pairs import CooccurrenceError
from sfumato.activity.utilities.popularity import PopularityError
from sfumato.io.frames import to_arrow
from sfumato.noise import seeded_rng
from sfumato.promise import Guarantee
from sfumato.study.preview import Dial, Foreseen, Preview, best_guess, epsilon_dial

__all__ = ["preview"]

_LARGEST_GROUP = 50


def preview(frame: Any, *, mechanism: str = "grouped-rows", **arguments: Any) -> Preview:
    """What a release of a log would promise and keep.

    A mechanism that promises differential privacy is not run: what is foreseen follows from its settings and from the
    number of items and windows. Any other is tried out on the log, and what it does is for the owner alone.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        One row an event.
    mechanism, arguments
        As in :func:`~sfumato.activity.protect`.

    Examples
    --------
    >>> from sfumato.activity import make_log
    >>> found = preview(make_log(), k=5)
    >>> found.figure("worst").value
    0.2
    """
    own = ("k", "epsilon", "delta", "rank", "scale")
    given = {name: arguments.pop(name) for name in own if arguments.get(name) is not None}
    asked = {name: value for name, value in arguments.items() if name not in (*own, "settings")}
    question = Question(mechanism=mechanism, settings={**(arguments.get("settings") or {}), **given}, **asked)
    log = _read(question, to_arrow(frame))
    made = question.build(log.count)
    promise, whole = promises_of(question, made, log)
    if promise.syntactic or promise.vacuous:
        return _tried(made, log)
    return _promised(made, promise, whole or promise, log)


_latest: tuple[Any, Any, Activity] | None = None
"""The log that was read last: a weak reference to its table, how it was read, and what came of it."""


def _read(question: Question, table: Any) -> Activity:
    """The log as matrices. The last one is kept while its table is: a dial that moves changes no matrix.

    With them stay the main directions of their rows (:meth:`Activity.directions`), on which groups of any k are made.
    """
    global _latest
    how = {**question.public(), "settings": None}
    if _latest is not None and _latest[0]() is table and _latest[1] == how:
        return _latest[2]
    log = question.read(table)
    _latest = weakref.ref(table, _forget), how, log
    return log


def _forget(table: Any) -> None:
    """The table is gone, and with it what was read from it."""
    global _latest
    if _latest is not None and _latest[0] is table:
        _latest = None


def _tried(made: Any, log: Activity) -> Preview:
    """Groups, factors or bare pseudonyms: how many people look alike in all windows, and what is lost."""
    release = made.release(log, rng=seeded_rng(0))
    classes = joint_classes(release)
    smallest, groups = smallest_class(classes), len(np.unique(classes))
    k = getattr(made, "k", None)
    least = smallest if k is None else min(smallest, k)  # attacks count the k that is promised, not a larger group
    figures = [
        Foreseen(
            name="worst",
            value=1 / least,
            words="highest chance to find one person",
            why=f"At least {least:,} people look alike in all windows; an attacker who knows what somebody did can do "
            "no better than guess among them.",
            risk=True,
        ),
        Foreseen(
            name="groups",
            value=groups,
            words="groups of people who look alike",
            why=f"For {len(classes):,} people; the smallest has {smallest:,}.",
            share=False,
        ),
    ]
    for name, words, use in (
        ("popularity", "error of how much each item is used", PopularityError()),
        ("pairs", "error of which items go together", CooccurrenceError()),
    ):
        value = use.measure(log, release, rng=seeded_rng(0)).value
        figures.append(Foreseen(name=name, value=value, words=words, why="0 is as in the log, 100 % is nothing left."))
    dials = []
    if k is not None:
        most = min(log.shape[0], max(_LARGEST_GROUP, k))
        dials = [Dial(name="k", words="people who look alike, at least", value=k, low=2, high=most, step=1)]
    return Preview(promise=made.guarantee, figures=tuple(figures), dials=tuple(dials))


def _promised(made: Any, promise: Guarantee, whole: Guarantee, log: Activity) -> Preview:
    """Noise under differential privacy: what the promise bounds, and how much each cell is changed."""
    by = "epsilon" if hasattr(made, "epsilon") else "scale"
    figures = [best_guess(whole, "two people", by)]
    if hasattr(made, "channel"):
        lie = float(made.channel[0])
        why = "Every cell says whether somebody used an item; so many of them say the opposite."
        figures.append(Foreseen(name="lies", value=lie, words="of the cells lie", why=why, by=by))
    dials = [epsilon_dial(float(made.epsilon))] if by == "epsilon" else []
    if by == "scale":
        scale = float(made.scale)
        words = "scale of the noise on each cell"
        dials = [Dial(name="scale", words=words, value=scale, low=0.1, high=max(10.0, scale), step=0.1)]
    cells = log.shape[1] * log.count
    notes = [f"For everything of one person: {whole.statement}, from {log.shape[1]:,} items in {log.count:,} windows."]
    if whole.best_guess > 0.99 and cells > 1:
        notes.append("That protects no person as a whole: name fewer items, fewer windows, or a smaller ε.")
    return Preview(promise=promise, figures=tuple(figures), dials=tuple(dials), notes=tuple(notes), per_person=whole)
