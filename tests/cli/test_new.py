"""``sfumato new`` in a copy of the sources, followed as CONTRIBUTING says."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from helpers import ROOT
from sfumato.cli.new import find_base, find_checkout, new_mechanism, with_case, with_layer
from sfumato.errors import InputError, SfumatoError
from sfumato.registry import rooms
from sfumato.study.rooms import find_room

HOUSE = ("public_names", "registration", "structure")
NAMES = sorted(name for name in rooms() if (ROOT / "src" / "sfumato" / name).is_dir())

COMMANDS = re.findall(r"^    sfumato (new .*)$", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.M)

# Whoever followed CONTRIBUTING to the letter has these names already; the copy then gets a second set.
FOLLOWED = "weather" in rooms() or hasattr(sfumato.statistic, "NoisyMedian")
AGAIN = "Again" if FOLLOWED else ""
ROOM = f"weather{AGAIN.lower()}"
MEDIANS = [f"NoisyMedian{AGAIN}", f"PrivateMedian{AGAIN}"]
LISTED = {kind: re.sub("(?<!^)(?=[A-Z])", "-", kind).lower() for kind in MEDIANS}
MODULES = {kind: listed.replace("-", "_") for kind, listed in LISTED.items()}


class Checkout:
    """A copy of the sources, and commands that run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in ("src", "tests", "docs"):
            # with what Python and numba compiled: it is found again by the time and size of the sources, which are kept
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.png"))
        for file in ("pyproject.toml", "CONTRIBUTING.md", "README.md"):
            shutil.copy(ROOT / file, folder / file)

    def run(self, *command: object, code: int | None = 0) -> str:
        """What a module said; ``code`` is the exit code it must have."""
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder / "src"), "MYPYPATH": str(self.folder / "src")},
            check=False,
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def sfumato(self, *arguments: object, code: int | None = 0) -> str:
        return self.run("-m", "sfumato", *arguments, code=code)

    def files(self) -> dict[str, bytes]:
        """The content of every source file."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for part in ("src", "tests", "docs")
            for path in (self.folder / part).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which every command of CONTRIBUTING was called, and one more mechanism in each kind of data."""
    made = Checkout(tmp_path_factory.mktemp("checkout"))
    renamed = [re.sub("weather", ROOM, re.sub(r"(\w+Median)", rf"\1{AGAIN}", command)) for command in COMMANDS]
    said = "".join(made.sfumato(*command.split()) for command in renamed)
    assert f"written: src/sfumato/{ROOM}/room.py" in said
    assert "changed: src/sfumato/__init__.pyi" in said
    made.sfumato("new", "mechanism", ROOM, "noisy-wind")
    for name in NAMES:
        new_mechanism(made.folder, name, f"Skeleton{name.title()}").write()
    new_mechanism(made.folder, "statistic", "SkeletonOfTheLongestName", "private-welch").write()
    return made


def test_contributing_has_one_command_for_each() -> None:
    assert COMMANDS == [
        "new mechanism statistic NoisyMedian",
        "new mechanism statistic PrivateMedian --like quantile",
        "new room weather",
    ]


def test_style_types_and_layers(checkout: Checkout) -> None:
    checkout.run("-m", "ruff", "check", "src", "tests")
    checkout.run("-m", "ruff", "format", "--check", "src", "tests")
    written = [f"src/sfumato/{name}/mechanisms/skeleton_{name}.py" for name in NAMES]
    examples = [f"src/sfumato/{name}/examples.py" for name in NAMES]
    checkout.run("-m", "mypy", f"src/sfumato/{ROOM}", *written, *examples)
    lint = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    said = checkout.run("-c", lint, code=None)
    assert ROOM not in said
    assert "skeleton" not in said


def test_the_tests_of_the_room_pass(checkout: Checkout) -> None:
    checkout.run("-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{ROOM}", f"src/sfumato/{ROOM}")
    checkout.run("-m", "doctest", f"docs/{ROOM}.md")


def test_every_test_of_a_new_mechanism_passes(checkout: Checkout) -> None:
    """In every kind of data: its own test and example, the commands from file to file, and the house."""
    own = [f"src/sfumato/{name}/mechanisms/skeleton_{name}.py" for name in NAMES]
    own += [f"tests/{name}/mechanisms/test_skeleton_{name}.py" for name in NAMES]
    own += [f"tests/statistic/mechanisms/test_{module}.py" for module in MODULES.values()]
    shared = [f"tests/{name}/test_commands.py" for name in NAMES] + [f"tests/house/test_{one}.py" for one in HOUSE]
    chosen = " or ".join(["skeleton", "median", "has_words", *HOUSE])
    said = checkout.run("-m", "pytest", "-vv", "-p", "no:cacheprovider", *own, *shared, "-k", chosen)
    passed = [line for line in said.splitlines() if " PASSED " in line]
    for place in (*own, *(f"skeleton-{name}" for name in NAMES), *(f"[{listed}]" for listed in LISTED.values())):
        assert any(place in line for line in passed), place


