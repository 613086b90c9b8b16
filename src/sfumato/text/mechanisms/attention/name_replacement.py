"""Names of a list replaced, and nothing else: the baseline that noise on all words must beat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.validate import choice

__all__ = ["NameReplacement"]

By = Literal["another", "mask"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NameReplacement(TextMechanism):
    """Replaces the words of a public list, each time by another word of the list or by a mark. It promises nothing.

    It needs no embedding and no attention, changes every listed word and no other; whoever knows how a sender writes
    still names them. :class:`Scrubber` finds names that stand in no list.

    Parameters
    ----------
    sensitive : sequence of str
        Public: the names of all senders, say. Capitals do not matter.
    by : {"another", "mask"}
        What stands there instead; at least two words are needed for another one.

    Examples
    --------
    >>> import numpy as np
    >>> names = NameReplacement(sensitive=["ann", "bob"])
    >>> names.release("Ann wrote to Annabel.", rng=np.random.default_rng(1))
    'bob wrote to Annabel.'
    """

    technique = "suppression"

    sensitive: Sequence[str] = ()
    by: By = "another"

    def __post_init__(self) -> None:
        choice("by", self.by, get_args(By))
        if isinstance(self.sensitive, str) or not all(isinstance(one, str) and one.strip() for one in self.sensitive):
            raise bad_input("sensitive", self.sensitive, "a list of words", '--set \'sensitive=["ann", "bob"]\'')
        least = 2 if self.by == "another" else 1
        if len(self._listed) < least:
            raise bad_input("sensitive", f"{len(self._listed)} words", f"at least {least}")

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee(
            "only listed words are replaced, and style and content stay",
            unit="document",
            neighbours="any-pair",
            model="local",
        )

    @cached_property
    def _listed(self) -> tuple[str, ...]:
        return tuple(sorted({one.strip().lower() for one in self.sensitive}))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self._listed, key=lambda one: (-len(one), one))
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.I)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        place = {word: at for at, word in enumerate(self._listed)}

        def replaced(found: re.Match[str]) -> str:
            if self.by == "mask":
                return "[name]"
            drawn = int(rng.integers(len(self._listed) - 1))
            own = place[found.group().lower()]
            return self._listed[drawn + (drawn >= own)]

        return [self._pattern.sub(replaced, text) for text in texts]
