"""``sfumato text protect | attack | measure``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.errors import bad_input
from sfumato.io.atomic import reading
from sfumato.io.texts import document_format
from sfumato.release import Key
from sfumato.study.console import notes
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.score import Finding
from sfumato.study.settings import read_settings
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.records import Empty
from sfumato.text.core.text_totals import totals_table
from sfumato.text.protection import protect as protect_texts
from sfumato.text.returned.assessment import SECRET
from sfumato.text.text_method import LENGTH, NAMES, gives_texts, kinds

if TYPE_CHECKING:
    from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["attack", "measure", "protect"]

_FILE = "file"
_VOCABULARY = "Another vocabulary than GloVe"
_POOL = "topic-response, neighbourhood-response, code-response, retrieve and truncated-mean"

Vectors = Annotated[
    Path | None, typer.Option(help="Its vectors (.npy).", show_default=False, rich_help_panel=_VOCABULARY)
]
WordList = Annotated[
    Path | None,
    typer.Option("--word-list", help="Its words, one a line.", show_default=False, rich_help_panel=_VOCABULARY),
]
PoolFile = Annotated[
    Path | None,
    typer.Option(
        "--pool", help="Public texts by other people, in --column.", show_default=False, rich_help_panel=_POOL
    ),
]
PoolTopic = Annotated[
    str, typer.Option("--pool-topic", help="The column that names their topics.", rich_help_panel=_POOL)
]
KnownFile = Annotated[
    Path | None,
    typer.Option(
        "--known",
        help="code-response: texts by the same authors that need no protection, in --column. What tells these authors "
        "apart is left out of the topics.",
        show_default=False,
        rich_help_panel=_POOL,
    ),
]
KnownAuthor = Annotated[
    str, typer.Option("--known-author", help="The column that names their authors.", rich_help_panel=_POOL)
]
ModelFile = Annotated[
    Path | None,
    typer.Option(
        "--model",
        help="dp-vae, code-vae and their like: the network that writes, made by sfumato text train.",
        show_default=False,
    ),
]
Author = Annotated[str, typer.Option(help="The column that names the author.")]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Annotated[str, typer.Option("--column", "-c", help="The column that holds the text.")] = "text",
    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()))] = "syntf",
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="The budget per word; of a response, per text or per author; of retrieve and truncated-mean, per text "
            "or --unit; of private-skip-gram, per person.",
            show_default=False,
        ),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option(
            help="The column that names the author: the largest total of an author is stated and charged, as with "
            "--person. A response then gives one release for all texts of an author.",
            show_default=False,
        ),
    ] = None,
    pool: PoolFile = None,
    pool_topic: PoolTopic = "topic",
    known: KnownFile = None,
    known_author: KnownAuthor = "author",
    unit: Annotated[
        str | None,
        typer.Option(
            help="retrieve and truncated-mean: what ε is for, document or sentence. A document loses many times the ε "
            "of a sentence.",
            show_default="document",
            rich_help_panel=_POOL,
        ),
    ] = None,
    model: ModelFile = None,
    length: Annotated[
        int | None, typer.Option(help="syntf: words in every release.", min=1, show_default=str(LENGTH))
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A column that is released unchanged; repeat it.", show_default=False)
    ] = None,
    scrub: Annotated[bool, typer.Option("--scrub", help="Mask names and numbers first.")] = False,
    names: Annotated[
        str | None,
        typer.Option(
            help="How scrubbing knows names. " + "; ".join(f"{k}: {v}" for k, v in NAMES.items()) + ".",
            show_default="cautious with the extra text, else lists",
        ),
    ] = None,
    pseudonyms: Annotated[
        Path | None,
        typer.Option(
            help="scrubber with --set replacement=pseudonym: the secret of the pseudonyms, or the private key of an "
            "earlier release, whose pseudonyms go on.",
            show_default="a new secret, kept in --key",
        ),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option(help="scrubber: what a reviewer decided about these texts in the studio.", show_default=False),
    ] = None,
    words: Annotated[int, typer.Option(help="How many GloVe words the vocabulary has.", min=2)] = 30_000,
    synsets: Annotated[bool, typer.Option("--synsets", help="Add WordNet synonyms to the vocabulary.")] = False,
    vectors: Vectors = None,
    word_list: WordList = None,
    spelling: Annotated[
        float | None, typer.Option(help="syntf: s of the rating cos − s·B.", show_default="0.3")
    ] = None,
    range_mode: Annotated[str | None, typer.Option(help="syntf: clip, affine or raw.", show_default="clip")] = None,
    morphology: Annotated[str | None, typer.Option(help="syntf: lower, lemma or orth.", show_default="lower")] = None,
    longest: Annotated[int, typer.Option(help="Refuse texts with more characters.", min=1)] = 10_000_000,
    empty: Annotated[
        str,
        typer.Option(help="Texts without a word, such as scanned pages: keep them, or skip them, which is then seen."),
    ] = "keep",
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Replace texts or their words. Only the text and the columns named by --keep leave, in random order.

    What is lost is said per word, per document and, with --author, for all texts of one author, which is what a ledger
    is charged. topic-response gives a public text of the same topic in place of each text, neighbourhood-response one
    that is near it; their ε is small and holds for the whole text. retrieve gives a public text that lies deep among
    the sentences; its ε, too, is for the whole text, unless --unit sentence. private-skip-gram instead learns word
    vectors from the texts of each --person and gives a word and its vector a row. With --engine, texts in a CSV or
    Parquet file stream past one by one and need not fit in memory.

    Examples:

      sfumato text protect mails.jsonl -o out.jsonl --mechanism syntf --epsilon 47.5 --length 150 --author from --key k

      sfumato text protect mails.jsonl -o out.jsonl -m topic-response --epsilon 5 --pool public.jsonl --pool-topic group

      sfumato text protect mails.jsonl -o out.jsonl -m retrieve --epsilon 10 --pool public.jsonl

      sfumato text protect mails.jsonl -o vectors.csv -m private-skip-gram --epsilon 4 --person from --set delta=1e-6
      --set expected_users=900
    """
    gives_texts(mechanism)  # before a long file is read
    own = {"spelling": spelling, "range_mode": range_mode, "morphology": morphology, "unit": unit}
    if engine is None:
        table, runs = door.dialect.read_texts(door.input, column), None
    else:
        table, runs = door.open(engine, master)
    if _are_documents(door.input, door.dialect.format) and _FILE in (*(keep or ()), door.terms.person, author):
        raise bad_input("column", _FILE, "no names of files: they often name people", "a table may have such a column")
    public, network = _public_pool(pool, column, pool_topic), _network(model)
    writers = _known_authors(known, column, known_author)
    release = protect_texts(
        table,
        column,
        mechanism=mechanism,
        epsilon=epsilon,
        length=length,
        keep=tuple(keep or ()),
        vocabulary=_vocabulary(vectors, word_list, mechanism),
        words=words,
        synsets=synsets,
        pool=public,
        known=writers,
        model=network,
        author=author,
        scrub=scrub,
        names=names,
        pseudonyms=None if pseudonyms is None else _pseudonyms(pseudonyms),
        review=review,
        longest=longest,
        empty=cast(Empty, empty),
        settings={**{name: value for name, value in own.items() if value is not None}, **read_settings(setting)},
        engine=runs or "duckdb",
        terms=door.terms,
        rng=door.rng,
    )
    more: dict[str, Any] = {} if public is None else {"pool": public}
    more |= {} if network is None else {"model": network}
    more |= {} if writers is None else {"known": writers}
    card = door.hand_over(release, table, author=author or door.terms.person or "author", **more)
    totals = card.promise.get("per_person", {}).get("totals")
    if totals is not None and totals["epsilon"]:
        notes.print(totals_table(totals))
    for words in (totals or {}).get("verdict", {}).values():
        notes.print(f"verdict: {words}", soft_wrap=True)
    if SECRET in release.key.secrets and door.key is None:
        notes.print("the secret of the pseudonyms was not kept: with --key FILE they can go on later", soft_wrap=True)


