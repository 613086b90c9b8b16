"""HTML: the text between the tags, what attributes hold, and the names of tags and attributes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from urllib.parse import quote, unquote

from sfumato.io.documents import html_source
from sfumato.io.formats.charset import Notes
from sfumato.io.redaction.edit import Document, Edit, edited
from sfumato.io.redaction.pictures import clean_picture

__all__ = ["HtmlDocument"]

_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption",
     "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol",
     "option", "p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul")
)  # fmt: skip
_ATTRIBUTE = re.compile(r"(?<![^\s\"'/])([^\s=<>\"'/]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+))?")
_LOOKS = frozenset(("class", "id", "for", "name", "type", "rel", "lang", "dir", "charset", "http-equiv", "style"))
"""Attributes with words of the page's maker: only names that are known from elsewhere are replaced in them."""
_PICTURE = re.compile(r"data:image/[a-z.+-]+;base64,([\w+/=\s%]*)", re.IGNORECASE)
_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_CHARSET = re.compile(r"(<meta[^>]+charset\s*=\s*[\"']?)\s*[A-Za-z0-9._-]+", re.IGNORECASE)
_URL = ":/?#[]@!$&'()*+,;=%"


class HtmlDocument(Document):
    """A page whose text and attributes can be changed in place.

    The text between the tags is one text, so that a name in two tags (``<b>Anna</b> Kowalska``) is found. Every
    attribute is a text of its own, and so is every name of a tag or an attribute. Comments, scripts, handlers,
    instructions, pages within the page and data other than pictures are not in the new file. Pictures inside the page
    lose what they say besides their pixels; what they show is not looked into.
    """

    def __init__(self, shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> None:
        self._source = html_source(shown, content, encoding, notes) if content else ""
        parser = _Places(self._source)
        parser.feed(self._source)
        parser.close()
        parser.finish()
        self._dropped = parser.dropped
        self._characters = parser.characters
        self._values = list(parser.values.items())
        self._names = list(parser.names.items())
        body = "".join(character for character, _, _ in parser.characters)
        self.texts = [body, *(value for value, _ in self._values), *(_spaced(name) for name, _ in self._names)]
        self.remarks: list[str] = []
        if parser.scripts:
            self.remarks.append(f"{shown} has {parser.scripts} scripts: taken out")
        if parser.inner:
            self.remarks.append(f"{shown} has {parser.inner} pages, files or drawings within it: taken out")
        if parser.pictures:
            self.remarks.append(f"{shown} has {parser.pictures} pictures: what they show is not redacted")

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The page with its edits, as UTF-8."""
        changes: list[tuple[int, int, str]] = list(self._dropped)
        for edit in edits[0]:
            written = html.escape(edit.written, quote=False)
            for _, start, end in self._characters[edit.start : edit.end]:
                if end > start:
                    changes.append((start, end, written))
                    written = ""
        names = 1 + len(self._values)
        for (value, places), own in zip(self._values, edits[1:names], strict=True):
            for start, end, coded in places if own else ():
                new = edited(value, own)
                changes.append((start, end, html.escape(quote(new, safe=_URL) if coded else new, quote=True)))
        for (_, spans), own in zip(self._names, edits[names:], strict=True):
            changes += [(start, end, stand_in) for start, end, stand_in in spans if own]
        parts, at = [], 0
        for start, end, written in sorted(changes, key=lambda one: (one[0], -one[1])):
            if start < at:  # inside something that goes as a whole
                continue
            parts += [self._source[at:start], written]
            at = end
        page = "".join([*parts, self._source[at:]])
        return _CHARSET.sub(r"\g<1>utf-8", page).encode()


def _spaced(name: str) -> str:
    """The name of a tag or an attribute as words."""
    return re.sub(r"[-_.:]", " ", name.lower())


class _Places(HTMLParser):
    """Where the characters of the text, the values and the names stand in the source, and what goes as a whole."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self.source = source
        self.starts = [0]
        for line in source.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.characters: list[tuple[str, int, int]] = []
        self.values: dict[str, list[tuple[int, int, bool]]] = {}
        self.names: dict[str, list[tuple[int, int, str]]] = {}
        self.dropped: list[tuple[int, int, str]] = []
        self.scripts = self.inner = self.pictures = 0
        self.script_at: int | None = None
        self.before: int | None = None
        """Where a declaration began that ends where the parser stands next."""

    @property
    def at(self) -> int:
        line, column = self.getpos()
        return self.starts[line - 1] + column

    def finish(self) -> None:
        """What nobody closed goes to the end of the page."""
        if self.script_at is not None:
            self.dropped.append((self.script_at, len(self.source), ""))
        self._declared()

    def _declared(self) -> None:
        if self.before is not None:
            self.dropped.append((self.before, min(self.at, len(self.source)), ""))
            self.before = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._declared()
        text, start = self.get_starttag_text() or "", self.at
        if tag == "script":
            self.scripts += 1
            self.script_at = start
            return
        self.names.setdefault(tag, []).append((start + 1, start + 1 + len(tag), "span"))
        for match in _ATTRIBUTE.finditer(text, 1 + len(tag)):
            self._attribute(match, start)
        if tag in _BLOCKS:
            self.characters.append(("\n", start, start))

    def _attribute(self, match: re.Match[str], start: int) -> None:
        name, value = match[1].lower(), match[2] or ""
        whole = (start + match.start(), start + match.end())
        quoted = value[:1] in ("'", '"')
        first, last = start + match.start(2) + quoted, start + match.end(2) - quoted
        plain = html.unescape(value[1:-1] if quoted else value)
        told = re.sub(r"\s", "", plain).lower()
        if name.startswith("on") or told.startswith(("javascript:", "vbscript:")):
            self.scripts += 1
            self.dropped.append((*whole, ""))
        elif name == "srcdoc" or told.startswith("data:"):
            self._inside(plain, whole, first, last)
        else:
            self.names.setdefault(name, []).append((*whole, ""))
            if re.search(r"\w\w", plain):
                coded = bool(re.search(r"%[0-9A-Fa-f]{2}", plain))
                text = unquote(plain) if coded else plain
                text = text.lower() if name in _LOOKS else text
                self.values.setdefault(text, []).append((first, last, coded))

    def _inside(self, value: str, whole: tuple[int, int], first: int, last: int) -> None:
        """A picture without what it says besides its pixels; anything else goes."""
        import base64
        import binascii

        match = _PICTURE.fullmatch(value.strip())
        try:
            made = None if match is None else clean_picture(base64.b64decode(unquote(match[1])))
        except (binascii.Error, ValueError):
            made = None
        if match is None or made is None:
            self.inner += 1
            self.dropped.append((*whole, ""))
            return
        self.pictures += 1
        head = value.strip()[: match.start(1)]
        self.dropped.append((first, last, head + base64.b64encode(made).decode()))

    def handle_endtag(self, tag: str) -> None:
        self._declared()
        if tag == "script" and self.script_at is not None:
            end = self.source.find(">", self.at) + 1
            self.dropped.append((self.script_at, end or len(self.source), ""))
            self.script_at = None
            return
        self.names.setdefault(tag, []).append((self.at + 2, self.at + 2 + len(tag), "span"))
        if tag in _BLOCKS:
            self.characters.append(("\n", self.at, self.at))

    def handle_data(self, data: str) -> None:
        self._declared()
        if self.script_at is None:
            start = self.at
            for k, character in enumerate(data):
                self._add(character, start + k, start + k + 1)

    def handle_entityref(self, name: str) -> None:
        self._reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        self._reference(f"&#{name}")

    def _reference(self, written: str) -> None:
        self._declared()
        end = self.at + len(written)
        end += self.source[end : end + 1] == ";"
        for character in html.unescape(written + ";"):
            self._add(character, self.at, end)

    def _add(self, character: str, start: int, end: int) -> None:
        """A character that shows nothing belongs to the one before it: it must not split a name."""
        if character in _UNSEEN and self.characters and self.characters[-1][2] == start:
            before, first, _ = self.characters[-1]
            self.characters[-1] = (before, first, end)
        elif character not in _UNSEEN:
            self.characters.append((character, start, end))

    def handle_comment(self, data: str) -> None:
        self._declared()
        self.before = self.at

    def handle_pi(self, data: str) -> None:
        self._declared()
        self.before = self.at

    def unknown_decl(self, data: str) -> None:
        self._declared()
        self.before = self.at

    def handle_decl(self, decl: str) -> None:
        """The kind of document stays, without the addresses in it."""
        self._declared()
        self.before = None
        end = self.source.find(">", self.at) + 1 or len(self.source)
        self.dropped.append((self.at, end, "<!DOCTYPE html>" if decl.lower().startswith("doctype") else ""))
