"""Private skip-gram (Fischer B12, §4.1) and the four mistakes of its published code."""

from __future__ import annotations

import importlib.util
import math
import sys

import numpy as np
import pytest

from helpers import SPECIMENS
from sfumato.auditor import audit
from sfumato.cli.audit import cases_in
from sfumato.errors import InputError
from sfumato.promise import ApproxDP, Assumption
from sfumato.promise.accountant import Accountant
from sfumato.promise.calibration import gaussian_delta
from sfumato.study.conformance import yield_checks
from sfumato.text.examples import skip_gram_cases
from sfumato.text.mechanisms.skipgram.one_step_skip_gram import OneStepSkipGram
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.mechanisms.skipgram.user_pairs import UserPairs
from sfumato.text.vocabulary.vocabulary import Vocabulary

torch = pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")

WORDS = ("tea", "cup", "milk", "rain", "wind", "snow")


def model(**changes) -> PrivateSkipGram:
    sizes = {"expected_users": 4, "dimension": 3, "steps": 2, "rate": 1.0}
    return PrivateSkipGram(**({"vocabulary": WORDS, "epsilon": 1.0, "delta": 1e-5} | sizes | changes))


def pairs_of(users, window=1) -> UserPairs:
    return UserPairs.of(users, {word: place for place, word in enumerate(WORDS)}, window)


def test_pairs_stay_within_a_text_and_a_user():
    found = pairs_of([["Tea cup, the milk", "rain"], [], ["snow wind"]], window=1)
    assert found.first.tolist() == [0, 4, 4, 6]
    assert sorted(map(tuple, found.pairs[:4].tolist())) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert sorted(map(tuple, found.pairs[4:].tolist())) == [(4, 5), (5, 4)]


def test_window_reaches_as_far_as_asked():
    found = pairs_of([["tea cup milk rain"]], window=2)
    assert len(found.pairs) == 2 * (3 + 2)
    assert np.abs(np.diff(found.pairs)).max() == 2


def test_no_more_pairs_of_a_user_than_asked(rng):
    found = pairs_of([["tea cup " * 50], ["rain wind"]])
    pairs, place = found.sample(np.array([0, 1]), 10, rng)
    assert np.bincount(place).tolist() == [10, 2]
    assert set(map(tuple, pairs[:10].tolist())) <= {(0, 1), (1, 0)}


def test_gradient_is_that_of_the_loss(rng):
    """Against a plain autograd over the whole table, one user at a time, clipped by hand."""
    users = pairs_of([["tea cup milk"], ["rain wind rain tea"], ["snow snow"]])
    trained = model(negatives=0, clip=0.7)
    table = rng.normal(size=(2 * len(WORDS), 3))
    expected = np.zeros_like(table)
    for user in range(3):
        own = torch.from_numpy(table).clone().requires_grad_()
        pairs = torch.from_numpy(users.pairs[users.first[user] : users.first[user + 1]])
        score = (own[pairs[:, 0]] * own[len(WORDS) + pairs[:, 1]]).sum(1)
        torch.nn.functional.softplus(-score).sum().backward()
        gradient = own.grad.numpy()
        expected += gradient * min(1.0, 0.7 / np.linalg.norm(gradient))
    found = trained.clipped_sum(table, users, np.arange(3), rng)
    assert np.allclose(found, expected, atol=1e-8)


def test_a_user_moves_the_sum_by_at_most_the_bound_and_can_reach_it(rng):
    """Per-user clipping test of the spec: however much one user writes, over words and contexts jointly."""
    trained = model(clip=0.25, negatives=5)
    table = rng.normal(size=(2 * len(WORDS), 3)) * 3
    for own in (["tea cup " * 40], ["rain"] * 3 + ["wind snow rain"] * 30, ["cup milk"]):
        alone = trained.clipped_sum(table, pairs_of([own]), np.array([0]), rng)
        assert np.linalg.norm(alone) <= 0.25
    assert np.linalg.norm(alone) == pytest.approx(0.25, rel=1e-6)


def test_sums_and_noise_are_on_one_grid(rng):
    """Whole multiples of a power of two, so that no low bits of a double tell more than the noise allows."""
    trained = model(clip=0.3, negatives=2)
    grid = trained._grid
    assert math.log2(grid) == round(math.log2(grid))
    users = pairs_of([["tea cup milk"], ["rain wind snow tea"], ["cup"]])
    total = trained.clipped_sum(rng.normal(size=(12, 3)), users, np.arange(3), rng)
    assert (total % grid == 0).all()
    noisy = np.array([trained.noisy_steps.noisy(total, rng) for _ in range(400)])
    coarse = 2.0 ** (math.floor(math.log2(0.3 * trained.noise_multiplier)) - 20)
    assert (noisy % coarse == 0).all()
    noisy -= total
    # 14 400 draws: 4 % is 6.8 standard errors of the deviation
    assert noisy.std() == pytest.approx(0.3 * trained.noise_multiplier, rel=0.04)


