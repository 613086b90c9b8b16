"""Studies asked for by name or in a TOML file."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import reading
from sfumato.study.rooms import Recipe, Room, find_room
from sfumato.study.study import Study
from sfumato.validate import integer

__all__ = ["Request", "build_study", "find_recipe", "read_request"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """Which study to run, and how.

    Parameters
    ----------
    room, recipe : str
        The recipe of that room; its first one if none is named.
    seeds, workers : int, optional
        As in :class:`~sfumato.study.Study` and :func:`~sfumato.study.run.runner`.
    out : str, optional
        The folder for results and report.
    options : mapping
        Arguments of the recipe.
    """

    room: str
    recipe: str | None = None
    seeds: int | None = None
    workers: int | None = None
    out: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("room", "recipe", "out"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (value is None and name != "room"):
                raise bad_input(name, value, "a text in quotation marks")
        for name in ("seeds", "workers"):
            if getattr(self, name) is not None:
                integer(name, getattr(self, name))
        if not isinstance(self.options, Mapping):
            raise bad_input("options", self.options, "a table: [options] and one name = value a line")


def read_request(path: str | Path) -> Request:
    """The request in a TOML file.

    A file for a study of the room ``statistic`` with ten repetitions::

        room = "statistic"
        seeds = 10

        [options]
        epsilons = [0.1, 1.0, 10.0]
    """
    try:
        with reading(path), Path(path).open("rb") as stream:
            content = tomllib.load(stream)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}") from error
    if not content:
        raise InputError(f'{path} is empty: expected at least room = "…"')
    _known(content, [item.name for item in dataclasses.fields(Request)], str(path))
    if "room" not in content:
        raise InputError(f'{path} names no room: add room = "…", sfumato rooms lists them')
    try:
        return Request(**content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def find_recipe(room: Room, name: str | None) -> Recipe:
    """The recipe called ``name``, or the first one."""
    recipes = {recipe.name: recipe for recipe in room.recipes}
    if name is None:
        return next(iter(recipes.values()))
    if name not in recipes:
        raise bad_input("recipe", name, f"one of {', '.join(recipes)}")
    return recipes[name]


def build_study(request: Request) -> tuple[Recipe, Study]:
    """The recipe and the study that an request asks for."""
    recipe = find_recipe(find_room(request.room), request.recipe)
    accepted = [
        name
        for name, parameter in inspect.signature(recipe.build).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    _known(request.options, accepted, f"recipe {recipe.name}")
    study = recipe.build(**request.options)
    return recipe, study if request.seeds is None else dataclasses.replace(study, seeds=request.seeds)


def _known(given: Mapping[str, Any], accepted: Sequence[str], where: str) -> None:
    for name in given:
        if name not in accepted:
            near = difflib.get_close_matches(name, accepted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(accepted) or 'none'}"
            raise InputError(f"{where} has no option {name!r}: {hint}")
