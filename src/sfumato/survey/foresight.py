"""What can be said of a protected survey before it is made: of its settings and the public places, not of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.io.frames import to_arrow
from sfumato.noise import seeded_rng
from sfumato.study.preview import LEVEL, Dial, Foreseen, Preview, best_guess, epsilon_dial, error_of_share
from sfumato.survey.core.chosen import PARTS
from sfumato.survey.core.friendships import Friendships
from sfumato.survey.core.inference_bounds import posterior_bounds
from sfumato.survey.question import Question

__all__ = ["preview"]

_MOST_MAPPED = 2_000
"""Owners up to whom what stays of the map is drawn at once."""


def preview(frame: Any, column: str = "answer", *, keep: Any = (), **arguments: Any) -> Preview:
    """What a release of a survey would promise and keep. No answer is looked at.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    column, arguments
        As in :func:`~sfumato.survey.protect`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> poll = pa.table({"answer": ["yes", "no"] * 500})
    >>> found = preview(poll, mechanism="unary-encoding", epsilon=1.0, categories=["yes", "no"])
    >>> round(found.figure("guess").value, 3), round(found.figure("margin").value, 3)
    (0.731, 0.134)
    """
    table = to_arrow(frame)
    given: dict[str, Any] = {"mechanism": "collection", **arguments}
    given |= {name: tuple(given[name]) for name in ("group", "categories") if name in given}
    if given.get("friends") is not None:
        given["friends"] = Friendships.of_frame(given["friends"], hops=given.get("hops", 1)).lines
    question = Question(column=column, **{**given, "settings": dict(given.get("settings") or {})})
    return _encoded(question, table.num_rows) if question.encodes else _shuffled(question, table)


def _encoded(question: Question, owners: int) -> Preview:
    made = question.encoding(len(question.categories))
    promise = question.promise(made)
    margin = made.margin_for(owners, LEVEL)
    why = f"From {owners:,} reports, 19 times out of 20, by the noise alone; the number of reports is public."
    return Preview(
        promise=promise,
        figures=(best_guess(promise, "two answers"), error_of_share(margin, "an answer", why)),
        dials=(epsilon_dial(made.epsilon),),
    )


def _shuffled(question: Question, table: Any) -> Preview:
    places = question.placed(table)
    arranged = places.arranged(question.arrangement(places, seeded_rng(0)))
    best = question.chosen(arranged) if question.order == "best" and arranged.n <= _MOST_MAPPED else None
    # The order says how far reports travel, not what is promised: a large map need not wait for the best one.
    made = replace(question, order="linked").build(arranged) if best is None else question.build(arranged, best=best)
    promise, sizes, alpha = question.promise(made), made.shuffler.groups.sizes, float(made.alpha)
    alone = int(np.count_nonzero(sizes == 1))
    figures = [
        Foreseen(
            name="order",
            value=posterior_bounds(0.5, alpha)[1],
            words="belief at most in whose report one is, if it was even",
            why="An attacker who knows which reports came from a group, though not from whom, holds one owner for the "
            "sender rather than another at odds that the release changes by e to the power of α at most.",
            risk=True,
            by="alpha",
        ),
        Foreseen(
            name="alone",
            value=alone,
            words="owners with nobody near",
            why="They are alone in their group: who sent their report is not hidden.",
            share=False,
            risk=True,
        ),
        Foreseen(
            name="group",
            value=float(np.median(sizes)),
            words="owners in a typical group",
            why=f"Each owner hides {question.crowd}; this is the median.",
            share=False,
        ),
    ]
    notes = []
    if made.front is not None:
        figures.append(best_guess(made.front.guarantee, "two answers"))
    else:
        notes.append("What a group answered as a whole is not hidden: no ε was set to randomise the answers.")
    if best is not None:
        kept = best.kept.get(PARTS, 1.0)
        why = f"Of {PARTS} parts of the map with equally many owners; {1 / PARTS:.1%} is a uniform shuffle."
        figures.append(Foreseen(name="map", value=kept, words="of the reports stay in their part of the map", why=why))
    else:
        notes.append("How much of the map stays is said when it is filed.")
    return Preview(promise=promise, figures=tuple(figures), dials=tuple(_dials(question, alpha)), notes=tuple(notes))


def _dials(question: Question, alpha: float) -> list[Dial]:
    found = [Dial(name="alpha", words="α, on who sent which report", value=alpha, low=0.0, high=16.0, step=0.25)]
    if question.radius is not None:
        reach = float(question.radius)
        found.append(Dial(name="radius", words="radius", value=reach, low=reach / 4, high=4 * reach, step=reach / 4))
    if question.nearest is not None:
        found.append(
            Dial(name="nearest", words="hidden among so many nearest", value=question.nearest, low=2, high=100, step=1)
        )
    return [*found, *([] if question.epsilon is None else [epsilon_dial(question.epsilon, "ε of each answer")])]
