"""Invented mails with every personal item marked, to measure scrubbing on.

Names come from three lists: common ones, ones that lists of common names do not have, and ones that are words as well.
They stand in headers, greetings and signatures, but also in the middle and at the start of sentences. Other capitalised
words, numbers and times stand beside them that are nobody's. Everything is made up; numbers with a check digit pass it.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

from sfumato.noise import Rng, resolve_rng
from sfumato.validate import integer

__all__ = ["LabelledMails", "make_mails"]


def _list(text: str) -> list[str]:
    return text.split()


_GIVEN = _list(
    "James Mary Robert Patricia Michael Linda Thomas Susanne Peter Laura Daniel Anna Stefan Julia Carlos Elena"
)
_FAMILY = _list(
    "Smith Johnson Miller Weber Schmidt Garcia Rossi Nguyen Taylor Wagner Murphy Patel Lopez Meyer Davies Chen"
)
_RARE_GIVEN = _list(
    "Oluwaseun Thandiwe Ngozi Bhaskar Priyanka Xiuying Haruto Saoirse Eilidh Zbigniew Wiesława Þórdís Aroha Tevita"
    " Leilani Yevgeniya Ketevan Anoushka Rasheeda Dembele Jovana Vasilis Eszter Ferenc"
)
_RARE_FAMILY = _list(
    "Okonkwo Adeyemi Mokoena Venkataraman Subramanian Takahashi Ní-Bhriain Szczepański Guðmundsdóttir Tuilagi Kealoha"
    " Gelashvili Hovhannisyan Traoré Papadimitriou Horváthné Achterberg Vandersteen Quispe Huanca Featherstonehaugh"
    " Zwingli"
)
_WORD_GIVEN = _list("Mark Rose Will Grace Hope Frank Bill Joy Dawn Grant")
_WORD_FAMILY = _list("Brown Young Green King Baker Hill Stone Long Price Rich")
_HOST = _list("example.com example.org mail.example.net post.example.de office.example.co.uk")
_STREET = _list("Baker Station Mill Garden Victoria Harbour Chestnut Kingston Elm Meadow")
_ROAD = _list("Street Road Avenue Lane Drive Court")
_TOWN = _list("London Bristol Leeds York Boston Denver Austin Portland")
_MONTH = _list("January February March April May June July August September October November December")

_PERSONAL = (
    "Please call me at {PHONE} when you are back.",
    "You can reach me on {PHONE} or at {EMAIL} at any time.",
    "My new address is {ADDRESS}.",
    "The refund should go to {IBAN}.",
    "I paid with card {CARD} and never got a receipt.",
    "The log shows a login from {IP} last night.",
    "I was born on {DATE}, if the form asks for it.",
    "My customer number is {ID}.",
    "The photos are at {URL} now.",
    "I moved to {ADDRESS} and the old number {PHONE} is gone.",
)
_WITH_NAME = (
    "I spoke to {PERSON} about the delay and we agreed to wait.",
    "The draft that {PERSON} sent round is missing two pages.",
    "{PERSON} called twice this morning about the keys.",
    "{PERSON} and {PERSON} will join the call after lunch.",
    "Could you forward this to {PERSON} as well?",
    "It was {PERSON}'s idea to move the meeting.",
    "We should ask {PERSON}, who knows the building.",
    "Yesterday {PERSON} left the office early.",
)
_PLAIN = (
    "The meeting with the finance team is moved to next week.",
    "Version 4.2.1 of the Windows installer fixes the problem on Monday.",
    "Please bring 250 copies of the English brochure.",
    "Will you have time before the train leaves at 10:30?",
    "The Project Apollo slides are in the shared folder.",
    "Our server room needs 3 new fans and 1200 screws.",
    "Thanks for the quick answer, it helped a lot.",
    "May I ask for the invoice by Friday?",
    "The total comes to 1,249.50 euros including tax.",
    "Everything in the Python script works except the last step.",
    "Rose bushes along the fence need cutting.",
    "The board has not decided on the budget for 2025.",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledMails:
    """Mails and where personal items stand in them.

    Parameters
    ----------
    texts : list of str
    spans : list of list of (start, end, label)
        For each mail, ``text[start:end]`` is of that kind: PERSON, EMAIL,
        PHONE, ADDRESS, IBAN, CARD, IP, DATE, ID, URL.
    kinds : list of list of str
        For each span of a person how its name was drawn: ``"common"``, ``"rare"`` or ``"word"``; ``""`` for the others.
    """

    texts: list[str]
    spans: list[list[tuple[int, int, str]]]
    kinds: list[list[str]]


def make_mails(count: int, *, rng: Rng | None = None) -> LabelledMails:
    """``count`` invented mails of some 380 characters with marked spans.

    >>> import numpy as np
    >>> mails = make_mails(3, rng=np.random.default_rng(1))
    >>> start, end, label = mails.spans[0][0]
    >>> len(mails.texts), label, mails.texts[0][start:end].istitle()
    (3, 'PERSON', True)
    """
    integer("count", count)
    rng = resolve_rng(rng)
    made = [_Writer(rng).mail() for _ in range(count)]
    return LabelledMails(texts=[m.text for m in made], spans=[m.spans for m in made], kinds=[m.kinds for m in made])


class _Writer:
    """One mail, put together piece by piece."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.text = ""
        self.spans: list[tuple[int, int, str]] = []
        self.kinds: list[str] = []

    def mail(self) -> _Writer:
        rng = self.rng
        sender, recipient = self.person(), self.person()
        style = rng.random()
        if style < 0.6:
            self.write("From: ").mark(sender[0], "PERSON", sender[1]).write(" <")
            self.mark(self.email(sender[0]), "EMAIL").write(">\nTo: ").mark(recipient[0], "PERSON", recipient[1]).write(
                "\n\n"
            )
        if rng.random() < 0.8:
            self.write(str(rng.choice(["Hi ", "Dear ", "Hello ", "Good morning "])))
            self.mark(recipient[0].split()[0], "PERSON", recipient[1]).write(",\n\n")
        body = [self.choose(_PLAIN), self.choose(_PERSONAL), self.choose(_PLAIN), self.choose(_PERSONAL)]
        body.append(self.choose(_WITH_NAME if rng.random() < 0.6 else _PLAIN))
        if rng.random() < 0.7:
            body.append(self.choose(_PLAIN))
        for place in rng.permutation(len(body)):
            self.fill(body[int(place)]).write(" ")
        self.text = self.text.rstrip()
        if rng.random() < 0.85:
            self.write(
                "\n\n"
                + self.choose(("Best regards,", "Thanks,", "Kind regards,", "Cheers,", "Yours sincerely,"))
                + "\n"
            )
            signed = sender[0] if rng.random() < 0.7 else sender[0].split()[0]
            self.mark(signed.lower() if rng.random() < 0.1 else signed, "PERSON", sender[1])
        return self

    def write(self, text: str) -> _Writer:
        self.text += text
        return self

    def mark(self, value: str, label: str, kind: str = "") -> _Writer:
        self.spans.append((len(self.text), len(self.text) + len(value), label))
        self.kinds.append(kind)
        return self.write(value)

    def fill(self, template: str) -> _Writer:
        """A sentence with its fields replaced."""
        for before, label, _, _ in string.Formatter().parse(template):
            self.write(before)
            if label == "PERSON":
                name, kind = self.person()
                self.mark(name if self.rng.random() < 0.5 else name.split()[0], label, kind)
            elif label is not None:
                self.mark(_MAKERS[label](self), label)
        return self

    def choose(self, options: tuple[str, ...] | list[str]) -> str:
        return options[int(self.rng.integers(len(options)))]

    def person(self) -> tuple[str, str]:
        """A full name and of which kind it is."""
        kind = str(self.rng.choice(["common", "rare", "word"], p=[0.5, 0.35, 0.15]))
        if kind == "common":
            return f"{self.choose(_GIVEN)} {self.choose(_FAMILY)}", kind
        if kind == "rare":
            return f"{self.choose(_RARE_GIVEN)} {self.choose(_RARE_FAMILY)}", kind
        return f"{self.choose(_WORD_GIVEN)} {self.choose(_WORD_FAMILY)}", kind

    def digits(self, count: int) -> str:
        return "".join(map(str, self.rng.integers(10, size=count)))

    def email(self, name: str = "") -> str:
        local = self.choose(["info", "k.w", "team77", "blue_bird"]) if not name else name.lower().replace(" ", ".")
        return f"{local.encode('ascii', 'ignore').decode()}@{self.choose(_HOST)}"

    def phone(self) -> str:
        d = self.digits
        return self.choose(
            [
                f"+49 17{d(1)} {d(7)}",
                f"+44 20 7946 0{d(3)}",
                f"(555) {d(3)}-{d(4)}",
                f"555-{d(3)}-{d(4)}",
                f"0{d(3)} {d(6)}",
            ]
        )

    def address(self) -> str:
        street = f"{self.rng.integers(1, 300)} {self.choose(_STREET)} {self.choose(_ROAD)}"
        return f"{street}, {self.choose(_TOWN)}" if self.rng.random() < 0.7 else street

    def iban(self) -> str:
        account = self.digits(18)
        check = 98 - int(account + "131400") % 97  # D = 13, E = 14
        code = f"DE{check:02d}{account}"
        spaced = " ".join(code[at : at + 4] for at in range(0, len(code), 4))
        return code if self.rng.random() < 0.5 else spaced

    def card(self) -> str:
        body = "4" + self.digits(14)
        total = sum(sum(divmod(2 * int(c), 10)) if place % 2 == 0 else int(c) for place, c in enumerate(body))
        number = body + str(-total % 10)
        return " ".join(number[at : at + 4] for at in range(0, 16, 4)) if self.rng.random() < 0.7 else number

    def date(self) -> str:
        day, month, year = (int(self.rng.integers(a, b)) for a, b in ((1, 29), (1, 13), (1950, 2010)))
        name = _MONTH[month - 1]
        return self.choose([f"{day:02d}/{month:02d}/{year}", f"{year}-{month:02d}-{day:02d}", f"{day} {name} {year}"])


_MAKERS: dict[str, Callable[[_Writer], str]] = {
    "PHONE": _Writer.phone,
    "EMAIL": _Writer.email,
    "ADDRESS": _Writer.address,
    "IBAN": _Writer.iban,
    "CARD": _Writer.card,
    "IP": lambda writer: ".".join(str(int(part)) for part in writer.rng.integers(1, 255, size=4)),
    "DATE": _Writer.date,
    "ID": lambda writer: writer.choose(["C", "KD-", ""]) + writer.digits(7),
    "URL": lambda writer: f"https://{writer.choose(_HOST)}/album/{writer.digits(4)}",
}
