"""Numbers with valid check digits for the hard sets of ``bench_hard.py``. All are made up."""

from __future__ import annotations

import hashlib
import random
import string
from importlib import import_module

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.digits, k=count))


def _valid(rng: random.Random, module: str, draw) -> str:
    """The first drawn number that python-stdnum accepts."""
    is_valid = import_module(f"stdnum.{module}").is_valid
    for _ in range(500_000):
        number = draw(rng)
        if is_valid(number):
            return number
    raise RuntimeError(module)


def luhn(rng: random.Random, prefix: str, length: int) -> str:
    body = prefix + digits(rng, length - 1 - len(prefix))
    total = sum(sum(divmod(2 * int(d), 10)) if i % 2 == 0 else int(d) for i, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def grouped(number: str, *sizes: int, sep: str = " ") -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(number[at : at + size])
        at += size
    return sep.join([*parts, number[at:]] if at < len(number) else parts)


def iban(rng: random.Random, country: str = "DE", length: int = 22) -> str:
    body = digits(rng, length - 4)
    check = 98 - int("".join(str(int(c, 36)) for c in body + country + "00")) % 97
    return f"{country}{check:02d}{body}"


def day(rng: random.Random) -> tuple[int, int, int]:
    return rng.randint(1945, 2004), rng.randint(1, 12), rng.randint(1, 28)


def _yymmdd(rng: random.Random) -> str:
    y, m, d = day(rng)
    return f"{y % 100:02d}{m:02d}{d:02d}"


def _ddmmyy(rng: random.Random) -> str:
    y, m, d = day(rng)
    return f"{d:02d}{m:02d}{y % 100:02d}"


def ssn(rng: random.Random) -> str:
    return _valid(rng, "us.ssn", lambda r: f"{r.randint(1, 665):03d}-{r.randint(1, 99):02d}-{r.randint(1, 9999):04d}")


def nhs(rng: random.Random) -> str:
    return grouped(_valid(rng, "gb.nhs", lambda r: digits(r, 10)), 3, 3)


def idnr(rng: random.Random) -> str:
    return _valid(rng, "de.idnr", lambda r: str(r.randint(1, 9)) + digits(r, 10))


def nir(rng: random.Random) -> str:
    def draw(r):
        body = f"{r.choice('12')}{r.randint(45, 99)}{r.randint(1, 12):02d}{r.randint(10, 95)}{digits(r, 6)}"
        return f"{body}{97 - int(body) % 97:02d}"

    return _valid(rng, "fr.nir", draw)


def dni(rng: random.Random) -> str:
    number = digits(rng, 8)
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def codice_fiscale(rng: random.Random) -> str:
    letters = "".join(rng.choices("BCDFGLMNPRSTVZ", k=6))
    y, _, d = day(rng)
    return _valid(
        rng,
        "it.codicefiscale",
        lambda r: (
            f"{letters}{y % 100:02d}{r.choice('ABCDEHLMPRST')}{d:02d}{r.choice('AFHL')}{digits(r, 3)}"
            + r.choice(string.ascii_uppercase)
        ),
    )


def my_number(rng: random.Random) -> str:
    return _valid(rng, "jp.in_", lambda r: digits(r, 12))


def pesel(rng: random.Random) -> str:
    return _valid(rng, "pl.pesel", lambda r: _yymmdd(r) + digits(r, 5))


def personnummer(rng: random.Random) -> str:
    return _valid(rng, "se.personnummer", lambda r: f"{_yymmdd(r)}-{digits(r, 4)}")


def belgian(rng: random.Random) -> str:
    number = _valid(rng, "be.nn", lambda r: _yymmdd(r) + digits(r, 5))
    return f"{number[:2]}.{number[2:4]}.{number[4:6]}-{number[6:9]}.{number[9:]}"


def ahv(rng: random.Random) -> str:
    number = _valid(rng, "ch.ssn", lambda r: "756" + digits(r, 10))
    return f"{number[:3]}.{number[3:7]}.{number[7:11]}.{number[11:]}"


def bsn(rng: random.Random) -> str:
    return _valid(rng, "nl.bsn", lambda r: digits(r, 9))


def cpf(rng: random.Random) -> str:
    n = _valid(rng, "br.cpf", lambda r: digits(r, 11))
    return f"{n[:3]}.{n[3:6]}.{n[6:9]}-{n[9:]}"


def aadhaar(rng: random.Random) -> str:
    return grouped(_valid(rng, "in_.aadhaar", lambda r: str(r.randint(2, 9)) + digits(r, 11)), 4, 4)


def hetu(rng: random.Random) -> str:
    def draw(r):
        body, number = _ddmmyy(r), f"{r.randint(2, 899):03d}"
        return f"{body}-{number}" + "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(body + number) % 31]

    return _valid(rng, "fi.hetu", draw)


def nino(rng: random.Random) -> str:
    return f"{rng.choice('AEHJLMS')}{rng.choice('BEHKLMPRS')} {digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)} {rng.choice('ABCD')}"


def wallet(rng: random.Random) -> str:
    raw = b"\0" + rng.randbytes(20)
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    value, code = int.from_bytes(raw, "big"), ""
    while value:
        value, rest = divmod(value, 58)
        code = BASE58[rest] + code
    return "1" + code


def mac(rng: random.Random) -> str:
    return ":".join(f"{rng.randrange(256):02x}" for _ in range(6))


def uuid(rng: random.Random) -> str:
    h = f"{rng.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
