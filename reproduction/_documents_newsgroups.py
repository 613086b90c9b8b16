"""20 Newsgroups in nine classes: macro-F1 of what a private retrieval releases, beside its baselines.

By-date *train* posts without headers and footers, at least two sentences, 60/20/20 at random. The candidates are
training documents with at least eight sentences, as in the dissertation, so that the classifier has seen them; a second
run takes the classifier from one half and the candidates from the other. Depths are computed once for each document,
and every ε draws from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction import Purkayastha, VonMisesFisher
from sfumato.noise import seeded_rng
from sfumato.noise.discrete import discrete_laplace
from sfumato.text import PublicPool, TopicResponse, WordLaplace, WordTableEncoder, load_glove, split_sentences
from sfumato.text.data.newsgroups import load_newsgroups
from sfumato.text.mechanisms.retrieve.cluster_recoder import cluster_recoder
from sfumato.text.mechanisms.retrieve.depth import projection_depths
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw
from sfumato.text.mechanisms.retrieve.recoder_network import Recoder, linear_recoder, public_groups

MERGED = {
    "comp.": "computers", "rec.autos": "vehicles", "rec.motorcycles": "vehicles", "rec.sport.": "sport",
    "sci.crypt": "technology", "sci.electronics": "technology", "sci.med": "medicine", "sci.space": "space",
    "alt.atheism": "religion", "soc.religion.": "religion", "talk.religion.": "religion", "talk.politics.": "politics",
    "misc.forsale": "for sale",
}  # fmt: skip
"""The twenty groups in nine classes, by the beginning of their names; the dissertation does not say which."""
EPSILONS = (1.0, 3.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0)
BUCKETS = ((2, 4), (5, 9), (10, 14), (15, 24), (25, 50))
TRIALS = 5
MOST, LEAST, CANDIDATES, PROJECTIONS, TESTED = 50, 8, 5000, 100, 800
NETWORK_DOCUMENTS, NETWORK_EPOCHS, WORDS_TESTED = 2500, 8, 150


@dataclass(kw_only=True)
class Posts:
    """The posts as sentence vectors with their classes; the first ``train`` are for training, the last for testing."""

    texts: list[str]
    vectors: list[NDArray[np.float64]]
    labels: NDArray[np.int64]
    names: list[str]
    train: int
    test: NDArray[np.int64]
    means: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.means = np.array([own.mean(axis=0) for own in self.vectors])

    @classmethod
    def load(cls) -> Posts:
        names = sorted(set(MERGED.values()))
        encoder, found = WordTableEncoder(), []
        for post in load_newsgroups():
            sentences = split_sentences(post.text)[:MOST] if post.train else []
            if len(sentences) >= 2:
                merged = next(name for start, name in MERGED.items() if post.group.startswith(start))
                found.append((post.text, sentences, names.index(merged)))
        found = [found[k] for k in seeded_rng(0).permutation(len(found)).tolist()]
        size = len(found)
        return cls(
            texts=[one[0] for one in found],
            vectors=[encoder.encode(one[1]) for one in found],
            labels=np.array([one[2] for one in found]),
            names=names,
            train=int(0.6 * size),
            test=np.arange(int(0.8 * size), size)[:TESTED],
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.array([len(own) for own in self.vectors])


def learn(points: NDArray[np.float64], labels: NDArray[np.int64]) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=10.0, max_iter=500).fit(points, labels)


def macro_f1(truth: NDArray[Any], guess: NDArray[Any], classes: int) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(truth, guess, labels=np.arange(classes), average="macro", zero_division=0))


@dataclass(kw_only=True)
class Space:
    """Recoded posts, candidates, and the depth of every candidate in every test post."""

    posts: Posts
    recode: Recoder
    candidates: NDArray[np.int64]
    taught: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.vectors = [self.recode(own) for own in self.posts.vectors]
        self.means = np.array([own.mean(axis=0) for own in self.vectors])
        self.classifier = learn(self.means[self.taught], self.posts.labels[self.taught])
        self.places = self.means[self.candidates]
        self.said = self.classifier.predict(self.places)
        drawn = seeded_rng(1).normal(size=(self.places.shape[1], PROJECTIONS))
        directions = drawn / np.linalg.norm(drawn, axis=0)
        along = (self.places @ directions).T
        order = np.argsort(along, axis=1).astype(np.int32)
        ranked = np.take_along_axis(along, order, axis=1)
        self.depths = [projection_depths((self.vectors[k] @ directions).T, ranked, order) for k in self.posts.test]

    @property
    def open_f1(self) -> float:
        """Without protection, in the same coordinates."""
        posts = self.posts
        return macro_f1(posts.labels[posts.test], self.classifier.predict(self.means[posts.test]), len(posts.names))

    def drawn(self, epsilon: float, trial: int, sampler: Any = "exponential") -> NDArray[np.int64]:
        """A candidate for every test post."""
        law, rng = DepthLaw(epsilon=epsilon, sampler=sampler), seeded_rng(100 + trial)
        if sampler != "exponential":
            return np.array([law.draw(depths, 1, rng)[0] for depths in self.depths])
        # the same law by the largest of score and Gumbel noise: quick enough for all trials
        return np.array([(law.rate * own + rng.gumbel(size=len(own))).argmax() for own in self.depths])

    def f1(self, epsilon: float, *, rows: NDArray[np.bool_] | None = None, sampler: Any = "exponential") -> Any:
        """Mean and standard deviation over the trials; the analyst reads the candidate with the public classifier."""
        posts = self.posts
        kept = np.ones(len(posts.test), np.bool_) if rows is None else rows
        truth = posts.labels[posts.test][kept]
        trials = 1 if sampler != "exponential" else TRIALS
        found = [
            macro_f1(truth, self.said[self.drawn(epsilon, t, sampler)][kept], len(posts.names)) for t in range(trials)
        ]
        return float(np.mean(found)), float(np.std(found))

    def cosine(self, epsilon: float) -> float:
        """Between the released vector and the true mean."""
        true, seen = self.means[self.posts.test], self.places[self.drawn(epsilon, 0)]
        length = np.linalg.norm(true, axis=1) * np.linalg.norm(seen, axis=1)
        return float(((true * seen).sum(axis=1) / np.maximum(length, 1e-12)).mean())


def spaces(posts: Posts) -> dict[str, Space]:
    """The recoders, with everything learned from training posts."""
    train = np.arange(posts.train)
    owners = np.repeat(train, posts.sizes[train])
    sentences = np.concatenate(posts.vectors[: posts.train])
    clusters = public_groups(posts.means[train], 50, 0)
    topics = posts.labels[train]
    long = train[posts.sizes[train] >= LEAST][:CANDIDATES]
    few = owners < NETWORK_DOCUMENTS
    network = cluster_recoder(
        sentences[few], owners[few], clusters[:NETWORK_DOCUMENTS], 5, epochs=NETWORK_EPOCHS, width=64, hidden=3
    )
    first = train[: posts.train // 2]
    half = owners < len(first)
    apart = linear_recoder(sentences[half], owners[half], clusters[first], 5)
    return {
        "clusters, d = 5": Space(
            posts=posts, recode=linear_recoder(sentences, owners, clusters, 5), candidates=long, taught=train
        ),
        "clusters, d = 5, PyTorch network": Space(posts=posts, recode=network, candidates=long, taught=train),
        "clusters, d = 5, disjoint pools": Space(
            posts=posts, recode=apart, candidates=long[long >= len(first)], taught=first
        ),
        "classes, d = 8": Space(
            posts=posts, recode=linear_recoder(sentences, owners, topics, 8), candidates=long, taught=train
        ),
    }


def truncation(posts: Posts, vectors: list[NDArray[np.float64]], epsilon: float) -> float:
    """Clip to the central 75 % of training means, average, Laplace of scale d·w/(kε): the noisy mean is classified."""
    means = np.array([own.mean(axis=0) for own in vectors])
    low, high = np.quantile(means[: posts.train], [0.125, 0.875], axis=0)
    clipped = np.array([np.clip(own, low, high).mean(axis=0) for own in vectors])
    classifier = learn(clipped[: posts.train], posts.labels[: posts.train])
    rng, grid, size = seeded_rng(5), 2.0**20, means.shape[1]
    noise = discrete_laplace(size * grid / epsilon, len(posts.test) * size, rng=rng).reshape(-1, size) / grid
    seen = clipped[posts.test] + noise * (high - low) / posts.sizes[posts.test][:, None]
    return macro_f1(posts.labels[posts.test], classifier.predict(seen), len(posts.names))


def on_the_sphere(space: Space, kind: Callable[..., Any], epsilon: float) -> float:
    """The direction of a whole document's mean, ε between any two documents, read by a classifier of directions."""
    posts = space.posts
    units = space.means / np.linalg.norm(space.means, axis=1, keepdims=True)
    classifier = learn(units[: posts.train], posts.labels[: posts.train])
    released = kind(pure=epsilon, normalise=True).release(units[posts.test], rng=seeded_rng(6))
    return macro_f1(posts.labels[posts.test], classifier.predict(released), len(posts.names))


