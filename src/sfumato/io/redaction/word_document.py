"""Word: every paragraph of every part, and what else in the archive holds words."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.formats.archives import check_archive
from sfumato.io.redaction.edit import Document, Edit, edited
from sfumato.io.redaction.word_parts import EMPTY, PART, Media, prune, types
from sfumato.validate import extra

__all__ = ["WordDocument"]

_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_TEXTS = frozenset(("t", "instrText"))
_DELETED = ("{*}del", "{*}moveFrom", "{*}delText", "{*}delInstrText")
_GONE = tuple(
    f"{{*}}{name}"
    for name in (
        "docVars", "mailMerge", "attachedTemplate", "rsids", "smartTagPr", "customXmlPr", "dataBinding", "placeholder",
        "altChunk", "OLEObject", "control", "externalData", "svgBlip", "embedRegular", "embedBold", "embedItalic",
        "embedBoldItalic", "saveThroughXslt", "ffData", "documentProtection", "writeProtection",
    )
)  # fmt: skip
"""Elements about things that are not in the new file, or that only programs read."""
_WORDS = frozenset(("descr", "title", "alt", "tooltip", "instr", "displayText", "string", "Target", "linkTarget"))
"""Attributes that people write. In all others only names that are known from elsewhere are replaced."""
_SPOKEN = frozenset(("alias", "tag", "bookmarkStart", "docPr", "cNvPr", "listItem", "statusText", "helpText"))
"""Elements whose value or name people write."""
_NEVER = frozenset(("initials", "date", "dateUtc", "fullDate", "userId", "providerId", "presenceInfo", "storeItemID"))
"""Attributes that tell who and when, and that no page needs."""
_AWAY = "https://example.invalid/"
"""The target of a link whose own is replaced: brackets would make it none."""
_Place = tuple[Any, str | None, str]
"""An element, the key of its attribute (or None for its text, "" for what follows it), and the words there."""


class WordDocument(Document):
    """A .docx file whose text can be changed in place.

    The texts are the paragraphs of the body, headers, footers, notes, comments, charts and drawings, and the attributes
    that hold words: descriptions, names of bookmarks, targets of links. Parts that are not known to make the document,
    what was deleted with changes tracked, properties, macros, templates, embedded files and fonts, and custom data are
    not in the new file. Authors of changes and comments become numbers, and their times go. Pictures lose what they say
    besides their pixels, and those that are not made of pixels go; what they show is not looked into.
    """

    def __init__(self, shown: str, content: bytes) -> None:
        etree = extra("lxml.etree", "documents")
        check_archive(shown, content, "Word document")
        self.remarks: list[str] = []
        self.texts: list[str] = []
        self._places: list[list[list[_Place]]] = []
        self._alike: dict[tuple[str, bool], int] = {}
        self._authors: dict[str, int] = {}
        self._parts: list[tuple[str, bytes | Any]] = []
        self._media = Media()
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        dropped = 0
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for name in dict.fromkeys(archive.namelist()):
                    if self._media.takes(name, archive):
                        continue
                    if not PART.fullmatch(name):
                        dropped += not name.lower().startswith("docprops") and not name.endswith("/")
                        continue
                    part: bytes | Any = EMPTY.get(name) or archive.read(name)
                    if name not in EMPTY:
                        part = etree.fromstring(part, parser)
                        if name != "[Content_Types].xml":
                            self._read(part)
                    self._parts.append((name, part))
        except InputError:
            raise
        except Exception as error:  # whatever a damaged file makes of the reader
            raise InputError(f"{shown} is not a Word document that can be read: save it as .docx again") from error
        if not any(re.fullmatch(r"word/document\d*\.xml", name) for name, _ in self._parts):
            raise InputError(f"{shown} has no part word/document.xml: save it as .docx again")
        if self._media.kept:
            self.remarks.append(f"{shown} has {self._media.kept} pictures: what they show is not redacted")
        if self._media.gone:
            self.remarks.append(f"{shown} has {self._media.gone} pictures that are not made of pixels: taken out")
        if dropped:
            self.remarks.append(f"{shown} has {dropped} embedded files, macros, fonts or custom data: taken out")

    def _read(self, root: Any) -> None:
        for gone in [*root.iter(*_DELETED, *_GONE)]:
            if gone.getparent() is not None:
                gone.getparent().remove(gone)
        inside: set[Any] = set()
        for paragraph in root.iter("{*}p"):
            if "main" not in paragraph.tag.partition("}")[0]:
                continue
            pieces = list(_pieces(paragraph))
            inside.update(node for node, _, _ in pieces)
            self._add("".join(text for _, _, text in pieces), pieces)
        for node in root.iter():
            if node not in inside and node.text and re.search(r"\w\w", node.text):
                self._add(node.text, [(node, None, node.text)])
            if node.tail and re.search(r"\w\w", node.tail):
                self._add(node.tail, [(node, "", node.tail)])
            for key, value in list(node.attrib.items()):
                self._attribute(node, key, value)

    def _attribute(self, node: Any, key: str, value: str) -> None:
        local, element = key.rpartition("}")[2], node.tag.rpartition("}")[2]
        if local in _NEVER or local.startswith("rsid"):
            del node.attrib[key]
        elif local == "author":
            node.set(key, f"author {self._authors.setdefault(value, len(self._authors) + 1)}")
        elif element == "Relationship" and (local != "Target" or node.get("TargetMode") != "External"):
            return  # says which part is which
        elif re.search(r"[^\W\d_]{2}", value) and not value.startswith(("http://schemas", "http://purl", "rId")):
            spoken = local in _WORDS or (element in _SPOKEN and local in ("val", "name", "value"))
            text = value if spoken or len(value.lower()) != len(value) else value.lower()
            place = (text, spoken)
            if place in self._alike:  # the name of a style stands at every paragraph that has it
                self._places[self._alike[place]].append([(node, key, value)])
            else:
                self._alike[place] = len(self.texts)
                self._add(text, [(node, key, value)])

    def _add(self, text: str, pieces: list[_Place]) -> None:
        if text.strip():
            self.texts.append(text)
            self._places.append([pieces])

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The document with its edits. What replaces a stretch over several runs stands in the first of them."""
        from lxml import etree

        for places, own in zip(self._places, edits, strict=True):
            for pieces in places if own else ():
                _write(pieces, own)
        kept = {name for name, _ in self._parts} | {name for name, _ in self._media.parts}
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, part in [*self._parts, *self._media.parts]:
                if name.endswith(".rels"):
                    prune(name, part, kept, self._media.names)
                elif name == "[Content_Types].xml":
                    types(part, kept)
                content = part if isinstance(part, bytes) else etree.tostring(
                    part, xml_declaration=True, encoding="UTF-8", standalone=True
                )  # fmt: skip
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        return out.getvalue()


def _pieces(paragraph: Any) -> Iterator[_Place]:
    """The texts of a paragraph with their elements; a paragraph inside it (a text box) is one of its own."""
    for node in paragraph:
        local = node.tag.rpartition("}")[2]
        if local == "p":
            continue
        if local in _TEXTS:
            yield node, None, node.text or ""
        elif local in _BREAKS:
            yield node, None, _BREAKS[local]
        elif local not in ("pPr", "rPr"):
            yield from _pieces(node)


def _write(pieces: list[_Place], edits: Sequence[Edit]) -> None:
    """Each piece gets its part of the edits; the stand-in goes where the stretch begins."""
    at = 0
    for node, key, text in pieces:
        own = [
            Edit(max(edit.start, at) - at, min(edit.end, at + len(text)) - at, edit.written if edit.start >= at else "")
            for edit in edits
            if edit.start < at + len(text) and edit.end > at
        ]
        at += len(text)
        local = node.tag.rpartition("}")[2]
        if not own or local in _BREAKS:
            continue
        if key == "":
            node.tail = edited(text, own)
        elif key is not None:
            node.set(key, _AWAY if local == "Relationship" else edited(text, own))
        else:
            node.text = edited(text, own)
            if local == "t":
                node.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
