"""20 Newsgroups in nine classes and IMDb reviews: macro-F1 of what a private retrieval releases, beside baselines.

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
from sfumato.text.data.newsgroups import load_newsgroups, merged_class
from sfumato.text.mechanisms.responses.response_law import ResponseLaw
from sfumato.text.mechanisms.retrieve.cluster_recoder import cluster_recoder
from sfumato.text.mechanisms.retrieve.deep_candidate import usual_deepest
from sfumato.text.mechanisms.retrieve.depth import projection_depths
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw
from sfumato.text.mechanisms.retrieve.film_reviews import film_reviews_pool
from sfumato.text.mechanisms.retrieve.recoder_network import Recoder, linear_recoder, public_groups

EPSILONS = (1.0, 3.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0)
BUCKETS = ((2, 4), (5, 9), (10, 14), (15, 24), (25, 50))
TRIALS = 3
MOST, LEAST, CANDIDATES, PROJECTIONS, TESTED = 50, 8, 5000, 100, 600
NETWORK_DOCUMENTS, NETWORK_EPOCHS, WORDS_TESTED, RELEASED = 2500, 8, 300, 1000
HELD = 120
"""Texts among which the attacker looks for the right one."""


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
        """By-date train posts of 20 Newsgroups."""
        found = []
        for post in load_newsgroups():
            if post.train:
                found.append((post.text, merged_class(post.group)))
        return cls.of(found)

    @classmethod
    def reviews(cls, count: int) -> Posts:
        """IMDb reviews, half of them positive."""
        pool = film_reviews_pool(count, least=2)
        return cls.of(list(zip(pool.texts, pool.topics or (), strict=True)))

    @classmethod
    def of(cls, given: list[tuple[str, str]]) -> Posts:
        """Those with two sentences or more, 60/20/20 at random."""
        names = sorted({label for _, label in given})
        encoder, found = WordTableEncoder(), []
        for text, label in given:
            sentences = split_sentences(text)[:MOST]
            if len(sentences) >= 2:
                found.append((text, sentences, names.index(label)))
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
        self.directions = drawn / np.linalg.norm(drawn, axis=0)
        along = (self.places @ self.directions).T
        self.order = np.argsort(along, axis=1).astype(np.int32)
        self.ranked = np.take_along_axis(along, self.order, axis=1)
        self.depths = [self.depths_of(self.vectors[k]) for k in self.posts.test]

    def depths_of(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        """Of every candidate among the sentences of one document."""
        found: NDArray[np.int32] = projection_depths((points @ self.directions).T, self.ranked, self.order)
        return found

    @property
    def open_f1(self) -> float:
        """Without protection, in the same coordinates."""
        posts = self.posts
        return macro_f1(posts.labels[posts.test], self.classifier.predict(self.means[posts.test]), len(posts.names))

    def drawn(self, epsilon: float, trial: int, sampler: Any = "exponential") -> NDArray[np.int64]:
        """A candidate for every test post; ``sampler="document"`` is the law of ε for whole documents."""
        rng = seeded_rng(100 + trial)
        if sampler == "document":
            law = self.response(epsilon)
            return np.array([law.draw(own[None], rng)[0] for own in self.favoured(epsilon)])
        law = DepthLaw(epsilon=epsilon, sampler=sampler)
        if sampler != "exponential":
            return np.array([law.draw(depths, 1, rng)[0] for depths in self.depths])
        return self.gumbel(self.depths, law.rate, rng)

    @staticmethod
    def gumbel(depths: list[NDArray[np.int32]], rate: float, rng: Any) -> NDArray[np.int64]:
        """The exponential law by the largest of score and Gumbel noise: quick enough for all trials."""
        return np.array([(rate * own + rng.gumbel(size=len(own))).argmax() for own in depths])

    def response(self, epsilon: float) -> ResponseLaw:
        size = len(self.candidates)
        return ResponseLaw(epsilon=epsilon, answers=size, favoured=usual_deepest(epsilon, size))

    def favoured(self, epsilon: float, documents: Any = None) -> list[NDArray[np.int64]]:
        """The deepest candidates of each test post, or of other documents, as ``DeepCandidate`` takes them."""
        if documents is None:
            documents = [(own, self.vectors[k]) for own, k in zip(self.depths, self.posts.test, strict=True)]
        count = self.response(epsilon).favoured
        found = []
        for depths, points in documents:
            apart = ((self.places - points.mean(axis=0)) ** 2).sum(axis=1)
            found.append(np.sort(np.lexsort((apart, -depths))[:count]))
        return found

    def log_law(self, epsilon: float, unit: str, depths: NDArray[np.int32], points: Any) -> NDArray[np.float64]:
        """ln of the chance of each candidate, for one document."""
        if unit == "sentence":
            return DepthLaw(epsilon=epsilon).log_probs(depths)
        fits = np.zeros(len(depths), np.bool_)
        fits[self.favoured(epsilon, [(depths, points)])[0]] = True
        return self.response(epsilon).log_probs(fits)

    def linked(self, epsilon: float, unit: str) -> float:
        """How often whoever holds 120 texts names the one behind a release, by its likelihood."""
        rows = range(HELD)
        laws = np.array([self.log_law(epsilon, unit, self.depths[k], self.vectors[self.posts.test[k]]) for k in rows])
        hits = []
        for trial in range(TRIALS):
            seen = self.drawn(epsilon, trial, "document" if unit == "document" else "exponential")[:HELD]
            fit = laws[:, seen]
            best = fit >= fit.max(axis=0) - 1e-9
            hits.append((best.diagonal() / best.sum(axis=0)).mean())
        return float(np.mean(hits))

    def membership(self, epsilon: float, unit: str) -> float:
        """How often a sentence is told from one of another post, all others being known."""
        rng, hits = seeded_rng(11), []
        drawn = self.drawn(epsilon, 0, "document" if unit == "document" else "exponential")
        for k in range(HELD):
            own = self.vectors[self.posts.test[k]]
            other = self.vectors[self.posts.test[(k + 1) % HELD]]
            changed = own.copy()
            changed[int(rng.integers(len(own)))] = other[int(rng.integers(len(other)))]
            true = self.log_law(epsilon, unit, self.depths[k], own)[drawn[k]]
            false = self.log_law(epsilon, unit, self.depths_of(changed), changed)[drawn[k]]
            hits.append(0.5 if abs(true - false) < 1e-9 else float(true > false))
        return float(np.mean(hits))

    def adaptive_f1(self, epsilon: float) -> float:
        """The analyst learns from releases of training posts, by their vectors, with the true labels."""
        posts, rng, law = self.posts, seeded_rng(12), DepthLaw(epsilon=epsilon)
        train = np.arange(RELEASED)
        known = self.places[self.gumbel([self.depths_of(self.vectors[k]) for k in train], law.rate, rng)]
        seen = self.places[self.drawn(epsilon, 0)]
        guess = learn(known, posts.labels[train]).predict(seen)
        return macro_f1(posts.labels[posts.test], guess, len(posts.names))

    def f1(self, epsilon: float, *, rows: NDArray[np.bool_] | None = None, sampler: Any = "exponential") -> Any:
        """Mean and standard deviation over the trials; the analyst reads the candidate with the public classifier."""
        posts = self.posts
        kept = np.ones(len(posts.test), np.bool_) if rows is None else rows
        truth = posts.labels[posts.test][kept]
        trials = 1 if sampler == "permute-and-flip" else TRIALS
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


def truncation(posts: Posts, vectors: list[NDArray[np.float64]]) -> Callable[..., float]:
    """Clip to the central 75 % of training means, average, Laplace of scale d·w/(kε): the noisy mean is classified."""
    means = np.array([own.mean(axis=0) for own in vectors])
    low, high = np.quantile(means[: posts.train], [0.125, 0.875], axis=0)
    clipped = np.array([np.clip(own, low, high).mean(axis=0) for own in vectors])
    classifier = learn(clipped[: posts.train], posts.labels[: posts.train])
    grid, size = 2.0**20, means.shape[1]

    def f1(epsilon: float, rows: NDArray[np.bool_] | None = None) -> float:
        kept = np.ones(len(posts.test), np.bool_) if rows is None else rows
        noise = discrete_laplace(size * grid / epsilon, len(posts.test) * size, rng=seeded_rng(5)).reshape(-1, size)
        seen = clipped[posts.test] + noise / grid * (high - low) / posts.sizes[posts.test][:, None]
        return macro_f1(posts.labels[posts.test][kept], classifier.predict(seen[kept]), len(posts.names))

    return f1


def on_the_sphere(space: Space, kind: Callable[..., Any], epsilons: tuple[float, ...]) -> list[float | None]:
    """The direction of a whole document's mean, ε between any two documents, read by a classifier of directions."""
    posts = space.posts
    units = space.means / np.linalg.norm(space.means, axis=1, keepdims=True)
    classifier = learn(units[: posts.train], posts.labels[: posts.train])
    found: list[float | None] = []
    for epsilon in epsilons:
        released = kind(pure=epsilon, normalise=True).release(units[posts.test], rng=seeded_rng(6))
        found.append(macro_f1(posts.labels[posts.test], classifier.predict(released), len(posts.names)))
    return found


