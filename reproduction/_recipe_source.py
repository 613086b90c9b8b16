"""What the source of a recipe is: the function, and everything of this package that it uses."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

PACKAGE = Path(__file__).resolve().parent
KEEPING = ("reproduction._rows", "reproduction.claims.claim")
"""How rows are kept and judged is not how they are made: these modules are not followed."""


class Place(NamedTuple):
    """A name of a module of this package; an empty name is the whole module."""

    module: str
    name: str


def recipe_source(make: Callable[..., Any]) -> str:
    """The source of a function and, name by name, of all that it uses of this package.

    Comments, docstrings and white space are left out, so that what a reader is told may change without a new result.
    The library itself is not followed: rows are made anew with ``FRESH=1`` when it changed what they measure.
    """
    while isinstance(make, functools.partial):
        make = make.func
    make = inspect.unwrap(make) if hasattr(make, "__code__") else type(make).__call__
    code = make.__code__
    file = Path(code.co_filename).resolve()
    if not file.is_relative_to(PACKAGE):
        return inspect.getsource(make)
    module = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    around = _top_level(module, code.co_firstlineno)
    inner = code.co_name != around and not code.co_freevars and not isinstance(_nodes(module).get(around), ast.ClassDef)
    # A lambda that takes nothing from the function around it rests on what it names alone.
    named = [Place(module, one) for one in sorted(_names(code)) if one in _nodes(module)]
    waiting = named if inner else [Place(module, around)]
    seen = {Place(module, "<lambda>"): "".join(inspect.getsource(make).split())} if inner else {}
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen[place] = _text(place)
            waiting += _used(place)
    return "\n".join(seen[place] for place in sorted(seen))


def _names(code: CodeType) -> set[str]:
    """The names that a function uses, those of its comprehensions and inner functions too."""
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names, inside))


def _file(module: str) -> Path:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"


@cache
def _lines(module: str) -> list[str]:
    return _file(module).read_text(encoding="utf-8").splitlines()


@cache
def _nodes(module: str) -> dict[str, ast.stmt]:
    """The statements of a module by the names that they define."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse("\n".join(_lines(module))).body:
        for name in _defined(node):
            found[name] = node
    return found


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))
    elif isinstance(node, ast.ImportFrom):
        yield from (one.asname or one.name for one in node.names)


def _top_level(module: str, line: int) -> str:
    """The name whose definition holds a line: a lambda belongs to the function around it."""
    for name, node in _nodes(module).items():
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        if first <= line <= (node.end_lineno or first):
            return name
    return ""


@cache
def _text(place: Place) -> str:
    lines = _lines(place.module)
    told: set[int] = set()
    nodes = [_nodes(place.module)[place.name]] if place.name else list(_nodes(place.module).values())
    if isinstance(nodes[0], ast.ImportFrom) and place.name:  # other names of the same statement do not matter
        return f"{place.module}.{place.name}:from{nodes[0].module}"
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(inner, clean=False) is not None:
                told |= set(range(inner.body[0].lineno, (inner.body[0].end_lineno or 0) + 1))
    kept = [
        lines[number - 1]
        for node in nodes
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if number not in told and not lines[number - 1].lstrip().startswith("#")
    ]
    return f"{place.module}.{place.name}:" + "".join("".join(kept).split())


def _used(place: Place) -> Iterator[Place]:
    """What a definition names: of its own module, and of other modules of this package."""
    nodes = _nodes(place.module)
    if not place.name:
        yield from (Place(place.module, name) for name in nodes)
        return
    node = nodes[place.name]
    if isinstance(node, ast.ImportFrom):
        if (node.module or "").split(".")[0] == PACKAGE.name and node.module not in KEEPING:
            for one in node.names:
                if (one.asname or one.name) == place.name:
                    inside = f"{node.module}.{one.name}"
                    yield Place(inside, "") if _file(inside).exists() else Place(str(node.module), one.name)
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in nodes and inner.id != place.name:
            yield Place(place.module, inner.id)
