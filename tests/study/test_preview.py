"""What is said of a release before it is made: bounds that hold, solutions that are kept, and no look at an answer."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, InputError
from sfumato.promise import ApproxDP, KAnonymity, NoGuarantee, PureDP, ZeroConcentratedDP
from sfumato.study.preview import Dial, Foreseen, Preview, best_guess, epsilon_dial, setting_for
from sfumato.survey import HadamardResponse, ShufflePrivacy, UnaryEncoding

DOMAINS = {"age": [0, 100, 10], "sex": ["f", "m"]}


class TestBestGuess:
    @pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
    def test_randomised_response_reaches_it(self, epsilon: float) -> None:
        truth = sf.RandomizedResponse(epsilon=epsilon, categories=2).truth
        assert PureDP(epsilon).best_guess == pytest.approx(truth, rel=1e-12)
        assert PureDP(epsilon).best_guess >= truth

    def test_delta_adds_to_it(self) -> None:
        """The mechanism that tells all with probability δ and is randomised response otherwise is (ε, δ)-DP."""
        epsilon, delta = 1.0, 0.05
        reached = delta + (1 - delta) * PureDP(epsilon).best_guess
        assert ApproxDP(epsilon, delta).best_guess == pytest.approx(reached, rel=1e-12)

    def test_a_normal_law_stays_below_it(self) -> None:
        """Two normal laws one apart, σ = 2: ρ = 1/8, and the best guess is right with probability Φ(1/4)."""
        right = 0.5 * (1 + math.erf(0.25 / math.sqrt(2)))
        assert right <= ZeroConcentratedDP(1 / 8).best_guess < 0.63

    def test_what_bounds_nothing_says_so(self) -> None:
        for promise in (KAnonymity(5), NoGuarantee("x"), PureDP(1e6), ShufflePrivacy(1.0, "within 1 by x")):
            assert promise.best_guess == 1.0


class TestSettingFor:
    @pytest.mark.parametrize("wanted", [0.52, 0.6, 0.73, 0.9])
    def test_the_figure_is_kept_and_not_by_far(self, wanted: float) -> None:
        def make(epsilon: float) -> Preview:
            return Preview(promise=PureDP(epsilon), figures=(best_guess(PureDP(epsilon), "two"),))

        found = setting_for(make, epsilon_dial(1.0), "guess", wanted)
        assert PureDP(found).best_guess <= wanted < PureDP(found + 0.006).best_guess

    def test_a_whole_dial_stays_whole(self) -> None:
        dial = Dial(name="k", words="k", value=2, low=2, high=50, step=1)

        def make(k: float) -> Preview:
            return Preview(promise=KAnonymity(int(k)), figures=(Foreseen(name="r", value=1 / k, words="", why=""),))

        assert setting_for(make, dial, "r", 0.09) == 12
        assert setting_for(make, dial, "r", 0.9) == 2

    def test_what_is_not_to_be_had_is_said(self) -> None:
        def make(epsilon: float) -> Preview:
            return Preview(promise=PureDP(epsilon), figures=(best_guess(PureDP(epsilon), "two"),))

        with pytest.raises(InfeasibleError, match=r"50 % is not to be had: expected 51.2 % or more"):
            setting_for(make, epsilon_dial(1.0), "guess", 0.5)
        with pytest.raises(InputError, match="figure"):
            setting_for(make, epsilon_dial(1.0), "margin", 0.5)


class TestSurvey:
    @pytest.mark.parametrize("kind", [UnaryEncoding, HadamardResponse])
    @pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
    def test_the_margin_covers_most_estimates(self, kind: type, share: float) -> None:
        """Of 400 surveys at least 91 % lie within the margin for 95 %: all six fail for one seed in 1 000 or fewer."""
        front, rng = kind(epsilon=1.0, categories=3), np.random.default_rng(0)  # type: ignore[call-arg]
        answers = (np.arange(500) >= share * 500).astype(np.int64)
        margin = front.margin_for(500)
        near = [abs(front.estimate(front.release(answers, rng=rng))[0] - share) <= margin for _ in range(400)]
        assert np.mean(near) >= 0.91

    def test_no_answer_is_looked_at(self) -> None:
        """The answers are not even categories; a release refuses them."""
        places = {"x": [0.0, 1.0, 2.0, 9.0], "answer": ["?"] * 4}
        for arguments in (
            {"mechanism": "unary-encoding", "epsilon": 1.0},
            {"group": ["x"], "radius": 1, "alpha": 1.0, "epsilon": 1.0},
        ):
            found = sf.survey.preview(pa.table(places), categories=["a", "b"], **arguments)
            assert found.figure("guess").value == pytest.approx(0.7311, abs=1e-4)
            with pytest.raises(InputError, match="not a category"):
                sf.survey.protect(pa.table(places), categories=["a", "b"], **arguments)  # type: ignore[arg-type]

    def test_the_promise_is_that_of_the_release(self) -> None:
        poll = pa.table({"x": [0.0, 1.0, 2.0, 9.0], "answer": ["a", "b", "a", "b"]})
        for arguments in (
            {"mechanism": "hadamard-response", "epsilon": 0.7, "categories": ["a", "b"]},
            {"group": ["x"], "nearest": 2, "alpha": 2.0},
        ):
            assert sf.survey.preview(poll, **arguments).promise == sf.survey.protect(poll, **arguments).guarantee  # type: ignore[arg-type]

    def test_who_is_alone_is_counted(self) -> None:
        poll = pa.table({"x": [0.0, 1.0, 2.0, 9.0], "answer": ["a", "b", "a", "b"]})
        found = sf.survey.preview(poll, group=["x"], radius=1, alpha=1.0)
        assert found.figure("alone").value == 1
        assert found.figure("order").value == pytest.approx(0.7311, abs=1e-4)
        assert [dial.name for dial in found.dials] == ["alpha", "radius"]


class TestActivity:
    def test_groups_are_tried_out(self) -> None:
        log = sf.activity.make_log()
        found = sf.activity.preview(log, k=5)
        card = sf.activity.protect(log, k=5).card
        assert found.figure("worst").value == 1 / 5
        assert found.promise.statement == card.promise["statement"]
        bare = sf.activity.preview(log, mechanism="pseudonyms")
        for k, dials in ((None, []), (3, ["k"])):
            factors = sf.activity.preview(log, mechanism="factorisation", rank=2, k=k, settings={"sweeps": 2})
            assert [dial.name for dial in factors.dials] == dials
        assert bare.figure("groups").value > found.figure("groups").value
        assert bare.dials == ()

    @pytest.mark.parametrize("k", [3, 7])
    def test_no_attack_finds_more_people_than_was_foreseen(self, k: int) -> None:
        log = sf.activity.make_log()
        release = sf.activity.protect(log, k=k)
        found = [one.score.value for one in release.attack(log) if one.score is not None]
        assert max(found) <= sf.activity.preview(log, k=k).figure("worst").value * (1 + 1e-9)

    def test_the_log_that_is_kept_is_the_right_one(self) -> None:
        from sfumato.activity import foresight

        first, second = sf.activity.make_log(), sf.activity.make_log(users=40, seed=3)
        asked = [
            (log, {"k": k, "every": every}) for log in (first, second) for k in (3, 5) for every in ("week", "month")
        ]
        alone = []
        for log, arguments in asked:
            foresight._latest = None
            alone.append(sf.activity.preview(log, **arguments))  # type: ignore[arg-type]
        assert [sf.activity.preview(log, **arguments) for log, arguments in asked] == alone  # type: ignore[arg-type]
        assert len({repr(one) for one in alone}) == len(alone)
        del first, second, log, asked
        assert foresight._latest is None  # nothing is kept of a table that is gone

    def test_noise_is_not_drawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def drawn(*_: object, **__: object) -> None:
            raise AssertionError("a private answer was drawn for a preview")

        monkeypatch.setattr(sf.activity.RandomizedCells, "release", drawn)
        log = sf.activity.make_log()
        item = str(log["item"][0])
        found = sf.activity.preview(log, mechanism="randomized-cells", epsilon=0.1, items=[item])
        whole = sf.activity.RandomizedCells(epsilon=0.1).per_user(1, len(sf.activity.read_activity(log).labels))
        assert found.figure("guess").value == pytest.approx(whole.best_guess)
        assert found.figure("lies").value == pytest.approx(1 / (1 + math.exp(0.1)))

    def test_the_promise_is_that_of_the_release(self) -> None:
        log = sf.activity.make_log()
        items = [str(one) for one in log["item"].unique()[:2]]
        for arguments in ({"mechanism": "randomized-cells", "epsilon": 0.1, "items": items}, {"k": 4}):
            assert sf.activity.preview(log, **arguments).promise == sf.activity.protect(log, **arguments).guarantee  # type: ignore[arg-type]


class TestModel:
    def test_the_margin_covers_most_counts(self) -> None:
        """Of 1 000 noisy counts at least 92 % lie within the margin for 95 %: fails for one seed in 50 000."""
        made = sf.model.NoisyMarginals(epsilon=1.0, domains=DOMAINS)
        noise = np.random.default_rng(0).laplace(scale=2 * 2 / 1.0, size=1000)
        assert np.mean(np.abs(noise) / 800 <= made.margin_for(800)) >= 0.92

    def test_what_promises_nothing_says_so(self) -> None:
        table = pa.table({"age": [30, 40], "sex": ["f", "m"]})
        found = sf.model.preview(table, ["age"], mechanism="kernel-density")
        assert found.figure("guess").value == 1.0
        assert found.dials == ()
        assert any("Nothing is promised" in words for words in found.notes)

    def test_who_comes_or_goes_is_two_steps_from_another(self) -> None:
        came = ApproxDP(1.0, 1e-6, neighbours="add-remove")
        assert best_guess(came, "two records").value == pytest.approx(ApproxDP(2.0, 4e-6).best_guess, abs=1e-6)
        assert best_guess(ApproxDP(20.0, 1e-6, neighbours="add-remove"), "two records").value == 1.0

    def test_a_missing_column_is_refused(self) -> None:
        with pytest.raises(InputError, match="height"):
            sf.model.preview(pa.table({"age": [1]}), ["height"], epsilon=1.0, settings={"domains": DOMAINS})


AGES = pa.table({"age": [30.0, 40.0, 55.0] * 100, "word": ["a", "b", "b"] * 100, "hour": [6.5, 23.25, 7.0] * 100})
STATISTICS = [
    {"columns": "age", "mechanism": "mean", "low": 0, "high": 100},
    {"columns": "age", "mechanism": "sum", "low": 0, "high": 100},
    {"columns": "age", "mechanism": "variance", "low": 0, "high": 100},
    {"columns": "age", "mechanism": "quantile", "low": 0, "high": 100},
    {"columns": "age", "mechanism": "histogram", "low": 0, "high": 100, "bins": 5},
    {"columns": "word", "mechanism": "histogram", "categories": ["a", "b"]},
    {"columns": "age", "mechanism": "laplace", "low": 0, "high": 100},
    {"columns": "word", "mechanism": "randomized-response", "categories": ["a", "b"]},
]
_LOSSES = ("pure", "epsilon", "level")
DIRECTIONS = [
    {"columns": "hour", "pure": 1.0},
    {"columns": "hour", "epsilon": 2.0},
    {"columns": "hour", "level": 1.0, "radius": 2.0},
    {"columns": "hour", "mechanism": "von-mises-fisher", "level": 1.0, "radius": 2.0},
    {"columns": "hour", "mechanism": "wrapped-laplace", "pure": 1.0},
]


def unread(table: pa.Table) -> pa.Table:
    """The same table with other values in it: what is foreseen must not change."""
    return pa.table(
        {
            name: pa.array(["?"] * len(table) if name == "word" else [float("nan")] * len(table))
            for name in table.schema.names
        }
    )


class TestStatistic:
    @pytest.mark.parametrize("arguments", STATISTICS)
    def test_the_promise_is_that_of_the_release_and_no_value_is_looked_at(self, arguments: dict[str, object]) -> None:
        given = {"epsilon": 0.5, "clip": True, **arguments}
        found = sf.statistic.preview(unread(AGES), **given)  # type: ignore[arg-type]
        assert found == sf.statistic.preview(AGES, **given)  # type: ignore[arg-type]
        assert found.promise == sf.statistic.protect(AGES, **given).guarantee  # type: ignore[arg-type]
        assert found.figure("guess").value == pytest.approx(1 / (1 + math.exp(-0.5)))
        assert [dial.name for dial in found.dials] == ["epsilon"]

    def test_the_accuracy_is_that_of_the_mechanism_and_can_be_asked_for(self) -> None:
        def make(epsilon: float) -> Preview:
            return sf.statistic.preview(AGES, "age", mechanism="mean", low=0, high=100, epsilon=epsilon)

        assert make(1.0).figure("margin").value == sf.statistic.Mean(epsilon=1.0, bounds=(0, 100)).margin_for(300)
        found = setting_for(make, make(1.0).dial("epsilon"), "margin", 2.0)
        assert make(found).figure("margin").value <= 2.0 < make(found - 0.02).figure("margin").value

    def test_what_cannot_be_said_is_said(self) -> None:
        given = {"mechanism": "mean", "low": 0, "high": 100, "epsilon": 1.0, "neighbours": "add-remove"}
        found = sf.statistic.preview(AGES, "age", **given)  # type: ignore[arg-type]
        assert [one.name for one in found.figures] == ["guess"]
        assert "measured when it is filed" in found.notes[0]
        for wrong in ({"low": None}, {"mechanism": "mode"}, {"columns": "height"}):
            with pytest.raises(InputError):
                sf.statistic.preview(AGES, **{"columns": "age", **given, **wrong})  # type: ignore[arg-type]


class TestDirection:
    @pytest.mark.parametrize("arguments", DIRECTIONS)
    def test_the_promise_is_that_of_the_release_and_no_direction_is_looked_at(
        self, arguments: dict[str, object]
    ) -> None:
        found = sf.direction.preview(unread(AGES), **arguments)  # type: ignore[arg-type]
        assert found == sf.direction.preview(AGES, **arguments)  # type: ignore[arg-type]
        assert found.promise == sf.direction.protect(AGES, **arguments).guarantee  # type: ignore[arg-type]
        assert found.figure("guess").by == found.dials[0].name == next(one for one in arguments if one in _LOSSES)

    def test_the_guess_is_that_of_the_distance(self) -> None:
        def guess(**arguments: float) -> float:
            return sf.direction.preview(AGES, "hour", **arguments).figure("guess").value  # type: ignore[arg-type]

        assert guess(pure=1.0) == pytest.approx(1 / (1 + math.exp(-1)))
        assert guess(epsilon=1.0) == pytest.approx(1 / (1 + math.exp(-math.pi)))  # opposite ones
        assert guess(level=1.0, radius=2.0) == pytest.approx(1 / (1 + math.exp(-1)))  # within two hours

    def test_the_error_is_the_mean_of_many(self) -> None:
        """The mean of 20 000 errors of at most 12 hours is within .2 of its law but for one seed in 10⁶."""
        many = pa.table({"hour": [12.0] * 20_000})
        released = sf.direction.protect(many, "hour", epsilon=1.0, rng=np.random.default_rng(0)).arrow["hour"]
        foreseen = sf.direction.preview(many, "hour", epsilon=1.0).figure("error").value
        assert np.abs(released.to_numpy() - 12.0).mean() == pytest.approx(foreseen, abs=0.2)

    def test_what_has_no_law_says_so(self) -> None:
        found = sf.direction.preview(AGES, "hour", mechanism="clipped-laplace", pure=1.0)
        assert "measured when they are filed" in found.notes[0]
        with pytest.raises(InputError, match="height"):
            sf.direction.preview(AGES, "height", pure=1.0)
