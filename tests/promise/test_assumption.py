"""What a promise takes as public is said, declared, carried and written down."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from sfumato.errors import InputError
from sfumato.ledger import Ledger
from sfumato.promise import (
    Accountant,
    ApproxDP,
    Assumption,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    compose,
    compose_optimally,
    parallel,
    subsample,
)
from sfumato.promise.guarantee import promise_kind
from sfumato.study.conformance import collect_cases

VOCABULARY = Assumption("vocabulary")
GLOVE = Assumption("vocabulary", source="GloVe 6B, published 2014")
BOUNDS = Assumption("bounds")
PROMISES = [
    PureDP(0.5, unit="user"),
    ApproxDP(0.5, 1e-6, neighbours="add-remove"),
    ZeroConcentratedDP(0.1),
    RenyiDP([2, 4], [0.1, 0.2]),
    MetricDP(2.0, "angle"),
    KAnonymity(5),
]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda p: type(p).__name__)
def test_it_is_said(promise: Guarantee) -> None:
    declared, undeclared = promise.assuming(GLOVE), promise.assuming(VOCABULARY)
    assert declared.words.endswith("Taken as public: the vocabulary (GloVe 6B, published 2014).")
    assert "taken as public: the vocabulary (GloVe 6B, published 2014)" in str(declared)
    assert undeclared.words.endswith("provided that the vocabulary is public.")
    assert str(undeclared).endswith(", provided that the vocabulary is public")
    assert promise.words in declared.words
    assert str(promise) in str(undeclared)


def test_both_are_said_and_the_condition_comes_last() -> None:
    promise = PureDP(1.0).assuming(BOUNDS, GLOVE, Assumption("prior"), Assumption("corpus"))
    assert str(promise).endswith("2014), provided that the bounds, the prior and the corpus are public")
    assert str(PureDP(1.0).assuming(Assumption("corpus"))).endswith("the corpus is public")
    assert str(PureDP(1.0).assuming(BOUNDS)).endswith("the bounds are public")


def test_nothing_holds_on_no_condition() -> None:
    assert NoGuarantee("why").assuming(BOUNDS).words == NoGuarantee("why").words
    assert str(NoGuarantee("why").assuming(BOUNDS)) == "no guarantee: why"


@pytest.mark.parametrize("kind", sorted({*map(type, PROMISES)}, key=lambda kind: kind.__name__))
def test_no_kind_says_its_words_without_them(kind: type[Guarantee]) -> None:
    assert "words" not in vars(kind)
    assert "__str__" not in vars(kind)


def test_no_promise_in_the_house_says_its_words_without_them() -> None:
    for kind in {type(case.mechanism.guarantee) for case in collect_cases()}:
        for base in kind.__mro__[: kind.__mro__.index(Guarantee)]:
            assert not {"words", "__str__"} & set(vars(base)), f"{base.__name__}: override meaning and scoped instead"


def test_adding_twice_adds_once() -> None:
    promise = PureDP(1.0).assuming(BOUNDS).assuming(BOUNDS, GLOVE)
    assert promise.assumptions == (BOUNDS, GLOVE)
    assert promise == PureDP(1.0, assumptions=(BOUNDS, GLOVE))
    assert promise != PureDP(1.0)
    assert hash(promise) == hash(PureDP(1.0, assumptions=(BOUNDS, GLOVE)))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda p: type(p).__name__)
def test_it_is_written_down_and_read_back(promise: Guarantee) -> None:
    carried = promise.assuming(BOUNDS, GLOVE)
    written = json.loads(json.dumps(carried.to_dict()))
    assert written["assumptions"] == [
        {"what": "bounds", "source": None},
        {"what": "vocabulary", "source": "GloVe 6B, published 2014"},
    ]
    assert Guarantee.from_dict(written) == carried
    assert "assumptions" not in promise.to_dict()


def test_damaged_assumptions_are_refused() -> None:
    with pytest.raises(InputError, match="parameters of PureDP"):
        Guarantee.from_dict({**PureDP(1.0).to_dict(), "assumptions": [{"where": "here"}]})
    with pytest.raises(InputError, match="an Assumption"):
        PureDP(1.0, assumptions=("bounds",))  # type: ignore[arg-type]
    for what, source in (("", None), ("bounds", ""), ("bounds", 3)):
        with pytest.raises(InputError):
            Assumption(what, source)  # type: ignore[arg-type]


def test_declaring_names_the_source() -> None:
    promise = PureDP(1.0).assuming(BOUNDS, Assumption("model weights"))
    declared = promise.declare(bounds="codebook of 2021")
    assert declared.assumptions == (Assumption("bounds", "codebook of 2021"), Assumption("model weights"))
    for name in ("model_weights", "model-weights", "model weights"):
        assert promise.declare(**{name: "BERT"}).assumptions == (BOUNDS, Assumption("model weights", "BERT"))
    assert promise.declare() == promise


def test_declaring_something_else_names_what_there_is() -> None:
    promise = PureDP(1.0).assuming(BOUNDS, Assumption("prior"))
    with pytest.raises(InputError, match="'bounds', 'prior'"):
        promise.declare(vocabulary="GloVe 6B")
    with pytest.raises(InputError, match="declared already: 'codebook'"):
        promise.declare(bounds="codebook").declare(bounds="another")
    with pytest.raises(InputError, match="here there is nothing"):
        PureDP(1.0).declare(bounds="codebook")
    with pytest.raises(InputError, match="source"):
        promise.declare(bounds="  ")


def test_every_change_of_form_carries_it() -> None:
    pure, concentrated = PureDP(0.1).assuming(BOUNDS), ZeroConcentratedDP(0.1).assuming(BOUNDS)
    metric = MetricDP(2.0, "angle").assuming(BOUNDS)
    added = PureDP(0.1, neighbours="add-remove").assuming(BOUNDS)
    made: list[Guarantee] = [
        pure.as_approx(1e-6),
        pure.as_zcdp(),
        pure.as_renyi(),
        pure.as_renyi([2.0]).as_renyi([2.0]),
        pure.as_renyi().as_approx(1e-6),
        concentrated.as_approx(1e-6),
        concentrated.as_renyi(),
        pure.as_approx(1e-6).as_approx(1e-5),
        pure.over(3),
        concentrated.over(3),
        added.as_replace_one(),
        metric.within(0.1),
        metric.within(3.15, whole_domain=True),
        metric.through_query(1.0),
        subsample(added, 0.1),
    ]
    for promise in made:
        assert promise.assumptions == (BOUNDS,), promise


def test_together_they_rest_on_everything() -> None:
    one, other = PureDP(0.1).assuming(BOUNDS), PureDP(0.2).assuming(GLOVE, BOUNDS)
    both = (BOUNDS, GLOVE)
    assert compose(one, other).assumptions == both
    assert compose(one, PureDP(0.1)).assumptions == (BOUNDS,)
    assert compose(ZeroConcentratedDP(0.1), other, one).assumptions == (GLOVE, BOUNDS)
    assert compose(RenyiDP(2, 0.1), other).assumptions == (GLOVE, BOUNDS)
    assert compose(ApproxDP(0.1, 1e-9).assuming(BOUNDS), other).assumptions == both
    assert parallel(one, other, fixed_parts=True).assumptions == both
    assert compose_optimally(one, other, delta=1e-6).assumptions == both
    assert compose(MetricDP(1.0, "angle").assuming(BOUNDS), MetricDP(1.0, "angle")).assumptions == (BOUNDS,)
    assert Accountant().promise(one).promise(other).guarantee(1e-6).assumptions == both
    assert Accountant().promise(one).renyi().assumptions == (BOUNDS,)


def test_a_different_source_is_a_different_thing() -> None:
    """Two vocabularies, one declared: the other is still a condition."""
    together = compose(PureDP(0.1).assuming(GLOVE), PureDP(0.1).assuming(VOCABULARY))
    assert together.assumptions == (GLOVE, VOCABULARY)
    assert str(together).endswith("provided that the vocabulary is public")


def test_it_is_no_currency(tmp_path: Path) -> None:
    plain, carried = PureDP(1.0), PureDP(0.25).assuming(BOUNDS)
    assert plain.same_currency(carried)
    assert carried.same_currency(plain)
    assert plain.price(carried) == plain.price(PureDP(0.25))
    assert carried.cost() == PureDP(0.25).cost()
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.set("s", plain)
        ledger.spend("s", carried)
        ledger.spend("s", PureDP(0.25).assuming(GLOVE))
        assert ledger.left("s") == PureDP(0.5)
        ledger.verify()


def test_a_whole_takes_over_what_its_parts_rest_on() -> None:
    kind = promise_kind("PlaceAndTimePrivacy")
    whole = kind(MetricDP(1.0, "great-circle").assuming(Assumption("map")), MetricDP(2.0, "clock arc"))
    assert whole.assumptions == (Assumption("map"),)
    assert whole.words.count("provided that") == 1
    assert whole.declare(map="atlas").words.endswith("Taken as public: the map (atlas).")
    assert Guarantee.from_dict(whole.to_dict()) == whole
    assert compose(whole, kind(MetricDP(1.0, "great-circle"), MetricDP(2.0, "clock arc"))).assumptions == (
        Assumption("map"),
    )
    several = promise_kind("AllOf")((KAnonymity(5).assuming(Assumption("hierarchy")), KAnonymity(3)))
    assert several.assumptions == (Assumption("hierarchy"),)
    assert Guarantee.from_dict(json.loads(json.dumps(several.to_dict()))) == several
    nested = promise_kind("AllOf")([several, KAnonymity(2).assuming(BOUNDS)])
    assert nested.assumptions == (Assumption("hierarchy"), BOUNDS)
    assert [field.name for field in fields(several)].count("assumptions") == 1


def test_what_must_be_something_else_than_public_has_no_source() -> None:
    rounding = Assumption("rounding of doubles", needed="negligible")
    promise = PureDP(1.0).assuming(BOUNDS, rounding, Assumption("prior"))
    condition = "provided that the bounds and the prior are public and the rounding of doubles is negligible"
    assert str(promise).endswith(condition)
    assert str(promise.declare(bounds="codebook", prior="atlas")).endswith(
        "provided that the rounding of doubles is negligible"
    )
    with pytest.raises(InputError, match="'bounds', 'prior'"):
        promise.declare(rounding_of_doubles="my word")
    with pytest.raises(InputError, match="public only"):
        Assumption("rounding of doubles", "my word", needed="negligible")
    assert Guarantee.from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
