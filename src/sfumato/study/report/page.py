"""One self-contained HTML page that a privacy officer can read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.errors import InfeasibleError
from sfumato.io.atomic import atomic_path
from sfumato.study.frontier import Estimate, Frontier, Setting, frontier
from sfumato.study.outcome import Outcome
from sfumato.study.report.glossary import GLOSSARY, MODELS, NEIGHBOURS
from sfumato.study.report.plot_file import frontier_image
from sfumato.study.report.plots import frontier_picture, measure_picture, style
from sfumato.study.report.sentences import attack_sentence, utility_sentence
from sfumato.study.study import Picture
from sfumato.study.wording import count, shown
from sfumato.validate import extra

__all__ = ["IndexEntry", "render", "report", "report_index", "sentences"]


def sentences(outcome: Outcome) -> list[str]:
    """What was done, what the attack achieved and what is left: three sentences."""
    plane = frontier(outcome)
    unproved = sorted({point.label for point in plane.points if not point.guaranteed})
    warning = f"; nothing is proved about {_listed(unproved)}" if unproved else ""
    done = (
        f"{count(len(plane.points), 'setting')} of {count(len(outcome.labels), 'mechanism')} "
        f"{'was' if len(plane.points) == 1 else 'were'} tried, each {_times(outcome.seeds)}, against "
        f"{count(len(outcome.attacks), 'attack')} and for {count(len(outcome.utilities), 'use')} of the data{warning}."
    )
    return [done, attack_sentence(plane), utility_sentence(plane)]


def report(
    outcome: Outcome, path: str | Path, *, pictures: Sequence[Picture] = (), made: str = "", command: str = ""
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
    """
    planes = {(a, u): frontier(outcome, attack=a, utility=u) for a in outcome.attacks for u in outcome.utilities}
    plane = planes[outcome.attacks[0], next(iter(outcome.utilities))]
    figures = {f"plane {a} / {u}": frontier_picture(each) for (a, u), each in planes.items()}
    attacks = [_measure(planes[name, plane.utility], name, "attack", outcome, figures) for name in outcome.attacks]
    utilities = [_measure(planes[plane.attack, name], name, "utility", outcome, figures) for name in outcome.utilities]
    words = {
        "title": outcome.title,
        "lead": outcome.summary,
        "made": made,
        "sentences": sentences(outcome),
        "attacks": list(outcome.attacks),
        "utilities": list(outcome.utilities),
        "measures": [*outcome.attacks, *outcome.utilities],
        "first_plane": next(iter(figures)),
        "static_plane": frontier_image(plane),
        "any_proved": any(point.guaranteed for point in plane.points),
        "choices": _choices(plane),
        "promises": _promises(plane.points),
        "any_syntactic": any(point.syntactic for point in plane.points),
        "attack_measures": attacks,
        "utility_measures": utilities,
        "pictures": [_picture(number, picture, figures) for number, picture in enumerate(pictures, 1)],
        "all_settings": [plane.raw, *plane.points],
        "seeds": count(outcome.seeds, "seed"),
        "cells": count((len(plane.points) + 1) * outcome.seeds, "release"),
        "versions": outcome.versions,
        "command": command,
        "glossary": GLOSSARY,
        "shown": shown,
    }
    offline = extra("plotly.offline", "report")
    embedded = {
        "css": _file("page.css"),
        "script": _file("report.js"),
        "plotly": offline.get_plotlyjs(),
        "figures": _in_script("{" + ",".join(f"{json.dumps(k)}:{f.to_json()}" for k, f in figures.items()) + "}"),
        "settings": _in_script(json.dumps(_numbers(plane, planes, outcome), allow_nan=False)),
    }
    _write("report.html.j2", path, words, embedded)


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
    _write("index.html.j2", path, words, {"css": _file("page.css")})


# ── what the page shows ──────────────────────────────────────────────────────────────────────────────────────────


def _choices(plane: Frontier) -> list[dict[str, Any]]:
    """The table of best settings at several risk limits; the proved ones wherever there are any."""
    shares = (0.1, 0.25, 0.5, 0.75)
    proved = any(point.guaranteed for point in plane.points)
    rows: list[dict[str, Any]] = []
    for share, limit in zip(shares, plane.levels(shares), strict=True):
        row: dict[str, Any] = {"limit": shown(limit), "share": f"{share:.0%}", "setting": None}
        try:
            setting = plane.best(risk_at_most=limit, guaranteed=proved)
            row |= {"setting": setting, "risk": plane.risk(setting), "use": plane.use(setting)}
        except InfeasibleError as error:
            row["reason"] = str(error)[0].upper() + str(error)[1:] + "."
        rows.append(row)
    return rows


