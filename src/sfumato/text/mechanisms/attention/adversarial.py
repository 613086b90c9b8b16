"""Attention that learns to hide: noise placed against an attacker who learns along (Fischer §10; Feutry and others)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.noise import Rng, resolve_rng
from sfumato.text.core.torch_run import neural_torch, shuffled, torch_run
from sfumato.text.mechanisms.attention.identificator import BATCH, Identificator, build_classifier, prepared
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import integer, positive

__all__ = ["train_adversarially"]


def train_adversarially(
    texts: Sequence[str],
    authors: Sequence[str],
    *,
    vocabulary: Vocabulary,
    epsilon: float,
    hide: float = 1.0,
    longest: int = 70,
    epochs: int = 10,
    rate: float = 3e-3,
    heads: int = 1,
    rng: Rng | None = None,
) -> Identificator:
    """Train attention so that noise A⊙Z/ε hides the author at a small distance. Needs PyTorch. It promises nothing.

    The Anonymizer of the thesis never makes naming harder: it only lowers the distance. Here each batch takes three
    steps: an attacker learns to name authors from the noisy matrices, the head of the classifier learns from the raw
    ones, and attention lowers ::

        ε·E‖A⊙Z/ε‖₂ + hide·max(0, H − CE)/H

    where CE is the attacker's cross-entropy and H the entropy of the authors. H − CE bounds the information that the
    attacker found from below; below 0 nothing more is won, so that being confidently wrong does not pay. Judge the
    result by a *fresh* attacker: the one trained along was fooled by construction.

    The attention depends on the text. Use its mean over public texts (:func:`public_attention`) with
    :class:`AttentionNoise` for a promise.

    Parameters
    ----------
    epsilon : float
        Of the noise while learning; not a privacy level.
    hide : float
        How much hiding counts beside the distance, whose least value is about √(2/m).

    Examples
    --------
    >>> words = Vocabulary(words=("cat", "dog"), vectors=[[1.0, 0.0], [0.0, 1.0]])
    >>> made = train_adversarially(["cat cat", "dog dog"] * 8, ["ann", "bob"] * 8, vocabulary=words, epsilon=1.0)
    >>> made.authors
    ('ann', 'bob')
    """
    torch = neural_torch()
    positive("epsilon", epsilon), positive("hide", hide, zero=True), integer("epochs", epochs), positive("rate", rate)
    generator = resolve_rng(rng)
    with torch_run(generator):
        made, points, mask, who = prepared(
            texts, authors, vocabulary=vocabulary, longest=longest, heads=heads, attend=True
        )
        network = made.network
        attacker = build_classifier(vocabulary.dimension, longest, len(made.authors), heads, attend=True)
        attention = [network.query, network.key, network.value, network.output]
        held = {id(one) for one in attention}
        head = [one for one in network.parameters() if id(one) not in held]
        shares = np.bincount(who.numpy()) / len(who)
        guessing = float(-(shares * np.log(shares)).sum())
        blur, name, guess = (
            torch.optim.Adam(weights, lr=rate) for weights in (attention, head, list(attacker.parameters()))
        )
        cross = torch.nn.functional.cross_entropy
        network.train(), attacker.train()
        for _ in range(epochs):
            for rows in shuffled(len(points), BATCH, generator):
                chosen = torch.from_numpy(rows)
                x, seen, own = points[chosen], mask[chosen], who[chosen]
                scores, added = network(x, seen)
                noise = torch.softmax(added, -1) * torch.distributions.Laplace(0.0, 1 / epsilon).sample(added.shape)
                noisy = (x + noise) * seen.unsqueeze(-1)
                guess.zero_grad()
                cross(attacker(noisy.detach(), seen)[0], own).backward()
                guess.step()
                name.zero_grad()
                cross(scores, own).backward(inputs=head, retain_graph=True)
                name.step()
                moved = ((noise**2).sum(-1) + 1e-12).sqrt()[seen].mean()
                found = (guessing - cross(attacker(noisy, seen)[0], own)).clamp_min(0.0) / guessing
                blur.zero_grad()
                (epsilon * moved + hide * found).backward(inputs=attention)
                blur.step()
        network.eval().requires_grad_(False)
    return made
