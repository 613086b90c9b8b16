"""What to try on texts that somebody wants to publish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.release import Release, Terms
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.study.own.publishing import Candidate, Proposal
from sfumato.study.threshold import Threshold
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.records import labels_of
from sfumato.text.protection import protect as protect_texts
from sfumato.text.scrub.review.span_review import SpanReview

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REVIEW_FILE", "propose", "text_column"]

EPSILON = 5.0
"""Of a response, for a whole text or for all texts of an author."""
AUTHORSHIP, LINKAGE = "authorship (method known)", "linkage (raw texts known)"
"""The attacks that a limit is for."""

_TEXTS = ("text", "body", "message", "content", "comment", "review", "post", "mail", "note", "abstract", "description")
_AUTHORS = ("author", "from", "sender", "writer", "user", "user_id", "userid", "person", "name", "account", "client")
REVIEW_FILE = "review.json"
"""Where the decisions about findings are kept, beside ``decisions.toml``."""
_LEAST_WORDS = 5
"""Words of a text, on average; fewer are values."""


def propose(
    table: pa.Table, *, decisions: Decisions | None, protect: Mapping[str, Any], limit: float | None
) -> Proposal:
    """Which column is the text and who wrote it, and a way to protect it.

    Without more, names and numbers are masked: nothing is promised, and no limit is kept, since style and topic still
    point to the writer. With a pool of public texts (``--set pool=FILE``) a public text of the same topic stands in for
    each, or a near one where the pool has no topics, at a small ε; where an author has several texts, one stands in for
    all of them.
    """
    decided = decisions or Decisions(kind="text")
    given = {**decided.protect, **protect}
    column, why = text_column(table, given.get("column"))
    given["column"] = column
    review = _review(decided, given)
    author = str(decided.attack.get("author") or given.get("author") or _author_column(table, column) or "")
    asked = given.get("mechanism")
    public = _pool(given, column)
    if asked is None:
        given |= _way(table, public, author)
    averaged = public is not None and "author" in given
    if decisions is None:
        kept = [str(one) for one in given.get("keep", ())]
        decided = replace(decided, roles=tuple(_roles(table, column, why, author, kept, public)))
    if author:
        decided = replace(decided, attack={**decided.attack, "author": author})
    if public is not None:
        named: dict[str, Any] = {name: given[name] for name in ("pool", "pool_topic") if name in given}
        decided = replace(decided, attack={**decided.attack, **named})
    if limit is not None:
        if not 0 < limit <= 1:
            raise bad_input("limit", limit, "a risk above 0 and at most 1")
        attacks = [LINKAGE] if averaged or not author else [AUTHORSHIP, LINKAGE]
        decided = replace(decided, limits=dict.fromkeys(attacks, Threshold.of(limit)))
    name = f"{given['mechanism']}" + (f", ε = {given['epsilon']:g}" if "epsilon" in given else "")
    more = {} if review is None else {"review": review}
    candidate = Candidate(name=name, settings=given, protect=partial(_protect, table, {**given, **more}))
    keep = None if review is None else partial(_write_review, review)
    return Proposal(decisions=replace(decided, protect=given), candidates=[candidate], write_schema=keep)


def _review(decided: Decisions, given: dict[str, Any]) -> SpanReview | None:
    """What a reviewer decided, in the file that the decisions rest on or that ``--set review=FILE`` names."""
    named = given.pop("review", None) or decided.schema
    return SpanReview.read(named) if named else None


def _write_review(review: SpanReview, folder: Path) -> str:
    review.write(folder / REVIEW_FILE)
    return REVIEW_FILE


def _way(table: pa.Table, public: PublicPool | None, author: str) -> dict[str, Any]:
    """The mechanism where none was asked for."""
    if public is None:
        return {"mechanism": "scrubber"}
    way: dict[str, Any] = {"mechanism": "topic-response" if len(public.names) > 1 else "neighbourhood-response"}
    way["epsilon"] = EPSILON
    if author and author in table.column_names and max(Counter(labels_of(table, author).tolist()).values()) > 1:
        way["author"] = author  # the losses of several texts would add up
    return way


def _pool(given: dict[str, Any], column: str) -> PublicPool | None:
    """The public texts that the settings name, whose path is then written out so that it can be found again."""
    if "pool" not in given:
        return None
    given["pool"] = str(Path(str(given["pool"])).absolute())
    return PublicPool.read(given["pool"], column=column, topic=str(given.get("pool_topic", "topic")))


def text_column(table: pa.Table, named: Any) -> tuple[str, str]:
    """The column of the texts, and why it is taken for that."""
    import pyarrow as pa

    if named is not None:
        if named not in table.column_names:
            raise bad_input("column", named, "one of the columns " + ", ".join(table.column_names))
        return str(named), "named by you"
    written = [
        field.name for field in table.schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    ]
    lower = {name.lower(): name for name in reversed(written)}
    found = [lower[name] for name in _TEXTS if name in lower]
    if found:
        return found[0], "named like one"
    words = {name: _words(table, name) for name in written}
    longest = max(words, key=lambda name: words[name], default=None)
    if longest is None or words[longest] < _LEAST_WORDS:
        raise bad_input("column", table.column_names, "a column of texts", "say --set column=NAME")
    return longest, f"{words[longest]:.0f} words a row on average"


def _words(table: pa.Table, name: str) -> float:
    texts = [text for text in table[name].slice(0, 1000).to_pylist() if text]
    return float(np.mean([len(text.split()) for text in texts])) if texts else 0.0


def _author_column(table: pa.Table, column: str) -> str | None:
    lower = {name.lower(): name for name in reversed(table.column_names) if name != column}
    return next((lower[name] for name in _AUTHORS if name in lower), None)


def _roles(
    table: pa.Table, column: str, why: str, author: str, kept: list[str], public: PublicPool | None
) -> list[RoleChoice]:
    """What becomes of each column."""
    way = (
        "names and numbers are masked; style and topic stay, and point to the writer"
        if public is None
        else "a public text stands in its place"
    )
    found = []
    for name in table.column_names:
        if name == column:
            found.append(RoleChoice(column=name, role="text", reason=f"{why}; {way}"))
        elif name in kept:
            found.append(RoleChoice(column=name, role="kept", reason="named by you; it leaves unchanged"))
        elif name == author:
            found.append(
                RoleChoice(column=name, role="author", reason="named like one; it does not leave, and is attacked")
            )
        else:
            found.append(RoleChoice(column=name, role="left behind", reason="only the text leaves"))
    return found


def _protect(table: pa.Table, settings: Mapping[str, Any], terms: Terms, rng: Rng | None) -> Release:
    return protect_texts(table, **settings, terms=terms, rng=rng)
