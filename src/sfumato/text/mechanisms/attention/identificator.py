"""A sender classifier with self-attention, which shows where identity sits (Fischer §5.2, B19–B22)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.torch_run import neural_torch, shuffled, torch_run
from sfumato.text.mechanisms.attention.attention_loss import softmax_rows
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import integer, positive

__all__ = ["BATCH", "Identificator", "build_classifier", "positions", "prepared", "train_identificator"]

BATCH = 70
"""Mails in a step, as in the thesis."""


def positions(longest: int, dimension: int) -> NDArray[np.float32]:
    """Sines and cosines of the place of a word, shape (longest, dimension); every row has length √(m/2) for even m."""
    place = np.arange(longest)[:, None] / 10_000 ** (2 * (np.arange(dimension) // 2) / dimension)
    return np.where(np.arange(dimension) % 2 == 0, np.sin(place), np.cos(place)).astype(np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Identificator:
    """A trained classifier of authors: which author, and the attention that each word vector gets.

    Parameters
    ----------
    vocabulary : Vocabulary
        Public word vectors.
    authors : tuple of str
    longest : int
        Words that are read; a text with more is refused.
    network : torch module
        See :func:`train_identificator`.
    """

    vocabulary: Vocabulary
    authors: tuple[str, ...]
    longest: int
    network: Any = field(repr=False)

    def matrices(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_], list[NDArray[np.int64]]]:
        """Word vectors of shape (texts, longest, m), where there is a word, and its place in the vocabulary."""
        ids = [self.vocabulary.text_ids(text) for text in check_texts(texts)]
        for place, row in enumerate(ids):
            if len(row) > self.longest:
                raise bad_input(
                    f"texts[{place}]", f"{len(row)} words", f"at most {self.longest}", "split it with prepare_mails"
                )
        points = np.zeros((len(ids), self.longest, self.vocabulary.dimension), np.float32)
        mask = np.zeros(points.shape[:2], np.bool_)
        for at, own in enumerate(ids):
            points[at, : len(own)] = self.vocabulary.points(own)
            mask[at, : len(own)] = True
        return points, mask, ids

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each author fits each text."""
        points, mask, _ = self.matrices(texts)
        return self.run(points, mask)[0]

    def name(self, texts: Sequence[str]) -> list[str]:
        """The author named for each text."""
        return [self.authors[k] for k in self.scores(texts).argmax(axis=1).tolist()]

    def attention(self, points: NDArray[np.float32], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """A, the softmax of what attention adds to each word vector; it depends on the whole text."""
        return softmax_rows(self.run(points, mask)[1])

    def run(self, points: NDArray[np.float32], mask: NDArray[np.bool_]) -> tuple[Any, Any]:
        """The scores of the authors, and what attention adds."""
        torch = neural_torch()
        found: list[tuple[Any, Any]] = []
        with torch.no_grad():
            for start in range(0, len(points), 256):
                part = slice(start, start + 256)
                out, added = self.network(torch.from_numpy(points[part]), torch.from_numpy(mask[part]))
                found.append((out.double().numpy(), added.double().numpy()))
        return tuple(np.concatenate([one[k] for one in found]) for k in range(2))  # type: ignore[return-value]


def build_classifier(dimension: int, longest: int, authors: int, heads: int, attend: bool) -> Any:
    """The classifier with random weights."""
    torch = neural_torch()
    nn = torch.nn
    if dimension % heads:
        raise bad_input("heads", heads, f"a divisor of the dimension {dimension}")
    places = torch.from_numpy(positions(longest, dimension))

    class Classifier(torch.nn.Module):  # type: ignore[name-defined]
        """Self-attention with a residual, then 20 and 2 numbers a word, then the authors."""

        def __init__(self) -> None:
            super().__init__()
            scale = 1 / math.sqrt(dimension)
            self.query, self.key, self.value, self.output = (
                nn.Parameter(scale * torch.randn(dimension, dimension)) for _ in range(4)
            )
            self.drop = nn.Dropout(0.1)
            self.wide, self.narrow = nn.Linear(dimension, 20), nn.Linear(20, 2)
            self.last = nn.Linear(2 * longest, authors)

        def forward(self, points: Any, mask: Any) -> tuple[Any, Any]:
            given = points + places * mask.unsqueeze(-1)
            added = self.added(given, mask) if attend else torch.zeros_like(given)
            hidden = torch.relu(self.wide(self.drop(given + added))) * mask.unsqueeze(-1)
            return self.last(self.narrow(hidden).flatten(1)), added

        def added(self, given: Any, mask: Any) -> Any:
            """W_att; padded keys are not attended to, padded rows are 0."""
            count, size = given.shape[:2]

            def split(matrix: Any) -> Any:
                return (given @ matrix).reshape(count, size, heads, -1).transpose(1, 2)

            near = split(self.query) @ split(self.key).transpose(-1, -2) / math.sqrt(dimension // heads)
            near = near.masked_fill(~mask[:, None, None, :], -1e9)
            mixed = (torch.softmax(near, -1) @ split(self.value)).transpose(1, 2).flatten(2)
            return (mixed @ self.output) * mask.unsqueeze(-1)

    return Classifier()


def prepared(
    texts: Sequence[str], authors: Sequence[str], *, vocabulary: Vocabulary, longest: int, heads: int, attend: bool
) -> tuple[Identificator, Any, Any, Any]:
    """A classifier that has not learned yet, the matrices of the texts, where they have words, and their authors."""
    torch = neural_torch()
    integer("longest", longest)
    names = tuple(sorted({str(one) for one in authors}))
    if len(names) < 2:
        raise bad_input("authors", names, "at least two authors", "one author cannot be told apart")
    if len(authors) != len(texts):
        raise bad_input("authors", len(authors), f"one for each of the {len(texts)} texts")
    network = build_classifier(vocabulary.dimension, longest, len(names), integer("heads", heads), attend)
    made = Identificator(vocabulary=vocabulary, authors=names, longest=longest, network=network)
    points, mask, _ = made.matrices(texts)
    who = torch.tensor([names.index(str(one)) for one in authors])
    return made, torch.from_numpy(points), torch.from_numpy(mask), who


def train_identificator(
    texts: Sequence[str],
    authors: Sequence[str],
    *,
    vocabulary: Vocabulary,
    longest: int = 70,
    epochs: int = 10,
    rate: float = 3e-3,
    heads: int = 1,
    attend: bool = True,
    epsilon: float | None = None,
    rng: Rng | None = None,
) -> Identificator:
    """Train a classifier of authors with self-attention. Needs PyTorch. It protects nothing.

    Parameters
    ----------
    attend : bool
        Without attention it is the basic feed-forward network of the thesis, which hardly names anybody.
    epsilon : float, optional
        Train the Anonymizer of the thesis: every batch also takes a step that lowers the distance that noise A⊙Z/ε
        moves the word vectors. Nothing in it makes naming harder; it only teaches constant attention.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog"), vectors=[[1.0, 0.0], [0.0, 1.0]])
    >>> texts, authors = ["cat cat", "dog dog"] * 40, ["ann", "bob"] * 40
    >>> found = train_identificator(texts, authors, vocabulary=words, longest=3, epochs=100)
    >>> found.name(["cat cat", "dog dog"])
    ['ann', 'bob']
    """
    torch = neural_torch()
    integer("epochs", epochs), positive("rate", rate)
    generator = resolve_rng(rng)
    with torch_run(generator):
        made, x, seen, who = prepared(
            texts, authors, vocabulary=vocabulary, longest=longest, heads=heads, attend=attend
        )
        network = made.network
        steps = torch.optim.Adam(network.parameters(), lr=rate)
        blur = torch.optim.Adam([network.query, network.key, network.value, network.output], lr=rate)
        network.train()
        for _ in range(epochs):
            for rows in shuffled(len(x), BATCH, generator):
                chosen = torch.from_numpy(rows)
                scores, _ = network(x[chosen], seen[chosen])
                steps.zero_grad()
                torch.nn.functional.cross_entropy(scores, who[chosen]).backward()
                steps.step()
                if epsilon is not None:
                    _, added = network(x[chosen], seen[chosen])
                    noise = torch.distributions.Laplace(0.0, 1 / epsilon).sample(added.shape)
                    moved = ((torch.softmax(added, -1) * noise) ** 2).sum(-1).add(1e-12).sqrt()
                    blur.zero_grad()
                    moved.mean().backward()
                    blur.step()
        network.eval().requires_grad_(False)
    return made
