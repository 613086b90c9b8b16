"""Texts written anew: the frontier of all designs, and where attention puts its noise."""

from __future__ import annotations

from reproduction import _rewriting_frontier as frontier
from sfumato.text import Corpus, PublicPool, TrainingPlan
from sfumato.text.data.letters import make_letters
from sfumato.text.data.reviews import load_critics, load_public_reviews


def letters() -> frontier.Setting:
    """Invented letters of ten authors; the public ones are by 25 others."""
    made, public = make_letters(authors=10, letters=90), make_letters(authors=25, letters=24, seed=1_000_003)
    corpus = Corpus(texts=made.texts, authors=made.authors, topics=made.topics, moods=made.moods, train=made.train)
    pool = PublicPool.of(public.texts, topics=public.moods, source="letters by other invented people")
    plan = TrainingPlan(epochs=8)
    return frontier.Setting(
        name="letters", corpus=corpus, pool=pool, plan=plan, hidden=64, words=1000, sentences=5, written=5
    )


def critics() -> frontier.Setting:
    """Film reviews of four critics; the public ones are by others."""
    corpus = load_critics()
    plan = TrainingPlan(epochs=3, drawn=20_000)
    return frontier.Setting(
        name="critics", corpus=corpus, pool=load_public_reviews(corpus), plan=plan, hidden=64, words=4000, sentences=5,
        written=12,
    )  # fmt: skip
