"""The picture in docs/architecture.md shows the packages and imports that there are."""

from __future__ import annotations

import importlib.util
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from helpers import DOCS


@pytest.fixture(scope="module")
def drawing() -> Any:
    """The module that draws the picture."""
    spec = importlib.util.spec_from_file_location("architecture", DOCS / "architecture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["architecture"] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def shown(text: str) -> tuple[set[str], set[tuple[str, str]]]:
    """The packages and the arrows of a picture."""
    parts = list(ElementTree.fromstring(text).iter())
    packages = {part.attrib["data-package"] for part in parts if "data-package" in part.attrib}
    return packages, {
        (part.attrib["data-from"], part.attrib["data-to"]) for part in parts if "data-from" in part.attrib
    }


def test_the_picture_is_up_to_date(drawing: Any) -> None:
    """If not: ``make architecture``."""
    structure = drawing.read_structure()
    packages, arrows = shown(drawing.PICTURE.read_text())
    assert packages == {*structure.modules, "rooms"} - {""}
    assert arrows == set(structure.arrows)


def test_every_package_stands_above_what_it_imports(drawing: Any) -> None:
    structure = drawing.read_structure()
    level = {name: number for number, row in enumerate(structure.rows) for name in row}
    for start, end in structure.arrows:
        assert level[start] < level[end], (start, end)


def test_a_new_picture_shows_the_same(drawing: Any) -> None:
    structure = drawing.Structure(
        modules={"cli": 2, "study": 3, "sea": 4, "air": 5, "errors": 1, "": 1},
        imports={("sea", "study"): 7, ("air", "study"): 1, ("cli", "study"): 3},
        rooms=[],
        small=["errors"],
    )
    assert structure.arrows == {("air", "study"): 1, ("cli", "rooms"): 0, ("cli", "study"): 3, ("sea", "study"): 7}


def test_pages_and_pictures_are_there(drawing: Any) -> None:
    """Every link of every page leads to a file."""
    for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
            if not link.startswith(("http:", "https:")):
                assert (page.parent / link).exists(), f"{page.name}: {link}"
