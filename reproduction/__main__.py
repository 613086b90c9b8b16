"""Write ``docs/reproduction.md``: the numbers that the dissertations print, and ours beside them.

    python -m reproduction              # what is missing or outdated (long); an interrupted run goes on
    python -m reproduction statistic    # these sections, whatever is kept of them; the others stay as they are
    python -m reproduction claims       # the rows of the claims
    python -m reproduction --plan       # what would be made, and how long it took last time

A section is a module of this package with a function ``section() -> str`` that returns Markdown. The claims and their
counts, here and in the README, are written anew with every section.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
import traceback
from pathlib import Path

import reproduction
from reproduction import claims
from reproduction._rows import FRESH, Recipe, time_left
from reproduction.claims.written_section import sections_of

ROOT = Path(__file__).resolve().parent.parent
BOOK, README = ROOT / "docs" / "reproduction.md", ROOT / "README.md"
HEAD = """# The reproduction book

Published numbers beside ours. `make reproduce` writes this page and makes only what is missing or outdated; `make
reproduce ROOM=statistic` writes one section. Differences are explained where they stand; what a dissertation prints
wrongly is in [errata](errata.md).
"""
COUNTS = re.compile(r"(<!-- begin claims -->\n).*?(<!-- end claims -->\n)", flags=re.S)


def known() -> list[str]:
    """The sections that are computed."""
    found = [module.name for module in pkgutil.iter_modules(reproduction.__path__)]
    return sorted(name for name in found if not name.startswith("_") and name != "claims")


def recipe_of(name: str) -> Recipe:
    """A section as a row: its key tells whether the one in the book is outdated."""
    make = importlib.import_module(f"reproduction.{name}").section
    return Recipe(f"section {name}", make, keeps=False, of_book=True)


def write(name: str = "", text: str = "") -> None:
    """Put a section into the book, and write the claims and their counts anew from what is kept."""
    sections = sections_of(BOOK.read_text(encoding="utf-8") if BOOK.exists() else "")
    sections |= {name: text.strip() + "\n"} if name else {}
    sections.pop("claims", None)
    own = {"claims": claims.section(sections) + "\n"} | {one: sections[one] for one in sorted(sections)}
    body = "\n".join(f"<!-- begin {one} -->\n{own[one]}<!-- end {one} -->\n" for one in own)
    counts = claims.summary(sections) + "\n"
    _replace(BOOK, f"{HEAD}\n{counts}\n{body}")
    readme = README.read_text(encoding="utf-8")
    _replace(README, COUNTS.sub(lambda found: f"{found[1]}{counts}{found[2]}", readme))


def _replace(path: Path, text: str) -> None:
    beside = path.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def to_do(names: list[str]) -> list[Recipe]:
    """The sections to make: those that are named, or all that are missing in the book or outdated."""
    written = sections_of(BOOK.read_text(encoding="utf-8") if BOOK.exists() else "")
    chosen = [name for name in names if name != "claims"]
    if names:
        return [recipe_of(name) for name in chosen]
    sections = {name: recipe_of(name) for name in known()}
    for name, one in sections.items():
        if name in written and one.state == "missing" and not os.environ.get(FRESH):
            print(f"section {name}: of unknown age, left as it is; name it to make it anew", file=sys.stderr)
    made = {name for name, one in sections.items() if one.state != "missing" or os.environ.get(FRESH)}
    return [one for name, one in sections.items() if name not in written or (name in made and one.to_make)]


def main(arguments: list[str]) -> None:
    """Make what is to do, and write it as it is made."""
    names = [one for one in arguments if one != "--plan"]
    unknown = set(names) - {*known(), "claims"}
    if unknown:
        sys.exit(f"no section {', '.join(sorted(unknown))}; there are {', '.join(['claims', *known()])}")
    sections = to_do(names)
    rows = claims.outdated() if not names or "claims" in names else []
    if "--plan" in arguments:
        for one in [*rows, *sections]:
            print(f"{one.name}: {one.state}")
        print(f"{len(rows)} rows and {len(sections)} sections to make: {time_left([*rows, *sections])}")
        return
    left, failed = [*rows, *sections], []
    while left:
        one = left.pop(0)
        print(f"{one.name} ({len(left) + 1} to make, {time_left([one, *left])})", file=sys.stderr)
        try:
            made = one.renew()
        except KeyboardInterrupt:
            write()
            sys.exit(f"interrupted: {len(left) + 1} to make; the same command goes on with “{one.name}”")
        except Exception as error:  # the others are made, and what was there stays
            traceback.print_exc()
            failed.append(f"{one.name}: {error}")
            continue
        if one in sections:
            write(one.name.removeprefix("section "), made)
    write()
    if failed:
        sys.exit("not made: " + "; ".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