def test_a_new_mechanism_passes_the_checks(checkout: Checkout) -> None:
    """All that the suite does with every audit case; the auditor is one of the checks."""
    said = checkout.run(
        "-c",
        "from sfumato.study.conformance import check, collect_cases\n"
        "for case in collect_cases():\n"
        "    module = type(case.mechanism).__module__.rpartition('.')[2]\n"
        f"    if 'skeleton' in module or module in {[*MODULES.values()]}:\n"
        "        check(case)\n"
        "        print('passes:', case.label)",
    )
    new = [*MEDIANS, "SkeletonOfTheLongestName", *(f"Skeleton{name.title()}" for name in NAMES)]
    assert sorted(re.findall("passes: (.*)", said)) == sorted(new)


@pytest.mark.parametrize("room", NAMES)
def test_a_new_mechanism_derives_from_a_simple_one(room: str) -> None:
    """One whose case is about nothing but the mechanism, so that it goes on auditing what becomes of the new one."""
    case = find_base(room)
    assert case.own_sampler
    assert case.reached is None
    kinds = find_room(room).mechanisms().values()
    assert [kind for kind in kinds if issubclass(type(case.mechanism), kind)] == [type(case.mechanism)]


def test_a_new_mechanism_derives_from_the_one_named() -> None:
    assert type(find_base("statistic", "private-welch").mechanism).__name__ == "PrivateWelch"
    assert type(find_base("table", "GreedyKMember").mechanism).__name__ == "GreedyKMember"
    assert find_base("statistic", "welch-test").own_sampler


def test_a_sampler_follows_the_mechanism_or_is_dropped() -> None:
    case = find_base("statistic", "welch-test")
    other = case.mechanism.replace(epsilon=1.0)
    assert case.of(other).sampler.__self__ is other  # type: ignore[union-attr]
    foreign = dataclasses.replace(case, sampler=lambda data, count, rng: case.mechanism.sample(data, count, rng))  # type: ignore[attr-defined]
    assert not foreign.own_sampler  # it would go on drawing from the old one
    assert foreign.of(other).sampler is None
    assert dataclasses.replace(case, sampler=None).of(other).sampler is None


def test_it_is_audited_and_exported(checkout: Checkout) -> None:
    said = checkout.sfumato("audit", "--room", ROOM)
    assert "2 audited" in said
    assert "2 holds; all as expected" in said
    listed = checkout.run(
        "-c",
        "import sfumato as sf\nfrom sfumato.study import find_rooms\n"
        "for name, room in find_rooms().items(): print(name, *room.mechanisms())\n"
        f"print(sf.{ROOM}.NoisyWind, *(getattr(getattr(sf, name), f'Skeleton{{name.title()}}') for name in "
        f"{NAMES}))",
    )
    assert f"{ROOM} {ROOM}-noise noisy-wind" in listed
    assert LISTED[MEDIANS[0]] in next(line for line in listed.splitlines() if line.startswith("statistic ")).split()
    for name in NAMES:
        line = next(line for line in listed.splitlines() if line.startswith(f"{name} "))
        assert f"skeleton-{name}" in line.split()


def test_it_is_pinned_and_documented(checkout: Checkout) -> None:
    names = checkout.folder / "tests" / "house" / "names"
    assert ROOM in (names / "sfumato.txt").read_text().split()
    assert "NoisyWind" in (names / f"sfumato.{ROOM}.txt").read_text().split()
    assert MEDIANS[0] in (names / "sfumato.statistic.txt").read_text().split()
    assert f"--mechanism {LISTED[MEDIANS[0]]}" in (checkout.folder / "docs" / "statistic.md").read_text()
    for name in NAMES:
        assert f"## `Skeleton{name.title()}`" in (checkout.folder / "docs" / f"{name}.md").read_text()


