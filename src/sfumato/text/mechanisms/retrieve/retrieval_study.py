"""The ready study of private retrieval on 20 Newsgroups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.study.study import Study, sweep
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.data.newsgroups import Post, load_newsgroups, merged_class
from sfumato.text.mechanisms.retrieve.sentence_split import split_sentences

__all__ = ["retrieval_corpus", "study_of_retrieval"]

_LEAST, _LONG = 2, 8
_TESTED = 3
"""An author needs so many posts, and every third one is for testing."""


def retrieval_corpus(documents: int, candidates: int, *, seed: int = 0) -> tuple[Corpus, PublicPool]:
    """Posts to protect and a pool of posts by other people, both from the by-date train part.

    Posts have two sentences or more; 60 % at random are public, of which those with eight sentences or more are
    candidates, unless their author is protected. The protected ones are by the authors with most posts among the rest.
    The topic is one of nine classes (:func:`~sfumato.text.data.newsgroups.merged_class`).
    """
    posts = [post for post in load_newsgroups() if post.train and post.author and _sentences(post) >= _LEAST]
    posts = [posts[k] for k in seeded_rng(seed).permutation(len(posts)).tolist()]
    public, rest = posts[: int(0.6 * len(posts))], posts[int(0.6 * len(posts)) :]
    counts = Counter(post.author for post in rest)
    busy = sorted(
        (post for post in rest if counts[post.author] >= _TESTED), key=lambda p: (-counts[p.author], p.author)
    )
    kept = busy[:documents]
    people = {post.author for post in kept}
    others = [post for post in public if post.author not in people and _sentences(post) >= _LONG][:candidates]
    seen: Counter[str | None] = Counter()
    train = []
    for post in kept:
        seen[post.author] += 1
        train.append(seen[post.author] % _TESTED != 0)
    corpus = Corpus(
        texts=[post.text for post in kept],
        authors=np.array([str(post.author) for post in kept]),
        topics=np.array([merged_class(post.group) for post in kept]),
        train=np.array(train),
    )
    topics = [merged_class(post.group) for post in others]
    return corpus, PublicPool.of([post.text for post in others], topics=topics, source="20 Newsgroups, other authors")


def _sentences(post: Post) -> int:
    return len(split_sentences(post.text))


def study_of_retrieval(epsilons: Sequence[float], *, documents: int, candidates: int, words: int, seeds: int) -> Study:
    """ε per document and per sentence, beside other ways, against attackers who know the law."""
    from sfumato.text import (
        AuthorshipAttack,
        DeepCandidate,
        InversionAttack,
        LinkageAttack,
        RetrievalUtility,
        SentenceMembershipAttack,
        TopicResponse,
        TopicUtility,
        TruncatedMean,
        WordLaplace,
        load_glove,
    )

    corpus, pool = retrieval_corpus(documents, candidates)
    space: dict[str, Any] = {"pool": pool, "encoder": "words", "short": "uniform"}
    return Study(
        name="retrieval",
        title="20 Newsgroups: a public post in the place of a protected one",
        summary=f"{len(corpus)} posts and {len(pool)} public ones by other people, in nine classes. ε per sentence is "
        "the dissertation's promise: a document loses up to 25 times as much. The attacker knows the law.",
        data=corpus,
        mechanisms={
            "retrieve, ε per document": sweep(DeepCandidate, epsilon=epsilons, **space),
            "retrieve, ε per sentence": sweep(DeepCandidate, epsilon=epsilons, unit="sentence", **space),
            "truncated mean, ε per document": sweep(TruncatedMean, epsilon=epsilons, **space),
            "topic response": sweep(TopicResponse, epsilon=epsilons, pool=pool),
            "word by word": sweep(WordLaplace, epsilon=[5.0, 10.0, 30.0], vocabulary=load_glove(words)),
        },
        attacks=[
            LinkageAttack(candidates=120),
            AuthorshipAttack(copies=4, metric="f1"),
            SentenceMembershipAttack(),
            InversionAttack(),
            InversionAttack(name="inversion (nearest public sentence)", by="sentence"),
        ],
        utilities=[
            TopicUtility(name="topic (F1)", metric="f1"),
            TopicUtility(name="topic (F1, static)", metric="f1", adaptive=False),
            RetrievalUtility(),
        ],
        seeds=seeds,
        records=len(corpus),
    )
