"""What was decided about a release: written down so that it can be repeated, reviewed and signed."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.release import Context, Person, Source
from sfumato.release.plain import from_plain
from sfumato.study.threshold import Threshold

__all__ = ["Decisions", "RoleChoice", "toml_value"]


@dataclass(frozen=True, kw_only=True)
class RoleChoice:
    """The role of a column and why."""

    column: str
    role: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What the owner decided. Read from and written to ``decisions.toml``.

    Parameters
    ----------
    kind : str
        The kind of data.
    roles : tuple of RoleChoice
        The role of each column.
    protect : mapping
        Arguments of the kind's ``protect``, such as ``{"mechanism": "local-recoding", "k": 12}``.
    limits : mapping of str to Threshold
        The largest risk accepted, by attack.
    attack : mapping
        Options of the attacks, such as ``{"author": "from"}``.
    source, context, people, valid_until, reassess_when
        As on the card.
    schema : str
        The file with roles and hierarchies, relative to the file of decisions; for texts, the
        review of what was found in them.
    """

    kind: str
    roles: tuple[RoleChoice, ...] = ()
    protect: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Threshold] = field(default_factory=dict)
    attack: dict[str, Any] = field(default_factory=dict)
    source: Source = field(default_factory=Source)
    context: Context = field(default_factory=Context)
    people: tuple[Person, ...] = ()
    valid_until: str = ""
    reassess_when: tuple[str, ...] = ()
    schema: str = ""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The decisions in a TOML file."""
        try:
            with reading(path), Path(path).open("rb") as stream:
                content = tomllib.load(stream)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is not TOML: {error}") from error
        found = from_plain(cls, content, where=Path(path).name)
        if found.schema and not Path(found.schema).is_absolute():
            return replace(found, schema=str(Path(path).parent / found.schema))
        return found

    def write(self, path: str | Path) -> str:
        """Write the decisions; gives the SHA-256 of the file."""
        text = self.to_toml()
        with atomic_path(path) as beside:
            beside.write_text(text, encoding="utf-8")
        return hashlib.sha256(text.encode()).hexdigest()

    def to_toml(self) -> str:
        """The decisions as TOML."""
        values = asdict(self)
        plain = {name: value for name, value in values.items() if not isinstance(value, dict | tuple)}
        lines = ["# What was decided. sfumato publish INPUT --decisions FILE repeats it without questions."]
        lines += [f"{name} = {toml_value(value)}" for name, value in plain.items() if value not in ("", None)]
        if self.reassess_when:
            lines.append(f"reassess_when = {toml_value(list(self.reassess_when))}")
        for name in ("protect", "attack", "source", "context", "limits"):
            table = {key: value for key, value in values[name].items() if value not in (None, "", (), {})}
            if table:
                lines += ["", f"[{name}]", *(f"{_key(key)} = {toml_value(value)}" for key, value in table.items())]
        for name in ("people", "roles"):
            for one in values[name]:
                lines += [
                    "",
                    f"[[{name}]]",
                    *(f"{key} = {toml_value(value)}" for key, value in one.items() if value != ""),
                ]
        return "\n".join(lines) + "\n"

    def __post_init__(self) -> None:
        names = {one.name for one in fields(Decisions)}
        if not isinstance(self.kind, str) or not self.kind:
            raise bad_input("kind", self.kind, "a kind of data", f"known keys: {', '.join(sorted(names))}")


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else toml_value(name)


def toml_value(value: Any) -> str:
    """A TOML value. JSON strings are TOML strings, but for the delete character."""
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{_key(str(key))} = {toml_value(one)}" for key, one in value.items() if one not in (None, "")
        )
        return "{ " + inside + " }" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    raise bad_input("value", type(value).__name__, "a plain value")
