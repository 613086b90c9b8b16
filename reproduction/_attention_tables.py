"""Fischer's tables on invented letters: what attention costs, who is still named, and which words change."""

from __future__ import annotations

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.text import (
    AttentionAnonymizer,
    AttentionNoise,
    attention_loss,
    change_rates,
    least_attention_loss,
    ppmi_vocabulary,
    prepare_mails,
    train_identificator,
)
from sfumato.text.core.sequence_reader import sequence_scores
from sfumato.text.data.letters import make_letters

LEVELS = (1.0, 0.3, 0.1, 0.03)
PRINTED = {
    60: {0.03: (23.76, 6.14), 0.001: (768.47, 180.08), 0.0001: (7793.0, 1815.0), 0.00002: (41516.0, 9080.0)},
    100: {0.03: (32.70, 4.70), 0.001: (929.73, 140.7), 0.0001: (9045.0, 1410.0), 0.00002: (42890.0, 7050.0)},
}


def printed() -> list[str]:
    """The printed utility losses times ε beside the loss of constant attention."""
    lines = [
        "| m | ε | manual, printed · ε | Anonymizer, printed · ε | constant A, closed form | within 2 %? |",
        "|---|---|---|---|---|---|",
    ]
    for size, rows in PRINTED.items():
        least = least_attention_loss(size)
        for epsilon, (manual, anonymizer) in rows.items():
            same = "yes" if abs(epsilon * anonymizer / least - 1) <= 0.02 else "no"
            lines.append(
                f"| {size} | {epsilon:g} | {epsilon * manual:.3f} | {epsilon * anonymizer:.3f} | {least:.4f} | {same} |"
            )
    return lines


def stand_in() -> list[str]:
    """The system on letters of ten authors: Bi-LSTM on the noisy matrix and on its words, and which words change."""
    made = make_letters(authors=10, letters=60, length=30, seed=4)
    mails = prepare_mails(made.texts, made.authors, words=60, rng=seeded_rng(0))
    words = ppmi_vocabulary(mails.texts, dimension=20)
    rows = np.arange(len(mails.texts))
    learn, see = rows % 3 != 2, rows % 3 == 2
    names, codes = np.unique(mails.senders, return_inverse=True)
    given = {"vocabulary": words, "longest": 70, "rate": 1e-2}
    texts, senders = [mails.texts[k] for k in rows[learn]], [mails.senders[k] for k in rows[learn]]
    manual = train_identificator(texts, senders, epochs=20, rng=seeded_rng(1), **given)
    anonymizer = train_identificator(texts, senders, epochs=20, epsilon=0.03, rng=seeded_rng(1), **given)
    plain = train_identificator(texts, senders, epochs=20, attend=False, rng=seeded_rng(1), **given)
    accuracies = []
    for one in (plain, manual):
        named = np.array(one.name([mails.texts[k] for k in rows[see]]))
        accuracies.append(float((named == np.array(mails.senders)[see]).mean()))
    points, mask, _ = manual.matrices(mails.texts)
    clean = _named(points, codes, learn, see)
    lines = [
        f"{len(rows)} invented mails of {len(names)} senders (chance {1 / len(names):.2f}), {int(see.sum())} for "
        f"testing. Without noise: basic network {accuracies[0]:.2f}, Identificator {accuracies[1]:.2f}, "
        f"Bi-LSTM {clean:.2f}.",
        "",
        "| variant | ε | ε · loss | Bi-LSTM on the matrix | on the words | names changed | other words changed |",
        "|---|---|---|---|---|---|---|",
    ]
    sender_names = set(mails.names.values())
    before = [[words.words[k] if k < len(words) else "" for k in words.text_ids(text)] for text in mails.texts]
    for label, one in (("manual", manual), ("Anonymizer", anonymizer), ("constant A", None)):
        for epsilon in LEVELS:
            rng = seeded_rng(3)
            if one is None:
                attention = np.full(points.shape, 1 / words.dimension)
                noisy = points + attention / epsilon * rng.laplace(size=points.shape)
                after = AttentionNoise(epsilon=epsilon, vocabulary=words, own_documents=True).release(
                    mails.texts, rng=rng
                )
            else:
                built = AttentionAnonymizer(identificator=one, epsilon=epsilon, nearest="euclidean")
                attention = one.attention(points, mask)
                noisy, _ = built.noisy(mails.texts, rng)
                after = built.release(mails.texts, rng=rng)
            loss = attention_loss(attention[mask][:400], draws=100, rng=rng)
            seen = words.points(np.concatenate([words.ids(text.split()) for text in after]))
            written = np.zeros(points.shape)
            written[mask] = seen
            rates = change_rates(before, [text.split() for text in after], sender_names)
            matrix = _named(np.where(mask[..., None], noisy, 0.0), codes, learn, see)
            told = _named(written, codes, learn, see)
            changed = f"{rates['sensitive']:.2f} | {rates['other']:.2f}"
            lines.append(f"| {label} | {epsilon:g} | {loss:.3f} | {matrix:.2f} | {told:.2f} | {changed} |")
    return lines


def _named(points: np.ndarray, codes: np.ndarray, learn: np.ndarray, see: np.ndarray) -> float:
    """The accuracy of a Bi-LSTM that learns from two thirds of the released mails."""
    scale = np.abs(points).mean() or 1.0
    given = np.clip(points / scale, -20, 20)
    scores = sequence_scores(given[learn], codes[learn], given[see], epochs=8, rng=seeded_rng(5), hidden=32)
    return float((scores.argmax(axis=1) == codes[see]).mean())
