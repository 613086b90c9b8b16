"""What a study found, in plain sentences, for the report and the last lines of a command."""

from __future__ import annotations

import math

from sfumato.errors import InfeasibleError
from sfumato.study.frontier import Frontier, Setting
from sfumato.study.wording import shown

__all__ = ["attack_sentence", "chosen_at_half", "finding", "utility_sentence"]


def attack_sentence(plane: Frontier) -> str:
    """What the attacker achieves with and without protection."""
    raw = plane.risk(plane.raw).mean
    known = [point for point in plane.points if not math.isnan(plane.risk(point).mean)]
    if not known:
        return f"The attack “{plane.attack}” could not be measured on any setting."
    safest = min(known, key=lambda point: plane.risk(point).mean)
    chance = "" if math.isnan(plane.chance) else f", where guessing without the release gives {shown(plane.chance)}"
    return (
        f"Unprotected, the attack “{plane.attack}” reaches {shown(raw)}{chance}; the safest setting tried "
        f"({safest.title}) brings it to {shown(plane.risk(safest).mean)}."
    )


def chosen_at_half(plane: Frontier) -> Setting | None:
    """The most useful setting that takes away half of what the attacker wins; a proved one if there is any at all."""
    (limit,) = plane.levels([0.5])
    proved = any(point.guaranteed for point in plane.points)
    try:
        return plane.best(risk_at_most=limit, guaranteed=proved)
    except InfeasibleError:
        return None


def utility_sentence(plane: Frontier) -> str:
    """What half of the attacker's advantage costs."""
    chosen = chosen_at_half(plane)
    if chosen is None:
        (limit,) = plane.levels([0.5])
        return (
            f"No setting tried takes away half of the attacker’s advantage (risk at most {shown(limit)}, counting the "
            "upper end of the 95 % interval): stronger protection or more seeds are needed."
        )
    proved = f"promise {chosen.statement}" if chosen.guaranteed else "nothing is proved about it"
    if chosen.guaranteed and len(chosen.statement) > 40:
        proved = "its promise is below"
    raw, left = shown(plane.use(plane.raw).mean), shown(plane.use(chosen).mean)
    return (
        f"Of the {'settings with a proved promise' if chosen.guaranteed else 'settings'} that take away at least half "
        f"of the attacker’s advantage, the most useful is {chosen.title} ({proved}): it leaves “{plane.utility}” at "
        f"{left}, against {raw} on the raw data ({plane.better} is better)."
    )


def finding(plane: Frontier) -> str:
    """Risk and utility of the setting that halves the attacker's advantage, in one line."""
    by_risk = sorted(
        plane.points, key=lambda point: (math.isnan(plane.risk(point).cautious), plane.risk(point).cautious)
    )
    chosen = chosen_at_half(plane) or by_risk[0]
    chance = "" if math.isnan(plane.chance) else f" (chance {shown(plane.chance)})"
    return (
        f"{chosen.title}: {plane.attack} {shown(plane.risk(plane.raw).mean)} → "
        f"{shown(plane.risk(chosen).mean)}{chance}, {plane.utility} {shown(plane.use(plane.raw).mean)} → "
        f"{shown(plane.use(chosen).mean)}"
    )
