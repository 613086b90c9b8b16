"""Texts against the strongest attacker: Fig. 5.3, Table 5.1, frontiers at a small ε, and Fischer's bags."""

from __future__ import annotations

import numpy as np

from reproduction import _newsgroups as e1
from reproduction import _text_claims as claims
from reproduction import _text_frontiers as frontiers
from sfumato.noise import seeded_rng
from sfumato.text import (
    CooccurrenceUtility,
    PrivateSkipGram,
    TrainingMembershipAttack,
    bag_of_words,
    earth_mover_distance,
    load_glove,
    positional_distance,
)
from sfumato.text.data.letters import make_letters

NOTES = {
    "newsgroups": "4 775 posts of the 264 authors with at least ten; the posts of the ten most prolific "
    "are attacked. The "
    "pool and the classifier are training posts by everybody else; quoted lines stay in, "
    "so the pool shares threads with "
    "what is protected. Whoever knows nothing but the true topic names the author with F1 "
    ".474: the floor of any release "
    "that keeps topics.",
    "yelp": "The reviews of the 43 users with at least ten, good (four or five stars) or bad; the "
    "pool are the reviews of "
    "the others. Four self-made releases of each raw review.",
    "c50": "1 000 articles of ten authors; the pool are those of the forty others. There are no "
    "public topics: the topic "
    "is the nearest of ten clusters of the pool, and the response is the neighbourhood response.",
}


def section() -> str:
    """The Markdown of this section."""
    own, choice = e1.corpora(), e1.Setting()
    words = own.vocabulary(choice.morphology, choice.synsets)
    lines = ["## Texts against the strongest attacker", "", *claims.scenarios(), "", *claims.pairs()]
    lines += ["", *claims.strongest(words), "", *claims.scrubbing()]
    for name in NOTES:
        case = getattr(frontiers, name)()
        lines += ["", f"### Frontier at a small ε: {case.name}", "", NOTES[name], ""]
        lines += frontiers.table(case, frontiers.points(case))
    lines += ["", *_allowed(), "", *_fischer()]
    return "\n".join(lines)


def _allowed() -> list[str]:
    return [
        "Author F1 is the largest of an attacker with sixteen self-made releases of every raw text and the law of the "
        "release, and of attackers with the exact law alone, with and without the share of "
        "each author; topic F1 is that "
        "of the best analyst (naive Bayes, SVM, or the stated topic at its word). Means over "
        "classes, one release each; "
        "linkage is the mean over five draws of the candidates.",
        "",
        "**May be claimed**: at ε = 5 per document a topic response keeps more of the topic "
        "than SynTF at ε ≈ 3 900 and "
        "less than two thirds of its author F1; nothing ε-private names the topics of a given classifier better. "
        "**May not**: that this is text for general use (only the labelled task survives); equal footing with SynTF, "
        "which needs no labels; many documents of one author at ε each (they add up: see the texts together); without "
        "public labels the response does not reach the utility of SynTF.",
    ]


def _fischer() -> list[str]:
    lines = [
        "### Fischer §3.3: bags of words and their distance",
        "",
        f"“Deep down in the ocean, small fish …”: fish counted {_fish()} times (2), the order forgotten.",
        "",
        "The thesis pairs words by their position; the Earth Mover's distance pairs them "
        "best. Its vectors (Google News, "
        "300 dimensions) are not here; with GloVe (50):",
        "",
        "| bags | printed, positional | ours, positional | ours, Earth Mover's |",
        "|---|---|---|---|",
    ]
    glove = load_glove(100_000)
    bags = {
        "b₁": "year winter france begins early",
        "b₂": "2019 snow fell italy christmas",
        "b₃": "continent melted snow called water",
    }
    printed = {("b₁", "b₂"): "3.3296", ("b₁", "b₃"): "3.6710", ("b₂", "b₃"): "4.0060"}
    for (first, second), text in printed.items():
        points = [glove.points(glove.ids(bags[name].split())) for name in (first, second)]
        lines.append(
            f"| {first}, {second} | {text} | {positional_distance(*points):.3f} | {earth_mover_distance(*points):.3f} |"
        )
    return [*lines, "", *_dpugc()]


def _fish() -> int:
    return bag_of_words("Deep down in the ocean, small fish clean the mouths of large fish.")["fish"]


def _dpugc() -> list[str]:
    """Word vectors learned under a budget per user: what they know, and who was learned from."""
    made = make_letters(authors=24, letters=10)
    people: dict[str, list[str]] = {}
    for text, author in zip(made.texts, made.authors, strict=True):
        people.setdefault(author, []).append(text)
    counts: dict[str, int] = {}
    for text in make_letters(authors=25, letters=10, seed=1_000_003).texts:
        for word in bag_of_words(text, morphology="lower"):
            counts[word] = counts.get(word, 0) + 1
    words = tuple(sorted(counts, key=lambda word: (-counts[word], word))[:120])
    lines = [
        "### Fischer §4.1: word vectors under a budget per user (dpUGC)",
        "",
        "24 invented people of ten letters each; 120 words of a public list, 16 dimensions, "
        "40 steps. Utility: how often "
        "neighbouring words are closer than words at random; attack: who was learned from (area under the curve, three "
        "halves of the people).",
        "",
        "| ε per user (δ = 1e-5) | neighbouring words | membership |",
        "|---|---|---|",
    ]
    for epsilon in (1.0, 8.0, 1e5):
        model = PrivateSkipGram(
            vocabulary=words,
            epsilon=epsilon,
            delta=1e-5,
            expected_users=24,
            dimension=16,
            steps=40,
            rate=0.5,
            learning_rate=5.0,
        )
        vectors = np.asarray(model.release(people, rng=seeded_rng(0)))
        use = CooccurrenceUtility(words=words).measure(people, vectors, rng=seeded_rng(1)).value
        seen = TrainingMembershipAttack(repeats=3).attack(people, vectors, mechanism=model, rng=seeded_rng(2)).value
        lines.append(f"| {epsilon:g} | {use:.2f} | {seen:.2f} |")
    lines += [
        "",
        "With two dozen users a useful ε leaves nothing of the vectors: the thesis's own figures rest on thousands of "
        "users and on a budget that it does not add up over words.",
    ]
    return lines
