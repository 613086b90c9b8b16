"""DP-SGD for rewriting networks: a text more or less changes a step by at most C, and the noise is what is paid for."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import InputError
from sfumato.promise.accountant import Accountant
from sfumato.text import PrivateTraining, RewritingDesign, RewritingModel, Tokeniser, TrainingPlan, train_rewriter
from sfumato.text.core.torch_run import torch_run
from sfumato.text.mechanisms.rewrite.objectives import objective_of
from sfumato.text.mechanisms.rewrite.rewriting_network import build_network
from sfumato.text.mechanisms.rewrite.training import _lesson

torch = pytest.importorskip("torch")

TEXTS = ["good tea. good tea again.", "bad rain", "good good", "bad bad rain. bad.", "tea"]
WORDS = Tokeniser(words=("good", "bad", "tea", "rain", "."), longest=6, source="made up")
SMALL = {"embedding": 4, "hidden": 4, "size": 2}
PRIVATE = PrivateTraining(epsilon=4.0, delta=1e-5, expected_texts=5, steps=6, rate=0.5, sentences=2)


@settings(max_examples=100, deadline=None)
@given(
    gradient=arrays(np.float32, st.integers(1, 6), elements=st.floats(width=32)),
    others=arrays(np.float32, (2, 6), elements=st.floats(-9, 9, width=32)),
    clip=st.floats(1e-3, 1e3),
)
def test_one_text_changes_a_sum_by_at_most_the_bound(gradient, others, clip):
    """In exact arithmetic, not-a-number, infinities and tiny gradients included."""
    private = PrivateTraining(epsilon=1.0, delta=1e-5, expected_texts=5, clip=clip)
    size = len(gradient)
    others = others[:, :size]
    without, with_it = (private.clipped_sum(rows, size) for rows in (list(others), [*others, gradient]))
    apart = [Fraction(float(b)) - Fraction(float(a)) for a, b in zip(without, with_it, strict=True)]
    assert sum(one**2 for one in apart) <= Fraction(clip) ** 2


@pytest.mark.parametrize("latent", ["plain", "bounded", "code"])
def test_the_gradient_of_a_text_does_not_depend_on_the_others(latent):
    """Words are hidden and latents are blurred by chance: by one draw for each text, whoever else is in the step."""
    design = RewritingDesign(latent=latent, labels=("bad", "good"), **SMALL)
    plan, moods = TrainingPlan(), ["good", "bad", "good", "bad", "good"]
    lesson = _lesson(TEXTS, design, WORDS, labels=moods, authors=None, weigh=False)
    rows = [np.flatnonzero(lesson.owners == text) for text in range(len(TEXTS))]
    with torch_run(np.random.default_rng(0)):
        objective = objective_of(design, build_network(design, len(WORDS)), lesson, plan)
        few, more = (
            list(objective.text_gradients([rows[text] for text in texts], part=0.5, rng=_Draws(texts)))
            for texts in ((1, 2, 4), (0, 1, 2, 3, 4))
        )
        again = list(objective.text_gradients([rows[1]], part=0.5, rng=_Draws([0])))
    for text, gradient in zip((1, 2, 4), few, strict=True):
        np.testing.assert_array_equal(gradient, more[text])
    assert not np.array_equal(again[0], few[0])  # there is chance in it


class _Draws:
    """In place of a generator: every text gets the draw that is its own, whoever else is there."""

    def __init__(self, texts):
        self.left = list(texts)

    def integers(self, high):
        return 1000 + self.left.pop(0)


def test_all_steps_together_keep_the_promise():
    account = Accountant(unit="training text", neighbours="add-remove")
    spent = account.gaussian(PRIVATE.noise_multiplier, sampling_rate=PRIVATE.rate, count=PRIVATE.steps)
    assert spent.epsilon(PRIVATE.delta) == pytest.approx(4.0, rel=1e-3)
    assert spent.epsilon(PRIVATE.delta) <= 4.0


def test_the_noise_has_the_deviation_that_is_paid_for():
    """Six standard errors of a variance estimate over 200 000 numbers: a false alarm in less than one of 10⁸ runs."""
    noise = PRIVATE.noisy_steps.noisy(np.zeros(200_001), np.random.default_rng(0))
    sigma = PRIVATE.noise_multiplier * PRIVATE.clip
    assert noise.shape == (200_001,)
    assert abs((noise / sigma).var() - 1) < 6 * math.sqrt(2 / noise.size)


def test_texts_are_sampled_each_by_itself_and_read_in_part():
    owners = np.repeat(np.arange(400), 5)
    chosen = PRIVATE.chosen(owners, np.random.default_rng(1))
    assert abs(len(chosen) - 200) < 60  # six deviations of a binomial are 60
    assert {len(rows) for rows in chosen} == {2}
    assert all(len(set(owners[rows].tolist())) == 1 for rows in chosen)


@pytest.mark.parametrize("latent", ["plain", "bounded", "code"])
def test_a_private_model_says_so_and_a_seeded_one_does_not(latent, tmp_path):
    design = RewritingDesign(latent=latent, labels=("bad", "good"), **SMALL)
    given = {"design": design, "tokeniser": WORDS, "plan": TrainingPlan(epochs=2), "private": PRIVATE}
    moods = ["good", "bad", "good", "bad", "good"]
    model = train_rewriter(TEXTS, labels=moods, **given)
    assert model.training.epsilon == 4.0
    assert model.idf is None
    model.save(tmp_path / "m.npz")
    again = RewritingModel.load(tmp_path / "m.npz")
    assert again.training == model.training
    assert "ε = 4" in again.to_card()["training"]
    seeded = [train_rewriter(TEXTS, labels=moods, rng=np.random.default_rng(3), **given) for _ in range(2)]
    assert seeded[0].training.vacuous
    assert seeded[0].sha256 == seeded[1].sha256


def test_private_learning_learns():
    """Without much noise the labels of 60 short texts are learned: the error of a text that is like them falls."""
    texts = ["good tea .", "bad rain ."] * 30
    private = PrivateTraining(epsilon=2000.0, delta=1e-5, expected_texts=60, steps=60, rate=0.3)
    design = RewritingDesign(latent="code", labels=("bad", "good"), **SMALL)
    model = train_rewriter(
        texts, design=design, tokeniser=WORDS, labels=["good", "bad"] * 30, plan=TrainingPlan(rate=1e-2),
        private=private, rng=np.random.default_rng(0),
    )  # fmt: skip
    assert model.codes(["good tea", "bad rain"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokeniser": None}, "declared vocabulary"),
        ({"design": RewritingDesign(latent="split", authors=("ann", "bob"))}, "plain, bounded or code"),
        ({"design": RewritingDesign(latent="code", labels=("bad", "good"), topics=2)}, "1 with private training"),
    ],
)
def test_what_would_tell_of_the_texts_is_refused(change, message):
    given = {"design": RewritingDesign(**SMALL), "tokeniser": WORDS, "private": PRIVATE} | change
    with pytest.raises(InputError, match=message):
        train_rewriter(TEXTS, **given)


def test_a_private_checkpoint_goes_on_only_with_what_was_paid(tmp_path):
    given = {"design": RewritingDesign(**SMALL), "tokeniser": WORDS, "plan": TrainingPlan(epochs=2)}
    given["checkpoint"] = tmp_path / "c"
    assert train_rewriter(TEXTS, private=PRIVATE, epochs_now=1, **given).epochs == 1
    assert train_rewriter(TEXTS, private=PRIVATE, **given).epochs == 2
    with pytest.raises(InputError, match=r"same (private training|plan)"):
        train_rewriter(TEXTS, **given)


def test_private_training_on_the_command_line(tmp_path):
    rows = [{"text": text, "mood": text.split()[0]} for text in TEXTS[:4]]
    (tmp_path / "ours.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "words.txt").write_text("good\nbad\ntea\nrain\n")
    words = ["text", "train", tmp_path / "ours.jsonl", "-o", tmp_path / "m.npz", "--hidden", "4", "--epochs", "1"]
    words += ["--epsilon", "4", "--steps", "3", "--expected", "4"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert "--word-list" in str(result.exception)
    words += ["--word-list", tmp_path / "words.txt", "--value", "good", "--value", "bad"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "ε = 4, δ = 1e-06 per training text" in " ".join(result.stderr.split())
