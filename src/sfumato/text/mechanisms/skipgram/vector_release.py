"""Word vectors that are learned from the texts of each person, as a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.errors import bad_input
from sfumato.release import Release, Terms
from sfumato.text.core.records import texts_by_person
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.scrub.scrubber import Scrubber

__all__ = ["learn_vectors"]


def learn_vectors(
    made: PrivateSkipGram,
    frame: Any,
    column: str,
    *,
    first: Scrubber | None,
    keep: Sequence[str],
    common: dict[str, Any],
) -> Release:
    """A word and its vector a row, learned from the texts of each person, scrubbed first if a scrubber is given."""
    import pyarrow as pa

    terms: Terms = common["terms"]
    if keep:
        raise bad_input("keep", ", ".join(keep), "nothing to keep", "it gives words, not records")
    if terms.person is None:
        raise bad_input("person", None, "the column that names who wrote a text", "say person= or --person")
    people = texts_by_person(frame, column, terms.person)
    terms.check_roll(people)
    if first is not None:
        people = {person: first.release(texts) for person, texts in people.items()}
    vectors = made.release(people, rng=common["rng"])
    columns = {"word": pa.array(made.words, pa.string())}
    columns |= {f"v{k}": pa.array(vectors[:, k - 1]) for k in range(1, made.dimension + 1)}
    return Release.make(
        pa.table(columns),
        roles={"word": "public", **dict.fromkeys(list(columns)[1:], "protected")},
        ordered=True,
        not_covered=["which words there are: the vocabulary is public"],
        technique="differential privacy",
        **common,
    )
