"""Attention: closed forms, what is sound and what is not, and where noise falls."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.text import (
    AttentionAnonymizer,
    AttentionNoise,
    ChangeUtility,
    Corpus,
    LevelNoise,
    NameReplacement,
    NeuralAuthorshipAttack,
    PrivateSkipGram,
    Vocabulary,
    attention_loss,
    change_rates,
    hub_share,
    least_attention_loss,
    ppmi_vocabulary,
    prepare_mails,
    public_attention,
    train_adversarially,
    train_identificator,
)
from sfumato.text.data.letters import make_letters, make_letters_vocabulary
from sfumato.text.examples import PLANE
from sfumato.text.mechanisms.attention.attention_loss import softmax_rows
from sfumato.text.mechanisms.attention.identificator import positions
from specimens.rewriting import CASES, SOUND


@pytest.mark.parametrize(("size", "printed"), [(60, (0.184, 0.180, 0.182, 0.182)), (100, (0.141, 0.141, 0.141, 0.141))])
def test_the_anonymizer_of_the_thesis_is_constant_attention(size, printed):
    """Fischer §6.5: ε·loss of the constant row by Monte Carlo and in closed form, and the eight printed values."""
    least = least_attention_loss(size)
    assert attention_loss(np.full((4, size), 1 / size), draws=4000, rng=seeded_rng(0)) == pytest.approx(least, rel=0.01)
    assert printed == pytest.approx([least] * 4, rel=0.02)
    peaked = np.full((1, size), 1e-9)
    peaked[0, 0] = 1.0
    assert attention_loss(peaked, draws=40_000, rng=seeded_rng(1)) == pytest.approx(1.0, rel=0.03)


def test_every_attention_lies_between_the_two_and_the_manhattan_loss_is_constant():
    rng = seeded_rng(2)
    for sharpness in (0.1, 1.0, 5.0):
        rows = softmax_rows(sharpness * rng.normal(size=(8, 60)))
        assert 0.98 * least_attention_loss(60) <= attention_loss(rows, rng=rng) <= 1.03
        assert attention_loss(rows, order=1, draws=4000, rng=rng) == pytest.approx(1.0, rel=0.03)


@pytest.mark.parametrize("case", [*CASES, *SOUND], ids=lambda case: case.name)
def test_published_mistakes_are_caught_and_their_sound_forms_pass(case):
    assert audit(case, rng=seeded_rng(0)).as_expected


def test_positions_have_one_length():
    np.testing.assert_allclose(np.linalg.norm(positions(70, 60), axis=1), math.sqrt(30), rtol=1e-5)


def test_the_least_weight_drives_the_loss():
    flat, peaked = (
        AttentionNoise(epsilon=1.0, vocabulary=PLANE, attention=weights, floor=1e-6)
        for weights in ((0.5, 0.5), (0.999, 0.001))
    )
    assert peaked.guarantee.per_word > 100 * flat.guarantee.per_word
    floored = AttentionNoise(epsilon=1.0, vocabulary=PLANE, attention=(0.999, 0.001), floor=0.5)
    assert floored.weights == (0.999, 0.25)
    assert floored.guarantee.per_word < 5 * flat.guarantee.per_word


@pytest.mark.parametrize("weights", [(0.5,), (0.5, 0.0), (0.5, -1.0), (0.5, math.nan)])
def test_attention_without_positive_weights_is_refused(weights):
    with pytest.raises(InputError, match="attention"):
        AttentionNoise(epsilon=1.0, vocabulary=PLANE, attention=weights)


def test_sensitive_words_change_more_often_by_private_levels():
    """Shares over 4 000 words of each kind differ by far more than six standard errors (.05)."""
    rng = np.random.default_rng(5)
    names = tuple(f"w{chr(97 + k)}" for k in range(20))
    words = Vocabulary(words=names, vectors=rng.normal(size=(20, 6)))
    listed = names[:10]
    noise = LevelNoise(epsilon=6.0, vocabulary=words, sensitive=listed, level=3.0, stronger=20.0)
    before = [list(names) * 20 for _ in range(20)]
    after = [text.split() for text in noise.release([" ".join(text) for text in before], rng=seeded_rng(1))]
    rates = change_rates(before, after, set(listed))
    assert rates["sensitive"] > rates["other"] + 0.05
    with pytest.raises(InputError, match="at least 1"):
        LevelNoise(epsilon=1.0, vocabulary=words, stronger=0.5)
    with pytest.raises(InputError, match="as many words"):
        change_rates([["a"]], [["a", "b"]], ())


def test_mails_are_prepared_with_both_ends_and_a_farewell():
    long = " ".join(f"word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(250))
    made = prepare_mails(
        [long, "short mail about gas", "----- Forwarded by x"], ["allen-p", "lay-k", "lay-k"], rng=seeded_rng(0)
    )
    assert made.senders == ["allen-p", "allen-p", "lay-k"]
    assert made.mails == [0, 0, 1]
    assert all(made.names[sender] in text.split() for text, sender in zip(made.texts, made.senders, strict=True))
    assert "wordaa" in made.texts[0].split()
    assert "wordpj" in made.texts[1].split()
    numbered = prepare_mails(["one mail", "two mails"], ["sender 1", "sender 2"], rng=seeded_rng(0))
    assert len(set(numbered.names.values())) == 2
    with pytest.raises(InputError, match="one for each"):
        prepare_mails(["a"], [])


@pytest.fixture(scope="module")
def mails():
    pytest.importorskip("torch")
    made = make_letters(authors=5, letters=36, length=30, seed=4)
    prepared = prepare_mails(made.texts, made.authors, words=60, rng=seeded_rng(0))
    words = ppmi_vocabulary(prepared.texts, dimension=12)
    return prepared, words


def test_attention_names_authors_better_than_a_plain_network(mails):
    """Fischer §11 (5), on letters, mean of three seeds: chance is 1/5, the plain network .56, attention .77."""
    prepared, words = mails
    rows = np.arange(len(prepared.texts))
    learn, see = rows[rows % 3 != 2], rows[rows % 3 == 2]

    def accuracy(attend: bool, seed: int) -> float:
        found = train_identificator(
            [prepared.texts[k] for k in learn],
            [prepared.senders[k] for k in learn],
            vocabulary=words,
            longest=60,
            epochs=40,
            rate=1e-2,
            heads=2,
            attend=attend,
            rng=seeded_rng(seed),
        )
        named = found.name([prepared.texts[k] for k in see])
        return float(np.mean([name == prepared.senders[k] for name, k in zip(named, see, strict=True)]))

    plain, attentive = (np.mean([accuracy(attend, seed) for seed in (1, 2, 3)]) for attend in (False, True))
    assert attentive > max(0.5, plain + 0.03)


def test_attention_to_the_text_has_no_finite_epsilon_and_training_switches_it_off(mails):
    prepared, words = mails
    given = {"vocabulary": words, "longest": 60, "epochs": 6, "rng": seeded_rng(1)}
    manual = train_identificator(prepared.texts, prepared.senders, **given)
    off = train_identificator(prepared.texts, prepared.senders, **(given | {"epsilon": 0.03, "epochs": 25}))
    losses = {}
    for name, one in (("manual", manual), ("anonymizer", off)):
        points, mask, _ = one.matrices(prepared.texts[:40])
        losses[name] = attention_loss(one.attention(points, mask)[mask], draws=200, rng=seeded_rng(3))
    constant = attention_loss(np.full((50, words.dimension), 1 / words.dimension), draws=4000, rng=seeded_rng(3))
    assert losses["anonymizer"] == pytest.approx(constant, rel=0.03)
    assert losses["manual"] > losses["anonymizer"]
    built = AttentionAnonymizer(identificator=manual, epsilon=0.5, nearest="euclidean", never=["cheers"])
    assert built.guarantee.vacuous
    x, y = prepared.texts[0], prepared.texts[1]
    base = manual.matrices([x])[0][0]
    gaps = []
    for far in (1.0, 10.0, 100.0, 1000.0):
        out = base + far * np.sign(seeded_rng(0).normal(size=(16, *base.shape)))
        gaps.append(float(np.abs(built.log_density(out, x) - built.log_density(out, y)).max()))
    assert gaps[3] > 5 * gaps[2] > 25 * gaps[1] > 0  # it grows with the distance: no bound
    assert all("cheers" not in text.split() for text in built.release(prepared.texts[:5], rng=seeded_rng(2)))
    weights = public_attention(manual, prepared.texts[:20])
    assert AttentionNoise(epsilon=1.0, vocabulary=words, attention=weights).guarantee.epsilon == 1.0


def test_one_author_and_long_texts_are_refused(mails):
    prepared, words = mails
    with pytest.raises(InputError, match="at least two authors"):
        train_identificator(prepared.texts[:3], ["ann"] * 3, vocabulary=words)
    with pytest.raises(InputError, match="at most 2"):
        train_identificator(prepared.texts[:2], ["ann", "bob"], vocabulary=words, longest=2)


def test_names_of_a_list_are_replaced_and_nothing_else():
    names = ["ann", "bob", "anne-marie"]
    text = "Ann met anne-marie; Annabel and bobby saw BOB."
    for seed in range(5):
        after = NameReplacement(sensitive=names).release(text, rng=seeded_rng(seed)).split()
        assert [a == b for a, b in zip(after, text.split(), strict=True)] == [False, True, False, *[True] * 4, False]
    assert NameReplacement(sensitive=["ann"], by="mask").release(text) == text.replace("Ann ", "[name] ")
    assert NameReplacement(sensitive=names).guarantee.vacuous
    for bad in ("ann", ["ann"], ["ann", ""], [3, 4]):
        with pytest.raises(InputError, match="sensitive"):
            NameReplacement(sensitive=bad)


def test_excluded_words_are_never_written():
    noise = AttentionNoise(epsilon=0.1, vocabulary=PLANE, never=["cat", "share"])
    written = set(" ".join(noise.release(["cat dog stock"] * 300, rng=seeded_rng(0))).split())
    assert written == set(PLANE.words) - {"cat", "share"}
    assert noise.guarantee == AttentionNoise(epsilon=0.1, vocabulary=PLANE).guarantee
    with pytest.raises(InputError, match="never"):
        AttentionNoise(epsilon=0.1, vocabulary=PLANE, never=PLANE.words)


def test_noise_in_one_coordinate_ends_at_hub_words():
    """Fischer §6.6: the cosine neighbour of a point moved far along one axis is the word most aligned with it."""
    rng = np.random.default_rng(0)
    words = Vocabulary(words=tuple(f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(200)),
                       vectors=rng.normal(size=(200, 8)))  # fmt: skip
    units = words.points(np.arange(200)) / np.linalg.norm(words.points(np.arange(200)), axis=1, keepdims=True)
    start = words.points(rng.integers(0, 200, 4000))
    texts = []
    for peaked in (False, True):
        scale = np.zeros((4000, 8)) if peaked else np.full((4000, 8), 1 / 8)
        if peaked:
            scale[np.arange(4000), rng.integers(0, 8, 4000)] = 1.0
        moved = start + 1000 * scale * rng.laplace(size=start.shape)
        texts.append(" ".join(words.words[k] for k in (moved @ units.T).argmax(axis=1)))
    assert hub_share([texts[1]], most=16) > 0.9 > 0.5 > hub_share([texts[0]], most=16)


def test_how_many_names_are_gone_is_measured_beside_other_words():
    before = Corpus(
        texts=["anna saw peter", "tea for anna"], authors=["a", "b"], topics=["t", "t"], train=np.array([True, False])
    )
    after = before.with_texts(["bob saw bob", "rain for anna"])
    found = ChangeUtility().measure(before, after)
    assert found.value == pytest.approx(2 / 3)
    assert found.reference == pytest.approx(1 / 3)
    assert ChangeUtility(sensitive=["tea"]).measure(before, after).value == 1.0
    with pytest.raises(InputError, match="no sensitive word"):
        ChangeUtility(sensitive=["zebra"]).measure(before, after)


def test_hiding_moves_noise_to_where_authors_differ():
    """Two authors differ in the first number only. Attention against an attacker puts most of its noise there, and a
    fresh attacker names fewer than behind constant attention, for most of five seeds."""
    torch = pytest.importorskip("torch")
    assert torch
    rng = np.random.default_rng(1)
    names = tuple(f"w{chr(97 + k)}" for k in range(20))
    vectors = rng.normal(size=(20, 4))
    vectors[:10, 0], vectors[10:, 0] = 2.0, -2.0
    words = Vocabulary(words=names, vectors=vectors)
    own = {"ann": names[:10], "bob": names[10:]}
    authors = ["ann", "bob"] * 60
    texts = [" ".join(rng.choice(own[author], 3)) for author in authors]
    rows = np.arange(120)
    data = Corpus(texts=texts, authors=authors, topics=["t"] * 120, train=rows % 3 != 2)
    hidden, against = [], []
    for seed in range(5):
        made = train_adversarially(
            data.part(data.train), data.authors[data.train].tolist(), vocabulary=words, epsilon=0.2, hide=3.0,
            longest=4, epochs=60, rate=1e-2, rng=seeded_rng(seed),
        )  # fmt: skip
        weights = public_attention(made, texts)
        hidden.append(weights[0])
        attack = NeuralAuthorshipAttack(view="matrix", copies=4, epochs=10)
        named = {}
        for name, attention in (("constant", None), ("learned", weights)):
            noise = AttentionNoise(epsilon=0.2, vocabulary=words, attention=attention, floor=0.02)
            named[name] = attack.attack(data, data, mechanism=noise, rng=seeded_rng(9)).value
        against.append(named["constant"] - named["learned"])
    assert sum(weight > 0.4 for weight in hidden) >= 4
    assert sum(gain > 0.05 for gain in against) >= 4


def test_a_matrix_is_read_where_there_is_one():
    data = Corpus(texts=["cat", "dog"] * 6, authors=["a", "b"] * 6, topics=["t"] * 12, train=np.arange(12) < 8)
    attack = NeuralAuthorshipAttack(view="matrix", epochs=20, copies=4)
    pytest.importorskip("torch")
    assert attack.attack(data, data, mechanism=AttentionNoise(epsilon=40.0, vocabulary=PLANE)).value == 1.0
    with pytest.raises(InputError, match="noisy word vectors"):
        attack.attack(data, data, mechanism=NameReplacement(sensitive=["ann", "bob"]))
    with pytest.raises(InputError, match="bilstm"):
        NeuralAuthorshipAttack(view="matrix", learns_from="raw")


def test_vectors_learned_privately_serve_the_anonymiser():
    """Fischer: a private embedding inside. Both promises stand: for those learned from, and for the mail."""
    pytest.importorskip("torch")
    others = make_letters(authors=30, letters=3, seed=5)
    people: dict[str, list[str]] = {}
    for author, text in zip(others.authors, others.texts, strict=True):
        people.setdefault(str(author), []).append(text)
    listed = make_letters_vocabulary().words[:60]
    learned = PrivateSkipGram(vocabulary=listed, epsilon=8.0, delta=1e-6, expected_users=30, dimension=6, steps=5).fit(
        people, rng=seeded_rng(1)
    )
    noise = AttentionNoise(epsilon=0.5, vocabulary=learned.vocabulary)
    mail = " ".join(listed[:12])
    written = noise.release(mail, rng=seeded_rng(2)).split()
    assert len(written) == 12
    assert set(written) <= set(listed)
    assert learned.guarantee.unit == "user"
    assert (learned.guarantee.epsilon, noise.guarantee.epsilon) == (8.0, 0.5)
    assert "vocabulary" in str(noise.guarantee)
