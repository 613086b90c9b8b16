"""National ids by their check digits and phone numbers by the plans of the countries."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.scrub.locales.languages import LANGUAGES, phrase_before, phrases_of_all
from sfumato.text.scrub.patterns.find import has_digit
from sfumato.text.scrub.patterns.phones import is_announced, phone_candidates
from sfumato.text.scrub.span import Span
from sfumato.validate import extra

__all__ = ["NATIONAL_IDS", "NumberRecogniser", "e164"]

_GAP = r"[ .\-/]?"


def _digits(*groups: int) -> str:
    """Groups of digits, perhaps with a separator between them."""
    return _GAP.join(rf"\d{{{group}}}" for group in groups)


NATIONAL_IDS: dict[str, tuple[str, str, bool]] = {
    # what the number looks like, what checks it, and whether that is sure enough without a word before it
    "us_ssn": (_digits(3, 2, 4), "us.ssn", False),
    "us_itin": (r"9\d{2}-?\d{2}-?\d{4}", "us.itin", False),
    "us_ein": (r"\d{2}-\d{7}", "us.ein", False),
    "gb_nhs": (r"\d{3}[ \-]\d{3}[ \-]\d{4}|\d{10}", "gb.nhs", False),
    "gb_utr": (r"\d{5} ?\d{5}K?", "gb.utr", False),
    "de_idnr": (r"\d{2} \d{3} \d{3} \d{3}|\d{11}", "de.idnr", True),
    "de_stnr": (r"\d{2,3}/\d{3}/\d{4,5}", "de.stnr", True),
    "fr_nir": (r"[12] ?\d{2} ?\d{2} ?[\dAB]{2} ?\d{3} ?\d{3} ?\d{2}", "fr.nir", True),
    "fr_siret": (r"\d{3} ?\d{3} ?\d{3} ?\d{5}", "fr.siret", False),
    "es_dni": (r"\d{2}\.?\d{3}\.?\d{3}[ \-]?[A-Za-z]", "es.dni", True),
    "es_nie": (r"[XYZxyz][ \-]?\d{7}[ \-]?[A-Za-z]", "es.nie", True),
    "it_codicefiscale": (r"[A-Za-z]{6}[ ]?\d{2}[A-Za-z]\d{2}[ ]?[A-Za-z]\d{3}[A-Za-z]", "it.codicefiscale", True),
    "jp_mynumber": (_digits(4, 4, 4), "jp.in_", False),
    "nl_bsn": (r"\d{9}|\d{4}\.\d{2}\.\d{3}", "nl.bsn", False),
    "pl_pesel": (r"\d{11}", "pl.pesel", True),
    "pt_nif": (r"\d{3} ?\d{3} ?\d{3}", "pt.nif", False),
    "be_nn": (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}|\d{11}", "be.nn", True),
    "ch_ssn": (r"756\.?\d{4}\.?\d{4}\.?\d{2}", "ch.ssn", True),
    "at_vnr": (r"\d{4} ?\d{6}", "at.vnr", False),
    "se_personnummer": (r"(?:\d{2})?\d{6}[\-+]\d{4}", "se.personnummer", True),
    "dk_cpr": (r"\d{6}-\d{4}", "dk.cpr", True),
    "no_fodselsnummer": (r"\d{6} ?\d{5}", "no.fodselsnummer", True),
    "fi_hetu": (r"\d{6}[\-+A]\d{3}[0-9A-Z]", "fi.hetu", True),
    "ie_pps": (r"\d{7}[A-W][A-IW]?", "ie.pps", True),
    "in_aadhaar": (r"\d{4}[ \-]\d{4}[ \-]\d{4}|\d{12}", "in_.aadhaar", False),
    "br_cpf": (r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}", "br.cpf", False),
    "mx_curp": (r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d", "mx.curp", True),
    "ca_sin": (r"\d{3}[ \-]\d{3}[ \-]\d{3}", "ca.sin", True),
    "au_tfn": (r"\d{3} \d{3} \d{3}|\d{9}", "au.tfn", False),
    "cn_ric": (r"\d{17}[\dXx]", "cn.ric", True),
    "kr_rrn": (r"\d{6}-\d{7}", "kr.rrn", True),
    "za_idnr": (r"\d{13}", "za.idnr", False),
    "tr_tckimlik": (r"\d{11}", "tr.tckimlik", False),
    "cz_rc": (r"\d{6}/\d{3,4}", "cz.rc", True),
    "ro_cnp": (r"[1-8]\d{12}", "ro.cnp", True),
    "eu_vat": (r"(?:AT ?U|BE ?|BG ?|CY ?|CZ ?|DE ?|DK ?|EE ?|EL ?|ES ?|FI ?|FR ?|HR ?|HU ?|IE ?|IT ?"
r"|LT ?|LU ?|LV ?|MT ?|NL ?|PL ?"
               r"|PT ?|RO ?|SE ?|SI ?|SK ?)[0-9A-Z]{8,12}", "eu.vat", True),
    "imei": (r"\d{2}[ \-]?\d{6}[ \-]?\d{6}[ \-]?\d", "imei", False),
}  # fmt: skip
"""The ids that are known, each with its form, the module of python-stdnum that checks it, and whether that suffices."""

_ID_WORDS = phrases_of_all("id_words") | frozenset(
    "tax ssn nhs tin tfn sin bsn nif cpf aadhaar pesel imei svnr vnr number nummer numéro número numero id nr".split()
)
_BETWEEN = frozenset("is was ist est es è the my number no code card für for of von de der le".split())
_TOKEN = re.compile(r"[\dA-Za-z]+")
_LAST = re.compile(r"(?:[ .\-/+][^ .\-/+]*|[^ .\-/+]+)$")
_SHORTEST = 8


@cache
def _pattern() -> re.Pattern[str]:
    """One pattern for everything that could be an id: no validator is asked twice at one place."""
    start = r"(?<![\w.,+\-/$€£])(?=[A-Za-z]{0,6}\d|[A-Z]{1,3}[ \-]\d|[A-Za-z]{6} \d)"
    return re.compile(start + r"[\dA-Za-z]{1,20}(?:[ .\-/+][\dA-Za-z]{1,12}){0,7}(?![\w]|[.,]\d)")


@cache
def _checks() -> tuple[tuple[str, re.Pattern[str], Callable[[str], bool], bool], ...]:
    extra("stdnum", "text")
    return tuple(
        (name, re.compile(form), import_module(f"stdnum.{module}").is_valid, sure)
        for name, (form, module, sure) in NATIONAL_IDS.items()
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class NumberRecogniser:
    """Finds national ids and phone numbers with the libraries that know their rules.

    An id is one that python-stdnum accepts, with its check digits. One whose check digit is weak (a number of nine
    digits passes by chance one time in ten) also needs a word before it that says what it is. A phone number is one
    that phonenumbers accepts in the plan of its country, or of one of ``regions`` if it is written without.

    Parameters
    ----------
    ids : collection of str
        Which of :data:`NATIONAL_IDS`.
    regions : sequence of str
        Countries whose numbers are read without a country code, by their ISO code.

    Examples
    --------
    >>> text = "My SSN is 536-90-4399, call 030 901820 or (044) 668 18 00; tax id 86095742719."
    >>> [(span.source, text[span.start : span.end]) for span in NumberRecogniser().find([text])[0]]
    [('id:us_ssn', '536-90-4399'), ('id:de_idnr', '86095742719'), ('phone', '030 901820'), ('phone', '(044) 668 18 00')]
    """

    ids: Collection[str] = tuple(NATIONAL_IDS)
    regions: Sequence[str] = tuple(dict.fromkeys(region for pack in LANGUAGES.values() for region in pack.regions))

    def __post_init__(self) -> None:
        unknown = [name for name in self.ids if name not in NATIONAL_IDS]
        if isinstance(self.ids, str) or unknown:
            raise bad_input("ids", unknown or self.ids, "some of " + ", ".join(NATIONAL_IDS))
        if isinstance(self.regions, str) or not all(isinstance(one, str) and len(one) == 2 for one in self.regions):
            raise bad_input("regions", self.regions, "countries such as ('US', 'DE')")

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ids and phone numbers of each text."""
        checks = [check for check in _checks() if check[0] in self.ids]
        library = extra("phonenumbers", "text")
        return [[*_ids(text, checks), *self._phones(text, library)] if has_digit(text) else [] for text in texts]

    def _phones(self, text: str, library: Any) -> Iterator[Span]:
        for match in phone_candidates(text):
            number = match.group()
            digits = sum(c.isdigit() for c in number)
            told = is_announced(text, match.start())
            grouped = bool(re.search(r"\d[ .()/\-–\u00a0]{1,3}\d", number))
            if digits < 7 or not (grouped or told or number[0] in "+0("):
                continue  # a bare row of digits without a word before it can be anything
            if _read_phone(number, tuple(self.regions), library) is not None:
                yield Span(match.start(), match.end(), "PHONE", 0.85 if told or number[0] in "+(" else 0.75, "phone")


