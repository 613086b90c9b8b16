"""Print the packages that `.[dev]` brought into this environment, with their versions: the content of constraints.txt.

Only what the project asks for, directly or through another package, is named; what was installed by hand is not.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

HEAD = """\
# What the development environment had when its suite last passed (Python {}.{}).
# `make lock` writes it; `make newest` does without."""


def main() -> None:
    """Follow the requirements of sfumato[dev,docs], extra by extra."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement("sfumato[dev,docs]")]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        try:
            here = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or not set up yet
        found[name] = here.version.partition("+")[0]  # a local build is named by its public version
        for extra in ("", *wanted.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                needs = [Requirement(line) for line in here.requires or []]
                waiting += [need for need in needs if need.marker is None or need.marker.evaluate({"extra": extra})]
    found.pop("sfumato")
    sys.stdout.write(HEAD.format(*sys.version_info[:2]) + "\n")
    sys.stdout.writelines(f"{name}=={found[name]}\n" for name in sorted(found))


if __name__ == "__main__":
    main()
