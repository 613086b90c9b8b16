"""Accounts and cards, by their check digits; wallets; places as coordinates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from sfumato.text.scrub.patterns.find import Find

__all__ = ["cards", "coordinates", "iban_is_valid", "ibans", "luhn_is_valid", "wallets"]

_IBAN = re.compile(
    r"(?i)(?<![A-Za-z0-9])[A-Z]{2}[ \-]?\d{2}(?:[ \-.]?[A-Z0-9]{4}){2,7}(?:[ \-.]?[A-Z0-9]{1,4})?(?![A-Za-z0-9])"
)
_CARD = re.compile(r"(?<![\d.,\-\w])[2-6]\d{3}(?:[ \-]?\d){8,15}(?!\d|\w)")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BITCOIN = re.compile(rf"(?<!\w)[13][{_BASE58}]{{25,34}}(?!\w)")
_BECH32 = re.compile(r"(?<!\w)(?:bc1|tb1)[ac-hj-np-z02-9]{11,71}(?!\w)")
_ETHER = re.compile(r"(?<!\w)0x[0-9a-fA-F]{40}(?!\w)")
_BIC = re.compile(
    r"\b(?:BIC|SWIFT)(?:[ \-]?(?:code|Code))?\s?[:=]?\s([A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)(?!\w)"
)
_COORDINATES = re.compile(
    r"(?<![\d.])[+\-]?(?:[0-8]?\d|90)\.\d{4,8}°?\s?[NS]?\s?[,;/ ]\s?[+\-]?(?:1[0-7]\d|0?\d{1,2}"
    r"|180)\.\d{4,8}°?\s?[EWO]?(?!\.?\d)"
    r"|\d{1,2}°\s?\d{1,2}[′']\s?(?:\d{1,2}(?:\.\d+)?[″\"]\s?)?[NS],?\s?\d{1,3}°\s?\d{1,2}[′']\s?"
    r"(?:\d{1,2}(?:\.\d+)?[″\"]\s?)?[EWO]"
)


def luhn_is_valid(digits: str) -> bool:
    """Whether the last digit is the check digit of a payment card (Luhn).

    >>> luhn_is_valid("4111111111111111"), luhn_is_valid("4111111111111112")
    (True, False)
    """
    total = sum(map(int, digits[-1::-2]))
    return (total + sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])) % 10 == 0


def iban_is_valid(code: str) -> bool:
    """Whether the check digits of an account number are right (ISO 13616: remainder 1 modulo 97).

    >>> iban_is_valid("DE89370400440532013000"), iban_is_valid("de88370400440532013000")
    (True, False)
    """
    if not 15 <= len(code) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def ibans(text: str) -> Iterator[Find]:
    """Account numbers in any case, in groups or not, and the code of the bank."""
    for match in _IBAN.finditer(text):
        code = match.group()
        while code and not iban_is_valid(re.sub(r"[ \-.]", "", code)):
            code = code.rpartition(" ")[0]  # the pattern may have taken a word that follows
        if code:
            yield match.start(), match.start() + len(code), 1.0, "iban"
    for match in _BIC.finditer(text):
        yield match.start(1), match.end(1), 0.8, "bic"


def cards(text: str) -> Iterator[Find]:
    """Payment cards."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if 13 <= len(digits) <= 19 and luhn_is_valid(digits):
            yield match.start(), match.end(), 1.0, "card"


def wallets(text: str) -> Iterator[Find]:
    """Addresses of crypto-currencies, those of the old kind by their checksum."""
    for match in _BITCOIN.finditer(text):
        if _base58_is_valid(match.group()):
            yield match.start(), match.end(), 1.0, "wallet"
    for pattern in (_BECH32, _ETHER):
        for match in pattern.finditer(text):
            yield match.start(), match.end(), 0.9, "wallet"


def _base58_is_valid(code: str) -> bool:
    value = 0
    for letter in code:
        value = value * 58 + _BASE58.index(letter)
    if value >= 1 << 200:
        return False
    raw = value.to_bytes(25, "big")
    return hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()[:4] == raw[21:]


def coordinates(text: str) -> Iterator[Find]:
    """Latitude and longitude to ten metres or better."""
    if "." in text or "°" in text:
        for match in _COORDINATES.finditer(text):
            yield match.start(), match.end(), 0.8, "coordinates"
