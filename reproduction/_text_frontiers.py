"""Frontiers of texts with the strongest attacker: SynTF beside responses with public texts, on three public sets."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from reproduction import _newsgroups as e1
from reproduction._rows import row
from sfumato.mechanism import Mechanism
from sfumato.noise import seeded_rng
from sfumato.study.study import Raw
from sfumato.text import (
    AuthorshipAttack,
    Corpus,
    LinkageAttack,
    NeighbourhoodResponse,
    PublicPool,
    ResponseMechanism,
    SynTF,
    TopicResponse,
    TopicUtility,
    Vocabulary,
    load_glove,
)
from sfumato.text.core.classifier import Learner
from sfumato.text.core.label_score import score_of
from sfumato.text.data.authored import load_c50, load_yelp
from sfumato.text.data.newsgroups import load_newsgroups, scenario_posts

EPSILONS = (1.0, 3.0, 5.0, 10.0)
LINKED = 120
TOGETHER = 10
LINKS = 5


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """One public set: what is protected, who is attacked, and the public texts by other people.

    The attacker protects each raw text ``copies`` times.
    """

    name: str
    corpus: Corpus
    attacked: np.ndarray
    pool: PublicPool
    labelled: bool = True
    copies: int = 16

    @cached_property
    def words(self) -> Vocabulary:
        """The words of the public texts, for SynTF."""
        return Vocabulary.from_texts(list(self.pool.texts), embedding=load_glove(), morphology="lemma", content=True)

    def part(self, corpus: Corpus, rows: np.ndarray) -> Corpus:
        """Some rows of a corpus."""
        besides = None if corpus.stated is None else corpus.stated[rows]
        return Corpus(
            texts=corpus.part(rows),
            authors=corpus.authors[rows],
            topics=corpus.topics[rows],
            train=corpus.train[rows],
            stated=besides,
        )


@dataclass(frozen=True)
class Point:
    """What one release keeps for the analyst, and what the strongest attackers achieve."""

    label: str
    epsilon: float
    topic: float
    author: float
    together: float
    linked: float
    bound: float


def measure(case: Frontier, label: str, mechanism: Mechanism, epsilon: float) -> Point:
    """Release once; the best analyst and the strongest attacker, with their maximum where there are several."""
    raw = isinstance(mechanism, Raw)
    law = [AuthorshipAttack(features=(), metric="f1")]
    attackers = [AuthorshipAttack(copies=case.copies, metric="f1"), *law]
    if isinstance(mechanism, ResponseMechanism):
        # a stand-in says nothing but its answer: its words, and the exact law with and without a prior, are enough
        law.append(AuthorshipAttack(features=(), prior=True, metric="f1"))
        attackers = [AuthorshipAttack(copies=10, features=("words",), metric="f1"), *law]
    if raw:
        attackers = law = [AuthorshipAttack(learns_from="raw", metric="f1")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # posts quote each other: the pool shares wording with what is protected
        release = mechanism.release(case.corpus, rng=seeded_rng(1))
        topics = [analyst(case, release) for analyst in (_learned, _stated)]
        data, seen = case.part(case.corpus, case.attacked), case.part(release, case.attacked)
        found = _most(attackers, data, seen, mechanism)
        joined = _most([replace(one, together=TOGETHER) for one in law], data, seen, mechanism)
        links = [
            LinkageAttack(candidates=LINKED)
            .attack(case.corpus, release, mechanism=None if raw else mechanism, rng=seeded_rng(k))
            .value
            for k in range(LINKS)
        ]
    bound = getattr(mechanism, "leakage", float("nan")) / LINKED
    return Point(label, epsilon, max(topics), found, joined, float(np.mean(links)), bound)


def _most(attackers: list[AuthorshipAttack], data: Corpus, seen: Corpus, mechanism: Mechanism) -> float:
    from sfumato.errors import InputError

    values = []
    for one in attackers:
        try:
            values.append(one.attack(data, seen, mechanism=mechanism, rng=seeded_rng(2)).value)
        except InputError:  # no law is known, or nobody has so many texts
            continue
    return max(values, default=float("nan"))


def spread(case: Frontier, epsilon: float) -> dict[str, list[float]]:
    """Author F1 of each attacker on several releases of a topic response: nine, and four for the one who learns."""
    attackers = {
        "the exact law": (AuthorshipAttack(features=(), metric="f1"), 9),
        "the exact law and the share of each author": (AuthorshipAttack(features=(), prior=True, metric="f1"), 9),
        "self-made releases and the law": (AuthorshipAttack(copies=10, features=("words",), metric="f1"), 4),
    }

    def made() -> dict[str, list[float]]:
        response = TopicResponse(epsilon=epsilon, pool=case.pool)
        data = case.part(case.corpus, case.attacked)
        found: dict[str, list[float]] = {name: [] for name in attackers}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for release in range(max(count for _, count in attackers.values())):
                seen = response.release(data, rng=seeded_rng(2 + release))
                for name, (attack, count) in attackers.items():
                    if release < count:
                        score = attack.attack(data, seen, mechanism=response, rng=seeded_rng(2))
                        found[name].append(round(score.value, 4))
        return found

    return row(f"releases of {case.name} at {epsilon:g}", made)


def floor(case: Frontier) -> float:
    """F1 of somebody who knows the true topic of a text and how often every author writes on it, and nothing else."""
    corpus = case.part(case.corpus, case.attacked)
    authors, topics = (np.unique(one, return_inverse=True)[1] for one in (corpus.authors, corpus.topics))
    counts = np.zeros((authors.max() + 1, topics.max() + 1))
    np.add.at(counts, (authors[corpus.train], topics[corpus.train]), 1.0)
    shares = (counts + 1e-9) / (counts + 1e-9).sum(axis=1, keepdims=True)
    test = corpus.test
    guesses = [table[:, topics[test]].argmax(axis=0) for table in (shares, counts)]
    return max(score_of(authors[test], guess, "f1").value for guess in guesses)


def _learned(case: Frontier, release: Corpus) -> float:
    """An analyst who learns from the releases, naive Bayes or SVM."""
    topics, test = case.corpus.topics, case.corpus.test
    guesses = [
        TopicUtility(learner=one).guess(case.corpus, release, topics, seeded_rng(0)) for one in get_args(Learner)
    ]
    return max(score_of(topics[test], guess, "f1").value for guess in guesses)


def _stated(case: Frontier, release: Corpus) -> float:
    """An analyst who takes a stated topic at its word."""
    if release.stated is None:
        return 0.0
    return score_of(case.corpus.topics[case.corpus.test], release.stated[case.corpus.test], "f1").value


def newsgroups() -> Frontier:
    """4 775 posts of the authors with at least ten; the ten most prolific are attacked."""
    everything = [post for post in load_newsgroups() if post.text.strip()]
    written = Counter(post.author for post in everything if post.author)
    own = [post for post in everything if post.author and written[post.author] >= 10]
    top = {post.author for post in scenario_posts("Top10/Any", everything)}
    texts = {post.text for post in own}
    public = [p for p in everything if p.train and written.get(p.author or "", 0) < 10 and p.text not in texts]
    corpus = Corpus(
        texts=[post.text for post in own],
        authors=[str(post.author) for post in own],
        topics=[post.group for post in own],
        train=[post.train for post in own],
    )
    pool = PublicPool.of(
        [p.text for p in public], topics=[p.group for p in public], source="training posts by other people"
    )
    attacked = np.array([post.author in top for post in own])
    return Frontier(name="20 Newsgroups", corpus=corpus, attacked=attacked, pool=pool)


def yelp() -> Frontier:
    """The reviews of the users with at least ten; good or bad is the topic."""
    everything = [one for one in load_yelp() if one.text.strip()]
    written = Counter(one.author for one in everything)
    own = [one for one in everything if written[one.author] >= 10]
    public = [one for one in everything if written[one.author] < 10]
    corpus = Corpus(
        texts=[one.text for one in own],
        authors=[one.author for one in own],
        topics=[one.mood for one in own],
        train=[one.train for one in own],
    )
    pool = PublicPool.of([o.text for o in public], topics=[o.mood for o in public], source="reviews by other users")
    return Frontier(name="Yelp", corpus=corpus, attacked=np.ones(len(own), bool), pool=pool, copies=4)


def c50() -> Frontier:
    """Articles of ten authors; the topic is the nearest of ten clusters of the articles by the forty others."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    everything = load_c50()
    names = sorted({one.author for one in everything})
    own = [one for one in everything if one.author in names[:10]]
    pool = PublicPool.of([one.text for one in everything if one.author in names[10:]], source="articles by others")
    vectoriser = TfidfVectorizer(stop_words="english", min_df=2, sublinear_tf=True).fit(pool.texts)
    space = TruncatedSVD(100, random_state=0).fit(vectoriser.transform(pool.texts))
    clusters = KMeans(10, n_init=4, random_state=0).fit(normalize(space.transform(vectoriser.transform(pool.texts))))
    found = clusters.predict(normalize(space.transform(vectoriser.transform([one.text for one in own]))))
    corpus = Corpus(
        texts=[one.text for one in own],
        authors=[one.author for one in own],
        topics=[str(k) for k in found],
        train=[one.train for one in own],
    )
    everybody = np.ones(len(own), bool)
    return Frontier(name="Reuters C50", corpus=corpus, attacked=everybody, pool=pool, labelled=False, copies=8)


