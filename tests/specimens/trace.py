"""Published mistakes about traces that the auditor must catch."""

from __future__ import annotations

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.trace import (
    RBF,
    HiddenPlace,
    LowRankNoise,
    PlaceNoise,
    Secret,
    SecretChannel,
    TraceNoise,
    White,
    covariance,
    renyi_epsilon,
)
from sfumato.trace.core.privacy_loss import printed_loss
from sfumato.trace.secret_channel import PlaceChannel

_TIMES = np.arange(2.0)
_SECRET = Secret((0,))


class _Opposed(TraceNoise):
    """Noise of correlation −.99 between the secret and a point that follows it: eq. 5.5 does not see it."""

    @property
    def covariance(self) -> np.ndarray:
        return 0.5 * np.array([[1.0, -0.99], [-0.99, 1.0]])


def _claim() -> SecretChannel:
    noise = _Opposed(
        prior=RBF(length=22.36) + White(variance=1e-9), times=_TIMES, secrets=(_SECRET,), radius=0.2, error=0.7
    )
    prior = covariance(noise.prior, _TIMES)
    claimed = renyi_epsilon(printed_loss(prior, noise.covariance, _SECRET), secret=_SECRET, radius=0.2, order=2.0)
    return SecretChannel(noise=noise, secret=_SECRET, claimed=claimed)


CASES = [
    AuditCase(
        mechanism=_claim(),
        name="eq. 5.5 on correlated noise",
        pairs=[(np.zeros(1), np.full(1, 0.2))],
        expected="broken",
        source="Meehan, Thm 5.3.3 without its block condition (E16)",
    )
]


class _Shifted(PlaceNoise):
    """One shift for all points of a stay, none elsewhere: clean for the stay itself, and its neighbours betray it."""

    @property
    def noise(self) -> LowRankNoise:
        there = self.places[0].during(self.times).astype(float)
        return LowRankNoise(1.0, 200.0 * there[:, None])


class _PointByPoint(PlaceNoise):
    """Noise of 200 m on each point of a stay, drawn afresh: the stay averages it out."""

    @property
    def noise(self) -> LowRankNoise:
        return LowRankNoise(200.0**2, np.zeros((len(self.times), 1)))


_MINUTES = np.arange(0.0, 1201.0, 60.0)
_STAY = HiddenPlace(((360.0, 840.0),))
CASES += [
    AuditCase(
        mechanism=PlaceChannel(noise=kind(places=[_STAY], times=_MINUTES, epsilon=1.0), which=3, claimed=1.0),
        name=name,
        pairs=[(np.zeros(1), np.full(1, 200.0))],
        expected="broken",
        source="addenda §3: what hides a stay alone or point by point",
        same_kind=False,
    )
    for kind, name in ((_Shifted, "one shift for a stay"), (_PointByPoint, "a stay point by point"))
]
