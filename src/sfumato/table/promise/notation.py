"""Promises as people write them: ``[[promise]]`` tables in ``table.toml``, phrases on the command line.

A phrase is a name and parameters, ``t-closeness t=0.2 column=illness``. Values are numbers, true or false, or text;
text with spaces stands in quotes, a list is written with commas.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from typing import Any

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, KAnonymity
from sfumato.study.settings import build
from sfumato.table.promise.closeness import TCloseness
from sfumato.table.promise.diversity import LDiversity, RecursiveDiversity
from sfumato.table.promise.k_map import EstimatedKMap
from sfumato.table.promise.people_anonymity import PeopleAnonymity
from sfumato.table.promise.population_uniqueness import PopulationUniqueness
from sfumato.table.promise.presence import DeltaPresence
from sfumato.table.promise.reidentification_risk import ReidentificationRisk

__all__ = ["PROMISES", "make_promise", "parse_promise"]

PROMISES: dict[str, type[Guarantee]] = {
    "k-anonymity": KAnonymity,
    "l-diversity": LDiversity,
    "recursive-diversity": RecursiveDiversity,
    "t-closeness": TCloseness,
    "delta-presence": DeltaPresence,
    "risk": ReidentificationRisk,
    "uniqueness": PopulationUniqueness,
    "people": PeopleAnonymity,
    "k-map": EstimatedKMap,
}
"""The promises by the name they have in files and on the command line."""

EXAMPLE = '[[promise]] with kind = "t-closeness", t = 0.2, column = "illness"'
_LISTS = ("allowed", "always")


def make_promise(settings: Mapping[str, Any]) -> Guarantee:
    """A promise from a table with its kind and parameters.

    >>> make_promise({"kind": "t-closeness", "t": 0.2, "column": "illness"}).statement
    't = 0.2 for illness (equal distance)'
    """
    if not isinstance(settings, Mapping) or "kind" not in settings:
        raise bad_input("promise", settings, EXAMPLE)
    given = {key: value for key, value in settings.items() if key != "kind"}
    promise: Guarantee = build(PROMISES, settings["kind"], given, what="promise")
    return promise


def parse_promise(phrase: str) -> Guarantee:
    """A promise from a phrase.

    >>> parse_promise("l-diversity l=3 column=illness variant=entropy").statement
    'entropy l = 3 for illness'
    """
    expected = "a name and parameters, such as 'risk limit=0.05 attacker=marketer'"
    if not isinstance(phrase, str):
        raise bad_input("promise", phrase, expected)
    try:
        name, *rest = shlex.split(phrase)
    except ValueError as error:  # nothing in it, or a quote that does not end
        raise bad_input("promise", phrase, expected) from error
    given: dict[str, Any] = {}
    for part in rest:
        key, sign, value = part.partition("=")
        if not sign or not key or key in given or key == "kind":
            raise bad_input(f"promise {name!r}: {part!r} in", phrase, "each parameter once, as name=value")
        given[key] = [word.strip() for word in value.split(",")] if key in _LISTS else _value(value)
    return make_promise({"kind": name, **given})


def _value(word: str) -> Any:
    try:
        found = tomllib.loads(f"v = {word}")["v"]
    except tomllib.TOMLDecodeError:
        return word
    return found if isinstance(found, bool | int | float) else word
