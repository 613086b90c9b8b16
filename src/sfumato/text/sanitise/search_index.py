"""A search index over any corpus, on tantivy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sfumato.errors import bad_input
from sfumato.text.sanitise.analysis import Analyser, analyser_named, normal
from sfumato.text.sanitise.searcher import Page, Together
from sfumato.validate import choice, extra, integer

__all__ = ["SearchIndex"]

_EXTRA = "search"
_ABOUT = "sfumato.json"
_HEAP = 64_000_000
_TOKENIZERS = {"plain": "default", "english": "en_stem", "japanese": "whitespace"}
"""How words are cut and compared: lower case, lower case and stemmed, or as the analyser cut them."""


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """Pages that can be searched by words, ranked by BM25. Make one with :meth:`build`, or :meth:`open` a folder.

    Parameters
    ----------
    handle : tantivy.Index
    analyser : str
        The language that the pages are in: ``"plain"``, ``"english"`` (stemmed) or ``"japanese"``.

    Examples
    --------
    >>> pages = SearchIndex.build(["Ann Ray fell at the harbour", "A storm hit the harbour", "Nothing happened"])
    >>> [page.text for page in pages.search(["fell", "harbour"], 10)]
    ['Ann Ray fell at the harbour']
    >>> len(pages.search(["fell", "harbour"], 10, together="any"))
    2
    """

    handle: Any
    analyser: str = "plain"

    @classmethod
    def build(
        cls, texts: Iterable[str], *, folder: str | Path | None = None, analyser: str = "plain", threads: int = 1
    ) -> Self:
        """Index some texts, in memory or in a new folder."""
        tantivy = extra("tantivy", _EXTRA)
        cut = analyser_named(choice("analyser", analyser, list(_TOKENIZERS)))
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("words", stored=False, tokenizer_name=_TOKENIZERS[analyser])
        builder.add_text_field("text", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("page", stored=True)
        path = None
        if folder is not None:
            path = Path(folder)
            if path.exists():
                raise bad_input("folder", path.name, "a new folder", "remove the old index first")
            path.mkdir(parents=True)
        schema = builder.build()
        index = tantivy.Index(schema, path=None if path is None else str(path))
        writer = index.writer(_HEAP, threads)
        count = 0
        for count, text in enumerate(texts, 1):
            plain = normal(text)
            writer.add_document(tantivy.Document(words=_searchable(plain, cut), text=plain, page=count))
        if count == 0:
            raise bad_input("texts", "none", "at least one page to search")
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        if path is not None:
            (path / _ABOUT).write_text(json.dumps({"analyser": analyser, "pages": count}))
        return cls(index, analyser)

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """An index that was built before."""
        tantivy, path = extra("tantivy", _EXTRA), Path(folder)
        if not (path / _ABOUT).is_file() or not tantivy.Index.exists(str(path)):
            raise bad_input("search index", path.name, "a folder that `sfumato text index` wrote")
        about = json.loads((path / _ABOUT).read_text())
        return cls(tantivy.Index.open(str(path)), choice("analyser", about.get("analyser"), list(_TOKENIZERS)))

    def __len__(self) -> int:
        return int(self.handle.searcher().num_docs)

    def __repr__(self) -> str:
        return f"SearchIndex({len(self)} pages, {self.analyser})"

    def search(self, words: Sequence[str], hits: int, *, together: Together = "all") -> list[Page]:
        """The best pages that have all the words, or any of them."""
        integer("hits", hits)
        query = self._query(words, choice("together", together, ("all", "any")))
        if query is None:
            return []
        searcher = self.handle.searcher()
        found = [searcher.doc(address) for _, address in searcher.search(query, hits, count=False).hits]
        return [Page(str(page.get_first("page")), page.get_first("text")) for page in found]

    def count(self, words: Sequence[str], *, together: Together = "all") -> int:
        """How many pages have them."""
        query = self._query(words, together)
        return 0 if query is None else int(self.handle.searcher().search(query, 1, count=True).count)

    def _query(self, words: Sequence[str], together: Together) -> Any:
        clean = [" ".join("".join(c if c.isalnum() else " " for c in normal(word)).split()) for word in words]
        parts = [f'"{word.lower()}"' for word in clean if word]
        if not parts:
            return None
        return self.handle.parse_query(" ".join(parts), ["words"], conjunction_by_default=together == "all")


def _searchable(text: str, analyser: Analyser) -> str:
    """What is indexed of a page: the text itself, or its words set apart where a language has no spaces."""
    return text if analyser.spaced else " ".join(word.form for word in analyser.words(text))
