"""``sfumato text index`` and ``sfumato text sanitise``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from sfumato.cli.options import (
    CardFile,
    Delimiter,
    Encoding,
    InputFormat,
    KeepOrder,
    KeyOut,
    LedgerPlace,
    Sign,
    Subject,
    terms_of,
)
from sfumato.errors import bad_input
from sfumato.io.atomic import atomic_path, check_output
from sfumato.io.frames import missing_columns
from sfumato.study.console import notes, progress_bar
from sfumato.study.door import Dialect, Door, print_findings
from sfumato.study.settings import read_settings
from sfumato.text.core.records import labels_of, texts_of
from sfumato.text.sanitise.analysis import ANALYSERS, analyser_named
from sfumato.text.sanitise.generalisation import Generalisation
from sfumato.text.sanitise.highlight import highlighted_page
from sfumato.text.sanitise.information import WEIGHTS
from sfumato.text.sanitise.post_stream import PostStream
from sfumato.text.sanitise.sanitised_release import (
    Risky,
    beyond_risk,
    residual_risk,
    sanitised_release,
    wider_risk,
)
from sfumato.text.sanitise.sanitiser import Sanitised, Sanitiser, State
from sfumato.text.sanitise.search_attack import SearchAttack
from sfumato.text.sanitise.search_index import SearchIndex
from sfumato.text.sanitise.searcher import CarefulSearcher
from sfumato.text.vocabulary.wordnet import hypernym
from sfumato.validate import choice, extra

__all__ = ["index", "sanitise"]

_APART = re.compile(r"\s*[;|]\s*")
_SEARCH, _LEAVES = "How it is searched", "What leaves"
Language = Annotated[str, typer.Option(help="How words are cut: " + ", ".join(ANALYSERS) + ".")]


def index(
    *,
    input: Annotated[Path, typer.Argument(help="The pages to search: a table, or a folder of documents.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the new index.")],
    column: Annotated[str, typer.Option("--column", "-c", help="The column that holds the pages.")] = "text",
    language: Language = "english",
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Build a search index of pages that a searcher may have: newspapers, web pages, judgments.

    Example: sfumato text index news.jsonl -o news.idx
    """
    choice("language", language, list(ANALYSERS))
    if out.exists():
        raise bad_input("--out", out.name, "a new folder", "remove the old index, or name another folder")
    dialect = Dialect(format=format, delimiter=delimiter, encoding=encoding)
    pages = texts_of(dialect.read_texts(input, column), column)
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
    column: Annotated[str, typer.Option("--column", "-c", help="The column that holds the documents.")] = "text",
    names: Annotated[
        str | None,
        typer.Option(
            help="The column with the names of the person, apart by ; or |. Without it, a page counts as found that "
            "shares more than --threshold further words.",
            show_default=False,
        ),
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(help="Documents of the same kind, to know which words are common.", show_default=False),
    ] = None,
    keywords: Annotated[
        int, typer.Option(help="Words that are searched with, in all sets.", min=1, max=12, rich_help_panel=_SEARCH)
    ] = 3,
    label: Annotated[
        str | None,
        typer.Option(
            help="A column of labels, such as what newspapers are interested in. What is left of it is measured.",
            show_default=False,
        ),
    ] = None,
    interest: Annotated[
        list[str] | None,
        typer.Option(
            help="Keywords of the documents with one --label, such as fatal=4; repeat it. Others have --keywords.",
            show_default=False,
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            help="ε(w) in bits of one kind of word, such as number=3 for ages; repeat it. Kinds: "
            + ", ".join(f"{kind} {bits:g}" for kind, bits in WEIGHTS.items())
            + ".",
            show_default=False,
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    hits: Annotated[int, typer.Option(help="Pages looked at for each search.", min=1, rich_help_panel=_SEARCH)] = 10,
    any_word: Annotated[
        bool, typer.Option("--any", help="Pages need any of the words, not all.", rich_help_panel=_SEARCH)
    ] = False,
    threshold: Annotated[
        int | None,
        typer.Option(
            help="Of the name-free index.",
            min=0,
            show_default="two fifths of the words counted",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    stream: Annotated[
        str | None,
        typer.Option(
            help="The rows are posts in the order they come, and this column says whose: a searcher has read the "
            "earlier ones too.",
            show_default=False,
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    margin: Annotated[
        int,
        typer.Option(
            help="So many times --hits pages must not name the person: who knows the method looks at the next one.",
            min=1,
            rich_help_panel=_SEARCH,
        ),
    ] = 3,
    rounds: Annotated[int, typer.Option(help="How often words are taken out at most.", min=0)] = 20,
    general: Annotated[
        bool, typer.Option("--general", help="Put a more general word (WordNet) where there is one.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(help="How words are cut.", show_default="that of the index", rich_help_panel=_SEARCH),
    ] = None,
    attack: Annotated[
        bool, typer.Option("--attack", help="Also search with more words and more pages than it was sanitised against.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="A page with every document before and after, for the owner.", show_default=False),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(help="The card as a page to file (HTML).", show_default=False, rich_help_panel=_LEAVES),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="A column that leaves unchanged; repeat it.", show_default=False, rich_help_panel=_LEAVES),
    ] = None,
    risky: Annotated[
        str,
        typer.Option(
            help="Documents that are still found or were not checked: withhold or release.", rich_help_panel=_LEAVES
        ),
    ] = "withhold",
    keep_order: KeepOrder = False,
    ledger: LedgerPlace = None,
    subject: Subject = None,
    key: KeyOut = None,
    card: CardFile = None,
    sign: Sign = None,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say which words of a document lead a searcher to the person, and remove only those, until nothing is found.

    Every set of the most telling words is searched for. What leads to a page with the person's name is removed, and the
    search begins anew. Nothing is promised: it is as good as the index. A document whose searches were not answered is
    “not checked”. Such documents, and those that are still found, do not leave unless asked. Only the text and the
    columns named by --keep leave, in random order; the card says what the searcher still finds.

    Examples:

      sfumato text index news.jsonl -o news.idx

      sfumato text sanitise reports.jsonl --search-index news.idx --names names

      sfumato text sanitise reports.jsonl --search-index news.idx --names names -o clean.jsonl --report page.html
    """
    papers = {"key": key, "card": card, "sign": sign}
    if out is None and any(one for one in (*papers.values(), certificate, ledger and subject, keep)):
        raise bad_input("--out", None, "where the documents go", "without it nothing leaves, and there are no papers")
    door = None
    dialect = Dialect(format=format, delimiter=delimiter, encoding=encoding)
    if out is not None:
        terms = terms_of(str(input), ledger=ledger, subject=subject, keep_order=keep_order)
        door = Door(input=str(input), out=str(out), terms=terms, dialect=dialect, **cast(Any, papers))
    for place in (out, report, certificate):
        if place is not None:
            check_output(place, input, search_index, *([out] if out is not None and place != out else []))
    if certificate is not None:
        extra("jinja2", "report")  # said before the work, and before anything is paid
    pages = SearchIndex.open(search_index)
    table = dialect.read_texts(input, column)
    wanted = [one for one in (column, names, label, stream, *(keep or ())) if one]
    missing_columns(wanted, table.column_names, "the documents")
    if column in (keep or ()) or (names is not None and names in (keep or ())):
        raise bad_input("--keep", column, "a column other than the text and the names")
    texts = texts_of(table, column)
    people = None if names is None else [_names(one) for one in labels_of(table, names).tolist()]
    labels = None if label is None else labels_of(table, label).tolist()
    sanitiser = Sanitiser(
        attack=SearchAttack(
            searcher=CarefulSearcher(searcher=pages),
            keywords=_keywords(keywords, interest, labels),
            hits=hits,
            together="any" if any_word else "all",
            threshold=threshold,
            analyser=analyser_named(language or pages.analyser),
        ),
        generalisation=Generalisation(hypernyms=hypernym if general else None),
        rounds=rounds,
        margin=margin,
    )
    more = [] if background is None else texts_of(dialect.read_texts(background, column), column)
    content = sanitiser.content(texts, more, weights=_weights(weight))
    with progress_bar("documents", len(texts)) as advance:
        given = labels if interest else None
        if stream is None:
            made = sanitiser.sanitise(texts, names=people, labels=given, content=content, advance=advance)
        else:
            posts, made = PostStream(sanitiser=sanitiser, content=content), []
            for row, person in enumerate(labels_of(table, stream).tolist()):
                own, about = None if people is None else people[row], None if given is None else given[row]
                made.append(posts.post(person, texts[row], names=own, label=about))
                advance(1)
    _show(made)
    wide = [wider_risk(made, sanitiser.attack, content, names=people, labels=given)] if attack else []
    if attack and people is not None:
        wide.append(beyond_risk(made, sanitiser, content, names=people))
    if attack:
        print_findings([residual_risk(made), *wide], title="Documents that are found", reference="chance")
    if door is None:
        _note(f"promise: {sanitiser.guarantee}")
    else:
        release = sanitised_release(
            table,
            made,
            sanitiser,
            column=column,
            keep=keep or (),
            risky=cast(Risky, risky),
            labels=labels,
            found=wide,
            terms=door.terms,
            rng=door.rng,
        )
        done = door.hand_over(release, table)
        held = len(made) - release.arrow.num_rows
        if held:
            _note(f"{held} documents did not leave: they are still found or were not checked (--risky release)")
        if certificate is not None:
            from sfumato.study.report.certificate import write_certificate

            write_certificate(done, certificate)
    if report is not None:
        page = highlighted_page(
            made, title=f"{input.name}: what leads to the person", analyser=sanitiser.attack.analyser, found=wide
        )
        with atomic_path(report) as beside:
            beside.write_text(page, encoding="utf-8")


def _names(text: str) -> list[str]:
    found = [name for name in _APART.split(text) if name.strip()]
    if not found:
        raise bad_input("names", text, "at least one name for every document", "leave --names out to work without")
    return found


def _keywords(usual: int, interest: list[str] | None, labels: list[str] | None) -> int | dict[str, int]:
    """The number of keywords, or one for each label."""
    if not interest:
        return usual
    if labels is None:
        raise bad_input("--interest", interest, "a column of labels with it", "name it with --label")
    return dict.fromkeys(labels, usual) | dict(read_settings(interest, option="--interest"))


def _weights(given: list[str] | None) -> dict[str, float]:
    weights = read_settings(given, option="--weight")
    for kind in weights:
        choice("--weight", kind, list(WEIGHTS))
    return dict(weights)


def _show(made: Sequence[Sanitised]) -> None:
    """The documents that lead to somebody, and the totals."""
    from rich.console import Console
    from rich.table import Table

    table = Table("document", "searches that name the person", "removed", "words kept", "now", box=None)
    for number, one in enumerate(made, 1):
        if one.first.leads or one.state != "nothing found":
            leads = "; ".join(" + ".join(lead) for lead in one.shortest_leads)
            table.add_row(str(number), leads, ", ".join(one.removed), f"{one.kept:.0%}", one.state)
    if table.row_count:
        Console().print(table)
    states = [one.state for one in made]
    found = sum(bool(one.first.leads) for one in made)
    told = ", ".join(f"{states.count(state)} {state}" for state in get_args(State))
    _note(f"{found} of {len(made)} documents led to the person; after {sum(o.queries for o in made)} searches: {told}")


_note = partial(notes.print, markup=False, soft_wrap=True)
