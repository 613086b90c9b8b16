"""``sfumato new``: start a mechanism or a kind of data in a source checkout, with test, audit case and docs."""

from __future__ import annotations

import ast
import keyword
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated

import typer

import sfumato
from sfumato.cli.checkout import Changes
from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.study.console import notes
from sfumato.validate import choice

__all__ = ["app", "find_checkout", "new_mechanism", "new_room"]

app = typer.Typer(
    help="Start a new mechanism or a new kind of data in a source checkout of sfumato.", no_args_is_help=True
)
LONGEST = 24  # of a name: the longest line of the templates then stays within the line length


@app.command()
def mechanism(
    room: Annotated[str, typer.Argument(help="The kind of data, a folder of src/sfumato.", show_default=False)],
    name: Annotated[str, typer.Argument(help="The class, such as NoisyMedian or noisy-median.", show_default=False)],
) -> None:
    """Write a working mechanism with its public name, audit case, test and docs paragraph; then make it yours.

    Example: sfumato new mechanism statistic NoisyMedian
    """
    root = find_checkout()
    changes = new_mechanism(root, room, name)
    changes.write()
    _say(changes, f"next: change {changes.paths[0]}, then run make test")


@app.command()
def room(
    name: Annotated[str, typer.Argument(help="One word in lower case, such as activity.", show_default=False)],
) -> None:
    """Write a whole kind of data: mechanism, attack, utility, commands, study, generator, tests and docs page.

    Example: sfumato new room activity
    """
    root = find_checkout()
    changes = new_room(root, name)
    changes.write()
    _say(changes, f"next: change what is in src/sfumato/{name}, then run make architecture and make test")


def _say(changes: Changes, last: str) -> None:
    for path in changes.paths:
        notes.print(f"{'changed' if path in changes.edited else 'written'}: {path}", markup=False, soft_wrap=True)
    notes.print(last, markup=False, soft_wrap=True)


def find_checkout(package: Path | None = None) -> Path:
    """The root of the source checkout that this sfumato runs from; an error if it is an installed copy."""
    package = Path(str(sfumato.__file__)).parent if package is None else package
    root = package.parents[1]
    project = root / "pyproject.toml"
    complete = package.parent.name == "src" and all(path.exists() for path in (project, root / "tests", root / "docs"))
    if complete and tomllib.loads(project.read_text(encoding="utf-8")).get("project", {}).get("name") == "sfumato":
        return root
    raise SfumatoError(
        f"sfumato new works in a source checkout, and this sfumato runs from {package}; "
        "get the sources and install them with pip install --editable '.[dev]'"
    )


@dataclass(frozen=True)
class ClassName:
    """The names of one mechanism: ``NoisyMedian``, ``noisy_median`` and ``noisy-median``."""

    name: str

    @classmethod
    def of(cls, text: str) -> ClassName:
        """From a class name, or from words joined by - or _."""
        words = [word for word in re.split(r"[-_]", text) if word]
        name = text if len(words) == 1 and text[:1].isupper() else "".join(word.capitalize() for word in words)
        if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name) or len(name) > LONGEST:
            raise bad_input("NAME", text, f"a class name of at most {LONGEST} letters, such as NoisyMedian")
        return cls(name)

    @property
    def command(self) -> str:
        """The name on the command line."""
        from sfumato.study.rooms import command_name

        return command_name(type(self.name, (), {}))

    @property
    def module(self) -> str:
        """The name of its file."""
        return self.command.replace("-", "_")


def new_mechanism(root: Path, room: str, name: str) -> Changes:
    """What a new mechanism adds to the checkout; nothing is written yet."""
    package = root / "src" / "sfumato"
    choice("ROOM", room, sorted(path.parent.name for path in package.glob("*/room.py")), "sfumato new room makes one")
    changes, names = Changes(root=root), ClassName.of(name)
    words = _words(room, names)
    _create_mechanism(changes, words)
    home = f"sfumato.{room}.mechanisms.{names.module}"
    examples, line = f"src/sfumato/{room}/examples.py", f"from {home} import {names.name}"
    changes.edit(examples, with_case(changes.read(examples), line, _render("case.py", words), names.module))
    export(changes, f"sfumato.{room}", home, names.name)
    changes.edit(f"docs/{room}.md", changes.read(f"docs/{room}.md") + _render("mechanism.md", words))
    return changes


def _words(room: str, names: ClassName) -> dict[str, str]:
    """What the templates of a mechanism put in."""
    return {"room": room, "Class": names.name, "module": names.module, "command": names.command}


def _create_mechanism(changes: Changes, words: dict[str, str]) -> None:
    room, module = words["room"], words["module"]
    changes.create(f"src/sfumato/{room}/mechanisms/{module}.py", _render("mechanism.py", words))
    changes.create(f"tests/{room}/mechanisms/test_{module}.py", _render("test_mechanism.py", words))


