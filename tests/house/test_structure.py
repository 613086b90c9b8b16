"""The floor plan: sizes, names, cycles and the questions that nobody asks of a promise."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato
from helpers import ROOT
from sfumato.promise import Guarantee

SOURCE = ROOT / "src" / "sfumato"
FILES = sorted(SOURCE.rglob("*.py"))
MOST_MODULES = 18
MOST_BESIDE_ROOMS = 15
"""In the package itself, which also has every kind of data: these may be many."""
MOST_LINES = 400
MOST_QUESTIONS = 5

SAME_MEANING = {
    # every kind of data has them
    "__init__", "room", "commands", "examples", "data", "promise", "pictures", "protection", "publishing",
    "recomputation", "foresight",
    # the same idea in several packages
    "base", "likelihood", "linkage", "scoring", "posterior", "plan", "rooms", "study", "score", "report", "mean_error",
    "audit", "mechanism", "parameters", "catalogue", "duckdb", "survey", "own_file", "notebook", "question",
    "record_linkage",
}  # fmt: skip
"""Names of modules that mean the same wherever they are; any other name is used once."""

CYCLES = {
    # a promise says what it is as another kind: annotations of the base name three of its kinds
    frozenset(
        f"sfumato.promise.{name}" for name in ("guarantee", "kinds.approx", "kinds.renyi", "kinds.zero_concentrated")
    ),
}
"""Groups of modules that import each other by type annotations, and may."""


def modules_of(folder: Path) -> list[str]:
    """The modules and sub-packages directly in a package."""
    return sorted(
        path.stem
        for path in folder.iterdir()
        if (path.suffix == ".py" and path.stem not in ("__init__", "__main__")) or (path / "__init__.py").is_file()
    )


@pytest.mark.parametrize("file", [file for file in FILES if file.name == "__init__.py"], ids=lambda f: f.parent.name)
def test_no_package_is_a_heap(file: Path) -> None:
    rooms = [path.parent.name for path in file.parent.glob("*/room.py")]
    found = [name for name in modules_of(file.parent) if name not in rooms]
    assert len(found) <= (MOST_BESIDE_ROOMS if rooms else MOST_MODULES), found


def test_no_file_is_too_long() -> None:
    long = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in FILES}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_nothing_needs_pandas() -> None:
    """It is in no extra but Spark's: a frame of the caller goes through narwhals or Arrow."""
    used = []
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "pandas" in text else ():
            imported = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            imported += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            called = isinstance(node, ast.Attribute) and node.attr == "to_pandas"
            if called or any(name.split(".")[0] == "pandas" for name in imported):
                used.append(str(file.relative_to(SOURCE)))
    assert used == ["io/frames.py"]  # places for a caller who has GeoPandas


def test_one_name_for_one_idea() -> None:
    places = defaultdict(list)
    for file in FILES:
        places[file.stem].append(str(file.relative_to(SOURCE)))
    twice = {name: where for name, where in places.items() if len(where) > 1 and name not in SAME_MEANING}
    assert twice == {}


def import_graph(*, types: bool) -> dict[str, set[str]]:
    """What each module of sfumato imports, with or without what it imports for type annotations only."""
    import grimp

    graph = grimp.build_graph("sfumato", exclude_type_checking_imports=not types, cache_dir=None)
    return {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other (Tarjan's strongly connected components, by two searches)."""
    order: list[str] = []
    seen: set[str] = set()
    for root in sorted(graph):
        stack: list[tuple[str, Iterator[str]]] = [] if root in seen else [(root, iter(sorted(graph[root])))]
        seen.add(root)
        while stack:
            for follower in stack[-1][1]:
                if follower not in seen:
                    seen.add(follower)
                    stack.append((follower, iter(sorted(graph[follower]))))
                    break
            else:
                order.append(stack.pop()[0])
    back = defaultdict(set)
    for module, imported in graph.items():
        for other in imported:
            back[other].add(module)
    groups, placed = [], set()
    for root in reversed(order):
        group, waiting = [], [root]
        while waiting:
            module = waiting.pop()
            if module not in placed:
                placed.add(module)
                group.append(module)
                waiting += back[module]
        if len(group) > 1:
            groups.append(sorted(group))
    return groups


@pytest.mark.parametrize("types", [False, True], ids=["run time", "annotations too"])
def test_no_module_imports_itself_in_a_circle(types: bool) -> None:
    found = [group for group in cycles(import_graph(types=types)) if frozenset(group) not in CYCLES]
    assert found == []


def test_circles_are_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def promise_names() -> set[str]:
    """The names of all classes of promises in the package."""
    for module in pkgutil.walk_packages(sfumato.__path__, "sfumato."):
        if module.name.endswith((".promise", ".examples")) or ".promise." in module.name:
            importlib.import_module(module.name)
    waiting, found = [Guarantee], set()
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__)
        waiting += kind.__subclasses__()
    return found


def test_nobody_asks_a_promise_what_it_is() -> None:
    """Only the promise package asks ``isinstance(…, PureDP)`` and its like; a promise answers by its methods."""
    names = promise_names()
    questions = []
    for file in FILES:
        if file.is_relative_to(SOURCE / "promise"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                asked |= {part.attr for part in ast.walk(node.args[1]) if isinstance(part, ast.Attribute)}
                if asked & names:
                    questions.append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(questions) <= MOST_QUESTIONS, questions
