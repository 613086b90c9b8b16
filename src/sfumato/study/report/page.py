"""One self-contained HTML page that a privacy officer can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from sfumato.study.frontier import Frontier, frontier
from sfumato.study.outcome import Outcome
from sfumato.study.report.edition import LEAST_COUNT, Edition, least_share, public_frontier
from sfumato.study.report.plot_file import frontier_image
from sfumato.study.report.plots import frontier_picture, style
from sfumato.study.report.rendering import in_script, packed_plotly, page_file, write_page
from sfumato.study.report.sentences import attack_sentence, done_sentence, limit_sentence, total_words
from sfumato.study.report.tables import (
    choice_rows,
    embedded_numbers,
    failure_rows,
    limit_rows,
    measure_rows,
    promise_rows,
)
from sfumato.study.study import Picture
from sfumato.study.threshold import Limits
from sfumato.study.wording import count, shown
from sfumato.validate import choice, extra

__all__ = ["IndexEntry", "check_extras", "report", "report_index", "sentences"]


def sentences(outcome: Outcome, *, limits: Any = None, shown_as: Frontier | None = None) -> list[str]:
    """What was done, what the attack achieved and what is left within the limits named: three sentences.

    ``shown_as`` is the frontier with the numbers to print, if those are rounded.
    """
    named = Limits.of(limits, outcome.attacks, outcome.customary)
    exact = frontier(outcome)
    plane = shown_as or exact
    tried = {"labels": len(outcome.labels), "seeds": outcome.seeds}
    done = done_sentence(plane, attacks=len(outcome.attacks), utilities=len(outcome.utilities), **tried)
    return [done, attack_sentence(plane), limit_sentence(plane, named, outcome.customary, exact)]


def check_extras() -> None:
    """Refuse at once if a report could not be written at the end."""
    for module in ("plotly", "jinja2"):
        extra(module, "report")


def report(
    outcome: Outcome,
    path: str | Path,
    *,
    pictures: Sequence[Picture] = (),
    made: str = "",
    command: str = "",
    limits: Any = None,
    edition: Edition = "internal",
) -> None:
    """Write the report of a study, atomically.

    Parameters
    ----------
    pictures
        A room's own figures.
    made : str
        The date to print; nothing in the page depends on the clock otherwise.
    command : str
        The command that repeats the study.
    limits : Limits, float, mapping or "default", optional
        The risk that the reader accepts, see :meth:`sfumato.study.threshold.Limits.of`. Without it nothing is
        recommended.
    edition : {"internal", "public"}
        The public one shows no path, no command, no count of fewer than eleven records, and only pictures that show
        nothing of the input.
    """
    public = choice("edition", edition, get_args(Edition)) == "public"
    named = Limits.of(limits, outcome.attacks, outcome.customary)
    exact = {(a, u): frontier(outcome, attack=a, utility=u) for a in outcome.attacks for u in outcome.utilities}
    planes = exact
    if public:
        planes = {
            key: public_frontier(plane, attacks=outcome.attacks, records=outcome.records)
            for key, plane in exact.items()
        }
        pictures = [picture for picture in pictures if picture.public]
    plane = planes[outcome.attacks[0], next(iter(outcome.utilities))]
    choices = choice_rows(planes, exact, plane.attack, named)
    figures: dict[str, Any] = {f"plane {a} / {u}": frontier_picture(each, named) for (a, u), each in planes.items()}
    attacks = [measure_rows(planes[name, plane.utility], name, "attack", outcome, figures) for name in outcome.attacks]
    utilities = [
        measure_rows(planes[plane.attack, name], name, "utility", outcome, figures) for name in outcome.utilities
    ]
    words = {
        "title": outcome.title,
        "lead": outcome.summary,
        "made": made,
        "public": public,
        "least_count": LEAST_COUNT,
        "least_share": least_share(outcome.records),
        "sentences": sentences(outcome, limits=named, shown_as=plane),
        "attacks": list(outcome.attacks),
        "utilities": list(outcome.utilities),
        "measures": [*outcome.attacks, *outcome.utilities],
        "first_plane": next(iter(figures)),
        "static_plane": frontier_image(plane),
        "any_proved": any(point.proved for point in plane.points),
        "choices": choices,
        "named": named,
        "limits": limit_rows(exact[plane.attack, plane.utility], named, outcome.customary),
        "promises": promise_rows(plane.points, named),
        "any_syntactic": any(point.syntactic for point in plane.points),
        "attack_measures": attacks,
        "utility_measures": utilities,
        "pictures": [_picture(number, picture, figures) for number, picture in enumerate(pictures, 1)],
        "all_settings": [plane.raw, *plane.points],
        "failures": failure_rows([plane.raw, *plane.points]),
        "seeds": count(outcome.seeds, "seed"),
        "cells": count((len(plane.points) + 1) * outcome.seeds, "release"),
        "versions": outcome.versions,
        "command": "" if public else command,
        "shown": shown,
        "total_words": total_words,
    }
    numbers = embedded_numbers(plane, planes, outcome, named, choices)
    embedded = {
        "css": page_file("page.css"),
        "script": page_file("report.js"),
        "plotly": packed_plotly(),
        "figures": in_script("{" + ",".join(f"{json.dumps(k)}:{f.to_json()}" for k, f in figures.items()) + "}"),
        "settings": in_script(json.dumps(numbers, allow_nan=False)),
    }
    write_page("report.html.j2", path, words, embedded)


@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """One study on the page that lists several: its room, its outcome and the address of its report."""

    room: str
    outcome: Outcome
    link: str


def report_index(entries: Sequence[IndexEntry], path: str | Path, *, title: str, lead: str, made: str = "") -> None:
    """Write a page that lists several reports."""
    shown_entries = [
        {
            "room": entry.room,
            "link": entry.link,
            "title": entry.outcome.title,
            "lead": entry.outcome.summary,
            "sentences": sentences(entry.outcome)[1:],
            "picture": frontier_image(frontier(entry.outcome)),
        }
        for entry in entries
    ]
    words = {"title": title, "lead": lead, "made": made, "entries": shown_entries}
    write_page("index.html.j2", path, words, {"css": page_file("page.css")})


def _picture(number: int, picture: Picture, figures: dict[str, Any]) -> dict[str, Any]:
    height = picture.figure.layout.height or 420
    key = f"picture {number}"
    figures[key] = style(picture.figure, height=height, legend="below")
    alt = picture.caption or picture.title
    return {"title": picture.title, "caption": picture.caption, "figure": key, "alt": alt, "height": int(height)}
