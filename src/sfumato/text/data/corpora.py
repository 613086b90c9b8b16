"""The corpora of the ready studies."""

from __future__ import annotations

from functools import lru_cache

from sfumato.text.core.corpus import Corpus
from sfumato.text.vocabulary.embedding import ppmi_vocabulary
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["letters_corpus", "letters_vocabulary", "newsgroups_corpus"]


def letters_corpus(*, authors: int = 8, letters: int = 24, seed: int = 0) -> Corpus:
    """Made-up letters as a corpus.

    >>> letters_corpus(authors=2, letters=3)
    Corpus(6 texts, 2 authors, 4 topics)
    """
    from sfumato.text.data.letters import make_letters

    made = make_letters(authors=authors, letters=letters, seed=seed)
    return Corpus(texts=made.texts, authors=made.authors, topics=made.topics, moods=made.moods, train=made.train)


@lru_cache(maxsize=1)
def letters_vocabulary() -> Vocabulary:
    """Words and vectors from letters by other made-up people, which need no protection."""
    from sfumato.text.data.letters import make_letters

    public = make_letters(authors=25, letters=30, seed=1_000_003)
    return ppmi_vocabulary(public.texts, dimension=24)


def newsgroups_corpus(scenario: str = "Top10/Any") -> Corpus:
    """The posts of one scenario of Weggenmann §5.3.2, group as topic."""
    from sfumato.text.data.newsgroups import scenario_posts

    posts = scenario_posts(scenario)
    return Corpus(
        texts=[post.text for post in posts],
        authors=[str(post.author) for post in posts],
        topics=[post.group for post in posts],
        train=[post.train for post in posts],
    )
