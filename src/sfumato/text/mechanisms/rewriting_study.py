"""The ready study of texts written anew: networks are trained on made-up letters by others, in a few minutes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sfumato.study.study import Study, sweep
from sfumato.text.pictures import examples_picture, gap_picture

__all__ = ["study_of_rewriting"]

_SENTENCES = 12
"""More than any letter has, said in public: each is padded to as many."""


def study_of_rewriting(
    levels: Sequence[float], *, authors: int, letters: int, public: int, epochs: int, hidden: int, seeds: int
) -> Study:
    """Letters of ``authors`` people written anew by networks that learned from those of ``public`` others."""
    from sfumato.text import (
        AuthorshipAttack,
        CodeResponse,
        CodeVae,
        DpVae,
        MeteorUtility,
        NeuralAuthorshipAttack,
        PerplexityUtility,
        PlainVae,
        PublicPool,
        RewritingDesign,
        SentimentUtility,
        Tokeniser,
        TrainingPlan,
        train_rewriter,
    )
    from sfumato.text.data.letters import make_letters, make_letters_corpus
    from sfumato.text.own_file import holdings

    corpus = make_letters_corpus(authors=authors, letters=letters)
    others = make_letters(authors=public, letters=24, seed=1_000_003)
    source = "letters by other invented people"
    pool = PublicPool.of(others.texts, topics=others.moods, source=source)
    tokeniser = Tokeniser.of(pool.texts, source=source)

    def trained(latent: Any) -> Any:
        design = RewritingDesign(latent=latent, labels=pool.names, hidden=hidden, embedding=hidden)
        plan = TrainingPlan(epochs=epochs)
        return train_rewriter(
            list(pool.texts),
            design=design,
            tokeniser=tokeniser,
            plan=plan,
            labels=pool.topics,
            source=source,
            show=True,
        )

    code, bounded, plain = (trained(latent) for latent in ("code", "bounded", "plain"))
    mechanisms: dict[str, Any] = {
        "code VAE": sweep(CodeVae, epsilon=list(levels), model=code, sentences=4),
        "code response": sweep(CodeResponse, epsilon=list(levels), pool=pool, topics=1),
        "DP-VAE": sweep(DpVae, epsilon=list(levels), model=bounded, sentences=_SENTENCES),
        "V-VAE, which promises nothing": [PlainVae(model=plain, sentences=_SENTENCES)],
    }
    shown = {name: own[-1] for name, own in mechanisms.items()}
    return Study(
        name="rewriting",
        title="Made-up letters written anew: keep the mood, lose the author",
        summary="Networks learn from letters by others. The code VAE writes a text for a private code of the mood, the "
        "code response gives a public letter for it; the DP-VAE writes each sentence from a noisy latent. ε is per "
        "letter; attackers and analysts learn from releases that they make themselves.",
        data=corpus,
        mechanisms=mechanisms,
        attacks=[
            AuthorshipAttack(copies=2),
            AuthorshipAttack(name="authorship (static)", learns_from="raw"),
            NeuralAuthorshipAttack(copies=1, epochs=4),
        ],
        utilities=[
            SentimentUtility(),
            SentimentUtility(name="sentiment (static)", adaptive=False),
            MeteorUtility(),
            PerplexityUtility(),
        ],
        seeds=seeds,
        contains=holdings(corpus),
        records=len(corpus),
        pictures=[
            partial(examples_picture, texts=corpus.part(corpus.test)[:2], mechanisms=shown),
            partial(gap_picture, axis="ε per letter"),
        ],
    )
