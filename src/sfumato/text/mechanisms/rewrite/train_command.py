"""``sfumato text train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sfumato.errors import bad_input
from sfumato.io.atomic import check_output, reading
from sfumato.io.texts import read_texts
from sfumato.study.console import notes
from sfumato.text.core.records import labels_of, texts_of

if TYPE_CHECKING:
    from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel

__all__ = ["train"]

_PROMISED = {
    "code": "ε per document and δ = 0 by code-vae, if the texts it learned from are public or were protected",
    "bounded": "(ε, δ) per sentence or document by dp-vae, if the texts it learned from are public or were protected",
    "plain": "nothing, by plain-vae",
    "split": "nothing, by average-aae and dp-aae: the content part leaves as it is",
}


def train(
    *,
    input: Annotated[Path, typer.Argument(help="Public texts by other people: a table or a folder of documents.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the trained network goes.")],
    latent: Annotated[
        str,
        typer.Option(help="code (code-vae), bounded (dp-vae), plain (plain-vae) or split (average-aae, dp-aae)."),
    ] = "code",
    column: Annotated[str, typer.Option("--column", "-c", help="The column that holds the text.")] = "text",
    label: Annotated[str, typer.Option(help="code: the column with the label, such as the sentiment.")] = "mood",
    value: Annotated[
        list[str] | None,
        typer.Option(help="code: a label that there is; repeat it.", show_default="those of the texts"),
    ] = None,
    author: Annotated[str, typer.Option(help="split: the column that names the author.")] = "author",
    source: Annotated[
        str | None, typer.Option(help="Where the texts come from; the promise names it.", show_default=False)
    ] = None,
    words: Annotated[int, typer.Option(help="How many words the network knows.", min=2)] = 5000,
    longest: Annotated[int, typer.Option(help="Tokens in a sentence.", min=2)] = 20,
    size: Annotated[int, typer.Option(help="Numbers in the latent.", min=1)] = 16,
    topics: Annotated[int, typer.Option(help="code: how many topics beside the label.", min=1)] = 1,
    hidden: Annotated[int, typer.Option(help="Of the recurrent states and the word vectors.", min=1)] = 64,
    epochs: Annotated[int, typer.Option(min=1)] = 8,
    sigma: Annotated[float, typer.Option(help="bounded, split: the noise while learning.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    word_list: Annotated[
        Path | None,
        typer.Option(help="A public vocabulary, a word a line.", show_default="the commonest words of the texts"),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="Protect the training texts too: ε for each. Needs --word-list.", show_default=False),
    ] = None,
    delta: Annotated[float, typer.Option(help="With --epsilon.")] = 1e-6,
    expected: Annotated[
        int | None, typer.Option(help="With --epsilon: about how many texts there are, said in public.", min=1)
    ] = None,
    steps: Annotated[int, typer.Option(help="With --epsilon: noisy steps.", min=1)] = 300,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Written after each epoch; if it is there, training goes on from it.", show_default=False),
    ] = None,
) -> None:
    """Train the network with which texts are written anew. Without --epsilon nothing protects these texts.

    Examples:

      sfumato text train reviews.jsonl -o model.npz --label mood --source "public reviews"

      sfumato text protect mine.jsonl -o out.jsonl -m code-vae --epsilon 5 --model model.npz

      sfumato text train ours.jsonl -o model.npz --epsilon 8 --expected 2000 --word-list words.txt --value good
      --value bad
    """
    from sfumato.text.mechanisms.rewrite.private_training import PrivateTraining
    from sfumato.text.mechanisms.rewrite.rewriting_design import Latent, RewritingDesign
    from sfumato.text.mechanisms.rewrite.tokeniser import Tokeniser
    from sfumato.text.mechanisms.rewrite.training import TrainingPlan, train_rewriter

    check_output(out, input)
    private = None
    if epsilon is not None:
        public = {"--word-list": word_list, "--expected": expected, "--value": value if latent == "code" else True}
        for name, said in public.items():
            if not said:
                raise bad_input(name, None, "a public one, with --epsilon", "what the texts themselves say is private")
        private = PrivateTraining(epsilon=epsilon, delta=delta, expected_texts=cast(int, expected), steps=steps)
    table = read_texts(input, column=column)
    texts = texts_of(table, column)
    known = {"code": ("labels", label), "split": ("authors", author)}.get(latent)
    told: dict[str, Any] = {}
    if known is not None:
        name, found = known
        if found not in table.column_names:
            raise bad_input(name, found, "a column of the texts", f"a {latent} latent is learned with {name}")
        told[name] = labels_of(table, found).tolist()
    chosen: dict[str, Any] = {name: tuple(sorted(set(values))) for name, values in told.items()}
    if value and latent == "code":
        chosen["labels"] = tuple(value)
    design = RewritingDesign(
        latent=cast(Latent, latent),
        size=size,
        topics=topics,
        hidden=hidden,
        embedding=hidden,
        **chosen,
    )
    if word_list is None:
        tokeniser = Tokeniser.of(texts, size=words, longest=longest, source=source)
    else:
        with reading(word_list):
            listed = word_list.read_text(encoding="utf-8").split()
        tokeniser = Tokeniser(words=listed[:words], longest=longest, source=f"the list {word_list.name}")
    model = train_rewriter(
        texts,
        design=design,
        tokeniser=tokeniser,
        plan=TrainingPlan(epochs=epochs, sigma=sigma, seed=seed, device=device),
        source=source,
        checkpoint=checkpoint,
        private=private,
        show=True,
        **told,
    )
    model.save(out)
    for line in _model_card(model):
        notes.print(line, soft_wrap=True)


def _model_card(model: RewritingModel) -> list[str]:
    """What the network is, what is promised with it, and what is not."""
    return [
        f"model: {model!r}, {model.epochs} epochs, sha256 {model.sha256[:12]}",
        f"learned from: {model.source or 'texts whose source was not said (--source)'}",
        f"promised to texts that it rewrites: {_PROMISED[model.design.latent]}",
        f"promised to the texts it learned from: {model.training}",
        "not promised: that facts survive, or that a text is a paraphrase of its original",
    ]
