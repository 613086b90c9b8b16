"""What is left of rewritten texts, and who is still named: analysts and attackers of the frontier of rewriting."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from sfumato.noise import seeded_rng
from sfumato.text import (
    AuthorshipAttack,
    CodeResponse,
    CodeVae,
    Corpus,
    MeteorUtility,
    PerplexityUtility,
    SentenceUtility,
)
from sfumato.text.core.protected_copies import protected_copies

COPIES = 2
"""Self-made releases of each training text that analyst and attackers learn from."""
STRENGTHS = (10.0, 0.1)
"""How free a reader may be: the inverse weight of the penalty."""
LOOKED_AT = 60
"""Test texts whose words, sentences and fluency are compared with the original's."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One design at one level on one split."""

    design: str
    epsilon: float | None
    delta: float
    bits: float | None
    mood: float
    mood_static: float
    mood_accuracy: float
    mood_accuracy_static: float
    mood_majority: float
    mood_code: float | None
    author: float
    author_static: float
    author_mcc: float
    author_mcc_static: float
    author_balanced: float
    code_author: float | None
    code_balanced: float | None
    majority: float
    people: int
    tested: int
    meteor: float
    cosine: float
    perplexity: float
    seconds: float


def judged(name: str, mechanism: Any, data: Corpus) -> Row:
    """Release, attack and measure."""
    started, rng = time.process_time(), seeded_rng(1)
    released = data
    learn, rows = data.part(data.train), np.arange(int(data.train.sum()))
    if mechanism is not None:  # the training part of the release is the first copy: one draw is as good as another
        learn, rows = protected_copies(mechanism, learn, rows, COPIES, rng)
        texts = np.array(data.texts, object)
        texts[data.train] = learn[: int(data.train.sum())]
        texts[data.test] = list(mechanism.release(data.part(data.test), rng=rng))
        released = data.with_texts(texts.tolist())
    see, raw = released.part(data.test), data.part(data.train)
    moods, authors = data.moods, data.authors
    truth, felt = authors[data.test], moods[data.test]
    likely, alike = _readers(learn, see, rows)
    mood, guesses = likely(moods[data.train][rows]), [one(authors[data.train][rows]) for one in (likely, alike)]
    mood_static, static = mood, guesses[0]
    accuracies = [float((guess == truth).mean()) for guess in guesses]
    if mechanism is not None:  # who has labelled releases, and whoever knows the law where there is one
        before, _ = _readers(raw, see, np.arange(len(raw)))
        mood_static, static = before(moods[data.train]), before(authors[data.train])
        releases = AuthorshipAttack(learns_from="releases", features=("words",))
        law = AuthorshipAttack(features=(), prior=True)
        tried = [releases, law] if isinstance(mechanism, CodeResponse) else [releases]
        accuracies += [one.attack(data, released, mechanism=mechanism, rng=seeded_rng(2)).value for one in tried]
    promise = getattr(mechanism, "guarantee", None)
    told = None if promise is None or promise.vacuous else promise
    code_author, code_balanced, mood_code = code_attack(mechanism, data)
    meteor, cosine, perplexity = (
        float(utility.measure(*_few(data, released, known)).value)
        for utility, known in ((MeteorUtility(), 1), (SentenceUtility(), 1), (PerplexityUtility(), 800))
    )
    return Row(
        design=name,
        epsilon=None if told is None else float(told.epsilon),
        delta=float(getattr(told, "delta", 0.0)),
        bits=getattr(mechanism, "bits", None) if told is not None else None,
        mood=float(matthews_corrcoef(felt, mood)),
        mood_static=float(matthews_corrcoef(felt, mood_static)),
        mood_accuracy=float((mood == felt).mean()),
        mood_accuracy_static=float((mood_static == felt).mean()),
        mood_majority=float(np.unique(felt, return_counts=True)[1].max() / len(felt)),
        mood_code=mood_code,
        author=max(accuracies),
        author_static=float((static == truth).mean()),
        author_mcc=float(max(matthews_corrcoef(truth, guess) for guess in guesses)),
        author_mcc_static=float(matthews_corrcoef(truth, static)),
        author_balanced=float(max(balanced_accuracy_score(truth, guess) for guess in guesses)),
        code_author=code_author,
        code_balanced=code_balanced,
        majority=float(np.unique(truth, return_counts=True)[1].max() / len(truth)),
        people=len(set(authors.tolist())),
        tested=len(truth),
        meteor=meteor,
        cosine=cosine,
        perplexity=perplexity,
        seconds=time.process_time() - started,
    )


