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
from sfumato.study.own.own_file import own_paths
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
    data : str, optional
        A file of one's own, to be studied instead of the data of a recipe.
    schema : str, optional
        What the columns of ``data`` are, for kinds of data that need it.
    limit : number, str or mapping, optional
        The risk that the reader accepts, see :meth:`~sfumato.study.threshold.Limits.of`.
    title : str, optional
        The headline of the report.
    options : mapping
        Arguments of the recipe, or of the study of one's own file.
    """

    room: str
    recipe: str | None = None
    seeds: int | None = None
    workers: int | None = None
    out: str | None = None
    data: str | None = None
    schema: str | None = None
    limit: Any = None
    title: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("room", "recipe", "out", "data", "schema", "title"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (value is None and name != "room"):
                raise bad_input(name, value, "a text in quotation marks")
        for name in ("seeds", "workers"):
            if getattr(self, name) is not None:
                integer(name, getattr(self, name))
        if not isinstance(self.options, Mapping):
            raise bad_input("options", self.options, "a table: [options] and one name = value a line")
        if self.recipe is not None and self.data is not None:
            raise bad_input("recipe", self.recipe, "no recipe beside data", "a recipe brings data of its own")
        if self.schema is not None and self.data is None:
            raise bad_input("schema", self.schema, "data = … beside it", "name the file that it describes")


def read_request(path: str | Path) -> Request:
    """The request in a TOML file.

    A file for a study of the room ``statistic`` with ten repetitions::

        room = "statistic"
        seeds = 10

        [options]
        epsilons = [0.1, 1.0, 10.0]

    and one for a study of a file of one's own, with a limit on the first attack::

        room = "table"
        data = "people.csv"
        schema = "table.toml"
        limit = 0.05

    Paths are relative to the file that names them.
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
        request = Request(**content)
        beside = Path(path).parent
        files = {name: value for name in ("data", "schema", "out") if (value := getattr(request, name)) is not None}
        options = dict(request.options)
        if request.data is not None:
            named = [name for name in own_paths(find_room(request.room)) if isinstance(options.get(name), str)]
            options |= {name: str(beside / options[name]) for name in named}
        found: dict[str, Any] = {name: str(beside / value) for name, value in files.items()}
        return dataclasses.replace(request, options=options, **found)
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


OWN = Recipe(name="own", summary="A study of your own file.", build=Study.of_file)
"""What stands in the place of a recipe if the data are the user's."""


def build_study(request: Request) -> tuple[Recipe, Study]:
    """The recipe and the study that a request asks for."""
    room = find_room(request.room)
    if request.data is not None:
        recipe = OWN
        study = Study.of_file(request.data, room=room.name, schema=request.schema, **request.options)
    else:
        recipe = find_recipe(room, request.recipe)
        accepted = [
            name
            for name, parameter in inspect.signature(recipe.build).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
        _known(request.options, accepted, f"recipe {recipe.name}")
        study = recipe.build(**request.options)
    changes = {name: value for name in ("seeds", "title") if (value := getattr(request, name)) is not None}
    return recipe, dataclasses.replace(study, **changes)


def _known(given: Mapping[str, Any], accepted: Sequence[str], where: str) -> None:
    for name in given:
        if name not in accepted:
            near = difflib.get_close_matches(name, accepted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(accepted) or 'none'}"
            raise InputError(f"{where} has no option {name!r}: {hint}")
