"""What each kind of rewriting network learns, a batch of sentences at a time (Weggenmann §6.2–6.4)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.core.torch_run import neural_torch
from sfumato.text.mechanisms.rewrite.private_training import PrivateTraining
from sfumato.text.mechanisms.rewrite.rewriting_design import RewritingDesign
from sfumato.text.mechanisms.rewrite.rewriting_network import TOPIC_SCALE, into_ball, sentence_error

__all__ = ["Lesson", "Objective", "objective_of"]

_BALANCE = 1.0
_COMMITMENT = 0.25
_DROPPED_FEATURES = 0.3
_FOLDS = 5
_STRENGTHS = (1.0, 10.0, 100.0)
_FASTER = 10.0
"""The judge of labels is linear, starts at 0 and sees each word rarely: it takes longer steps."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson:
    """Sentences to learn from, the document of each, and what is known of the documents."""

    sentences: NDArray[np.int64]
    owners: NDArray[np.int64]
    labels: NDArray[np.int64] | None = None
    authors: NDArray[np.int64] | None = None
    content: NDArray[np.int64] | None = None
    documents: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]] = ()
    idf: NDArray[np.float32] | None = None


class Objective(ABC):
    """One step of training at a time, with an optimiser that can be kept and loaded again."""

    def __init__(self, network: Any, lesson: Lesson, plan: Any, design: RewritingDesign) -> None:
        self.torch = neural_torch()
        self.network, self.lesson, self.plan, self.design = network, lesson, plan, design
        self.optimisers = self.make_optimisers()
        self.network.train()

    def make_optimisers(self) -> list[Any]:
        """The optimisers, that of the network first."""
        return [self.torch.optim.Adam(self.network.parameters(), lr=self.plan.rate)]

    @abstractmethod
    def error(self, rows: NDArray[np.int64], part: float) -> Any:
        """What is minimised for the sentences of a batch; ``part`` is the share of the training that is done."""

    def step(self, rows: NDArray[np.int64], *, part: float) -> float:
        """Take a step; the error before it."""
        error = self.error(rows, part)
        self.optimisers[0].zero_grad()
        error.backward()
        self.torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimisers[0].step()
        return float(error.detach())

    def private_step(
        self, texts: Sequence[NDArray[np.int64]], private: PrivateTraining, *, part: float, rng: Rng
    ) -> None:
        """Take a step that follows the noisy mean of the clipped gradients of texts, each given by its rows."""
        weights = list(self.network.parameters())
        size = sum(one.numel() for one in weights)
        gradients = self.text_gradients(texts, part=part, rng=rng)
        mean = private.noisy_mean(gradients, size, rng).astype(np.float32)
        for one, own in zip(weights, self.tensor(mean).split([w.numel() for w in weights]), strict=True):
            one.grad = own.reshape(one.shape)
        self.optimisers[0].step()

    def text_gradients(
        self, texts: Iterable[NDArray[np.int64]], *, part: float, rng: Rng
    ) -> Iterator[NDArray[np.float32]]:
        """The gradient of the error of each text, given by its rows, over all weights."""
        weights = list(self.network.parameters())
        for rows in texts:
            # What is left out of a text by chance is drawn for it alone. In one stream for all, a text more would
            # change what is drawn for those after it, and with it their gradients.
            self.torch.manual_seed(int(rng.integers(2**62)))
            found = self.torch.autograd.grad(self.error(rows, part), weights, allow_unused=True)
            parts = [
                self.torch.zeros_like(w).flatten() if g is None else g.flatten()
                for g, w in zip(found, weights, strict=True)
            ]
            yield self.torch.cat(parts).cpu().numpy()

    def finish(self) -> None:  # noqa: B027
        """What is learned after the last epoch, from all texts at once; mostly nothing."""

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, besides the network."""
        return {"optimisers": [one.state_dict() for one in self.optimisers]}

    def load(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        for one, held in zip(self.optimisers, state["optimisers"], strict=True):
            one.load_state_dict(held)

    def ids(self, rows: NDArray[np.int64]) -> Any:
        """The sentences of a batch."""
        return self.tensor(self.lesson.sentences[rows])

    def tensor(self, array: NDArray[Any]) -> Any:
        """An array where the network is."""
        return self.torch.from_numpy(array).to(self.plan.device)

    def unbounded(self, states: Any, part: float) -> tuple[Any, Any]:
        """A draw from the Gaussian of the content, and ½Σ(σ² + μ² − ln σ² − 1) with its weight so far."""
        mean, log_variance = self.network.mean(states), self.network.spread(states)
        drawn = mean + (0.5 * log_variance).exp() * self.torch.randn_like(mean)
        divergence = 0.5 * (log_variance.exp() + mean**2 - log_variance - 1).sum(-1).mean()
        return drawn, self.plan.divergence * min(1.0, 2 * part) * divergence


class PlainObjective(Objective):
    """The evidence bound of a Gaussian auto-encoder; the weight of the divergence grows."""

    def error(self, rows: NDArray[np.int64], part: float) -> Any:
        ids = self.ids(rows)
        latent, divergence = self.unbounded(self.network.read(ids), part)
        return sentence_error(self.network, latent, ids, dropout=self.plan.dropout) + divergence


class BoundedObjective(Objective):
    """Reconstruction from R·tanh*(μ) + σ·N: the squashing is part of what is learned."""

    def error(self, rows: NDArray[np.int64], part: float) -> Any:
        ids = self.ids(rows)
        mean = into_ball(self.network.mean(self.network.read(ids)), self.design.radius)
        latent = mean + self.plan.sigma * self.torch.randn_like(mean)
        return sentence_error(self.network, latent, ids, dropout=self.plan.dropout)


class SplitObjective(Objective):
    """Content in one part and author in the other, by motivators and against discriminators (Weggenmann §6.4.2).

    The network is rewarded for what each part tells of its own (motivators) and for what a discriminator cannot tell
    from the other part. That reward is the discriminator's cross-entropy, capped at what guessing would cost: without
    the cap it has no bound, and being confidently wrong would pay.
    """

    def __init__(self, network: Any, lesson: Lesson, plan: Any, design: RewritingDesign) -> None:
        nn = neural_torch().nn
        assert lesson.content is not None
        assert lesson.authors is not None
        words, people = len(lesson.content), len(design.authors)
        self.motivators = nn.ModuleList([nn.Linear(design.size, words), nn.Linear(design.author_size, people)])
        self.discriminators = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(size, design.hidden), nn.ReLU(), nn.Linear(design.hidden, out))
                for size, out in ((design.author_size, words), (design.size, people))
            ]
        )
        for nets in (self.motivators, self.discriminators):
            nets.to(plan.device)
        shares = np.bincount(lesson.authors, minlength=people) / len(lesson.authors)
        shares = shares[shares > 0]
        self.guessing = (math.log(max(2, words)), float(-(shares * np.log(shares)).sum()))
        super().__init__(network, lesson, plan, design)

    def make_optimisers(self) -> list[Any]:
        learned = [*self.network.parameters(), *self.motivators.parameters()]
        return [
            self.torch.optim.Adam(learned, lr=self.plan.rate),
            self.torch.optim.RMSprop(self.discriminators.parameters(), lr=self.plan.rate),
        ]

    def state(self) -> dict[str, Any]:
        nets = [self.motivators.state_dict(), self.discriminators.state_dict()]
        return {**super().state(), "nets": nets}

    def load(self, state: dict[str, Any]) -> None:
        super().load(state)
        self.motivators.load_state_dict(state["nets"][0])
        self.discriminators.load_state_dict(state["nets"][1])

    def error(self, rows: NDArray[np.int64], part: float) -> Any:
        ids, lesson = self.ids(rows), self.lesson
        assert lesson.authors is not None
        states = self.network.read(ids)
        content, divergence = self.unbounded(states, part)
        mean = into_ball(self.network.author_mean(states), self.design.radius)
        author = mean + self.plan.sigma * self.torch.randn_like(mean)
        who = self.tensor(lesson.authors[lesson.owners[rows]])
        words = self.bags(ids)
        errors = self._discriminate(author.detach(), content.detach(), words, who)
        self.optimisers[1].zero_grad()
        sum(errors).backward()
        self.optimisers[1].step()
        fooled = self._discriminate(author, content, words, who)
        hidden = sum(error.clamp_max(most) / most for error, most in zip(fooled, self.guessing, strict=True))
        cross = self.torch.nn.functional.cross_entropy
        told = _bag_error(self.torch, self.motivators[0](content), words) + cross(self.motivators[1](author), who)
        wanted = sentence_error(self.network, self.torch.cat([content, author], -1), ids, dropout=self.plan.dropout)
        return wanted + divergence + self.plan.keep * told - self.plan.hide * hidden

    def bags(self, ids: Any) -> Any:
        """The share of each content word in each sentence."""
        assert self.lesson.content is not None
        size = int(self.lesson.content.max()) + 1
        counts = self.torch.zeros(len(ids), max(size, int(ids.max()) + 1), device=ids.device)
        counts.scatter_add_(1, ids, self.torch.ones_like(ids, dtype=counts.dtype))
        own = counts[:, self.tensor(self.lesson.content)]
        return own / own.sum(1, keepdim=True).clamp_min(1.0)

    def _discriminate(self, author: Any, content: Any, words: Any, who: Any) -> list[Any]:
        cross = self.torch.nn.functional.cross_entropy
        return [
            _bag_error(self.torch, self.discriminators[0](author), words),
            cross(self.discriminators[1](content), who),
        ]


def _bag_error(torch: Any, scores: Any, shares: Any) -> Any:
    return -(shares * torch.log_softmax(scores, -1)).sum(-1).mean()


class CodeObjective(Objective):
    """A document as a label and one of a few topics; from these its sentences are written.

    The label is learned from the public labels (the task head), the topics as a vector quantiser: the point of a
    document moves to its nearest centre, the centre to the points, and all centres are to be used alike.
    """

    def make_optimisers(self) -> list[Any]:
        judge = [*self.network.judge.parameters()]
        others = [one for name, one in self.network.named_parameters() if not name.startswith("judge.")]
        groups = [{"params": others}, {"params": judge, "lr": _FASTER * self.plan.rate}]
        return [self.torch.optim.Adam(groups, lr=self.plan.rate)]

    def error(self, rows: NDArray[np.int64], part: float) -> Any:
        torch, lesson = self.torch, self.lesson
        assert lesson.labels is not None
        owners, own = np.unique(lesson.owners[rows], return_inverse=True)
        chosen = [lesson.documents[k] for k in owners.tolist()]
        starts = self.tensor(np.cumsum([0] + [len(places) for places, _ in chosen[:-1]]))
        places = self.tensor(np.concatenate([places for places, _ in chosen]))
        weights = self.tensor(np.concatenate([weights for _, weights in chosen]))
        kept = (torch.rand_like(weights) > _DROPPED_FEATURES) / (1 - _DROPPED_FEATURES)
        scores, point = self.network.features(places, weights * kept, starts)
        labels = self.tensor(lesson.labels[owners])
        centres = self.network.topic_points()
        near = point @ centres.T
        topic = near.argmax(-1)
        found = centres[topic]
        shares = torch.softmax(TOPIC_SCALE * near, -1).mean(0)
        balance = (shares * (shares * len(shares)).log()).sum()
        through = point + (found - point).detach() if self.design.topics > 1 else found
        latent = self.network.label_vectors[labels] + through
        ids = self.ids(rows)
        written = sentence_error(self.network, latent[self.tensor(own)], ids, dropout=self.plan.dropout)
        drawn = ((point.detach() - found) ** 2).sum(-1).mean() + _COMMITMENT * ((point - found.detach()) ** 2).sum(
            -1
        ).mean()
        error = written + drawn + _BALANCE * balance
        if lesson.idf is None:  # private training: the judge has no other way to learn
            error = error + self.plan.keep * torch.nn.functional.cross_entropy(4 * scores, labels)
        return error

    def finish(self) -> None:
        """The judge anew, by logistic regression to its optimum: it is linear, and a few epochs leave it short.

        How much it is held back is chosen by cross-validation on the same public texts.
        """
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

        documents, labels = self.lesson.documents, self.lesson.labels
        assert labels is not None
        if len(set(labels.tolist())) < len(self.design.labels):
            return
        words = self.network.bag.num_embeddings
        kept = [(places[places >= words] - words, weights[places >= words]) for places, weights in documents]
        ends = np.cumsum([0] + [len(places) for places, _ in kept])
        places, weights = (np.concatenate([one[k] for one in kept]) for k in range(2))
        points = csr_matrix((weights, places, ends), shape=(len(kept), self.network.judge.num_embeddings))
        model = LogisticRegression(C=10.0, tol=1e-4, max_iter=1000, fit_intercept=False, class_weight="balanced")
        if np.bincount(labels).min() >= _FOLDS:
            parts = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
            search = GridSearchCV(model, {"C": _STRENGTHS}, scoring="balanced_accuracy", cv=parts)
            model = search.fit(points, labels).best_estimator_
        else:
            model.fit(points, labels)
        found = model.coef_
        found = np.vstack([-found, found]) if len(found) == 1 else found
        with self.torch.no_grad():
            self.network.judge.weight.copy_(self.torch.from_numpy(found.T.astype(np.float32)))


_OBJECTIVES: dict[str, type[Objective]] = {
    "plain": PlainObjective,
    "bounded": BoundedObjective,
    "split": SplitObjective,
    "code": CodeObjective,
}


def objective_of(design: RewritingDesign, network: Any, lesson: Lesson, plan: Any) -> Objective:
    """What a design learns."""
    return _OBJECTIVES[design.latent](network, lesson, plan, design)
