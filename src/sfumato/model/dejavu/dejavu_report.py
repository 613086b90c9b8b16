"""The déjà vu score: what the model that saw an image knows of it beyond the one that did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.dejavu.label_inference import LabelInference
from sfumato.noise import Rng, seeded_rng
from sfumato.study.score import Score

__all__ = ["DejaVuReport", "Partition", "Role", "compare_models"]


class Partition(NamedTuple):
    """Shares of the tested images by whether the model that saw them, and the one that did not, are right.

    Only the first right: memorised; only the second: misrepresented; both: correlated; neither: unassociated.
    """

    memorised: float
    misrepresented: float
    correlated: float
    unassociated: float

    @property
    def surely_memorised(self) -> float:
        """Memorised − misrepresented: luck is as frequent in both."""
        return self.memorised - self.misrepresented


@dataclass(frozen=True, kw_only=True, eq=False)
class Role:
    """One model as the target that saw the images, the other as the reference that did not."""

    target: LabelInference
    reference: LabelInference
    labels: NDArray[np.int64]

    def __post_init__(self) -> None:
        sizes = {len(self.target.predicted), len(self.reference.predicted), len(self.labels)}
        if len(sizes) > 1 or not len(self.labels):
            raise bad_input("labels", len(self.labels), "one for each tested image, both models on the same images")

    def score(self, share: float = 1.0) -> float:
        """Accuracy of the target minus that of the reference, each on the images that it is most confident about."""
        return self.target.accuracy(self.labels, share) - self.reference.accuracy(self.labels, share)

    @property
    def partition(self) -> Partition:
        """The four kinds of images."""
        first, second = self.target.predicted == self.labels, self.reference.predicted == self.labels
        kinds = (first & ~second, ~first & second, first & second, ~first & ~second)
        return Partition(*(float(kind.mean()) for kind in kinds))

    @property
    def gains(self) -> NDArray[np.int64]:
        """For each image 1 if only the target is right, −1 if only the reference is, otherwise 0."""
        return (self.target.predicted == self.labels).astype(int) - (self.reference.predicted == self.labels)

    def most_memorised(self, count: int = 10) -> NDArray[np.int64]:
        """Memorised images, those first where the target is most confident beyond the reference."""
        return self._top(self.gains == 1, self.target.confidence - self.reference.confidence, count)

    def most_correlated(self, count: int = 10) -> NDArray[np.int64]:
        """Images that both models know, those first about which the less confident one is most confident."""
        both = (self.target.predicted == self.labels) & (self.reference.predicted == self.labels)
        return self._top(both, np.minimum(self.target.confidence, self.reference.confidence), count)

    def _top(self, among: NDArray[np.bool_], score: NDArray[np.float64], count: int) -> NDArray[np.int64]:
        order = np.argsort(-score, kind="stable")
        return order[among[order]][:count]

    def worst_classes(self) -> list[tuple[int, float]]:
        """Classes with the difference of the two accuracies, largest first."""
        gaps = {int(kind): float(self.gains[self.labels == kind].mean()) for kind in np.unique(self.labels)}
        return sorted(gaps.items(), key=lambda one: (-one[1], one[0]))


@dataclass(frozen=True, kw_only=True, eq=False)
class DejaVuReport:
    """The score in both roles, with an interval.

    Parameters
    ----------
    roles : tuple of two Role
        Model A as target on images only A saw, and model B on images only B saw.
    interval : Score
        The mean score over all images of both roles with its paired bootstrap interval.
    """

    roles: tuple[Role, Role]
    interval: Score

    def score(self, share: float = 1.0) -> float:
        """The mean of both roles among the most confident images."""
        return (self.roles[0].score(share) + self.roles[1].score(share)) / 2

    @property
    def role_scores(self) -> tuple[float, float]:
        """The score over all images in each role."""
        return self.roles[0].score(), self.roles[1].score()

    def curve(self, shares: ArrayLike = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)) -> list[tuple[float, float, float]]:
        """For each share: accuracy of the target and of the reference, means of both roles."""
        return [
            (
                float(share),
                float(np.mean([role.target.accuracy(role.labels, share) for role in self.roles])),
                float(np.mean([role.reference.accuracy(role.labels, share) for role in self.roles])),
            )
            for share in np.asarray(shares, float).tolist()
        ]

    @property
    def partition(self) -> Partition:
        """The mean of both roles."""
        return Partition(*np.mean([role.partition for role in self.roles], axis=0).tolist())

    @property
    def memorises(self) -> bool:
        """Whether both roles are above 0 and the interval of the mean excludes 0."""
        return all(role.score() > 0 for role in self.roles) and bool(self.interval.low > 0)


def compare_models(
    first: Role, second: Role, *, draws: int = 2_000, level: float = 0.95, rng: Rng | None = None
) -> DejaVuReport:
    """The déjà vu score of two models trained alike on different images (Meehan 2023, §1.4.1).

    Parameters
    ----------
    first, second : Role
        A as target and B as reference on the images that only A saw, and the other way round.
    draws : int
        Of the bootstrap: images are drawn again in pairs of predictions, so that what both models share cancels.
    """
    generator = seeded_rng(0) if rng is None else rng
    means = np.zeros(draws)
    for role in (first, second):
        gains = role.gains
        counts = generator.multinomial(len(gains), [np.mean(gains == g) for g in (-1, 0, 1)], size=draws)
        means += (counts[:, 2] - counts[:, 0]) / len(gains) / 2
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    value = (first.score() + second.score()) / 2
    return DejaVuReport(roles=(first, second), interval=Score(value, min(low, value), max(high, value), 0.0))
