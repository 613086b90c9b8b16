"""Names of people by name lists and by where they stand: greetings, signatures, headers, titles.

Quick and without a model. A name that is in no list and stands nowhere telling is missed; see
:class:`~sfumato.text.Cascade` for what to do about it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sfumato.errors import bad_input
from sfumato.text.scrub.names.alphabet import CAPITAL, SMALL
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, COMMON_NAMES, NOT_NAMES, ORGANISATION, PARTICLES, TITLES
from sfumato.text.scrub.names.name_places import NAME_WORD, names_by_place
from sfumato.text.scrub.names.script_names import names_in_other_scripts
from sfumato.text.scrub.span import Span

__all__ = ["NameRecogniser", "nltk_names", "opens_sentence"]

_STOPS = NOT_NAMES | TITLES
"""What is no part of a name."""

_RUN = re.compile(
    rf"(?<![\w@./'’\-]){NAME_WORD}"
    rf"(?:[ ](?:{CAPITAL}\.|(?:{'|'.join(sorted(PARTICLES))})|{NAME_WORD})(?=[ ]|{NAME_WORD}|\W|$))*(?![\w@])"
)
_WORD = re.compile(rf"{NAME_WORD}|{CAPITAL}\.|{SMALL}+")
_SHOUTED = re.compile(
    rf"(?<![\w@./'’\-]){CAPITAL}{{3,}}(?:['’\-]{CAPITAL}{{2,}})*(?:[ ]{CAPITAL}{{2,}}(?:['’\-]{CAPITAL}"
    rf"{{2,}})*)*(?![\w@])"
)
_PLAIN = re.compile(r"(?<![\w@./\-])[^\W\d_]{3,}(?:-[^\W\d_]{3,})?(?![\w@]|\.\w)")
_ABOUT = frozenset(
    "ask tell told asked call called email emailed met meet ping with from by cc for and hi hey thanks "
    "love to saw visited "
    "texted seen mit von bei für an avec chez pour con para per da".split()
)
"""Small words after which a name in small letters is taken for one."""
_LOCAL_PART = re.compile(r"(?<![\w.%+\-])([\w.\-]{1,64})@")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_INITIAL = re.compile(rf"(?<!\w){CAPITAL}\.$")


def opens_sentence(text: str, start: int) -> bool:
    """Whether a sentence or a line starts here, so that a capital says nothing; after an initial none does.

    >>> opens_sentence("He left. Rose came.", 9), opens_sentence("by J. Rose", 6)
    (True, False)
    """
    before = text[max(0, start - 4) : start].rstrip(" \t>*\"'“(")
    return not before or (before[-1] in ".!?:\n" and not _INITIAL.search(before))


@lru_cache(maxsize=1)
def nltk_names() -> frozenset[str]:
    """The 7,944 given names of the NLTK names corpus (Kantrowitz), in lower case, from ``$SFUMATO_DATA``."""
    from sfumato.io.datasets.catalogue import data_file

    path = data_file("nltk_data/corpora/names.zip")
    with zipfile.ZipFile(path) as archive:
        lists = [archive.read(f"names/{sex}.txt").decode() for sex in ("female", "male")]
    return frozenset(name.strip().lower() for text in lists for name in text.splitlines() if name.strip())


@dataclass(frozen=True, kw_only=True, eq=False)
class NameRecogniser:
    """Finds names of people from a list, from their place in a mail, and again wherever their words recur in that text.

    Parameters
    ----------
    names : collection of str
        Given and family names; case does not matter. By default :data:`COMMON_NAMES`; :func:`nltk_names` has more.
    ambiguous : collection of str
        Names that are words as well, taken for names only next to another name or where a name must stand.

    Examples
    --------
    >>> text = "Dear Ludmila,\\nwill you ask Peter Ostrander? Ludmila, it is urgent.\\n\\nBest regards,\\nKerstin Ahl"
    >>> [text[span.start : span.end] for span in NameRecogniser().find([text])[0]]
    ['Ludmila', 'Peter Ostrander', 'Ludmila', 'Kerstin Ahl']
    """

    names: Collection[str] = COMMON_NAMES
    ambiguous: Collection[str] = AMBIGUOUS

    def __post_init__(self) -> None:
        for label in ("names", "ambiguous"):
            value = getattr(self, label)
            if isinstance(value, str) or not all(isinstance(name, str) for name in value):
                raise bad_input(label, type(value).__name__, "a collection of names")
        if not self.names:
            raise bad_input("names", "no names", "at least one name")

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(part for name in self.names for part in name.lower().split())

    @cached_property
    def _unsure(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.ambiguous)

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The names in each text, in their order."""
        return [self._find(text) for text in texts]

    def _is_known(self, word: str) -> bool:
        return word in self._known and word not in self._unsure

    def _find(self, text: str) -> list[Span]:
        places = set(names_by_place(text, self._is_known))
        places.update(names_in_other_scripts(text))
        words = {
            word
            for start, end in places
            for word in _words(text[start:end])
            if len(word) > 2 and word not in NOT_NAMES and word not in self._unsure
        }
        if "@" in text:
            words.update(
                part.lower()
                for match in _LOCAL_PART.finditer(text)
                for part in _LETTERS.findall(match.group(1).replace("_", "."))
                if part.lower() not in NOT_NAMES and part.lower() not in self._unsure
            )
        places.update(self._by_list(text, words))
        places.update(self._shouted(text))
        places.update(self._small(text))
        kept: list[Span] = []
        reach = -1
        for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
            if end > reach:
                kept.append(Span(max(start, reach), end, "PERSON", 0.85, "name"))
                reach = end
        return kept

    def _by_list(self, text: str, here: set[str]) -> Iterator[tuple[int, int]]:
        """Capitalised words of the list, or of a name found in this text, with the capitalised words around them."""
        known, unsure = self._known, self._unsure
        for run in _RUN.finditer(text):
            words = list(_WORD.finditer(text, run.start(), run.end()))
            lower = [word.group().lower().rstrip(".") for word in words]
            if not any(word in known or word in here for word in lower):
                continue
            if lower[-1] in ORGANISATION and not any(word in here for word in lower):
                continue
            opens = opens_sentence(text, run.start())
            is_name = [
                word in here
                or (
                    word in known
                    and (word not in unsure or len(words) > 1)
                    and not (place == 0 and opens and word in unsure)
                )
                for place, word in enumerate(lower)
            ]
            place = 0
            while place < len(words):
                if not is_name[place]:
                    place += 1
                    continue
                first = last = place
                while first > 0 and lower[first - 1] not in _STOPS and not (first == 1 and opens):
                    first -= 1
                while last + 1 < len(words) and last - place < 3 and lower[last + 1] not in _STOPS:
                    last += 1
                yield words[first].start(), words[last].end()
                place = last + 1

    def _shouted(self, text: str) -> Iterator[tuple[int, int]]:
        """Names of the list in capitals; of two or three words in capitals between other text, all of them."""
        for run in _SHOUTED.finditer(text):
            words = list(re.finditer(r"\S+", run.group()))
            lower = [word.group().lower() for word in words]
            if len(words) <= 3 and self._is_known(lower[0]) and not (_STOPS | ORGANISATION).intersection(lower):
                yield run.span()
                continue
            for word, small in zip(words, lower, strict=True):
                if self._is_known(small):
                    yield run.start() + word.start(), run.start() + word.end()

    def _small(self, text: str) -> Iterator[tuple[int, int]]:
        """Names of the list in small letters, two beside each other or after a word that leads to a name."""
        before, before_end = "", -2
        for word in _PLAIN.finditer(text):
            spelling = word.group()
            if spelling.islower() and self._is_known(spelling):
                beside = before_end == word.start() - 1
                if beside and before in self._known and before.islower():
                    yield word.start() - 1 - len(before), word.end()
                elif before.lower() in _ABOUT and 0 <= word.start() - before_end <= 2:
                    yield word.span()
            before, before_end = spelling, word.end()


def _words(name: str) -> Iterator[str]:
    for word in _LETTERS.findall(name):
        yield word.lower()
