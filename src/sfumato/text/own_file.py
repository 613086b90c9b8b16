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
        A table with one text a row, or a folder of documents.
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
        LinkageAttack,
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
        "attacker protects raw texts of each author in the same way to learn from.",
        data=corpus,
        mechanisms={
            "SynTF": sweep(SynTF, epsilon=levels, length=length, vocabulary=content),
            "word by word (exponential)": sweep(WordExponential, epsilon=[0.4 * e for e in levels], vocabulary=every),
            "names and numbers masked": [Scrubber()],
        },
        attacks=[
            AuthorshipAttack(),
            AuthorshipAttack(name="authorship (static)", learns_from="raw"),
            VerificationAttack(),
            LinkageAttack(),
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
    from dataclasses import replace

    from sfumato.io.texts import read_texts
    from sfumato.text.core.records import labelled_corpora, labels_of, texts_of, usable_rows

    table = read_texts(path, column=column)
    for option, name in (("author", author), ("topic", topic)):
        if name is not None and name not in table.column_names:
            raise bad_input(option, name, "one of the columns " + ", ".join(table.column_names))
    texts, authors = texts_of(table, column), labels_of(table, author)
    corpus, _ = labelled_corpora(texts, texts, authors)
    return corpus if topic is None else replace(corpus, topics=labels_of(table, topic)[usable_rows(authors)])
