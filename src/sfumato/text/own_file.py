"""The study of texts of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.study.study import Study, sweep
from sfumato.study.wording import count

if TYPE_CHECKING:
    from sfumato.text.core.corpus import Corpus

__all__ = ["holdings", "own_study"]


def own_study(
    data: Path,
    *,
    author: str = "author",
    topic: str | None = None,
    column: str = "text",
    epsilons: Iterable[float] = (10.0, 20.0, 40.0),
    length: int = 150,
    words: int = 30_000,
    vectors: Path | None = None,
    word_list: Path | None = None,
) -> Study:
    """Texts protected word by word or as bags of words, and masked, against attackers who name their authors.

    Parameters
    ----------
    data : path
        One text a record.
    author, topic, column : str
        The fields with the author, the topic (no utility of topics without it) and the text.
    epsilons : iterable of float
        Of SynTF; word by word takes two fifths of each.
    length : int
        Words in every release of SynTF.
    words : int
        How many GloVe words the vocabulary has, unless ``vectors`` (.npy) and ``word_list`` name another one.
    """
    from sfumato.text import (
        AuthorshipAttack,
        Scrubber,
        SimilarityUtility,
        SynTF,
        TopicUtility,
        VerificationAttack,
        Vocabulary,
        WordExponential,
        load_glove,
    )

    if (vectors is None) != (word_list is None):
        raise bad_input("vectors, word_list", (vectors, word_list), "both of them or neither")
    corpus = _read(data, column, author, topic)
    if vectors is not None and word_list is not None:
        every = content = Vocabulary.load(vectors, word_list)
    else:
        every, content = load_glove(words), load_glove(words, content=True)
    levels = list(epsilons)
    utilities: list[Any] = [SimilarityUtility(vocabulary=every)]
    if topic is not None:
        utilities.insert(0, TopicUtility())
    return Study(
        name="own-text",
        title=f"{count(len(corpus), 'text')} of {count(len(set(corpus.authors.tolist())), 'author')}",
        summary="SynTF releases a bag of synthetic words per text, the others replace or mask word by word. The "
        "attacker learns the style of each author from texts protected in the same way.",
        data=corpus,
        mechanisms={
            "SynTF": sweep(SynTF, epsilon=levels, length=length, vocabulary=content),
            "word by word (exponential)": sweep(WordExponential, epsilon=[0.4 * e for e in levels], vocabulary=every),
            "names and numbers masked": [Scrubber()],
        },
        attacks=[
            AuthorshipAttack(),
            AuthorshipAttack(name="authorship (static)", adaptive=False),
            VerificationAttack(),
        ],
        utilities=utilities,
        seeds=2,
        contains=holdings(corpus),
        records=len(corpus),
    )


def holdings(corpus: Corpus) -> Mapping[str, Mapping[str, int]]:
    """How many words the longest document and the most prolific author have, and how many documents."""
    lengths = [len(text.split()) for text in corpus.texts]
    authors = [str(name) for name in corpus.authors]
    written: Counter[str] = Counter()
    for name, own in zip(authors, lengths, strict=True):
        written[name] += own
    return {
        "word": {"document": max(1, *lengths), "person": max(1, *written.values())},
        "document": {"person": max(Counter(authors).values())},
    }


def _read(path: Path, column: str, author: str, topic: str | None) -> Corpus:
    """The texts of authors with at least three, every third one for testing."""
    import numpy as np

    from sfumato.text.core.corpus import Corpus
    from sfumato.text.core.records import field_of, stream_records, text_of

    seen: Counter[str] = Counter()
    rows: list[tuple[str, str, str, bool]] = []
    for number, record in enumerate(stream_records(str(path)), 1):
        own = field_of(record, author, number, "author")
        seen[own] += 1
        subject = own if topic is None else field_of(record, topic, number, "topic")
        rows.append((text_of(record, column, number), own, subject, seen[own] % 3 != 0))
    rows = [row for row in rows if seen[row[1]] >= 3]  # one text cannot be both learned from and tested
    if len({row[1] for row in rows}) < 2:
        raise bad_input(author, f"{len(seen)} values", "at least two authors with three texts or more")
    texts, authors, topics, train = zip(*rows, strict=True)
    return Corpus(texts=texts, authors=np.array(authors), topics=np.array(topics), train=np.array(train))