def points(case: Frontier, *, epsilons: Sequence[float] = EPSILONS) -> list[Point]:
    """Raw texts, SynTF at the dissertation's choice, and a response at each ε."""
    kind: Any = TopicResponse if case.labelled else NeighbourhoodResponse
    label = "topic response" if case.labelled else "neighbourhood response"
    first = kind(epsilon=epsilons[0], pool=case.pool)

    def syntf() -> Point:
        choice = e1.Setting()
        options: Any = {"spelling": choice.spelling, "morphology": choice.morphology, "vocabulary": case.words}
        made = SynTF(epsilon=choice.epsilon, length=choice.length, **options)
        return measure(case, "SynTF", made, made.length * made.law.loss)

    def response(epsilon: float) -> Point:
        made = kind(epsilon=epsilon, pool=case.pool)
        if case.labelled:
            made.__dict__["classifier"] = first.classifier  # learned from the same pool: once is enough
        return measure(case, label, made, epsilon)

    found = [
        row(f"{case.name} raw texts", lambda: asdict(measure(case, "raw texts", Raw(), float("inf")))),
        row(f"{case.name} SynTF", lambda: asdict(syntf())),
        *(row(f"{case.name} {label} {one:g}", lambda one=one: asdict(response(one))) for one in epsilons),
    ]
    return [Point(**one) for one in found]


