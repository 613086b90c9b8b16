"""``sf.survey.protect`` in Python: frames of any kind, cards, keys, and what an attacker makes of encoded reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise import Guarantee, PureDP
from sfumato.release import Card, Terms, verify
from sfumato.survey import EncodedReportAttack, HadamardResponse, ShareError, ShufflePrivacy, UnaryEncoding
from sfumato.survey.data.survey import Survey, make_hospital_stays
from sfumato.survey.protection import question_of, recompute

ROWS = 60
ANSWERS = ["yes", "no", "no"] * (ROWS // 3)
FRAMES = {
    "pandas": lambda: pd.DataFrame(
        {"x": np.arange(ROWS) / 9, "answer": ANSWERS}, index=[f"Ms {k}" for k in range(ROWS)]
    ),
    "polars": lambda: pl.DataFrame({"x": np.arange(ROWS) / 9, "answer": ANSWERS}),
    "arrow": lambda: pa.table({"x": np.arange(ROWS) / 9, "answer": ANSWERS}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_kind_of_frame_leaves_without_its_index(kind: str) -> None:
    frame: Any = FRAMES[kind]()
    release = sf.survey.protect(frame, group=["x"], radius=1, alpha=2.0)
    assert type(release.data) is type(frame)
    assert release.arrow.column_names == ["x", "answer"]
    if kind == "pandas":
        assert list(release.data.index) == list(range(ROWS))
        assert "Ms" not in release.card.to_json()
    rows = release.key.rows
    assert rows is not None
    assert np.allclose(release.arrow["x"].to_numpy(), np.arange(ROWS)[rows] / 9)
    assert sorted(rows.tolist()) == list(range(ROWS))


@pytest.mark.parametrize("mechanism", ["collection", "unary-encoding", "hadamard-response"])
def test_the_card_is_enough_to_ask_again(mechanism: str) -> None:
    places: dict[str, Any] = {"group": ["x"], "radius": 1, "alpha": 2.0} if mechanism == "collection" else {}
    release = sf.survey.protect(FRAMES["arrow"](), mechanism=mechanism, epsilon=1.0, categories=["yes", "no"], **places)
    card = Card.from_json(release.card.to_json())
    question = question_of(card)
    assert question.public() == question_of(release.card).public()
    assert (question.mechanism, question.epsilon, tuple(question.categories)) == (mechanism, 1.0, ("yes", "no"))
    assert card.guarantee == release.guarantee
    assert {check.result for check in recompute(release)} == {"holds"}
    assert all(found.criterion == "inference" and found.knows for found in release.attack(FRAMES["arrow"]()))
    assert all(found.better for found in release.measure(FRAMES["arrow"]()))


def test_an_edited_card_is_refused_with_one_line() -> None:
    release = sf.survey.protect(FRAMES["arrow"](), group=["x"], radius=1, alpha=2.0)
    release.card.mechanism.parameters["colour"] = "red"
    with pytest.raises(InputError, match="was it edited"):
        question_of(release.card)


def test_a_shuffle_without_noise_has_the_same_bag_of_answers() -> None:
    release = sf.survey.protect(FRAMES["arrow"](), group=["x"], radius=1, alpha=2.0)
    assert sorted(release.arrow["answer"].to_pylist()) == sorted(ANSWERS)
    assert "the answers were not randomised here" in " ".join(release.card.not_covered)


def test_a_kept_column_that_reports_would_hide_is_refused() -> None:
    table = FRAMES["arrow"]().append_column("answer=no", pa.array([0] * ROWS))
    options: dict[str, Any] = {"mechanism": "unary-encoding", "epsilon": 1.0, "categories": ["yes", "no"]}
    with pytest.raises(InputError, match="rename"):
        sf.survey.protect(table, keep=["answer=no"], **options)
    assert sf.survey.protect(table, **options).arrow.num_columns == 2


def test_a_rule_for_groups_is_written_down_and_paid_like_any_promise() -> None:
    local = PureDP(1.0, unit="answer", neighbours="any-pair", model="local")
    promise = ShufflePrivacy(2.0, "within 1 by x", local)
    assert Guarantee.from_dict(promise.to_dict()) == promise
    assert promise.budget_obstacle == ""
    assert ShufflePrivacy(2.0, sf.survey.Groups.everyone(3)).budget_obstacle
    budget = ShufflePrivacy(3.0, "within 1 by x")
    assert str(budget.price(promise)) == "alpha 2.0"
    for release in (ShufflePrivacy(2.0, "within 2 by x"), PureDP(1.0)):
        with pytest.raises(InputError):
            budget.price(release)
    with pytest.raises(InputError, match="ε for each answer"):
        promise.price(ShufflePrivacy(1.0, "within 1 by x"))
    with pytest.raises(InputError, match="rule"):
        ShufflePrivacy(1.0, " ")
    # a rule does not say who hides among whom: only ε bounds what one answer may change
    assert promise.loss_bound(np.array([0, 1]), np.array([1, 0])) == 2.0


def test_the_radius_names_the_groups_in_full() -> None:
    table = FRAMES["arrow"]()
    promises = [
        sf.survey.protect(table, group=["x"], radius=radius, alpha=2.0).guarantee for radius in (1.0, 1.0 + 1e-9)
    ]
    assert promises[0].groups != promises[1].groups  # type: ignore[attr-defined]


def test_a_person_with_several_answers() -> None:
    table = FRAMES["arrow"]().append_column("who", pa.array([k // 3 for k in range(ROWS)]))
    options: dict[str, Any] = {"mechanism": "hadamard-response", "epsilon": 0.5, "categories": ["yes", "no"]}
    release = sf.survey.protect(table, terms=Terms(person="who"), **options)
    assert release.card.promise["per_person"]["statement"] == "ε = 1.5"
    assert "who" not in release.arrow.column_names


@pytest.mark.parametrize("front", [UnaryEncoding, HadamardResponse])
def test_encoded_reports_tell_more_with_a_larger_epsilon(front: Any) -> None:
    """The Bayes rule: at least chance for any ε, near certainty at ε = 12 with an encoding that can be undone."""
    survey = make_hospital_stays(4000, sites=40)
    survey = Survey(survey.answers, survey.where, survey.categories)
    found = []
    for epsilon in (0.1, 2.0, 12.0):
        made = front(epsilon=epsilon, categories=survey.k)
        reports = made.release(survey.answers, rng=seeded_rng(1))
        found.append(EncodedReportAttack().attack(survey, reports, mechanism=made, rng=seeded_rng(2)))
    assert found[0].reference == pytest.approx(np.bincount(survey.answers).max() / survey.n)
    values = [one.value for one in found]
    assert values[0] > found[0].reference - 0.03
    assert values[0] < values[1] - 0.05 < values[2]


def test_the_attack_on_reports_is_the_bayes_rule_by_enumeration() -> None:
    """Expected share of right guesses over all reports of two answers: Σ_y max_x Pr[x]·Pr[y | x]."""
    answers = np.repeat([0, 1], [700, 300])
    survey, front = Survey(answers, np.zeros((1000, 1)), ["a", "b"]), UnaryEncoding(epsilon=1.0, categories=2)
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    law = np.exp([front.log_prob(bits[:, None], np.array([x])) for x in (0, 1)])
    best = (np.array([[0.7], [0.3]]) * law).max(axis=0).sum()
    runs = [
        EncodedReportAttack().attack(survey, front.release(answers, rng=seeded_rng(k)), mechanism=front).value
        for k in range(40)
    ]
    assert np.mean(runs) == pytest.approx(best, abs=5 * 0.5 / np.sqrt(40_000))


def test_shares_are_estimated_without_bias() -> None:
    survey = make_hospital_stays(6000, sites=40)
    for front in (UnaryEncoding(epsilon=3.0, categories=4), HadamardResponse(epsilon=3.0, categories=4)):
        error = ShareError(front=front).measure(survey, front.release(survey.answers, rng=seeded_rng(3)))
        assert error.value < 0.06
    assert ShareError().measure(survey, survey).value == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda survey: EncodedReportAttack().attack(survey, np.zeros(survey.n, int)),
        lambda survey: EncodedReportAttack().attack(
            survey, np.zeros(3, int), mechanism=HadamardResponse(epsilon=1.0, categories=4)
        ),
        lambda survey: EncodedReportAttack(bins=0),
        lambda survey: ShareError(front=3),  # type: ignore[arg-type]
        lambda survey: ShareError().measure(survey, np.zeros(3)),
        lambda survey: sf.survey.protect([1, 2]),
        lambda survey: sf.survey.protect(FRAMES["arrow"](), group=["x", "x"], radius=1, alpha=1.0),
    ],
)
def test_what_is_refused(call: Any) -> None:
    with pytest.raises(InputError):
        call(make_hospital_stays(300, sites=20))


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("mechanism", ["collection", "unary-encoding", "hadamard-response"])
def test_the_smallest_surveys_end_in_findings(mechanism: str, count: int) -> None:
    """One that cannot be made has a reason; none ends the call."""
    table = FRAMES["arrow"]().slice(0, count)
    places: dict[str, Any] = {"group": ["x"], "radius": 1, "alpha": 2.0} if mechanism == "collection" else {}
    release = sf.survey.protect(table, mechanism=mechanism, epsilon=1.0, categories=["yes", "no"], **places)
    found = [*release.attack(table), *release.measure(table)]
    assert len(found) >= 2
    assert all(np.isnan(one.score.value) == bool(one.reason) for one in found)


def test_every_owner_has_a_radius_of_their_own(tmp_path: Path) -> None:
    """The column of radii is public: it leaves, the groups are made of it again, and the promise names it."""
    rng = np.random.default_rng(3)
    n = 120
    where = {"x": rng.random(n), "y": rng.random(n), "mine": rng.choice([0.0, 0.1, 0.3], n)}
    table = pa.table({**where, "answer": rng.choice(["yes", "no"], n).tolist()})
    options: dict[str, Any] = {"group": ["x", "y"], "alpha": 4.0, "epsilon": 2.0, "categories": ["yes", "no"]}
    release = sf.survey.protect(table, radii="mine", **options)
    assert set(release.data.column_names) == {"x", "y", "mine", "answer"}
    assert "within their own mine by x, y" in release.card.promised
    assert "radii" in release.card.promise["words"]
    release.write(tmp_path / "out.parquet")
    assert verify(tmp_path / "out.parquet").holds
    assert release.attack(table)
    wider = pa.table({**where, "mine": np.full(n, 0.5), "answer": table["answer"]})
    again = sf.survey.protect(wider, radii="mine", **options)
    assert again.card.mechanism.parameters["groups"] != release.card.mechanism.parameters["groups"]
    for wrong in ({"radius": 0.1}, {"nearest": 3}):
        with pytest.raises(InputError, match="--radii"):
            sf.survey.protect(table, radii="mine", **options, **wrong)
    with pytest.raises(InputError, match="--radii"):
        sf.survey.protect(table, radii="x", **options)


def test_groups_of_friends_are_made_again_from_the_card() -> None:
    """On a ring of 60 people who know those two steps away: a column of names, a list of pairs, no map."""
    names = [f"p{k}" for k in range(ROWS)]
    people = pa.table({"who": names, "answer": ANSWERS})
    friends = pa.table({"one": names * 2, "other": [names[(k + step) % ROWS] for step in (1, 2) for k in range(ROWS)]})
    options: dict[str, Any] = {"group": ["who"], "friends": friends, "alpha": 2.0}
    near, far = (sf.survey.protect(people, hops=hops, **options) for hops in (1, 2))
    assert [release.card.mechanism.parameters["groups"]["largest"] for release in (near, far)] == [5, 9]
    assert "who sent which report, within 1 step of friendship (list" in near.card.promise["statement"]
    assert "friendships" in near.card.promise["words"]
    for release in (near, far):
        assert {check.result for check in recompute(release)} == {"holds"}
        assert release.attack(people)
        assert release.measure(people)
    # the rows' order and the way a pair is written do not matter; another list has another name
    turned = pa.table({"other": friends["other"][::-1], "one": friends["one"][::-1]})
    again = sf.survey.protect(people.take(np.arange(ROWS)[::-1]), **options | {"friends": turned})
    assert again.guarantee == near.guarantee
    fewer = sf.survey.protect(people, **options | {"friends": friends.slice(1)})
    assert fewer.guarantee != near.guarantee
    near.card.mechanism.parameters["friends"] = near.card.mechanism.parameters["friends"][1:]
    assert "fails" in {check.result for check in recompute(near)}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"radius": 1.0}, "--friends"),
        ({"group": ["who", "x"]}, "--group"),
        ({"hops": 0}, "hops"),
        ({"friends": pa.table({"one": ["p1"], "other": ["nobody"]})}, "leave out"),
        ({"friends": pa.table({"one": ["p1"], "other": ["p2"], "since": [1999]})}, "two columns"),
        ({"friends": pa.table({"one": ["p\t1"], "other": ["p2"]})}, "tab"),
        ({"friends": None, "hops": 2}, "--hops"),
    ],
    ids=str,
)
def test_wrong_friendships_are_refused(wrong: dict[str, Any], match: str) -> None:
    people = pa.table({"who": ["p1", "p2", "p3"], "x": [1.0, 2.0, 3.0], "answer": ["yes", "no", "no"]})
    options: dict[str, Any] = {"group": ["who"], "friends": pa.table({"one": ["p1"], "other": ["p2"]}), "alpha": 2.0}
    with pytest.raises(InputError, match=match):
        sf.survey.protect(people, **options | wrong)
    twice = pa.concat_tables([people, people])
    with pytest.raises(InputError, match="different names"):
        sf.survey.protect(twice, **options)
