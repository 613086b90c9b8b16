"""What is written in the place of a find, and the way back."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Literal

from sfumato.errors import bad_input
from sfumato.text.scrub.patterns.dates import iso_date

__all__ = ["LEAST_KEY", "MASK", "Replacement", "normal_form", "pseudonym", "restore"]

Replacement = Literal["label", "pseudonym", "mask"]
"""What is written in place of a span: what it was, a name that is the same for the same thing, or nothing."""

MASK = "•••"
LEAST_KEY = 16
"""Bytes of a secret."""
_PSEUDONYM = re.compile(r"\[[A-Z]+-[A-Z2-7]{10}\]")
_WRITTEN_OUT = (
    (re.compile(r"(?i)\s?[\[({<]?\s?(?<!\w)(?:at|@|arroba|ät|chez|chiocciola)(?!\w)\s?[\])}>]?\s?"), "@"),
    (re.compile(r"(?i)\s?[\[({<]?\s?(?<!\w)(?:dot|punkt|punto|point)(?!\w)\s?[\])}>]?\s?|\s?[\[({<]\.[\])}>]\s?"), "."),
)


def normal_form(label: str, value: str) -> str:
    """The same for two spellings of one thing.

    Case and spaces never matter, the punctuation of numbers does not. Phones become E.164 (where phonenumbers is
    installed, by the plan of their country), dates ISO 8601, addresses that were written out become addresses.

    >>> normal_form("DATE", "12 May 2024") == normal_form("DATE", "2024-05-12")
    True
    >>> normal_form("EMAIL", "anna [at] example dot org")
    'anna@example.org'
    """
    if label == "PHONE":
        return _phone(value)
    if label == "DATE":
        return iso_date(value) or " ".join(value.casefold().split())
    if label in ("IBAN", "CARD", "ID"):
        return re.sub(r"[\W_]", "", value).casefold()
    value = " ".join(value.casefold().split())
    if label == "EMAIL" and not re.fullmatch(r"\S+@\S+", value):
        for pattern, sign in _WRITTEN_OUT:
            value = pattern.sub(sign, value)
    return value


def _phone(value: str) -> str:
    if find_spec("phonenumbers") is not None:
        from sfumato.text.scrub.number_recogniser import e164

        found = e164(value)
        if found is not None:
            return found
    return re.sub(r"[^\d+]", "", value)


def pseudonym(key: bytes, label: str, normal: str) -> str:
    """The pseudonym of a thing: fifty bits of HMAC-SHA-256 under a secret.

    >>> pseudonym(bytes(32), "PERSON", "anna kowalska")
    '[PERSON-...]'
    """
    digest = hmac.digest(key, f"{label}\0{normal}".encode(), hashlib.sha256)
    return f"[{label}-{base64.b32encode(digest)[:10].decode()}]"


def restore(text: str, originals: Mapping[str, str]) -> str:
    """A text with its pseudonyms replaced by what they stand for.

    What comes back is the fullest form that was seen: "Anna Kowalska" where the text had "Anna".

    Parameters
    ----------
    originals : mapping of str to str
        From ``Scrubber.scrub(texts).originals``.

    >>> restore("ask [PERSON-ABCDEFGHIJ]", {"[PERSON-ABCDEFGHIJ]": "Anna Kowalska"})
    'ask Anna Kowalska'
    """
    missing = {found for found in _PSEUDONYM.findall(text) if found not in originals}
    if missing:
        raise bad_input("originals", f"{len(missing)} pseudonyms without an original", "the key of this very release")
    return _PSEUDONYM.sub(lambda match: originals[match.group()], text)
