"""What was decided as a command line, as Python, and as a notebook that repeats it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.studio.project import Project
from sfumato.studio.purse import Purse

__all__ = ["CodeSample", "notebook_of", "question_sample", "sample_of"]


@dataclass(frozen=True)
class CodeSample:
    """The same step as a command line and as Python."""

    command: str
    python: str


def sample_of(project: Project, step: str) -> CodeSample:
    """The command and the Python that do what a step of the studio does."""
    if project.origin is None:
        return CodeSample("sfumato studio", "")
    makers = {
        "open": _init,
        "roles": _init,
        "risk": _risk,
        "protect": _protect,
        "compare": _protect,
        "attack": _attack,
        "file": _publish,
    }
    return makers[step](project)


def _reading(project: Project) -> tuple[list[str], str]:
    """The options that say how the file is written, and the line that reads it."""
    origin = project.origin
    assert origin is not None
    named = PurePosixPath(origin.name).suffix.lstrip(".") == origin.format
    told = {
        "format": None if named else origin.format,
        "delimiter": origin.delimiter,
        "encoding": origin.encoding,
    }
    given = {name: value for name, value in told.items() if value is not None}
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    more = "".join(f", {name}={value!r}" for name, value in given.items())
    return options, f"people = read_table({origin.name!r}{more})"


def _line(*words: Any) -> str:
    return shlex.join(str(word) for word in words)


def _name(project: Project) -> str:
    assert project.origin is not None
    return project.origin.name


_HEAD = "import sfumato as sf\nfrom sfumato.io import read_table\n\n"


def _init(project: Project) -> CodeSample:
    options, reading = _reading(project)
    return CodeSample(
        _line("sfumato", "table", "init", _name(project), "-o", "table.toml", *options),
        f"{_HEAD}{reading}\nschema = sf.table.Schema.read('table.toml')",
    )


def _risk(project: Project) -> CodeSample:
    options, reading = _reading(project)
    return CodeSample(
        _line("sfumato", "table", "risk", _name(project), "--schema", "table.toml", "--report", "risk.html", *options),
        f"{_HEAD}{reading}\nschema = sf.table.Schema.read('table.toml')\nprint(sf.table.explain_risk(people, schema))",
    )


def _protect(project: Project) -> CodeSample:
    options, reading = _reading(project)
    setting = project.protection
    words: list[Any] = ["sfumato", "table", "protect", _name(project), "-o", "release.csv", "--schema", "table.toml"]
    words += ["--mechanism", f"{setting.recoding}-recoding", "--k", setting.k]
    words += [] if setting.l is None else ["--l", setting.l]
    words += [] if setting.t is None else ["--t", f"{setting.t:g}"]
    words += ["--suppression", f"{setting.suppression:g}"] if setting.recoding == "global" else []
    for name, weight in project.weights.items():
        words += ["--weight", f"{_toml_key(name)}={weight:g}"]
    words += ["--key", "release.key", *options]
    arguments = ", ".join(f"{name}={value!r}" for name, value in setting.arguments.items())
    return CodeSample(
        _line(*words),
        f"{_HEAD}{reading}\nschema = sf.table.Schema.read('table.toml')\n"
        f"release = sf.table.protect(people, schema, {arguments})\n"
        "release.write('release.csv', key='release.key')",
    )


def _attack(project: Project) -> CodeSample:
    options, _ = _reading(project)
    return CodeSample(
        _line(
            "sfumato",
            "table",
            "attack",
            _name(project),
            "release.csv",
            "--schema",
            "table.toml",
            "--key",
            "release.key",
            *options,
        ),
        _protect(project).python + "\nfor found in release.attack(people):\n    print(found.name, found.score)",
    )


def _publish(project: Project) -> CodeSample:
    options, _ = _reading(project)
    return CodeSample(
        _line(
            "sfumato",
            "publish",
            _name(project),
            "--out",
            "papers",
            "--decisions",
            "decisions.toml",
            "--spreadsheet",
            *options,
        ),
        "import sfumato as sf\n\n"
        f"sf.publish({_name(project)!r}, 'papers', decisions='decisions.toml', spreadsheet=True)",
    )


def question_sample(project: Project, purse: Purse | None, column: str, arguments: Mapping[str, Any]) -> CodeSample:
    """The command and the Python that pay for the same answer."""
    options, reading = _reading(project)
    words: list[Any] = ["sfumato", "statistic", "protect", _name(project), "-o", "answer.csv", "--column", column]
    named = {"quantiles": "--q", "categories": "--category"}
    for name, value in arguments.items():
        if name in named:
            words += [word for one in value for word in (named[name], one)]
        elif value is True:
            words.append(f"--{name}")
        else:
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else value]
    paid = "" if purse is None else f", terms=Terms(ledger={Path(purse.place).name!r}, subject={purse.subject!r})"
    words += [] if purse is None else ["--ledger", Path(purse.place).name, "--subject", purse.subject]
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return CodeSample(
        _line(*words, *options),
        f"{_HEAD.rstrip()}\nfrom sfumato.release import Terms\n\n{reading}\n"
        f"answer = sf.statistic.protect(people, {column!r}, {given}{paid})\nprint(answer.data)",
    )


def _toml_key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "").isalnum() and name.isascii()
    return name if plain else json.dumps(name, ensure_ascii=False)


def notebook_of(project: Project) -> str:
    """A Jupyter notebook that goes the same way again, from ``table.toml`` and ``decisions.toml`` beside it."""
    parts = [
        ("The same way again", ""),
        ("What makes the risk", _risk(project).python),
        (
            "Protect, attack and measure",
            _attack(project).python + "\nfor found in release.measure(people):\n    print(found.name, found.score)",
        ),
        ("All papers", _publish(project).python),
    ]
    cells: list[dict[str, Any]] = []
    for place, (words, code) in enumerate(parts):
        cells.append({"cell_type": "markdown", "id": f"words{place}", "metadata": {}, "source": f"## {words}"})
        if code:
            cells.append(
                {
                    "cell_type": "code",
                    "id": f"code{place}",
                    "metadata": {},
                    "source": code,
                    "outputs": [],
                    "execution_count": None,
                }
            )
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}, ensure_ascii=False)
