"""``sfumato text train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.errors import bad_input
from sfumato.io.atomic import check_output
from sfumato.io.texts import read_texts
from sfumato.study.console import notes
from sfumato.text.core.records import labels_of, texts_of

__all__ = ["train"]


def train(
    *,
    input: Annotated[Path, typer.Argument(help="Public texts by other people: a table or a folder of documents.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the trained network goes.")],
    latent: Annotated[
        str,
        typer.Option(help="code (code-vae), bounded (dp-vae), plain (plain-vae) or split (average-aae, dp-aae)."),
    ] = "code",
    column: Annotated[str, typer.Option(help="The column that holds the text.")] = "text",
    label: Annotated[str, typer.Option(help="code: the column with the label, such as the sentiment.")] = "mood",
    author: Annotated[str, typer.Option(help="split: the column that names the author.")] = "author",
    source: Annotated[
        str | None, typer.Option(help="Where the texts come from; the promise names it.", show_default=False)
    ] = None,
    words: Annotated[int, typer.Option(help="How many words the network knows.", min=2)] = 5000,
    longest: Annotated[int, typer.Option(help="Tokens in a sentence.", min=2)] = 20,
    size: Annotated[int, typer.Option(help="Numbers in the latent.", min=1)] = 16,
    topics: Annotated[int, typer.Option(help="code: how many topics.", min=1)] = 2,
    hidden: Annotated[int, typer.Option(help="Of the recurrent states and the word vectors.", min=1)] = 64,
    epochs: Annotated[int, typer.Option(min=1)] = 8,
    sigma: Annotated[float, typer.Option(help="bounded, split: the noise while learning.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Written after each epoch; if it is there, training goes on from it.", show_default=False),
    ] = None,
) -> None:
    """Train the network with which texts are written anew. The texts must be public: nothing protects them.

    Examples:

      sfumato text train reviews.jsonl -o model.npz --label mood --source "public reviews"

      sfumato text protect mine.jsonl -o out.jsonl -m code-vae --epsilon 5 --model model.npz
    """
    from sfumato.text.mechanisms.rewrite.rewriting_design import Latent, RewritingDesign
    from sfumato.text.mechanisms.rewrite.tokeniser import Tokeniser
    from sfumato.text.mechanisms.rewrite.training import TrainingPlan, train_rewriter

    check_output(out, input)
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
    design = RewritingDesign(
        latent=cast(Latent, latent),
        size=size,
        topics=topics,
        hidden=hidden,
        embedding=hidden,
        **chosen,
    )
    model = train_rewriter(
        texts,
        design=design,
        tokeniser=Tokeniser.of(texts, size=words, longest=longest, source=source),
        plan=TrainingPlan(epochs=epochs, sigma=sigma, seed=seed, device=device),
        source=source,
        checkpoint=checkpoint,
        show=True,
        **told,
    )
    model.save(out)
    notes.print(f"{model!r}, {model.epochs} epochs; nothing protects the texts it was trained on", soft_wrap=True)