def topic_response(posts: Posts) -> Callable[..., float]:
    """ε for the whole document, the class stated; of all test posts or of some."""
    pool = PublicPool.of(
        [posts.texts[k] for k in range(posts.train)], topics=[posts.names[k] for k in posts.labels[: posts.train]]
    )
    first = TopicResponse(epsilon=1.0, pool=pool)
    guessed = first.classifier.posteriors([posts.texts[k] for k in posts.test]).argmax(axis=1)
    names = np.array([posts.names.index(name) for name in pool.names])

    def f1(epsilon: float, rows: NDArray[np.bool_] | None = None) -> float:
        rng, found = seeded_rng(7), []
        kept = np.ones(len(guessed), np.bool_) if rows is None else rows
        truth = TopicResponse(epsilon=epsilon, pool=pool).truth
        for _ in range(TRIALS):
            other = (guessed + rng.integers(1, len(names), size=len(guessed))) % len(names)
            said = np.where(rng.random(len(guessed)) < truth, guessed, other)
            found.append(macro_f1(posts.labels[posts.test][kept], names[said][kept], len(names)))
        return float(np.mean(found))

    return f1


def word_by_word(posts: Posts, classifier: Any, epsilon: float) -> NDArray[np.int64]:
    """Every word replaced by one near its noisy vector, the text encoded again, read by the classifier of raw means.

    What the analyst says of each of the first test posts.
    """
    mechanism = WordLaplace(epsilon=epsilon, vocabulary=load_glove(5000))
    rows = posts.test[:WORDS_TESTED]
    released = mechanism.release([posts.texts[k] for k in rows], rng=seeded_rng(8))
    seen = WordTableEncoder().encode(released)
    said: NDArray[np.int64] = classifier.predict(seen)
    return said


SPHERE = {"von Mises–Fisher": VonMisesFisher, "Purkayastha": Purkayastha}
