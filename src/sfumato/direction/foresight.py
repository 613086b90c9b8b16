"""What can be said of protected directions before they are drawn: it follows from the settings alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.direction.core.coordinates import CIRCLES, arc_words, period_of
from sfumato.direction.mechanisms.bayesian_remap import BayesianRemap
from sfumato.direction.mechanisms.elliptical import Elliptical
from sfumato.direction.protection import ask
from sfumato.direction.question import Question, noises_in
from sfumato.io.engine import Source
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.io.geography import EARTH_RADIUS
from sfumato.promise import Guarantee, MetricDP
from sfumato.study.preview import Dial, Foreseen, Preview, best_guess, epsilon_dial

__all__ = ["preview"]

_LOSSES = {"epsilon": "ε per radian", "level": "ε within the radius", "pure": "ε between any two"}
"""The three ways to say how much is lost; one of them is given."""


def preview(
    frame: Any,
    columns: str | Sequence[str],
    *,
    mechanism: str = "purkayastha",
    keep: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Preview:
    """What a release of directions would promise, and how far they would be moved. No direction is looked at.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        Only the names of its columns are used.
    columns, mechanism, keep, settings, arguments
        As in :func:`~sfumato.direction.protect`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> poll = pa.table({"wakes": [6.5, 23.25, 7.0]})
    >>> found = preview(poll, "wakes", pure=2.0)
    >>> round(found.figure("guess").value, 3), round(found.figure("error").value, 2)
    (0.881, 4.12)
    """
    given = {"noise": "purkayastha", **arguments, "settings": dict(settings or {})}
    question = ask(frame, columns, mechanism=mechanism, **given)
    made = question.build()
    present = frame.columns if isinstance(frame, Source) else to_arrow(frame).column_names
    missing_columns([*question.columns, *keep], present, "the table")
    promise, noise = question.promise(made), getattr(made, "noise", made)
    dials = _dials(question)
    by = dials[0].name if dials else ""
    figures, notes = [_guess(question, promise, noise, by)], []
    parts = noises_in(made)
    lawless = any(not hasattr(one, "law") or isinstance(one, Elliptical) for one in parts.values())
    if lawless or isinstance(made, BayesianRemap):  # the remap draws what is released back to places that are known
        notes.append("How far the answers are off is measured when they are filed.")
    else:
        figures += [_error(question, name, one, by) for name, one in parts.items()]
    if promise.vacuous:
        notes.append("Nothing is promised: what attackers achieve is measured when they are filed.")
    return Preview(promise=promise, figures=tuple(figures), dials=tuple(dials), notes=tuple(notes))


def _guess(question: Question, promise: Guarantee, noise: Any, by: str) -> Foreseen:
    """For a promise by distance: two directions as far apart as the radius, or as two can be."""
    if type(promise) is not MetricDP:
        return best_guess(promise, "two directions", by)
    if noise.radius is not None:
        near = arc_words(question.kind, noise.radius)
        return best_guess(promise.within(noise.reach), f"two directions at most {near} apart", by)
    widest = math.nextafter(noise.widest, math.inf)
    return best_guess(promise.within(widest, whole_domain=True), "two opposite directions", by)


def _error(question: Question, part: str, noise: Any, by: str) -> Foreseen:
    """How far one noise moves; ``part`` says which of the two, where place and time have their own."""
    dimension = 2 if noise.kind in CIRCLES else 3 if noise.kind == "latlon" else len(question.columns)
    angle = float(noise.law(dimension).mean_angle)
    units = {
        "hour": (period_of("hour") / math.tau, "hours"),
        "week": (period_of("week") / math.tau, "hours"),
        "latlon": (EARTH_RADIUS / 1000, "kilometres"),
    }
    factor, unit = units.get(noise.kind, (360 / math.tau, "degrees"))
    moved, each = arc_words(noise.kind, angle), "mean" if question.gives_means else "direction"
    return Foreseen(
        name=f"error of the {part}" if part else "error",
        value=factor * angle,
        words=f"error of each {part or each} on average, in {unit}",
        why=f"Each is moved by {moved} in the mean, by the noise alone; {factor * math.pi:,.4g} {unit} is the farthest."
        + ("" if question.gives_means else " A mean over many people is far more exact."),
        share=False,
        by=by,
    )


def _dials(question: Question) -> list[Dial]:
    given = {name: getattr(question, name) for name in _LOSSES}
    found = [epsilon_dial(float(value), _LOSSES[name], name) for name, value in given.items() if value is not None]
    if question.radius is not None:
        reach = float(question.radius)
        found.append(Dial(name="radius", words="radius", value=reach, low=reach / 4, high=4 * reach, step=reach / 4))
    return found
