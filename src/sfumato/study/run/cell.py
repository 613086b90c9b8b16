"""One cell of a study: a mechanism and a seed, and what is measured on its release."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.errors import InfeasibleError, InputError, SfumatoError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.study.score import Attack, Score, Utility
from sfumato.study.study import RAW_LABEL, Raw, Study

__all__ = ["Cell", "Row", "Work", "cells_of", "evaluate", "parameters_of"]

Row = dict[str, Any]
"""One measurement of one cell, tidy: see :class:`sfumato.study.outcome.Outcome` for the columns."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a process needs to evaluate cells: everything of a study but its words and pictures."""

    study: str
    varied: str
    data: Any
    attacks: Sequence[Attack]
    utilities: Sequence[Utility]
    contains: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A mechanism under its label, and a seed.

    ``name`` says the cell in words that do not depend on the machine: all randomness of the cell follows from it.
    """

    study: str
    label: str
    mechanism: Mechanism
    seed: int

    @cached_property
    def name(self) -> str:
        """Study, label, mechanism, parameters and seed as JSON."""
        parts = [self.study, self.label, type(self.mechanism).__name__, parameters_of(self.mechanism), self.seed]
        return json.dumps(parts, ensure_ascii=False, sort_keys=True)

    @property
    def shown(self) -> str:
        return f"{self.label!r} {_short(repr(self.mechanism))}, seed {self.seed}"

    def rng(self, step: str) -> Rng:
        """The generator of one step of the cell (the release, or one measure), independent of all other steps.

        A study that adds an attack or a mechanism therefore changes no number that it already had.
        """
        digest = hashlib.blake2b(f"{self.name}\n{step}".encode(), digest_size=32).digest()
        return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "little")))

    def fingerprint(self, surroundings: str) -> str:
        """Identifies the result: the cell, what its mechanism has learned, and the data and measures around it."""
        learned = {name: value for name, value in vars(self.mechanism).items() if name.endswith("_")}
        content = "\n".join([surroundings, self.name, digest_of(learned)])
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def cells_of(study: Study) -> list[Cell]:
    """All cells in the order of the report: the raw data first, then label by label."""
    mechanisms: dict[str, Sequence[Mechanism]] = {RAW_LABEL: [Raw()], **study.mechanisms}
    return [
        Cell(study=study.name, label=label, mechanism=mechanism, seed=seed)
        for label, sequence in mechanisms.items()
        for mechanism in sequence
        for seed in range(study.seeds)
    ]


def evaluate(work: Work, cell: Cell) -> list[Row]:
    """Release once, then run every attack and every utility on the release.

    A measure that fails is a row without a value and with the reason, and so is every measure of a setting that the
    data cannot reach. Any other failure of the mechanism is one of the cell.
    """
    start = time.perf_counter()
    common = _describe(work, cell)
    try:
        release = cell.mechanism.release(work.data, rng=cell.rng("release"))
    except InfeasibleError as error:
        common["release_seconds"] = time.perf_counter() - start
        return [common | row for row in _without_release(work, error)]
    common["release_seconds"] = time.perf_counter() - start
    return [common | row for row in _measures(work, cell, release)]


def _measures(work: Work, cell: Cell, release: Any) -> Iterator[Row]:
    for attack in work.attacks:
        start = time.perf_counter()
        rng = cell.rng(f"attack {attack.name}")
        score = _attempt(lambda: attack.attack(work.data, release, mechanism=cell.mechanism, rng=rng))  # noqa: B023
        yield _row("attack", attack.name, "lower", score, start)
    for utility in work.utilities:
        start = time.perf_counter()
        rng = cell.rng(f"utility {utility.name}")
        score = _attempt(lambda: utility.measure(work.data, release, rng=rng))  # noqa: B023
        yield _row("utility", utility.name, utility.better, score, start)


def _attempt(measure: Callable[[], Score]) -> Score | Exception:
    """The score, or what went wrong: one measure must not end the study. A full memory must."""
    try:
        return measure()
    except MemoryError:
        raise
    except Exception as error:  # a measure may fail in any way; the others go on
        return error


def _without_release(work: Work, error: InfeasibleError) -> Iterator[Row]:
    start = time.perf_counter()
    for attack in work.attacks:
        yield _row("attack", attack.name, "lower", error, start)
    for utility in work.utilities:
        yield _row("utility", utility.name, utility.better, error, start)


def _row(kind: str, measure: str, better: str, score: Score | Exception, start: float) -> Row:
    seconds = time.perf_counter() - start
    reason = ""
    if isinstance(score, Exception):
        reason = str(score) if isinstance(score, SfumatoError) else f"{type(score).__name__}: {score}"
        score = Score(math.nan)
    if not isinstance(score, Score):
        raise bad_input(f"result of {measure}", score, "a Score")
    return {
        "kind": kind,
        "measure": measure,
        "better": better,
        "value": float(score.value),
        "low": float(score.low),
        "high": float(score.high),
        "reference": float(score.reference),
        "reason": _short(reason),
        "seconds": seconds,
    }


def _describe(work: Work, cell: Cell) -> Row:
    promise = cell.mechanism.guarantee
    return {
        "study": work.study,
        "label": cell.label,
        "mechanism": _short(repr(cell.mechanism)),
        "parameters": json.dumps(parameters_of(cell.mechanism), ensure_ascii=False, sort_keys=True),
        "varied": _number(getattr(cell.mechanism, work.varied, math.nan)),
        "seed": cell.seed,
        "promise": str(promise),
        "statement": promise.statement,
        "guaranteed": not promise.vacuous,
        "syntactic": promise.syntactic,
        "unit": promise.unit,
        "neighbours": promise.neighbours,
        "model": promise.model,
        "epsilon": _epsilon(promise),
        "totals": json.dumps(_totals(promise, work.contains.get(promise.unit, {})), ensure_ascii=False),
    }


def _epsilon(promise: Guarantee) -> float:
    """The ε of a promise about neighbours; one that counts per distance has none that can be called strong or weak."""
    return math.nan if promise.by_distance else _number(getattr(promise, "epsilon", math.nan))


def _totals(promise: Guarantee, holders: Mapping[str, int]) -> list[list[Any]]:
    """For each holder of several units: who, how many units, what is promised for all of them, and its ε."""
    totals: list[list[Any]] = []
    by_distance = all(part.by_distance for part in (promise.parts or {"": promise}).values())
    for holder, size in holders.items() if not (promise.vacuous or promise.syntactic) else ():
        if by_distance and size > 1:
            totals.append([holder, size, "ε times the sum of the distances", None])
            continue
        try:
            whole = promise.over(size, unit=holder)
        except InputError:  # nothing is proved about groups
            totals.append([holder, size, "", None])
        else:
            epsilon = _epsilon(whole)
            totals.append([holder, size, whole.statement, None if math.isnan(epsilon) else epsilon])
    return totals


def parameters_of(mechanism: Mechanism) -> dict[str, Any]:
    """The parameters as JSON values; what JSON cannot hold is named by its kind and a digest of its content."""
    return {name: _json_value(value) for name, value in mechanism.get_params().items()}


def _json_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mechanism):
        return {type(value).__name__: parameters_of(value)}
    if is_dataclass(value) and not isinstance(value, type):  # a promise as a target, say
        return {type(value).__name__: {item.name: _json_value(getattr(value, item.name)) for item in fields(value)}}
    if isinstance(value, (list, tuple)) and len(value) <= 16:
        return [_json_value(item) for item in value]
    if isinstance(value, Mapping) and len(value) <= 16:
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        value = set(value)  # whose digest does not depend on the order of its members, unlike that of a frozenset
    return f"{type(value).__name__} {digest_of(value)}"


def digest_of(value: Any) -> str:
    """A digest of the content of any value that pickles, equal in every process."""
    import joblib  # type: ignore[import-untyped]

    try:
        return str(joblib.hash(value))
    except Exception as error:  # pickling fails in as many ways as there are types
        raise SfumatoError(
            f"a {type(value).__name__} of the study cannot be pickled ({type(error).__name__}): "
            "define classes and functions at the top of a module"
        ) from error


def _number(value: Any) -> float:
    usable = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return float(value) if usable else math.nan


def _short(text: str, most: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