@shared_options(returning)
def attack(
    returned: Returned,
    *,
    author: Author = "author",
    suspects: Annotated[
        int | None, typer.Option(help="Suspects for each text; all authors without it.", show_default=False)
    ] = None,
    vectors: Vectors = None,
    word_list: WordList = None,
    pool: PoolFile = None,
    pool_topic: PoolTopic = "topic",
    known: KnownFile = None,
    known_author: KnownAuthor = "author",
    model: ModelFile = None,
) -> None:
    """Try to name the author of protected texts. For the owner's eyes: uses the raw data.

    The attackers know the method from the card and two of three texts of an author; the strongest protects these by
    the same method to learn from. Others hold the raw texts and say which one is behind a release. The largest result
    is the risk. Of word vectors, they tell who was learned from.

    Example: sfumato text attack mails.jsonl out.jsonl --key k --author from
    """
    returned.check_kind("text")
    release, original = returned.release, _original(returned)
    given = _vocabulary(vectors, word_list, release.card.mechanism.name)
    options = {"seed": returned.seed, "author": author, "suspects": suspects, "vocabulary": given}
    if pool is not None:
        options["pool"] = _public_pool(pool, release.card.mechanism.parameters["column"], pool_topic)
    if known is not None:
        options["known"] = _known_authors(known, release.card.mechanism.parameters["column"], known_author)
    if model is not None:
        options["model"] = _network(model)
    found = release.attack(original, **options)
    print_findings(found, title=returned.title, reference="chance")
    _say_strongest(found)
    if release.card.mechanism.parameters.get("averaged") or author not in original.column_names:
        return
    if gives_texts(release.card.mechanism.name) and not all(one.reason for one in found):
        raw = release.attack(original, **options, raw=True)
        print_findings(raw, title="The same against the raw texts", reference="chance")


