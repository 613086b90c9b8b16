"""Sanitised documents as a release: in no order, with a card that says what a searcher still finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from sfumato.errors import InfeasibleError, bad_input
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.noise import Rng, resolve_rng
from sfumato.release import Release, Terms
from sfumato.study.door import risks_of, uses_of
from sfumato.study.score import Finding, Score
from sfumato.text.sanitise.analysis import normal
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.sanitiser import Sanitised, Sanitiser
from sfumato.text.sanitise.search_attack import SearchAttack, names_pattern
from sfumato.text.sanitise.what_is_left import what_is_left
from sfumato.validate import choice

__all__ = ["SANITISER", "Risky", "beyond_risk", "residual_risk", "sanitised_release", "wider_risk"]

SANITISER = "sanitiser"
"""What a card calls the method."""
Risky = Literal["withhold", "release"]
"""What becomes of documents that are still found or were not checked."""
_SAME, _WIDER = "search (as sanitised against)", "search (three more words, three times the pages)"
_BEYOND = "search (method known, one guess)"
_KNOWS = "the release and the same pages to search; success is a page among the first that names the person"


def sanitised_release(
    frame: Any,
    made: Sequence[Sanitised],
    sanitiser: Sanitiser,
    *,
    column: str = "text",
    keep: Sequence[str] = (),
    risky: Risky = "withhold",
    labels: Sequence[Any] | None = None,
    found: Sequence[Finding] = (),
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Make a release of documents that a sanitiser has read.

    Only the documents and the columns named by ``keep`` leave, in random order. Documents that are still found or were
    not checked stay behind. Nothing is promised; the card says what the searcher still finds in what left, and what is
    left of it.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        The documents as they were, one a row.
    made : sequence of Sanitised
        What :meth:`Sanitiser.sanitise` gave, in the same order.
    sanitiser : Sanitiser
    column : str
    keep : sequence of str
        Columns that are released unchanged.
    risky : {"withhold", "release"}
        What becomes of documents that are still found or were not checked.
    labels : sequence, optional
        A label of each document, to measure whether it can still be told.
    found : sequence of Finding
        What other searchers find (:func:`wider_risk`), for the card.
    terms : Terms, optional
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.text import SearchIndex
    >>> news = SearchIndex.build(["Ann Ray drowned off the trimaran", "A trimaran won the race", "School begins"])
    >>> sanitiser = Sanitiser(attack=SearchAttack(searcher=news))
    >>> reports = pa.table({"text": ["A pupil drowned when a trimaran sank.", "A chair broke."], "id": [1, 2]})
    >>> made = sanitiser.sanitise(reports["text"].to_pylist(), names=[["Ann Ray"], ["Bo Li"]])
    >>> release = sanitised_release(reports, made, sanitiser)
    >>> sorted(release.data["text"].to_pylist()), release.card.risk[0].score
    (['A chair broke.', 'A pupil […] when a […] sank.'], 0.0)
    """
    import pyarrow as pa

    choice("risky", risky, get_args(Risky))
    table, generator = to_arrow(frame), resolve_rng(rng)
    if isinstance(keep, str) or column in keep:
        raise bad_input("keep", keep, "a list of columns other than the text")
    missing_columns([column, *keep], table.column_names, "the documents")
    if len(made) != table.num_rows:
        raise bad_input("made", f"{len(made)} documents", f"the {table.num_rows} of the table, in their order")
    safe = np.array([one.state == "nothing found" for one in made])
    rows = np.flatnonzero(safe) if risky == "withhold" else np.arange(len(made))
    if not len(rows):
        raise InfeasibleError(
            "every document is still found or was not checked: nothing can leave; allow more rounds, or risky='release'"
        )
    left = [made[row] for row in rows.tolist()]
    columns = {name: table[name].take(rows) for name in keep} | {column: pa.array([one.after for one in left])}
    release = Release.make(
        pa.table({name: columns[name] for name in table.column_names if name in columns}),
        kind="text",
        mechanism=SANITISER,
        guarantee=sanitiser.guarantee,
        parameters={
            "column": column,
            "rounds": sanitiser.rounds,
            "margin": sanitiser.margin,
            "remove": sanitiser.remove,
            "general": sanitiser.generalisation.hypernyms is not None,
            "searcher": sanitiser.attack.to_card(),
        },
        roles=dict.fromkeys(keep, "kept") | {column: "protected"},
        terms=terms,
        rng=generator,
        draws=False,
        rows=rows,
        suppressed=len(made) - len(rows),
        not_covered=_not_covered(left, keep),
        technique="local suppression",
        like=frame,
    )
    chosen = None if labels is None else [labels[row] for row in rows.tolist()]
    texts = [one.before for one in left], [one.after for one in left]
    uses = what_is_left(*texts, analyser=sanitiser.attack.analyser, labels=chosen)
    return release.assessed(risks_of([residual_risk(left), *found]), uses_of(uses))


def residual_risk(made: Sequence[Sanitised]) -> Finding:
    """The share of documents that the same searcher still finds, or that were not checked."""
    hits = [one.state != "nothing found" for one in made]
    return Finding(name=_SAME, score=Score.of_share(hits, reference=0.0), criterion="linkability", knows=_KNOWS)


def wider_risk(
    made: Sequence[Sanitised],
    attack: SearchAttack,
    content: InformationContent,
    *,
    names: Sequence[Sequence[str]] | None = None,
    labels: Sequence[str] | None = None,
) -> Finding:
    """The share of documents that :meth:`SearchAttack.wider` finds: a searcher whom nothing was sanitised against."""
    other, analyse = attack.wider(), attack.analyser.words
    hits = []
    for place, one in enumerate(made):
        words = analyse(one.after)
        own, label = None if names is None else names[place], None if labels is None else labels[place]
        seen = other.attack(words, content, names=own, label=label) if words else None
        hits.append(seen is not None and bool(seen.leads or not seen.checked))
    return Finding(name=_WIDER, score=Score.of_share(hits, reference=0.0), criterion="linkability", knows=_KNOWS)


def beyond_risk(
    made: Sequence[Sanitised], sanitiser: Sanitiser, content: InformationContent, *, names: Sequence[Sequence[str]]
) -> Finding:
    """The share of people whom somebody names who knows how documents are sanitised.

    They search for the whole document and take the page after the last one that may not name the person.
    """
    attack, page = sanitiser.attack, sanitiser.searches.hits
    hits = []
    for one, own in zip(made, names, strict=True):
        words = attack.analyser.words(one.after)
        telling = content.keywords(words, len(words), diverse=False) if words else []
        pages = attack.searcher.search([word.text for word in telling], page + 1, together="any") if telling else []
        named = names_pattern(own, attack.analyser)
        hits.append(len(pages) > page and bool(named.search(normal(pages[page].text))))
    knows = "how the documents were sanitised, and the same pages to search; one guess"
    return Finding(name=_BEYOND, score=Score.of_share(hits, reference=0.0), criterion="linkability", knows=knows)


def _not_covered(made: Sequence[Sanitised], keep: Sequence[str]) -> list[str]:
    found = [f"the columns kept unchanged: {', '.join(keep)}"] if keep else []
    found += ["the number of texts", "where words were taken out: a gap says that one led to the person"]
    found.append("what other searchers, other pages and those who know the event find; style")
    left = sum(one.state == "still found" for one in made)
    open_ones = sum(one.state == "not checked" for one in made)
    found += [f"{left} documents that are still found"] if left else []
    return found + ([f"{open_ones} documents that were not checked"] if open_ones else [])
