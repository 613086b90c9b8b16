"""A representation that keeps what is wanted and hides who it is, learned against an adversary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.core.learning import batches, require_torch, seeded_torch
from sfumato.model.core.nearest import points
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.study.score import Score
from sfumato.validate import integer, positive, probability

__all__ = [
    "AdversarialEncoder",
    "class_labels",
    "entropy_of",
    "error_bound",
    "fresh_adversary",
    "train_adversarial_encoder",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class AdversarialEncoder:
    """A trained encoder; its codes promise nothing."""

    network: Any
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]

    @property
    def guarantee(self) -> NoGuarantee:
        """None: it is deterministic, and was judged by the adversaries that were tried."""
        return NoGuarantee("a learned representation hides only from the adversaries it was trained and tried against")

    def encode(self, rows: ArrayLike) -> NDArray[np.float64]:
        """The codes of rows."""
        torch = require_torch()
        known = points("rows", rows, dimension=len(self.centre))
        with torch.no_grad():
            scaled = torch.from_numpy(((known - self.centre) / self.spread).astype(np.float32))
            return np.asarray(self.network(scaled).numpy(), float)


def train_adversarial_encoder(
    rows: ArrayLike,
    wanted: ArrayLike,
    secret: ArrayLike,
    *,
    weight: float = 1.0,
    dimension: int | None = 16,
    distortion: float = 0.0,
    hidden: int = 64,
    epochs: int = 20,
    batch: int = 64,
    rate: float = 1e-3,
    rng: Rng | None = None,
) -> AdversarialEncoder:
    """Learn codes that tell ``wanted`` and not ``secret`` (Fischer 2021, §2.4.2 and §2.4.4). Needs PyTorch.

    The encoder minimises CE_wanted + λ·max(0, H(secret) − CE_secret) + distortion·MSE. H − CE of the current adversary
    is a lower bound on the mutual information of code and secret, tight for the best adversary; the clamp keeps the
    encoder from being rewarded for an adversary that is confidently wrong. Encoder with the branch of ``wanted`` come
    first, then the adversary alone, then both in turn.

    Parameters
    ----------
    wanted, secret : array of int
        Labels from 0.
    weight : float
        λ: more hides more and keeps less.
    dimension : int, optional
        Of the code; None for codes like the rows themselves, as an anonymising auto-encoder makes them.
    distortion : float
        With ``dimension=None``: the weight of the squared distance between code and (standardised) row.
    """
    data = points("rows", rows)
    labels = [class_labels(name, value, len(data)) for name, value in (("wanted", wanted), ("secret", secret))]
    positive("weight", weight, zero=True)
    positive("distortion", distortion, zero=True)
    if distortion and dimension is not None:
        raise bad_input("distortion", distortion, "dimension=None with it", "a code of another size has no distance")
    out = data.shape[1] if dimension is None else integer("dimension", dimension)
    integer("epochs", epochs)
    spread = data.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    centre = data.mean(axis=0)
    entropy = entropy_of(labels[1])
    with seeded_torch(rng) as torch:
        nn = torch.nn
        encoder = nn.Sequential(nn.Linear(data.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, out))
        keeper, adversary = (_branch(nn, out, hidden, int(part.max()) + 1) for part in labels)
        x = torch.from_numpy(((data - centre) / spread).astype(np.float32))
        y, z = (torch.from_numpy(part) for part in labels)
        cross = nn.functional.cross_entropy
        kept = torch.optim.Adam([*encoder.parameters(), *keeper.parameters()], lr=rate)
        hunt = torch.optim.Adam(adversary.parameters(), lr=rate)
        for stage in ("keep", "hunt", "both"):
            for _ in range(epochs):
                for chosen in batches(torch, len(x), batch):
                    part, code = x[chosen], encoder(x[chosen])
                    if stage != "keep":
                        hunted = cross(adversary(code.detach()), z[chosen])
                        hunt.zero_grad()
                        hunted.backward()
                        hunt.step()
                    if stage != "hunt":
                        error = cross(keeper(code), y[chosen])
                        if distortion:
                            error = error + distortion * ((code - part) ** 2).mean()
                        if stage == "both":
                            error = error + weight * torch.relu(entropy - cross(adversary(code), z[chosen]))
                        kept.zero_grad()
                        error.backward()
                        kept.step()
        return AdversarialEncoder(network=encoder.eval(), centre=centre, spread=spread)


def entropy_of(labels: NDArray[np.int64]) -> float:
    """H of the label of a random row, in nats."""
    shares = np.bincount(labels) / len(labels)
    return -float((shares[shares > 0] * np.log(shares[shares > 0])).sum())


def class_labels(name: str, value: ArrayLike, count: int) -> NDArray[np.int64]:
    """Labels from 0, one for each row."""
    labels = np.asarray(value)
    if labels.shape != (count,) or labels.dtype.kind not in "iu" or labels.min() < 0:
        raise bad_input(name, labels.shape, f"{count} whole numbers from 0, one for each row")
    return labels.astype(np.int64)


def _branch(nn: Any, width: int, hidden: int, classes: int) -> Any:
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, classes))


def fresh_adversary(
    codes: ArrayLike, labels: ArrayLike, other_codes: ArrayLike, other_labels: ArrayLike, *, seed: int = 0
) -> Score:
    """How often an adversary trained from nothing on codes names the label of other codes; the better of two learners.

    The adversary that an encoder was trained against says nothing: it was beaten. Chance is always naming the most
    frequent label.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    known, asked = points("codes", codes), points("other_codes", other_codes)
    kinds, true = class_labels("labels", labels, len(known)), class_labels("other_labels", other_labels, len(asked))
    centre, spread = known.mean(axis=0), known.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    scaled, other = (known - centre) / scale, (asked - centre) / scale
    learners = (
        LogisticRegression(max_iter=1_000, tol=1e-4),
        RandomForestClassifier(n_estimators=100, n_jobs=1, random_state=seed),
    )
    found = [learner.fit(scaled, kinds).predict(other) == true for learner in learners]
    chance = float((true == np.bincount(kinds).argmax()).mean())
    return Score.of_share(max(found, key=lambda right: right.mean()), chance)


def error_bound(information: float, classes: int) -> float:
    """Fano: nobody names one of ``classes`` equally likely secrets with an error below 1 − (I + ln 2)/ln |Z|.

    >>> round(error_bound(0.0, 24), 3), error_bound(3.0, 24)
    (0.782, 0.0)
    """
    positive("information", information, zero=True)
    integer("classes", classes, least=2)
    bound = 1 - (information + math.log(2)) / math.log(classes)
    return probability("error", max(0.0, bound), zero=True)
