"""Rows of the frontier of rewriting: each is trained, released, attacked and measured once, and kept in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from reproduction._rewriting_judge import Row, judged
from reproduction._rewriting_steps import UNFINISHED, checkpoints, steps
from sfumato.text import (
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

AAE = "split"


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
    split: int = 0

    @property
    def known(self) -> PublicPool:
        """The training texts with their authors: what erases the directions of these, and is covered by nothing."""
        train = self.corpus.train
        return PublicPool.of(
            self.corpus.part(train), topics=self.corpus.authors[train].tolist(), source="training texts of the split"
        )

    @property
    def tokeniser(self) -> Tokeniser:
        return _tokeniser(self.name, self.pool, self.words)

    def short(self, text: str) -> str:
        """The first sentences of a text: what the sentence models read, and what they are compared with."""
        reader = self.tokeniser
        found = [[token for token in piece if token not in ".!?"] for piece in reader.pieces(text)]
        kept = [" ".join(piece[: reader.longest - 1]) for piece in found if piece][: self.sentences]
        return ". ".join(kept) + "."

    def model(self, latent: Any, *, topics: int = 1) -> RewritingModel:
        """The network, trained epoch by epoch with a checkpoint; only that of the AAE depends on the split."""
        people = tuple(sorted(set(self.corpus.authors.tolist())))
        design = RewritingDesign(
            latent=latent, labels=self.pool.names, topics=topics, authors=people, hidden=self.hidden,
            embedding=self.hidden,
        )  # fmt: skip
        texts, told = list(self.pool.texts), {"labels": list(self.pool.topics or ())}
        where = f"{self.name}-{latent}-{topics}"
        if latent == AAE:  # learned with authors: their training texts are not covered by anything
            train = self.corpus.train
            texts, told = self.corpus.part(train), {"authors": self.corpus.authors[train].tolist()}
            where += f"-{self.split}"
        folder = checkpoints()
        return train_rewriter(
            texts,
            design=design,
            tokeniser=self.tokeniser,
            plan=self.plan,
            source=self.pool.source,
            checkpoint=None if folder is None else folder / f"{where}.pt",
            show=True,
            **told,  # type: ignore[arg-type]
        )


@cache
def _tokeniser(name: str, pool: PublicPool, words: int) -> Tokeniser:
    return replace(Tokeniser.of(pool.texts, size=words, source=pool.source), sources=None)


def designs(setting: Setting) -> dict[str, Callable[[], Any]]:
    """Every design; what the goal is about first, in case time is short."""
    k, pool, written = setting.sentences, setting.pool, setting.written
    found: dict[str, Callable[[], Any]] = {}

    def response(epsilon: float, topics: int = 1, *, erased: bool = False) -> Callable[[], Any]:
        return lambda: CodeResponse(
            epsilon=epsilon, pool=pool, topics=topics, authors=setting.known if erased else None
        )

    def generated(epsilon: float, topics: int = 1) -> Callable[[], Any]:
        return lambda: CodeVae(
            epsilon=epsilon,
            model=setting.model("code", topics=topics),
            sentences=written,
            way="top-k",
            width=20,
            guidance=0.0,
        )

    def noisy(epsilon: float) -> Callable[[], Any]:
        return lambda: DpVae(epsilon=epsilon, model=setting.model("bounded"), sentences=k)

    def spread(sigma: float) -> Callable[[], Any]:
        return lambda: DpVae.of_sigma(sigma=sigma, model=setting.model("bounded"), sentences=k)

    found["code VAE, label only, ε = 10"] = generated(10.0)
    found["code response, label only, ε = 10"] = response(10.0)
    found["unprotected"] = lambda: None
    found["DP-VAE, ε = 10"] = noisy(10.0)
    found["DP-VAE, σ = 1"] = spread(1.0)
    found["V-VAE"] = lambda: PlainVae(model=setting.model("plain"), sentences=k)
    found["AVG-AAE"] = lambda: AverageAae(model=setting.model(AAE), sentences=k)
    found["DP-AAE, σ = 14.2"] = lambda: DpAae(model=setting.model(AAE), sentences=k)
    if setting.split == 0:
        found["code VAE, 2 topics, ε = 10"] = generated(10.0, 2)
        found["code response, 2 topics, ε = 10"] = response(10.0, 2)
        found["code response, 8 topics, ε = 10"] = response(10.0, 8)
        found["code response, 8 topics, authors erased, ε = 10"] = response(10.0, 8, erased=True)
        for level in (4.0, 1.0):
            found[f"code response, label only, ε = {level:g}"] = response(level)
            found[f"code VAE, label only, ε = {level:g}"] = generated(level)
            found[f"DP-VAE, ε = {level:g}"] = noisy(level)
        for sigma in (0.1, 0.3, 10.0):
            found[f"DP-VAE, σ = {sigma:g}"] = spread(sigma)
        for sigma in (1.0, 38.8):
            found[f"DP-AAE, σ = {sigma:g}"] = lambda sigma=sigma: DpAae(
                model=setting.model(AAE), sentences=k, sigma=sigma
            )
    return found


def rows(setting: Setting) -> dict[str, Row | None]:
    """A row for each design; None for one that was not begun because the time was up."""

    def maker(name: str, make: Callable[[], Any]) -> Callable[[], Any]:
        def made() -> dict[str, Any]:
            mechanism, data = make(), setting.corpus
            if hasattr(mechanism, "sentence_ids"):
                data = data.with_texts([setting.short(text) for text in data.texts])
            return asdict(judged(name, mechanism, data))

        return made

    makers = {name: maker(name, make) for name, make in designs(setting).items()}
    found = steps(makers, prefix=f"{setting.name}-{setting.split}")
    return {name: None if kept is None else Row(**kept) for name, kept in found.items()}


def table(splits: list[dict[str, Row | None]]) -> list[str]:
    """The rows as Markdown, each the mean over the splits that are finished."""
    lines = [
        "| design | ε, δ per text | bits | sentiment MCC adaptive / static / code | author accuracy strongest / static "
        "/ code known | author MCC | balanced author accuracy text / code | METEOR | cosine | perplexity | splits |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in splits[0]:
        done = [found[name] for found in splits if found.get(name) is not None]
        if not done:
            lines.append(f"| {name} | {UNFINISHED} |" + " |" * 9)
            continue

        def mean(what: str, done: list[Any] = done) -> str:
            values = [getattr(one, what) for one in done]
            return "–" if None in values else f"{np.mean(values):.3f}"

        one = done[0]
        assert one is not None
        level = "none" if one.epsilon is None else f"{one.epsilon:.4g}, {one.delta:.0e}".replace("0e+00", "0")
        cells = [
            level,
            "" if one.bits is None else f"{one.bits:.2f}",
            f"{mean('mood')} / {mean('mood_static')} / {mean('mood_code')}",
            f"{mean('author')} / {mean('author_static')} / {mean('code_author')}",
            mean("author_mcc"),
            f"{mean('author_balanced')} / {mean('code_balanced')}",
            mean("meteor"),
            mean("cosine"),
            f"{np.mean([row.perplexity for row in done if row is not None]):.0f}",
            str(len(done)),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def goal(splits: list[dict[str, Row | None]]) -> list[str]:
    """Whether sentiment MCC ≥ .5 at ε ≤ 10 for the text with authors within .02 of the majority was reached."""
    lines = []
    for name in splits[0]:
        done = [one for found in splits if (one := found.get(name)) is not None]
        if not done or done[0].epsilon is None or done[0].epsilon > 10 or done[0].delta:
            continue
        told = []
        for one in done:
            error = 2 * (one.majority * (1 - one.majority) / one.tested) ** 0.5
            worst = max(one.author, one.code_author or 0.0)
            short, over = one.mood - 0.5, worst - one.majority - 0.02
            told.append(
                "reached"
                if short >= 0 >= over
                else f"missed (sentiment {short:+.3f}, author {over:+.3f} ± {error:.3f})"
            )
        lines.append(f"- {name}: {'; '.join(told)}")
    return lines
