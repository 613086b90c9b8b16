"""``sfumato new``: start a mechanism or a kind of data in a source checkout, with test, audit case and docs."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated

import typer

import sfumato
from sfumato.cli.checkout import Changes
from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.study.console import notes
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.auditor import AuditCase
    from sfumato.mechanism import Mechanism

__all__ = ["app", "find_base", "find_checkout", "new_mechanism", "new_room"]

app = typer.Typer(
    help="Start a new mechanism or a new kind of data in a source checkout of sfumato.", no_args_is_help=True
)
LONGEST = 24  # of a name: the longest line of the templates then stays within the line length


@app.command()
def mechanism(
    room: Annotated[str, typer.Argument(help="The kind of data, a folder of src/sfumato.", show_default=False)],
    name: Annotated[str, typer.Argument(help="The class, such as NoisyMedian or noisy-median.", show_default=False)],
    like: Annotated[
        str | None,
        typer.Option(help="The mechanism that it derives from, such as quantile.", show_default="the shortest one"),
    ] = None,
) -> None:
    """Write a working mechanism with its public name, audit case, test and docs paragraph; then make it yours.

    It derives from a mechanism of the same kind of data and does what that one does, until you change it.

    Examples:

      sfumato new mechanism statistic NoisyMedian

      sfumato new mechanism statistic NoisyMedian --like quantile
    """
    root = find_checkout()
    changes = new_mechanism(root, room, name, like)
    changes.write()
    _say(changes, f"next: change {changes.paths[0]}, then run make test")


@app.command()
def room(
    name: Annotated[str, typer.Argument(help="One word in lower case, such as weather.", show_default=False)],
) -> None:
    """Write a whole kind of data: mechanism, attack, utility, commands, study, generator, tests and docs page.

    Example: sfumato new room weather
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


def new_mechanism(root: Path, room: str, name: str, like: str | None = None) -> Changes:
    """What a new mechanism adds to the checkout; nothing is written yet."""
    package = root / "src" / "sfumato"
    choice("ROOM", room, sorted(path.parent.name for path in package.glob("*/room.py")), "sfumato new room makes one")
    changes, names = Changes(root=root), ClassName.of(name)
    base = type(find_base(room, like).mechanism)
    words = _words(room, names) | _words_of_base(base)
    _create_mechanism(changes, "mechanism", words)
    home = f"sfumato.{room}.mechanisms.{names.module}"
    needed = [f"from {home} import {names.name}", f"from {base.__module__} import {base.__name__}"]
    needed += ["from collections.abc import Iterable"]
    examples = f"src/sfumato/{room}/examples.py"
    case = _render("mechanism/case.py", words)
    changes.edit(examples, with_case(changes.read(examples), "\n".join(needed), case, names.module))
    export(changes, f"sfumato.{room}", home, names.name)
    changes.edit(f"docs/{room}.md", changes.read(f"docs/{room}.md") + _render("mechanism/docs.md", words))
    return changes


def find_base(room: str, like: str | None = None) -> AuditCase:
    """The audit case of the mechanism that a new one derives from: ``like``, or the shortest of the kind of data.

    A case whose sampler is no method of its mechanism is of no use: it draws from the one it was written for. The
    shortest is sought among those that derive from no other and, if there are any, make a promise that needs no
    ``reached`` of its own.
    """
    from sfumato.mechanism import Fitted
    from sfumato.study.rooms import command_name, find_room

    first: dict[type, AuditCase] = {}
    for case in find_room(room).audits():
        if case.expected == "holds" and case.part_of is None and not isinstance(case.mechanism, Fitted):
            first.setdefault(type(case.mechanism), case)
    usable = {command_name(kind): case for kind, case in first.items() if case.own_sampler}
    if like is not None:
        return usable[choice("--like", ClassName.of(like).command, list(usable))]
    if not usable:
        raise InputError(f"{room}: expected a mechanism that is sampled by its own methods; a new one derives from it")

    def simplicity(case: AuditCase) -> tuple[bool, bool, bool, int]:
        kind = type(case.mechanism)
        derived = any(issubclass(kind, other) for other in first if other is not kind)
        lines = len(inspect.getsource(kind).splitlines())
        return derived, case.reached is not None, bool(case.mechanism.guarantee.vacuous), lines

    return min(usable.values(), key=simplicity)