def _few(data: Corpus, released: Corpus, known: int) -> tuple[Corpus, Corpus]:
    """A few test texts and ``known`` training texts, before and after."""
    rows = np.flatnonzero(data.train)[:known].tolist()
    known = len(rows)
    rows += np.flatnonzero(data.test)[:LOOKED_AT].tolist()
    labels = {name: getattr(data, name)[rows] for name in ("authors", "topics", "moods")}
    first = Corpus(texts=[data.texts[k] for k in rows], train=np.arange(len(rows)) < known, **labels)
    return first, first.with_texts([released.texts[k] for k in rows])


def _readers(learn: list[str], see: list[str], owners: np.ndarray) -> tuple[Any, Any]:
    """Learners of labels from words and pairs: one that prefers common labels, one to which all are alike.

    How much they are held back is decided on a third of the texts (``owners``: copies of a text stay together): from a
    release that shows little, a free one learns the noise of the labels by heart.
    """
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, max_features=10_000)
    points, shown = words.fit_transform(learn), words.transform(see)
    held = owners % 3 == 2

    def reader(weight: str | None) -> Any:
        def model(strength: float) -> Any:
            return LogisticRegression(C=strength, tol=1e-4, max_iter=300, class_weight=weight)

        def right(strength: float, labels: np.ndarray) -> float:
            tried = model(strength).fit(points[~held], labels[~held]).predict(points[held])
            return float(matthews_corrcoef(labels[held], tried))

        def named(labels: np.ndarray) -> np.ndarray:
            best = max(STRENGTHS, key=lambda strength: right(strength, labels))
            return model(best).fit(points, labels).predict(shown)

        return named

    return reader(None), reader("balanced")


def code_attack(mechanism: Any, data: Corpus) -> tuple[float | None, float | None, float | None]:
    """Of whoever sees the private code and knows its exact law: accuracy, balanced accuracy, sentiment MCC."""
    if isinstance(mechanism, CodeVae):
        codes, truth, other = mechanism.model.codes(list(data.texts)), mechanism.truth, mechanism.response.other
        count, labels = mechanism.model.design.codes, mechanism.model.design.labels
    elif isinstance(mechanism, CodeResponse):
        codes, truth, count = mechanism.codes(list(data.texts)), mechanism.truth, mechanism.answers
        other, labels = (1 - truth) / (count - 1), mechanism.pool.names
    else:
        return None, None, None
    names, owners = np.unique(data.authors, return_inverse=True)
    table = np.zeros((count, len(names)))
    np.add.at(table, (codes[data.train], owners[data.train]), 1.0)
    law = other * table.sum(axis=0) + (truth - other) * table  # how often each author's texts give each code
    tested, who = codes[data.test], owners[data.test]
    chance = np.full((len(tested), count), other)
    chance[np.arange(len(tested)), tested] = truth
    right = [
        (chance * (best[None] == who[:, None])).sum(axis=1)
        for best in (law.argmax(axis=1), (law / law.sum(axis=0)).argmax(axis=1))
    ]
    balanced = float(np.mean([right[1][who == k].mean() for k in range(len(names))]))
    rng, felt = seeded_rng(4), data.moods[data.test]
    moods = []
    for _ in range(20):
        moved = (tested + rng.integers(1, count, len(tested))) % count
        drawn = np.where(rng.random(len(tested)) < truth, tested, moved)
        moods.append(matthews_corrcoef(felt, np.array(labels)[drawn // (count // len(labels))]))
    return float(right[0].mean()), balanced, float(np.mean(moods))
