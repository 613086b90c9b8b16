"""Personal items that have a recognisable form: addresses, numbers, dates, ids.

Every pattern starts where a token starts and repeats a bounded number of times, so that a megabyte without a space
takes time proportional to its length. Numbers with a check digit are checked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.text.scrub.patterns.accounts import cards, coordinates, ibans, wallets
from sfumato.text.scrub.patterns.addresses import addresses
from sfumato.text.scrub.patterns.dates import dates
from sfumato.text.scrub.patterns.find import Finder, with_digit
from sfumato.text.scrub.patterns.identifiers import identifiers
from sfumato.text.scrub.patterns.network import emails, handles, headers, ips, secrets, urls
from sfumato.text.scrub.patterns.phones import phones
from sfumato.text.scrub.span import Span

__all__ = ["LABELS", "PatternRecogniser"]

_FINDERS: tuple[tuple[str, Finder], ...] = (
    ("EMAIL", emails),
    ("URL", urls),
    ("HEADER", headers),
    ("IBAN", with_digit(ibans)),
    ("CARD", with_digit(cards)),
    ("WALLET", with_digit(wallets)),
    ("IP", ips),
    ("PHONE", with_digit(phones)),
    ("DATE", with_digit(dates)),
    ("ADDRESS", with_digit(addresses)),
    ("ID", with_digit(identifiers)),
    ("HANDLE", handles),
    ("PLACE", with_digit(coordinates)),
    ("SECRET", with_digit(secrets)),
)
LABELS = tuple(label for label, _ in _FINDERS)
"""What the patterns find."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternRecogniser:
    """Finds personal items by their form.

    They are e-mail and web addresses (also obfuscated ones and bare domains), handles, phone, account and card numbers,
    wallets, IPs and devices, dates in nine languages, postal addresses, coordinates, ids, passwords and the headers of
    quoted replies.

    Parameters
    ----------
    labels : collection of str
        Which of :data:`LABELS` to look for.

    Examples
    --------
    >>> found = PatternRecogniser().find(["Write to ann@example.org before 12 May 2024."])[0]
    >>> [(span.label, span.start, span.end) for span in found]
    [('EMAIL', 9, 24), ('DATE', 32, 43)]
    """

    labels: Collection[str] = LABELS

    def __post_init__(self) -> None:
        unknown = [label for label in self.labels if label not in LABELS]
        if isinstance(self.labels, str) or unknown or not self.labels:
            raise bad_input("labels", self.labels, "some of " + ", ".join(LABELS))

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text."""
        finders = [(label, finder) for label, finder in _FINDERS if label in self.labels]
        return [
            [
                Span(start, end, label, score, f"pattern:{name}")
                for label, finder in finders
                for start, end, score, name in finder(text)
            ]
            for text in texts
        ]