def _words(room: str, names: ClassName) -> dict[str, str]:
    """What the templates of a mechanism put in."""
    return {"room": room, "Class": names.name, "module": names.module, "command": names.command}


def _words_of_base(base: type[Mechanism]) -> dict[str, str]:
    """What else they put in of the class that the mechanism derives from; ``guarantee`` stays the kind of property."""
    cached = isinstance(inspect.getattr_static(base, "guarantee"), cached_property)
    shown = base.__dataclass_params__.repr  # type: ignore[attr-defined]
    more = len(inspect.signature(base.release).parameters) > len(("self", "data", "rng"))
    law = [name for name in ("log_prob", "log_density", "sample") if hasattr(base, name)]
    return {
        "Base": base.__name__,
        "home": base.__module__,
        "decorated": "frozen=True, kw_only=True, eq=False" + ("" if shown else ", repr=False"),
        "options": ", **options: Any" if more else "",
        "given": ", **options" if more else "",
        "property": "cached_property" if cached else "property",
        "imports": "from functools import cached_property\n" if cached else "",
        "law": f"\n    # With another release these are wrong, too: {', '.join(law)}." if law else "",
    }


def _create_mechanism(changes: Changes, templates: str, words: dict[str, str]) -> None:
    room, module = words["room"], words["module"]
    changes.create(f"src/sfumato/{room}/mechanisms/{module}.py", _render(f"{templates}/mechanism.py", words))
    changes.create(f"tests/{room}/mechanisms/test_{module}.py", _render(f"{templates}/test_mechanism.py", words))


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
    _create_mechanism(changes, "room", noise)
    examples = f"src/sfumato/{name}/examples.py"
    changes.edit(examples, changes.read(examples) + _render("room/case.py", noise))
    changes.create(f"docs/{name}.md", _render("room/docs.md", words) + _render("room/mechanism.md", noise))
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


def with_case(source: str, imports: str, case: str, module: str) -> str:
    """The text of an ``examples.py`` whose ``audit_cases()`` also has the case that ``_MODULE(cases)`` makes.

    ``audit_cases()`` may be a generator, or end in a ``return`` of whatever can be iterated. The function is given the
    cases before its own. Of a generator these come one by one from another call, so that it must take the first that
    it can use and no more.

    >>> print(with_case("def audit_cases():\\n    return cases\\n", "import here", "def _mine(cases): ...", "mine"))
    import here
    def audit_cases():
        return [*cases, _mine(cases)]
    <BLANKLINE>
    <BLANKLINE>
    def _mine(cases): ...
    """
    tree = ast.parse(source)
    found = [part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == "audit_cases"]
    taken = [part.name for part in tree.body if isinstance(part, ast.FunctionDef)]
    if len(found) != 1 or f"_{module}" in taken:
        raise InputError(f"examples.py: expected one function audit_cases, and none called _{module}")
    last = found[0].body[-1]
    lines = source.splitlines(keepends=True)
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in _own_parts(found[0])):
        lines.insert(last.end_lineno or 0, f"    yield _{module}(audit_cases())\n")
    elif isinstance(last, ast.Return) and last.value is not None:
        value = ast.get_source_segment(source, last.value) or ""
        name = last.value.id if isinstance(last.value, ast.Name) else "cases"
        listed = value if isinstance(last.value, ast.List) else f"[*{value}]"
        before = [] if isinstance(last.value, ast.Name) else [f"    {name} = {listed}\n"]
        lines[last.lineno - 1 : last.end_lineno] = [*before, f"    return [*{name}, _{module}({name})]\n"]
    else:
        raise InputError("examples.py: expected audit_cases() to yield its cases, or to end in a return")
    places = [part.lineno for part in tree.body if isinstance(part, ast.ImportFrom) and part.module != "__future__"]
    lines.insert(places[-1] - 1 if places else 0, f"{imports}\n")  # ruff sorts them
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
