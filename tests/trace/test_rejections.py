"""What secrets, kernels, mechanisms, traces and intervals refuse."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import (
    RBF,
    GpsTrace,
    Periodic,
    Secret,
    SecretChannel,
    TraceNoise,
    all_basic,
    covariance,
)
from sfumato.trace.core.conditional import condition
from sfumato.trace.core.hidden_times import parse_interval
from sfumato.trace.core.kernel import check_covariance

TIMES = np.arange(50.0)
BASIC = Secret((24,))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Secret(()),
        lambda: Secret((1, 1)),
        lambda: Secret((-1,)),
        lambda: Secret((60,)).within(50),
        lambda: Secret(tuple(range(50))).within(50),
        lambda: covariance(RBF(length=1.0), [0.0, 0.0, 1.0]),
        lambda: covariance(RBF(length=1.0), [1.0, 0.0]),
        lambda: covariance(RBF(length=1.0), [0.0]),
        lambda: check_covariance([[1.0, 2.0], [2.0, 1.0]]),
        lambda: check_covariance([[1.0, 0.5], [0.2, 1.0]]),
        lambda: condition(covariance(Periodic(length=1.0, period=24.0), np.arange(48.0)), np.array([3, 27])),
        lambda: RBF(length=0.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0, error=0.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[], radius=1.0, error=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=-1.0, error=1.0),
        lambda: TraceNoise(prior=RBF(length=1.0), times=TIMES, secrets=[BASIC], radius=1.0, error=1.0, order=1.0),
        lambda: TraceNoise(
            prior=RBF(length=1.0), times=TIMES, secrets=all_basic(50)[:2], radius=1.0, error=1.0, design="block"
        ).covariance,
        lambda: GpsTrace(np.array([0.0]), np.array([1.0]), np.array([1.0])),
        lambda: GpsTrace(np.array([0.0, 0.0]), np.zeros(2), np.zeros(2)),
        lambda: GpsTrace(np.array([1.0, 0.0]), np.zeros(2), np.zeros(2)),
        lambda: GpsTrace(np.array([0.0, 1.0]), np.array([91.0, 0.0]), np.zeros(2)),
        lambda: GpsTrace(np.array([0.0, 1.0]), np.zeros(2), np.array([181.0, 0.0])),
        lambda: parse_interval("noon", 0.0),
        lambda: parse_interval("12:00-12:30", 0.0, "Nowhere/Town"),
        lambda: parse_interval("13:00-12:00", 0.0),
        lambda: parse_interval("2024-02-30 12:00-12:30", 0.0),
        lambda: parse_interval("2024-02-03 noon", 0.0),
        lambda: parse_interval("2024-02-03", 0.0),
        lambda: Secret.during([0.0, 1.0], 5.0, 6.0),
    ],
)  # fmt: skip
def test_rejections(make):
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize("secret", [[], [0.0, 1.0], [[0.0]], [np.nan]])
def test_the_audited_channel_takes_one_number_for_each_secret_time(secret):
    noise = TraceNoise(prior=RBF(length=2.0), times=TIMES, secrets=[BASIC], radius=1.0, error=1.0, design="uniform")
    channel = SecretChannel(noise=noise, secret=BASIC)
    with pytest.raises(InputError):
        channel.release(secret)
    with pytest.raises(InputError):
        channel.log_density(np.zeros((1, len(TIMES))), secret)
