"""The certificate of a release: the pages that a data-protection officer files, made from the card alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.release.card import Card, Risk, Use
from sfumato.release.issuance import OWNER_ONLY
from sfumato.study.report.rendering import page_file, write_page
from sfumato.study.wording import GREEK, count, listed, shown

__all__ = ["CRITERIA", "strongest", "strongest_of", "write_certificate"]

CRITERIA = {
    "singling out": "possibility to isolate some or all records which identify an individual in the dataset",
    "linkability": "ability to link, at least, two records concerning the same data subject or a group of data "
    "subjects",
    "inference": "possibility to deduce, with significant probability, the value of an attribute from the values of a "
    "set of other attributes",
}
"""The three tests of the Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP 216), section 2.2.2,
quoted."""

_SHARING = {
    "": "not stated",
    "open": "open: anyone can get it",
    "controlled": "access-controlled",
    "named": "a named recipient",
}


def strongest(card: Card, criterion: str) -> Risk | None:
    """The attack of this criterion that achieved most beyond chance; None if none was tried."""
    return strongest_of(card.risk, criterion)


def strongest_of(risks: Iterable[Risk], criterion: str) -> Risk | None:
    """The attack of this criterion that achieved most beyond chance; None if none was tried."""
    tried = [risk for risk in risks if risk.criterion == criterion and not math.isnan(risk.score)]
    return max(tried, key=_beyond_chance, default=None)


def write_certificate(card: Card, path: str | Path, *, risk: Sequence[Risk] = (), utility: Sequence[Use] = ()) -> None:
    """Write the certificate of a release as one HTML page. The same card gives the same page.

    It is measured evidence, not a legal finding, and says so.

    Parameters
    ----------
    risk, utility
        What was measured, where the card leaves it out because a proved promise does not cover it. The page then says
        that it is internal.
    """
    withheld = OWNER_ONLY in card.not_covered
    internal = withheld and bool(risk or utility)
    if internal:
        card = replace(card, risk=tuple(risk), utility=tuple(utility))
    rows = []
    for criterion, quoted in CRITERIA.items():
        found = strongest(card, criterion)
        result = "kept by the owner" if withheld and not internal else _result(found)
        rows.append({"criterion": criterion, "quoted": quoted, "risk": found, "result": result})
    words = {
        "card": card,
        "internal": internal,
        "withheld": withheld,
        "verdict": _verdict(card),
        "limits": _limits(card),
        "criteria": rows,
        "sharing": _SHARING.get(card.context.sharing_model, card.context.sharing_model),
        "assumptions": _assumptions(card),
        "composition": _composition(card),
        "shown": shown,
        "plain": plain,
        "known": lambda value: value is not None and not math.isnan(value),
        "promise_heading": "The form of the release" if card.promise.get("syntactic") else "What was promised",
        "roles": _roles(card),
    }
    write_page("certificate.html.j2", path, words, {"css": page_file("page.css") + page_file("certificate.css")})


def _beyond_chance(risk: Risk) -> float:
    """How much of the way from chance to certainty an attack got; what is no share is compared as it is."""
    chance = 0.0 if math.isnan(risk.chance) else risk.chance
    return (risk.score - chance) / (1 - chance) if 0 <= risk.score <= 1 and chance < 1 else risk.score - chance


def _result(risk: Risk | None) -> str:
    if risk is None:
        return "not tested"
    return {True: "met", False: "not met", None: "no limit set"}[risk.met]


def _verdict(card: Card) -> str:
    content = card.release
    what = f"{count(content.rows, 'row')}" if content.rows is not None else "A release"
    columns = f" with {count(len(content.columns), 'column')}" if content.columns else ""
    to = f" {card.context.recipient}" if card.context.recipient else " a recipient who is not named here"
    until = f" This is valid until {card.valid_until}." if card.valid_until else " No date is set for its review."
    if card.promise["kind"] == "NoGuarantee":
        return f"{what}{columns} for{to}. Nothing is promised: {card.promise['statement'].partition(': ')[2]}.{until}"
    form = "in this form" if card.promise.get("syntactic") else "under this promise"
    return f"{what}{columns} for{to}, {form}: {card.promised}.{until}"


def _limits(card: Card) -> str:
    limited = [risk for risk in card.risk if risk.threshold is not None]
    broken = [risk for risk in limited if risk.met is False]
    if not limited:
        return "No limit was set, so nothing here is recommended."
    if broken:
        return (
            f"{count(len(broken), 'limit')} of {len(limited)} not met: "
            + "; ".join(f"{risk.attack} {shown(risk.score)}, limit {shown(risk.threshold or 0.0)}" for risk in broken)
            + "."
        )
    return f"All {len(limited)} limits that were set are met." if len(limited) > 1 else "The limit that was set is met."


def _assumptions(card: Card) -> list[tuple[str, str]]:
    written = (card.promise.get("parameters") or {}).get("assumptions") or []
    return [
        (str(one.get("what")), str(one.get("source") or "not declared: the promise holds only if it is public"))
        for one in written
    ]


def _composition(card: Card) -> str:
    """What several releases lose together, in one sentence; nothing where the promise is one of form, or none."""
    promise = card.guarantee
    if promise is None or promise.syntactic or promise.vacuous:
        return ""
    if promise.obstacle:
        return promise.obstacle[0].upper() + promise.obstacle[1:] + "."
    names = [GREEK[name] for name in promise.losses if name in GREEK]
    what = f" ({listed(names)})" if names else ""
    return f"Several releases about the same data lose together at most the sum of what each loses{what}."


def _roles(card: Card) -> dict[str, list[str]]:
    roles: dict[str, list[str]] = {}
    for column in card.release.columns:
        roles.setdefault(column.role, []).append(column.name)
    return roles


def plain(value: Any) -> str:
    """A parameter as a reader sees it."""
    if isinstance(value, float):
        return shown(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    return "not set" if value is None else str(value)
