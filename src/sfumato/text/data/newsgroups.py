"""20 Newsgroups, "bydate" version: 18 846 Usenet posts of 1993 in 20 groups (Ken Lang; UCI, CC BY 4.0)."""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from dataclasses import dataclass

from sfumato.io.datasets.catalogue import data_file
from sfumato.text.core.corpus import Corpus
from sfumato.validate import choice

__all__ = [
    "NINE_CLASSES",
    "SCENARIOS",
    "Post",
    "load_newsgroups",
    "load_newsgroups_corpus",
    "merged_class",
    "scenario_posts",
]

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")

SCENARIOS = {
    "Top5/Any": (5, 1, 35, 17),
    "Top10/Any": (10, 1, 28, 9),
    "Top5/Multi": (5, 2, 29, 9),
    "Top10/Multi": (10, 2, 21, 8),
}
"""How many authors, and for each at least how many groups, training and test posts (Weggenmann §5.3.2)."""

NINE_CLASSES = {
    "comp.": "computers", "rec.autos": "vehicles", "rec.motorcycles": "vehicles", "rec.sport.": "sport",
    "sci.crypt": "technology", "sci.electronics": "technology", "sci.med": "medicine", "sci.space": "space",
    "alt.atheism": "religion", "soc.religion.": "religion", "talk.religion.": "religion", "talk.politics.": "politics",
    "misc.forsale": "for sale",
}  # fmt: skip
"""The twenty groups in nine classes, by the beginning of their names; Meehan (ch. 3) does not say which."""


@dataclass(frozen=True, kw_only=True)
class Post:
    """One post without headers and footer; ``author`` is the address of the From header, None if there is none."""

    text: str
    group: str
    author: str | None
    train: bool


def load_newsgroups() -> list[Post]:
    """Load all posts. Real people wrote them: do not print any."""
    path = data_file("newsgroups20/20news_bydate.jsonl.xz")
    posts = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            header, _, body = record["text"].partition("\n\n")
            posts.append(
                Post(
                    text=_without_footer(body),
                    group=record["group"],
                    author=_sender(header),
                    train=record["split"] == "train",
                )
            )
    return posts


def scenario_posts(scenario: str, posts: list[Post] | None = None) -> list[Post]:
    """The posts of the most prolific authors of one of the :data:`SCENARIOS`."""
    authors, groups, train, test = SCENARIOS[choice("scenario", scenario, list(SCENARIOS))]
    by_author: defaultdict[str, list[Post]] = defaultdict(list)
    for post in load_newsgroups() if posts is None else posts:
        if post.author is not None and post.text.strip():
            by_author[post.author].append(post)

    def fits(own: list[Post]) -> bool:
        trained = sum(post.train for post in own)
        return trained >= train and len(own) - trained >= test and len({post.group for post in own}) >= groups

    chosen = sorted((own for own in by_author.values() if fits(own)), key=lambda own: -len(own))[:authors]
    return [post for own in chosen for post in own]


def load_newsgroups_corpus(scenario: str = "Top10/Any") -> Corpus:
    """Load the posts of one scenario of Weggenmann §5.3.2, with the group as topic."""
    posts = scenario_posts(scenario)
    return Corpus(
        texts=[post.text for post in posts],
        authors=[str(post.author) for post in posts],
        topics=[post.group for post in posts],
        train=[post.train for post in posts],
    )


def merged_class(group: str) -> str:
    """The one of :data:`NINE_CLASSES` that a group is in.

    >>> merged_class("comp.graphics"), merged_class("talk.politics.guns")
    ('computers', 'politics')
    """
    return next(name for start, name in NINE_CLASSES.items() if group.startswith(start))


def _sender(header: str) -> str | None:
    for line in header.splitlines():
        if line.lower().startswith("from:"):
            found = _ADDRESS.findall(line)
            return found[0].lower() if len(set(found)) == 1 else None
    return None


def _without_footer(body: str) -> str:
    """Cut what follows the last line of dashes or the last blank line, if it is short enough to be a signature."""
    lines = body.strip().split("\n")
    for at in range(len(lines) - 1, -1, -1):
        if not lines[at].strip(" -_=*"):
            return "\n".join(lines[:at]) if at > 0 and len(lines) - at <= 8 else "\n".join(lines)
    return "\n".join(lines)
