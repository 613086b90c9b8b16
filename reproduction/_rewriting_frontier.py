"""Rows of the frontier of rewriting: each is trained, released, attacked and measured once, and kept in a file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef

from sfumato.noise import seeded_rng
from sfumato.text import (
    AuthorshipAttack,
    AverageAae,
    CodeResponse,
    CodeVae,
    Corpus,
    DpAae,
    DpVae,
    PlainVae,
    PublicPool,
    RewritingDesign,
    RewritingModel,
    Tokeniser,
    TrainingPlan,
    train_rewriter,
)
from sfumato.text.core.protected_copies import protected_copies

STEPS = Path(os.environ.get("SFUMATO_STEPS", "out/rewriting"))
"""Where checkpoints and finished rows are kept; a second run goes on from them."""
MINUTES = float(os.environ.get("SFUMATO_MINUTES", "10"))
"""CPU minutes after which no further row is begun."""
COPIES = 2


@dataclass(frozen=True, kw_only=True)
class Row:
    """One design at one level."""

    design: str
    epsilon: float | None
    delta: float
    bits: float | None
    mood: float
    mood_static: float
    author: float
    author_static: float
    author_mcc: float
    code_author: float | None
    majority: float
    people: int
    tested: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A corpus to protect, the public texts to learn from, and the sizes of the networks."""

    name: str
    corpus: Corpus
    pool: PublicPool
    plan: TrainingPlan
    hidden: int
    words: int
    sentences: int
    written: int

    @property
    def labels(self) -> list[str]:
        return list(self.pool.topics or ())

    def tokeniser(self) -> Tokeniser:
        made = Tokeniser.of(self.pool.texts, size=self.words, source=self.pool.source)
        return replace(made, sources=None)

    def short(self, text: str) -> str:
        """The first sentences of a text: what the sentence models read, and what they are compared with."""
        reader = self.tokeniser_cached
        found = [[token for token in piece if token not in ".!?"] for piece in reader.pieces(text)]
        kept = [" ".join(piece[: reader.longest - 1]) for piece in found if piece][: self.sentences]
        return ". ".join(kept) + "."

    @property
    def tokeniser_cached(self) -> Tokeniser:
        return _tokeniser(self)

    def model(self, latent: Any, *, topics: int = 1) -> RewritingModel:
        """The network, trained epoch by epoch with a checkpoint."""
        people = tuple(sorted(set(self.corpus.authors.tolist())))
        design = RewritingDesign(
            latent=latent, labels=self.pool.names, topics=topics, authors=people, hidden=self.hidden,
            embedding=self.hidden,
        )  # fmt: skip
        texts, told = list(self.pool.texts), {"labels": self.labels}
        if latent == "split":  # learned with authors: their training texts are not covered by anything
            texts, told = (
                self.corpus.part(self.corpus.train),
                {"authors": self.corpus.authors[self.corpus.train].tolist()},
            )
        STEPS.mkdir(parents=True, exist_ok=True)
        return train_rewriter(
            texts,
            design=design,
            tokeniser=self.tokeniser_cached,
            plan=self.plan,
            source=self.pool.source,
            checkpoint=STEPS / f"{self.name}-{latent}-{topics}.pt",
            show=True,
            **told,  # type: ignore[arg-type]
        )


_TOKENISERS: dict[str, Tokeniser] = {}


def _tokeniser(setting: Setting) -> Tokeniser:
    if setting.name not in _TOKENISERS:
        _TOKENISERS[setting.name] = setting.tokeniser()
    return _TOKENISERS[setting.name]


def designs(setting: Setting) -> dict[str, Callable[[], Any]]:
    """Every design; what the goal is about first, in case time is short."""
    k = setting.sentences

    def noisy(epsilon: float) -> Any:
        return DpVae(epsilon=epsilon, model=setting.model("bounded"), sentences=k)

    return {
        "unprotected": lambda: None,
        "code response, label only": lambda: CodeResponse(epsilon=10.0, pool=setting.pool, topics=1),
        "code VAE, label only": lambda: CodeVae(epsilon=10.0, model=setting.model("code"), sentences=setting.written),
        "DP-VAE": lambda: noisy(10.0),
        "DP-VAE, σ = 1": lambda: DpVae.of_sigma(sigma=1.0, model=setting.model("bounded"), sentences=k),
        "code response, 2 topics": lambda: CodeResponse(epsilon=10.0, pool=setting.pool, topics=2),
        "code response, label only, ε = 1": lambda: CodeResponse(epsilon=1.0, pool=setting.pool, topics=1),
        "code response, label only, ε = 4": lambda: CodeResponse(epsilon=4.0, pool=setting.pool, topics=1),
        "V-VAE": lambda: PlainVae(model=setting.model("plain"), sentences=k),
        "AVG-AAE": lambda: AverageAae(model=setting.model("split"), sentences=k),
        "DP-AAE, σ = 14.2": lambda: DpAae(model=setting.model("split"), sentences=k),
        "code VAE, 2 topics": lambda: CodeVae(
            epsilon=10.0, model=setting.model("code", topics=2), sentences=setting.written
        ),
    }


def rows(setting: Setting) -> dict[str, Row | None]:
    """A row for each design; None for one that was not begun because the time was up."""
    started, found = time.process_time(), {}
    for name, make in designs(setting).items():
        kept = STEPS / f"{setting.name}-{_plain(name)}.json"
        if kept.exists():
            found[name] = Row(**json.loads(kept.read_text()))
        elif time.process_time() - started > 60 * MINUTES:
            found[name] = None
        else:
            found[name] = judged(setting, name, make)
            STEPS.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(asdict(found[name])))
    return found


