"""``sfumato audit``: test every promise and print one table."""

from __future__ import annotations

import gc
import importlib.util
import re
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.markup import escape

from sfumato.auditor import AuditCase, AuditResult
from sfumato.auditor.auditor import attempt
from sfumato.auditor.case import Method
from sfumato.auditor.result import Verdict
from sfumato.errors import InputError, bad_input
from sfumato.study.console import notes, progress, screen
from sfumato.study.run.one_thread import one_thread
from sfumato.validate import choice

__all__ = ["audit_command", "cases_in", "results_table"]


def audit_command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Python files or folders that define CASES; without any, all that is registered."),
    ] = None,
    room: Annotated[list[str] | None, typer.Option(help="Only this kind of data, or 'mechanism'; repeatable.")] = None,
    method: Annotated[str, typer.Option(help="auto, exact or sampling.")] = "auto",
    samples: Annotated[int | None, typer.Option(help="Releases drawn of each input.", min=100)] = None,
    confidence: Annotated[float, typer.Option(help="Of every sampled bound.")] = 1 - 1e-6,
    seed: Annotated[int, typer.Option(help="Audits draw test releases only: a fixed seed repeats the verdict.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Folder for the privacy-loss curves (HTML).")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write the table: .csv, .jsonl or .parquet, - for pipes.")
    ] = None,
    words: Annotated[bool, typer.Option("--words", help="Print the evidence in words for every mechanism.")] = False,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Audit mutants of every mechanism instead, and print the share caught.")
    ] = False,
) -> None:
    """Try to break the promise of every mechanism; print what was promised, what was found and the verdict.

    What is not as expected is explained in words. Exit code 1 if a promise is broken, a specimen is not caught, or a
    mechanism could not be run.

    Example: sfumato audit my_mechanisms.py --plot curves
    """
    from sfumato.noise import seeded_rng

    cases = [case for path in paths for case in cases_in(path)] if paths else _registered(room)
    way = cast(Method, choice("method", method, get_args(Method)))
    if mutants:
        with _small_work():
            _hunt(cases, confidence, seed, out)
        return
    with _small_work():
        results = [
            attempt(case, method=way, samples=samples, confidence=confidence, rng=seeded_rng(seed))
            for case in progress(cases, "auditing")
        ]
    if out is None or str(out) != "-":
        _print(results_table(results))
    if plot is not None:
        _write_plots(results, plot)
    if out is not None:
        _write([result.row() for result in results], out)
    surprises = [result for result in results if not result.as_expected]
    for result in results if words else surprises:
        _print_words(result)
    notes.print(_summary(results, surprises), soft_wrap=True)
    if surprises:
        raise typer.Exit(1)


