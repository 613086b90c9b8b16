"""Scrubbing: how finds are replaced, and what is refused (Weggenmann B4)."""

from __future__ import annotations

import re
import signal

import numpy as np
import pytest

from sfumato.auditor import AuditCase
from sfumato.errors import InputError
from sfumato.promise import NoGuarantee
from sfumato.study.conformance import yield_checks
from sfumato.text.data.mails import make_mails
from sfumato.text.scrub.capital_recogniser import CapitalRecogniser
from sfumato.text.scrub.cascade import quick_recognisers
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.scrub.span import Span, span_scores

KEY = b"a secret of thirty-two bytes ...."


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
    quick = Scrubber(recognisers=quick_recognisers())
    assert abs(len(quick.release(text)) - len(text)) < 100  # none of them holds much to hide
    assert len(Scrubber().release([text])) == 1  # the cascade ends, too
    assert all(0 <= span.start < span.end <= len(text) for span in CapitalRecogniser().find([text])[0])


def test_quick_recognisers_on_labelled_mails():
    """Recall and precision on 300 invented mails; the bounds are well below what is measured (0.96, 1.0)."""
    mails = make_mails(300, rng=np.random.default_rng(2))
    truth = [[Span(*span) for span in spans] for spans in mails.spans]
    scrubber = Scrubber(recognisers=quick_recognisers())
    scores = span_scores(scrubber.spans(mails.texts), truth)
    assert scores["all"][0] > 0.93
    assert scores["all"][1] > 0.97
    for label in ("EMAIL", "IBAN", "CARD", "IP", "URL", "PHONE", "DATE", "ADDRESS", "ID"):
        assert scores[label][0] > 0.98, label
    common = [
        [s for s, kind in zip(t, k, strict=True) if kind == "common"] for t, k in zip(truth, mails.kinds, strict=True)
    ]
    assert span_scores(scrubber.spans(mails.texts), common)["all"][0] > 0.99


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Griﬃth", "Griffith"),
        ("Ｋｏｗａｌｓｋａ", "Kowalska"),
        ("Kowal\u00adska", "Kowalska"),
        ("Kow\u200balska", "Kowalska"),
        ("Mu\u0308ller", "Müller"),
        ("𝐊𝐨𝐰𝐚𝐥𝐬𝐤𝐚", "Kowalska"),
        ("Kоwalska", "Kowalska"),
    ],
    ids=["ligature", "wide", "soft hyphen", "no width", "accent of its own", "bold", "letters of another alphabet"],
)
def test_a_name_does_not_escape_by_its_letters(written, plain):
    """However it is set, it is the same person, and all of it goes."""
    scrubber = Scrubber(recognisers=quick_recognisers(), replacement="pseudonym", key=bytes(32))
    texts = [f"Dear Ms {plain},\nall is well.", f"we asked {written} about it", "ﬁve Ｗide words, Москва"]
    made = scrubber.release(texts)
    token = made[0].split()[2].rstrip(",")
    assert made[1] == f"we asked {token} about it"
    assert made[2] == texts[2]
