"""The settings of a kind of data that most people have to say, as plain fields of a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from sfumato.direction.core.coordinates import Kind
from sfumato.errors import bad_input
from sfumato.studio.kinds.room_work import RoomWork, argument_default, mechanisms_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PlainField", "is_numeric", "plain_fields", "with_plain_fields"]

Form = Literal["column", "columns", "choice", "number", "words", "domains"]
_MECHANISM: tuple[str, str, Form] = ("mechanism", "How it is protected", "choice")
_EPSILON: tuple[str, str, Form] = ("epsilon", "ε, the privacy loss", "number")
_WANTED: dict[str, tuple[tuple[str, str, Form], ...]] = {
    "survey": (
        ("column", "Column with the answers", "column"),
        ("categories", "All possible answers, one a line", "words"),
        _EPSILON,
        _MECHANISM,
    ),
    "direction": (
        ("columns", "Columns", "columns"),
        ("kind", "What they hold", "choice"),
        ("pure", "Or ε between any two", "number"),
        ("level", "Or ε within a radius", "number"),
        ("radius", "Radius, in hours, metres or radians", "number"),
        _MECHANISM,
    ),
    "statistic": (
        ("columns", "Column", "column"),
        ("low", "Smallest possible value", "number"),
        ("high", "Largest possible value", "number"),
        ("categories", "Or all possible words, one a line", "words"),
        _EPSILON,
        _MECHANISM,
    ),
    "model": (("columns", "Columns", "columns"), ("domains", "Possible values", "domains"), _EPSILON, _MECHANISM),
    "activity": (
        ("user", "Who", "column"),
        ("item", "did what", "column"),
        ("time", "when", "column"),
        ("k", "People who look alike, at least", "number"),
        _EPSILON,
        ("items", "For noise: the items that may leave, one a line", "words"),
        _MECHANISM,
    ),
}
_WAYS = {"pure": ("level", "radius", "epsilon"), "level": ("pure", "epsilon")}
"""What is no longer said of directions once somebody says the loss in another way."""


@dataclass(frozen=True)
class PlainField:
    """One setting as a field of a form.

    Parameters
    ----------
    form : str
        ``column`` and ``columns`` choose among the columns by their place, ``choice`` among words; ``words`` is a list
        of words, one a line; ``domains`` is a list for each column that is learned.
    choices : tuple of (value, words, chosen)
    """

    name: str
    words: str
    form: Form
    value: str = ""
    choices: tuple[tuple[str, str, bool], ...] = ()


def plain_fields(work: RoomWork, table: pa.Table) -> list[PlainField]:
    """The fields of a kind of data with what is said now."""
    found, unused = [], _unused(work.kind, work.settings.get("mechanism"))
    for name, words, form in _WANTED[work.kind]:
        if name in unused:
            continue
        said = work.settings.get(name, argument_default(work.kind, name))
        chosen = _listed(said)
        columns = tuple((str(n), one, one in chosen) for n, one in enumerate(table.column_names))
        if form == "domains":
            found += _domain_fields(work, table)
        elif form == "choice":
            known = _choices(work.kind, name)
            found.append(PlainField(name, words, form, "", tuple((one, known[one], one == said) for one in known)))
        elif form in ("column", "columns"):
            found.append(PlainField(name, words, form, "", columns))
        else:
            value = "\n".join(map(str, chosen)) if form == "words" else "" if said is None else f"{said}"
            found.append(PlainField(name, words, form, value))
    return found


def with_plain_fields(work: RoomWork, table: pa.Table, given: Mapping[str, str]) -> RoomWork:
    """The settings with what the fields say; one that is left empty is not said, one that is not there stays."""
    settings, names = dict(work.settings), table.column_names
    parsers: dict[Form, Callable[[str, str], Any]] = {
        "column": lambda name, text: _column(name, text, names) if text else None,
        "columns": lambda name, text: [one for n, one in enumerate(names) if given.get(f"set-{name}-{n}")],
        "choice": lambda name, text: text,
        "number": _number,
        "words": lambda name, text: [line.strip() for line in text.splitlines() if line.strip()],
    }
    for name, _, form in _WANTED[work.kind]:
        if form == "domains":
            settings = _with_domains(settings, table, given)
        elif f"set-{name}" in given:
            value = parsers[form](name, given[f"set-{name}"].strip())
            settings.pop(name, None)
            if value not in ("", [], None):
                settings[name] = value
    for name, instead_of in _WAYS.items() if work.kind == "direction" else ():
        if name in settings and name not in work.settings:
            settings = {one: said for one, said in settings.items() if one not in instead_of}
    if settings.get("mechanism") != work.settings.get("mechanism"):  # what only the other one took is not said any more
        for name in _unused(work.kind, settings.get("mechanism")):
            settings.pop(name, None)
    return RoomWork.checked(work.kind, settings)


def _unused(kind: str, mechanism: Any) -> set[str]:
    """The settings that a mechanism has no use for, among those that only some have."""
    named = mechanism or argument_default(kind, "mechanism")
    made = mechanisms_of(kind).get(named) if isinstance(named, str) else None
    if made is None or not is_dataclass(made):
        return set()
    taken = {one.name for one in fields(made)}
    noisy = bool(taken & {"epsilon", "scale", "noise", "place"})
    return ({"k"} - taken) | (set() if noisy else {"epsilon", "items"})


def _listed(said: Any) -> list[Any]:
    """A setting that is a list, or one of it; somebody may have typed anything."""
    return [said] if isinstance(said, str) else list(said) if isinstance(said, list | tuple) else []


def _choices(kind: str, name: str) -> dict[str, str]:
    """The values to choose from, each in words: of a mechanism the first line of what it says of itself."""
    if name == "kind":
        words = ("unit vectors", "angles in radians", "hours of the day", "hours of the week", "latitude, longitude")
        return dict(zip(get_args(Kind), words, strict=True))
    made = mechanisms_of(kind)
    return {one: f"{one}: {(made[one].__doc__ or '').partition(chr(10))[0].rstrip('.')}" for one in made}


def _column(name: str, text: str, names: list[str]) -> str:
    if not text.isdecimal() or int(text) >= len(names):
        raise bad_input(name, text, "one of the columns")
    return names[int(text)]


def _number(name: str, text: str) -> float | int | None:
    if not text:
        return None
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text.replace(",", "."))
    except ValueError as error:
        raise bad_input(name, text, "a number") from error


def _domain_fields(work: RoomWork, table: pa.Table) -> list[PlainField]:
    """For each column that is learned what it may hold: its range and steps, or all its words."""
    domains = _domains(work.settings)
    found = []
    for place, name in enumerate(table.column_names):
        if name in _listed(work.settings.get("columns")):
            said = _listed(domains.get(name))
            numbers = is_numeric(table, name)
            words = f"{name}: smallest, largest, steps" if numbers else f"{name}: all possible words, one a line"
            shown = (", " if numbers else "\n").join(map(str, said))
            found.append(PlainField(f"domains-{place}", words, "number" if numbers else "words", shown))
    return found


def _with_domains(settings: dict[str, Any], table: pa.Table, given: Mapping[str, str]) -> dict[str, Any]:
    more = settings.get("settings") or {}
    if not isinstance(more, Mapping):
        raise bad_input("settings", more, "name = value pairs in { }")
    domains = dict(_domains(settings))
    for place, name in enumerate(table.column_names):
        text = given.get(f"set-domains-{place}")
        if text is None:
            continue
        numbers = is_numeric(table, name)
        parts = [one.strip() for one in (text.split(",") if numbers else text.splitlines()) if one.strip()]
        domains[name] = [_number(name, one) for one in parts] if numbers else parts
    domains = {name: said for name, said in domains.items() if said and name in _listed(settings.get("columns"))}
    more = {name: value for name, value in more.items() if name != "domains"} | (
        {"domains": domains} if domains else {}
    )
    rest = {name: value for name, value in settings.items() if name != "settings"}
    return rest | ({"settings": more} if more else {})


def _domains(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    more = settings.get("settings")
    found = more.get("domains") if isinstance(more, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def is_numeric(table: pa.Table, name: str) -> bool:
    """Whether a column holds numbers."""
    import pyarrow as pa

    kind = table.schema.field(name).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
