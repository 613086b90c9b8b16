"""What a locale pack holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["LocalePack", "alternatives"]


def alternatives(words: tuple[str, ...] | str) -> str:
    """Words as alternatives of a pattern, the longest first; underscores stand for spaces.

    >>> alternatives("mit_gruß mit")
    'mit\\\\ gruß|mit'
    """
    listed = words.split() if isinstance(words, str) else words
    return "|".join(re.escape(word.replace("_", " ")) for word in sorted(listed, key=lambda word: (-len(word), word)))


@dataclass(frozen=True, kw_only=True)
class LocalePack:
    """What is known of one language: how its dates, greetings, ids, phones and lists are written.

    Words stand in one string, separated by spaces; an underscore in a word is a space.

    Parameters
    ----------
    language : str
        ISO 639-1.
    regions : tuple of str
        ISO 3166-1 countries whose phone numbers are read without a country code.
    function_words : str
        Small frequent words that tell the language, no two languages the same where it can be had.
    months : tuple of str
        Twelve, each with its short forms, separated by spaces.
    between : str
        What may stand between day, month and year.
    greetings, closings, titles : str
        After what names stand.
    listed : str
        What opens a list of people, before a colon.
    introduced : str
        What comes just before a name.
    id_words : str
        What comes before a number that is somebody's.
    phone_words : str
        What comes before a phone number.
    capital_nouns : bool
        Whether all nouns have capitals, so that a capital says nothing.
    """

    language: str
    regions: tuple[str, ...]
    function_words: str
    months: tuple[str, ...] = ()
    between: str = ""
    greetings: str = ""
    closings: str = ""
    titles: str = ""
    listed: str = ""
    introduced: str = ""
    id_words: str = ""
    phone_words: str = ""
    capital_nouns: bool = False
