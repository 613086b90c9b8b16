"""Networks learn, can be kept and go on; what they write depends on nothing but the latent."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import InputError
from sfumato.text import (
    CodeVae,
    DpVae,
    PlainVae,
    RewritingDesign,
    RewritingModel,
    Tokeniser,
    TrainingPlan,
    train_rewriter,
)
from sfumato.text.data.letters import make_letters
from sfumato.text.mechanisms.rewrite.decoding import Decoding, _choose, write_sentences
from sfumato.text.mechanisms.rewrite.rewriting_examples import random_model

torch = pytest.importorskip("torch")

FEW = ["the tea is hot .", "rain falls on the roof .", "a cat sleeps here ."]
SMALL = {"embedding": 16, "hidden": 32, "size": 8}


def trained(latent: str, **plan: object) -> RewritingModel:
    design = RewritingDesign(latent=latent, **SMALL)
    return train_rewriter(FEW * 8, design=design, plan=TrainingPlan(dropout=0.0, batch=12, rate=1e-2, **plan))


@pytest.mark.parametrize("latent", ["plain", "bounded"])
def test_a_few_sentences_are_learned_by_heart(latent):
    """The overfit test: with hardly any noise, what goes in comes out."""
    model = trained(latent, epochs=60, sigma=0.05, divergence=0.0)
    private = PlainVae(model=model) if latent == "plain" else DpVae.of_sigma(sigma=1e-3, model=model, delta=1e-6)
    with pytest.warns(UserWarning, match="share wording"):  # it protects what it was trained on: never do that
        written = private.release(FEW, rng=np.random.default_rng(0))
    assert [text.rstrip(".") for text in written] == [text.rstrip(" .") for text in FEW]


def test_an_interrupted_training_goes_on_to_the_same_weights(tmp_path):
    file = tmp_path / "check.pt"
    design, plan = RewritingDesign(latent="plain", **SMALL), TrainingPlan(epochs=3, batch=5)
    whole = train_rewriter(FEW * 4, design=design, plan=plan)
    first = train_rewriter(FEW * 4, design=design, plan=plan, checkpoint=file, epochs_now=1)
    assert first.epochs == 1
    again = train_rewriter(FEW * 4, design=design, plan=plan, checkpoint=file)
    assert again.epochs == 3
    assert again.sha256 == whole.sha256 != first.sha256
    with pytest.raises(InputError, match="same vocabulary"):
        train_rewriter(["another text ."] * 4, design=design, plan=plan, checkpoint=file)
    with pytest.raises(InputError, match="same design"):
        train_rewriter(FEW * 4, design=RewritingDesign(latent="bounded", **SMALL), plan=plan, checkpoint=file)
    file.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="a checkpoint of a rewriting network"):
        train_rewriter(FEW * 4, design=design, plan=plan, checkpoint=file)


def test_a_split_latent_resumes_with_its_adversaries(tmp_path):
    design = RewritingDesign(latent="split", authors=("ann", "bob"), author_size=2, **SMALL)
    plan, who = TrainingPlan(epochs=2, batch=4), ["ann", "bob", "ann"] * 2
    whole = train_rewriter(FEW * 2, design=design, plan=plan, authors=who)
    for _ in range(2):
        again = train_rewriter(FEW * 2, design=design, plan=plan, authors=who, checkpoint=tmp_path / "c", epochs_now=1)
    assert again.sha256 == whole.sha256


def test_a_model_is_kept_in_a_file_of_numbers(tmp_path):
    model = random_model("code", size=2)
    model.save(tmp_path / "model.npz")
    again = RewritingModel.load(tmp_path / "model.npz")
    assert again.to_card() == model.to_card()
    assert again.codes(["a fine film", ""]).tolist() == model.codes(["a fine film", ""]).tolist()
    again.check_card(model.to_card())
    with pytest.raises(InputError, match="the model that the card names"):
        again.check_card(random_model("bounded").to_card())
    (tmp_path / "other").write_bytes(b"PK nonsense")
    with pytest.raises(InputError, match="a rewriting model"):
        RewritingModel.load(tmp_path / "other")


def test_a_checkpoint_of_another_vocabulary_does_not_fit():
    model = random_model("bounded")
    with pytest.raises(InputError, match="of the vocabulary"):
        RewritingModel(design=model.design, tokeniser=Tokeniser(words=("tea",)), weights=model.weights)


def test_codes_keep_the_label_of_letters_by_others():
    """A network that learned from other people's letters names the mood of most; 3/4 where guessing gives 1/2."""
    public, own = make_letters(authors=10, letters=12, seed=3), make_letters(authors=4, letters=12, seed=5)
    design = RewritingDesign(latent="code", labels=("bad", "good"), topics=2, **SMALL)
    model = train_rewriter(public.texts, design=design, labels=public.moods, plan=TrainingPlan(epochs=3))
    named = np.array(["bad", "good"])[model.codes(own.texts) // 2]
    assert (named == np.array(own.moods)).mean() > 0.75
    private = CodeVae(epsilon=5.0, model=model, sentences=3)
    written = private.release(own.texts[:4], rng=np.random.default_rng(0))
    assert all(text for text in written)


@pytest.mark.parametrize("way", ["greedy", "beam", "top-k", "top-p"])
def test_many_sentences_are_written_as_one_by_one(way):
    """Batches change nothing where no chance is involved; drawn words are always among those allowed."""
    model = random_model("bounded", size=2, hidden=8)
    latents = np.random.default_rng(0).normal(size=(12, 2))
    decoding = Decoding(way=way, width=3)
    together = model.write(latents, decoding=decoding, rng=np.random.default_rng(1))
    assert len(together) == 12
    assert all("<" not in text for text in together)
    if way in ("greedy", "beam"):
        alone = [model.write(one[None], decoding=decoding, rng=np.random.default_rng(2))[0] for one in latents]
        assert alone == together


@pytest.mark.parametrize(("way", "sharpness"), [("top-p", 0.3), ("top-p", 3.0), ("top-k", 1.0)])
def test_words_are_drawn_by_the_law_cut_off(way, sharpness):
    """Flat laws, of which the share takes hundreds of words, and peaked ones. The largest of 600 shares of 40 000 draws
    is within six standard errors of the law for all but one of 10⁶ runs."""
    scores = sharpness * torch.from_numpy(np.random.default_rng(0).normal(size=600))
    decoding = Decoding(way=way, share=0.8, width=7, temperature=0.9)
    law = torch.softmax(scores / 0.9, -1).numpy()
    order = np.argsort(-law)
    sums = np.cumsum(law[order])
    kept = order[:7] if way == "top-k" else order[: int(np.searchsorted(sums, 0.8)) + 1]
    wanted = np.zeros(600)
    wanted[kept] = law[kept] / law[kept].sum()
    drawn = _choose(torch, scores.float().expand(40_000, -1), decoding, np.random.default_rng(1))
    found = np.bincount(drawn, minlength=600) / 40_000
    assert (np.abs(found - wanted) <= 6 * np.sqrt(wanted * (1 - wanted) / 40_000) + 1e-3 * (wanted > 0)).all()


def likelihood(model: RewritingModel, latent: np.ndarray, ids: np.ndarray) -> float:
    """ln of the probability that a sentence is written, word by word."""
    z, state, word, total = torch.from_numpy(latent[None].astype(np.float32)), None, 2, 0.0
    for number in ids.tolist():
        scores, state = model.network.step(z, torch.tensor([word]), state)
        scores[:, [0, 2]] = -1e9  # neither padding nor the start mark is written
        total += float(torch.log_softmax(scores, -1)[0, number])
        word = number
        if number == 3:
            break
    return total


def test_the_widest_beam_finds_the_likeliest_sentence():
    """Of two words at most there are few enough to try them all."""
    model = random_model("bounded", size=2, hidden=8)
    every = [[3, 0]] + [[first, second] for first in (1, *range(4, 10)) for second in (1, *range(3, 10))]
    how = Decoding(way="beam", width=64, unknown=True)
    latents = np.random.default_rng(4).normal(size=(10, 2))
    found = write_sentences(model.network, latents, longest=2, decoding=how, rng=np.random.default_rng(0))
    for latent, ids in zip(latents, found, strict=True):
        best = max(likelihood(model, latent, np.array(one)) for one in every)
        assert likelihood(model, latent, ids) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plan": TrainingPlan(device="cuda")}, "graphics card"),
        ({"design": RewritingDesign(latent="code", labels=("bad", "good"))}, "one for each of the 3 texts"),
        ({"design": RewritingDesign(latent="split", authors=("ann", "bob"))}, "one for each of the 3 texts"),
        (
            {
                "design": RewritingDesign(latent="split", authors=("ann", "bob")),
                "authors": ["ann", "eve", "bob"],
            },
            "those of the design",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(change, message):
    if "graphics" in message and torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(InputError, match=message):
        train_rewriter(FEW, **({"design": RewritingDesign()} | change))


def test_one_author_cannot_be_told_apart():
    with pytest.raises(InputError, match="at least two authors"):
        RewritingDesign(latent="split", authors=("ann",))
    with pytest.raises(InputError, match="at least two public labels"):
        RewritingDesign(latent="code", labels=("good",))
    with pytest.raises(InputError, match="sigma"):
        TrainingPlan(sigma=0.0)


def test_from_public_texts_to_a_release_on_the_command_line(tmp_path):
    made = make_letters(authors=3, letters=4, seed=2)
    rows = [{"text": text, "mood": mood} for text, mood in zip(made.texts, made.moods, strict=True)]
    (tmp_path / "public.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    own = make_letters(authors=2, letters=4, seed=9)
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in own.texts))
    model, out = tmp_path / "model.npz", tmp_path / "out.jsonl"
    options = ["--hidden", "8", "--epochs", "1", "--source", "invented letters", "--checkpoint", tmp_path / "c"]
    result = CliRunner().invoke(
        app, [str(w) for w in ["text", "train", tmp_path / "public.jsonl", "-o", model, *options]]
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "learned from: invented letters" in said
    assert "promised to texts that it rewrites: ε per document" in said
    assert "promised to the texts it learned from: no guarantee" in said
    words = [
        "text",
        "protect",
        tmp_path / "mine.jsonl",
        "-o",
        out,
        "-m",
        "code-vae",
        "--epsilon",
        "3",
        "--model",
        model,
    ]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "the model (invented letters)" in " ".join(result.stderr.split())
    assert len(out.read_text().splitlines()) == 8
    card = json.loads((tmp_path / "out.jsonl.card.json").read_text())
    assert str(tmp_path) not in json.dumps(card)
    words[-2:] = []
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code != 0
    assert "--model" in str(result.exception) + result.output


@pytest.fixture(scope="module")
def moody() -> RewritingModel:
    """A network that learned mood and topic from letters of ten invented people."""
    public = make_letters(authors=10, letters=12, seed=3)
    design = RewritingDesign(latent="code", labels=("bad", "good"), topics=2, **SMALL)
    return train_rewriter(public.texts, design=design, labels=public.moods, plan=TrainingPlan(epochs=2))


def test_drafts_are_chosen_by_the_code_that_was_paid_for_alone(moody):
    """A release is a function of the private codes and of chance: nothing else of a text reaches the choice."""
    own = make_letters(authors=3, letters=6, seed=5).texts
    private = CodeVae(epsilon=1.0, model=moody, sentences=2, drafts=3)
    whole, parts = np.random.default_rng(4), np.random.default_rng(4)
    released = private.release(own, rng=whole)
    assert released == private.write_codes(private.private_codes(own, parts), parts)
    assert private.guarantee == CodeVae(epsilon=1.0, model=moody, sentences=2, drafts=1).guarantee
    with pytest.raises(InputError, match="drafts"):
        CodeVae(epsilon=1.0, model=moody, drafts=0)


def test_how_clearly_a_text_shows_its_code_is_how_the_network_reads_it(moody):
    own = make_letters(authors=3, letters=6, seed=5).texts
    every = np.stack([moody.clearness(own, np.full(len(own), code)) for code in range(moody.design.codes)])
    assert every.argmax(axis=0).tolist() == moody.codes(own).tolist()
    np.testing.assert_allclose(np.exp(every).sum(axis=0), 1.0, rtol=1e-5)


def test_drafts_make_the_code_readable(moody):
    """The public network reads 240 codes back more often with eight drafts than with one: above .9, and by .1 more."""
    codes = np.arange(240) % moody.design.codes
    read = {}
    for drafts in (1, 8):
        private = CodeVae(epsilon=1.0, model=moody, sentences=2, drafts=drafts, guidance=0.0)
        read[drafts] = (moody.codes(private.write_codes(codes, np.random.default_rng(0))) == codes).mean()
    assert read[8] > max(0.9, read[1] + 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--latent", "split"], "authors = 'author': expected a column of the texts"),
        (["--latent", "split", "--author", "one"], "at least two authors"),
        (["--latent", "bounded", "--sigma", "0"], "sigma"),
        (["--latent", "bounded", "--device", "cuda"], "a graphics card that PyTorch can use"),
        (["--latent", "bounded", "--checkpoint", "OTHER"], "one with the same vocabulary"),
    ],
)
def test_what_cannot_be_trained_on_the_command_line_is_said_in_a_line(tmp_path, options, message):
    if "cuda" in options and torch.cuda.is_available():
        pytest.skip("there is one")
    rows = [{"text": text, "mood": "good", "one": "ann"} for text in FEW]
    (tmp_path / "public.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    other = tmp_path / "other.pt"
    given = {"design": RewritingDesign(latent="bounded", **SMALL), "plan": TrainingPlan(epochs=1)}
    train_rewriter(["quite another text ."], checkpoint=other, **given)
    words = ["text", "train", tmp_path / "public.jsonl", "-o", tmp_path / "m.npz", "--hidden", "4", "--epochs", "1"]
    words += [other if one == "OTHER" else one for one in options]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code != 0
    assert message in " ".join((str(result.exception) + result.output).split())
    assert not (tmp_path / "m.npz").exists()