@contextmanager
def _small_work() -> Iterator[None]:
    """Look for garbage seldom, and do linear algebra on one thread.

    An audit makes millions of small objects and small matrices: a tenth of its time went into looking, and a sixth of
    its CPU time into threads that wait for each other.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    try:
        with one_thread():
            yield
    finally:
        gc.set_threshold(*before)


def _print_words(result: AuditResult) -> None:
    notes.print(f"[bold]{escape(result.name)}[/]: {result.verdict}", soft_wrap=True)
    for sentence in result.sentences:
        notes.print(f"  {escape(sentence)}", soft_wrap=True)


def _hunt(cases: Sequence[AuditCase], confidence: float, seed: int, out: Path | None) -> None:
    """The share of mutants that is caught, by mistake."""
    from rich import box
    from rich.table import Table

    from sfumato.auditor.kill_rate import hunt, kill_table
    from sfumato.noise import seeded_rng

    kills = [
        kill
        for case in progress(cases, "auditing mutants")
        for kill in hunt(case, confidence=confidence, rng=seeded_rng(seed))
    ]
    rows = kill_table(kills)
    if not rows:
        raise bad_input("cases", [case.label for case in cases], "a promise that can be mutated", "audit others")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("mistake", "mutants", "breaking", "caught", "share", "within 5 %", "unknown", "CPU s"):
        table.add_column(heading, justify="left" if heading == "mistake" else "right", no_wrap=True)
    for row in rows:
        share = "–" if row["breaking"] == 0 else f"{row['share']:.1%}"
        counts = [str(row[name]) for name in ("mutants", "breaking", "caught")]
        rest = [str(row["within"]), str(row["unknown"]), f"{row['seconds']:.1f}"]
        table.add_row(row["mistake"], *counts, share, *rest)
    if out is None or str(out) != "-":
        _print(table)
    if out is not None:
        _write(rows, out)
    missed = [kill.mutant.case.label for kill in kills if kill.mutant.breaks and not kill.caught]
    notes.print("not caught: " + ("; ".join(missed) or "none"), soft_wrap=True)


def _print(table: Any) -> None:
    if screen.is_terminal:
        screen.print(table)
        return
    from rich.console import Console

    Console(width=120, highlight=False).print(table)  # a file or pipe has no width of its own


def cases_in(path: Path) -> list[AuditCase]:
    """The ``CASES`` of a Python file, or of every Python file in a folder."""
    if not path.exists():
        raise bad_input("path", str(path), "a Python file or a folder", "--room NAME audits a kind of data")
    files = sorted(path.glob("*.py")) if path.is_dir() else [path]
    cases: list[AuditCase] = []
    for file in files:
        if path.is_dir() and file.name == "__init__.py":
            continue
        found = getattr(_load(file), "CASES", None)
        if found is None and path.is_dir():
            continue
        if not isinstance(found, Sequence) or not all(isinstance(case, AuditCase) for case in found):
            raise bad_input(f"CASES in {file}", found, "a list of AuditCase", "define CASES = [AuditCase(...)]")
        cases += found
    if not cases:
        raise bad_input("path", str(path), "at least one audit case", "define CASES = [AuditCase(...)]")
    return cases


def _load(file: Path) -> Any:
    name = "sfumato_audited_" + re.sub(r"\W", "_", str(file.resolve().with_suffix("")))
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise bad_input("path", str(file), "a Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look their module up by name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(
            f"{file} could not be loaded: {type(error).__name__}: {error}{_line_of(error, file)}"
        ) from error
    return module


def _line_of(error: Exception, file: Path) -> str:
    """Where in the file it happened, as far as that is known."""
    if isinstance(error, SyntaxError):
        return ""  # says it itself
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f" (line {lines[-1]})" if lines else ""


def _registered(rooms: Iterable[str] | None) -> list[AuditCase]:
    from sfumato.study import find_rooms
    from sfumato.study.conformance import collect_cases

    if rooms:
        return [case for room in rooms for case in collect_cases(room)]
    cases = collect_cases("mechanism")
    for name, room in find_rooms().items():
        try:
            cases += room.audits()
        except Exception as error:  # the promises of the others are still worth testing
            warnings.warn(f"{name} is not audited: {type(error).__name__}: {error}", stacklevel=2)
    return cases


def results_table(results: Sequence[AuditResult]) -> Any:
    """One rich table of all results."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("mechanism", overflow="fold")
    table.add_column("promise", overflow="fold")
    for heading in ("found", "attained"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("method", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for result in results:
        silent = result.verdict in ("no promise", "untested", "could not run")
        colour = "green" if result.as_expected else "bold red"
        verdict = result.verdict if result.as_expected else f"{result.verdict} (!)"
        table.add_row(
            result.name,
            "–" if silent else f"{result.symbol}: {result.promised:.4g}",
            "–" if result.verdict in ("untested", "could not run") else f"{result.found:.4g}",
            "–" if silent else _percent(result.attained),
            result.method,
            f"[{colour}]{verdict}[/]",
        )
    return table


def _percent(share: float) -> str:
    return f"{share:.2%}" if share < 10 else f"{share:.3g}×"


def _summary(results: Sequence[AuditResult], surprises: Sequence[AuditResult]) -> str:
    counts = {verdict: sum(r.verdict == verdict for r in results) for verdict in get_args(Verdict)}
    seconds = sum(result.seconds for result in results)
    text = f"{len(results)} audited in {seconds:.1f} s: " + ", ".join(f"{n} {v}" for v, n in counts.items() if n)
    return text + (f"; not as expected: {', '.join(r.name for r in surprises)}" if surprises else "; all as expected")


def _write_plots(results: Sequence[AuditResult], folder: Path) -> None:
    from sfumato.io.files import atomic_path

    folder.mkdir(parents=True, exist_ok=True)
    for number, result in enumerate(results):
        if result.evidence is None:
            continue
        slug = re.sub(r"\W+", "-", result.name).strip("-").lower()
        with atomic_path(folder / f"{number:02d}-{slug}.html") as target:
            result.plot().write_html(target, include_plotlyjs=True)
    notes.print(f"privacy-loss curves in {folder}", soft_wrap=True)


def _write(rows: Sequence[dict[str, Any]], out: Path) -> None:
    import pyarrow as pa

    from sfumato.io.files import write_table

    write_table(pa.Table.from_pylist(list(rows)), out)
