"""Addresses of the network: mail, web, domains, handles, IP, devices, secrets, and the headers of mails."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from sfumato.text.scrub.patterns.find import Find

__all__ = ["emails", "handles", "headers", "ips", "secrets", "urls"]

_LABEL = r"[^\W_](?:[\w\-]{0,61}[^\W_])?"
_EMAIL = re.compile(rf"(?<![\w.%+\-])[\w.%+\-]{{1,64}}@(?:{_LABEL}\.){{1,8}}[^\W\d_]{{2,24}}")
_AT = r"(?:\s?[\[({<]\s?(?:at|@|ät|arroba|chez)\s?[\])}>]\s?|\s(?:at|AT|arroba|chiocciola|ät)\s|\s@\s|\s?&#64;\s?)"
_DOT = r"(?:\s?[\[({<]\s?(?:dot|\.|punkt|punto|point)\s?[\])}>]\s?|\s(?:dot|DOT|punkt|punto|point)\s|\.)"
_OBFUSCATED = re.compile(
    rf"(?i)(?<![\w.%+\-@])[\w%+\-]{{1,40}}(?:{_DOT}[\w%+\-]{{1,40}}){{0,3}}{_AT}"
    rf"[a-z0-9\-]{{1,40}}(?:{_DOT}[a-z0-9\-]{{1,40}}){{0,3}}{_DOT}(?:com|org|net|edu|gov|info|io|co|uk|de|fr|es|it|nl|be"
    rf"|ch|at|eu|pl|pt|se|dk|no|fi|ie|us|ca|au|in|jp|cn|br|mx|example)(?![\w\-])"
)
_SIGNS = ("dot", "punkt", "punto", "point", "(at", "[at", "{at", "<at", "( at", "[ at", "(@", "[@", " @ ", "&#64;")
"""One of these is in every address that is written out."""
_URL = re.compile(
    r"(?i)(?:\b(?:https?|ftp|sftp|ssh|hxxps?|(?:fi|ﬁ)le)://|(?<![\w@.])www\.)[^\s<>\"'()\[\]{}]{1,2048}"
    r"|\b(?:mailto|tel|sip|skype):[^\s<>\"'()\[\]{}]{3,256}"
)
_DOMAIN = re.compile(
    rf"(?i)(?<![\w@.\-/])(?:{_LABEL}\.){{1,5}}(?:com|org|net|edu|gov|info|biz|dev|app|io|ai|me|tv|xyz|online|shop|blog|cloud"
    r"|uk|de|fr|es|it|nl|be|ch|at|eu|pl|pt|se|dk|no|fi|ie|us|ca|au|nz|in|jp|cn|kr|br|mx|ru|cz|hu|gr|ro|tr|za|ar|cl)"
    r"(?:/[^\s<>\"'()\[\]{}]{0,512})?(?![\w@]|\.\w)"
)
_NOT_DOMAINS = re.compile(r"(?i)(?:asp|ado|vb|socket|d3|three|node|next|vue|express|backbone)\.(?:net|io|js|me)$")
_HANDLE = re.compile(r"(?<![\w@./&])@[A-Za-z_][\w.\-]{1,30}\w")
_HANDLE_WORDS = re.compile(
    r"(?i)\b(?:twitter|instagram|insta|telegram|skype|snapchat|discord|tiktok|github|gitlab|linkedin|facebook|mastodon|reddit"
    r"|slack|icq|xbox|gamertag|username|user name|login|handle|nickname|screen name|benutzername|pseudo|usuario)"
    r"(?:[ ](?:is|name|handle|id|account|profile|ist|est|es))?(?:\s?[:=]\s?|\s)(?:is\s|@)?"
    r"([A-Za-z][\w.\-#]{2,30})"
)
_PROFILE = re.compile(r"(?<![\w/])[ur]/[A-Za-z0-9_\-]{3,24}(?!\w)")
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IPV4 = re.compile(rf"(?<![\d.\w])(?:{_OCTET}\.){{3}}{_OCTET}(?:/\d{{1,2}}|:\d{{2,5}})?(?!\.?\d)")
_IPV6 = re.compile(r"(?<![:.\w])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![:\w])")
_VERSION = re.compile(r"(?i)(?:\bv(?:ersion|er)?|release|build|firmware|section|chapter|rfc|clause)[.:]?\s?$")
_MAC = re.compile(r"(?<![\w:\-])(?:[0-9A-Fa-f]{2}([:\-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:\-])")
_SECRET = re.compile(
    r"(?<!\w)(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abprs]-[A-Za-z0-9\-]{10,72}|sk-[A-Za-z0-9_\-]{20,96}"
    r"|AIza[\w\-]{35}|eyJ[\w\-]{8,2048}\.[\w\-]{8,2048}\.[\w\-]{8,2048})(?!\w)"
)
_PASSWORD = re.compile(
    r"(?i)\b(?:password|passwd|pwd|passwort|kennwort|passphrase|contraseña|mot de passe|api[ _\-]?key|secret|pin)"
    r"(?:[ ](?:is|was|ist|es|est|code))?(?:\s?[:=]\s?|\s)(?:is\s)?[\"'“]?((?=\S*[\d!#$%^&*_+=])[^\s\"'”,;]{4,64})"
)
_SHORT_CODE = re.compile(
    r"(?i)\b(?:cvv2?|cvc2?|csc|pin|otp|passcode)(?:[ ](?:is|was|ist|es|est|code|number))?(?:\s?[:=#]\s?|\s)"
    r"(\d{3,8})(?!\w)"
)
_REPLY = re.compile(
    r"(?m)^[ \t>]{0,12}(?:On|Am|Le|El|Il|Op)[ \t]([^\n]{8,200}(?:\n[ \t>]{0,12}[^\n]{1,120})?)[ \t\n]"
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef)[^\n]{0,60}:"
)
_MESSAGE_ID = re.compile(
    r"(?im)^[ \t>]{0,12}(?:message-id|in-reply-to|references|x-origin|x-filename|x-folder):[ \t]{0,4}(\S[^\n]{0,400})"
)


def emails(text: str) -> Iterator[Find]:
    """Mail addresses, also those that are written out for people only."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield match.start(), match.end(), 1.0, "email"
    lower = text.lower()
    if not any(sign in lower for sign in _SIGNS):
        return
    for match in _OBFUSCATED.finditer(text):
        if _hides_an_address(match.group()):
            yield match.start(), match.end(), 0.9, "email"


