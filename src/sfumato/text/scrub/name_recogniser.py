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
from sfumato.text.scrub.name_lists import AMBIGUOUS, COMMON_NAMES, NOT_NAMES, ORGANISATION, PARTICLES, TITLES
from sfumato.text.scrub.span import Span

__all__ = ["NameRecogniser", "nltk_names", "opens_sentence"]

_NEVER = (NOT_NAMES - AMBIGUOUS) | TITLES
"""What is no name even where a name must stand."""

_STOPS = NOT_NAMES | TITLES
"""What is no part of a name."""

_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž]"
_SMALL = r"[a-zß-öø-ÿā-ž]"
_NAME_WORD = rf"(?:{_CAPITAL}['’])?{_CAPITAL}{_SMALL}+(?:{_CAPITAL}{_SMALL}+)?(?:[-'’]{_CAPITAL}{_SMALL}+)*"
_RUN = re.compile(
    rf"(?<![\w@./'’\-]){_NAME_WORD}"
    rf"(?:[ ](?:{_CAPITAL}\.|(?:{'|'.join(sorted(PARTICLES))})|{_NAME_WORD})(?=[ ]|{_NAME_WORD}|\W|$))*(?![\w@])"
)
_WORD = re.compile(rf"{_NAME_WORD}|{_CAPITAL}\.|{_SMALL}+")
_NAME = rf"{_NAME_WORD}(?:[ ](?:{_CAPITAL}\.[ ])?{_NAME_WORD}){{0,2}}"
_GREETING = re.compile(
    rf"(?m)^[ \t>]*(?:Hi|Hello|Hey|Dear|Greetings|Good (?:morning|afternoon|evening)|Hallo|Liebe[rs]?|Bonjour|Hola)"
    rf"(?: again| there)?,?[ ]+((?:[A-Z][a-z]{{1,4}}\.? )?{_NAME}(?:(?:,| and|, and| &)[ ]{_NAME}){{0,4}})"
)
_TITLE = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Herr|Frau|Mme|Señora?|Sgt|Capt|Judge|Rev)\.?[ ]"
    rf"((?:{_CAPITAL}\.[ ])*{_NAME})"
)
_INTRODUCED = re.compile(
    rf"\b(?:[Mm]y name is|[Tt]his is|[Ii] am|I'm|named|called|[Cc]ontact|[Aa]ttn:?|c/o)[ ]({_NAME})"
)
_CLOSING = re.compile(
    r"(?im)^[ \t>]*(?:(?:with )?(?:best|kind|warm|many|kindest|warmest)(?: (?:regards|wishes|thanks))?|regards"
    r"|sincerely(?: yours)?|yours(?: (?:sincerely|faithfully|truly|ever))?|cheers|thanks(?: again| a lot| so much)?"
    r"|thank you|love|cordially|respectfully|talk soon|take care|br|rgds|viele grüße|mit freundlichen grüßen)"
    r"[ \t]*[,.!\-–]*[ \t]*\n\s{0,8}[\-–—~ ]{0,4}"
    r"([^\W\d_][^\n\d@<>:]{0,40}?)[ \t]*(?:[,|/(]|$)"
)
_FIELD = re.compile(r"(?m)^[ \t>*]*(?:From|To|Cc|CC|Bcc|Sent by|Von|An|Name|Author|Signed)\*?:[ \t]*([^\n]{1,400})")
_FIELD_NAME = re.compile(r"[^,;<>\[\]\"()]+")
_LOCAL_PART = re.compile(r"(?<![\w.%+\-])([\w.\-]{1,64})@")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_SIGNATURE = re.compile(r"[^\W\d_][\w.'’\-]*(?: [^\W\d_][\w.'’\-]*){0,3}")


def opens_sentence(text: str, start: int) -> bool:
    """Whether a sentence or a line starts here, so that a capital says nothing."""
    before = text[max(0, start - 4) : start].rstrip(" \t>*\"'“(")
    return not before or before[-1] in ".!?:\n"


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

    def _find(self, text: str) -> list[Span]:
        places = set(_by_place(text))
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


def _by_place(text: str) -> Iterator[tuple[int, int]]:
    """Names where a name must stand: after a greeting, a title or a closing, in the fields of a header."""
    for match in _GREETING.finditer(text):
        yield from _names_in(text, *match.span(1))
    for pattern in (_TITLE, _INTRODUCED):
        for match in pattern.finditer(text):
            yield from _names_in(text, *match.span(1))
    for match in _CLOSING.finditer(text):
        if _is_signature(match.group(1)):
            yield match.span(1)
    for field in _FIELD.finditer(text):
        for part in _FIELD_NAME.finditer(text, *field.span(1)):
            value = part.group()
            if "@" not in value and _LETTERS.search(value) and value.strip().lower() not in NOT_NAMES:
                lead = len(value) - len(value.lstrip(" \t'"))
                yield part.start() + lead, part.start() + len(value.rstrip(" \t'"))


def _names_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The name in a stretch without the words around it that are none, in each part of an enumeration."""
    for part in re.finditer(rf"{_NAME_WORD}(?:[ ](?:{_CAPITAL}\.|{_NAME_WORD}))*", text[start:end]):
        words = [word for word in _WORD.finditer(part.group()) if word.group().lower() not in _NEVER]
        if words:
            yield start + part.start() + words[0].start(), start + part.start() + words[-1].end()


def _is_signature(line: str) -> bool:
    """Up to four words with capitals, or one or two in small letters, but not the start of an afterthought."""
    words = line.split()
    if not _SIGNATURE.fullmatch(line) or words[0].lower() in _NEVER:
        return False
    return len(words) <= 2 or all(word[0].isupper() or word in PARTICLES for word in words)


def _words(name: str) -> Iterator[str]:
    for word in _LETTERS.findall(name):
        yield word.lower()
