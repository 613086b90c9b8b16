"""Names that are in no list: speakers of chats, forms and tickets, names that are words; what must stay."""

from __future__ import annotations

import pytest

from sfumato.text.scrub.cascade import model_is_installed
from sfumato.text.scrub.scrubber import Scrubber

pytestmark = pytest.mark.skipif(not model_is_installed(), reason="needs the extra text")


@pytest.fixture(scope="module")
def scrubber():
    return Scrubber()


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("wietske: hi\ntjerk: no\nwietske: ok", "[PERSON]: hi\n[PERSON]: no\n[PERSON]: ok"),
        ("[10:02] zdenka: tak\n[10:03] bot: ok", "[10:02] [PERSON]: tak\n[10:03] bot: ok"),
        ("RE: ABERNATHY, PHILIPPA (61)", "RE: [PERSON] (61)"),
        ("passenger OYARZABAL/MIREN MS", "passenger [PERSON] MS"),
        ("omg Grace and Will broke up", "omg [NAME] and [NAME] broke up"),
        ("Mr van der Westhuizen is here", "Mr [PERSON] is here"),
        ("name=mehwish; age=40", "name=[PERSON]; age=40"),
        ('{"first_name": "mehwish", "n": 3}', '{"first_name": "[PERSON]", "n": 3}'),
        ("Da: Fiammetta Neri\nA: Ornella Neri\nOggetto: prova", "Da: [PERSON]\nA: [PERSON]\nOggetto: prova"),
        ("password=hunter22! cvv=064", "password=[SECRET] cvv=[SECRET]"),
        ("Dossier n° 659018 du client", "Dossier n° [ID] du client"),
        ("au 16 bis, avenue des Champs-Élysées, 75008 Paris", "au [ADDRESS]"),
        ("at 48.1234, 11.5678. Next", "at [PLACE]. Next"),
        ("Er habe Hannelore seit dem Sommer nicht gesehen.", "Er habe [PERSON] seit dem Sommer nicht gesehen."),
        ("VALUES (12, 'Mthunzi Dlamini', 'x')", "VALUES (12, '[NAME]', 'x')"),
        (
            "Söker för yrsel, och det är inte bra. Läkare: Gunilla Wrede.",
            "Söker för yrsel, och det är inte bra. Läkare: [NAME].",
        ),
    ],
)
def test_found(scrubber, text, scrubbed):
    assert scrubber.release(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "Q: how?\nA: So I went home.",
        "Ingredients: flour\nTime: 20 min\nServes: 4",
        "Pros: fast\nCons: dear\nPros: safe",
        "NOTE: this\nWARNING: that\nNOTE: this again",
        "Will it last? Grace periods end in May.",
        "INTERVIEWER: And where?\nWITNESS: In a village.\nINTERVIEWER: Thank you.",
        "Befund: Lunge frei, kein Anhalt für einen Infiltrat. Kontrolle in vier Wochen.",
    ],
)
def test_left_alone(scrubber, text):
    assert scrubber.release(text) == text


@pytest.mark.parametrize("role", ["die Richterin", "meine Tante", "der Nachbar"])
def test_german_names_after_a_role(scrubber, role):
    text = f"Gestern hat {role} Lüdersen mit ihm und den anderen gesprochen."
    assert "Lüdersen" not in scrubber.release(text)
    assert scrubber.release(text).endswith("mit ihm und den anderen gesprochen.")


def test_a_name_recurs_in_capitals(scrubber):
    statement = "STATEMENT OF IMOGEN TREVELYAN\nI, Imogen Trevelyan, will say that I met them."
    assert "TREVELYAN" not in scrubber.release(statement)


def test_a_speaker_is_replaced_in_other_texts(scrubber):
    chat = "[09:14] ioana: hello\n[09:15] bot: hi"
    assert scrubber.release([chat, "anyone seen ioana today?"])[1] == "anyone seen [PERSON] today?"
