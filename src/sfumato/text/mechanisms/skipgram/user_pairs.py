"""Pairs of neighbouring words, by user: the training data of skip-gram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.core.tokens import tokens

__all__ = ["UserPairs"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserPairs:
    """The (centre, context) pairs of all users, those of user u at ``first[u]:first[u + 1]``."""

    pairs: Integers
    first: Integers

    @classmethod
    def of(cls, users: Sequence[Sequence[str]], index: Mapping[str, int], window: int) -> UserPairs:
        """Pairs of words at most ``window`` places apart in one text, both ways; words outside are left out before."""
        words, document, owner, texts = [], [], [], 0
        for user, own in enumerate(users):
            for text in own:
                ids = [index[word] for word in map(str.lower, tokens(text)) if word in index]
                words += ids
                document += [texts] * len(ids)
                owner += [user] * len(ids)
                texts += 1
        word, where, who = (np.array(values, np.int64) for values in (words, document, owner))
        parts, owners = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for step in range(1, window + 1):
            together = where[:-step] == where[step:]
            ahead = np.stack([word[:-step][together], word[step:][together]], axis=1)
            parts += [ahead, ahead[:, ::-1]]
            owners += [who[:-step][together]] * 2
        of_user = np.concatenate(owners)
        order = np.argsort(of_user, kind="stable")
        first = np.searchsorted(of_user[order], np.arange(len(users) + 1))
        return cls(np.concatenate(parts)[order], first.astype(np.int64))

    def __len__(self) -> int:
        return len(self.first) - 1

    def sample(self, users: Integers, most: int, rng: Rng) -> tuple[Integers, Integers]:
        """The pairs of some users and, for each pair, the place of its user among them.

        Of a user with more than ``most`` pairs, that many are drawn with replacement.
        """
        available = self.first[users + 1] - self.first[users]
        count = np.minimum(available, most)
        place = np.repeat(np.arange(len(users)), count)
        within = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        many = (available > most)[place]
        within[many] = (rng.random(int(many.sum())) * available[place[many]]).astype(np.int64)
        return self.pairs[self.first[users[place]] + within], place
