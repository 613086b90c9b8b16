"""Protect answers of comparisons in one call, attack and measure the release, and check it against its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.io.frames import column as column_of
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.party.core.answers import answer_array
from sfumato.party.examples import attacks_on, utilities_of
from sfumato.party.mechanisms.private_count import PrivateCount
from sfumato.release import Check, Release, Terms
from sfumato.study.score import Finding
from sfumato.study.settings import build

__all__ = ["attack", "measure", "protect", "recompute"]


def protect(
    frame: Any,
    column: str,
    *,
    mechanism: str = "private-answers",
    epsilon: float | None = None,
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release answers of comparisons, each turned by a coin, or their noisy number.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    column : str
        The column with the answers, 0 or 1 each; all others stay behind.
    mechanism : {"private-answers", "private-count"}
    epsilon : float
        The privacy loss of each answer.
    settings : mapping, optional
        More parameters of the mechanism.
    terms : Terms, optional
        Who pays, and what is public.

    >>> from sfumato.party.data import make_bids
    >>> protect(make_bids(5), "at_least", epsilon=1.0).data.shape
    (5, 1)
    """
    import pyarrow as pa

    from sfumato.party.room import ROOM

    terms, generator = terms or Terms(), resolve_rng(rng)
    chosen = {**(settings or {}), **({} if epsilon is None else {"epsilon": epsilon})}
    made = build(ROOM.mechanisms(), mechanism, chosen)
    data = answer_array(f"column {column!r}", column_of(frame, column), least=1)
    counted = isinstance(made, PrivateCount)
    released = np.atleast_1d(made.release(data, rng=generator))
    name = "number" if counted else column
    return Release.make(
        pa.table({name: released}),
        kind="party",
        mechanism=mechanism,
        guarantee=made.guarantee,
        per_person=terms.for_people(made.guarantee, frame),
        parameters={"column": column, "settings": chosen},
        roles={name: "statistic" if counted else "protected"},
        rows=None if counted else np.arange(len(released)),
        ordered=counted,
        not_covered=["the number of answers"],
        technique="aggregate statistic with noise" if counted else "randomised response",
        terms=terms,
        rng=generator,
        like=frame,
    )


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What an attacker infers of the answers; the card says by which mechanism they were released."""
    rng, made = seeded_rng(seed), _mechanism(release)
    data, seen = _both(original, release)
    return [Finding.of(one, lambda one: one.attack(data, seen, mechanism=made, rng=rng)) for one in attacks_on(made)]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What is left of the answers."""
    rng = seeded_rng(seed)
    data, seen = _both(original, release)
    return [Finding.of(one, lambda one: one.measure(data, seen, rng=rng)) for one in utilities_of(_mechanism(release))]


def recompute(release: Release) -> list[Check]:
    """Check that columns and rows are those of the card, and that answers are zeros and ones."""
    checks = [Check.of_shape(release)]
    if checks[0].result == "holds" and not isinstance(_mechanism(release), PrivateCount):
        values = release.arrow[_column(release)].to_pylist()
        good, bad = "all are 0 or 1", "some are neither 0 nor 1"
        checks.append(Check.that("answers", all(value in (0, 1) for value in values), good, bad))
    return checks


def _mechanism(release: Release) -> Any:
    """The mechanism from the card; None for exact answers of a protocol."""
    from sfumato.party.room import ROOM

    method = release.card.mechanism
    if method.name not in ROOM.mechanisms():
        return None
    return build(ROOM.mechanisms(), method.name, method.parameters["settings"])


def _column(release: Release) -> str:
    return release.card.release.columns[0].name


def _both(original: Any, release: Release) -> tuple[Any, Any]:
    """The answers beside those of the release, in the order of the release; a count as it is."""
    data = answer_array("original", column_of(original, str(release.card.mechanism.parameters["column"])))
    seen = release.arrow[_column(release)].to_numpy()
    if isinstance(_mechanism(release), PrivateCount):
        return data, seen
    return data[release.input_rows(len(data))], seen