def _hides_an_address(found: str) -> bool:
    """``look at example.org`` is no address: without brackets both the at and the dot must be written out."""
    if re.search(r"[\[({<&]|\s@\s", found):
        return True
    return bool(re.search(r"(?i)\s(?:dot|punkt|punto|point)\s", found))


def urls(text: str) -> Iterator[Find]:
    """Web addresses, with or without the scheme."""
    if ":" in text or "www." in text.lower():
        for match in _URL.finditer(text):
            yield match.start(), match.start() + len(match.group().rstrip(".,;:!?")), 1.0, "url"
    if "." in text:
        for match in _DOMAIN.finditer(text):
            found = match.group().rstrip(".,;:!?")
            name, _, ending = found.partition("/")[0].rpartition(".")
            shouted = ending.isupper() != name.isupper() and ending != ending.lower()
            sentence = ending in {"in", "it", "at", "no", "me", "us", "is", "be", "es"} and name[:1].isupper()
            if not shouted and not sentence and not _NOT_DOMAINS.fullmatch(found) and not name.isdigit():
                yield match.start(), match.start() + len(found), 0.85, "domain"


def handles(text: str) -> Iterator[Find]:
    """Names of accounts: ``@anna_k``, ``skype: anna.k``, ``u/anna``."""
    if "@" in text:
        for match in _HANDLE.finditer(text):
            yield match.start(), match.end(), 0.8, "handle"
    for match in _HANDLE_WORDS.finditer(text):
        name = match.group(1).rstrip(".-")
        marked = ":" in match.group() or "=" in match.group()
        if re.search(r"[\d_.#]", name) or (marked and name.islower()):
            yield match.start(1), match.start(1) + len(name), 0.7, "handle"
    if "/" in text:
        for match in _PROFILE.finditer(text):
            if match.group()[0] == "u":
                yield match.start(), match.end(), 0.7, "handle"


def ips(text: str) -> Iterator[Find]:
    """Addresses of machines and devices."""
    for match in _IPV4.finditer(text):
        if not _VERSION.search(text, max(0, match.start() - 12), match.start()):
            yield match.start(), match.end(), 0.9, "ip"
    if ":" in text or "-" in text:
        for match in _MAC.finditer(text):
            yield match.start(), match.end(), 0.9, "mac"
    if "::" in text or text.count(":") >= 7:
        for match in _IPV6.finditer(text):
            try:
                ipaddress.IPv6Address(match.group())
            except ValueError:
                continue
            if any(c.isdigit() for c in match.group()):  # "a::b" is an address too, but hardly meant as one
                yield match.start(), match.end(), 0.9, "ip"


def secrets(text: str) -> Iterator[Find]:
    """Passwords and keys of services."""
    for match in _SECRET.finditer(text):
        yield match.start(), match.end(), 1.0, "key"
    for match in _PASSWORD.finditer(text):
        yield match.start(1), match.end(1), 0.7, "password"
    for match in _SHORT_CODE.finditer(text):
        yield match.start(1), match.end(1), 0.7, "code"


def headers(text: str) -> Iterator[Find]:
    """The line above a quoted reply, and ids of messages."""
    if any(word in text for word in ("wrote", "schrieb", "écrit", "escribió", "scritto", "schreef")):
        for match in _REPLY.finditer(text):
            yield match.start(1), match.end(1), 1.0, "reply"
    if "-ID:" in text or "-To:" in text or "X-" in text or "eferences:" in text or "-id:" in text:
        for match in _MESSAGE_ID.finditer(text):
            yield match.start(1), match.end(1), 1.0, "message"
