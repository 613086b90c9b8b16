"""E1 of Weggenmann §5.3 on 20 Newsgroups: what analyst and attacker keep, for every setting of the grid.

The full grid has 810 settings. Each is run once; the best, and all that differ from the dissertation's choice in one
parameter, are then run ten times with other seeds. What makes this quick: words are drawn independently, so one draw of
200 words serves n = 100, 150 and 200 and all four scenarios; laws of any ε share the best replacements of a rating; and
stylometric features of a bag are sums over its words.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import seeded_rng
from sfumato.study.console import progress_bar
from sfumato.text import CosineRating, SynTF, Vectoriser, Vocabulary, load_glove, writeprints
from sfumato.text.core.classifier import Learner, classifier
from sfumato.text.core.stylometry import BagStylometry
from sfumato.text.core.text_features import CONTENT_WORDS
from sfumato.text.data.newsgroups import SCENARIOS, Post, load_newsgroups, scenario_posts

Pair = tuple[Learner, Learner]
"""What the analyst learns with, and what the attacker."""
REPEATS = 10
LENGTHS = (100, 150, 200)


@dataclass(frozen=True, order=True)
class Setting:
    """One point of the grid; the defaults are the dissertation's choice."""

    morphology: str = "lemma"
    synsets: bool = False
    spelling: float = 0.3
    length: int = 150
    epsilon: float = 47.5


GRID: dict[str, tuple[Any, ...]] = {
    "morphology": ("lemma", "lower", "orth"),
    "synsets": (False, True),
    "spelling": (0.0, 0.1, 0.2, 0.3, 0.4),
    "length": LENGTHS,
    "epsilon": tuple(float(e) for e in np.arange(35.0, 55.1, 2.5)),
}


def whole_grid() -> list[Setting]:
    return [Setting(*values) for values in itertools.product(*GRID.values())]


def neighbours(setting: Setting) -> list[Setting]:
    """The setting and all that differ from it in one parameter."""
    return sorted({replace(setting, **{name: value}) for name, values in GRID.items() for value in values})


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1, weighted by class size and as the mean over classes: shape (2, 3)."""

    utility: NDArray[np.float64]
    attack: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scenario:
    """The posts of one scenario by their place in the corpus, as numbers of authors and groups."""

    name: str
    rows: NDArray[np.int64]
    authors: NDArray[np.int64]
    groups: NDArray[np.int64]
    train: NDArray[np.bool_]

    def scores(
        self, counts: Any, prints: NDArray[np.float64], *, content: bool = True, pair: Pair = ("bayes", "svm")
    ) -> Scores:
        """Of an analyst with word counts and an attacker with stylometry, and with content words unless told not to."""
        from sklearn.feature_extraction.text import TfidfTransformer

        counts, prints, train = counts[self.rows], prints[self.rows], self.train
        if content:
            common = np.argsort(-np.asarray(counts[train].sum(axis=0)).ravel(), kind="stable")[:CONTENT_WORDS]
            shares = counts[:, common].toarray() / np.maximum(1, np.asarray(counts.sum(axis=1)))
            prints = np.hstack([prints, shares])
        weights = TfidfTransformer().fit(counts[train])
        learner = classifier(pair[0], seeded_rng(0)).fit(weights.transform(counts[train]), self.groups[train])
        found = learner.predict(weights.transform(counts[~train]))
        if pair[1] == "svm":
            named = linear_svm(prints[train], self.authors[train], prints[~train])
        else:
            attacker = classifier(pair[1], seeded_rng(0), dense=True).fit(prints[train], self.authors[train])
            named = attacker.predict(prints[~train])
        return Scores(averages(self.groups[~train], found), averages(self.authors[~train], named))


def linear_svm(learn: NDArray[np.float64], labels: NDArray[np.int64], see: NDArray[np.float64]) -> NDArray[np.int64]:
    """What the linear SVM of ``AuthorshipAttack`` says, by inner products: with few texts a third of the time."""
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.svm import SVC

    scale = MinMaxScaler(clip=True).fit(learn)
    known = scale.transform(learn)
    machine = SVC(kernel="precomputed", C=1.0).fit(known @ known.T, labels)
    return np.asarray(machine.predict(scale.transform(see) @ known.T))


def averages(truth: NDArray[np.int64], guess: NDArray[np.int64]) -> NDArray[np.float64]:
    """Precision, recall and F1 over the classes of ``truth``: weighted by their size, and plain means."""
    size = int(max(truth.max(), guess.max())) + 1
    table = np.bincount(truth * size + guess, minlength=size * size).reshape(size, size)
    hits, real, named = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    precision = hits / np.maximum(named, 1)
    recall = hits / np.maximum(real, 1)
    f1 = 2 * hits / np.maximum(real + named, 1)
    kinds = real > 0
    each = np.stack([precision, recall, f1])[:, kinds]
    return np.stack([each @ real[kinds] / real.sum(), each.mean(axis=1)])


@dataclass(frozen=True, eq=False)
class Corpora:
    """The posts of all scenarios together, and public posts by other people for the vocabulary."""

    posts: list[Post]
    public: list[str]
    scenarios: list[Scenario]

    @cached_property
    def texts(self) -> list[str]:
        return [post.text for post in self.posts]

    @cached_property
    def glove(self) -> Vocabulary:
        return load_glove()

    def vocabulary(self, morphology: str, synsets: bool) -> Vocabulary:
        """Words of other people's training posts that occur twice and have a vector."""
        words = Vocabulary.from_texts(self.public, embedding=self.glove, morphology=morphology, content=True)
        return words.with_synonyms(self.glove) if synsets else words

    @cached_property
    def raw(self) -> list[Scores]:
        """On the original posts."""
        return self.plain(self.texts)

    def plain(self, texts: list[str], *, content: bool = True, pair: Pair = ("bayes", "svm")) -> list[Scores]:
        """On texts as they stand."""
        from sklearn.feature_extraction.text import CountVectorizer

        counts = CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
        prints = writeprints(texts)
        return [scenario.scores(counts, prints, content=content, pair=pair) for scenario in self.scenarios]


