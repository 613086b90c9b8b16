"""Write ``docs/reproduction.md``: the numbers that the dissertations print, and ours beside them.

    python -m reproduction              # every section (long)
    python -m reproduction statistic    # only these; the others stay as they are

A section is a module of this package with a function ``section() -> str`` that returns Markdown.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from pathlib import Path

import reproduction

BOOK = Path(__file__).resolve().parent.parent / "docs" / "reproduction.md"
HEAD = """# The reproduction book

Published numbers beside ours. `make reproduce` writes this page; `make reproduce ROOM=statistic` writes one section.
Differences are explained where they stand; what a dissertation prints wrongly is in [errata](errata.md).
"""


def main(rooms: list[str]) -> None:
    known = sorted(m.name for m in pkgutil.iter_modules(reproduction.__path__) if not m.name.startswith("_"))
    unknown = set(rooms) - set(known)
    if unknown:
        sys.exit(f"no section {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name in rooms or known:
        written = importlib.import_module(f"reproduction.{name}").section().strip() + "\n"
        text = BOOK.read_text() if BOOK.exists() else ""  # only now: another section may have been written meanwhile
        old = dict(re.findall(r"<!-- begin (\w+) -->\n(.*?)<!-- end \1 -->\n", text, flags=re.S))
        old[name] = written
        body = "\n".join(f"<!-- begin {n} -->\n{old[n]}<!-- end {n} -->\n" for n in sorted(old))
        beside = BOOK.with_suffix(".tmp")
        beside.write_text(f"{HEAD}\n{body}")
        beside.replace(BOOK)


main(sys.argv[1:])