def _ids(text: str, checks: Sequence[tuple[str, re.Pattern[str], Callable[[str], bool], bool]]) -> Iterator[Span]:
    pattern, at = _pattern(), 0
    while match := pattern.search(text, at):
        value, found = match.group(), None
        while found is None and _shortest(value):
            found = next(_accepted(text, match.start(), value, checks), None)
            if found is None:  # the pattern may have taken a word that follows
                value = _LAST.sub("", value)
        if found is not None:
            yield Span(match.start(), match.start() + len(value), "ID", 0.85, f"id:{found}")
        # Of a candidate that is no id only the first token is left behind: an id may begin at the second.
        first = _TOKEN.match(text, match.start())
        at = match.start() + len(value) if found is not None or first is None else first.end()


def _shortest(value: str) -> bool:
    return sum(map(str.isalnum, value)) >= _SHORTEST


def _accepted(
    text: str, start: int, value: str, checks: Sequence[tuple[str, re.Pattern[str], Callable[[str], bool], bool]]
) -> Iterator[str]:
    told: bool | None = None
    for name, form, is_valid, sure in checks:
        if not form.fullmatch(value) or not is_valid(value):
            continue
        if not sure and told is None:
            told = phrase_before(text, start, _ID_WORDS, skipped=_BETWEEN)
        if sure or told:
            yield name


@cache
def _read_phone(number: str, regions: tuple[str, ...], library: Any) -> str | None:
    """The number as E.164 in the first plan that has it."""
    international = number.lstrip("(").startswith(("+", "00"))
    spelled = re.sub(r"^\(?00", "+", number) if international else number
    spelled = spelled.replace("(0)", "") if international else spelled
    for region in (None,) if international else regions:
        try:
            read = library.parse(spelled, region)
        except library.NumberParseException:
            continue
        if library.is_valid_number(read):
            return str(library.format_number(read, library.PhoneNumberFormat.E164))
    return None


def e164(number: str, regions: Sequence[str] = ()) -> str | None:
    """A phone number as ``+`` and digits; ``None`` if no plan has it.

    >>> e164("+44 (0)20 7946 0018"), e164("020 7946 0018", ("GB",))
    ('+442079460018', '+442079460018')
    """
    return _read_phone(number, tuple(regions) or NumberRecogniser().regions, extra("phonenumbers", "text"))
