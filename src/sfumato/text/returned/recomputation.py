"""What of a release of texts can be computed again from the release and its card."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sfumato.errors import SfumatoError
from sfumato.io.atomic import reading
from sfumato.io.redaction.open_document import open_document
from sfumato.io.redaction.pdf_search import pdf_extras
from sfumato.io.texts import document_files
from sfumato.release import Check, Release
from sfumato.text.core.records import texts_of
from sfumato.text.sanitise.sanitised_release import SANITISER
from sfumato.text.text_method import TextMethod
from sfumato.text.vocabulary.vocabulary_recipe import word_list_digest, words_of

__all__ = ["recompute"]


def recompute(release: Release) -> list[Check]:
    """Check columns and rows, the words against the vocabulary, and the lengths of the texts; of documents, that each
    can be read and that nothing is in it besides."""
    if release.card.mechanism.parameters.get("documents"):
        return _documents(release)
    card, table = release.card, release.arrow
    checks = [Check.of_shape(release)]
    if checks[0].result == "fails" or card.mechanism.name == SANITISER:
        return checks
    method = TextMethod.of_card(card)
    if not method.on_texts:
        return [*checks, _word_list(release, method)]
    lengths = [len(text.split()) for text in texts_of(table, method.column)]
    if method.has("length"):
        wanted = card.mechanism.parameters["length"]
        checks.append(
            Check.that(
                "length",
                set(lengths) <= {wanted},
                f"every text has {wanted} words",
                f"a text does not have the {wanted} words of the card",
            )
        )
    checks += _totals(release, lengths)
    return [*checks, *_vocabulary(release, method)]


def _documents(release: Release) -> list[Check]:
    """Open every document again and look for what scrubbing takes out whatever the text says."""
    assert release.path is not None  # documents are never held as a table
    unread, besides, count = [], [], 0
    for path, kind, name in document_files(release.path):
        count += 1
        try:
            with reading(path):
                content = path.read_bytes()
            open_document(name, content, kind)
        except SfumatoError:
            unread.append(name)
            continue
        if kind == "pdf" and pdf_extras(content):
            besides.append(name)
    checks = [
        Check.that("documents", not unread, "every document can be read", f"cannot be read: {', '.join(unread)}"),
        Check.that(
            "rows",
            count == release.card.release.rows,
            "there are as many documents as the card says",
            "there are more or fewer documents than the card says",
        ),
    ]
    good = "no PDF says anything about itself besides its pages"
    return [*checks, Check.that("metadata", not besides, good, f"says more than its pages: {', '.join(besides)}")]


def _totals(release: Release, lengths: list[int]) -> Iterable[Check]:
    record = (release.card.promise.get("per_person") or {}).get("totals")
    if record is None:
        return
    counted = {"document (mean)": float(np.mean(lengths)), "document (longest)": float(max(lengths))}
    if not record["words"]:
        return
    same = all(abs(record["words"][name] - value) < 1e-6 for name, value in counted.items())
    yield Check.that(
        "words per document",
        same,
        "the mean and the longest text have as many words as the card says",
        "the texts have other lengths than those that the losses on the card are for",
    )


def _vocabulary(release: Release, method: TextMethod) -> Iterable[Check]:
    if method.vocabulary is None:
        return
    try:
        known = set(words_of(method.vocabulary.make()))
    except SfumatoError as error:
        yield Check(name="vocabulary", result="not checked", words=str(error))
        return
    same = all(word in known for text in texts_of(release.arrow, method.column) for word in text.split())
    yield Check.that(
        "vocabulary", same, "every word is in the vocabulary", "a word is not in the vocabulary of the card"
    )


def _word_list(release: Release, method: TextMethod) -> Check:
    words = release.arrow["word"].to_pylist()
    same = method.vocabulary is not None and word_list_digest(words) == method.vocabulary.sha256
    return Check.that("vocabulary", same, "the words are those of the card", "the words are not those of the card")
