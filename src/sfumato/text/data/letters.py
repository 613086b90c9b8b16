"""Made-up letters: topics × authors, each author with habits of style (the stand-in of Weggenmann §8, E1).

A topic decides what is written about, an author how: which of several equivalent words, how many function words and
which, how much punctuation, which greeting. So topic and author can be told apart, and a good protection keeps one and
loses the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.vocabulary.ppmi import ppmi_vocabulary
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import integer

__all__ = ["Letters", "make_letters", "make_letters_corpus", "make_letters_pool", "make_letters_vocabulary"]

_TOPICS = {
    "garden": "rose/tulip seed/bulb soil/earth spade/shovel lawn/grass "
    "hedge/shrub apple/pear water/sprinkle prune/trim harvest/gather",
    "money": "bank/lender loan/credit share/stock profit/gain invoice/bill "
    "price/cost tax/duty account/ledger invest/save market/exchange",
    "sport": "match/game goal/point team/squad coach/trainer ball/puck "
    "race/sprint league/cup win/triumph player/striker stadium/arena",
    "travel": "train/railway flight/plane hotel/inn beach/coast passport/visa "
    "luggage/suitcase map/atlas guide/escort journey/trip island/isle",
    "health": "doctor/physician pill/tablet fever/flu nurse/carer clinic/hospital "
    "pain/ache diet/nutrition sleep/rest cure/remedy heart/pulse",
    "music": "song/tune piano/organ choir/chorus concert/recital violin/fiddle "
    "rhythm/beat melody/theme singer/vocalist stage/platform drum/cymbal",
}
_PLAIN_TEXT = (
    "big/large small/little begin/start end/finish buy/purchase help/assist think/believe quick/fast show/display "
    "perhaps/maybe often/frequently also/too ask/enquire need/require choose/select hard/difficult easy/simple "
    "new/recent"
)
_PLAIN = _PLAIN_TEXT.split()
_GOOD_TEXT = "lovely/splendid happy/glad wonderful/marvellous pleased/delighted"
_GOOD = _GOOD_TEXT.split()
_BAD_TEXT = "awful/dreadful sad/unhappy terrible/horrible annoyed/upset"
_BAD = _BAD_TEXT.split()
_GLUE_TEXT = "the of and to in that it was for on with as at by this but from they which an be not have so"
_GLUE = _GLUE_TEXT.split()
_OPENINGS = ("Hello,", "Dear all,", "Hi there,", "Good morning,", "Greetings,")
_ENDINGS = ("Cheers", "Regards", "Yours", "Best", "Bye")


@dataclass(frozen=True, kw_only=True)
class Letters:
    """Texts with author, topic, mood (good or bad) and split."""

    texts: list[str]
    authors: list[str]
    topics: list[str]
    moods: list[str]
    train: list[bool]


@dataclass(frozen=True, kw_only=True)
class _Author:
    taste: np.ndarray
    glue: np.ndarray
    chatty: float
    comma: float
    shout: float
    opening: str
    ending: str


def make_letters(
    *, authors: int = 8, topics: int = 5, letters: int = 30, length: int = 60, seed: int = 0, strength: float = 2.0
) -> Letters:
    """Make letters by invented people.

    Parameters
    ----------
    authors, topics : int
    letters : int
        By each author; two of three are for training.
    length : int
        Words in a letter, about.
    strength : float
        How marked the habits are; 0 makes all authors the same.

    Examples
    --------
    >>> made = make_letters(authors=3, letters=6)
    >>> len(made.texts), sorted(set(made.authors)), sum(made.train)
    (18, ['author 1', 'author 2', 'author 3'], 12)
    """
    integer("authors", authors), integer("letters", letters, least=3), integer("length", length)
    names = list(_TOPICS)[: integer("topics", topics, most=len(_TOPICS))]
    rng = seeded_rng(seed)
    made = Letters(texts=[], authors=[], topics=[], moods=[], train=[])
    for number in range(authors):
        author = _author(rng, strength)
        for k in range(letters):
            topic = names[int(rng.integers(len(names)))]
            mood = "good" if rng.random() < 0.5 else "bad"
            made.texts.append(_letter(author, topic, mood, length, rng))
            made.authors.append(f"author {number + 1}")
            made.topics.append(topic)
            made.moods.append(mood)
            made.train.append(k % 3 != 2)
    return made


def make_letters_corpus(*, authors: int = 8, letters: int = 24, seed: int = 0) -> Corpus:
    """Make letters by invented people, as a corpus.

    >>> make_letters_corpus(authors=2, letters=3)
    Corpus(6 texts, 2 authors, 4 topics)
    """
    made = make_letters(authors=authors, letters=letters, seed=seed)
    return Corpus(texts=made.texts, authors=made.authors, topics=made.topics, moods=made.moods, train=made.train)


@lru_cache(maxsize=1)
def make_letters_vocabulary() -> Vocabulary:
    """A public vocabulary with vectors, from letters by other invented people."""
    public = make_letters(authors=25, letters=30, seed=1_000_003)
    return ppmi_vocabulary(public.texts, dimension=24)


@lru_cache(maxsize=1)
def make_letters_pool() -> PublicPool:
    """Public letters with their topics, by other invented people."""
    public = make_letters(authors=25, letters=12, seed=1_000_003)
    return PublicPool.of(public.texts, topics=public.topics, source="letters by other invented people")


def _author(rng: np.random.Generator, strength: float) -> _Author:
    pairs = sum(len(words.split()) for words in _TOPICS.values()) + len(_PLAIN) + len(_GOOD) + len(_BAD)
    glue = rng.dirichlet(np.full(len(_GLUE), 2.0 / (0.2 + strength)))
    mixed = 1 / (1 + np.exp(-strength * rng.normal(size=pairs)))
    return _Author(
        taste=mixed,
        glue=glue,
        chatty=float(rng.uniform(0.2, 0.5)),
        comma=float(rng.uniform(0.0, 0.2)),
        shout=float(rng.uniform(0.0, 0.5)),
        opening=str(rng.choice(_OPENINGS)) if strength else _OPENINGS[0],
        ending=str(rng.choice(_ENDINGS)) if strength else _ENDINGS[0],
    )


def _letter(author: _Author, topic: str, mood: str, length: int, rng: np.random.Generator) -> str:
    """Content words mostly of the topic and in its contexts, among the author's function words."""
    pairs = [pair for words in _TOPICS.values() for pair in words.split()] + _PLAIN + _GOOD + _BAD
    place = {pair: k for k, pair in enumerate(pairs)}
    here, moods = _TOPICS[topic].split(), _GOOD if mood == "good" else _BAD
    words: list[str] = []
    sentence = 0
    count = max(5, int(length * rng.uniform(0.7, 1.3)))
    while len(words) < count:
        if rng.random() < author.chatty:
            words.append(str(rng.choice(_GLUE, p=author.glue)))
        else:
            kind = rng.random()
            source = here if kind < 0.55 else _PLAIN if kind < 0.85 else moods
            pair = source[int(rng.integers(len(source)))]
            words.append(pair.split("/")[int(rng.random() < author.taste[place[pair]])])
        sentence += 1
        if sentence > 6 and rng.random() < 0.2:
            words[-1] += "!" if rng.random() < author.shout else "."
            sentence = 0
        elif rng.random() < author.comma:
            words[-1] += ","
    return f"{author.opening} {' '.join(words)}. {author.ending}"
