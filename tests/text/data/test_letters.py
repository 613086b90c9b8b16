"""Made-up letters."""

from __future__ import annotations

import numpy as np

from sfumato.text import (
    AuthorshipAttack,
    Corpus,
)
from sfumato.text.data.letters import make_letters


def test_authors_without_habits_cannot_be_told_apart():
    made = make_letters(authors=4, letters=30, strength=0.0)
    data = Corpus(texts=made.texts, authors=made.authors, topics=made.topics, train=made.train)
    habits = make_letters(authors=4, letters=30, strength=2.0)
    marked = Corpus(texts=habits.texts, authors=habits.authors, topics=habits.topics, train=habits.train)
    rng = np.random.default_rng(0)
    words = AuthorshipAttack(learns_from="raw", learners=("svm",), features=("words",))
    assert words.attack(data, data, rng=rng).value + 0.2 < words.attack(marked, marked, rng=rng).value
