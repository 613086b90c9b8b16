"""What the site has beside the pages of this folder: README and CONTRIBUTING, and a reference of every public name."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sfumato"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made, and put the reference at the end of the contents."""
    files.append(File.generated(config, "index.md", content=_from_root("README.md")))
    files.append(File.generated(config, "CONTRIBUTING.md", content=_from_root("CONTRIBUTING.md")))
    reference = []
    for stub in sorted(PACKAGE.rglob("__init__.pyi")):
        package = ".".join(stub.parent.relative_to(ROOT / "src").parts)
        names = _public_names(stub)
        if names:
            page = f"reference/{package}.md"
            files.append(File.generated(config, page, content=_reference(package, names)))
            reference.append(page)
    config["nav"] = [*(part for part in config["nav"] if "Reference" not in part), {"Reference": reference}]
    return files


def _from_root(name: str) -> str:
    """A page that stands beside this folder, with its links as seen from inside it."""
    return re.sub(r"\]\(docs/", "](", (ROOT / name).read_text())


def _public_names(stub: Path) -> dict[str, str]:
    """Each public name of a package with the module that defines it."""
    found = {}
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sfumato."):
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return found


def _reference(package: str, names: dict[str, str]) -> str:
    said = ast.get_docstring(ast.parse((PACKAGE.parent / package.replace(".", "/") / "__init__.py").read_text())) or ""
    return "\n\n".join([f"# {package}", said, *(f"::: {path}" for path in names.values())])
