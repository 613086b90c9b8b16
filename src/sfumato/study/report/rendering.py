"""From words and figures to one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.io.atomic import atomic_path
from sfumato.study.report.glossary import Term, jargon, terms_in
from sfumato.validate import extra

__all__ = ["in_script", "packed_plotly", "page_file", "write_page"]


def page_file(name: str) -> str:
    """A file of the templates: a style sheet or a script."""
    return resources.files("sfumato.study.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def packed_plotly() -> str:
    """plotly.js, gzipped and as text: 1.9 MB instead of 4.8. The page's script unpacks it.

    The Python package brings the whole library only; a smaller bundle would lack the surfaces and polar plots that
    some kinds of data draw.
    """
    source = str(extra("plotly.offline", "report").get_plotlyjs())
    return base64.b64encode(gzip.compress(source.encode(), compresslevel=9, mtime=0)).decode()


def in_script(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def write_page(template: str, path: str | Path, words: Mapping[str, Any], embedded: Mapping[str, str]) -> None:
    """Fill a template and write the page, atomically.

    Parameters
    ----------
    words : mapping
        Escaped where they stand.
    embedded : mapping of str to str
        Styles, scripts and JSON that stand in the page as they are.
    """
    jinja2 = extra("jinja2", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sfumato.study.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["glue"] = glue
    environment.filters["terms"] = with_links
    page = environment.get_template(template)
    # Once without, to see which words are used: the glossary explains these and no other.
    draft = page.render(**words, glossary=[], **dict.fromkeys(embedded, ""))
    used = terms_in(_text(draft))
    trusted = {name: Markup(text) for name, text in embedded.items()}
    content = page.render(**words, glossary=used, **trusted)
    with atomic_path(path) as beside:
        beside.write_text(content, encoding="utf-8")


def glue(text: str) -> str:
    """Keep “ε = 0.1” and “1e-05” on one line."""
    return re.sub(r"(\d)e-(\d)", "\\1e\u2011\\2", text.replace(" = ", "\u00a0=\u00a0"))


def with_links(text: str) -> Any:
    """The text, glued, with a link from each first jargon word to its place in the glossary."""
    from markupsafe import Markup, escape

    matches = [(match.start(), match.end(), term) for term in jargon() if (match := term.found.search(text))]
    places: list[tuple[int, int, Term]] = []
    for first, after, term in sorted(matches, key=lambda found: found[0] - found[1]):  # of two that meet, the longer
        if all(after <= start or end <= first for start, end, _ in places):
            places.append((first, after, term))
    parts, last = [], 0
    for start, end, term in sorted(places, key=lambda place: place[0]):
        parts.append(escape(glue(text[last:start])))
        parts.append(Markup('<a class="term" href="#{}">{}</a>').format(term.anchor, glue(text[start:end])))
        last = end
    return Markup("").join([*parts, escape(glue(text[last:]))])


def _text(page: str) -> str:
    """What a reader sees of a page."""
    from html import unescape

    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).replace("\u00a0", " ").split())
