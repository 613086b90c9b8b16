"""The private core: means inside the ball, noise that does not depend on the text, exact (ε, δ), and codes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.errors import InputError
from sfumato.promise.calibration import gaussian_delta
from sfumato.text import (
    CodeResponse,
    CodeVae,
    DpAae,
    DpVae,
    PublicPool,
    best_response,
    gaussian_bits,
    response_bits,
)
from sfumato.text.mechanisms.rewrite.dp_vae import squashed
from sfumato.text.mechanisms.rewrite.rewriting_examples import REVIEWS, random_model

pytest.importorskip("torch")


@settings(max_examples=200, deadline=None)
@given(
    means=arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats(width=64)),
    radius=st.floats(1e-3, 1e3),
)
def test_means_stay_in_the_ball_in_exact_arithmetic(means, radius):
    """‖μ*‖ ≤ R always, whatever the network says: not a number, infinity, huge and tiny values included."""
    for row in squashed(means, radius):
        assert sum(Fraction(float(one)) ** 2 for one in row) <= Fraction(radius) ** 2


def test_squashing_in_the_network_is_the_same_function():
    import torch

    from sfumato.text.mechanisms.rewrite.rewriting_network import into_ball

    means = np.random.default_rng(0).normal(size=(200, 6)) * np.logspace(-7, 2, 200)[:, None]
    graph = into_ball(torch.from_numpy(means), 3.0).numpy()
    np.testing.assert_allclose(graph, squashed(means, 3.0), rtol=1e-7, atol=1e-12)
    zero = torch.zeros(1, 4, requires_grad=True)
    into_ball(zero, 3.0).sum().backward()
    assert torch.isfinite(zero.grad).all()
    assert (zero.grad == 3.0).all()


def test_the_noise_is_the_same_for_every_text():
    """Six standard errors of a variance estimate: a false alarm in less than one of 10⁸ runs."""
    private = DpVae(epsilon=2.0, model=random_model("bounded", size=2), unit="sentence", sentences=3)
    count = 20_000
    for text in ("a fine film", "", "dull play " * 3):
        ids, _ = private.sentence_ids([text])
        drawn = private.draw_latents(np.repeat(ids[:1], count, axis=0), np.random.default_rng(1))
        apart = (drawn - private.bounded_means(ids[:1])) / private.sigma
        assert abs(apart.var() - 1) < 6 * math.sqrt(2 / apart.size)
        assert np.abs(apart.mean(axis=0)).max() < 6 / math.sqrt(count)


def test_a_sentence_is_read_alone():
    """What stands beside a text in a release does not change a bit of its mean."""
    private = DpVae(epsilon=2.0, model=random_model("bounded", size=3, hidden=16))
    texts = ["a fine film", "dull play .", "", "play play a dull fine"] * 20
    ids, _ = private.sentence_ids(texts)
    together = private.bounded_means(ids)
    for row in (0, 1, 2, 63, 64, 79):
        others = np.random.default_rng(row).integers(0, 10, ids.shape)
        others[row] = ids[row]
        np.testing.assert_array_equal(private.bounded_means(others)[row], together[row])


@pytest.mark.parametrize(("unit", "sentences"), [("sentence", 12), ("document", 12), ("document", 1)])
def test_the_promise_is_exact(unit, sentences):
    """At the stated σ the Gaussian mechanism has δ(ε) = δ for the distance of any two units, and not less."""
    private = DpVae(epsilon=4.0, delta=1e-6, model=random_model("bounded"), unit=unit, sentences=sentences)
    apart = 6.0 * math.sqrt(sentences if unit == "document" else 1)
    assert gaussian_delta(4.0, private.sigma, apart) == pytest.approx(1e-6, rel=1e-4)
    assert private.guarantee.unit == unit
    assert (private.guarantee.epsilon, private.guarantee.delta) == (4.0, 1e-6)


def test_published_epsilon_is_per_sentence_and_too_small():
    """R = 3, σ = 1, δ = 1e-6: printed 34.539, exactly 45.8 a sentence, 152.9 for 5, 314 for 12, 465 for 19."""
    model = random_model("bounded")
    found = {count: DpVae.of_sigma(sigma=1.0, model=model, sentences=count).epsilon for count in (1, 5, 12, 19)}
    assert found == pytest.approx({1: 45.79, 5: 152.9, 12: 314, 19: 465}, abs=0.6)
    each = DpVae.of_sigma(sigma=1.0, model=model, unit="sentence", sentences=12)
    assert each.epsilon == pytest.approx(45.79, abs=0.01)
    assert each.whole_promise(texts=1, words=3, unit="document").epsilon == pytest.approx(found[12], rel=1e-6)


def test_bits_beside_epsilon():
    """The table of what may pass a latent at an exact ε."""
    assert [round(gaussian_bits(e), 2) for e in (1.0, 4.0, 10.0)] == [0.01, 0.13, 0.6]
    assert best_response(1.0)[0] == 3
    assert best_response(1.0)[1] == pytest.approx(0.18, abs=0.005)
    assert best_response(4.0)[1] == pytest.approx(2.41, abs=0.005)
    assert best_response(10.0) == (2048, pytest.approx(9.65, abs=0.005))
    assert response_bits(600.0, 8) == pytest.approx(3.0)


def test_part_of_a_latent_is_no_promise_about_the_text():
    private = DpAae(model=random_model("split"), sigma=14.2)
    assert private.guarantee.vacuous
    assert private.author_part.epsilon == pytest.approx(1.87, abs=0.01)
    wider = DpAae(model=random_model("split"), sigma=38.8)
    assert wider.author_part.epsilon == pytest.approx(0.633, abs=0.005)


def test_texts_that_are_too_long_are_refused_and_long_sentences_split_with_accounting():
    model = random_model("bounded")  # six tokens a sentence
    long = "a fine film a dull play a fine film"
    assert [len(piece) for piece in model.tokeniser.pieces(long)] == [6, 3]
    private = DpVae(epsilon=2.0, model=model, sentences=1)
    with pytest.raises(InputError, match=r"2 sentences of at most 6 tokens.*raise sentences"):
        private.release(long, rng=np.random.default_rng(0))
    two = DpVae(epsilon=2.0, model=model, sentences=2)
    assert two.sigma == pytest.approx(private.sigma * math.sqrt(2), rel=1e-6)
    assert isinstance(two.release(long, rng=np.random.default_rng(0)), str)


def test_a_document_always_has_as_many_sentences():
    """Three latents for every text, however many sentences it has; sentence by sentence the number shows."""
    model = random_model("bounded")
    for unit, sizes in (("document", {3}), ("sentence", {1, 2, 3})):
        private = DpVae(epsilon=2.0, model=model, unit=unit, sentences=3)
        counts = private.sentence_ids(["a film.", "a film. a play.", "a film. a play. fine."])[1]
        assert set(counts) == sizes
        assert any("number of sentences" in one for one in private.shown) == (unit == "sentence")


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan])
def test_no_noise_is_refused(sigma):
    with pytest.raises(InputError, match="sigma"):
        DpVae.of_sigma(sigma=sigma, model=random_model("bounded"))
    with pytest.raises(InputError, match="sigma"):
        DpAae(sigma=sigma, model=random_model("split"))


def test_a_model_of_another_latent_is_refused():
    with pytest.raises(InputError, match="a code latent"):
        DpVae(epsilon=1.0, model=random_model("code", size=2))
    with pytest.raises(InputError, match="RewritingModel"):
        CodeVae(epsilon=1.0, model="model.npz")


def test_codes_follow_randomised_response():
    """The share of the own code is p within six standard errors."""
    private = CodeVae(epsilon=2.0, model=random_model("code", size=2))
    assert len(set(private.model.codes(["a fine film", "dull dull play", "film", "play ."]))) > 1
    drawn = private.private_codes(["a fine film"] * 20_000, np.random.default_rng(0))
    own = private.model.codes(["a fine film"])[0]
    share = (drawn == own).mean()
    assert abs(share - private.truth) < 6 * math.sqrt(private.truth * (1 - private.truth) / 20_000)
    assert private.truth == pytest.approx(math.exp(2) / (math.exp(2) + 3))


def test_every_public_text_stands_for_one_code_at_most():
    texts = [f"{mood} {thing} number{k}" for k in range(12) for mood in ("fine", "dull") for thing in ("film", "play")]
    pool = PublicPool.of(texts, topics=["good" if text.startswith("fine") else "bad" for text in texts])
    private = CodeResponse(epsilon=3.0, pool=pool, topics=3, near=4)
    members = np.concatenate(private._members)
    assert len(set(members.tolist())) == len(members) == 24
    assert all(len(own) == 4 for own in private._members)
    law = np.exp(private.log_prob(list(pool.texts), "a fine film"))
    assert law.sum() == pytest.approx(1.0)
    released = private.release(["a fine film"] * 200, rng=np.random.default_rng(1))
    assert private.stated(released).count("good") > 150
    with pytest.raises(InputError, match="rarest label"):
        CodeResponse(epsilon=3.0, pool=REVIEWS, topics=4)
    with pytest.raises(InputError, match="at least two labels"):
        CodeResponse(epsilon=3.0, pool=PublicPool.of(["a", "b"], topics=["x", "x"]), topics=1)


def _told_apart(private, texts, authors):
    """How much better than the majority authors are named by the commonest author of a code, in the same texts."""
    codes, owners = private.codes(texts), np.unique(authors, return_inverse=True)[1]
    table = np.zeros((private.answers, owners.max() + 1))
    np.add.at(table, (codes, owners), 1)
    return (table.max(axis=1).sum() - table.sum(axis=0).max()) / len(texts)


@pytest.mark.parametrize("seed", range(3))
def test_erased_authors_are_not_told_by_the_topic(seed):
    """Public texts fall into topics that two authors prefer; without the directions of the authors a code tells little.

    Held-out texts: 200 of each author; without erasure the gain is above .3 for each seed, with it below .1.
    """
    rng = np.random.default_rng(seed)
    fields = {"ann": ["rose", "tulip", "soil", "spade"], "bob": ["loan", "share", "bond", "rate"]}
    common = [f"word{k}" for k in range(30)]

    def write(field, mood):
        words = [*rng.choice(fields[field], 3), *rng.choice(common, 8), "fine" if mood == "good" else "dull"]
        return " ".join(rng.permutation(words))

    def many(count):
        kinds = [(field, mood) for field in fields for mood in ("good", "bad")] * (count // 4)
        return [write(*kind) for kind in kinds], [field for field, _ in kinds], [mood for _, mood in kinds]

    texts, _, moods = many(200)
    pool = PublicPool.of(texts, topics=moods, source="made up")
    known, owners, _ = many(200)
    see, truth, felt = many(400)
    plain = CodeResponse(epsilon=10.0, pool=pool, topics=2)
    erased = CodeResponse(
        epsilon=10.0, pool=pool, topics=2, authors=PublicPool.of(known, topics=owners, source="their training texts")
    )
    assert _told_apart(plain, see, truth) > 0.3
    assert _told_apart(erased, see, truth) < 0.1
    labels = np.array(pool.names)[erased.codes(see) // 2]
    assert (labels == np.array(felt)).mean() > 0.9
    assert "the texts of known authors" in str(erased.guarantee)
    assert erased.guarantee.epsilon == plain.guarantee.epsilon == 10.0
    with pytest.warns(UserWarning, match="share wording") as found:
        erased.release([" ".join([known[0]] * 4)], rng=np.random.default_rng(0))
    assert any("space of topics" in str(one.message) for one in found)
    with pytest.raises(InputError, match="two authors"):
        CodeResponse(epsilon=1.0, pool=pool, topics=2, authors=PublicPool.of(["a", "b"], topics=["ann", "ann"]))
