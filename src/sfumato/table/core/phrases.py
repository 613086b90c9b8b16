"""Promises, steps and methods in words, for ``table.toml`` and the command line: ``t-closeness column=illness t=0.2``.

A phrase is a name and the parameters of the class it stands for. Values are numbers, true or false, or text; text with
spaces stands in quotes, a list is written with commas.
"""

from __future__ import annotations

import dataclasses
import importlib
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.promise import Guarantee
from sfumato.table.core.schema import Schema

__all__ = ["COLUMNS", "RECODING", "method_of", "promise_of"]

COLUMNS, RECODING = "columns", "recoding"
"""The method that takes steps for each column, and the one that recodes until promises are kept."""

_TABLE = "sfumato.table"
_PROMISES = {
    "k-anonymity": ("sfumato.promise", "KAnonymity"),
    "l-diversity": (_TABLE, "LDiversity"),
    "recursive-diversity": (_TABLE, "RecursiveDiversity"),
    "t-closeness": (_TABLE, "TCloseness"),
    "delta-presence": (_TABLE, "DeltaPresence"),
    "risk": (_TABLE, "ReidentificationRisk"),
    "uniqueness": (_TABLE, "PopulationUniqueness"),
}
_STEPS = {
    "generalise": (_TABLE, "Generalise"),
    "noise": (_TABLE, "NumberNoise"),
    "category-noise": (_TABLE, "CategoryNoise"),
    "swap": (_TABLE, "Swap"),
    "top-bottom": (_TABLE, "TopBottom"),
    "suppress": (_TABLE, "Suppress"),
}
_METHODS = {
    COLUMNS: (_TABLE, "ColumnMethods"),
    "micro-aggregation": (_TABLE, "Microaggregation"),
    "k-member": (_TABLE, "GreedyKMember"),
    "swapping": (_TABLE, "Swapping"),
    "anatomy": (_TABLE, "Anatomy"),
    "sampling": (_TABLE, "Sampling"),
    "record-suppression": (_TABLE, "RecordSuppression"),
    "additive-noise": (_TABLE, "AdditiveNoise"),
    "correlated-noise": (_TABLE, "CorrelatedNoise"),
}
_HIDDEN = {"unit", "neighbours", "model", "schema", "sizes"}  # not for phrases
_LISTS = {"columns", "values", "allowed", "always"}


def promise_of(phrase: str) -> Guarantee:
    """A promise in words.

    >>> promise_of("l-diversity l=3 column=illness kind=entropy").statement
    'entropy l = 3 for illness'
    """
    name, given = _read("promise", phrase)
    return _make("promise", _PROMISES, name, given)


def method_of(phrase: str, schema: Schema, steps: Mapping[str, Sequence[str]] | None = None) -> Mechanism | None:
    """A method in words, with the ``steps`` of each column for the method ``columns``; None for recoding.

    >>> from sfumato.table import Hierarchy
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> method_of("columns rate=0.9", schema, {"age": ["noise scale=2", "generalise level=1"]}).rate
    0.9
    """
    name, given = _read("method", phrase)
    if name == RECODING:
        if given:
            raise bad_input("method", phrase, f"{RECODING!r} alone", "its parameters are options of the command")
        return None
    if name == COLUMNS:
        if not steps:
            raise bad_input(
                "method", phrase, "steps for some columns", 'a table [columns] with age = ["noise scale=2"]'
            )
        given[COLUMNS] = {
            column: [_make("step", _STEPS, *_read("step", step)) for step in column_steps]
            for column, column_steps in steps.items()
        }
    return _make("method", _METHODS, name, given, schema=schema)


def _read(what: str, phrase: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a phrase."""
    if not isinstance(phrase, str):
        raise bad_input(what, phrase, "a text such as 'risk limit=0.05 attacker=marketer'")
    try:
        name, *rest = shlex.split(phrase)
    except ValueError as error:  # nothing in it, or a quote that does not end
        raise bad_input(what, phrase, "a name and parameters, such as 'risk limit=0.05 attacker=marketer'") from error
    given: dict[str, Any] = {}
    for part in rest:
        key, sign, value = part.partition("=")
        if not sign or not key or key in given:
            raise bad_input(f"{what} {name!r}: {part!r} in", phrase, "each parameter once, as name=value")
        given[key] = [word.strip() for word in value.split(",")] if key in _LISTS else _value(value)
    return name, given


def _value(word: str) -> Any:
    try:
        found = tomllib.loads(f"v = {word}")["v"]
    except tomllib.TOMLDecodeError:
        return word
    return found if isinstance(found, bool | int | float) else word


def _make(what: str, known: Mapping[str, tuple[str, str]], name: str, given: dict[str, Any], **more: Any) -> Any:
    if name not in known:
        more_names = (RECODING,) if what == "method" else ()
        raise bad_input(what, name, "one of " + ", ".join((*known, *more_names)))
    module, home = known[name]
    kind = getattr(importlib.import_module(module), home)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.name not in _HIDDEN and field.init}
    unknown = [key for key in given if key not in fields]
    if unknown:
        raise bad_input(f"{what} {name!r}: parameter", unknown[0], "one of " + ", ".join(fields))
    needed = [
        key
        for key, field in fields.items()
        if key not in given and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if needed:
        raise InputError(f"{what} {name!r}: expected {', '.join(needed)}; say {name} {needed[0]}=…")
    try:
        return kind(**given, **more)
    except InputError as error:
        raise InputError(f"{what} {name!r}: {error}") from error
    except TypeError as error:  # a text where a number belongs
        raise bad_input(f"{what} {name!r}: parameters", given, "values of the right kind") from error
