"""Public texts with authors: Reuters C50 and a sample of Yelp reviews."""

from __future__ import annotations

import csv
import json
import lzma
from dataclasses import dataclass

from sfumato.io.datasets.catalogue import data_file

__all__ = ["Authored", "load_c50", "load_yelp"]


@dataclass(frozen=True, kw_only=True)
class Authored:
    """A text, who wrote it, and for a review whether it is good or bad."""

    text: str
    author: str
    train: bool
    mood: str = ""


def load_c50() -> list[Authored]:
    """Load 5 000 Reuters articles by 50 authors, half of them for training (UCI, CC BY 4.0)."""
    with lzma.open(data_file("authorship/reuters_c50.jsonl.xz"), "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [Authored(text=one["text"], author=one["author"], train=one["split"] == "train") for one in records]


def load_yelp() -> list[Authored]:
    """Load 10 000 reviews; one to three stars are bad, every third review of a user is for testing.

    Real people wrote them: do not print any.
    """
    seen: dict[str, int] = {}
    found = []
    with lzma.open(data_file("authorship/yelp_10k.csv.xz"), "rt", encoding="utf-8", newline="") as lines:
        for one in csv.DictReader(lines):
            user = one["user_id"]
            seen[user] = seen.get(user, 0) + 1
            mood = "bad" if int(one["stars"]) <= 3 else "good"
            found.append(Authored(text=one["text"], author=user, train=seen[user] % 3 != 0, mood=mood))
    return found
