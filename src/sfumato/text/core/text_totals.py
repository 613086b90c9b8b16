"""What texts lose per word, per document and per person, beside each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.promise import Assumption, Guarantee

if TYPE_CHECKING:
    from rich.table import Table

    from sfumato.release import Terms
    from sfumato.text.mechanisms.base import TextMechanism

__all__ = ["TextTotals", "totals_table", "verdict"]

_LARGEST = Assumption("most that one person wrote")


@dataclass(frozen=True, kw_only=True)
class TextTotals:
    """How much is written: in the mean text, in the longest, and by the person who wrote most.

    Parameters
    ----------
    mean : float
        Words of a text, as released.
    longest : int
    person_texts, person_words : int, optional
        Texts and words that one person may have; None if no column says whose a text is.
    most_found : bool
        Whether the numbers of a person were found in the data, and not declared.

    Examples
    --------
    >>> TextTotals.of([2, 4, 3], people=["ann", "bob", "ann"])
    TextTotals(mean=3.0, longest=4, person_texts=2, person_words=5, most_found=True)
    """

    mean: float
    longest: int
    person_texts: int | None = None
    person_words: int | None = None
    most_found: bool = False

    @classmethod
    def of(
        cls,
        words: ArrayLike,
        *,
        people: ArrayLike | None = None,
        most: int | None = None,
        times: ArrayLike | None = None,
    ) -> TextTotals:
        """From the number of words of each text and, if known, whose it is and how many texts one person may have.

        ``times`` says how often each of them is there.
        """
        sizes: NDArray[np.int64] = np.asarray(words, np.int64)
        if sizes.size == 0:
            raise InputError("there are no texts: expected at least one")
        often: NDArray[np.int64] = np.ones(sizes.size, np.int64) if times is None else np.asarray(times, np.int64)
        mean, longest = float((sizes * often).sum() / often.sum()), int(sizes.max())
        if people is None:
            return cls(mean=mean, longest=longest)
        import pyarrow as pa

        owner = pa.array(people).dictionary_encode().indices.to_numpy()
        texts, total = int(np.bincount(owner, often).max()), int(np.bincount(owner, sizes * often).max())
        if most is None:
            return cls(mean=mean, longest=longest, person_texts=texts, person_words=total, most_found=True)
        if texts > most:
            raise bad_input("most", most, "no person with more texts", "raise it, or drop texts of those who have more")
        return cls(mean=mean, longest=longest, person_texts=most, person_words=most * longest)

    @classmethod
    def found(cls, words: ArrayLike, frame: Any, terms: Terms) -> TextTotals:
        """The same with the column of people that the terms name."""
        from sfumato.io.frames import column

        people = None if terms.person is None else column(frame, terms.person)
        if people is not None:
            terms.check_roll(set(people))
        return cls.of(words, people=people, most=terms.most)

    def promise(self, mechanism: TextMechanism) -> Guarantee | None:
        """What is promised for all texts of one person, or for the longest text; None where nothing is promised."""
        if mechanism.guarantee.vacuous:
            return None
        if self.person_texts is None or self.person_words is None:
            return mechanism.whole_promise(texts=1, words=self.longest, unit="document")
        total = mechanism.whole_promise(texts=self.person_texts, words=self.person_words, unit="person")
        return total.assuming(_LARGEST) if self.most_found else total

    def record(self, mechanism: TextMechanism) -> dict[str, Any]:
        """The losses as plain values, for the card."""
        sizes: dict[str, float] = {"word": 1.0, "document (mean)": self.mean, "document (longest)": float(self.longest)}
        if self.person_words is not None:
            sizes["person (most)"] = float(self.person_words)
        losses = {name: mechanism.text_losses(size) for name, size in sizes.items()}
        counted = [
            {
                "counted": row[0].counted,
                "at_most": row[0].bound,
                **dict(zip(losses, (o.epsilon for o in row), strict=True)),
            }
            for row in zip(*losses.values(), strict=True)
        ]
        record = {"words": {name: size for name, size in sizes.items() if name != "word"}, "epsilon": counted}
        return record | {"verdict": self.verdicts(mechanism)}

    def verdicts(self, mechanism: TextMechanism) -> dict[str, str]:
        """What the loss of the longest document and that of the person who wrote most mean, in words."""
        if mechanism.guarantee.vacuous:
            return {}
        units: dict[str, tuple[int, int]] = {"document": (1, self.longest)}
        if self.person_texts is not None and self.person_words is not None:
            units["person"] = self.person_texts, self.person_words
        found = {}
        for unit, (texts, words) in units.items():
            loss = mechanism.whole_promise(texts=texts, words=words, unit=unit).cost().amounts["epsilon"]
            found[unit] = f"ε = {float(loss):.6g} for one {unit}: {verdict(float(loss))}"
        bits = getattr(mechanism, "bits", None)
        if bits is not None:
            found["bits"] = f"at most {bits:.2g} bits of one {mechanism.guarantee.unit} can pass"
        return found


_VERDICTS = (
    (1.0, "strong protection, even against someone who knows nearly everything else"),
    (5.0, "fair protection: someone who holds a few candidate texts learns something, not everything"),
    (10.0, "weak protection against someone who holds a few candidate texts"),
    (20.0, "hardly any protection against someone who holds candidate texts"),
    (math.inf, "no protection against someone who holds candidate texts: they can tell which one it was"),
)


def verdict(epsilon: float) -> str:
    """What a loss means for whoever is behind the text, in words.

    >>> verdict(0.5).partition(",")[0], verdict(3874.0).partition(" against")[0]
    ('strong protection', 'no protection')
    """
    return next(words for most, words in _VERDICTS if epsilon <= most)


def totals_table(record: Mapping[str, Any]) -> Table:
    """The losses of a card as a table: a row for each way of counting, a column for each unit."""
    from rich.table import Column, Table

    units = list(record["words"])
    heads = [
        f"{unit.partition(' ')[0]} of {record['words'][unit]:.0f} words {unit.partition(' ')[2]}" for unit in units
    ]
    table = Table(Column("ε counted by", no_wrap=True), Column("per word", no_wrap=True), *heads, box=None)
    for row in record["epsilon"]:
        sign = "≤ " if row["at_most"] else ""
        table.add_row(row["counted"], *(f"{sign}{float(row[unit]):.5g}" for unit in ("word", *units)))
    return table
