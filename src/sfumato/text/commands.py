"""``sfumato text protect | attack | measure``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Input, Out, Release, Seed, Settings, mechanism_help
from sfumato.errors import bad_input
from sfumato.io.atomic import reading
from sfumato.io.streams import json_lines_writer
from sfumato.study.console import command_rng, notes, print_scores, progress_bar
from sfumato.study.settings import build, read_settings
from sfumato.text.core.records import batches, field_of, labelled_corpora, stream_records, text_of
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism
from sfumato.text.room import ROOM
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.noise import Rng
    from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
    from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["attack", "measure", "protect"]

_KINDS = ROOM.mechanisms()
_ENOUGH = 20
_LENGTH = 150
_NAMES = {
    "lists": "lists and greetings",
    "capitals": "also every capital that nothing else explains, so firms go too",
    "model": "also a language model, slowly",
}
"""How scrubbing knows names, each with what it does."""
_HIDDEN = ("column", "own_documents", "rating", "recognisers", "key", "initial")
"""Parameters that no option can set: they are objects, secrets, or decided by other options."""

TextColumn = Annotated[str, typer.Option("--column", help="The field that holds the text.")]
AuthorField = Annotated[str, typer.Option(help="The field that names the author.")]
LearnerSeed = Annotated[int, typer.Option(help="Of the learners.")]


def protect(
    input: Input,
    out: Out,
    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(_KINDS))] = "syntf",
    epsilon: Annotated[
        float | None, typer.Option(help="The budget per word; of private-skip-gram, per author.", show_default=False)
    ] = None,
    length: Annotated[
        int | None, typer.Option(help="syntf: words in every release.", min=1, show_default=str(_LENGTH))
    ] = None,
    column: TextColumn = "text",
    keep: Annotated[
        list[str] | None, typer.Option(help="A field that is released unchanged; repeat it.", show_default=False)
    ] = None,
    scrub: Annotated[bool, typer.Option("--scrub", help="Mask names and numbers first.")] = False,
    names: Annotated[
        str,
        typer.Option(help="How scrubbing knows names. " + "; ".join(f"{k}: {v}" for k, v in _NAMES.items()) + "."),
    ] = "lists",
    words: Annotated[int, typer.Option(help="How many GloVe words the vocabulary has.", min=2)] = 30_000,
    vectors: Annotated[
        Path | None, typer.Option(help="Another vocabulary: its vectors (.npy).", show_default=False)
    ] = None,
    word_list: Annotated[
        Path | None, typer.Option(help="Another vocabulary: its words, one a line.", show_default=False)
    ] = None,
    spelling: Annotated[
        float | None, typer.Option(help="syntf: s of the rating cos − s·B.", show_default="0.3")
    ] = None,
    range_mode: Annotated[str | None, typer.Option(help="syntf: clip, affine or raw.", show_default="clip")] = None,
    morphology: Annotated[str | None, typer.Option(help="syntf: lower, lemma or orth.", show_default="lower")] = None,
    synsets: Annotated[bool, typer.Option("--synsets", help="Add WordNet synonyms to the vocabulary.")] = False,
    author: Annotated[str, typer.Option(help="private-skip-gram: the field that names the author.")] = "author",
    settings: Settings = None,
    longest: Annotated[int, typer.Option(help="Refuse lines with more bytes.", min=1)] = 10_000_000,
    seed: Seed = None,
) -> None:
    """Replace the words of texts. Only the text and the fields named by --keep are written, as JSON Lines.

    private-skip-gram instead learns word vectors from the texts of each author and writes one word and vector a line.

    Examples:

      sfumato text protect mails.jsonl --mechanism syntf --epsilon 47.5 --length 150 -o out.jsonl

      sfumato text protect mails.jsonl -m private-skip-gram --epsilon 4 --set delta=1e-6 --set expected_users=900 -o -
    """
    choice("names", names, list(_NAMES))
    given = {"epsilon": epsilon, "length": length, "spelling": spelling, "range_mode": range_mode}
    given |= {"morphology": morphology, **read_settings(settings)}
    parameters = {name: value for name, value in given.items() if value is not None}
    vocabulary = partial(_vocabulary, words, vectors, word_list, synsets)
    made = _mechanism(mechanism, parameters, vocabulary, names)
    first = Scrubber(recognisers=_recognisers(names)) if scrub and not isinstance(made, Scrubber) else None
    records, rng = stream_records(input, longest=longest), command_rng(seed)
    if isinstance(made, TextMechanism):
        _protect_texts(made, records, out, column=column, keep=tuple(keep or ()), first=first, rng=rng)
        return
    if keep:
        raise bad_input("keep", ", ".join(keep), f"nothing to keep for {mechanism}", "it writes words, not records")
    _learn_vectors(made, records, out, column=column, author=author, first=first, rng=rng)


def attack(
    input: Input,
    release: Release,
    author: AuthorField = "author",
    column: TextColumn = "text",
    suspects: Annotated[
        int | None, typer.Option(help="Suspects for each text; all authors without it.", show_default=False)
    ] = None,
    seed: LearnerSeed = 0,
) -> None:
    """Try to name the author of protected texts. For the owner's eyes: uses the raw data.

    Both files have the texts in the same order. The attacker learns from two of three texts of an author.

    Example: sfumato text attack mails.jsonl out.jsonl --author from
    """
    from sfumato.noise import seeded_rng
    from sfumato.text import AuthorshipAttack, VerificationAttack

    data, protected = labelled_corpora(input, release, column=column, label=author, option="--author")
    attacks: list[Any] = [
        AuthorshipAttack(name=f"{kind}, {'adaptive' if adaptive else 'static'}", features=kind, adaptive=adaptive,
                         suspects=suspects)
        for kind in ("writeprints+content", "characters", "words") for adaptive in (True, False)
    ]  # fmt: skip
    attacks += [VerificationAttack()]

    for title, texts in (("Who wrote the protected texts", protected), ("Who wrote the raw texts", data)):
        scores = [(one.name, one.attack(data, texts, rng=seeded_rng(seed))) for one in attacks]
        print_scores(scores, title=title, reference="chance")


def measure(
    input: Input,
    release: Release,
    topic: Annotated[str, typer.Option(help="The field that names the topic.")] = "topic",
    column: TextColumn = "text",
    seed: LearnerSeed = 0,
) -> None:
    """Say what is left of protected texts: topic and search. For the owner's eyes: uses the raw data.

    Both files have the texts in the same order.

    Example: sfumato text measure mails.jsonl out.jsonl --topic folder
    """
    from sfumato.noise import seeded_rng
    from sfumato.text import RetrievalUtility, TopicUtility

    data, protected = labelled_corpora(input, release, column=column, label=topic, option="--topic")
    utilities: list[Any] = [
        TopicUtility(),
        TopicUtility(name="topic (svm)", learner="svm"),
        TopicUtility(name="topic (F1)", metric="f1"),
        RetrievalUtility(),
    ]

    scores = [(one.name, one.measure(data, protected, rng=seeded_rng(seed))) for one in utilities]
    print_scores(scores, title="What is left", reference="raw texts")


def _mechanism(
    name: str, parameters: dict[str, Any], vocabulary: Callable[..., Any], names: str
) -> TextMechanism | PrivateSkipGram:
    """The mechanism with its parameters; a vocabulary is loaded only if it has one."""
    kind = _KINDS[choice("mechanism", name, list(_KINDS))]
    known = {field.name for field in fields(kind)}
    if "epsilon" in known and "epsilon" not in parameters:
        raise bad_input("epsilon", None, "a number > 0", "name the budget with --epsilon")
    if "epsilon" not in known and "epsilon" in parameters:
        raise bad_input("epsilon", parameters["epsilon"], f"no budget for {name}", "it promises nothing at any ε")
    if "length" in known:
        parameters = {"length": _LENGTH, **parameters}
    fixed = {"vocabulary": vocabulary(kind)} if "vocabulary" in known else {}
    if "recognisers" in known:
        fixed["recognisers"] = _recognisers(names)
    return build(_KINDS, name, parameters, hidden=_HIDDEN, **fixed)


def _recognisers(names: str) -> tuple[Any, ...]:
    from sfumato import text

    if names == "model":
        return (text.Cascade(),)
    quick = (text.PatternRecogniser(), text.NameRecogniser())
    return quick if names == "lists" else (*quick, text.CapitalRecogniser())


def _vocabulary(
    words: int, vectors: Path | None, word_list: Path | None, synsets: bool, kind: type
) -> Vocabulary | tuple[str, ...]:
    from sfumato.text import Vocabulary, load_glove

    if vectors is not None and word_list is not None:
        if synsets:
            raise bad_input("synsets", True, "the GloVe vocabulary", "synonyms need vectors; add them to your own list")
        return Vocabulary.load(vectors, word_list)
    if word_list is not None and not issubclass(kind, TextMechanism):  # it makes the vectors
        with reading(word_list):
            return tuple(word_list.read_text(encoding="utf-8").splitlines())
    if vectors is not None or word_list is not None:
        raise bad_input("vocabulary", str(vectors or word_list), "both --vectors and --word-list")
    found = load_glove(words, content=issubclass(kind, VocabularyMechanism) and kind.content_words)
    return found.with_synonyms(load_glove()) if synsets else found


def _protect_texts(
    made: TextMechanism,
    records: Iterator[dict[str, Any]],
    out: str,
    *,
    column: str,
    keep: tuple[str, ...],
    first: Scrubber | None,
    rng: Rng,
) -> None:
    """Write each record's protected text with the fields to keep, and say what was promised."""
    count = size = largest = 0
    with json_lines_writer(out) as write, progress_bar("texts", None) as advance:
        for batch in batches(records):
            texts = [text_of(record, column, count + k) for k, record in enumerate(batch, 1)]
            for number, record in enumerate(batch, count + 1):
                for name in keep:
                    if name not in record:
                        raise bad_input("keep", name, f"a field of record {number}: {', '.join(record)}")
            if count == 0:
                _check_overlap(made, texts)
            released = made.release(texts if first is None else first.release(texts), rng=rng)
            for record, text in zip(batch, released, strict=True):
                write({**{name: record[name] for name in keep}, column: text})
                own = len(text.split())
                size, largest = size + own, max(largest, own)
            count += len(batch)
            advance(len(batch))
    of_what = " (of the texts as scrubbed)" if first is not None and not made.any_texts else ""
    notes.print(f"{count} texts; promise{of_what}: {made.guarantee}", markup=False, soft_wrap=True)
    if count:
        _print_losses(made, size / count, largest)


