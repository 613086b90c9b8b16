"""Scripts and other processes: a new process imports the script that asked for it.

What a script does outside of ``if __name__ == "__main__":`` is then done again, a study as well, and again in the
processes of that one.
"""

from __future__ import annotations

import ast
import multiprocessing
import sys
from pathlib import Path

__all__ = ["UNGUARDED", "leave_if_imported", "unguarded_script"]

UNGUARDED = 96
"""Exit code of a process that found itself running a study while it was still importing the script."""


def unguarded_script() -> str:
    """The name of the running script if nothing in it keeps it from running again when imported; otherwise empty."""
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    if path is None:  # a notebook, an interactive session: nothing is imported
        return ""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):  # not a source file
        return ""
    guards = (node.test for node in tree.body if isinstance(node, ast.If))
    guarded = any(isinstance(name, ast.Name) and name.id == "__name__" for test in guards for name in ast.walk(test))
    return "" if guarded else Path(path).name


def leave_if_imported() -> None:
    """End this process if it is one that is still importing the script (the parent explains why)."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)
