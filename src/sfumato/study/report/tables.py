"""The rows of a report's tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import InfeasibleError
from sfumato.study.frontier import Estimate, Frontier, Setting
from sfumato.study.outcome import Outcome
from sfumato.study.report.edition import recommended
from sfumato.study.report.glossary import MODELS, NEIGHBOURS
from sfumato.study.report.plots import measure_picture
from sfumato.study.report.sentences import total_words, unknown_total
from sfumato.study.threshold import Limits, Threshold
from sfumato.study.wording import GREEK, count, listed

__all__ = ["choice_rows", "embedded_numbers", "failure_rows", "limit_rows", "measure_rows", "promise_rows"]

Planes = Mapping[tuple[str, str], Frontier]


def choice_rows(planes: Planes, exact: Planes, attack: str, limits: Limits) -> list[dict[str, Any]]:
    """The most useful setting within the limits named, for each use of the data; nothing if none is named.

    ``exact`` decides where ``planes`` have rounded numbers.
    """
    rows: list[dict[str, Any]] = []
    for key, plane in ((key, plane) for key, plane in planes.items() if key[0] == attack and limits.risks):
        row: dict[str, Any] = {"use": plane.utility, "better": plane.better, "setting": None}
        try:
            setting = recommended(plane, exact[key], limits.risks)
            assert setting is not None, "limits are named"
            risks = [setting.estimates[name] for name in limits.risks]
            row |= {"setting": setting, "risks": risks, "left": plane.use(setting), "raw": plane.use(plane.raw)}
        except InfeasibleError as error:
            row["reason"] = f"{str(error)[0].upper()}{str(error)[1:]}."
        rows.append(row)
    return rows


def limit_rows(plane: Frontier, limits: Limits, customary: Mapping[str, Threshold]) -> list[dict[str, Any]]:
    """Every limit with its source and how many settings keep it: those named, the customary ones, those on ε."""
    total = len(plane.points)

    def row(what: str, limit: Threshold, kept: int, named: bool) -> dict[str, Any]:
        words = "none" if kept == 0 else f"{kept} of {total}"
        return {"what": what, "limit": limit, "kept": words, "named": named}

    rows = [row(name, limit, len(plane.within({name: limit})), True) for name, limit in limits.risks.items()]
    others = {name: limit for name, limit in customary.items() if limits.risks.get(name) != limit}
    rows += [row(name, limit, len(plane.within({name: limit})), False) for name, limit in others.items()]
    epsilons = [point.largest_epsilon for point in plane.points if point.proved]
    if any(not math.isnan(epsilon) for epsilon in epsilons):
        for name, limit in (("strong", limits.strong), ("weak", limits.weak)):
            kept = sum(epsilon <= limit.value for epsilon in epsilons)
            rows.append(row(f"ε called {name}, in total for those who hold several units", limit, kept, False))
    return rows


def promise_rows(points: Sequence[Setting], limits: Limits) -> list[dict[str, Any]]:
    """One row for each label and kind of promise."""
    groups: dict[tuple[Any, ...], list[Setting]] = {}
    for point in points:
        key = (point.label, point.guaranteed, point.syntactic, point.unit, point.neighbours, point.model)
        groups.setdefault(key, []).append(point)
    rows = []
    for (label, guaranteed, syntactic, unit, neighbours, model), group in groups.items():
        said = list(dict.fromkeys(point.statement for point in group))
        weakest = max(group, key=lambda point: -math.inf if math.isnan(point.epsilon) else point.epsilon)
        grades = list(dict.fromkeys(filter(None, (limits.words(point.epsilon) for point in group))))
        rows.append(
            {
                "label": label,
                "settings": count(len(group), "setting"),
                "guaranteed": guaranteed,
                "syntactic": syntactic,
                "statement": said[0] if len(said) == 1 else f"{said[0]}  to  {said[-1]}",
                "grades": grades if guaranteed and not syntactic else [],
                "totals": [*_after(weakest, total_words(weakest, limits)), *filter(None, [unknown_total(weakest)])],
                "unit": unit,
                "neighbours": NEIGHBOURS.get(neighbours, neighbours),
                "model": MODELS.get(model, model),
            }
        )
    return rows


def _after(setting: Setting, clauses: Sequence[str]) -> list[str]:
    """The clauses, each after the name of the setting that it is about; those without an ε are about all of them."""
    return [
        f"{setting.name}: {clause}" if setting.name and setting.epsilon == setting.epsilon else clause
        for clause in clauses
    ]


def measure_rows(plane: Frontier, name: str, kind: str, outcome: Outcome, figures: dict[str, Any]) -> dict[str, Any]:
    """The table rows and the plot of one measure."""
    rows = []
    for label in outcome.labels:
        known = [p for p in plane.points if p.label == label and not math.isnan(p.estimates[name].mean)]
        if known:
            by_value = sorted(known, key=lambda point: point.estimates[name].mean)
            rows.append({"label": label, "low": by_value[0], "high": by_value[-1]})
        else:
            rows.append({"label": label, "low": None, "high": None})
    better = "lower" if kind == "attack" else outcome.utilities[name]
    says = f"{better} is {'safer' if kind == 'attack' else 'better'}"
    errors = kind == "utility" and better == "lower"
    chance = plane.chance if kind == "attack" else math.nan
    swept = [p for p in plane.points if math.isfinite(p.varied) and not math.isnan(p.estimates[name].mean)]
    without = sorted({point.label for point in plane.points} - {point.label for point in swept})
    varied = GREEK.get(outcome.varied, outcome.varied)
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
        "alt": f"{name} against {varied}, one line a mechanism; the numbers are in the table of all settings.",
        "note": f"Not drawn, without a value or a finite {varied}: {listed(without)}." if without else "",
    }


def failure_rows(settings: Sequence[Setting]) -> list[dict[str, str]]:
    """Why some measures have no value, equal reasons together."""

    def many(titles: list[str]) -> str:
        return f"{len(titles)} of {count(len(settings), 'setting')}, {titles[0]} among them"

    groups: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        for measure, reason in setting.reasons.items():
            groups.setdefault((measure, reason), []).append(setting.title)
    return [
        {"measure": measure, "reason": reason, "settings": listed(titles) if len(titles) <= 4 else many(titles)}
        for (measure, reason), titles in groups.items()
    ]


def embedded_numbers(
    plane: Frontier, planes: Planes, outcome: Outcome, limits: Limits, choices: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What the page's own script needs to answer for any risk limit, and what is recommended at those named."""
    return {
        "points": [_point(point, limits) for point in plane.points],
        "raw": _point(plane.raw, limits),
        "span": {attack: [_finite(end) for end in each.span] for (attack, _), each in planes.items()},
        "utilities": dict(outcome.utilities),
        "limits": {name: limit.value for name, limit in limits.risks.items()},
        "chosen": {row["use"]: row["setting"].title for row in choices if row["setting"]},
    }


def _point(setting: Setting, limits: Limits) -> dict[str, Any]:
    promise = setting.promise if setting.guaranteed else setting.promise.removeprefix("no guarantee: ")
    said = [promise, *([limits.words(setting.epsilon)] if setting.proved else []), *total_words(setting, limits)]
    return {
        "title": setting.title,
        "promise": "; ".join(filter(None, said)),
        "proved": setting.proved,
        "kept_by": {"proved": "Promise:", "form only": "Promise of form only:"}.get(setting.kept_by, "No promise:"),
        "estimates": {name: _ends(value) for name, value in setting.estimates.items()},
    }


def _ends(value: Estimate) -> dict[str, float | None]:
    return {"mean": _finite(value.mean), "low": _finite(value.low), "high": _finite(value.high)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
