"""``sfumato text protect | attack | measure``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import bad_input
from sfumato.io.files import read_json_lines, read_table
from sfumato.io.streams import json_lines_writer, stream_json_lines
from sfumato.study.console import command_rng, notes, progress_bar, screen
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.text.core.corpus import Corpus
    from sfumato.text.mechanisms.base import TextMechanism
    from sfumato.text.scrub.scrubber import Scrubber
    from sfumato.text.vocabulary.vocabulary import Vocabulary

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
    length: Annotated[
        int | None, typer.Option(help="Words in every release, for syntf (150).", min=1, show_default=False)
    ] = None,
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
    spelling: Annotated[
        float | None, typer.Option(help="s of the rating cos − s·B, for syntf (0.3).", show_default=False)
    ] = None,
    range_mode: Annotated[
        str | None, typer.Option(help="clip, affine or raw, for syntf (clip).", show_default=False)
    ] = None,
    morphology: Annotated[
        str | None, typer.Option(help="lower, lemma or orth, for syntf (lower).", show_default=False)
    ] = None,
    synsets: Annotated[bool, typer.Option("--synsets", help="Add WordNet synonyms to the vocabulary.")] = False,
    longest: Annotated[int, typer.Option(help="Refuse lines with more bytes.", min=1)] = 10_000_000,
    seed: Seed = None,
) -> None:
    """Replace the words of texts. Only the text and the fields named by --keep are written.

    Example: sfumato text protect mails.jsonl --mechanism syntf --epsilon 47.5 --length 150 -o out.jsonl
    """
    choice("names", names, _NAMES)
    given = {"length": length, "spelling": spelling, "range_mode": range_mode, "morphology": morphology}
    options = {name: value for name, value in given.items() if value is not None}
    vocabulary = partial(_vocabulary, words, vectors, word_list, synsets)
    protector = _mechanism(mechanism, epsilon, options, vocabulary, names)
    rng = command_rng(seed)
    kept = tuple(keep or ())
    first = _scrubber(names) if scrub and mechanism != "scrub" else None
    count = size = largest = 0
    with json_lines_writer(output) as write, progress_bar("texts", None) as advance:
        for batch in _batches(_records(input, longest)):
            texts = [_text_of(record, column, count + k + 1) for k, record in enumerate(batch)]
            for number, record in enumerate(batch):
                _check_fields(record, kept, count + number + 1)
            if count == 0:
                _check_overlap(protector, texts)
            released = protector.release(texts if first is None else first.release(texts), rng=rng)
            for record, text in zip(batch, released, strict=True):
                write({**{name: record[name] for name in kept}, column: text})
                own = len(text.split())
                size, largest = size + own, max(largest, own)
            count += len(batch)
            advance(len(batch))
    _print_budget(protector, count, size, largest, scrubbed=first is not None)


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
    name: str, epsilon: float | None, options: dict[str, Any], vocabulary: Callable[..., Vocabulary], names: str
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
    if name not in _METHODS:
        raise bad_input("mechanism", name, "one of " + ", ".join(_METHODS))
    if options and name != "syntf":
        raise bad_input("options", ", ".join(options), f"none of these for {name}", "they are for syntf")
    if name == "scrub":
        if epsilon is not None:
            raise bad_input("epsilon", epsilon, "no budget for scrub", "scrubbing promises nothing at any ε")
        return _scrubber(names)
    if epsilon is None:
        raise bad_input("epsilon", None, "a number > 0", "name the budget per word with --epsilon")
    if name == "syntf":
        return text.SynTF(epsilon=epsilon, vocabulary=vocabulary(content=True), **{"length": 150, **options})
    return plain[name](epsilon=epsilon, vocabulary=vocabulary(content=name == "bag"))


def _scrubber(names: str) -> Scrubber:
    from sfumato import text

    if names == "model":
        return text.Scrubber(recognisers=(text.Cascade(),))
    quick = (text.PatternRecogniser(), text.NameRecogniser())
    return text.Scrubber(recognisers=quick if names == "lists" else (*quick, text.CapitalRecogniser()))


def _vocabulary(
    words: int, vectors: Path | None, word_list: Path | None, synsets: bool, *, content: bool = False
) -> Vocabulary:
    from sfumato.text import Vocabulary, load_glove

    if (vectors is None) != (word_list is None):
        raise bad_input("vocabulary", str(vectors or word_list), "both --vectors and --word-list")
    if vectors is not None and word_list is not None:
        if synsets:
            raise bad_input("synsets", True, "the GloVe vocabulary", "synonyms need vectors; add them to your own list")
        return Vocabulary.load(vectors, word_list)
    found = load_glove(words, content=content)
    return found.with_synonyms(load_glove()) if synsets else found


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
    from sfumato.text.mechanisms.base import VocabularyMechanism
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

    from sfumato.text.core.corpus import Corpus

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


def _print_budget(protector: TextMechanism, count: int, size: int, largest: int, *, scrubbed: bool) -> None:
    """What is lost per word and per document: for word-level mechanisms a document of mean length and the longest."""
    from rich.table import Table

    from sfumato.text import SynTF

    of_what = " (of the texts as scrubbed)" if scrubbed and not isinstance(protector, SynTF) else ""
    notes.print(f"{count} texts; promise{of_what}: {protector.guarantee}", markup=False, soft_wrap=True)
    if isinstance(protector, SynTF):
        table = Table("budget", "per word", "per document", box=None)
        names = {"nominal": "nominal (ε)", "eta": "by Thm 5.4 (η)", "tight": "tight (ℓ)"}
        budget = protector.budget
        for name in ("nominal", "eta", "tight"):
            if name in budget:
                word, document = budget[name]
                table.add_row(names[name], f"{word:.4g}", f"{document:.5g}")
        notes.print(table)
    elif count and (losses := _losses(protector)):
        mean = size / count
        table = Table("budget", "per word", f"document of {mean:.0f} words (mean)", f"of {largest} (longest)", box=None)
        for name, bound, loss in losses:
            table.add_row(name, *(f"{bound}{loss * words:.5g}" for words in (1, mean, largest)))
        notes.print(table)


def _losses(protector: TextMechanism) -> list[tuple[str, str, float]]:
    """What each word loses: (of what, sign of a bound, loss)."""
    from sfumato.text import BagPrivacy, CandidatePrivacy, WordPrivacy

    promise = protector.guarantee
    if isinstance(promise, CandidatePrivacy):
        return [("words of one set", "≤ ", promise.epsilon), ("words of two sets", "", math.inf)]
    if not isinstance(promise, (WordPrivacy, BagPrivacy)):
        return []
    points = promise.vocabulary.all_points
    cap = promise.cap if isinstance(promise, WordPrivacy) else math.inf
    reach = min(cap, 2 * float((points**2).sum(axis=1).max()) ** 0.5)
    return [("per unit of distance", "", promise.epsilon), ("any two words", "≤ ", promise.epsilon * reach)]


def _print_scores(title: str, scores: list[tuple[str, Any]], before: list[Any], *, chance: bool = True) -> None:
    from rich.table import Table

    columns = ["measure", "protected", "raw", *(["chance"] if chance else [])]
    table = Table(*columns, title=title, box=None, title_justify="left")
    for (name, score), raw in zip(scores, before, strict=True):
        row = [name, f"{score.value:.3f}", f"{raw.value:.3f}", f"{score.reference:.3f}"]
        table.add_row(*row[: len(columns)])
    screen.print(table)
