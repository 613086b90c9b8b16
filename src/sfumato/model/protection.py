"""Fit a generator to a table and release its samples; attack and measure them; check them against their card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.model.core.cohort import Cohort
from sfumato.model.examples import attack_examples, utility_examples
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.release import Check, Release, Terms
from sfumato.study.score import Finding
from sfumato.study.settings import build
from sfumato.validate import extra, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["attack", "column_names", "generator_of", "measure", "protect", "recompute"]

_HELD_OUT = "held_out"
_NETWORKS = ("noise-layer-gan", "private-gan", "variational-autoencoder")
"""What needs PyTorch, and is not known without it."""


def protect(
    frame: Any,
    columns: Sequence[str],
    *,
    mechanism: str = "noisy-marginals",
    epsilon: float | None = None,
    count: int | None = None,
    holdout: float = 0.2,
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Fit a generator to some columns of a table and release the records that it makes.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    columns : list of str
        The columns that the generator learns and makes; all others stay behind.
    mechanism : str
        ``noisy-marginals`` promises ε for every record; ``kernel-density`` promises nothing.
    epsilon : float
        The privacy loss, for a generator that promises one.
    count : int, optional
        How many records are made; by default as many as were trained on.
    holdout : float
        The probability with which a record is kept away from the generator, as one of the control group of the attacks.
        Which they are goes into the private key.
    settings : mapping, optional
        More parameters of the mechanism.
    terms : Terms, optional
        Who pays, and what is public.

    >>> from sfumato.model.data.census import make_census
    >>> domains = {"age": [0, 100, 10], "sex": ["f", "m"]}
    >>> release = protect(make_census(200), ["age", "sex"], epsilon=1.0, count=150, settings={"domains": domains})
    >>> release.data.shape
    (150, 2)
    """
    terms, generator = terms or Terms(), resolve_rng(rng)
    probability("holdout", holdout, "0 leaves no control group", zero=True)
    table = to_arrow(frame)
    names = column_names(columns, table)
    given = {"epsilon": epsilon, "count": count}
    chosen = {**(settings or {}), **{name: value for name, value in given.items() if value is not None}}
    made = generator_of(mechanism, chosen)
    # A coin for each record: a fixed share would let one record more push another one out of the training set.
    away = generator.random(table.num_rows) < holdout
    kept, held = np.flatnonzero(~away), np.flatnonzero(away)
    if not len(kept):
        raise bad_input("holdout", holdout, "some records left to train on", "lower it, or bring more records")
    released: pa.Table = to_arrow(made.release(table.select(names).take(kept), rng=generator))
    return Release.make(
        released,
        kind="model",
        mechanism=mechanism,
        guarantee=made.guarantee,
        per_person=terms.for_people(made.guarantee, frame),
        parameters={"columns": names, "settings": chosen},
        roles=dict.fromkeys(names, "synthetic"),
        not_covered=["the number of records"],
        technique="synthetic data",
        secrets={_HELD_OUT: held.tolist()},
        terms=terms,
        rng=generator,
        like=frame,
    )


def column_names(columns: Sequence[str], table: pa.Table) -> list[str]:
    """The columns that are learned, which must be there, each once."""
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise bad_input("columns", columns, "a list of columns", f'such as ["{table.column_names[0]}"]')
    names = list(columns)
    missing_columns(names, table.column_names, "the table")
    if not names or len(set(names)) != len(names):
        raise bad_input("columns", names, "at least one column, each once")
    return names


def generator_of(mechanism: str, settings: Mapping[str, Any]) -> Any:
    """The generator of this name, not fitted yet."""
    from sfumato.model.room import ROOM

    if mechanism in _NETWORKS:
        extra("torch", "model")
    return build(ROOM.mechanisms(), mechanism, settings)


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What the attacks on generated records achieve; fresh records from the private key are their control group."""
    group, seen = _cohort(original, release), release.arrow
    return [Finding.of(one, lambda one: one.attack(group, seen, rng=seeded_rng(seed))) for one, *_ in attack_examples()]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """What is left of the data in generated records."""
    group, seen = _cohort(original, release), release.arrow
    return [
        Finding.of(one, lambda one: one.measure(group, seen, rng=seeded_rng(seed))) for one, *_ in utility_examples()
    ]


def _cohort(original: Any, release: Release) -> Cohort:
    """Who was trained on and who was not, from the private key."""
    held = release.key.secrets.get(_HELD_OUT)
    if held is None:
        raise bad_input("key", None, "the private key: it says who was not trained on", "protect --key FILE writes it")
    table = to_arrow(original)
    names = release.card.mechanism.parameters["columns"]
    missing_columns(names, table.column_names, "the original")
    if not held or max(held) >= table.num_rows:
        expected = "the table that was protected, with a control group"
        raise bad_input("original", f"{table.num_rows} rows, {len(held)} held out", expected, "use --holdout")
    fresh = np.asarray(held, np.int64)
    rest = np.setdiff1d(np.arange(table.num_rows), fresh)
    return Cohort(train=table.select(names).take(rest), test=table.select(names).take(fresh))


def recompute(release: Release) -> list[Check]:
    """Check that columns and rows are those of the card, and that every value lies in its public domain."""
    checks = [Check.of_shape(release)]
    domains = release.card.mechanism.parameters.get("settings", {}).get("domains")
    if checks[0].result == "holds" and domains:
        checks.append(_domains(release.arrow, domains))
    return checks


def _domains(table: pa.Table, domains: Mapping[str, Sequence[Any]]) -> Check:
    from sfumato.model.mechanisms.noisy_marginals import bin_of

    outside = []
    for name in table.column_names:
        try:
            bin_of(table, name, domains[name])
        except (InputError, KeyError):
            outside.append(name)
    bad = f"columns with a value outside their public domain: {', '.join(outside)}"
    return Check.that("domains", not outside, "every value lies in its public domain", bad)