def _plain(name: str) -> str:
    return "".join(one if one.isalnum() else "-" for one in name)


def judged(setting: Setting, name: str, make: Callable[[], Any]) -> Row:
    """Release, attack and measure."""
    started = time.process_time()
    mechanism, data = make(), setting.corpus
    if mechanism is None or hasattr(mechanism, "sentence_ids"):
        data = data.with_texts([setting.short(text) for text in data.texts] if mechanism is not None else data.texts)
    rng = seeded_rng(1)
    released = data if mechanism is None else mechanism.release(data, rng=rng)
    learn, labels = data.part(data.train), np.arange(int(data.train.sum()))
    if mechanism is not None:
        learn, labels = protected_copies(mechanism, learn, labels, COPIES, rng)
    see, raw = released.part(data.test), data.part(data.train)
    moods, authors = data.moods, data.authors
    own_moods, own_authors = moods[data.train][labels], authors[data.train][labels]
    mood = matthews_corrcoef(moods[data.test], guessed(learn, own_moods, see))
    mood_static = matthews_corrcoef(moods[data.test], guessed(raw, moods[data.train], see))
    guess = guessed(learn, own_authors, see)
    attacks = [
        AuthorshipAttack(copies=COPIES, features=("words",), prior=True),
        AuthorshipAttack(learns_from="releases", features=("words",)),
    ]
    scores = [(guess == authors[data.test]).mean()]
    if mechanism is not None:
        scores += [one.attack(data, released, mechanism=mechanism, rng=seeded_rng(2)).value for one in attacks]
    static = (guessed(raw, authors[data.train], see) == authors[data.test]).mean()
    promise = getattr(mechanism, "guarantee", None)
    told = None if promise is None or promise.vacuous else promise
    return Row(
        design=name,
        epsilon=None if told is None else float(told.epsilon),
        delta=float(getattr(told, "delta", 0.0)),
        bits=getattr(mechanism, "bits", None) if told is not None else None,
        mood=float(mood),
        mood_static=float(mood_static),
        author=float(max(scores)),
        author_static=float(static),
        author_mcc=float(matthews_corrcoef(authors[data.test], guess)),
        code_author=code_attack(mechanism, data),
        majority=float(np.unique(authors[data.test], return_counts=True)[1].max() / data.test.sum()),
        people=len(set(authors.tolist())),
        tested=int(data.test.sum()),
        seconds=time.process_time() - started,
    )


def guessed(learn: list[str], labels: Any, see: list[str]) -> Any:
    """Labels by tf-idf of words and pairs and logistic regression."""
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=1, sublinear_tf=True, max_features=20_000)
    points = words.fit_transform(learn)
    return LogisticRegression(C=10.0, tol=1e-4, max_iter=100).fit(points, labels).predict(words.transform(see))


def code_attack(mechanism: Any, data: Corpus) -> float | None:
    """Accuracy of an attacker who sees the private code itself and knows its exact law."""
    if isinstance(mechanism, CodeVae):
        codes, truth, other = mechanism.model.codes(list(data.texts)), mechanism.truth, mechanism.response.other
        count = mechanism.model.design.codes
    elif isinstance(mechanism, CodeResponse):
        codes, truth, count = mechanism.codes(list(data.texts)), mechanism.truth, mechanism.answers
        other = (1 - truth) / (count - 1)
    else:
        return None
    names, owners = np.unique(data.authors, return_inverse=True)
    table = np.zeros((count, len(names)))
    np.add.at(table, (codes[data.train], owners[data.train]), 1.0)
    law = other * table.sum(axis=0) + (truth - other) * table  # how often each author's texts give each code
    best = law.argmax(axis=1)
    tested, who = codes[data.test], owners[data.test]
    chance = np.full((len(tested), count), other)
    chance[np.arange(len(tested)), tested] = truth
    return float((chance * (best[None] == who[:, None])).sum(axis=1).mean())


def table(found: dict[str, Row | None]) -> list[str]:
    """The rows as Markdown."""
    lines = [
        "| design | ε, δ per text | bits | sentiment MCC adaptive / static | author accuracy, strongest / static "
        "| code known | author MCC | majority | CPU s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        if one is None:
            lines.append(f"| {name} | not finished in the time given | | | | | | | |")
            continue
        level = "none" if one.epsilon is None else f"{one.epsilon:.4g}, {one.delta:.0e}".replace("0e+00", "0")
        bits = "" if one.bits is None else f"{one.bits:.2f}"
        code = "" if one.code_author is None else f"{one.code_author:.3f}"
        lines.append(
            f"| {name} | {level} | {bits} | {one.mood:.3f} / {one.mood_static:.3f} | {one.author:.3f} / "
            f"{one.author_static:.3f} | {code} | {one.author_mcc:.3f} | {one.majority:.3f} | {one.seconds:.0f} |"
        )
    return lines


def goal(found: dict[str, Row | None]) -> list[str]:
    """Whether sentiment MCC ≥ .5 at ε ≤ 10 for the text with authors within .02 of the majority was reached."""
    lines = []
    for name, one in found.items():
        if one is None or one.epsilon is None or one.epsilon > 10 or one.delta:
            continue
        worst = max(one.author, one.code_author or 0.0)
        reached = one.mood >= 0.5 and worst <= one.majority + 0.02
        apart = (
            "reached"
            if reached
            else f"missed: sentiment {one.mood - 0.5:+.3f}, author {worst - one.majority - 0.02:+.3f}"
        )
        lines.append(f"- {name} (ε = {one.epsilon:.3g}): {apart}")
    return lines
