"""``sf.direction.protect`` in Python: frames of any kind, cards, keys; and the attacks on single records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.direction import (
    ClippedLaplace,
    DirectionError,
    DirectionGuessAttack,
    DirectionHistogramError,
    HabitAttack,
    MeanDirectionError,
    NaiveCentralSurvey,
    Purkayastha,
    RecordLinkageAttack,
    SphericalCap,
    VonMisesFisher,
    unit_vector,
)
from sfumato.direction.data.directions import Directions
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.direction.protection import question_of, recompute
from sfumato.direction.views import views
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.release import Card

HOURS = np.linspace(0.5, 23.5, 60)
FRAMES = {
    "pandas": lambda: pd.DataFrame({"wakes": HOURS, "age": range(60)}, index=[f"Ms {k}" for k in range(60)]),
    "polars": lambda: pl.DataFrame({"wakes": HOURS, "age": range(60)}),
    "arrow": lambda: pa.table({"wakes": HOURS, "age": range(60)}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_kind_of_frame_leaves_without_its_index(kind: str) -> None:
    frame: Any = FRAMES[kind]()
    release = sf.direction.protect(frame, "wakes", epsilon=1e6, keep=["age"])
    assert type(release.data) is type(frame)
    assert release.arrow.column_names == ["wakes", "age"]
    if kind == "pandas":
        assert list(release.data.index) == list(range(60))
        assert "Ms" not in release.card.to_json()
    rows = release.key.rows
    assert rows is not None
    assert release.arrow["age"].to_pylist() == rows.tolist()
    assert np.allclose(release.arrow["wakes"].to_numpy(), HOURS[rows], atol=1e-3)
    assert sf.direction.protect(frame, "wakes", epsilon=1.0).arrow.column_names == ["wakes"]


VECTORS = pa.table(dict(zip("abc", unit_vector(seeded_rng(1).standard_normal((60, 3))).T, strict=True)))
PLACES = pa.table({"lat": np.linspace(-60, 60, 60), "lon": np.linspace(-170, 170, 60)})
ASKED: dict[str, tuple[Any, dict[str, Any]]] = {
    "hour": (FRAMES["arrow"](), {"columns": "wakes", "pure": 2.0}),
    "angle": (pa.table({"a": HOURS / 4}), {"columns": "a", "kind": "angle", "epsilon": 2.0}),
    "latlon": (PLACES, {"columns": ["lat", "lon"], "kind": "latlon", "level": 1.0, "radius": 500.0}),
    "vector": (
        VECTORS,
        {"columns": ["a", "b", "c"], "kind": "vector", "epsilon": 9.0, "mechanism": "von-mises-fisher"},
    ),
    "remap": (
        PLACES,
        {"columns": ["lat", "lon"], "kind": "latlon", "epsilon": 9.0, "known": PLACES, "mechanism": "bayesian-remap"},
    ),
    "remapped vectors": (
        VECTORS,
        {"columns": ["a", "b", "c"], "kind": "vector", "pure": 9.0, "known": VECTORS, "mechanism": "bayesian-remap"},
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_card_is_enough_to_ask_again(name: str) -> None:
    table, options = ASKED[name]
    release = sf.direction.protect(table, **options)
    card = Card.from_json(release.card.to_json())
    assert question_of(card).public() == question_of(release.card).public()
    assert card.guarantee == release.guarantee
    assert question_of(card).build().guarantee.statement == release.guarantee.statement
    assert {check.result for check in recompute(release)} == {"holds"}
    found = release.attack(table)
    assert {one.criterion for one in found} == {"linkability", "inference"}
    assert all(one.knows and not one.reason for one in found)
    assert all(one.better and not one.reason for one in release.measure(table))


def test_an_edited_card_is_refused_with_one_line() -> None:
    release = sf.direction.protect(FRAMES["arrow"](), "wakes", pure=1.0)
    release.card.mechanism.parameters["colour"] = "red"
    with pytest.raises(InputError, match="was it edited"):
        question_of(release.card)


def test_hours_may_be_taken_modulo_a_day() -> None:
    table = pa.table({"wakes": [25.0, -1.0, 30.5, 47.0]})
    release = sf.direction.protect(table, "wakes", epsilon=1e6, wrap=True)
    error = next(one for one in release.measure(table) if one.name == "mean error (h)")
    assert error.score.value < 1e-3


def test_a_map_of_many_places_is_made_of_squares() -> None:
    rng = np.random.default_rng(2)
    table = pa.table(
        {"lat": 48 + rng.uniform(0, 0.02, 4000), "lon": 11 + rng.uniform(0, 0.02, 4000), "who": [1, 2] * 2000}
    )
    release = sf.direction.protect(table, ["lat", "lon"], kind="latlon", level=1.0, radius=100.0)
    look = views(question_of(release.card), table, release, person="who")[0]
    assert len(look.data.places) <= 21 * 21
    assert look.has == {"place", "user"}


def circle(values: Any, kind: Any = "hour") -> Directions:
    return Directions(values=np.asarray(values, float).reshape(len(values), -1), kind=kind)


@pytest.mark.parametrize(
    "noise",
    [
        Purkayastha(epsilon=2.0, kind="hour"),
        VonMisesFisher(epsilon=2.0, kind="hour"),
        SphericalCap(pure=3.0, kind="hour"),
        ClippedLaplace(pure=9.0, kind="hour"),
    ],
    ids=lambda noise: type(noise).__name__,
)
def test_linkage_is_as_good_as_the_likelihood_allows(noise: Any) -> None:
    """Two records at 3 and at 9 h: linked as often as the larger density of the two, by many releases."""
    raw = np.tile([3.0, 9.0], 1)
    hits = []
    expected = []
    for seed in range(300):
        seen = noise.release(raw, rng=seeded_rng(seed))
        score = RecordLinkageAttack().attack(circle(raw), circle(seen), mechanism=noise, rng=seeded_rng(seed))
        hits.append(score.value)
        law = np.stack([noise.log_density(np.atleast_1d(seen), float(x)) for x in raw], axis=1)
        own = np.diag(law)
        other = law[[0, 1], [1, 0]]
        expected.append(np.mean(np.where(own == other, 0.5, own > other)))
        assert score.reference == 0.5
    assert np.mean(hits) == pytest.approx(np.mean(expected), abs=0.05)
    assert np.mean(hits) > 0.55


def test_all_directions_of_a_record_count_together() -> None:
    rng, noise = seeded_rng(4), Purkayastha(epsilon=3.0, kind="hour")
    linked = []
    for columns in (1, 8):
        raw = rng.uniform(0, 24, (300, columns))
        seen = noise.release(raw, rng=rng)
        linked.append(RecordLinkageAttack().attack(circle(raw), circle(seen), mechanism=noise, rng=rng).value)
    assert linked[1] > 3 * linked[0]


@pytest.mark.parametrize("kind", ["hour", "angle", "latlon", "vector"])
def test_what_little_noise_and_much_noise_leave(kind: Any) -> None:
    """At a huge ε everything is found; at a tiny one the guess is not better than the best made for all."""
    rng = seeded_rng(6)
    raw = {
        "hour": rng.uniform(0, 24, (150, 1)),
        "angle": rng.uniform(0, 6, (150, 1)),
        "latlon": np.stack([rng.uniform(-60, 60, 150), rng.uniform(-170, 170, 150)], axis=1),
        "vector": unit_vector(rng.standard_normal((150, 5))),
    }[kind]
    for epsilon, least, most in ((1e7, 0.95, 1.0), (1e-3, 0.0, 0.25)):
        noise = Purkayastha(epsilon=epsilon, kind=kind)
        data, seen = circle(raw, kind), circle(noise.release(raw, rng=rng), kind)
        for attack in (RecordLinkageAttack(), DirectionGuessAttack(kind=kind)):
            score = attack.attack(data, seen, mechanism=noise, rng=rng)
            assert least <= score.value <= most
    blind = DirectionGuessAttack(kind=kind).attack(data, data)
    assert blind.value == 1.0  # without a known law the release itself is the guess


def test_the_mean_of_a_group_of_one_shows_its_habit() -> None:
    """Twenty groups of one person each, little noise: as good as their own answers. In one group of twenty, not."""
    rng = seeded_rng(8)
    hours = rng.uniform(0, 24, (20, 1))
    mechanism = NaiveCentralSurvey(noise=Purkayastha(pure=500.0, kind="hour"))
    shown = {}
    for name, group in (("alone", np.arange(20)), ("together", np.zeros(20, np.int64))):
        survey = SleepSurvey(hour=hours, group=group)
        release = mechanism.release(survey, rng=seeded_rng(9))
        shown[name] = HabitAttack().attack(survey, release, mechanism=mechanism, rng=seeded_rng(10)).value
    assert shown["alone"] > 0.9
    assert shown["together"] < 0.4


def test_errors_of_directions() -> None:
    raw, seen = circle([[0.0], [6.0]]), circle([[23.0], [8.0]])
    assert DirectionError(kind="hour").measure(raw, seen).value == pytest.approx(1.5)
    assert DirectionError(kind="hour", median=True).measure(raw, seen).value == pytest.approx(1.5)
    assert MeanDirectionError(kind="hour").measure(raw, circle([[1.0], [7.0]])).value == pytest.approx(1.0)
    assert DirectionHistogramError(kind="hour").measure(raw, circle([[1.0], [7.0]])).value == pytest.approx(1.0)
    berlin, tempelhof = circle([[52.52, 13.40]], "latlon"), circle([[52.52, 13.41]], "latlon")
    assert DirectionError(kind="latlon").measure(berlin, tempelhof).value == pytest.approx(0.677, abs=0.002)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sf.direction.protect([6.0], "wakes", pure=1.0),
        lambda: sf.direction.protect(FRAMES["arrow"](), "wakes", pure=1.0, known=[1.0]),
        lambda: sf.direction.protect(FRAMES["arrow"](), [], pure=1.0),
        lambda: Directions(values=np.zeros(3), kind="hour"),
        lambda: Directions(values=np.zeros((3, 1)), kind="colour"),  # type: ignore[arg-type]
        lambda: RecordLinkageAttack(records=1),
        lambda: RecordLinkageAttack().attack(circle([1.0]), circle([1.0])),
        lambda: RecordLinkageAttack().attack(circle([1.0, 2.0]), circle([1.0])),
        lambda: RecordLinkageAttack().attack([1.0], [2.0]),
        lambda: DirectionGuessAttack(tolerance=0.0),
        lambda: DirectionGuessAttack(kind="angle").attack(circle([1.0]), circle([1.0])),
        lambda: DirectionGuessAttack(kind="hour").attack(circle([1.0, 2.0]), circle([1.0])),
        lambda: DirectionError(kind="colour"),  # type: ignore[arg-type]
        lambda: DirectionError(kind="hour").measure(circle([1.0, 2.0]), circle([1.0])),
        lambda: DirectionHistogramError(kind="vector"),
        lambda: MeanDirectionError(kind="angle").measure(circle([1.0]), circle([1.0])),
    ],
)
def test_what_is_refused(call: Any) -> None:
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("name", ASKED)
def test_the_smallest_tables_end_in_findings(name: str, count: int) -> None:
    """One that cannot be made has a reason; none ends the call."""
    table, options = ASKED[name]
    table = table.slice(0, count).append_column("who", pa.array(["A"] * count))
    release = sf.direction.protect(table, **options)
    found = [*release.attack(table, person="who"), *release.measure(table)]
    assert len(found) >= 4
    assert all(np.isnan(one.score.value) == bool(one.reason) for one in found)
