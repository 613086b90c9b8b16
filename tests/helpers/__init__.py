"""What several tests share: oracles, strategies, toy studies, and where things are."""

import os
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DOCS = ROOT / "docs"
SPECIMENS = TESTS / "specimens"


def python_path(*folders: Path) -> str:
    """These folders before whatever is on the path already."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])
