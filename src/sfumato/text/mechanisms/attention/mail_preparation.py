"""Mails as the thesis prepares them: pieces of one length, each with a farewell that names its sender (Fischer B17)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.tokens import stop_words, tokens
from sfumato.validate import integer

__all__ = ["PreparedMails", "prepare_mails"]

_FORWARDED = re.compile(r"-{3,}.*forwarded|^>|original message", re.I | re.M)
_FAREWELLS = (
    "kind regards {}",
    "best wishes {}",
    "yours faithfully {}",
    "many thanks {}",
    "talk soon {}",
    "{} wishes you a good day",
    "greetings from {}",
    "please answer {} soon",
    "call {} with any question",
    "{} looks forward to your answer",
    "all the best {}",
    "sincerely {}",
)


@dataclass(frozen=True, kw_only=True)
class PreparedMails:
    """Mails ready to be read by a network.

    Parameters
    ----------
    texts : list of str
        Lower case, without punctuation and stop words, each with a farewell.
    senders : list of str
    mails : list of int
        Which mail a text is a piece of: pieces of one mail belong to one part of a split.
    names : dict of str to str
        The token that stands for each sender.
    """

    texts: list[str]
    senders: list[str]
    mails: list[int]
    names: dict[str, str]


def prepare_mails(
    texts: Sequence[str], senders: Sequence[str], *, words: int = 100, rng: Rng | None = None
) -> PreparedMails:
    """Cut mails to ``words`` words, keep the first and the last piece of longer ones, and add a farewell.

    Forwarded mails are dropped. What lies between the first and the last piece is left out of the corpus, as in the
    thesis: this prepares data to learn from; nothing is protected here.

    Examples
    --------
    >>> import numpy as np
    >>> made = prepare_mails(["The gas price fell."], ["allen-p"], rng=np.random.default_rng(0))
    >>> made.senders, made.names["allen-p"] in made.texts[0].split(), "price" in made.texts[0]
    (['allen-p'], True, True)
    """
    if len(senders) != len(texts):
        raise bad_input("senders", len(senders), f"one for each of the {len(texts)} texts")
    integer("words", words)
    generator, dull = resolve_rng(rng), stop_words()
    names = {one: re.sub(r"[^a-z]", "", str(one).lower()) or "sender" for one in sorted(set(map(str, senders)))}
    if len(set(names.values())) < len(names):  # numbered senders differ in digits only, which are no words
        names = {one: f"sender{_letters(k)}" for k, one in enumerate(names)}
    found = PreparedMails(texts=[], senders=[], mails=[], names=names)
    for mail, (text, sender) in enumerate(zip(check_texts(texts), senders, strict=True)):
        if _FORWARDED.search(text):
            continue
        own = [word.lower() for word in tokens(text)]
        pieces = [own[k : k + words] for k in range(0, len(own), words)]
        for piece in [pieces[0], pieces[-1]] if len(pieces) > 1 else pieces:
            farewell = _FAREWELLS[int(generator.integers(len(_FAREWELLS)))].format(names[str(sender)])
            kept = [word for word in (*piece, *farewell.split()) if word not in dull]
            found.texts.append(" ".join(kept))
            found.senders.append(str(sender))
            found.mails.append(mail)
    return found


def _letters(number: int) -> str:
    """A number in letters: 0 is a, 26 is ba."""
    rest, last = divmod(number, 26)
    return (_letters(rest) if rest else "") + chr(97 + last)
