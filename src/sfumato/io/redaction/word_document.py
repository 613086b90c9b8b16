"""Word: every paragraph of every part, and what else in the archive holds words."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.formats.archives import check_archive
from sfumato.io.redaction.edit import Edit, edited
from sfumato.validate import extra

__all__ = ["WordDocument"]

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BREAKS = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n", f"{_WORD}noBreakHyphen": "-"}
_ATTRIBUTES = frozenset(
    ("author", "initials", "userId", "providerId", "descr", "title", "alt", "Target", "tooltip", "instr", "fullDate",
     "alias", "tag", "displayText", "value", "string", "presenceInfo", "name", "linkTarget", "date")
)  # fmt: skip
_OUT = re.compile(
    r"(?i)docProps/(?!app\.xml|core\.xml).*|.*vbaProject.*|word/embeddings/.*|word/activeX/.*|word/printerSettings.*"
    r"|customXml/.*"
    r"|_xmlsignatures/.*|.*thumbnail.*"
)
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".emf", ".wmf", ".tif", ".tiff", ".bmp", ".svg")
_EMPTY = {
    "docProps/core.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp='
    b'"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>',
    "docProps/app.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"/>',
}


class WordDocument:
    """A .docx file whose text can be changed in place.

    The texts are the paragraphs of the body, headers, footers, notes, comments and drawings, and the attributes that
    hold words: authors, descriptions, targets of links. What was deleted with changes tracked, properties, macros,
    embedded files and custom data are not in the new file. Pictures are not looked into.
    """

    def __init__(self, shown: str, content: bytes) -> None:
        etree = extra("lxml.etree", "documents")
        check_archive(shown, content, "Word document")
        self.remarks: list[str] = []
        self.texts: list[str] = []
        self._places: list[list[Any]] = []
        self._parts: list[tuple[str, bytes | Any]] = []
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        pictures = dropped = 0
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for name in archive.namelist():
                    if _OUT.fullmatch(name):
                        dropped += not name.lower().startswith("docprops")
                        continue
                    pictures += name.lower().endswith(_PICTURES)
                    part: bytes | Any = _EMPTY.get(name) or archive.read(name)
                    if name.endswith((".xml", ".rels")) and name not in _EMPTY and name != "[Content_Types].xml":
                        part = etree.fromstring(part, parser)
                        self._read(part)
                    self._parts.append((name, part))
        except Exception as error:  # whatever a damaged file makes of the reader
            raise InputError(f"{shown} is not a Word document that can be read: save it as .docx again") from error
        self._kept = {name for name, _ in self._parts}
        if pictures:
            self.remarks.append(f"{shown} has {pictures} pictures: what they show is not redacted")
        if dropped:
            self.remarks.append(f"{shown} has {dropped} embedded files, macros or custom data: taken out")

    def _read(self, root: Any) -> None:
        for gone in [*root.iter(f"{_WORD}del", f"{_WORD}moveFrom", f"{_WORD}delText", f"{_WORD}delInstrText")]:
            if gone.getparent() is not None:
                gone.getparent().remove(gone)
        inside: set[Any] = set()
        for paragraph in root.iter(f"{_WORD}p", f"{_DRAWING}p"):
            pieces = list(_pieces(paragraph))
            inside.update(node for node, _, _ in pieces)
            self._add("".join(text for _, _, text in pieces), pieces)
        for node in root.iter():
            if not isinstance(node.tag, str):  # a comment or an instruction of XML
                continue
            if node not in inside and node.text and re.search(r"\w\w", node.text):
                self._add(node.text, [(node, None, node.text)])
            for key, value in node.attrib.items():
                local = key.rpartition("}")[2]
                if (
                    local in _ATTRIBUTES
                    and re.search(r"\w\w", value)
                    and not value.startswith(("http://schemas", "rId"))
                ):
                    self._add(value, [(node, key, value)])

    def _add(self, text: str, pieces: list[Any]) -> None:
        if text.strip():
            self.texts.append(text)
            self._places.append(pieces)

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The document with its edits. What replaces a stretch over several runs stands in the first of them."""
        from lxml import etree

        for pieces, own in zip(self._places, edits, strict=True):
            if own:
                _write(pieces, own)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, part in self._parts:
                if name.endswith(".rels") and not isinstance(part, bytes):
                    self._prune(name, part)
                elif name == "[Content_Types].xml":
                    part = self._types(part)
                content = part if isinstance(part, bytes) else etree.tostring(
                    part, xml_declaration=True, encoding="UTF-8", standalone=True
                )  # fmt: skip
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        return out.getvalue()

    def _prune(self, name: str, root: Any) -> None:
        """Links to parts that are gone go, too."""
        folder = name.partition("_rels/")[0]
        for link in list(root):
            target = link.get("Target", "")
            if link.get("TargetMode") == "External":
                continue
            path = target.lstrip("/") if target.startswith("/") else folder + target
            while "/../" in f"/{path}":
                path = re.sub(r"(?:^|[^/]+/)\.\./", "", path, count=1)
            if path not in self._kept:
                root.remove(link)

    def _types(self, content: bytes) -> bytes:
        from lxml import etree

        root = etree.fromstring(content)
        for entry in list(root):
            if entry.get("PartName") and entry.get("PartName").lstrip("/") not in self._kept:
                root.remove(entry)
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _pieces(paragraph: Any) -> Iterator[tuple[Any, None, str]]:
    """The texts of a paragraph with their elements; a paragraph inside it (a text box) is one of its own."""
    for node in paragraph:
        if not isinstance(node.tag, str) or node.tag in (f"{_WORD}p", f"{_DRAWING}p"):
            continue
        if node.tag in (f"{_WORD}t", f"{_DRAWING}t", f"{_WORD}instrText"):
            yield node, None, node.text or ""
        elif node.tag in _BREAKS:
            yield node, None, _BREAKS[node.tag]
        elif node.tag not in (f"{_WORD}pPr", f"{_WORD}rPr"):
            yield from _pieces(node)


def _write(pieces: list[Any], edits: Sequence[Edit]) -> None:
    """Each piece gets its part of the edits; the stand-in goes where the stretch begins."""
    at = 0
    for node, key, text in pieces:
        own = [
            Edit(max(edit.start, at) - at, min(edit.end, at + len(text)) - at, edit.written if edit.start >= at else "")
            for edit in edits
            if edit.start < at + len(text) and edit.end > at
        ]
        at += len(text)
        if not own or node.tag in _BREAKS:
            continue
        if key is not None:
            node.set(key, edited(text, own))
        else:
            node.text = edited(text, own)
            if node.tag == f"{_WORD}t":
                node.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
