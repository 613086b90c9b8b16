"""What to try on a table that somebody wants to publish."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.release import Release, Terms
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.study.own.publishing import Candidate, Proposal
from sfumato.study.score import Finding
from sfumato.study.threshold import MEAN_RISK, WORST_RECORD, Threshold
from sfumato.table.core.proposal.schema_proposal import propose_reasons, propose_schema
from sfumato.table.core.schema import Schema
from sfumato.table.protection import protect as protect_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["propose", "smallest_class"]

WORST, MEAN = "worst re-identification risk", "mean re-identification risk"
INFORMATION = "information lost"
"""Names of the attacks that are limited and of the measure that is minimised."""


def propose(
    table: pa.Table, *, decisions: Decisions | None, protect: Mapping[str, Any], limit: float | None
) -> Proposal:
    """Roles with reasons, limits, and both recodings that keep them.

    The smallest k with 1/k at most the limit is asked for, and two different values of every sensitive column in each
    class, so that no class gives its value away.
    """
    schema = Schema.read(decisions.schema) if decisions is not None and decisions.schema else propose_schema(table)
    if decisions is None:
        why = propose_reasons(table)
        roles = tuple(RoleChoice(column=name, role=role, reason=why[name]) for name, role in schema.roles.items())
        decisions = Decisions(kind="table", roles=roles, limits={WORST: WORST_RECORD, MEAN: MEAN_RISK})
    if limit is not None:
        decisions = replace(decisions, limits={**decisions.limits, WORST: Threshold.of(limit)})
    given = {**decisions.protect, **protect}
    proposed = not decisions.protect  # decisions that say how to protect are repeated as they are
    k = int(given.pop("k", 0)) or smallest_class(decisions.limits.get(WORST, WORST_RECORD).value)
    l = given.pop("l", 2 if schema.sensitive and proposed else None)  # noqa: E741 the name of the parameter in the field
    ways = [given.pop("recoding")] if "recoding" in given else ["global", "local"]
    candidates = []
    for way in ways:
        settings = {"recoding": way, "k": k, **({} if l is None else {"l": l}), **given}
        if way == "global" and proposed:
            settings.setdefault("suppression", 0.02)
        candidates.append(
            Candidate(
                name=f"{way} recoding, k = {k}" + ("" if l is None else f", l = {l}"),
                settings=settings,
                protect=partial(_protect, table, schema, settings),
                cost=_lost,
            )
        )
    return Proposal(decisions=decisions, candidates=candidates, write_schema=partial(_write_schema, schema))


def smallest_class(limit: float) -> int:
    """The smallest k with 1/k at most the limit: 12 for 0.09, since 1/11 = 0.0909 is above it.

    >>> smallest_class(0.09), smallest_class(0.2)
    (12, 5)
    """
    if not 0 < limit <= 1:
        raise bad_input("limit", limit, "a risk above 0 and at most 1")
    return math.ceil(1 / limit - 1e-12)


def _protect(table: pa.Table, schema: Schema, settings: Mapping[str, Any], terms: Terms, rng: Rng | None) -> Release:
    return protect_table(table, schema, **settings, terms=terms, rng=rng)


def _lost(measured: Sequence[Finding]) -> float:
    return next((one.score.value for one in measured if one.name == INFORMATION), math.inf)


def _write_schema(schema: Schema, folder: Path) -> str:
    schema.write(folder / "table.toml")
    return "table.toml"
