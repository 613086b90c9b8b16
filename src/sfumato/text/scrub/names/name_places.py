"""Where a name must stand: after greetings, titles, introductions and closings, in headers and in lists of people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sfumato.text.scrub.locales.languages import LANGUAGES, phrase_before, phrases_of_all, words_of_all
from sfumato.text.scrub.locales.pack import alternatives
from sfumato.text.scrub.names.alphabet import CAPITAL, SMALL, is_capitalised
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, NOT_NAMES, ORGANISATION, PARTICLES, TITLES

__all__ = ["NAME_WORD", "names_by_place"]

NAME_WORD = rf"(?:{CAPITAL}['’])?{CAPITAL}{SMALL}+(?:{CAPITAL}{SMALL}+)?(?:[-'’]{CAPITAL}{SMALL}+)*"
"""A word of a name as it is usually written."""
_SHOUTED = rf"{CAPITAL}{{2,}}(?:[-'’]{CAPITAL}{{2,}})*"
_INITIAL = rf"{CAPITAL}\.(?:[ \-]?{CAPITAL}\.){{0,3}}"
_ANY_WORD = r"[^\W\d_][\w'’\-]*\.?"
_NAME = (
    rf"(?:{_INITIAL}[ ]?)?(?:{NAME_WORD}|{_SHOUTED})(?:[ ](?:{_INITIAL}|(?:{'|'.join(sorted(PARTICLES))})"
    rf"(?!\w)|{NAME_WORD}|{_SHOUTED})){{0,3}}"
)


def _cased(field: str) -> str:
    """The words of all packs as they are, with a capital and in capitals."""
    words = {word.replace("_", " ") for pack in LANGUAGES.values() for word in getattr(pack, field).split()}
    return alternatives(tuple(spelling for word in words for spelling in {word, word.capitalize(), word.upper()}))


_GREETING = re.compile(
    rf"(?im)^[ \t>*]{{0,12}}(?:{words_of_all('greetings')})(?:[ ](?:again|there|zusammen|all))?,?[ ]+"
    rf"([^\n!:;?–—(]{{1,80}})"
)
_TITLE = re.compile(  # no look behind: a pattern that begins with letters is found much more quickly
    rf"(?:{_cased('titles')})\.?[ ]((?:(?:{'|'.join(sorted(TITLES))}|Dr|Prof|Dipl)\.?[ ])?"
    rf"(?:(?:(?:{'|'.join(sorted(PARTICLES))}|und)[ ]){{0,3}}{_NAME}|{_INITIAL}(?![\w])))"
)
_SMALL_TITLE = re.compile(
    r"(?<!\w)(?:mr|mrs|ms|dr|prof|herr|frau|mme|señor|señora|signor|signora)\.?[ ]"
    r"((?:[^\W\d_]\.[ ]?)*[^\W\d_][\w'’\-]{1,20}|[^\W\d_]\.)"
)
_INTRODUCED = re.compile(rf"(?:{_cased('introduced')}):?[ ]({_NAME})")
_THIS_IS = re.compile(
    rf"(?<!\w)(?:[Ss]peaking with|named|called)[ ]((?:{NAME_WORD})(?:[ ]{NAME_WORD}){{0,2}})"
    rf"|(?<!\w)[Tt]his is[ ]({NAME_WORD}[ ]{NAME_WORD}|{NAME_WORD}(?=,? (?:from|at|calling"
    rf"|speaking|here|again|with)(?!\w)))"
)
_SPEAKS = re.compile(
    rf"(?<![\w'’\-])({NAME_WORD})[ ](?:said|says|called|wrote|told|asked|sent|mentioned|replied"
    rf"|thinks|wants|agreed|left|came|went|met"
    r"|joined|helped|works|lives|knows|thought|promised|signed|and I)(?!\w)"
)
_NAMED = re.compile(
    r"(?i)(?<!\w)(?:my name is|name's|name is|me llamo|mi nombre es|mi chiamo|je m'appelle"
    r"|mein name ist|ich heiße|mijn naam is"
    r"|meu nome é|chamo-me|nazywam się|меня зовут)[ ]([^\W\d_][\w'’\-]{1,20}(?:[ ][^\W\d_][\w'’\-]{1,20}"
    r")?)(?=[ ]*(?:[.,;!\n]|and |und |et |y |e |$))"
)
_CLOSING = re.compile(
    rf"(?im)^[ \t>]{{0,12}}(?:{words_of_all('closings')})"
    r"[ \t]*[,.!\-–]*[ \t]*\n\s{0,8}[\-–—~ ]{0,4}"
    r"([^\W\d_][^\n\d@<>:]{0,40}?)[ \t]*(?:[,|/(]|$)"
)
_CLOSING_LINE = re.compile(
    rf"(?im)(?:^|[.!?][ ])(?:{words_of_all('closings')})[,!]?[ ]([^\W\d_][\w'’.\-]{{1,20}}"
    rf"(?:[ ][^\W\d_][\w'’\-]{{1,20}})?)[ .!]{{0,2}}$"
)
_FIELD = re.compile(
    r"(?im)^[ \t>*]{0,12}(from|to|cc|bcc|reply-to|sender|sent by|von|an|de|à|para|da|a)\*?:[ \t]*([^\n]{1,400})"
)
_SHORT_FIELDS = frozenset(("a", "à", "an", "da", "de"))
"""They stand at the start of other lines too ("A: yes, I do."), so that another field must be there."""
_OTHER_FIELD = re.compile(
    r"(?im)^[ \t>*]{0,12}(?:subject|betreff|objet|asunto|oggetto|date|datum|fecha|data|sent|gesendet|envoyé)\*?:"
)
_NAME_FIELD = re.compile(
    r"(?im)(?:^|[|;,{&\t])[ \t>*\-\"']{0,12}(?:name|full[ _]?name|first[ _]?name|last[ _]?name|surname|author"
    r"|signed|patient|employee|contact|contact person"
    r"|client|customer|tenant|applicant|owner|manager|spouse|mother|father|next of kin|emergency contact"
    r"|vorname|nachname|kunde|kundin"
    r"|ansprechpartner(?:in)?|patientin|nom|prénom|nom et prénom|nombre|apellidos?|nome|cognome"
    r"|nome e cognome|imię i nazwisko|paciente|paziente|pupil|nominee|claimant|defendant|complainant|suspect|guardian"
    r"|beneficiary|passenger|(?:class |head ?)?teacher|father's name|mother's name|name as on [^\n:]{1,20}"
    r"|versicherungsnehmer(?:in)?|nimi|huoltaja|patiënte?|acompanhante|anhörig"
    r"|reviewed-by|reported-by|signed-off-by)[\"']?\*?[ \t]*(?::|(?<=name)=)[ \t]*[\"']?"
    r"([^\n|;,(\d<@&\"}]{2,60})"
)
_COLON = re.compile(r"[:：][ \t]*")
_REST = re.compile(r"[^\n]{2,300}")
_BELOW = re.compile(r"\n((?:[ \t]*(?:[\-*•–]|\d{1,2}[.)])[ \t]+[^\n]{2,60}(?:\n|$)){1,60})")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[\-*•–]|\d{1,2}[.)])[ \t]+([^\n,(:\d@]{2,50})")
_FIELD_NAME = re.compile(r"[^,;<>\[\]\"()]+")
_PIECES = re.compile(r"(?i)(?:,[ ]?(?:and|und|et|y|e|och|i|en)[ ]|[ ](?:and|und|et|y|e|&|och|en)[ ]|[,;&/][ ]?)")
_WORD = re.compile(_ANY_WORD)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SMALL_NAMES = re.compile(r"[^\W\d_][^\W\d_ '’.\-]*(?:[ '’.\-]+[^\W\d_]+)*[ .]*")
_SIGNATURE = re.compile(r"[^\W\d_][\w.'’\-]*(?: [^\W\d_][\w.'’\-]*){0,3}")
_NEVER = (NOT_NAMES - AMBIGUOUS) | TITLES
"""What is no name even where a name must stand."""

Known = Callable[[str], bool]


def names_by_place(text: str, is_known: Known) -> Iterator[tuple[int, int]]:
    """Names where a name must stand, in small letters and capitals, too; ``is_known`` says which words are names."""
    for match in _GREETING.finditer(text):
        yield from _greeted(text, *match.span(1), is_known)
    for pattern in (_TITLE, _INTRODUCED, _THIS_IS):
        for match in _whole(pattern, text):
            yield from _trimmed(text, *match.span(match.lastindex or 0))
    for match in _SPEAKS.finditer(text):  # a name that is a word and opens the sentence
        if match.group(1).lower() in AMBIGUOUS - NOT_NAMES or is_known(match.group(1).lower()):
            yield match.span(1)
    for pattern in (_SMALL_TITLE, _NAMED):
        for match in pattern.finditer(text):
            if match.group(1).split()[0].lower().rstrip(".") not in _NEVER:
                yield match.span(1)
    for match in _CLOSING.finditer(text):
        if _is_signature(match.group(1)):
            yield match.span(1)
    for match in _CLOSING_LINE.finditer(text):
        words = match.group(1).lower().split()
        if all(word not in NOT_NAMES for word in words) and (
            is_capitalised(match.group(1)) or is_known(words[0]) or ("," in match.group() and len(words) == 1)
        ):
            yield match.start(1), match.start(1) + len(match.group(1).rstrip("."))
    fields = list(_FIELD.finditer(text))
    mail = len({field.group(1).lower() for field in fields}) > 1 or _OTHER_FIELD.search(text)
    for field in fields:
        if mail or field.group(1).lower() not in _SHORT_FIELDS:
            yield from _addressed(text, *field.span(2))
    for match in _NAME_FIELD.finditer(text):
        yield from _item(text, *match.span(1))
    for match in _COLON.finditer(text):
        if phrase_before(text, match.start(), phrases_of_all("listed")):
            below = _BELOW.match(text, match.end())
            if below:
                for item in _ITEM.finditer(text, *below.span(1)):
                    yield from _item(text, *item.span(1))
            elif rest := _REST.match(text, match.end()):
                yield from _items(text, *rest.span())


def _whole(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that do not begin inside a word."""
    at = 0
    while match := pattern.search(text, at):
        inside = match.start() > 0 and text[match.start() - 1].isalnum()
        at = match.start() + 1 if inside else match.end()
        if not inside:
            yield match


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The pieces between commas and words that join."""
    at = start
    for mark in _PIECES.finditer(text, start, end):
        yield at, mark.start()
        at = mark.end()
    yield at, end


def _greeted(text: str, start: int, end: int, is_known: Known) -> Iterator[tuple[int, int]]:
    """Names after a greeting, up to the first piece that is none."""
    for first, last in _split(text, start, end):
        words = list(_WORD.finditer(text, first, last))
        while words and words[0].group().lower().rstrip(".") in TITLES:
            words.pop(0)
        taken: list[re.Match[str]] = []
        for word in words:
            bare = word.group().lower().rstrip(".")
            if bare in (_NEVER if not taken else NOT_NAMES) or len(taken) == 4:
                break
            if not (is_capitalised(word.group()) or (taken and bare in PARTICLES) or is_known(bare)):
                break
            taken.append(word)
            if word.group().endswith(".") and len(word.group()) > 2:  # the sentence ends
                break
        joined = text[max(0, first - 2) : first] != ", "  # "hi anna, call me": no name follows the comma
        if not taken and joined and 0 < len(words) <= 3 and _SMALL_NAMES.fullmatch(text, first, last):
            taken = words if all(_small_name(word.group()) for word in words) else []
        if not taken:
            return
        reach = taken[-1].end() - (taken[-1].group().endswith(".") and len(taken[-1].group()) > 2)
        yield taken[0].start(), reach


def _small_name(word: str) -> bool:
    lower = word.lower()
    return lower not in NOT_NAMES and lower not in ORGANISATION and len(lower) > 1 and not lower.endswith(("ing", "ed"))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The name without the words around it that are none."""
    words = [word for word in _WORD.finditer(text, start, end) if word.group().lower().rstrip(".") not in _NEVER]
    if words:
        last = words[-1]
        dotted = last.group().endswith(".") and len(last.group()) > 2
        yield words[0].start(), last.end() - dotted


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names of an enumeration. One item that cannot be a name says that it is no list of people."""
    found: list[tuple[int, int]] = []
    for first, last in _split(text, start, end):
        piece = text[first:last].strip(" .\t")
        if not piece:
            continue
        names = list(_item(text, first, last))
        if not names:
            break
        found += names
    yield from found


def _item(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """One item of a list or a form, in any case, if it can be a name."""
    words = list(_WORD.finditer(text, start, end))
    lowered = [word.group().lower().rstrip(".") for word in words]
    while lowered and lowered[0] in TITLES:
        lowered.pop(0)
        words.pop(0)
    if not 1 <= len(words) <= 4 or re.search(r"[\d@=/]", text[start:end]):
        return
    if all(word not in NOT_NAMES and word not in ORGANISATION for word in lowered):
        last = words[-1]
        yield words[0].start(), last.end() - (last.group().endswith(".") and len(last.group()) > 2)


def _addressed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names in the address line of a mail."""
    for part in _FIELD_NAME.finditer(text, start, end):
        value = part.group()
        if "@" not in value and _LETTERS.search(value) and value.strip().lower() not in NOT_NAMES:
            lead = len(value) - len(value.lstrip(" \t'"))
            yield part.start() + lead, part.start() + len(value.rstrip(" \t'"))


def _is_signature(line: str) -> bool:
    """Up to four words with capitals, or one or two in small letters, but not the start of an afterthought."""
    words = line.split()
    if not _SIGNATURE.fullmatch(line) or words[0].lower() in _NEVER:
        return False
    return len(words) <= 2 or all(is_capitalised(word) or word in PARTICLES for word in words)
