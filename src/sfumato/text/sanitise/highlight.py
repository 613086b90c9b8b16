"""A page that shows documents before and after, with the words that led to the person marked."""

from __future__ import annotations

import html
from collections.abc import Sequence

from sfumato.text.sanitise.analysis import Analyser, PlainAnalyser
from sfumato.text.sanitise.generalisation import GAP
from sfumato.text.sanitise.sanitiser import Sanitised

__all__ = ["highlighted", "highlighted_page"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #ccc;padding:.5rem;vertical-align:top;"
    "text-align:left}mark{background:#ffd6d6}ins{background:#d9f2d9;text-decoration:none}"
    ".found{color:#a00000}.checked{color:#0a6000}"
)


def highlighted(one: Sanitised, *, analyser: Analyser | None = None) -> tuple[str, str]:
    """The document before and after as HTML; removed words are marked in the one, what stands for them in the other."""
    cut, gone = analyser or PlainAnalyser(), set(one.removed)
    parts, at = [], 0
    for word in cut.words(one.before):
        if word.form in gone:
            parts += [html.escape(one.before[at : word.start]), f"<mark>{html.escape(word.text)}</mark>"]
            at = word.end
    before = "".join([*parts, html.escape(one.before[at:])])
    after = html.escape(one.after).replace(html.escape(GAP), f"<ins>{html.escape(GAP)}</ins>")
    return before, after


def highlighted_page(made: Sequence[Sanitised], *, title: str, analyser: Analyser | None = None) -> str:
    """A whole page: totals, then each document with its state. It shows the raw documents: for the owner's eyes."""
    rows = []
    for number, one in enumerate(made, 1):
        before, after = highlighted(one, analyser=analyser)
        kind = "checked" if one.state == "nothing found" else "found"
        leads = "; ".join(" + ".join(lead) for lead in one.first.leads) or "none"
        rows.append(
            f"<tr><td>{number}</td><td>{before}</td><td>{after}</td><td>{html.escape(leads)}</td>"
            f'<td class="{kind}">{one.state}<br>{one.kept:.0%} of words kept</td></tr>'
        )
    found = sum(bool(one.first.leads) for one in made)
    states = {
        state: sum(one.state == state for one in made) for state in ("nothing found", "still found", "not checked")
    }
    told = ", ".join(f"{count} {state}" for state, count in states.items())
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{html.escape(title)}</h1>"
        f"<p>{found} of {len(made)} documents led to the person before. After: {told}. Nothing is promised: another "
        "searcher or a new page may still find somebody. This page shows the documents as they were; keep it.</p>"
        "<table><thead><tr><th>#</th><th>before</th><th>after</th><th>searches that named the person</th>"
        f"<th>now</th></tr></thead><tbody>{''.join(rows)}</tbody></table></html>"
    )
