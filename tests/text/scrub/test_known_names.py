"""Names found once are found again; one person has one pseudonym; spans are checked."""

from __future__ import annotations

import re

import pytest

from sfumato.errors import InputError
from sfumato.text import AnalyzerEngine, AnonymizerEngine, OperatorConfig, ScrubbedFirst, Scrubber, Span
from sfumato.text.scrub.cascade import quick_recognisers
from sfumato.text.scrub.names.known_names import KnownNames
from sfumato.text.scrub.writing.find_replacement import normal_form
from sfumato.text.scrub.writing.same_person import People

KEY = bytes(range(32))


def quick(**options: object) -> Scrubber:
    return Scrubber(recognisers=quick_recognisers(), **options)  # type: ignore[arg-type]


def test_names_recur_in_any_case_in_the_whole_corpus():
    texts = ["Dear Thandiwe Mokoena,", "THANDIWE said that mokoena's notes are thandiwe_old.", "nothing"]
    assert quick().release(texts)[1] == "[PERSON] said that [PERSON]'s notes are [PERSON]_old."
    assert quick(together=False).release(texts)[1] == texts[1]


def test_names_that_are_words_recur_with_a_capital_only():
    known = KnownNames.of(["Dear Rose Turner,"], [[Span(5, 16, "PERSON", 0.9)]], {"rose", "turner"}.__contains__)
    text = "The rose and the turner saw Turner. Rose bushes."
    assert [text[span.start : span.end] for span in known.find([text])[0]] == ["Turner"]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("hi thandiwe,\nok", "thandiwe"),
        ("HI THANDIWE,\nOK", "THANDIWE"),
        ("Attendees: thandiwe mokoena, PETER and zbigniew", "thandiwe mokoena"),
        ("Attendees:\n- thandiwe mokoena\n- BO LIND\n", "BO LIND"),
        ("Dr. J. K. Ångström came", "J. K. Ångström"),
        ("we saw Ms K. there", "K."),
        ("Уважаемая Анна Петрова,", "Анна Петрова"),
        ("Κύριε Δημήτρης Παπαδόπουλος", "Δημήτρης Παπαδόπουλος"),
        ("田中さんは来ます", "田中"),
        ("السيد محمد الفارسي هنا", "محمد الفارسي"),
        ("my name is thandiwe mokoena.", "thandiwe mokoena"),
        ("Best, thandiwe", "thandiwe"),
    ],
)
def test_names_where_a_name_must_stand(text, hidden):
    released = quick().release(text)
    assert hidden not in released
    assert "[PERSON]" in released


@pytest.mark.parametrize(
    "text",
    ["hi all,", "Dear customer,", "hi there, call me", "Best practice is to wait.", "Attendees: 12 of 40 were there",
     "I am going home", "Dear Hiring Manager,"],
)  # fmt: skip
def test_no_names_where_none_are(text):
    assert quick().release(text) == text


def test_one_person_one_pseudonym():
    texts = [
        "Dear Anna Kowalska,\nMs Kowalska wrote. Anna agreed.",
        "Hi Anna,",
        "Dear Peter Smith,\nA. Kowalska sends it.",
    ]
    scrubbed = quick(replacement="pseudonym", key=KEY).scrub(texts)
    tokens = [token for text in scrubbed.texts for token in re.findall(r"\[PERSON-\w+\]", text)]
    assert len(tokens) == 6
    assert len(set(tokens)) == 2
    assert sorted(scrubbed.originals.values()) == ["Anna Kowalska", "Peter Smith"]


def test_two_people_with_one_name_stay_two():
    people = People.of([["Anna Kowalska", "Anna"], ["Anna Berg", "Anna"], ["Anna"]])
    assert [people.full(0, "Anna"), people.full(1, "Anna"), people.full(2, "Anna")] == [
        "anna kowalska",
        "anna berg",
        "anna",
    ]