@shared_options(returning)
def measure(
    returned: Returned,
    *,
    topic: Annotated[str, typer.Option(help="The column that names the topic.")] = "topic",
    mood: Annotated[str, typer.Option(help="The column that names the sentiment.")] = "mood",
    author: Author = "author",
    vectors: Vectors = None,
    word_list: WordList = None,
) -> None:
    """Say what is left of protected texts: topic, sentiment, similarity and search. For the owner's eyes.

    Example: sfumato text measure mails.jsonl out.jsonl --key k --topic folder
    """
    returned.check_kind("text")
    release, original = returned.release, _original(returned)
    given = _vocabulary(vectors, word_list, release.card.mechanism.name)
    found = release.measure(original, seed=returned.seed, topic=topic, mood=mood, author=author, vocabulary=given)
    print_findings(found, title=returned.title, reference="raw texts")


def _say_strongest(found: Sequence[Finding]) -> None:
    """Which attack came farthest from chance: that is the risk."""
    scored = [one for one in found if not one.reason]
    if scored:
        worst = max(scored, key=lambda one: (one.score.value - one.score.reference) / (1 - one.score.reference))
        told = f"{worst.score.value:.3g} where guessing gives {worst.score.reference:.3g}"
        notes.print(f"strongest: {worst.name}, {told}", soft_wrap=True)


def _public_pool(path: Path | None, column: str, topic: str) -> PublicPool | None:
    """The public texts of the options, with their topics if they have any."""
    return None if path is None else PublicPool.read(path, column=column, topic=topic)


def _known_authors(path: Path | None, column: str, author: str) -> PublicPool | None:
    """The texts of known authors of the options; a file without the column of authors is refused."""
    found = None if path is None else PublicPool.read(path, column=column, topic=author)
    if found is not None and found.topics is None:
        raise bad_input("--known-author", author, "a column of the file of --known")
    return found


def _network(path: Path | None) -> Any:
    """The trained network of the options."""
    from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel

    return None if path is None else RewritingModel.load(path)


def _original(returned: Returned) -> Any:
    """The texts that were protected, read as they were then."""
    return returned.dialect.read_texts(returned.input, returned.release.card.mechanism.parameters["column"])


def _are_documents(path: str, format: str | None) -> bool:
    """Whether the input is a document or a folder of documents, whose names are then in a column."""
    return Path(path).is_dir() or document_format(path, format) is not None


def _vocabulary(vectors: Path | None, word_list: Path | None, mechanism: str) -> Vocabulary | Sequence[str] | None:
    """The vocabulary of the options; None stands for GloVe. What learns vectors needs a list of words only."""
    from sfumato.text import Vocabulary

    if vectors is None and word_list is None:
        return None
    if vectors is not None and word_list is not None:
        return Vocabulary.load(vectors, word_list)
    if word_list is not None and not gives_texts(mechanism):
        with reading(word_list):
            return tuple(word_list.read_text(encoding="utf-8").splitlines())
    raise bad_input("vocabulary", str(vectors or word_list), "both --vectors and --word-list")


def _pseudonyms(path: Path) -> bytes:
    """The secret in a file: the bytes themselves, or what the private key of an earlier release holds."""
    with reading(path):
        content = path.read_bytes()
    if content.startswith(b"PAR1"):
        held = Key.read(path).secrets.get(SECRET)
        if held is None:
            raise bad_input("--pseudonyms", path.name, "the key of a release with pseudonyms")
        return bytes.fromhex(held)
    return content.strip()