def people(case: Frontier, *, epsilons: Sequence[float] = EPSILONS) -> list[str]:
    """One answer for all texts of an author beside other ways to spend the same ε, as Markdown."""
    made = row(f"people of {case.name}", lambda: _people(case, epsilons))
    lines = [
        f"**Per author** ({made['authors']} authors, median {made['median']:g} texts): how often the release names the "
        f"topic on which an author wrote most, for ε per *author*. Without privacy: {made['open']:.3f} (addenda: "
        ".894).",
        "",
        "| ε per author | every text at its share of ε | one text at random | one answer for the mean | addenda |",
        "|---|---|---|---|---|",
    ]
    printed = {1.0: ".05 / .10 / .13", 3.0: ".06 / .35 / .48", 5.0: ".08 / .60 / .80", 10.0: ".13 / .67 / .89"}
    for epsilon, values in zip(epsilons, made["rows"], strict=True):
        lines.append(f"| {epsilon:g} | " + " | ".join(f"{v:.2f}" for v in values) + f" | {printed[epsilon]} |")
    return lines


def _people(case: Frontier, epsilons: Sequence[float]) -> dict[str, Any]:
    """Shares of authors whose main topic is named; the first way over 20 draws, the others by their exact law."""
    first = TopicResponse(epsilon=epsilons[0], pool=case.pool)
    named = first.classifier.posteriors(case.corpus.texts)
    topics = np.array([case.pool.names.index(str(topic)) for topic in case.corpus.topics])
    owned = [np.flatnonzero(case.corpus.authors == author) for author in np.unique(case.corpus.authors)]
    main = np.array([np.bincount(topics[rows]).argmax() for rows in owned])
    mean = np.array([named[rows].mean(axis=0).argmax() for rows in owned]) == main
    single = np.array([(named[rows].argmax(axis=1) == own).mean() for rows, own in zip(owned, main, strict=True)])
    others = first.answers - 1
    rng = seeded_rng(3)
    found = []
    for epsilon in epsilons:
        truth = TopicResponse(epsilon=epsilon, pool=case.pool).truth
        split = [_split(named[rows].argmax(axis=1), epsilon / len(rows), others, rng) for rows in owned]
        every = np.mean([(guesses == own).mean() for guesses, own in zip(split, main, strict=True)])
        found.append(
            [float(every), *(float((s * truth + (1 - s) * (1 - truth) / others).mean()) for s in (single, mean))]
        )
    median = float(np.median([len(rows) for rows in owned]))
    return {"authors": len(owned), "median": median, "open": float(mean.mean()), "rows": found}


def _split(named: NDArray[np.int64], epsilon: float, others: int, rng: Any) -> NDArray[np.int64]:
    """The topic that most answers state when every text is answered with its share of ε, in 20 draws."""
    truth = 1 / (1 + others * np.exp(-epsilon))
    shift = rng.integers(1, others + 1, size=(20, len(named)))
    answers = np.where(rng.random((20, len(named))) < truth, named, (named + shift) % (others + 1))
    return np.array([np.bincount(draw).argmax() for draw in answers])


def table(case: Frontier, found: list[Point]) -> list[str]:
    """The points as Markdown."""
    lines = [
        f"| release | ε per document | topic F1 | author F1 | {TOGETHER} texts together | link of {LINKED} (bound) |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        shown = "–" if one.epsilon == float("inf") else f"{one.epsilon:,.0f}".replace(",", " ")
        bound = "" if one.bound != one.bound else f" ({min(1.0, one.bound):.3f})"
        joined = "–" if one.together != one.together else f"{one.together:.2f}"
        lines.append(
            f"| {one.label} | {shown} | {one.topic:.3f} | {one.author:.3f} | {joined} | {one.linked:.3f}{bound} |"
        )
    return lines
