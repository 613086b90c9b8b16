"""Averages, intervals, the efficient settings and the choice at a risk."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from helpers.toy_study import Blur, toy_study
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import KAnonymity
from sfumato.study import Outcome
from sfumato.study.frontier import Frontier, best, estimate, frontier, settings
from sfumato.study.report.plot_file import frontier_image, save_frontier
from sfumato.study.report.plots import axis_range, frontier_picture, log_axis, log_utility
from sfumato.study.report.sentences import attack_sentence, finding, limit_sentence
from sfumato.study.run.runner import run
from sfumato.study.threshold import Limits, Threshold
from sfumato.study.wording import shown


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(toy_study(), workers=1)


@pytest.fixture(scope="module")
def plane(outcome: Outcome) -> Frontier:
    return frontier(outcome)


def rows(*values: float, low: float = math.nan, high: float = math.nan) -> list[dict[str, float]]:
    return [{"value": value, "low": low, "high": high, "reference": 0.0} for value in values]


def test_student_over_seeds() -> None:
    found = estimate(rows(1.0, 2.0, 3.0))
    half = 4.302652729749 * 1 / math.sqrt(3)  # t at 97.5 % with 2 degrees of freedom
    assert found.mean == 2.0
    assert found.high - 2.0 == pytest.approx(half, rel=1e-9)
    assert 2.0 - found.low == pytest.approx(half, rel=1e-9)


def test_the_wider_interval_counts() -> None:
    found = estimate(rows(0.5, 0.5, low=0.4, high=0.7))
    assert (found.low, found.high) == (pytest.approx(0.4), pytest.approx(0.7))
    alone = estimate(rows(0.5))
    assert math.isnan(alone.low)
    assert alone.cautious == 0.5


def test_an_interval_is_cut_where_the_measure_never_is(outcome: Outcome) -> None:
    assert estimate(rows(0.0, 0.1)).low < 0
    assert estimate(rows(0.0, 0.1), floor=0.0).low == 0.0
    assert math.isnan(estimate(rows(0.5), floor=0.0).low)
    assert all(setting.estimates["error of the mean"].low >= 0 for setting in settings(outcome))


def test_settings_are_named_by_what_differs(outcome: Outcome) -> None:
    titles = [setting.title for setting in settings(outcome)]
    assert titles[0] == "raw data"
    assert titles[1] == "Blur, ε = 0.1"
    assert titles[-1] == "Rounding, width = 2"


def test_efficient_settings_are_not_beaten(plane: Frontier) -> None:
    efficient = plane.efficient
    assert efficient
    for point in plane.points:
        beaten = any(
            plane.risk(other).mean <= plane.risk(point).mean
            and plane.gain(other) >= plane.gain(point)
            and (plane.risk(other).mean, plane.gain(other)) != (plane.risk(point).mean, plane.gain(point))
            for other in plane.points
        )
        assert beaten != (point in efficient)


def test_best_respects_the_limit_up_to_the_interval(outcome: Outcome, plane: Frontier) -> None:
    for limit in (0.7, 0.8, 0.9, 1.0):
        chosen = best(outcome, risk_at_most=limit)
        assert plane.risk(chosen).cautious <= limit
        for other in plane.points:
            if plane.risk(other).cautious <= limit:
                assert plane.gain(other) <= plane.gain(chosen)
    assert best(outcome, risk_at_most=1.1, guaranteed=True).guaranteed


def test_best_with_a_utility_that_is_better_lower(outcome: Outcome) -> None:
    error = frontier(outcome, utility="error of the mean")
    chosen = best(outcome, risk_at_most=1.1, utility="error of the mean")
    assert error.use(chosen).mean == min(error.use(point).mean for point in error.points)


def test_a_limit_that_cannot_be_kept(outcome: Outcome) -> None:
    with pytest.raises(InfeasibleError, match=r"at or below 0\.3: the lowest is 0\.\d+ with Blur, ε = 0\.[13]"):
        best(outcome, risk_at_most=0.3)
    with pytest.raises(InputError, match="risk_at_most = nan"):
        best(outcome, risk_at_most=math.nan)
    with pytest.raises(InputError, match="attack = 'none'"):
        frontier(outcome, attack="none")


def test_levels_run_from_chance_to_raw(plane: Frontier) -> None:
    assert plane.chance == 0.5
    assert plane.levels([0.0, 0.5, 1.0]) == pytest.approx([0.5, 0.75, 1.0])


def test_the_words_name_the_numbers(plane: Frontier) -> None:
    assert "reaches 1, where guessing without the release gives 0.5" in attack_sentence(plane)
    limits = Limits(risks={plane.attack: Threshold(value=0.75, source="the reader")})
    chosen = plane.recommended(limits.risks)
    assert chosen is not None
    assert chosen.proved
    assert chosen.title in limit_sentence(plane, limits, {})
    assert chosen.title in finding(plane, limits)
    assert "→" in finding(plane, limits)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1.0, "1"),
        (-0.25, "−0.25"),
        (12345.6, "12,346"),
        (1e7, "1e+07"),
        (math.inf, "∞"),
        (math.nan, "—"),
        (True, "True"),
    ],
)
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert shown(value) == text


def test_axes(plane: Frontier) -> None:
    assert log_axis([0.01, 1.0])
    assert not log_utility(plane)  # a correlation
    assert not log_axis([0.0, 1.0])
    low, high = axis_range([estimate(rows(1.0)), estimate(rows(2.0))], [math.nan], log=False)
    assert low < 1.0 < 2.0 < high
    assert axis_range([estimate(rows(1.0)), estimate(rows(2.0))], [], log=False, down=True) == [high, low]
    figure = frontier_picture(plane)
    assert [trace.name for trace in figure.data] == ["Blur", "Rounding (nothing proved)", "raw data"]
    assert all(np.all(np.asarray(trace.error_x.array) >= 0) for trace in figure.data[:2])


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_in_files(plane: Frontier, tmp_path: Path, ending: str, magic: bytes) -> None:
    for name in ("a", "b"):
        save_frontier(plane, tmp_path / f"{name}.{ending}")
    content = (tmp_path / f"a.{ending}").read_bytes()
    assert content.startswith(magic)
    assert content == (tmp_path / f"b.{ending}").read_bytes()
    with pytest.raises(InputError, match="ending of the file"):
        save_frontier(plane, tmp_path / "a.gif")
    assert frontier_image(plane).startswith("data:image/svg+xml;base64,")


def test_promises_as_parameters_name_a_setting() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
    class Towards(Blur):
        target: tuple[KAnonymity, ...] = ()

    mechanisms = {"towards": [Towards(epsilon=1.0, target=(KAnonymity(k),)) for k in (2, 5)]}
    outcome = run(dataclasses.replace(toy_study(seeds=1), mechanisms=mechanisms), workers=1)
    assert [point.title for point in frontier(outcome).points] == ["towards, k = 2", "towards, k = 5"]


def test_a_repr_in_another_order_is_the_same_setting(outcome: Outcome) -> None:
    """A set inside a mechanism is written in another order by another process."""
    again = [
        row | {"mechanism": row["mechanism"].replace("gate='', log=''", "log='', gate=''")} for row in outcome.rows
    ]
    mixed = [one if one["seed"] else other for one, other in zip(outcome.rows, again, strict=True)]
    assert {row["mechanism"] for row in mixed} != {row["mechanism"] for row in outcome.rows}
    found = settings(dataclasses.replace(outcome, rows=mixed))
    assert [setting.title for setting in found] == [setting.title for setting in settings(outcome)]
    assert {estimate.seeds for setting in found for estimate in setting.estimates.values()} == {3}
