"""What to try on a log that somebody wants to publish."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.activity.examples import attack_examples
from sfumato.activity.protection import protect as protect_log
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.release import Release, Terms
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.study.own.publishing import Candidate, Proposal
from sfumato.study.score import Finding
from sfumato.study.threshold import WORST_RECORD, Threshold

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["propose"]

LOST = "error of co-occurrence"
"""The measure that is minimised."""

_USUAL = {
    "user": ("user", "user_id", "userid", "person", "badge", "client", "account", "device"),
    "item": ("item", "item_id", "domain", "url", "page", "host", "place", "venue", "room", "app", "product"),
    "time": ("time", "timestamp", "datetime", "date", "when", "ts"),
}


def propose(
    table: pa.Table, *, decisions: Decisions | None, protect: Mapping[str, Any], limit: float | None
) -> Proposal:
    """The columns of the log, a limit on linkage, and groups for all windows by two rules.

    The smallest k with 1/k at most the limit is asked for. The groups are the same in all windows, so that whoever
    links the windows links groups.
    """
    decided = decisions or Decisions(kind="activity")
    given = {**decided.protect, **protect}
    for role in _USUAL:
        given.setdefault(role, _column(table, role))
    if decisions is None:
        roles = [RoleChoice(column=given[role], role=role, reason="named like one") for role in _USUAL]
        roles += [
            RoleChoice(column=name, role="left behind", reason="only who, what and when are used")
            for name in table.column_names
            if name not in [given[role] for role in _USUAL]
        ]
        names = dict.fromkeys(one.name for one, *_ in attack_examples() if not hasattr(one, "needs"))
        decided = replace(decided, roles=tuple(roles), limits=dict.fromkeys(names, WORST_RECORD))
    if limit is not None:
        decided = replace(decided, limits=dict.fromkeys(decided.limits, Threshold.of(limit)))
    if given.get("mechanism", "grouped-rows") != "grouped-rows":  # tried once, as asked
        named = Candidate(
            name=str(given["mechanism"]), settings=given, protect=partial(_protect, table, given), cost=_lost
        )
        return Proposal(decisions=replace(decided, protect=given), candidates=[named])
    largest = max((one.value for one in decided.limits.values()), default=WORST_RECORD.value)
    if not 0 < largest <= 1:
        raise bad_input("limit", largest, "a risk above 0 and at most 1")
    k = int(given.pop("k", 0)) or math.ceil(1 / largest - 1e-12)
    candidates = []
    for grouping in ("mdav", "k-member"):
        more = {**dict(given.get("settings", {})), "grouping": grouping}
        settings = {**given, "mechanism": "grouped-rows", "k": k, "settings": more}
        candidates.append(
            Candidate(
                name=f"groups of {k} for all windows, {grouping}",
                settings=settings,
                protect=partial(_protect, table, settings),
                cost=_lost,
            )
        )
    return Proposal(decisions=decided, candidates=candidates)


def _column(table: pa.Table, role: str) -> str:
    lower = {name.lower(): name for name in table.column_names}
    found = [lower[name] for name in _USUAL[role] if name in lower]
    if not found:
        raise bad_input(role, list(table.column_names), f"a column of the {role}s", f"say --set {role}=NAME")
    return found[0]


def _protect(table: pa.Table, settings: Mapping[str, Any], terms: Terms, rng: Rng | None) -> Release:
    return protect_log(table, **settings, terms=terms, rng=rng)


def _lost(measured: Sequence[Finding]) -> float:
    return next((one.score.value for one in measured if one.name == LOST), math.inf)