def test_users_with_budgets_of_their_own(monkeypatch, rng):
    """A user leaves before the step that would exceed their ε; the account is that of the accountant."""
    trained = model(steps=40, rate=1.0, epsilon=3.0, negatives=0)
    allowed = trained.steps_within(1.0)
    account = Accountant(unit="user", neighbours="add-remove")
    spent = [
        account.gaussian(trained.noise_multiplier, sampling_rate=1.0, count=allowed + more).epsilon(1e-5)
        for more in (0, 1)
    ]
    assert spent[0] <= 1.0 < spent[1]
    assert trained.steps_within(3.0) == 40
    assert trained.steps_within(1e-3) == 0
    seen = []
    monkeypatch.setattr(
        PrivateSkipGram,
        "clipped_sum",
        lambda self, parameters, users, chosen, rng: seen.append(chosen) or 0 * parameters,
    )
    data = {"ann": ["tea cup"], "bob": ["cup milk"], "eve": ["rain"]}
    trained.release(data, budgets={"bob": 1.0, "eve": 1e-3}, rng=rng)
    assert [chosen.tolist() for chosen in seen] == [[0, 1]] * allowed + [[0]] * (40 - allowed)


@pytest.mark.parametrize("budgets", [{"zoe": 0.5}, {"ann": 0.0}, {"ann": 2.0}, {"ann": math.nan}, [0.5]], ids=str)
def test_bad_budgets(budgets, rng):
    with pytest.raises(InputError):
        model().release({"ann": ["tea cup"]}, budgets=budgets, rng=rng)
    with pytest.raises(InputError):
        model().release([["tea cup"]], budgets={0: 0.5}, rng=rng)


def test_users_without_words_and_no_users_at_all(rng):
    trained = model()
    assert not trained.clipped_sum(np.ones((12, 3)), pairs_of([["nothing known"]]), np.array([0]), rng).any()
    assert trained.release([], rng=rng).shape == (6, 3)
    assert trained.release({"ann": [], "bob": [""]}, rng=rng).shape == (6, 3)


def test_noise_is_what_the_accountant_asks_for():
    trained = model(steps=50, rate=0.1, epsilon=2.0)
    account = Accountant(unit="user", neighbours="add-remove").gaussian(
        trained.noise_multiplier, sampling_rate=0.1, count=50
    )
    assert account.epsilon(1e-5) == pytest.approx(2.0, rel=1e-4)
    assert account.epsilon(1e-5) <= 2.0
    promise = ApproxDP(2.0, 1e-5, unit="user", neighbours="add-remove")
    assert trained.guarantee == promise.assuming(Assumption("vocabulary"))
    assert model(accounting="pld").noise_multiplier < model().noise_multiplier


def test_renyi_curve_at_full_rate():
    """q = 1: RDP(α) = α/(2σ²), once a step (Fischer §4.1)."""
    curve = Accountant(unit="user", neighbours="add-remove").gaussian(3.0, sampling_rate=1.0, count=4).renyi().curve
    assert all(value == pytest.approx(4 * order / (2 * 9.0), rel=1e-9) for order, value in curve if order < 60)


def test_noise_reaches_words_that_nobody_used():
    """A row without noise would tell that nobody used the word."""
    start = np.ones((6, 3))
    trained = model(steps=1, rate=1.0, initial=start, expected_users=1, learning_rate=1.0)
    releases = np.array([trained.release([["tea cup"]], rng=np.random.default_rng(seed)) for seed in range(200)])
    spread = releases[:, 5].std()  # snow
    assert spread == pytest.approx(trained.noise_multiplier, rel=0.15)  # 600 draws: 0.15 is 5.2 standard errors


def test_the_same_texts_move_vectors_together():
    """At ε = 8 with 300 users words that stand together end nearer to each other than others (fixed seed)."""
    rng = np.random.default_rng(5)
    topics = np.array([[0, 1, 2], [3, 4, 5]])
    users = [[" ".join(WORDS[k] for k in rng.choice(topics[rng.integers(2)], 8)) for _ in range(2)] for _ in range(300)]
    trained = model(epsilon=8.0, expected_users=300, dimension=8, steps=40, rate=0.3, pairs_per_user=32)
    vectors = trained.fit(users, rng=rng)
    assert vectors.guarantee == trained.guarantee
    assert {word for word, _ in vectors.nearest("tea", 2)} == {"cup", "milk"}
    assert {word for word, _ in vectors.nearest("wind", 2)} == {"rain", "snow"}