@lru_cache(maxsize=1)
def corpora() -> Corpora:
    everything = load_newsgroups()
    chosen = {name: scenario_posts(name, everything) for name in SCENARIOS}
    places: dict[int, int] = {}
    posts: list[Post] = []
    for own in chosen.values():
        for post in own:
            if id(post) not in places:
                places[id(post)] = len(posts)
                posts.append(post)
    people, protected = {post.author for post in posts}, {post.text for post in posts}
    public = [p.text for p in everything if p.train and p.author not in people and p.text not in protected]
    scenarios = [
        Scenario(
            name,
            np.array([places[id(post)] for post in own]),
            np.unique([str(post.author) for post in own], return_inverse=True)[1],
            np.unique([post.group for post in own], return_inverse=True)[1],
            np.array([post.train for post in own]),
        )
        for name, own in chosen.items()
    ]
    return Corpora(posts, public, scenarios)


def run(
    settings: Iterable[Setting], seeds: Iterable[int], *, content: bool = True, pair: Pair = ("bayes", "svm")
) -> dict[Setting, list[list[Scores]]]:
    """The scores of each setting, by seed and scenario."""
    seeds = list(seeds)
    groups: defaultdict[tuple[str, bool], list[Setting]] = defaultdict(list)
    for setting in sorted(set(settings)):
        groups[setting.morphology, setting.synsets].append(setting)
    scores: dict[Setting, list[list[Scores]]] = {}
    with progress_bar("settings of E1", sum(map(len, groups.values()))) as advance:
        for (morphology, synsets), members in groups.items():
            for setting, found in _run_vocabulary(morphology, synsets, members, seeds, content, pair):
                scores[setting] = found
                advance(1)
    return scores


def _run_vocabulary(
    morphology: str, synsets: bool, settings: list[Setting], seeds: list[int], content: bool, pair: Pair
) -> Iterator[tuple[Setting, list[list[Scores]]]]:
    own = corpora()
    words = own.vocabulary(morphology, synsets)
    styles = BagStylometry(tuple(words.words))
    flat, sizes = Vectoriser(vocabulary=words, morphology=morphology).places(own.texts)  # type: ignore[arg-type]
    documents = np.split(flat, np.cumsum(sizes)[:-1])
    for spelling in sorted({setting.spelling for setting in settings}):
        rating = CosineRating(vocabulary=words, spelling=spelling)
        for epsilon in GRID["epsilon"]:
            here = [one for one in settings if (one.spelling, one.epsilon) == (spelling, epsilon)]
            if not here:
                continue
            syntf = SynTF(epsilon=epsilon, length=max(LENGTHS), vocabulary=words, rating=rating)
            found: dict[Setting, list[list[Scores]]] = {setting: [] for setting in here}
            for seed in seeds:
                drawn = syntf.draw_ids(documents, rng=seeded_rng(seed))
                for setting in here:
                    counts = _counts(drawn[:, : setting.length], len(words))
                    prints = styles.writeprints(counts)
                    found[setting].append(
                        [one.scores(counts, prints, content=content, pair=pair) for one in own.scenarios]
                    )
            yield from found.items()


def _counts(drawn: NDArray[np.int64], size: int) -> Any:
    from scipy.sparse import csr_matrix

    starts = np.arange(0, drawn.size + 1, drawn.shape[1])
    matrix = csr_matrix((np.ones(drawn.size), np.sort(drawn, axis=1).ravel(), starts), shape=(len(drawn), size))
    matrix.sum_duplicates()
    return matrix


def vectorised(setting: Setting, *, content: bool = True, pair: Pair = ("bayes", "svm")) -> list[Scores]:
    """The posts as plain word counts over the vocabulary, without SynTF."""
    own = corpora()
    words = own.vocabulary(setting.morphology, setting.synsets)
    counts = Vectoriser(vocabulary=words, morphology=setting.morphology).counts(own.texts)  # type: ignore[arg-type]
    prints = BagStylometry(tuple(words.words)).writeprints(counts)
    return [scenario.scores(counts, prints, content=content, pair=pair) for scenario in own.scenarios]


def kept(found: list[list[Scores]], *, raw: list[Scores] | None = None) -> NDArray[np.float64]:
    """β of analyst and attacker: mean weighted F1 over that on the original posts, shape (scenarios, 2)."""
    whole = np.array([[one.utility[0, 2], one.attack[0, 2]] for one in raw or corpora().raw])
    mean = np.mean([[[one.utility[0, 2], one.attack[0, 2]] for one in seed] for seed in found], axis=0)
    return np.asarray(mean / whole)
