"""Numbers that are somebody's because a word before them says so, or by a form that nothing else has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.text.scrub.locales.languages import phrase_before, phrases_of_all
from sfumato.text.scrub.patterns.find import Find

__all__ = ["PLAIN_ID", "identifiers"]

_VALUE = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏ_.,+])[A-Z]{0,6}[\-/]?\d[A-Z0-9\-/.]{2,24}(?:[ ]\d[A-Z0-9\-]{1,8}){0,4}(?![0-9A-Za-zÀ-ɏ_])"
    r"|(?<!\w)[A-Z]{1,6} \d[A-Z0-9\-/.]{2,24}(?!\w)"
)
_FILLERS = frozenset(
    "number numbers numero número numéro nummer no nr num id ids code card is was ist lautet est es è w"
    "ere the my your her his "
    "new old le la el il der die das n nº # ref reference".split()
)
_COUNTED = re.compile(r"(?:19|20)\d\d|\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+\.\d+")
PLAIN_ID = re.compile(
    r"(?<![\w\-])(?:\d{3}-\d{2}-\d{4}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|[A-Z]{2,5}-\d{4,12})(?![\w\-])"
)
"""Social security numbers, UUIDs, numbers of customers with letters before them."""
_FORMS = (
    ("nino", re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"), 0.8),
    ("driver_gb", re.compile(r"(?<!\w)[A-Z9]{5}\d{6}[A-Z9]{2}\d[A-Z]{2}(?!\w)"), 0.8),
    ("pension_de", re.compile(r"(?<!\w)\d{2} ?[0-3]\d[01]\d\d{2} ?[A-Z] ?\d{3}(?!\w)"), 0.8),
    ("plate", re.compile(r"(?<![\w\-])[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}[EH]?(?!\w)"), 0.7),
    ("plate", re.compile(r"(?<![\w\-])[A-Z]{2}\d{2} [A-Z]{3}(?!\w)"), 0.7),
    ("plate", re.compile(r"(?<![\w\-])[A-Z]{2}-\d{3}-[A-Z]{2}(?![\w\-])"), 0.7),
    ("passport_zone", re.compile(r"(?<!\w)P[A-Z<][A-Z]{3}[A-Z<]{39}(?![A-Z<])"), 1.0),
    ("passport_zone", re.compile(r"(?<!\w)[A-Z0-9<]{9}\d[A-Z]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{14}\d{2}"), 1.0),
    ("booking", re.compile(r"(?:(?<=[Rr]ef )|(?<=[Rr]eference )|(?<=PNR ))(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6}(?!\w)"), 0.6),
    ("pan", re.compile(r"(?<!\w)[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?!\w)"), 0.7),
)  # fmt: skip
_NOT_PERSONAL = re.compile(r"(?i)(?:ISO|RFC|DIN|EN|IEC|IEEE|ANSI|CVE|SKU|HTTP|UTF|SHA|MD|AES|COVID|MP)-\d")


def identifiers(text: str) -> Iterator[Find]:
    """Numbers of customers, passports, plates and the like."""
    phrases = phrases_of_all("id_words")
    for match in _VALUE.finditer(text):
        value = match.group().rstrip(".-/")
        if sum(c.isdigit() for c in value) < 3 or _COUNTED.fullmatch(value):
            continue
        if phrase_before(text, match.start(), phrases, skipped=_FILLERS):
            yield match.start(), match.start() + len(value), 0.6, "labelled"
    for match in PLAIN_ID.finditer(text):
        if not _NOT_PERSONAL.match(match.group()):
            yield (
                match.start(),
                match.end(),
                0.7,
                "ssn" if match.group()[3:4] == "-" and len(match.group()) == 11 else "number",
            )
    for name, pattern, score in _FORMS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), score, name
