"""Postal addresses of the larger European countries, North America and Japan."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.text.scrub.names.alphabet import CAPITAL
from sfumato.text.scrub.patterns.find import Find

__all__ = ["addresses"]

_CAP = rf"{CAPITAL}[\w'’.\-]{{0,30}}"
_PART = (
    rf"(?:{_CAP}|de|du|des|la|le|les|d'{_CAP}|l'{_CAP}|van|von|der|den|del|della|dei|di|da"
    rf"|do|dos|das|el|los|las|y|e|i|am|an|im|zum|zur|of|the|\d{{1,4}})(?!\w)"
)
_ROAD = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Square|Sq|Place|Pl|Terrace|Close"
    r"|Crescent|Parkway|Pkwy|Highway|Hwy|Gardens|Row|Hill|Quay|Mews|Grove|Walk|Circle|Trail|Green|Park|Broadway)"
)
_TOWN = rf"{_CAP}(?:[ \-]{_CAP}){{0,2}}"
_UK_CODE = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_US_CODE = r"[A-Z]{2} \d{5}(?:-\d{4})?"
_CA_CODE = r"[A-Z]{2} [A-Z]\d[A-Z] ?\d[A-Z]\d"
_CONTINENTAL = (
    rf"(?:[A-Z]{{1,2}}-)?(?:\d{{4,5}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}}|\d{{4}}-\d{{3}}|\d{{4}} ?[A-Z]{{2}}"
    rf") {_TOWN}(?: \([A-Z]{{2}}\))?"
)
_TAIL = rf"(?:,?\s{{1,2}}(?:{_CONTINENTAL}))?"
_NUMBER = (
    r"\d{1,4}(?:[a-zA-Z](?!\w)| [a-zA-Z](?![\w.])| ?bis| ?ter)?"
    r"(?:[/\-]\d{1,4}(?:/\d{1,3})?)?(?: \d{1,3}(?=,))?"
)
_CODE = r"(?:[A-Z]{1,2}-)?(?:\d{5}|(?!(?:19|20)\d\d )\d{4}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2})"
_FLOOR = (
    r"(?:,? (?:\d{1,2}\.?[ºª°] (?:izquierda|derecha|centro)|"
    r"\d{1,2}\.?[ºª°]? ?[A-Za-z]?|(?:[Aa]pt|[Pp]iso|[Pp]lanta|[Ii]nt|[Ss]cala|m|lok"
    r"|bus)\.? ?\w{1,4}|\d{1,2} ?(?:izq|dcha)\.?))?"
)
_ADDRESS = [
    # English: 221B Baker Street, Flat 2, London NW1 6XE
    re.compile(
        rf"(?<![\w.,])(?:(?:(?:{_CAP} )?(?:Cottage|House|Lodge|Farm|Vicarage|Rectory|Manor)|The {_CAP}), )?"
rf"(?:(?:Apt|Apartment|Suite|Unit|Flat)\.? ?\w{{1,6}},? )?\d{{1,5}}[A-Za-z]? "
rf"(?:{_CAP} ){{1,4}}{_ROAD}\b\.?"
        rf"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|#)\.? ?\w{{1,6}})?"
        rf"(?:,\s{{1,2}}{_TOWN}(?:,? (?:{_UK_CODE}|{_US_CODE}|{_CA_CODE}|(?:[A-Z]{{2,3}} )?\d{{4,5}}(?!\d)))?)?"
    ),
    # German, Dutch, Swedish: the kind of road is the end of the word
    re.compile(
        rf"\b(?:{CAPITAL}[\w.\-]{{1,20}}[ \-])?{CAPITAL}[\w\-]{{1,30}}(?:straße|strasse|str\."
rf"|weg|platz|allee|gasse|ring|damm|ufer|steig"
        rf"|chaussee|markt|straat|laan|plein|gracht|kade|dijk|gatan|vägen|gade|vej|katu|tie) {_NUMBER}{_TAIL}"
    ),
    re.compile(
        rf"\b(?:{CAPITAL}[\w\-]{{1,30}}[ \-])(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring"
rf"|Damm|Ufer|Chaussee|Markt) {_NUMBER}{_TAIL}"
    ),
    re.compile(rf"\b(?:Am|An der|An dem|Im|In der|In den|Zum|Zur|Auf dem|Unter den) {_CAP}(?: {_CAP})? {_NUMBER},\s"
rf"{{1,2}}{_CONTINENTAL}"),
    # French: 12 bis, rue de la Paix, 75002 Paris
    re.compile(
        rf"(?<![\w.])\d{{1,4}}(?: ?bis| ?ter| ?[A-D])?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Bb]d"
rf"|[Pp]lace|[Aa]llées?|[Ii]mpasse"
        rf"|[Cc]hemin|[Qq]uai|[Cc]ours|[Ss]quare|[Rr]oute|[Pp]assage|[Vv]illa|[Ff]aubourg)(?: {_PART}){{1,6}}{_TAIL}"
    ),
    # Spanish, Italian, Portuguese, Polish: the kind of road comes first, the number last
    re.compile(
        rf"(?<!\w)(?:[Cc]alle|C/|[Aa]venida|Avda?\.?|[Pp]laza|Pza\.?|[Pp]aseo|P\.º|[Cc]arrer|[Rr]onda"
rf"|[Cc]amino|[Tt]ravesía|[Gg]ran [Vv]ía"
        rf"|[Vv]ia|[Vv]iale|[Pp]iazza(?:le)?|[Cc]orso|[Vv]icolo|[Ll]argo|[Ss]trada|[Ll]ungo\w{{3,8}}"
rf"|[Rr]ua|[Tt]ravessa|[Pp]raça|[Aa]lameda"
        rf"|ul\.|[Uu]lica|[Aa]l\.|pl\.|os\.)"
        rf"(?: ?{_PART}){{1,6}}?,? (?:n[.º°]{{1,2}} ?|nº ?|no\.? )?{_NUMBER}{_FLOOR}{_TAIL}(?!\w)"
    ),
    # Any words with capitals, a number, a postal code and a town
    re.compile(rf"\b(?:{_CAP} ){{1,3}}{_NUMBER},\s{{1,2}}{_CODE} {_TOWN}(?: \d{{1,2}}(?!\w))?"),
    # Brazil: Rua Felipe, 515, apto 302, Centro, Florianópolis - SC, 88010-001
    re.compile(
        rf"(?<!\w)(?:[Rr]ua|[Aa]venida|Av\.|[Tt]ravessa|[Aa]lameda|[Pp]raça)(?: ?{_PART}){{1,6}}?, {_NUMBER}"
        rf"(?:,? (?:apto|apartamento|ap|casa|bloco|sala|cj)\.? ?\w{{1,5}})?(?:, {_TOWN}){{0,2}}"
        rf" ?- ?[A-Z]{{2}}(?:,? (?:CEP:? )?\d{{5}}-\d{{3}})?"
    ),
    re.compile(rf"\b{_TOWN},? {_US_CODE}(?!\w)"),
    re.compile(rf"\b(?:{_CAP} )?[A-Z]{{1,2}}\d[A-Z\d]? \d[A-Z]{{2}}(?!\w)"),
    re.compile(r"(?i)\b(?:P\.? ?O\.? ?Box|Postfach|BP|B\.P\.|Apartado(?: de Correos)?|Casella Postale"
r"|Postbus) \d{1,6}\b" + f"(?-i:{_TAIL})"),
    # Japanese: 〒100-0001 東京都千代田区千代田1-1
    re.compile(r"〒\s?\d{3}-\d{4}(?:\s?[^\s、。,]{2,40}\d(?:[\d\-−ー丁目番地号]{0,12}))?"),
    re.compile(r"(?:東京都|北海道|(?:京都|大阪)府|[一-鿿]{2,3}県)[^\s、。,]{1,20}?[市区町村][^\s、。,]{0,20}?\d{1,4}(?:[\-−ー丁目番地号]\d{0,4}"
r"){1,4}"),
]  # fmt: skip


def addresses(text: str) -> Iterator[Find]:
    """Streets with a number, with the town where it follows."""
    for pattern in _ADDRESS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), 0.8, "address"
