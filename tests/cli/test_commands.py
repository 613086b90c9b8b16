"""The command line from outside: what it says and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import python_path
from sfumato.cli.app import Lazy, command

Sfumato = Callable[..., subprocess.CompletedProcess[str]]


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error with exit code 2."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: ")
    return done.stderr


def test_help_lists_commands_and_rooms(sfumato: Sfumato) -> None:
    done = sfumato("--help")
    assert done.returncode == 0
    for word in ("demo", "study", "audit", "budget", "rooms", "outside", "Examples"):
        assert word in done.stdout
    assert sfumato("--version").stdout.startswith("sfumato 0.")


@pytest.mark.parametrize("command", ["demo", "study", "audit", "budget", "rooms", "outside", "outside protect"])
def test_every_command_has_help_with_an_example(sfumato: Sfumato, command: str) -> None:
    done = sfumato(*command.split(), "--help")
    assert done.returncode == 0, done.stderr
    if command not in ("budget", "outside"):
        assert "Example" in done.stdout
    if command == "outside":
        assert "Blur a column." in done.stdout
        assert "A room from another package." in done.stdout


def test_rooms_are_listed(sfumato: Sfumato) -> None:
    done = sfumato("rooms")
    assert done.returncode == 0
    assert "bits (demo)" in done.stdout


def test_protect_reads_and_writes_pipes(sfumato: Sfumato, tmp_path: Path) -> None:
    done = sfumato("outside", "protect", "-", "--seed", "1", stdin="x,y\n1,a\n0,b\n")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 3
    assert "protects nothing" in done.stderr
    assert sfumato("outside", "protect", "-", "--seed", "1", stdin='{"x": 1}\n{"x": 0}\n').stdout == done.stdout
    quiet = sfumato("outside", "protect", "-", "--out", "release.parquet", stdin="x\n1\n0\n")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert (tmp_path / "release.parquet").exists()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", [], "is empty"),
        (b"x,y\n" + "1,é\n".encode() * 20 + b"1,\xe9\n", [], "line 22, is not UTF-8"),
        (b"z\n1\n", [], "has no column 'x'"),
        (b"x\n1\nnan\n", [], "row 2"),
        (b'x\n1\n""\n', [], "row 2"),
        (b"x\none\n", [], "expected numbers"),
        (b"x\n1\n", ["--epsilon", "0"], "epsilon = 0.0: expected a finite number > 0"),
        (b"x\n1\n", ["--epsilon", "nan"], "epsilon = nan"),
        (b"x\n1\n", ["--epsilon", "one"], "epsilon"),
        (b"x\n1\n", ["--out", "nowhere/t.csv"], "does not exist; make it first"),
        (b"x\n1\n", ["--out", "t.xls"], "a name that ends in .csv"),
        (b"x\n1\n", ["--epsilom", "1"], "--epsilom"),
        (b"x\n1\n", ["--seed", "-1"], "seed = -1"),
        (b"x\n1\n", ["--out", "/proc/t.csv"], "cannot write /proc/t.csv"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    sfumato: Sfumato, tmp_path: Path, content: bytes, options: list[str], message: str
) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    extra = [] if "--out" in options else ["--out", "out.csv"]
    done = sfumato("outside", "protect", "in.csv", *extra, *options)
    assert message in one_line(done)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_missing_file(sfumato: Sfumato) -> None:
    assert "nowhere.csv does not exist" in one_line(sfumato("outside", "protect", "nowhere.csv"))


@pytest.mark.skipif(os.name != "posix", reason="needs a file system with a limit")
def test_a_disk_that_fills_up(site: Path, tmp_path: Path) -> None:
    """A limit on the size of files stops the write half-way, as a full disk does."""
    (tmp_path / "in.csv").write_text("x\n" + "0.123456789\n" * 20_000)
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "from sfumato.cli import main; main(['outside', 'protect', 'in.csv', '--out', 'out.csv'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": python_path(site)},
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == "error: cannot write out.csv: the file is too large; nothing was written\n"
    assert done.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_wrong_commands(sfumato: Sfumato) -> None:
    assert "Did you mean 'study'" in one_line(sfumato("stduy"))
    assert "Missing argument" in one_line(sfumato("study"))
    assert "did you mean outside?" in one_line(sfumato("study", "outsid"))
    assert "No such command 'protec'" in one_line(sfumato("outside", "protec"))
    assert "did you mean outside?" in one_line(sfumato("demo", "outsid"))
    assert "study.toml does not exist" in one_line(sfumato("study", "study.toml"))


def test_mistakes_of_the_program_are_told_apart(sfumato: Sfumato) -> None:
    done = sfumato("outside", "fail")
    assert done.returncode == 1
    assert done.stderr == "error: this is a mistake in sfumato (ZeroDivisionError: oh); --debug shows where\n"
    debug = sfumato("outside", "fail", "--debug")
    assert debug.returncode == 1
    assert "Traceback" in debug.stderr


def test_debug_shows_the_traceback_of_an_input_error(sfumato: Sfumato) -> None:
    done = sfumato("--debug", "outside", "protect", "nowhere.csv")
    assert done.returncode != 0
    assert "Traceback" in done.stderr
    assert "InputError" in done.stderr


def test_a_study_and_again(sfumato: Sfumato, tmp_path: Path) -> None:
    done = sfumato(
        "study", "outside", "--out", "here", "--workers", "1", "--set", "n=50", "--set", "epsilon=[1.0, 4.0]"
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "here").iterdir()} == {
        "journal.jsonl",
        "results.parquet",
        "report.html",
        "frontier.png",
        "frontier.svg",
    }
    assert "6 cells computed" in done.stderr
    assert "report: here/report.html" in done.stderr
    (tmp_path / "study.toml").write_text(
        'room = "outside"\nseeds = 3\nout = "here"\n[options]\nn = 50\nepsilon = [1.0, 4.0]\n'
    )
    again = sfumato("study", "study.toml")
    assert "3 cells computed, 6 cells kept from before" in again.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "epsilon=[0.0]"], "epsilon = 0.0: expected a finite number > 0"),
        (["--set", "epsilom=[1.0]"], "did you mean 'epsilon'?"),
        (["--set", "epsilon"], "expected name=value"),
        (["--recipe", "bytes"], "recipe = 'bytes': expected one of bits"),
        (["--out", "file"], "a file is where a folder should be"),
        (["--seeds", "0"], "--seeds"),
    ],
)
def test_bad_studies(sfumato: Sfumato, tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "file").touch()
    assert message in one_line(sfumato("study", "outside", "--workers", "1", *options))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_demo_ends_in_three_lines(sfumato: Sfumato, tmp_path: Path) -> None:
    done = sfumato("demo", "outside", "--out", "demo", "--workers", "1")
    assert done.returncode == 0, done.stderr
    report, risk, advice = done.stderr.splitlines()[-3:]
    assert report.startswith("Report: demo/index.html (1 study, 3 settings, ")
    assert risk.startswith("Unprotected, the attack “share guessed” reaches 1")
    assert advice == "No limit on the risk was named, so nothing is recommended."
    assert (tmp_path / "demo" / "outside" / "bits" / "report.html").exists()
    assert 'href="outside/bits/report.html"' in (tmp_path / "demo" / "index.html").read_text()


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_study_says_so_and_goes_on(
    sfumato: Sfumato, site: Path, tmp_path: Path, how: signal.Signals, code: int, workers: int
) -> None:
    arguments = ["study", "outside", "--out", "here", "--set", "gate=gate", "--workers", str(workers)]
    child = subprocess.Popen(
        [sys.executable, "-m", "sfumato", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": python_path(site)},
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a suite in the background ignores it
    )
    journal = tmp_path / "here" / "journal.jsonl"
    deadline = time.monotonic() + 120
    while (not journal.exists() or journal.read_text().count("\n") < 4) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(child.pid, how)  # to all of them, as a terminal does
    _, said = child.communicate(timeout=60)
    assert child.returncode == code, said
    assert "Traceback" not in said
    if how is signal.SIGINT:
        assert "interrupted: finished cells are kept in here" in said
    (tmp_path / "gate").touch()
    done = sfumato(*arguments)
    assert "4 cells kept from before" in done.stderr


def test_an_option_is_written_the_same_in_every_command() -> None:
    written: dict[str, dict[tuple[str, ...], str]] = {}

    def visit(one: Any, path: str) -> None:
        lazy = {name: one.load(name) for name in one.doors()} if isinstance(one, Lazy) else {}
        parts = {**getattr(one, "commands", {}), **lazy}
        for name, part in parts.items():
            visit(part, f"{path} {name}")
        for option in one.params:
            short = tuple(name for name in option.opts if not name.startswith("--"))
            for long in (name for name in option.opts if name.startswith("--")):
                written.setdefault(long, {})[short] = path

    visit(command(), "sfumato")
    assert {name: ways for name, ways in written.items() if len(ways) > 1} == {}
