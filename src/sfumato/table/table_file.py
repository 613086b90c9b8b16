"""``table.toml``: the roles of the columns, the promises to keep, and the mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.promise import Guarantee
from sfumato.study.settings import build
from sfumato.table.core.schema import Schema
from sfumato.table.core.schema_text import read_content
from sfumato.table.mechanisms.recoding.recoder import Recoder
from sfumato.table.mechanisms.steps import CategoryNoise, Generalise, NumberNoise, Step, Suppress, Swap, TopBottom
from sfumato.table.promise.notation import make_promise

__all__ = ["STEPS", "TableFile", "mechanism_kinds"]

DEFAULT = "global-recoding"
STEPS: dict[str, type[Step]] = {
    "generalise": Generalise,
    "noise": NumberNoise,
    "category-noise": CategoryNoise,
    "swap": Swap,
    "top-bottom": TopBottom,
    "suppress": Suppress,
}
"""The steps of ``column-methods`` by name."""

STEP_EXAMPLE = 'age = [{ step = "noise", scale = 2 }]'


def mechanism_kinds() -> dict[str, type]:
    """The mechanisms on tables by name."""
    from sfumato.table.room import ROOM

    return ROOM.mechanisms()


@dataclass(frozen=True)
class TableFile:
    """What a ``table.toml`` says.

    Parameters
    ----------
    schema : Schema
    promises : tuple of Guarantee
        What recoding must reach.
    kind : str
        The name of the mechanism.
    settings : mapping
        Its parameters.

    Examples
    --------
    ::

        [[promise]]
        kind = "t-closeness"
        t = 0.2
        column = "illness"

        [mechanism]
        kind = "local-recoding"
        publish = "set"

    or steps for each column::

        [mechanism]
        kind = "column-methods"
        rate = 0.9

        [mechanism.columns]
        age = [{ step = "noise", scale = 2 }, { step = "generalise", level = 1 }]
    """

    schema: Schema
    promises: tuple[Guarantee, ...] = ()
    kind: str = DEFAULT
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> TableFile:
        """Read a ``table.toml``; hierarchy files are named relative to it."""
        path = Path(path)
        content, schema = read_content(path), Schema.read(path)
        try:
            promises = content.get("promise", [])
            if not isinstance(promises, list):
                raise bad_input("promise", promises, "a list of tables", "write [[promise]] with double brackets")
            chosen = content.get("mechanism", {"kind": DEFAULT})
            if not isinstance(chosen, dict) or "kind" not in chosen:
                raise bad_input("mechanism", chosen, 'a table with its kind: [mechanism] and kind = "microaggregation"')
            settings = {key: value for key, value in chosen.items() if key != "kind"}
            found = cls(schema, tuple(make_promise(one) for one in promises), chosen["kind"], settings)
            if found.promises and not found.recodes:
                wanted = [one.statement for one in found.promises]
                raise bad_input("promise", wanted, f"none with {found.kind}", "only recoding aims at promises")
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        return found

    @property
    def recodes(self) -> bool:
        """Whether the mechanism recodes until promises are kept."""
        kinds = mechanism_kinds()
        if self.kind not in kinds:
            raise bad_input("mechanism", self.kind, "one of " + ", ".join(kinds))
        return issubclass(kinds[self.kind], Recoder)

    def with_mechanism(self, kind: str | None, settings: Mapping[str, Any]) -> TableFile:
        """The same with another mechanism; with ``None`` the same mechanism and more settings."""
        if kind is None:
            return TableFile(self.schema, self.promises, self.kind, {**self.settings, **settings})
        other = TableFile(self.schema, self.promises, kind, settings)
        return other if other.recodes else TableFile(self.schema, (), kind, settings)

    def build(self, promises: Sequence[Guarantee] = (), **fixed: Any) -> Mechanism:
        """The mechanism; ``promises`` are added to those of the file.

        >>> from sfumato.table import Hierarchy
        >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
        >>> steps = {"age": [{"step": "noise", "scale": 2}, {"step": "generalise", "level": 1}]}
        >>> TableFile(schema, kind="column-methods", settings={"rate": 0.9, "columns": steps}).build().rate
        0.9
        """
        target = (*self.promises, *promises)
        if target and not self.recodes:
            wanted = [one.statement for one in target]
            raise bad_input("promise", wanted, f"none with {self.kind}", "only recoding aims at promises")
        settings = dict(self.settings)
        if isinstance(settings.get("columns"), str):  # --set columns=income,age
            settings["columns"] = [name.strip() for name in settings["columns"].split(",")]
        if self.kind == "column-methods":
            settings["columns"] = _steps(settings.get("columns"))
        context = {"schema": self.schema, "target": target, **fixed}
        made: Mechanism = build(mechanism_kinds(), self.kind, settings, what="mechanism", **context)
        return made


def _steps(columns: Any) -> dict[str, list[Step]]:
    """The steps of each column, from tables."""
    if not isinstance(columns, Mapping) or not columns or not all(isinstance(v, list) for v in columns.values()):
        raise bad_input("columns", columns, "steps for some columns", f"[mechanism.columns] and {STEP_EXAMPLE}")
    return {name: [_step(name, one) for one in listed] for name, listed in columns.items()}


def _step(column: str, settings: Any) -> Step:
    if not isinstance(settings, Mapping) or "step" not in settings:
        raise bad_input(f"step of {column}", settings, "a table with the name of the step", STEP_EXAMPLE)
    rest = {key: value for key, value in settings.items() if key != "step"}
    if isinstance(rest.get("sizes"), Mapping):  # keys of TOML and JSON are texts
        rest["sizes"] = {int(size): share for size, share in rest["sizes"].items()}
    step: Step = build(STEPS, settings["step"], rest, what="step")
    return step