def _promises(points: Sequence[Setting]) -> list[dict[str, Any]]:
    """One row for each label and kind of promise."""
    groups: dict[tuple[Any, ...], list[Setting]] = {}
    for point in points:
        key = (point.label, point.guaranteed, point.unit, point.neighbours, point.model)
        groups.setdefault(key, []).append(point)
    rows = []
    for (label, guaranteed, unit, neighbours, model), group in groups.items():
        said = list(dict.fromkeys(point.statement for point in group))
        rows.append(
            {
                "label": label,
                "settings": count(len(group), "setting"),
                "guaranteed": guaranteed,
                "syntactic": group[0].syntactic,
                "statement": said[0] if len(said) == 1 else f"{said[0]}  to  {said[-1]}",
                "unit": unit,
                "neighbours": NEIGHBOURS.get(neighbours, neighbours),
                "model": MODELS.get(model, model),
            }
        )
    return rows


def _measure(plane: Frontier, name: str, kind: str, outcome: Outcome, figures: dict[str, Any]) -> dict[str, Any]:
    """The table rows and the plot of one measure."""
    rows = []
    for label in outcome.labels:
        known = [p for p in plane.points if p.label == label and not math.isnan(p.estimates[name].mean)]
        if known:
            by_value = sorted(known, key=lambda point: point.estimates[name].mean)
            rows.append({"label": label, "low": by_value[0], "high": by_value[-1]})
    better = "lower" if kind == "attack" else outcome.utilities[name]
    says = f"{better} is {'safer' if kind == 'attack' else 'better'}"
    errors = kind == "utility" and better == "lower"
    chance = plane.chance if kind == "attack" else math.nan
    swept = [point for point in plane.points if math.isfinite(point.varied)]
    without = sorted({point.label for point in plane.points} - {point.label for point in swept})
    key = ""
    if len({point.varied for point in swept}) > 1:
        key = f"measure {name}"
        figures[key] = measure_picture(
            swept, name, varied=outcome.varied, raw=plane.raw, chance=chance, better=says, log=errors
        )
    return {
        "name": name,
        "kind": kind,
        "better": says,
        "raw": plane.raw.estimates[name],
        "chance": chance,
        "rows": rows,
        "figure": key,
        "alt": f"{name} against {outcome.varied}, one line a mechanism; the numbers are in the table of all settings.",
        "note": f"Without a finite {outcome.varied}, and so not drawn: {_listed(without)}." if without else "",
    }


def _picture(number: int, picture: Picture, figures: dict[str, Any]) -> dict[str, Any]:
    height = picture.figure.layout.height or 420
    key = f"picture {number}"
    figures[key] = style(picture.figure, height=height, legend="below")
    alt = picture.caption or picture.title
    return {"title": picture.title, "caption": picture.caption, "figure": key, "alt": alt, "height": int(height)}


def _numbers(plane: Frontier, planes: Mapping[tuple[str, str], Frontier], outcome: Outcome) -> dict[str, Any]:
    """What the page's own script needs to answer for any risk limit."""
    return {
        "points": [_point(point) for point in plane.points],
        "raw": _point(plane.raw),
        "span": {attack: each.span for (attack, _), each in planes.items()},
        "utilities": dict(outcome.utilities),
    }


def _point(setting: Setting) -> dict[str, Any]:
    return {
        "title": setting.title,
        "promise": setting.promise if setting.guaranteed else setting.promise.removeprefix("no guarantee: "),
        "guaranteed": setting.guaranteed,
        "estimates": {name: _ends(value) for name, value in setting.estimates.items()},
    }


def _ends(value: Estimate) -> dict[str, float | None]:
    return {"mean": _finite(value.mean), "low": _finite(value.low), "high": _finite(value.high)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _file(name: str) -> str:
    return resources.files("sfumato.study.report").joinpath("templates", name).read_text(encoding="utf-8")


def _glue(text: str) -> str:
    """Keep “ε = 0.1” and “1e-05” on one line."""
    return re.sub(r"(\d)e-(\d)", "\\1e\u2011\\2", text.replace(" = ", "\u00a0=\u00a0"))


def _in_script(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def render(template: str, words: Mapping[str, Any], embedded: Mapping[str, str] | None = None) -> str:
    """A page from its template; ``embedded`` texts are trusted, everything else is escaped."""
    jinja2 = extra("jinja2", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sfumato.study.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"glue": _glue, "plain": plain}
    trusted = {name: Markup(text) for name, text in {"css": _file("page.css"), **(embedded or {})}.items()}
    page: str = environment.get_template(template).render(**words, **trusted)
    return page


def plain(value: Any) -> str:
    """A parameter as a reader sees it."""
    if isinstance(value, float):
        return shown(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    return "not set" if value is None else str(value)


def _write(template: str, path: str | Path, words: Mapping[str, Any], embedded: Mapping[str, str]) -> None:
    page = render(template, words, embedded)
    with atomic_path(path) as beside:
        beside.write_text(page, encoding="utf-8")
