"""``sfumato text index`` and ``sfumato text sanitise``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.errors import bad_input
from sfumato.io.atomic import atomic_path, check_output
from sfumato.io.files import write_table
from sfumato.io.frames import missing_columns
from sfumato.io.texts import read_texts
from sfumato.study.console import notes, progress_bar
from sfumato.text.core.records import labels_of, texts_of
from sfumato.text.sanitise.analysis import ANALYSERS, analyser_named
from sfumato.text.sanitise.generalisation import Generalisation
from sfumato.text.sanitise.highlight import highlighted_page
from sfumato.text.sanitise.sanitiser import Sanitised, Sanitiser
from sfumato.text.sanitise.search_attack import SearchAttack
from sfumato.text.sanitise.search_index import SearchIndex
from sfumato.text.sanitise.searcher import CarefulSearcher
from sfumato.text.vocabulary.wordnet import hypernym
from sfumato.validate import choice

__all__ = ["index", "sanitise"]

_APART = re.compile(r"\s*[;|]\s*")
Language = Annotated[str, typer.Option(help="How words are cut: " + ", ".join(ANALYSERS) + ".")]


def index(
    *,
    input: Annotated[Path, typer.Argument(help="The pages to search: a table, or a folder of documents.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the new index.")],
    column: Annotated[str, typer.Option("--column", help="The column that holds the pages.")] = "text",
    language: Language = "english",
) -> None:
    """Build a search index of pages that a searcher may have: newspapers, web pages, judgments.

    Example: sfumato text index news.jsonl -o news.idx
    """
    choice("language", language, list(ANALYSERS))
    if out.exists():
        raise bad_input("--out", out.name, "a new folder", "remove the old index, or name another folder")
    pages = texts_of(read_texts(input, column=column), column)
    made = SearchIndex.build(pages, folder=out, analyser=language)
    _note(f"{len(made)} pages indexed")


def sanitise(
    *,
    input: Annotated[Path, typer.Argument(help="Documents to check: a table, or a folder of documents.")],
    search_index: Annotated[Path, typer.Option("--search-index", help="What `sfumato text index` wrote.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where the sanitised documents go.", show_default="only the risk is shown"),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="The column that holds the documents.")] = "text",
    names: Annotated[
        str | None,
        typer.Option(
            help="The column with the names of the person, apart by ; or |. Without it, a page counts as found that "
            "shares more than --threshold further words.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A column that is written unchanged; repeat it.", show_default=False)
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(help="Documents of the same kind, to know which words are common.", show_default=False),
    ] = None,
    keywords: Annotated[int, typer.Option(help="Words that are searched with, in all sets.", min=1, max=12)] = 3,
    hits: Annotated[int, typer.Option(help="Pages looked at for each search.", min=1)] = 10,
    any_word: Annotated[bool, typer.Option("--any", help="Pages need any of the words, not all.")] = False,
    threshold: Annotated[int, typer.Option(help="Of the name-free index.", min=0)] = 8,
    rounds: Annotated[int, typer.Option(help="How often words are taken out at most.", min=0)] = 20,
    general: Annotated[
        bool, typer.Option("--general", help="Put a more general word (WordNet) where there is one.")
    ] = False,
    language: Annotated[str | None, typer.Option(help="How words are cut.", show_default="that of the index")] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="A page with every document before and after, for the owner.", show_default=False),
    ] = None,
) -> None:
    """Say which words of a document lead a searcher to the person, and remove only those, until nothing is found.

    Every set of the most telling words is searched for. What leads to a page with the person's name is removed, and the
    search begins anew. Nothing is promised: it is as good as the index. A document whose searches were not answered is
    “not checked”.

    Examples:

      sfumato text index news.jsonl -o news.idx

      sfumato text sanitise reports.jsonl --search-index news.idx --names names

      sfumato text sanitise reports.jsonl --search-index news.idx --names names -o clean.jsonl --report page.html
    """
    for place in (out, report):
        if place is not None:
            check_output(place, input, search_index)
    pages = SearchIndex.open(search_index)
    table = read_texts(input, column=column)
    missing_columns([column, *([names] if names else []), *(keep or ())], table.column_names, "the documents")
    if column in (keep or ()) or (names is not None and names in (keep or ())):
        raise bad_input("--keep", column, "a column other than the text and the names")
    texts = texts_of(table, column)
    people = None if names is None else [_names(one) for one in labels_of(table, names).tolist()]
    more = [] if background is None else texts_of(read_texts(background, column=column), column)
    attack = SearchAttack(
        searcher=CarefulSearcher(searcher=pages),
        keywords=keywords,
        hits=hits,
        together="any" if any_word else "all",
        threshold=threshold,
        analyser=analyser_named(language or pages.analyser),
    )
    sanitiser = Sanitiser(
        attack=attack, generalisation=Generalisation(hypernyms=hypernym if general else None), rounds=rounds
    )
    with progress_bar("documents", len(texts)) as advance:
        made = sanitiser.sanitise(texts, names=people, background=more, advance=advance)
    _show(made)
    if out is not None:
        columns: dict[str, Any] = {name: table[name] for name in keep or ()}
        columns |= {column: [one.after for one in made], "search": [one.state for one in made]}
        shown = [name for name in table.column_names if name in columns]
        write_table(type(table).from_pydict({name: columns[name] for name in [*shown, "search"]}), out)
    if report is not None:
        page = highlighted_page(made, title=f"{input.name}: what leads to the person", analyser=attack.analyser)
        with atomic_path(report) as beside:
            beside.write_text(page, encoding="utf-8")
    _note(f"promise: {sanitiser.guarantee}")


def _names(text: str) -> list[str]:
    found = [name for name in _APART.split(text) if name.strip()]
    if not found:
        raise bad_input("names", text, "at least one name for every document", "leave --names out to work without")
    return found


def _show(made: Sequence[Sanitised]) -> None:
    """The documents that lead to somebody, and the totals."""
    from rich.console import Console
    from rich.table import Table

    table = Table("document", "searches that name the person", "removed", "words kept", "now", box=None)
    for number, one in enumerate(made, 1):
        if one.first.leads or one.state != "nothing found":
            leads = "; ".join(" + ".join(lead) for lead in one.first.leads)
            table.add_row(str(number), leads, ", ".join(one.removed), f"{one.kept:.0%}", one.state)
    if table.row_count:
        Console().print(table)
    states = [one.state for one in made]
    found = sum(bool(one.first.leads) for one in made)
    told = ", ".join(f"{states.count(state)} {state}" for state in ("nothing found", "still found", "not checked"))
    _note(f"{found} of {len(made)} documents led to the person; after {sum(o.queries for o in made)} searches: {told}")


_note = partial(notes.print, markup=False, soft_wrap=True)