def topic_response(posts: Posts) -> Callable[[float], float]:
    """ε for the whole document, the class stated."""
    pool = PublicPool.of(
        [posts.texts[k] for k in range(posts.train)], topics=[posts.names[k] for k in posts.labels[: posts.train]]
    )
    first = TopicResponse(epsilon=1.0, pool=pool)
    guessed = first.classifier.posteriors([posts.texts[k] for k in posts.test]).argmax(axis=1)
    names = np.array([posts.names.index(name) for name in pool.names])

    def f1(epsilon: float) -> float:
        rng, found = seeded_rng(7), []
        truth = TopicResponse(epsilon=epsilon, pool=pool).truth
        for _ in range(TRIALS):
            other = (guessed + rng.integers(1, len(names), size=len(guessed))) % len(names)
            said = np.where(rng.random(len(guessed)) < truth, guessed, other)
            found.append(macro_f1(posts.labels[posts.test], names[said], len(names)))
        return float(np.mean(found))

    return f1


def word_by_word(posts: Posts, epsilon: float) -> float:
    """Every word replaced by one near its noisy vector, the text encoded again, read by the classifier of raw means."""
    mechanism = WordLaplace(epsilon=epsilon, vocabulary=load_glove(5000))
    rows = posts.test[:WORDS_TESTED]
    released = mechanism.release([posts.texts[k] for k in rows], rng=seeded_rng(8))
    seen = WordTableEncoder().encode(released)
    classifier = learn(posts.means[: posts.train], posts.labels[: posts.train])
    return macro_f1(posts.labels[rows], classifier.predict(seen), len(posts.names))


SPHERE = {"von Mises–Fisher": VonMisesFisher, "Purkayastha": Purkayastha}