def test_it_is_on_the_command_line(checkout: Checkout) -> None:
    checkout.run(
        "-c",
        f"from sfumato.{ROOM} import make_{ROOM}; from sfumato.io import write_table; "
        f"write_table(make_{ROOM}(40), 'people.csv')",
    )
    options = ["people.csv", "-c", "value", "--epsilon", "1", "--low", "0", "--high", "100", "-o", "release.csv"]
    options += ["--key", "release.key"]
    assert "promise: ε = 1 per record" in checkout.sfumato(ROOM, "protect", *options, "-m", "noisy-wind")
    assert "people linked" in checkout.sfumato(ROOM, "attack", "people.csv", "release.csv", "--key", "release.key")
    wrong = checkout.sfumato(ROOM, "protect", *options, "-m", "nonsense", code=2)
    assert f"expected one of '{ROOM}-noise', 'noisy-wind'" in wrong
    assert "report: " in checkout.sfumato("study", ROOM, "--seeds", "1", "--workers", "1", "--set", "people=40")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["room", ROOM], "a name that sfumato does not have yet"),
        (["room", "audit"], "a name that sfumato does not have yet"),
        (["room", "Weather"], "one word in lower case"),
        (["room", "class"], "one word in lower case"),
        (["mechanism", "wether", "Wind"], "expected one of"),
        (["mechanism", ROOM, "NoisyWind"], "is there already"),
        (["mechanism", ROOM, "LinkageAttack"], "does not export yet"),
        (["mechanism", ROOM, "3rd"], "a class name"),
        (["mechanism", ROOM, "Gale", "--like", "storm"], f"'{ROOM}-noise'"),
    ],
)
def test_what_is_there_stays_as_it_is(checkout: Checkout, arguments: list[str], message: str) -> None:
    before = checkout.files()
    said = checkout.sfumato("new", *arguments, code=2)
    assert said.startswith("error: ")
    assert message in said
    assert checkout.files() == before


def test_nothing_half_written(checkout: Checkout) -> None:
    """A folder that cannot be made stops it in the middle; everything is as before."""
    before = checkout.files()
    blocked = checkout.folder / "tests" / "sea"
    blocked.write_text("a file where a folder should be")
    try:
        said = checkout.sfumato("new", "room", "sea", code=None)
    finally:
        blocked.unlink()
    assert "error: " in said
    assert checkout.files() == before
    assert not (checkout.folder / "src" / "sfumato" / "sea").exists()


def test_an_installed_copy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SfumatoError, match="works in a source checkout"):
        find_checkout(tmp_path / "site-packages" / "sfumato")


CASES = {
    "generator": ("def audit_cases():\n    yield 1\n", [1]),
    "loop": ("def audit_cases():\n    for n in (1, 2):\n        yield n\n", [1, 2]),
    "list": ("def audit_cases():\n    return [1, 2]\n", [1, 2]),
    "long list": ("def audit_cases():\n    return [\n        1,\n        2,\n    ]\n", [1, 2]),
    "empty list": ("def audit_cases():\n    return []\n", []),
    "variable": ("def audit_cases():\n    cases = (1, 2)\n    return cases\n", [1, 2]),
    "starred": ("def audit_cases():\n    cases = (1, 2)\n    return [*cases, *cases]\n", [1, 2, 1, 2]),
    "a generator inside": ("def audit_cases():\n    def one():\n        yield 1\n    return list(one())\n", [1]),
}


@pytest.mark.parametrize(("source", "before"), CASES.values(), ids=CASES)
def test_a_case_joins_any_shape_of_audit_cases(source: str, before: list[int]) -> None:
    names: dict[str, object] = {}
    mine = "def _mine(cases):\n    return 99 + next((case for case in cases if case > 0), 0)\n"
    once = with_case(source, "import math", mine, "mine")
    exec(once, names)
    first = 99 + (before[0] if before else 0)
    assert list(names["audit_cases"]()) == [*before, first]  # type: ignore[operator]
    twice = with_case(once, "", "def _other(cases):\n    return next(case for case in cases if case > 98)\n", "other")
    exec(twice, names)
    assert list(names["audit_cases"]()) == [*before, first, first]  # type: ignore[operator]
    with pytest.raises(InputError):
        with_case(source + "def _mine(): ...\n", "", "", "mine")


@pytest.mark.parametrize("member", ["sfumato.{}", "(sfumato.{})", "{}", "({})"])
def test_a_layer_is_written_as_its_neighbours_are(member: str) -> None:
    line = f'"{member.format("table")} | {member.format("text")}",'
    assert with_layer(line, "sea") == f'"{member.format("table")} | {member.format("text")} | {member.format("sea")}",'
    assert with_layer(with_layer(line, "sea"), "sea") == with_layer(line, "sea")
