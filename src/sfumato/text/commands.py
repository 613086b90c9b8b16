"""``sfumato text protect | attack | measure``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.data.files import read_json_lines, read_table
from sfumato.data.streams import json_lines_writer, stream_json_lines
from sfumato.errors import bad_input
from sfumato.study.console import command_rng, notes, progress_bar, screen
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.text.base import TextMechanism
    from sfumato.text.corpus import Corpus
    from sfumato.text.scrub import Scrubber
    from sfumato.text.vocabulary import Vocabulary

__all__ = ["attack", "measure", "protect"]

_BATCH = 1024
_ENOUGH = 20
_NAMES = ("lists", "capitals", "model")
_METHODS = ("syntf", "laplace", "mahalanobis", "exponential", "truncated", "candidates", "bag", "scrub")

Input = Annotated[str, typer.Argument(help="JSON Lines (streamed), CSV or Parquet; - for standard input.")]
TextColumn = Annotated[str, typer.Option("--column", help="The field that holds the text.")]
Seed = Annotated[int | None, typer.Option(help="For experiments only: makes the noise repeatable.", show_default=False)]
Released = Annotated[str, typer.Argument(help="The protected texts, in the order of the raw ones.")]


def protect(
    input: Input,
    output: Annotated[str, typer.Option("--out", "-o", help="JSON Lines to write; - for standard output.")],
    mechanism: Annotated[str, typer.Option(help=", ".join(_METHODS) + ".")] = "syntf",
    epsilon: Annotated[float | None, typer.Option(help="Per word (none for scrub).", show_default=False)] = None,
    length: Annotated[int, typer.Option(help="Words in every release, for syntf.", min=1)] = 150,
    column: TextColumn = "text",
    keep: Annotated[
        list[str] | None, typer.Option(help="A field that is released unchanged; repeat it.", show_default=False)
    ] = None,
    scrub: Annotated[bool, typer.Option("--scrub", help="Mask names and numbers first.")] = False,
    names: Annotated[
        str, typer.Option(help="Where scrubbing knows names from: lists, capitals (firms go too) or model (slow).")
    ] = "lists",
    words: Annotated[int, typer.Option(help="How many GloVe words the vocabulary has.", min=2)] = 30_000,
    vectors: Annotated[
        Path | None, typer.Option(help="Another vocabulary: its vectors (.npy).", show_default=False)
    ] = None,
    word_list: Annotated[
        Path | None, typer.Option(help="Another vocabulary: its words, one a line.", show_default=False)
    ] = None,
    spelling: Annotated[float, typer.Option(help="s of the rating cos − s·B, for syntf.")] = 0.3,
    range_mode: Annotated[str, typer.Option(help="clip, affine or raw, for syntf.")] = "clip",
    morphology: Annotated[str, typer.Option(help="lower, lemma or orth, for syntf.")] = "lower",
    longest: Annotated[int, typer.Option(help="Refuse lines with more bytes.", min=1)] = 10_000_000,
    seed: Seed = None,
) -> None:
    """Replace the words of texts. Only the text and the fields named by --keep are written.

    Example: sfumato text protect mails.jsonl --mechanism syntf --epsilon 47.5 --length 150 -o out.jsonl
    """
    choice("names", names, _NAMES)
    options = {"length": length, "spelling": spelling, "range_mode": range_mode, "morphology": morphology}
    scrubber = _scrubber(names)
    protector = (
        scrubber
        if mechanism == "scrub"
        else _mechanism(mechanism, epsilon, options, partial(_vocabulary, words, vectors, word_list))
    )
    rng = command_rng(seed)
    kept = tuple(keep or ())
    first = scrubber if scrub and protector is not scrubber else None
    count = size = 0
    with json_lines_writer(output) as write, progress_bar("texts", None) as advance:
        for batch in _batches(_records(input, longest)):
            texts = [_text_of(record, column, count + k + 1) for k, record in enumerate(batch)]
            for number, record in enumerate(batch):
                _check_fields(record, kept, count + number + 1)
            if count == 0:
                _check_overlap(protector, texts)
            size += sum(len(text.split()) for text in texts)
            released = protector.release(texts if first is None else first.release(texts), rng=rng)
            for record, text in zip(batch, released, strict=True):
                write({**{name: record[name] for name in kept}, column: text})
            count += len(batch)
            advance(len(batch))
    _print_budget(protector, count, size)


def attack(
    raw: Input,
    released: Released,
    author: Annotated[str, typer.Option(help="The field that names the author, in the raw file.")] = "author",
    column: TextColumn = "text",
    suspects: Annotated[
        int | None, typer.Option(help="Suspects for each text; all authors without it.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the learners.")] = 0,
) -> None:
    """Try to name the author of protected texts. For the owner's eyes: uses the raw data.

    Every third text of an author is a test, the others are what the attacker has learned from.

    Example: sfumato text attack mails.jsonl out.jsonl --author from
    """
    from sfumato.noise import seeded_rng
    from sfumato.text import AuthorshipAttack, VerificationAttack

    data, release = _corpora(raw, released, column, author, author)
    attacks: list[Any] = [
        AuthorshipAttack(name=f"{kind}, {'adaptive' if adaptive else 'static'}", features=kind, adaptive=adaptive,
                         suspects=suspects)
        for kind in ("writeprints+content", "characters", "words") for adaptive in (True, False)
    ]  # fmt: skip
    attacks += [VerificationAttack()]
    scores = [(one.name, one.attack(data, release, rng=seeded_rng(seed))) for one in attacks]
    before = [one.attack(data, data, rng=seeded_rng(seed)) for one in attacks]
    _print_scores("Who wrote it", scores, before)


def measure(
    raw: Input,
    released: Released,
    topic: Annotated[str, typer.Option(help="The field that names the topic, in the raw file.")] = "topic",
    column: TextColumn = "text",
    seed: Annotated[int, typer.Option(help="Of the learners.")] = 0,
) -> None:
    """Say what is left of protected texts: topic and search. For the owner's eyes: uses the raw data.

    Example: sfumato text measure mails.jsonl out.jsonl --topic folder
    """
    from sfumato.noise import seeded_rng
    from sfumato.text import RetrievalUtility, TopicUtility

    data, release = _corpora(raw, released, column, topic, topic)
    utilities: list[Any] = [
        TopicUtility(),
        TopicUtility(name="topic (svm)", learner="svm"),
        TopicUtility(name="topic (F1)", metric="f1"),
        RetrievalUtility(),
    ]
    scores = [(one.name, one.measure(data, release, rng=seeded_rng(seed))) for one in utilities]
    before = [one.measure(data, data, rng=seeded_rng(seed)) for one in utilities]
    _print_scores("What is left", scores, before, chance=False)


def _mechanism(
    name: str, epsilon: float | None, options: dict[str, Any], vocabulary: Callable[..., Vocabulary]
) -> TextMechanism:
    from sfumato import text

    plain = {
        "laplace": text.WordLaplace,
        "mahalanobis": text.WordMahalanobis,
        "exponential": text.WordExponential,
        "truncated": text.TruncatedExponential,
        "candidates": text.CandidateExponential,
        "bag": text.BagMechanism,
    }
    if epsilon is None:
        raise bad_input("epsilon", None, "a number > 0", "name the budget per word with --epsilon")
    if name == "syntf":
        return text.SynTF(epsilon=epsilon, vocabulary=vocabulary(content=True), **options)
    if name not in plain:
        raise bad_input("mechanism", name, "one of " + ", ".join(_METHODS))
    return plain[name](epsilon=epsilon, vocabulary=vocabulary(content=name == "bag"))


def _scrubber(names: str) -> Scrubber:
    from sfumato import text

    if names == "model":
        return text.Scrubber(recognisers=(text.Cascade(),))
    quick = (text.PatternRecogniser(), text.NameRecogniser())
    return text.Scrubber(recognisers=quick if names == "lists" else (*quick, text.CapitalRecogniser()))


def _vocabulary(words: int, vectors: Path | None, word_list: Path | None, *, content: bool = False) -> Vocabulary:
    from sfumato.text import Vocabulary, load_glove

    if (vectors is None) != (word_list is None):
        raise bad_input("vocabulary", str(vectors or word_list), "both --vectors and --word-list")
    if vectors is not None and word_list is not None:
        return Vocabulary.load(vectors, word_list)
    return load_glove(words, content=content)


def _records(path: str, longest: int) -> Iterator[dict[str, Any]]:
    if path == "-" or Path(path).name.lower().endswith((".jsonl", ".jsonl.gz", ".ndjson")):
        yield from stream_json_lines(path, longest=longest)
    else:
        for batch in read_table(path).to_batches(max_chunksize=_BATCH):
            yield from batch.to_pylist()


def _batches(records: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    source = iter(records)
    while batch := list(islice(source, _BATCH)):
        yield batch


def _check_overlap(protector: TextMechanism, texts: list[str]) -> None:
    """Refuse a vocabulary of another language before anything is released; few texts may share no word with it."""
    from sfumato.text.base import VocabularyMechanism
    from sfumato.text.promise import word_ids

    if len(texts) < _ENOUGH or not isinstance(protector, VocabularyMechanism):
        return
    vocabulary = protector.vocabulary
    if not any((word_ids(text, vocabulary) < len(vocabulary)).any() for text in texts):
        raise bad_input(
            "texts",
            f"{len(texts)} without a known word",
            "words of the vocabulary",
            "texts and vocabulary must share a language",
        )


def _text_of(record: dict[str, Any], column: str, number: int) -> str:
    if column not in record:
        raise bad_input("column", column, f"a field of record {number}: {', '.join(record)}", "--column names another")
    text = record[column]
    if not isinstance(text, str):
        raise bad_input(f"{column!r} of record {number}", type(text).__name__, "a text")
    return text


def _check_fields(record: dict[str, Any], names: tuple[str, ...], number: int) -> None:
    for name in names:
        if name not in record:
            raise bad_input("keep", name, f"a field of record {number}: {', '.join(record)}")


def _corpora(raw: str, released: str, column: str, author: str, topic: str) -> tuple[Corpus, Corpus]:
    import numpy as np

    from sfumato.text.corpus import Corpus

    before = list(_records(raw, 100_000_000)) if raw != "-" else read_json_lines(raw)
    after = list(_records(released, 100_000_000))
    if len(before) != len(after):
        raise bad_input("released", len(after), f"one text for each of the {len(before)} raw ones")
    seen: dict[str, int] = {}
    labels, train = [], []
    for number, record in enumerate(before, 1):
        if record.get(author) is None:
            raise bad_input("field", author, f"a field of record {number}: {', '.join(record)}")
        label = str(record[author])
        seen[label] = seen.get(label, 0) + 1
        labels.append(label)
        train.append(seen[label] % 3 != 0)
    usable = [seen[label] >= 3 for label in labels]  # one text cannot be both learned from and tested
    if len({label for label, good in zip(labels, usable, strict=True) if good}) < 2:
        raise bad_input(author, f"{len(seen)} values", "at least two with three texts or more")
    rows = np.flatnonzero(usable).tolist()
    data = Corpus(
        texts=[_text_of(before[k], column, k + 1) for k in rows],
        authors=np.array(labels)[rows],
        topics=np.array(labels)[rows],
        train=np.array(train)[rows],
    )
    return data, data.with_texts([_text_of(after[k], column, k + 1) for k in rows])


def _print_budget(protector: TextMechanism, count: int, size: int) -> None:
    from rich.table import Table

    from sfumato.text import SynTF, WordPrivacy

    notes.print(f"{count} texts; promise: {protector.guarantee}", markup=False, soft_wrap=True)
    table = Table("budget", "per word", "per document", box=None)
    if isinstance(protector, SynTF):
        names = {"nominal": "nominal (ε)", "eta": "by Thm 5.4 (η)", "tight": "tight (ℓ)"}
        for name in ("nominal", "eta", "tight"):
            if name in protector.budget:
                word, document = protector.budget[name]
                table.add_row(names[name], f"{word:.4g}", f"{document:.5g}")
        notes.print(table)
    elif isinstance(protector.guarantee, WordPrivacy) and count:
        promise = protector.guarantee
        reach = min(
            promise.cap, 2 * float((promise.vocabulary.points(_all(promise.vocabulary)) ** 2).sum(1).max() ** 0.5)
        )
        table.add_row("per unit of distance", f"{promise.epsilon:.4g}", f"{promise.epsilon * size / count:.5g} (mean)")
        table.add_row(
            "any two words", f"≤ {promise.epsilon * reach:.4g}", f"≤ {promise.epsilon * reach * size / count:.5g}"
        )
        notes.print(table)


def _all(vocabulary: Vocabulary) -> Any:
    import numpy as np

    return np.arange(len(vocabulary))


def _print_scores(title: str, scores: list[tuple[str, Any]], before: list[Any], *, chance: bool = True) -> None:
    from rich.table import Table

    columns = ["measure", "protected", "raw", *(["chance"] if chance else [])]
    table = Table(*columns, title=title, box=None, title_justify="left")
    for (name, score), raw in zip(scores, before, strict=True):
        row = [name, f"{score.value:.3f}", f"{raw.value:.3f}", f"{score.reference:.3f}"]
        table.add_row(*row[: len(columns)])
    screen.print(table)