def new_room(root: Path, name: str) -> Changes:
    """What a new kind of data adds to the checkout; nothing is written yet."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name) or len(name) > LONGEST:
        raise bad_input("NAME", name, f"one word in lower case of at most {LONGEST} letters, such as activity")
    package = root / "src" / "sfumato"
    if (package / name).exists() or (package / f"{name}.py").exists() or name in dir(sfumato):
        raise bad_input("NAME", name, "a name that sfumato does not have yet")
    camel = "".join(word.capitalize() for word in name.split("_"))
    noise = _words(name, ClassName(f"{camel}Noise"))
    words = noise | {"Room": camel}
    changes = Changes(root=root)
    places = {"package": f"src/sfumato/{name}", "tests": f"tests/{name}"}
    for template in sorted(_templates().glob("room/*/**/*.tmpl")):
        part, *rest = template.relative_to(_templates() / "room").parts
        changes.create("/".join([places[part], *rest]).removesuffix(".tmpl"), _fill(template, words))
    _create_mechanism(changes, noise)
    examples = f"src/sfumato/{name}/examples.py"
    changes.edit(examples, changes.read(examples) + _render("case.py", noise))
    changes.create(f"docs/{name}.md", _render("room/docs.md", words) + _render("mechanism.md", noise))
    export(changes, "sfumato", "sfumato", name)
    pin(changes, f"sfumato.{name}", _public(changes.read(f"src/sfumato/{name}/__init__.pyi")))
    changes.edit("pyproject.toml", with_layer(changes.read("pyproject.toml"), name))
    return changes


def _templates() -> Path:
    return Path(str(resources.files("sfumato.cli"))) / "templates"


def _render(template: str, names: dict[str, str]) -> str:
    return _fill(_templates() / f"{template}.tmpl", names)


def _fill(template: Path, names: dict[str, str]) -> str:
    return Template(template.read_text(encoding="utf-8")).substitute(names)


def export(changes: Changes, package: str, home: str, name: str) -> None:
    """Write a public name into the stub of its package and into the list that the tests pin."""
    stub = f"src/{package.replace('.', '/')}/__init__.pyi"
    text = changes.read(stub)
    if name in _public(text):
        raise bad_input("NAME", name, f"a name that {package} does not export yet")
    changes.edit(stub, f"from {home} import {name} as {name}\n{text}")
    pin(changes, package, [name])


def pin(changes: Changes, package: str, names: list[str]) -> None:
    """Add names to ``tests/house/names/PACKAGE.txt``, one a line."""
    path = f"tests/house/names/{package}.txt"
    known = changes.read(path, missing="").split()
    text = "".join(f"{name}\n" for name in sorted({*known, *names}))
    if known:
        changes.edit(path, text)
    else:
        changes.create(path, text)


def _public(stub: str) -> list[str]:
    lines = ast.parse(stub).body
    return [name.name for line in lines if isinstance(line, ast.ImportFrom) for name in line.names]


def with_case(source: str, import_line: str, case: str, module: str) -> str:
    """The text of an ``examples.py`` whose ``audit_cases()`` also has the case that ``_MODULE()`` makes.

    ``audit_cases()`` may be a generator, or end in a ``return`` of whatever can be iterated.

    >>> print(with_case("def audit_cases():\\n    return cases\\n", "import here", "def _mine(): ...", "mine"))
    import here
    def audit_cases():
        return [*cases, _mine()]
    <BLANKLINE>
    <BLANKLINE>
    def _mine(): ...
    """
    tree = ast.parse(source)
    found = [part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == "audit_cases"]
    taken = [part.name for part in tree.body if isinstance(part, ast.FunctionDef)]
    if len(found) != 1 or f"_{module}" in taken:
        raise InputError(f"examples.py: expected one function audit_cases, and none called _{module}")
    last, call = found[0].body[-1], f"_{module}()"
    lines = source.splitlines(keepends=True)
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in _own_parts(found[0])):
        lines.insert(last.end_lineno or 0, f"    yield {call}\n")
    elif isinstance(last, ast.Return) and last.value is not None:
        value = ast.get_source_segment(source, last.value) or ""
        listed = value[1:-1].strip().rstrip(",") if isinstance(last.value, ast.List) else f"*{value}"
        joined = f"{listed}, {call}" if listed else call
        lines[last.lineno - 1 : last.end_lineno] = [f"    return [{joined}]\n"]
    else:
        raise InputError("examples.py: expected audit_cases() to yield its cases, or to end in a return")
    imports = [part.lineno for part in tree.body if isinstance(part, ast.ImportFrom) and part.module != "__future__"]
    lines.insert(imports[-1] - 1 if imports else 0, f"{import_line}\n")  # ruff sorts them
    return "".join(lines).rstrip() + f"\n\n\n{case}"


def _own_parts(function: ast.FunctionDef) -> list[ast.AST]:
    """What is in a function, without what is in functions inside it."""
    parts: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        part = waiting.pop()
        parts.append(part)
        if not isinstance(part, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(part)
    return parts


def with_layer(project: str, name: str) -> str:
    """The text of ``pyproject.toml`` with the package in the layer of the kinds of data.

    >>> with_layer('    "(sfumato.table) | (sfumato.text)",', "activity")
    '    "(sfumato.table) | (sfumato.text) | (sfumato.activity)",'
    """
    lines = project.splitlines(keepends=True)
    member = re.compile(r"\(?(sfumato\.)?table\)?(?= \| )|(?<= \| )\(?(sfumato\.)?table\)?")
    layers = [number for number, line in enumerate(lines) if member.search(line)]
    if len(layers) != 1:
        raise InputError('pyproject.toml: expected one layer with the kinds of data, as in "sfumato.table | …"')
    line = lines[layers[0]]
    if not re.search(rf"\b{name}\b", line):
        like = member.search(line)
        added = like.group().replace("table", name) if like else name
        head, quote, tail = line.rpartition('"')
        lines[layers[0]] = f"{head} | {added}{quote}{tail}"
    return "".join(lines)
