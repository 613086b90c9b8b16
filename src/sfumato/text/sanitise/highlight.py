"""A page that shows documents before and after, with the words that led to the person marked."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from sfumato.study.score import Finding
from sfumato.text.sanitise.analysis import Analyser, PlainAnalyser
from sfumato.text.sanitise.generalisation import GAP
from sfumato.text.sanitise.sanitiser import Sanitised

__all__ = ["highlighted", "highlighted_page"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "section{border:1px solid #ccc;border-radius:.4rem;margin:1rem 0;padding:.6rem 1rem}"
    "h2{font-size:1rem;margin:0 0 .4rem}.sides{display:grid;grid-template-columns:1fr 1fr;gap:1.2rem}"
    ".sides p{margin:0;overflow-wrap:anywhere}.side{font-size:.8rem;color:#666}dl{display:grid;"
    "grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:#666}dd{margin:0}"
    "mark{background:#ffd6d6;padding:0 .15em}ins{background:#d9f2d9;text-decoration:none;padding:0 .15em}"
    ".found{color:#a00000}.checked{color:#0a6000}@media(max-width:40rem){.sides{grid-template-columns:1fr}}"
)
_GAP = re.compile(re.escape(GAP))


def highlighted(one: Sanitised, *, analyser: Analyser | None = None) -> tuple[str, str]:
    """The document before and after as HTML: what was taken out is marked in the one, what stands for it in the other.

    >>> from sfumato.text import SearchAttack, SearchIndex, Sanitiser
    >>> news = SearchIndex.build(["Ann Ray drowned off the trimaran", "School begins"])
    >>> (made,) = Sanitiser(attack=SearchAttack(searcher=news)).sanitise(["A trimaran sank"], names=[["Ann Ray"]])
    >>> highlighted(made)
    ('A <mark>trimaran</mark> sank', 'A <ins>[…]</ins> sank')
    """
    cut = analyser or PlainAnalyser()
    before, after = _places(one.before, cut), _places(one.after, cut)
    written = [
        [text[start:end] for start, end in places] for text, places in ((one.before, before), (one.after, after))
    ]
    gone: set[int] = set()
    new: set[int] = set()
    for how, low, high, first, last in SequenceMatcher(None, written[0], written[1], autojunk=False).get_opcodes():
        if how != "equal":
            gone.update(range(low, high))
            new.update(range(first, last))
    return _marked(one.before, before, gone, "mark"), _marked(one.after, after, new, "ins")


def highlighted_page(
    made: Sequence[Sanitised], *, title: str, analyser: Analyser | None = None, found: Sequence[Finding] = ()
) -> str:
    """A whole page: totals, then each document with its state. It shows the raw documents: for the owner's eyes.

    ``found`` is what other searchers find in the documents as they leave.
    """
    states = {
        state: sum(one.state == state for one in made) for state in ("nothing found", "still found", "not checked")
    }
    led = sum(bool(one.first.leads) for one in made)
    kept = sum(one.kept for one in made) / max(1, len(made))
    totals = {
        "before": f"{led} of {len(made)} documents led to the person before",
        "after": ", ".join(f"{count} {state}" for state, count in states.items()),
        **{one.name: f"{one.score.value:.1%} of the documents are found" for one in found},
        "words kept": f"{kept:.1%}",
        "promise": "none: another searcher or a new page may still find somebody",
    }
    rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(told)}</dd>" for name, told in totals.items())
    parts = [_section(number, one, analyser) for number, one in enumerate(made, 1)]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style><h1>{html.escape(title)}</h1><dl>{rows}</dl>"
        "<p><strong>Keep this page:</strong> it shows the documents as they were. <mark>Words that led to the person"
        f"</mark> were taken out; <ins>this</ins> stands for them now.</p>{''.join(parts)}</html>"
    )


def _section(number: int, one: Sanitised, analyser: Analyser | None) -> str:
    before, after = highlighted(one, analyser=analyser)
    kind = "checked" if one.state == "nothing found" else "found"
    leads = "; ".join(" + ".join(lead) for lead in one.shortest_leads) or "none"
    return (
        f'<section><h2>{number}. <span class="{kind}">{one.state}</span>, {one.kept:.0%} of words kept</h2>'
        f'<div class="sides"><div><span class="side">before</span><p>{before}</p></div>'
        f'<div><span class="side">after</span><p>{after}</p></div></div>'
        f'<p class="side">searches that named the person: {html.escape(leads)}</p></section>'
    )


def _places(text: str, cut: Analyser) -> list[tuple[int, int]]:
    """Where the words and the gaps of a text are."""
    gaps = [match.span() for match in _GAP.finditer(text)]
    return sorted({(word.start, word.end) for word in cut.words(text)} | set(gaps))


def _marked(text: str, places: Sequence[tuple[int, int]], chosen: Collection[int], tag: str) -> str:
    parts, at = [], 0
    for number in sorted(chosen):
        start, end = places[number]
        parts += [html.escape(text[at:start]), f"<{tag}>{html.escape(text[start:end])}</{tag}>"]
        at = end
    return "".join([*parts, html.escape(text[at:])])
