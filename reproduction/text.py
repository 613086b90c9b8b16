"""Words: bounds of SynTF (Fig. 5.1), the enumeration, and E1/E2 on the real newsgroups."""

from __future__ import annotations

import itertools

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.study import run
from sfumato.study.shapes import Raw
from sfumato.text import AuthorshipAttack, Scrubber, SynTF, TopicUtility, eta_bound, load_glove, needed_epsilon
from sfumato.text.examples import PLANE, bags, small_rating
from sfumato.text.recipe import newsgroups_study
from sfumato.text.studies import newsgroups_corpus

RUNS = 3
PUBLISHED = {"original": (0.69, 0.64), "SynTF": (0.60, 0.42), "scrubbing": (0.64, 0.57)}


def section() -> str:
    """The Markdown of this section."""
    return "\n".join(
        ["## Words (Weggenmann, ch. 5)", "", *_bounds(), "", *_enumeration(), "", *_newsgroups(), "", *_frontier()]
    )


def _bounds() -> list[str]:
    lines = [
        "### Fig. 5.1: loss bounds per output word",
        "",
        "| ε | L = 2 | L = 100 | L = 30 000 |",
        "|---|---|---|---|",
    ]
    for epsilon in (1.0, 5.0, 10.0, 20.0, 35.0, 47.5, 55.0):
        lines.append(f"| {epsilon:g} | " + " | ".join(f"{eta_bound(epsilon, n):.3f}" for n in (2, 100, 30_000)) + " |")
    lines += [
        "",
        "Spec (Thm 5.4): L = 100: 9.084, 14.591, 28.345 at ε = 10, 20, 47.5; L = 30 000: 9.995, 19.449, 34.059. "
        "Cor. 5.7, half the probability for one word of 30 000: ε ≥ "
        f"{needed_epsilon(0.5, targets=1, others=29_999):.2f} (20.62).",
    ]
    return lines


def _enumeration() -> list[str]:
    syntf = SynTF(epsilon=3.0, length=3, vocabulary=PLANE.top(4), rating=small_rating())
    outputs = bags(PLANE.words[:4], 3)
    laws = np.array([syntf.log_prob(outputs, word) for word in PLANE.words[:4]])
    worst = max(np.abs(p - q).max() for p, q in itertools.combinations(laws, 2))
    return [
        "### All outputs enumerated, L = 4, n = 3, ε = 3",
        "",
        "| | spec | ours |",
        "|---|---|---|",
        f"| worst log-ratio | 4.3506 | {worst:.4f} |",
        f"| n·ℓ | 4.3506 | {3 * syntf.law.loss:.4f} |",
        f"| η-bound | 6.474 | {3 * eta_bound(3.0, 4):.3f} |",
        "| nominal | 9 | 9 |",
    ]


def _newsgroups() -> list[str]:
    vocabulary = load_glove(30_000, content=True)
    syntf = SynTF(epsilon=47.5, length=150, vocabulary=vocabulary, spelling=0.3, morphology="lemma")
    word, document = syntf.budget["tight"]
    lines = [
        "### E1 and E2: 20 Newsgroups, ε = 47.5, n = 150, s = 0.3",
        "",
        f"30 000 GloVe words of 50 dimensions (content words), ρ clipped to [0, 1]: ℓ = {word:.2f} per word, "
        f"{document:.0f} per document, nominal 47.5 and 7125. Published: ℓ ≈ 25.4 (≈ 3810 per document; dimension and "
        "range of ρ not stated, see the errata).",
        "",
        f"Weighted F1, adaptive attack, means of {RUNS} runs. Utility: group by naive Bayes (α = 0.01) on tf-idf. "
        "Attack: WritePrints-style features and, stronger than the dissertation's, character n-grams; linear SVM.",
        "",
        "| scenario | method | utility | WritePrints | characters | of raw: utility | WritePrints | characters |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for scenario in ("Top5/Any", "Top10/Any", "Top5/Multi", "Top10/Multi"):
        raw: np.ndarray | None = None
        for label, mechanism in (("original", Raw()), ("SynTF", syntf), ("scrubbing", Scrubber())):
            values = _scores(scenario, mechanism, RUNS if label == "SynTF" else 1)
            raw = values if raw is None else raw
            shares = " | ".join(f"{share:.0%}" for share in values / raw)
            lines.append(f"| {scenario} | {label} | " + " | ".join(f"{v:.2f}" for v in values) + f" | {shares} |")
    shown = "; ".join(f"{name} {u:.2f} / {a:.2f}" for name, (u, a) in PUBLISHED.items())
    lines += [
        "",
        f"Published for Top10/Any, utility / attack F1: {shown}; that is SynTF 87 % / 66 %, scrubbing 92 % / 90 %.",
        "",
        "What agrees: SynTF costs the attacker far more than the analyst, scrubbing costs both little, and the "
        "gap grows with the number of suspects. What differs: authors are told by their address, averages are "
        "weighted by class size (the dissertation does not say which), quoted lines stay in the posts, and "
        "features and classifiers are ours. An attacker with character n-grams keeps more than one with "
        "WritePrints features, even on bags of synthetic words: the dissertation's attack understates the risk.",
    ]
    return lines


def _frontier() -> list[str]:
    study = newsgroups_study(seeds=1)
    outcome = run(study, workers=1, progress=False)
    measures = [*(one.name for one in study.attacks), *(one.name for one in study.utilities)]
    lines = [
        "### Frontier on 20 Newsgroups, Top10/Any",
        "",
        "The ready study `newsgroups`, one run. Attacks and topic are mean F1 over the classes; lower attacks and "
        "higher utilities are better. ε is per word: of the rating (SynTF), per unit of distance (noise, exponential), "
        "within a candidate set.",
        "",
        "| method | ε | " + " | ".join(measures) + " | promise |",
        "|---|---|" + "---|" * len(measures) + "---|",
    ]
    for label in ("raw data", *study.mechanisms):
        rows = outcome.select(label=label)
        for place in sorted({row["varied"] for row in rows}, key=lambda value: (value != value, value)):
            here = [row for row in rows if row["varied"] == place or place != place]
            values = [next(row["value"] for row in here if row["measure"] == name) for name in measures]
            shown = "" if place != place else f"{place:g}"
            promise = here[0]["statement"].partition(":")[0] if not here[0]["guaranteed"] else here[0]["statement"]
            lines.append(f"| {label} | {shown} | " + " | ".join(f"{v:.2f}" for v in values) + f" | {promise} |")
    return lines


def _scores(scenario: str, mechanism: object, runs: int) -> np.ndarray:
    corpus = newsgroups_corpus(scenario)
    measures = [
        TopicUtility(metric="weighted f1"),
        AuthorshipAttack(name="w", features="writeprints", metric="weighted f1"),
        AuthorshipAttack(metric="weighted f1"),
    ]
    rows = []
    for number in range(runs):
        release = mechanism.release(corpus, rng=seeded_rng(number))  # type: ignore[attr-defined]
        rows.append(
            [
                (one.measure if isinstance(one, TopicUtility) else one.attack)(
                    corpus, release, rng=seeded_rng(number)
                ).value
                for one in measures
            ]
        )
    return np.mean(rows, axis=0)