@pytest.mark.parametrize(
    ("label", "spellings"),
    [
        ("PHONE", ["+44 20 7946 0018", "+44 (0)20 79460018", "0044 20 7946 0018"]),
        ("DATE", ["12 May 2024", "May 12, 2024", "2024-05-12", "12.05.2024", "12. Mai 2024", "2024年5月12日"]),
        ("IBAN", ["DE89 3704 0044 0532 0130 00", "de89370400440532013000"]),
        ("EMAIL", ["Anna@Example.org", "anna [at] example [dot] org", "anna at example dot org"]),
    ],
)
def test_one_thing_has_one_form(label, spellings):
    if label == "PHONE":
        pytest.importorskip("phonenumbers")
    assert len({normal_form(label, spelling) for spelling in spellings}) == 1


def test_kinds_and_phrases_can_stay():
    text = "Dear Anna, Peter of Acme saw it on 12 May 2024."
    assert "12 May 2024" in quick(keep=("DATE",)).release(text)
    assert "Peter" in quick(allow=("peter",)).release(text)
    with pytest.raises(InputError):
        quick(keep="DATE")


@pytest.mark.parametrize(
    "found",
    [[[Span(0, 99, "X")]], [[Span(2, 2, "X")]], [[Span(-1, 2, "X")]], [[Span(0, 1, "", 0.5)]], [[Span(0, 1, "X", 2.0)]],
     [[(0, 1)]], [[], []]],
)  # fmt: skip
def test_recognisers_of_others_are_checked(found):
    class Plugin:
        def find(self, texts):
            return found

    with pytest.raises(InputError, match="Plugin"):
        Scrubber(recognisers=(Plugin(),)).release("some text")


def test_before_a_mechanism_each_text_is_scrubbed_alone():
    """Otherwise one text would change what is released of another, and its promise would not hold for the raw texts."""

    class Same(Scrubber):
        def release_texts(self, texts, rng):
            return texts

    both = ScrubbedFirst(first=quick(), then=Same(recognisers=quick_recognisers()))
    alone, beside = both.release(["ask zofia"]), both.release(["ask zofia", "Hi Zofia,"])
    assert alone[0] == beside[0]


def test_the_engines_have_the_shapes_of_presidio():
    text = "Hi Anna, mail anna@example.org"
    results = AnalyzerEngine(scrubber=quick()).analyze(text=text, language="en")
    assert [one.to_dict() for one in results] == [
        {"entity_type": "PERSON", "start": 3, "end": 7, "score": 0.85},
        {"entity_type": "EMAIL_ADDRESS", "start": 14, "end": 30, "score": 1.0},
    ]
    only = AnalyzerEngine(scrubber=quick()).analyze(text, entities=["EMAIL_ADDRESS"], score_threshold=0.9)
    assert [one.entity_type for one in only] == ["EMAIL_ADDRESS"]
    operators = {
        "PERSON": OperatorConfig("mask", {"masking_char": "*", "chars_to_mask": 3, "from_end": True}),
        "DEFAULT": OperatorConfig("replace", {"new_value": "-"}),
    }
    made = AnonymizerEngine().anonymize(text=text, analyzer_results=results, operators=operators)
    assert made.text == "Hi A***, mail -"
    assert [(item.start, item.end, item.entity_type, item.operator) for item in made.items] == [
        (3, 7, "PERSON", "mask"),
        (14, 15, "EMAIL_ADDRESS", "replace"),
    ]
    with pytest.raises(InputError):
        AnonymizerEngine().anonymize(text, results, {"PERSON": OperatorConfig("encrypt")})
    with pytest.raises(InputError):
        AnalyzerEngine(scrubber=quick()).analyze(text, typo=True)


def test_a_pseudonym_ends_with_the_sentence():
    """A full stop ends a name, unless it is that of an initial."""
    scrubber = Scrubber(replacement="pseudonym", key=b"k" * 32)
    texts = ["Anna Kowalska met Ms Kowalska. Anna, A. Kowalska and Kowalska, Anna too.", "KOWALSKA, J. R. Tolkien-Berg"]
    scrubbed = scrubber.scrub(texts)
    assert len(set(scrubbed.stand_ins[0])) == 1
    assert scrubbed.texts[1].count("[") == 2
    assert scrubbed.stand_ins[0][0] == scrubbed.stand_ins[1][0]
    assert not any(word in " ".join(scrubbed.texts) for word in ("A.", "Tolkien", "Berg", "J. R."))
