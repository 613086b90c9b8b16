"""A bidirectional LSTM that names labels, from words in their order or from matrices of word vectors (Fischer B19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.core.tokens import tokens
from sfumato.text.core.torch_run import neural_torch, shuffled, torch_run

__all__ = ["read_sequences", "sequence_scores"]

_WORDS = 8000


def sequence_scores(
    learn: NDArray[Any],
    labels: NDArray[np.int64],
    see: NDArray[Any],
    *,
    epochs: int,
    rng: Rng,
    hidden: int = 64,
    batch: int = 64,
) -> NDArray[np.float64]:
    """How well each label fits each sequence to judge, shape (sequences, labels).

    ``learn`` and ``see`` hold numbers of words, shape (n, length) with 0 for padding, or vectors, shape (n, length, m).
    Bi-LSTM, largest value over time, a hidden layer of 128, dropout .3, Adam.
    """
    with torch_run(rng) as torch:
        nn = torch.nn
        as_words = learn.ndim == 2
        classes = int(labels.max()) + 1

        class Reader(torch.nn.Module):  # type: ignore[name-defined]
            """Words or vectors to labels."""

            def __init__(self) -> None:
                super().__init__()
                size = 50 if as_words else learn.shape[2]
                self.embed = nn.Embedding(int(learn.max()) + 1, size, padding_idx=0) if as_words else None
                self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
                self.head = nn.Sequential(
                    nn.Linear(2 * hidden, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, classes)
                )

            def forward(self, given: Any) -> Any:
                points = given if self.embed is None else self.embed(given)
                return self.head(self.lstm(points)[0].amax(1))

        kind = np.int64 if as_words else np.float32
        x, y = torch.from_numpy(learn.astype(kind)), torch.from_numpy(labels)
        reader = Reader()
        steps = torch.optim.Adam(reader.parameters(), lr=3e-3)
        reader.train()
        for _ in range(epochs):
            for rows in shuffled(len(learn), batch, rng):
                chosen = torch.from_numpy(rows)
                steps.zero_grad()
                nn.functional.cross_entropy(reader(x[chosen]), y[chosen]).backward()
                steps.step()
        reader.eval()
        seen: NDArray[Any] = see.astype(kind)
        if as_words:
            seen = np.where(np.less_equal(seen, int(learn.max())), seen, 0)
        with torch.no_grad():
            parts = [reader(torch.from_numpy(seen[k : k + 512])).double().numpy() for k in range(0, len(seen), 512)]
        return np.concatenate(parts)


def read_sequences(
    learn: Sequence[str], see: Sequence[str], *, longest: int, ordered: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Texts as numbers of words, the commonest first, padded with 0; only the first ``longest`` words are read.

    Without ``ordered`` the words of each text are sorted: what is left is the bag.
    """
    neural_torch()
    words = [[[word.lower() for word in tokens(text)] for text in part] for part in (learn, see)]
    counts = Counter(word for text in words[0] for word in text)
    index = {word: place for place, (word, _) in enumerate(counts.most_common(_WORDS), 1)}
    made = []
    for part in words:
        out = np.zeros((len(part), longest), np.int64)
        for row, text in enumerate(part):
            own = [index[word] for word in (text if ordered else sorted(text)) if word in index][:longest]
            out[row, : len(own)] = own
        made.append(out)
    return made[0], made[1]
