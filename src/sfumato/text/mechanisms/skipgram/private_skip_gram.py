"""Word vectors learned from many people's texts under (ε, δ)-differential privacy per person (Fischer B12, §4.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.mechanism.noisy_steps import NoisySteps
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.grid import grid_step
from sfumato.promise import ApproxDP, Assumption
from sfumato.promise.accountant import Accountant, Method
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.skipgram.private_vectors import PrivateVectors
from sfumato.text.mechanisms.skipgram.user_pairs import Integers, UserPairs
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, extra, finite_array, integer, positive, probability

__all__ = ["PrivateSkipGram"]

Floats = NDArray[np.float64]

_MARGIN = 1 - 1e-9
"""Clipping stays this much below the bound, so that rounding never carries a norm above it."""
_LEAST_CLIP = 2.0**-300
_SUM_BITS = 34
"""Sums are whole multiples of about 2⁻³⁴ of the clipping bound."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateSkipGram(Mechanism):
    """Skip-gram word vectors under (ε, δ)-differential privacy for all texts of a user.

    Each of ``steps`` steps takes every user with probability q = ``rate`` (Poisson sampling). The gradient g_u of all
    pairs of a user, with respect to *all* parameters together, is clipped to C = ``clip`` in the Euclidean norm, the
    sum gets noise on every parameter, whether anybody used its word or not, and is divided by the public expected
    number of users in a step::

        θ ← θ − lr · (Σ_u g_u·min(1, C/‖g_u‖) + N(0, σ²C²·I)) / (q·expected_users)

    One user more or less changes the sum by at most C, so that a step is the Poisson-sampled Gaussian mechanism with
    noise multiplier σ, and σ is the least with which all steps together keep (ε, δ) (Rényi or privacy-loss accounting).
    The vocabulary, the law of the negative samples and the number of users that is divided by are public.

    Users may have smaller budgets of their own: everybody's account grows alike with every step, and a user leaves the
    sampling before the step that would exceed theirs (:meth:`steps_within`).

    The published dpUGC code does four things differently, and each breaks its promise (see the errata).

    Parameters
    ----------
    vocabulary : Vocabulary or sequence of str
        Public words in lower case, the commonest first: negatives are drawn ∝ rank^(−3/4).
    epsilon, delta : float
    expected_users : int
        A public estimate of how many users there are; it only scales the steps.
    dimension, window, negatives : int
    steps : int
    rate : float
        q. With 1, every user is in every step.
    clip, learning_rate : float
    pairs_per_user : int
        The most pairs of one user that a step looks at.
    initial : array of shape (words, dimension), optional
        Public vectors to start from, for words and contexts alike; by default small random ones.
    accounting : {"rdp", "pld"}

    Notes
    -----
    Clipped gradients are cut towards zero to a grid, which makes no norm larger, and added up in whole numbers. The sum
    with its real-valued Gaussian noise is rounded to a grid, as if computed in infinite precision: rounding after the
    noise costs nothing, so that the promise is that of the ideal mechanism and no low bits tell more.

    Examples
    --------
    >>> model = PrivateSkipGram(vocabulary=("tea", "cup", "rain"), epsilon=2.0, delta=1e-6, expected_users=100)
    >>> print(model.guarantee)
    ε = 2, δ = 1e-06 per user (add-remove neighbours, central model), provided that the vocabulary is public
    >>> round(model.noise_multiplier, 2)
    3.58
    """

    vocabulary: Vocabulary | Sequence[str]
    epsilon: float
    delta: float
    expected_users: int
    dimension: int = 50
    window: int = 2
    negatives: int = 5
    steps: int = 200
    rate: float = 0.1
    clip: float = 1.0
    learning_rate: float = 10.0
    pairs_per_user: int = 256
    initial: ArrayLike | None = None
    accounting: Method = "rdp"

    def __post_init__(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            words = self.vocabulary
            if isinstance(words, str) or not len(words) or not all(isinstance(word, str) for word in words):
                raise bad_input("vocabulary", type(words).__name__, "a Vocabulary or different words", "a public list")
            if len(set(words)) < len(words):
                raise bad_input("vocabulary", f"{len(words)} words", "every word once")
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        for name in ("expected_users", "dimension", "window", "steps", "pairs_per_user"):
            integer(name, getattr(self, name))
        integer("negatives", self.negatives, least=0)
        probability("rate", self.rate, one=True)
        if not _LEAST_CLIP <= positive("clip", self.clip) <= 1 / _LEAST_CLIP:
            raise bad_input("clip", self.clip, "a bound between 2^-300 and 2^300", "the usual one is 1")
        positive("learning_rate", self.learning_rate)
        choice("accounting", self.accounting, get_args(Method))
        if self.initial is not None:
            start = finite_array("initial", self.initial, ndim=2)
            if start.shape != (len(self.words), self.dimension):
                raise bad_input("initial", start.shape, f"shape ({len(self.words)}, {self.dimension})")

    @property
    def words(self) -> tuple[str, ...]:
        """The vocabulary."""
        return tuple(self.vocabulary.words if isinstance(self.vocabulary, Vocabulary) else self.vocabulary)

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP for all texts of one user, added or removed."""
        public = [Assumption("vocabulary")] + [Assumption("initial vectors")] * (self.initial is not None)
        return ApproxDP(self.epsilon, self.delta, unit="user", neighbours="add-remove").assuming(*public)

    @property
    def noise_multiplier(self) -> float:
        """σ: the smallest noise multiplier with which all steps together keep the promise."""
        return self.noisy_steps.noise_multiplier

    @cached_property
    def noisy_steps(self) -> NoisySteps:
        """Who is sampled, and the noise on a sum."""
        return NoisySteps(
            target=self.guarantee, steps=self.steps, rate=self.rate, clip=self.clip, accounting=self.accounting
        )

    def steps_within(self, epsilon: float) -> int:
        """How many steps a user may be sampled in for (``epsilon``, δ); 0 if not even one.

        >>> model = PrivateSkipGram(vocabulary=("tea", "cup"), epsilon=2.0, delta=1e-6, expected_users=100)
        >>> model.steps_within(2.0), model.steps_within(1.0)
        (200, 50)
        """
        positive("epsilon", epsilon)
        if epsilon >= self.epsilon:
            return self.steps
        account = Accountant(method=self.accounting, unit="user", neighbours="add-remove")

        def spent(steps: int) -> float:
            one = account.gaussian(self.noise_multiplier, sampling_rate=self.rate, count=steps)
            return one.epsilon(self.delta)

        return bisect_right(range(1, self.steps + 1), epsilon, key=spent)

    def fit(
        self, data: Any, *, budgets: Mapping[Hashable, float] | None = None, rng: Rng | None = None
    ) -> PrivateVectors:
        """Train on texts by user and return the vectors with their promise. Nothing about the texts is kept here."""
        vectors = self.release(data, budgets=budgets, rng=rng)
        return PrivateVectors(
            vocabulary=Vocabulary(words=self.words, vectors=vectors),
            guarantee=self.guarantee,
            noise_multiplier=self.noise_multiplier,
        )

    def release(self, data: Any, *, budgets: Mapping[Hashable, float] | None = None, rng: Rng | None = None) -> Floats:
        """The trained vectors, of shape (words, dimension).

        Parameters
        ----------
        data : mapping of user to list of texts, or sequence of lists of texts
            Everything that one person wrote stands under one user: that is what the promise is about.
        budgets : mapping of user to float, optional
            The ε of users who want less than that of the mechanism lost: the promise for them is (their ε, δ).
        """
        rng = resolve_rng(rng)
        users = UserPairs.of(self._users(data), {word: place for place, word in enumerate(self.words)}, self.window)
        last = self._last_steps(data, budgets)
        parameters = self._start(rng)
        pace = self.learning_rate / (self.rate * self.expected_users)
        for step in range(self.steps):
            chosen = np.flatnonzero(self.noisy_steps.sampled(len(users), rng) & (step < last))
            total = self.clipped_sum(parameters, users, chosen, rng)
            parameters = parameters - pace * self.noisy_steps.noisy(total, rng)
        return parameters[: len(self.words)].copy()

    def _last_steps(self, data: Any, budgets: Mapping[Hashable, float] | None) -> Integers:
        """Before which step each user leaves."""
        if not budgets:
            return np.full(len(data), self.steps)
        if not isinstance(budgets, Mapping) or not isinstance(data, Mapping) or not budgets.keys() <= data.keys():
            raise bad_input("budgets", type(budgets).__name__, "an ε for some users", "give data as a mapping too")
        for user, epsilon in budgets.items():
            if positive(f"budgets[{user!r}]", epsilon) > self.epsilon:
                raise bad_input(f"budgets[{user!r}]", epsilon, f"at most ε = {self.epsilon:g}", "raise epsilon")
        within = {epsilon: self.steps_within(epsilon) for epsilon in set(budgets.values())}
        return np.array([within[budgets[user]] if user in budgets else self.steps for user in data], np.int64)

    @cached_property
    def _grid(self) -> float:
        """The step of the grid of sums, a power of two."""
        return grid_step(self.clip, _SUM_BITS)

    def clipped_sum(self, parameters: Floats, users: UserPairs, chosen: Integers, rng: Rng) -> Floats:
        """Σ_u g_u·min(1, C/‖g_u‖) over the chosen users: all that a step learns from data.

        ``parameters`` has the vectors of the words and below them those of the contexts, shape (2·words, dimension).
        Only rows that a user touches are computed: one row a pair and word, added up by user and row, whose squares
        give the norms, and added up once more over users, in whole multiples of the grid.
        """
        pairs, owner = users.sample(chosen, self.pairs_per_user, rng)
        if len(pairs) == 0:
            return np.zeros_like(parameters)
        torch = extra("torch", "neural")
        size = len(self.words)
        negative = self._negatives[rng.integers(len(self._negatives), size=(len(pairs), self.negatives))]
        touched = torch.from_numpy(np.column_stack([pairs[:, 0], size + pairs[:, 1], size + negative]))
        table = torch.from_numpy(parameters)
        centre, others = table[touched[:, :1]].requires_grad_(), table[touched[:, 1:]].requires_grad_()
        score = (centre * others).sum(-1)
        sign = torch.ones(score.shape[1], dtype=score.dtype)
        sign[1:] = -1  # the first is the context that was there, the others are negatives
        gradients = torch.autograd.grad(torch.nn.functional.softplus(-sign * score).sum(), (centre, others))
        cells, place = torch.unique(torch.from_numpy(owner)[:, None] * (2 * size) + touched, return_inverse=True)
        by_user = torch.zeros(len(cells), self.dimension, dtype=torch.float64)
        for where, gradient in zip((place[:, :1], place[:, 1:]), gradients, strict=True):
            by_user.index_add_(0, where.reshape(-1), gradient.reshape(-1, self.dimension))
        who = cells // (2 * size)
        # In parts of the largest entry of each user no square over- or underflows. A gradient that is not finite adds
        # nothing: NaN would become −2⁶³ steps, and infinity times 0 is NaN.
        nothing = torch.zeros(len(chosen), dtype=torch.float64)
        largest = nothing.clone().scatter_reduce_(0, who, by_user.abs().amax(1), "amax")
        counts = torch.isfinite(largest) & (largest > 0)
        largest = torch.where(counts, largest, 1.0)
        scaled = torch.where(counts[who, None], by_user / largest[who, None], 0.0)
        norm = torch.sqrt(nothing.index_add(0, who, (scaled**2).sum(1)))
        length = torch.minimum(largest, self.clip * _MARGIN / torch.where(counts, norm, 1.0))
        whole = torch.trunc(scaled * length[who, None] / self._grid).to(torch.int64)  # towards zero: no norm grows
        total = torch.zeros(parameters.shape, dtype=torch.int64).index_add_(0, cells % (2 * size), whole)
        return total.numpy() * self._grid

    @cached_property
    def _negatives(self) -> Integers:
        """A list of word places from which a negative is drawn evenly: each as often as rank^(−3/4) asks for."""
        share = np.cumsum(np.arange(1, len(self.words) + 1) ** -0.75)
        size = max(1 << 16, 16 * len(self.words))
        return np.searchsorted(share, (np.arange(size) + 0.5) / size * share[-1])

    def _start(self, rng: Rng) -> Floats:
        if self.initial is not None:
            start = finite_array("initial", self.initial, ndim=2)
            return np.concatenate([start, start])
        return rng.normal(scale=self.dimension**-0.5, size=(2 * len(self.words), self.dimension))

    def _users(self, data: Any) -> list[list[str]]:
        if isinstance(data, Mapping):
            named = [(f"data[{user!r}]", texts) for user, texts in data.items()]
        elif isinstance(data, (list, tuple)):
            named = [(f"data[{place}]", texts) for place, texts in enumerate(data)]
        else:
            raise bad_input("data", type(data).__name__, "texts by user: a mapping or a list of lists of texts")
        users = [check_texts(texts, name) for name, texts in named]
        if isinstance(self.vocabulary, Vocabulary):
            warn_of_overlap([text for texts in users for text in texts], self.vocabulary.sources)
        return users