def _learn_vectors(
    made: PrivateSkipGram,
    records: Iterator[dict[str, Any]],
    out: str,
    *,
    column: str,
    author: str,
    first: Scrubber | None,
    rng: Rng,
) -> None:
    """Write a word and its vector a line, learned from the texts of each author, and say what was promised."""
    users: dict[str, list[str]] = {}
    for number, record in enumerate(records, 1):
        users.setdefault(field_of(record, author, number, "--author"), []).append(text_of(record, column, number))
    if first is not None:
        users = {user: first.release(texts) for user, texts in users.items()}
    with json_lines_writer(out) as write:
        learned = made.fit(users, rng=rng)
        for word, vector in zip(made.words, learned.vectors.tolist(), strict=True):
            write({"word": word, "vector": vector})
    notes.print(f"{len(made.words)} words; promise: {made.guarantee}", markup=False, soft_wrap=True)


def _check_overlap(made: TextMechanism, texts: list[str]) -> None:
    """Refuse a vocabulary of another language before anything is released; few texts may share no word with it."""
    if len(texts) < _ENOUGH or not isinstance(made, VocabularyMechanism):
        return
    vocabulary = made.vocabulary
    if not any((vocabulary.text_ids(text) < len(vocabulary)).any() for text in texts):
        raise bad_input(
            "texts",
            f"{len(texts)} without a known word",
            "words of the vocabulary",
            "texts and vocabulary must share a language",
        )


def _print_losses(made: TextMechanism, mean: float, largest: int) -> None:
    """What is lost per word and per document: one of mean length and the longest."""
    from rich.table import Table

    sizes = [1.0, mean, float(largest)] if largest > mean else [1.0, mean]
    losses = [made.text_losses(size) for size in sizes]
    if not losses[0]:
        return
    heads = [f"document of {mean:.0f} words (mean)", f"of {largest} (longest)"]
    table = Table("budget", "per word", *(heads if largest > mean else [f"per document of {mean:.0f} words"]), box=None)
    for row in zip(*losses, strict=True):
        table.add_row(row[0].counted, *(f"{'≤ ' if loss.bound else ''}{loss.epsilon:.5g}" for loss in row))
    notes.print(table)
