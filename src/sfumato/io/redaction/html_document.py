"""HTML: the text between the tags, and what attributes hold."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser

from sfumato.io.documents import html_source
from sfumato.io.formats.charset import Notes
from sfumato.io.redaction.edit import Edit, edited

__all__ = ["HtmlDocument"]

_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption",
     "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol",
     "option", "p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul")
)  # fmt: skip
_ATTRIBUTE = re.compile(r"([^\s=<>\"'/]+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)")
_PLAIN = frozenset(
    ("class", "charset", "http-equiv", "type", "rel", "lang", "dir", "width", "height", "colspan", "rowspan")
)
_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_CHARSET = re.compile(r"(<meta[^>]+charset\s*=\s*[\"']?)\s*[A-Za-z0-9._-]+", re.IGNORECASE)


class HtmlDocument:
    """A page whose text and attributes can be changed in place; comments and scripts are not in the new file.

    The text between the tags is one text, so that a name in two tags (``<b>Anna</b> Kowalska``) is found. Every
    attribute that can hold words is a text of its own. Pictures inside the page are not looked into.
    """

    def __init__(self, shown: str, content: bytes, encoding: str | None = None, notes: Notes = None) -> None:
        self._source = html_source(shown, content, encoding, notes) if content else ""
        parser = _Places(self._source)
        parser.feed(self._source)
        parser.close()
        self._dropped = parser.dropped
        self._characters = parser.characters
        body = "".join(character for character, _, _ in parser.characters)
        self._attributes = parser.attributes
        self.texts = [body, *(html.unescape(self._source[start:end]) for start, end in parser.attributes)]
        self.remarks: list[str] = []
        if parser.scripts:
            self.remarks.append(f"{shown} has {parser.scripts} scripts: taken out")

    def rewrite(self, edits: Sequence[Sequence[Edit]]) -> bytes:
        """The page with its edits, as UTF-8."""
        changes: list[tuple[int, int, str]] = [(start, end, "") for start, end in self._dropped]
        for edit in edits[0]:
            written = html.escape(edit.written, quote=False)
            for _, start, end in self._characters[edit.start : edit.end]:
                if end > start:
                    changes.append((start, end, written))
                    written = ""
        for (start, end), text, own in zip(self._attributes, self.texts[1:], edits[1:], strict=True):
            if own:
                changes.append((start, end, html.escape(edited(text, own), quote=True)))
        parts, at = [], 0
        for start, end, written in sorted(changes):
            if start < at:  # inside something that goes as a whole
                continue
            parts += [self._source[at:start], written]
            at = end
        page = "".join([*parts, self._source[at:]])
        return _CHARSET.sub(r"\g<1>utf-8", page).encode()


class _Places(HTMLParser):
    """Where the characters of the text and the values of attributes stand in the source."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self.source = source
        self.starts = [0]
        for line in source.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.characters: list[tuple[str, int, int]] = []
        self.attributes: list[tuple[int, int]] = []
        self.dropped: list[tuple[int, int]] = []
        self.scripts = 0
        self.script_at: int | None = None

    @property
    def at(self) -> int:
        line, column = self.getpos()
        return self.starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        text, start = self.get_starttag_text() or "", self.at
        if tag == "script":
            self.scripts += 1
            self.script_at = start
        for match in _ATTRIBUTE.finditer(text):
            value = match[2]
            if match[1].lower() in _PLAIN or value.lstrip("\"'").startswith("data:") or not re.search(r"\w\w", value):
                continue
            quoted = value[:1] in "\"'"
            self.attributes.append((start + match.start(2) + quoted, start + match.end(2) - quoted))
        if tag in _BLOCKS:
            self.characters.append(("\n", start, start))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self.script_at is not None:
            end = self.source.find(">", self.at) + 1
            self.dropped.append((self.script_at, end or len(self.source)))
            self.script_at = None
        if tag in _BLOCKS:
            self.characters.append(("\n", self.at, self.at))

    def handle_data(self, data: str) -> None:
        if self.script_at is None:
            start = self.at
            for k, character in enumerate(data):
                self._add(character, start + k, start + k + 1)

    def handle_entityref(self, name: str) -> None:
        self._reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        self._reference(f"&#{name}")

    def _reference(self, written: str) -> None:
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
        self.dropped.append((self.at, self.at + len(data) + 7))