def test_one_step_attains_its_promise_over_all_parameters(rng):
    """The step as a whole is exactly the Gaussian mechanism: adding a user shifts it by C."""
    step = skip_gram_cases()[0].mechanism
    crowd = UserPairs.of([["tea tea"], ["tea tea tea"]], {"tea": 0}, 1)
    start = np.full((2, 1), 0.5)
    both, one = (step.clipped_sum(start, crowd, np.arange(count), rng) for count in (2, 1))
    shift = float(np.linalg.norm(both - one))
    assert shift == pytest.approx(step.clip, rel=1e-8)
    delta = gaussian_delta(step.epsilon, step.noise_multiplier, sensitivity=shift / step.clip)
    assert 0.1 * step.delta < delta <= step.delta  # Rényi accounting leaves some room


@pytest.mark.parametrize("case", skip_gram_cases(), ids=lambda case: case.label)
def test_auditor_and_checks_agree(case):
    result = audit(case, rng=np.random.default_rng(0))
    assert result.verdict == "holds"
    assert result.method == "density"
    for one in yield_checks(case):
        one.run()


@pytest.mark.parametrize(
    "changes",
    [
        {"vocabulary": ()},
        {"vocabulary": "tea"},
        {"vocabulary": ("tea", "tea")},
        {"epsilon": 0.0},
        {"delta": 0.0},
        {"delta": 1.0},
        {"expected_users": 0},
        {"dimension": 0},
        {"window": 0},
        {"negatives": -1},
        {"steps": 0},
        {"rate": 0.0},
        {"rate": 1.5},
        {"clip": 0.0},
        {"learning_rate": math.nan},
        {"pairs_per_user": 0},
        {"accounting": "moments"},
        {"initial": np.ones((6, 2))},
    ],
    ids=str,
)
def test_bad_parameters(changes):
    with pytest.raises(InputError):
        model(**changes)


@pytest.mark.parametrize("bad", ["tea cup", [["tea"], "cup"], {"ann": "tea"}, [[b"tea"]], [["\ud800"]], 3, None])
def test_bad_texts(bad):
    with pytest.raises(InputError):
        model().release(bad)


def test_vocabulary_of_the_same_texts_is_noticed(rng):
    from sfumato.text.vocabulary.shingles import shingles

    vocabulary = Vocabulary(words=WORDS, vectors=np.ones((6, 2)), sources=shingles(["tea cup"]))
    with pytest.warns(UserWarning, match="vocabulary"):
        model(vocabulary=vocabulary).release([["Tea, cup."]], rng=rng)


@pytest.mark.parametrize("size", [1e-308, 1e-200, 1e-3, 1e150, 1e200, 1e308])
@pytest.mark.parametrize("clip", [2.0**-300, 1.0, 2.0**300])
def test_no_user_adds_more_than_the_bound_whatever_the_vectors(rng, size, clip):
    """Squares that overflow made the factor 0, infinity times 0 is NaN, and NaN was cast to −2⁶³ steps of the grid."""
    start = rng.choice([-1.0, 1.0], size=(6, 3)) * size
    one = model(clip=clip, dimension=3, initial=start)
    users = UserPairs.of([["tea cup tea rain cup"] * 3], {word: k for k, word in enumerate(WORDS)}, 2)
    total = one.clipped_sum(np.concatenate([start, start]), users, np.array([0]), rng)
    assert np.isfinite(total).all()
    assert math.sqrt(math.fsum((total / clip).ravel() ** 2)) <= 1


@pytest.mark.parametrize("clip", [1e308, 1e-308, 0.0, -1.0])
def test_bounds_that_no_grid_can_hold_are_refused(clip):
    with pytest.raises(InputError, match="clip"):
        model(clip=clip)


def test_one_step_needs_a_fixed_start():
    with pytest.raises(InputError, match="initial"):
        OneStepSkipGram(vocabulary=WORDS, epsilon=1.0, delta=1e-5, expected_users=4, dimension=3)


def test_specimens_are_caught_and_their_sound_counterparts_pass():
    path = SPECIMENS / "skipgram.py"
    assert len(cases_in(path)) == 4
    spec = importlib.util.spec_from_file_location("skipgram_specimens", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for case in module.SOUND:
        result = audit(case, rng=np.random.default_rng(0))
        assert result.verdict == "holds"
        assert result.found == pytest.approx(result.promised, rel=1e-2)  # tight: one user shifts the sum by C
