"""The parts of a Word file: which make the document, how they are linked, and its pictures."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from typing import Any

from sfumato.io.redaction.pictures import WHITE_DOT, clean_picture

__all__ = ["EMPTY", "PART", "Media", "prune", "types"]

PART = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(?:app|core)\.xml"
    r"|word/(?:document|header|footer|footnotes|endnotes|comments|commentsExtended|styles|stylesWithEffects|settings"
    r"|webSettings|fontTable|numbering)\d*\.xml"
    r"|word/(?:theme/theme|charts/(?:chart|style|colors)|diagrams/(?:data|layout|quickStyle|colors|drawing))\d*\.xml"
    r"|word/(?:theme/|charts/|diagrams/)?_rels/[a-zA-Z]{4,18}\d*\.xml\.rels"
)
"""The parts that are known to make the document. Whatever else a file holds is not in the new one."""
EMPTY = {
    "docProps/core.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp='
    b'"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>',
    "docProps/app.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"/>',
}
"""The properties of the new file."""
_ENDINGS = {b"\xff\xd8": "jpeg", b"\x89P": "png", b"GI": "gif"}


@dataclass
class Media:
    """The pictures of a document under new names, without what they say besides their pixels."""

    parts: list[tuple[str, bytes]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    kept: int = 0
    gone: int = 0

    def takes(self, name: str, archive: zipfile.ZipFile) -> bool:
        """Whether a part is a picture, which is then kept."""
        if not name.startswith("word/media/") or name.endswith("/"):
            return False
        made = clean_picture(archive.read(name))
        self.kept += made is not None
        self.gone += made is None
        made = WHITE_DOT if made is None else made
        self.names[name] = f"word/media/image{len(self.parts) + 1}.{_ENDINGS[made[:2]]}"
        self.parts.append((self.names[name], made))
        return True


def prune(name: str, root: Any, kept: set[str], renamed: dict[str, str]) -> None:
    """Links to parts that are gone go, those to pictures say their new names."""
    folder = name.partition("_rels/")[0]
    for link in list(root):
        target = link.get("Target", "")
        if link.get("TargetMode") == "External":
            continue
        path = target.lstrip("/") if target.startswith("/") else folder + target
        while "/../" in f"/{path}":
            path = re.sub(r"(?:^|[^/]+/)\.\./", "", path, count=1)
        if path in renamed:
            link.set("Target", f"/{renamed[path]}")
        elif path not in kept:
            root.remove(link)


def types(root: Any, kept: set[str]) -> None:
    """Only the kinds of parts that are there, and those of pictures."""
    there = {entry.get("Extension", "").lower() for entry in root}
    for entry in list(root):
        part, ending = entry.get("PartName"), entry.get("Extension")
        if (part and part.lstrip("/") not in kept) or (
            ending and ending.lower() not in ("xml", "rels", "png", "jpeg", "gif")
        ):
            root.remove(entry)
    space = root.tag.rpartition("}")[0] + "}"
    for ending in ("png", "jpeg", "gif"):
        if ending not in there:
            new = root.makeelement(f"{space}Default", {"Extension": ending, "ContentType": f"image/{ending}"})
            root.insert(0, new)
