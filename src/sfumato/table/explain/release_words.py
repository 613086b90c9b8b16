"""What the owner is told of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.study.console import notes
from sfumato.table.tabular_release import certain_secrets

if TYPE_CHECKING:
    from sfumato.table.mechanisms.recoding.recoder import Decision
    from sfumato.table.people.joined_decision import JoinedDecision
    from sfumato.table.tabular_release import TabularRelease

__all__ = ["decision_words", "warn_of_certainty"]


def decision_words(decision: Decision | JoinedDecision) -> str:
    """What was decided, for the owner."""
    sizes = decision.sizes
    found = (
        f"information loss {decision.information_loss:.5f}, {len(sizes)} classes of {sizes.min()} to {sizes.max()}, "
        f"{decision.suppressed} records suppressed, levels {decision.levels}"
    )
    if decision.gap is None:
        return found
    looked = f"{decision.evaluated} of {decision.nodes} combinations of levels looked at"
    if decision.proved:
        return f"{found} (optimal: {looked}, the rest excluded)"
    return (
        f"{found} (no combination of levels loses over {decision.gap:.1%} less; {looked}; more time, "
        "--set seconds=300, narrows the gap, and --mechanism local-recoding loses less)"
    )


def warn_of_certainty(release: TabularRelease) -> None:
    """Say of how many people a secret follows for certain, because all who look like them have the same value."""
    for name, share in certain_secrets(release).items():
        notes.print(
            f"warning: {name} is certain for {share:.1%} of the records, whose class has one value; --l 2 prevents it",
            markup=False,
            soft_wrap=True,
        )
