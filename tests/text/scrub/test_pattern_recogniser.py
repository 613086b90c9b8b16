"""What can be told by its form (Weggenmann B4: PII unit tests)."""

from __future__ import annotations

import pytest

from helpers.recognisers import found
from sfumato.text.scrub.pattern_recogniser import LABELS, PatternRecogniser
from sfumato.text.scrub.patterns.accounts import iban_is_valid, luhn_is_valid
from sfumato.text.scrub.scrubber import Scrubber


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("write to ann.lee+news@mail.example.co.uk, please", "EMAIL", "ann.lee+news@mail.example.co.uk"),
        ("see https://example.org/a?b=c#d.", "URL", "https://example.org/a?b=c#d"),
        ("see www.example.org/x, too", "URL", "www.example.org/x"),
        ("pay to DE89370400440532013000 now", "IBAN", "DE89370400440532013000"),
        ("pay to GB82 WEST 1234 5698 7654 32 NOW", "IBAN", "GB82 WEST 1234 5698 7654 32"),
        ("card 4111 1111 1111 1111 expired", "CARD", "4111 1111 1111 1111"),
        ("card 5500-0000-0000-0004", "CARD", "5500-0000-0000-0004"),
        ("from 192.168.1.10 at night", "IP", "192.168.1.10"),
        ("from 2001:db8::ff00:42:8329 at night", "IP", "2001:db8::ff00:42:8329"),
        ("call +49 170 1234567 today", "PHONE", "+49 170 1234567"),
        ("call (555) 123-4567 today", "PHONE", "(555) 123-4567"),
        ("call 555-123-4567 ext. 12 today", "PHONE", "555-123-4567 ext. 12"),
        ("ring 020 7946 0018 today", "PHONE", "020 7946 0018"),
        ("my mobile: 79460018", "PHONE", "79460018"),
        ("born 12/03/1980 in", "DATE", "12/03/1980"),
        ("born 1980-03-12 in", "DATE", "1980-03-12"),
        ("born on 12th of March 1980 in", "DATE", "12th of March 1980"),
        ("on March 3, 2001 we", "DATE", "March 3, 2001"),
        ("at 221B Baker Street, London NW1 6XE today", "ADDRESS", "221B Baker Street, London NW1 6XE"),
        ("at 12 Elm Ave., Suite 4, Austin, TX 73301", "ADDRESS", "12 Elm Ave., Suite 4, Austin, TX 73301"),
        ("in Lindenstraße 12a, 10969 Berlin wohnt", "ADDRESS", "Lindenstraße 12a, 10969 Berlin"),
        ("P.O. Box 1234 is", "ADDRESS", "P.O. Box 1234"),
        ("wohnt Ottakringer Straße 8a/12, 1160 Wien seit", "ADDRESS", "Ottakringer Straße 8a/12, 1160 Wien"),
        ("bydlí Vinohradská 12/30, 120 00 Praha 2 a", "ADDRESS", "Vinohradská 12/30, 120 00 Praha 2"),
        (
            "na Rua das Flores, 20, apto 3, Centro, Recife - PE, 50010-001.",
            "ADDRESS",
            "Rua das Flores, 20, apto 3, Centro, Recife - PE, 50010-001",
        ),
        ("open 3 to 9 April 2024 only", "DATE", "3 to 9 April 2024"),
        ("bis zum 14.2. warten", "DATE", "14.2."),
        ("LHR-LOS 22JUN 1015", "DATE", "22JUN"),
        ("SSN 078-05-1120 is", "ID", "078-05-1120"),
        ("customer number: KD-482910", "ID", "KD-482910"),
        ("id 123e4567-e89b-12d3-a456-426614174000.", "ID", "123e4567-e89b-12d3-a456-426614174000"),
        ("On Mon, Jan 1, 2001, Joe <j@x.org> wrote:\n> hi", "HEADER", "Mon, Jan 1, 2001, Joe <j@x.org>"),
        ("Message-ID: <abc@x>\nhello", "HEADER", "<abc@x>"),
    ],
)
def test_patterns_find(text, label, value):
    scrubber = Scrubber(recognisers=(PatternRecogniser(),))
    spans = [(span.label, text[span.start : span.end]) for span in scrubber.spans([text])[0]]
    assert (label, value) in spans


@pytest.mark.parametrize(
    "text",
    [
        "version 4.2.1 costs 1,249.50 euros at 10:30:00",
        "DE88370400440532013000 has a wrong check digit",
        "card 4111 1111 1111 1112 has a wrong check digit",
        "256.1.1.1 and 1.2.3.4.5 are no addresses",
        "13/13/2020 and 2020-13-01 are no dates",
        "250 copies, 1200 screws, 3 fans, 100000 people",
        "we may meet in May, in March or in 2024",
        "see Chapter 7, 2023 Edition, and section 14.2. of it",
        "a::b and x@y and http:// are nothing",
    ],
)
def test_patterns_leave_alone(text):
    assert found(PatternRecogniser(), text) == []


def test_check_digits():
    assert luhn_is_valid("378282246310005")
    assert not luhn_is_valid("378282246310006")
    assert iban_is_valid("FR1420041010050500013M02606")
    assert not iban_is_valid("FR1420041010050500013M02607")
    assert not iban_is_valid("DE89")


def test_only_the_labels_asked_for():
    text = "ann@example.org, 12/03/1980"
    assert found(PatternRecogniser(labels=("DATE",)), text) == [("DATE", "12/03/1980")]
    assert set(LABELS) > {"DATE"}
