"""What was decided as a command line, as Python, and as a notebook that repeats it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.studio.kinds.text_work import TextWork
from sfumato.studio.kinds.trace_work import TraceWork
from sfumato.studio.project import Project, Work
from sfumato.studio.purse import Purse
from sfumato.study.own.decisions import toml_value
from sfumato.text.publishing import REVIEW_FILE

__all__ = ["CodeSample", "notebook_of", "question_sample", "sample_of"]


@dataclass(frozen=True)
class CodeSample:
    """The same step as a command line and as Python."""

    command: str
    python: str


def sample_of(project: Project, step: str, purse: Purse | None = None) -> CodeSample:
    """The command and the Python that do what a step of the studio does; ``purse`` pays for what is filed."""
    if project.origin is None:
        return CodeSample("sfumato studio", "")
    if step == "file":
        return _publish(project, purse)
    if project.work is not None:
        return _work_sample(project, project.work)
    makers = {
        "open": _init,
        "roles": _init,
        "risk": _risk,
        "protect": _protect,
        "compare": _protect,
        "attack": _attack,
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


def _publish(project: Project, purse: Purse | None = None) -> CodeSample:
    options, _ = _reading(project)
    words = ["sfumato", "publish", _name(project), "--out", "papers", "--decisions", "decisions.toml", "--spreadsheet"]
    options_paid, terms = _paid(purse)
    imported = "from sfumato.release import Terms\n" if terms else ""
    return CodeSample(
        _line(*words, *options_paid, *options),
        f"import sfumato as sf\n{imported}\n"
        f"sf.publish({_name(project)!r}, 'papers', decisions='decisions.toml', spreadsheet=True{terms})",
    )


def _paid(purse: Purse | None) -> tuple[list[str], str]:
    """The options, and the argument in Python, that name who pays."""
    if purse is None:
        return [], ""
    place = Path(purse.place).name if isinstance(purse.place, Path) else purse.place
    return [
        "--ledger",
        place,
        "--subject",
        purse.subject,
    ], f", terms=Terms(ledger={place!r}, subject={purse.subject!r})"


def _work_sample(project: Project, work: Work) -> CodeSample:
    """The command and the Python that protect texts, a trace, or any other kind of data."""
    options, _ = _reading(project)
    settings, more = dict(work.decisions.protect), ""
    words: list[Any] = ["sfumato", work.kind, "protect", _name(project), "-o", "release.csv"]
    if isinstance(work, TextWork):
        words += ["--column", work.column, "--mechanism", "scrubber", "--names", work.names]
        words += [] if work.replacement == "label" else ["--set", f"replacement={work.replacement}"]
        words += ["--review", REVIEW_FILE]
        more = f", review={REVIEW_FILE!r}"
    elif isinstance(work, TraceWork):
        words += [word for hours in work.hours for word in ("--daily" if work.daily else "--secret", hours)]
        words += ["--radius", f"{work.radius:g}", "--zone", work.zone]
        words += (
            ["--keep-times", "--epsilon", f"{work.epsilon:g}"] if work.keep_times else ["--margin", f"{work.margin}"]
        )
    else:
        words = ["sfumato", "publish", _name(project), "--kind", work.kind, "--out", "papers"]
        words += [word for name, value in settings.items() for word in ("--set", f"{name}={_toml_value(value)}")]
        return CodeSample(
            _line(*words, *options),
            "import sfumato as sf\n\n"
            f"done = sf.publish({_name(project)!r}, 'papers', kind={work.kind!r}, protect={settings!r})\n"
            "for found in done.chosen.attacked:\n    print(found.name, found.score)",
        )
    origin = project.origin
    assert origin is not None
    given = ", ".join(f"{name}={value!r}" for name, value in settings.items()) + more
    reader = "read_texts" if origin.is_documents else "read_table"
    return CodeSample(
        _line(*words, "--key", "release.key", *options),
        f"import sfumato as sf\nfrom sfumato.io import {reader}\n\ndata = {reader}({origin.name!r}"
        + "".join(
            f", {name}={value!r}"
            for name, value in (("delimiter", origin.delimiter), ("encoding", origin.encoding))
            if value is not None
        )
        + f")\nrelease = sf.{work.kind}.protect(data, {given})\nrelease.write('release.csv', key='release.key')",
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
    options_paid, paid = _paid(purse)
    words += options_paid
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return CodeSample(
        _line(*words, *options),
        f"{_HEAD.rstrip()}\nfrom sfumato.release import Terms\n\n{reading}\n"
        f"answer = sf.statistic.protect(people, {column!r}, {given}{paid})\nprint(answer.data)",
    )


def _toml_value(value: Any) -> str:
    """A value as ``--set`` reads it."""
    return value if isinstance(value, str) else toml_value(value)


def _toml_key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "").isalnum() and name.isascii()
    return name if plain else json.dumps(name, ensure_ascii=False)


def notebook_of(project: Project) -> str:
    """A Jupyter notebook that goes the same way again, from ``table.toml`` and ``decisions.toml`` beside it."""
    parts = [("The same way again", ""), ("All papers", _publish(project).python)]
    if project.work is not None:
        parts.insert(1, ("Protect", _work_sample(project, project.work).python))
        return _notebook(parts)
    parts = [
        ("The same way again", ""),
        ("What makes the risk", _risk(project).python),
        (
            "Protect, attack and measure",
            _attack(project).python + "\nfor found in release.measure(people):\n    print(found.name, found.score)",
        ),
        ("All papers", _publish(project).python),
    ]
    return _notebook(parts)


def _notebook(parts: Sequence[tuple[str, str]]) -> str:
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
