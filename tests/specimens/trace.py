"""Published mistakes about traces that the auditor must catch."""

from __future__ import annotations

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.trace import RBF, Secret, SecretChannel, TraceNoise, White, covariance, renyi_epsilon
from sfumato.trace.core.privacy_loss import printed_loss

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
