"""Protect one column of a table in one call, attack and measure the release, and check it against its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.io.frames import numbers
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.party.examples import attack_examples, utility_examples
from sfumato.release import Check, Release, Terms
from sfumato.study.score import Finding
from sfumato.study.settings import build

__all__ = ["attack", "measure", "protect", "recompute"]


def protect(
    frame: Any,
    column: str,
    *,
    mechanism: str = "party-noise",
    epsilon: float | None = None,
    low: float | None = None,
    high: float | None = None,
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Release the column with noise added to each number: ε-LDP for each.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    column : str
        The only column that leaves; all others stay behind.
    mechanism : str
    epsilon : float
    low, high : float
        Public bounds of the numbers.
    settings : mapping, optional
        More parameters of the mechanism.
    terms : Terms, optional
        Who pays, and what is public.

    >>> from sfumato.party.data import make_party
    >>> protect(make_party(5), "value", epsilon=1.0, low=0.0, high=100.0).data.shape
    (5, 1)
    """
    import pyarrow as pa

    from sfumato.party.room import ROOM

    terms, generator = terms or Terms(), resolve_rng(rng)
    given = {"epsilon": epsilon, "low": low, "high": high}
    chosen = {**(settings or {}), **{name: value for name, value in given.items() if value is not None}}
    made = build(ROOM.mechanisms(), mechanism, chosen)
    released = np.asarray(made.release(numbers(frame, column), rng=generator))
    return Release.make(
        pa.table({column: released}),
        kind="party",
        mechanism=mechanism,
        guarantee=made.guarantee,
        per_person=terms.for_people(made.guarantee, frame),
        parameters={"column": column, "settings": chosen},
        roles={column: "protected"},
        rows=np.arange(len(released)),
        not_covered=["the number of records"],
        technique="noise addition",
        terms=terms,
        rng=generator,
        like=frame,
    )


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What the attacks of this kind of data achieve; the card says by which mechanism the release was made."""
    data, seen, rng = *_both(original, release), seeded_rng(seed)
    return [
        Finding(name=one.name, score=one.attack(data, seen, rng=rng), criterion=one.criterion, knows=one.knows)
        for one, *_ in attack_examples()
    ]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What is left of the data."""
    data, seen, rng = *_both(original, release), seeded_rng(seed)
    return [
        Finding(name=one.name, score=one.measure(data, seen, rng=rng), better=one.better)
        for one, *_ in utility_examples()
    ]


def recompute(release: Release) -> list[Check]:
    """Check that columns and rows are those of the card."""
    named = [column.name for column in release.card.release.columns]
    same = release.arrow.column_names == named and release.arrow.num_rows == release.card.release.rows
    words = "columns and rows are those of the card" if same else "columns or rows differ from the card"
    return [Check(name="columns", result="holds" if same else "fails", words=words)]


def _both(original: Any, release: Release) -> tuple[Any, Any]:
    """The numbers of the input beside those of the release, in the order of the release."""
    column = release.card.mechanism.parameters["column"]
    data = numbers(original, column)
    return data[release.input_rows(len(data))], numbers(release.arrow, column)
