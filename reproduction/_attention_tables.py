"""Fischer's tables: what attention costs, who is still named behind it, and which words change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reproduction._rewriting_steps import UNFINISHED, steps
from sfumato.noise import seeded_rng
from sfumato.text import (
    AttentionAnonymizer,
    AttentionNoise,
    BagMechanism,
    Identificator,
    LevelNoise,
    NameReplacement,
    PreparedMails,
    PrivateSkipGram,
    Vocabulary,
    change_rates,
    hub_share,
    least_attention_loss,
    ppmi_vocabulary,
    prepare_mails,
    public_attention,
    train_adversarially,
    train_identificator,
)
from sfumato.text.core.sequence_reader import sequence_scores
from sfumato.text.data.authored import load_c50
from sfumato.text.data.letters import make_letters
from sfumato.text.data.reviews import load_enron_senders

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


def printed_within(share: float = 0.02) -> tuple[int, int]:
    """How many of the printed losses of the Anonymizer are those of constant attention, and how many there are."""
    near = [
        abs(epsilon * anonymizer / least_attention_loss(size) - 1) <= share
        for size, rows in PRINTED.items()
        for epsilon, (_, anonymizer) in rows.items()
    ]
    return sum(near), len(near)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mails:
    """Prepared mails with an embedding of their own, split by mail: both pieces of a mail are in one part."""

    name: str
    about: str
    mails: PreparedMails
    dimension: int
    epochs: int
    rate: float
    hidden: int
    levels: tuple[float, ...]
    longest: int = 70
    others: int = 0
    """Invented people from whose letters word vectors are learned privately; 0: none are."""

    @cached_property
    def words(self) -> Vocabulary:
        """Learned from the mails themselves, as in the thesis: nothing protects them."""
        return ppmi_vocabulary(self.mails.texts, dimension=self.dimension)

    @cached_property
    def private_words(self) -> Vocabulary:
        """The same words with vectors learned from letters of others, (8, 10⁻⁶)-private for each of these.

        They are as long on average as the other ones: ε is per unit of length, and noisy vectors are long.
        """
        made = make_letters(authors=self.others, letters=3, length=40, seed=77)
        people: dict[str, list[str]] = {}
        for author, text in zip(made.authors, made.texts, strict=True):
            people.setdefault(str(author), []).append(text)
        learner = PrivateSkipGram(
            vocabulary=self.words.words, epsilon=8.0, delta=1e-6, expected_users=self.others, dimension=self.dimension
        )
        found = np.array(learner.fit(people, rng=seeded_rng(7)).vectors, float)
        lengths = [np.linalg.norm(np.array(own, float), axis=1).mean() for own in (self.words.vectors, found)]
        return Vocabulary(words=self.words.words, vectors=found * lengths[0] / lengths[1])

    @cached_property
    def learn(self) -> np.ndarray:
        return np.array(self.mails.mails) % 3 != 2

    @cached_property
    def codes(self) -> np.ndarray:
        return np.unique(self.mails.senders, return_inverse=True)[1]

    def part(self, rows: np.ndarray) -> tuple[list[str], list[str]]:
        places = np.flatnonzero(rows).tolist()
        return [self.mails.texts[k] for k in places], [self.mails.senders[k] for k in places]

    def identificator(self, **given: Any) -> Identificator:
        sizes = {"vocabulary": self.words, "longest": self.longest, "rate": self.rate, "epochs": self.epochs}
        return train_identificator(*self.part(self.learn), rng=seeded_rng(1), **sizes, **given)

    @cached_property
    def manual(self) -> Identificator:
        return self.identificator()

    @cached_property
    def anonymizer(self) -> Identificator:
        return self.identificator(epsilon=0.03)

    @cached_property
    def hiding(self) -> Identificator:
        sizes = {"vocabulary": self.words, "longest": self.longest, "rate": self.rate, "epochs": self.epochs}
        return train_adversarially(*self.part(self.learn), epsilon=0.3, rng=seeded_rng(1), **sizes)

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        points, mask, _ = self.manual.matrices(self.mails.texts)
        return points, mask

    def drawn(self, words: Vocabulary) -> np.ndarray:
        """The mails as matrices of the vectors of a vocabulary."""
        if words is self.words:
            return self.matrices[0]
        found = np.zeros_like(self.matrices[0])
        for row, text in enumerate(self.mails.texts):
            ids = words.text_ids(text)
            found[row, : len(ids)] = words.points(ids)
        return found

    def named(self, points: np.ndarray) -> float:
        """The accuracy of a fresh Bi-LSTM that learns from two thirds of the released mails."""
        given = np.clip(points / (np.abs(points).mean() or 1.0), -20, 20)
        rows = self.learn
        scores = sequence_scores(
            given[rows], self.codes[rows], given[~rows], epochs=8, rng=seeded_rng(5), hidden=self.hidden
        )
        return float((scores.argmax(axis=1) == self.codes[~rows]).mean())

    def cells(self) -> dict[str, Callable[[], dict[str, float]]]:
        """Every number of the table by its name, what matters most first."""
        found: dict[str, Callable[[], dict[str, float]]] = {"clean": self.clean}
        makers: dict[str, Callable[[float], Any]] = {
            "manual": lambda e: AttentionAnonymizer(identificator=self.manual, epsilon=e),
            "constant A": lambda e: AttentionNoise(epsilon=e, vocabulary=self.words, own_documents=True),
            "Anonymizer": lambda e: AttentionAnonymizer(identificator=self.anonymizer, epsilon=e),
            "hiding, its public mean": lambda e: AttentionNoise(
                epsilon=e, vocabulary=self.words, own_documents=True,
                attention=public_attention(self.hiding, self.part(self.learn)[0]),
            ),
            "private levels": lambda e: LevelNoise(
                epsilon=e, vocabulary=self.words, own_documents=True, sensitive=tuple(self.mails.names.values())
            ),
        }  # fmt: skip
        for epsilon in self.levels:
            for name, make in makers.items():
                found[f"{name}, ε = {epsilon:g}"] = lambda make=make, epsilon=epsilon: self.judged(make(epsilon))
            if self.others:
                found[f"constant A, private skip-gram vectors, ε = {epsilon:g}"] = lambda epsilon=epsilon: self.judged(
                    AttentionNoise(epsilon=epsilon, vocabulary=self.private_words)
                )
        found["names replaced"] = lambda: self.judged(NameReplacement(sensitive=tuple(self.mails.names.values())))
        found["bag of words, ε = 1"] = lambda: self.judged(
            BagMechanism(epsilon=1.0, vocabulary=self.words, own_documents=True)
        )
        return found

    def clean(self) -> dict[str, float]:
        """Table 9: the three classifiers without noise."""
        texts, senders = self.part(~self.learn)
        found = {}
        for name, one in (("basic", self.identificator(attend=False)), ("identificator", self.manual)):
            found[name] = float(np.mean([a == b for a, b in zip(one.name(texts), senders, strict=True)]))
        return found | {"bilstm": self.named(self.matrices[0])}

    def judged(self, mechanism: Any) -> dict[str, float]:
        """The loss, what a Bi-LSTM reads from the matrix and from the words, and which words change."""
        rng, (points, mask) = seeded_rng(3), self.matrices
        found: dict[str, float] = {}
        if hasattr(mechanism, "noisy"):
            noisy, own = mechanism.noisy(self.mails.texts, rng)
            clean = self.drawn(mechanism.vocabulary) if hasattr(mechanism, "vocabulary") else points
            matrix = np.zeros(points.shape)
            matrix[:, : noisy.shape[1]] = np.where(own[..., None], noisy, 0.0)
            found["matrix"] = self.named(matrix)
            apart = np.linalg.norm(matrix - clean, axis=2)[mask].mean()
            found["loss"] = float(apart * mechanism.epsilon)
        after = mechanism.release(self.mails.texts, rng=rng)
        ids = [self.words.text_ids(text)[: self.longest] for text in after]
        written = np.zeros(points.shape)
        for row, own_ids in enumerate(ids):
            written[row, : len(own_ids)] = self.words.points(own_ids)
        found["words"] = self.named(written)
        found["hubs"] = hub_share(after)
        before = [text.split() for text in self.mails.texts]
        if all(len(old) == len(new.split()) for old, new in zip(before, after, strict=True)):
            rates = change_rates(before, [text.split() for text in after], set(self.mails.names.values()))
            found |= {"names": rates["sensitive"], "others": rates["other"]}
        return found


def letters() -> Mails:
    made = make_letters(authors=10, letters=60, length=30, seed=4)
    mails = prepare_mails(made.texts, made.authors, words=60, rng=seeded_rng(0))
    about = "invented letters of ten authors"
    return Mails(
        name="letters",
        about=about,
        mails=mails,
        dimension=20,
        epochs=20,
        rate=1e-2,
        hidden=32,
        levels=(1.0, 0.1),
        others=400,
    )


def news() -> Mails:
    found = load_c50()
    most = [author for author, _ in Counter(one.author for one in found).most_common(10)]
    own = [one for one in found if one.author in most]
    mails = prepare_mails([one.text for one in own], [one.author for one in own], words=64, rng=seeded_rng(0))
    about = "Reuters C50, ten authors with the most articles, first and last 64 words of each"
    return Mails(name="c50", about=about, mails=mails, dimension=50, epochs=6, rate=3e-3, hidden=32, levels=(0.3,))


def enron() -> Mails:
    data = load_enron_senders()
    mails = prepare_mails(list(data.texts), data.authors.tolist(), words=64, rng=seeded_rng(0))
    about = "PAN 2011, 39 Enron senders, 100 mails each, first and last 64 words"
    return Mails(
        name="enron", about=about, mails=mails, dimension=50, epochs=8, rate=3e-3, hidden=32, levels=(0.3, 0.03)
    )


def rows(make: Callable[[], Mails]) -> tuple[Mails, dict[str, dict[str, float] | None]]:
    """Every cell that is finished or can be begun in the time given; None for the others."""
    mails = make()
    return mails, steps(mails.cells(), prefix=f"attention-{mails.name}")


def tables(done: list[tuple[Mails, dict[str, dict[str, float] | None]]]) -> list[str]:
    """The chapter on the corpora."""
    lines: list[str] = []
    for mails, cells in done:
        found = dict(cells)
        people, tested = len(set(mails.mails.senders)), int((~mails.learn).sum())
        lines += ["", f"#### {mails.about[0].upper()}{mails.about[1:]}", ""]
        clean = found.pop("clean")
        told = UNFINISHED
        if clean is not None:
            told = f"basic network {clean['basic']:.3f}, Identificator {clean['identificator']:.3f}, Bi-LSTM "
            told += f"{clean['bilstm']:.3f}"
        lines += [
            f"{len(mails.mails.texts)} pieces, {tested} for testing, chance {1 / people:.3f}; n = {mails.longest}, "
            f"m = {mails.dimension}. Without noise (Table 9): {told}.",
            "",
            "| variant | ε · loss | Bi-LSTM, matrix | Bi-LSTM, words | ten commonest words | names changed | others |",
            "|---|---|---|---|---|---|---|",
        ]
        for name, cell in found.items():
            if cell is None:
                lines.append(f"| {name} | {UNFINISHED} |" + " |" * 5)
                continue
            shown = [
                f"{cell[k]:.3f}" if k in cell else "–" for k in ("loss", "matrix", "words", "hubs", "names", "others")
            ]
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return lines
