"""The battery of attacks that a release of a table goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.release import Release
from sfumato.table.attacks.background_knowledge import BackgroundKnowledgeAttack
from sfumato.table.attacks.de_finetti import DeFinettiAttack
from sfumato.table.attacks.deliveries.intersection import IntersectionAttack
from sfumato.table.attacks.deliveries.joined_view import JoinedViewAttack
from sfumato.table.attacks.deliveries.succession import SuccessionAttack
from sfumato.table.attacks.group_values import GroupValuesAttack
from sfumato.table.attacks.homogeneity import HomogeneityAttack
from sfumato.table.attacks.minimality import MinimalityAttack
from sfumato.table.attacks.nearness.likeness_value import LikenessValueAttack
from sfumato.table.attacks.nearness.linkage import LinkageAttack
from sfumato.table.attacks.nearness.nearest_value import NearestValueAttack
from sfumato.table.attacks.nearness.table_membership import MembershipAttack
from sfumato.table.attacks.posterior import PosteriorAttack
from sfumato.table.attacks.reidentification import ReidentificationAttack
from sfumato.table.attacks.revealing import RevealingAttack
from sfumato.table.attacks.skew import SkewAttack
from sfumato.table.core.schema import Schema
from sfumato.table.mechanisms.anatomy import Anatomy
from sfumato.table.promise.base import table_promises

__all__ = ["attacks_on"]


def attacks_on(
    schema: Schema,
    column: str | None,
    *,
    mechanism: Any = None,
    previous: Sequence[Release] = (),
    control: Any = None,
) -> list[Any]:
    """The attacks on a release of ``mechanism`` (by default recoding); those on a secret only if there is a sensitive
    ``column``.

    Quasi-identifiers that became numbers of no value of their columns can only be linked by distance. Sensitive values
    in a table of their own are looked up by group. Where sensitive columns are generalised or made up too, values are
    guessed from records like a person's. ``control`` are people who are not in the table.
    """
    like: list[Any] = [] if column is None else [LikenessValueAttack(schema=schema, column=column, control=control)]
    if control is not None:
        like.append(MembershipAttack(schema=schema, control=control))
    moved = set(getattr(mechanism, "columns", schema.quasi)) if getattr(mechanism, "new_numbers", False) else set()
    if moved & set(schema.quasi):
        by_value = [] if column is None else [NearestValueAttack(schema=schema, column=column)]
        return [LinkageAttack(schema=schema), *by_value]  # likeness asks which labels cover a value: these cover none
    attacks: list[Any] = [
        ReidentificationAttack(schema=schema),
        ReidentificationAttack(schema=schema, statistic="quantile"),
        ReidentificationAttack(schema=schema, statistic="mean"),
        PosteriorAttack(schema=schema),
    ]
    if getattr(mechanism, "channels", None):  # Bayes' rule leads where noise and sampling have a law
        attacks = [PosteriorAttack(schema=schema, statistic="worst"), attacks.pop(), *attacks]
    if isinstance(mechanism, Anatomy):
        attacks += [
            GroupValuesAttack(schema=schema, column=mechanism.column),
            GroupValuesAttack(schema=schema, column=mechanism.column, statistic="mean"),
        ]
    elif column is not None and not getattr(mechanism, "covers_all", False):
        attacks += [
            RevealingAttack(schema=schema, column=column, variant="values"),
            RevealingAttack(schema=schema, column=column, variant="share"),
            RevealingAttack(schema=schema, column=column, variant="share", statistic="mean"),
            HomogeneityAttack(schema=schema, column=column),
            BackgroundKnowledgeAttack(schema=schema, column=column),
            SkewAttack(schema=schema, column=column),
        ]
        rules = [rule.column for promise in table_promises(getattr(mechanism, "target", ())) for rule in promise.rules]
        if column in rules:  # classes chosen by looking at the secret: neither l nor t bounds these two
            attacks.append(DeFinettiAttack(schema=schema, column=column))
        if set(rules) == {column}:
            attacks.append(MinimalityAttack(schema=schema, column=column))
    if not isinstance(mechanism, Anatomy):
        attacks += like
    if getattr(mechanism, "covers_all", False):
        return attacks
    seen: dict[str, Any] = {"schema": schema, "previous": previous}
    if schema.person is not None or previous:
        attacks += [JoinedViewAttack(**seen), JoinedViewAttack(**seen, statistic="mean")]
    if previous and column is not None:
        attacks.append(IntersectionAttack(**seen, column=column))
    if any(getattr(promise, "successors", False) for promise in getattr(mechanism, "target", ())):
        attacks += [] if column is None else [SuccessionAttack(**seen, column=column)]
        attacks += [JoinedViewAttack(**seen, told=True), JoinedViewAttack(**seen, statistic="mean", told=True)]
    return attacks
