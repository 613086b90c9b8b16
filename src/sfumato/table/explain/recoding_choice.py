"""Which of several recodings loses least on a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.errors import InfeasibleError
from sfumato.study.console import notes
from sfumato.study.rooms import command_name
from sfumato.table.core.lineage import plain_table
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.recoding.recoder import Recoder

__all__ = ["better_of"]


def better_of(recoders: Sequence[Recoder], frame: Any) -> Recoder:
    """The recoding with the smallest information loss; all losses are said. Nothing is released or paid."""
    table = plain_table(frame)
    losses: dict[int, float] = {}
    failed: InfeasibleError | None = None
    for i, recoder in enumerate(recoders):
        recoder.schema.require_roles(table.column_names)
        ready = recoder.fitted_to(table)
        try:
            losses[i] = ready.decide(summarise(table, ready.schema)[0]).information_loss
        except InfeasibleError as error:
            failed = error
    if not losses:
        assert failed is not None
        raise failed
    best = min(losses, key=lambda i: losses[i])
    found = ", ".join(f"{command_name(type(recoders[i]))} {loss:.4f}" for i, loss in losses.items())
    chosen = command_name(type(recoders[best]))
    notes.print(
        f"information loss by {found}: {chosen} is released; --mechanism says otherwise", markup=False, soft_wrap=True
    )
    return recoders[best]
