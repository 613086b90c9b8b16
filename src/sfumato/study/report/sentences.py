"""What a study found, in plain sentences, for the report and the last lines of a command."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sfumato.errors import InfeasibleError
from sfumato.study.frontier import Frontier, Setting
from sfumato.study.report.edition import recommended
from sfumato.study.threshold import Limits, Threshold
from sfumato.study.wording import count, listed, shown

__all__ = [
    "attack_sentence",
    "done_sentence",
    "finding",
    "limit_sentence",
    "no_limit_sentence",
    "promise_words",
    "total_words",
    "unknown_total",
]


def done_sentence(plane: Frontier, *, labels: int, seeds: int, attacks: int, utilities: int) -> str:
    """What was tried."""
    unproved = sorted({f"“{point.label}”" for point in plane.points if not point.guaranteed})
    form = sorted({f"“{point.label}”" for point in plane.points if point.syntactic})
    warning = f"; nothing is proved about {listed(unproved)}" if unproved else ""
    warning += f"; of form only is the promise of {listed(form)}" if form else ""
    times = {1: "once", 2: "twice"}.get(seeds, f"{seeds} times")
    return (
        f"{count(len(plane.points), 'setting')} of {count(labels, 'mechanism')} "
        f"{'was' if len(plane.points) == 1 else 'were'} tried, each {times}, against "
        f"{count(attacks, 'attack')} and for {count(utilities, 'use')} of the data{warning}."
    )


def attack_sentence(plane: Frontier) -> str:
    """What the attacker achieves with and without protection."""
    raw = plane.risk(plane.raw).mean
    known = [point for point in plane.points if not math.isnan(plane.risk(point).mean)]
    if not known:
        return f"The attack “{plane.attack}” could not be measured on any setting."
    safest = min(known, key=lambda point: plane.risk(point).mean)
    chance = "" if math.isnan(plane.chance) else f", where guessing without the release gives {shown(plane.chance)}"
    return (
        f"Unprotected, the attack “{plane.attack}” reaches {shown(raw)}{chance}; the lowest of all settings tried is "
        f"{shown(plane.risk(safest).mean)} ({safest.title})."
    )


def no_limit_sentence(plane: Frontier, customary: Mapping[str, Threshold]) -> str:
    """That nothing is recommended yet, and how many settings keep the customary limits."""
    kept = [
        f"{_many(len(plane.within({attack: limit})), len(plane.points))} keep{_s(plane, attack, limit)} the customary "
        f"{shown(limit.value)} on “{attack}”"
        for attack, limit in customary.items()
    ]
    words = f"; {listed(kept)}" if kept else ""
    return f"No limit on the risk was named, so nothing is recommended{words}."


def _s(plane: Frontier, attack: str, limit: Threshold) -> str:
    return "" if len(plane.within({attack: limit})) > 1 else "s"


def _many(kept: int, tried: int) -> str:
    return f"none of the {tried}" if kept == 0 else f"{kept} of {count(tried, 'setting')}"


def limit_sentence(
    plane: Frontier, limits: Limits, customary: Mapping[str, Threshold], exact: Frontier | None = None
) -> str:
    """The most useful setting within the limits that the reader named, or that there is none.

    ``exact`` decides where ``plane`` has rounded numbers.
    """
    try:
        chosen = recommended(plane, exact or plane, limits.risks)
    except InfeasibleError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}: stronger protection or more seeds are needed."
    if chosen is None:
        return no_limit_sentence(exact or plane, customary)
    named = listed([f"“{attack}” at most {shown(limit.value)}" for attack, limit in limits.risks.items()])
    plural = "s" if len(limits.risks) > 1 else ""
    raw, left = shown(plane.use(plane.raw).mean), shown(plane.use(chosen).mean)
    return (
        f"Within the limit{plural} named, {named}, the most useful setting is {chosen.title} "
        f"({promise_words(chosen, limits)}): it leaves “{plane.utility}” at {left}, against {raw} on the raw data "
        f"({plane.better} is better)."
    )


def promise_words(setting: Setting, limits: Limits) -> str:
    """The promise of a setting in a clause; an ε with what it is called and what it adds up to."""
    if not setting.guaranteed:
        return "nothing is proved about it"
    if setting.syntactic:
        return f"{setting.statement}, a promise about form only"
    said = f"promise {setting.statement} per {setting.unit}" if len(setting.statement) <= 40 else "its promise is below"
    words = [said, limits.words(setting.epsilon), *total_words(setting, limits), unknown_total(setting)]
    return "; ".join(word for word in words if word)


def total_words(setting: Setting, limits: Limits) -> list[str]:
    """What the promise of a setting is worth to those who hold several of its units, one clause each."""
    if not setting.proved:
        return []
    said = []
    for total in setting.totals:
        if total.size == 0:  # not said in this edition
            grade = limits.words(total.epsilon)
            said += [f"for a {total.holder} in total {grade}"] if grade else []
            continue
        whole = f"{total.holder} with {count(total.size, setting.unit)}"
        if not total.statement:
            said.append(f"nothing is proved for a {whole} in total")
            continue
        grade = limits.words(total.epsilon)
        said.append(f"in total {total.statement} for a {whole}" + (f", {grade}" if grade else ""))
    return said


def unknown_total(setting: Setting) -> str:
    """That the ε of a person with several units is more than printed, where the study does not know how much."""
    if not setting.proved or setting.totals or math.isnan(setting.epsilon) or setting.unit in ("person", "user"):
        return ""
    return f"for a person with several {setting.unit}s it adds up: how many one has is not known here"


def finding(plane: Frontier, limits: Limits) -> str:
    """What was found, in one line: with limits the setting within them, without any how far the risk can be lowered."""
    try:
        chosen = plane.recommended(limits.risks)
        note = f"; {promise_words(chosen, limits)}" if chosen else "; no limit named, nothing recommended"
    except InfeasibleError as error:
        chosen, note = None, f"; {error}"
    known = [point for point in plane.points if not math.isnan(plane.risk(point).cautious)]
    if chosen is None and not known:
        return f"{plane.attack} could not be measured"
    shown_one = chosen or min(known, key=lambda point: plane.risk(point).cautious)
    chance = "" if math.isnan(plane.chance) else f" (chance {shown(plane.chance)})"
    which = f"{shown_one.title}: " if chosen else f"lowest risk with {shown_one.title}: "
    return (
        f"{which}{plane.attack} {shown(plane.risk(plane.raw).mean)} → "
        f"{shown(plane.risk(shown_one).mean)}{chance}, {plane.utility} {shown(plane.use(plane.raw).mean)} → "
        f"{shown(plane.use(shown_one).mean)}{note}"
    )
