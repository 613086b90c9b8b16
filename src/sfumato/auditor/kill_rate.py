"""How good the auditor is: the share of mutants that it catches."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.auditor.auditor import Inquiry
from sfumato.auditor.case import AuditCase
from sfumato.auditor.mutate import KINDS, Mutant, mutants_of
from sfumato.noise import Rng

__all__ = ["Kill", "hunt", "kill_table"]


@dataclass(frozen=True, eq=False)
class Kill:
    """One mutant and what became of it."""

    mutant: Mutant
    caught: bool
    by: str
    seconds: float


def hunt(case: AuditCase, *, confidence: float, rng: Rng) -> Iterator[Kill]:
    """Audit every mutant of a case by its releases, as :func:`~sfumato.audit` does and with the same error probability.

    As many releases are looked at as of the original: of one that makes them one by one, no more than that.
    The claimed law and the inputs are those of the mechanism that the mutant comes from, so that only the parts that
    look at releases can tell: the fit first, and if it finds nothing, the sampling.
    """
    for mutant in mutants_of(case, rng):
        started = time.process_time()
        by = _caught_by(mutant.case, case.sampler is not None, confidence, rng)
        yield Kill(mutant, bool(by), by, time.process_time() - started)


def _caught_by(case: AuditCase, in_batches: bool, confidence: float, rng: Rng) -> str:
    measures = case.mechanism.guarantee.yardsticks()
    inquiry = Inquiry(case, measures, None, 1 - confidence, confidence, rng, in_batches)
    try:
        inquiry.fit()
        if inquiry.misfit is not None:
            return "fit"
        inquiry.releases(alone=False)
    except Exception as error:  # a release that its own law cannot read, NaN, other shapes: noticed, by an error
        return f"error ({type(error).__name__})"
    return "releases" if any(finding.broken for finding in inquiry.findings) else ""


def kill_table(kills: Iterable[Kill]) -> list[dict[str, Any]]:
    """One row for each mistake, and a last one for all: how many break the promise, and the share caught of these.

    ``within`` counts mutants that keep the promise within 5 % on the pairs of the case, ``unknown`` those of
    mechanisms without a law; neither is in the share.
    """
    every = list(kills)
    rows = []
    for kind in (*KINDS, "all"):
        group = [kill for kill in every if kind in ("all", kill.mutant.kind)]
        if not group:
            continue
        breaking = [kill for kill in group if kill.mutant.breaks]
        rows.append(
            {
                "mistake": kind,
                "mutants": len(group),
                "breaking": len(breaking),
                "caught": sum(kill.caught for kill in breaking),
                "share": sum(kill.caught for kill in breaking) / len(breaking) if breaking else float("nan"),
                "within": sum(kill.mutant.breaks is False for kill in group),
                "unknown": sum(kill.mutant.breaks is None for kill in group),
                "seconds": round(sum(kill.seconds for kill in group), 1),
            }
        )
    return rows
