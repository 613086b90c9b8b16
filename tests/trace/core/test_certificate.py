"""The certificate against sixty digits: never below the true κ, and hardly above."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from sfumato.trace import RBF, Periodic, Secret, TraceNoise, covariance
from sfumato.trace.core.conditional import condition
from sfumato.trace.core.privacy_loss import certified_loss, conditional_loss
from sfumato.trace.designs.closed_form import concentrated, optimal_basic, uniform
from sfumato.trace.designs.published_program import published


def true_loss(kernel, n, inside, noise):
    """κ in sixty digits, from the kernel on."""
    with mpmath.workdps(60):
        others = [i for i in range(n) if i not in inside]
        prior = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(n):
                prior[i, j] = kernel(i - j)
        pick = lambda rows, columns: mpmath.matrix([[prior[i, j] for j in columns] for i in rows])  # noqa: E731
        weights = pick(others, inside) * pick(inside, inside) ** -1
        rest = pick(others, others) - weights * pick(inside, others)
        spread, lift = mpmath.matrix(noise.tolist()), mpmath.matrix(n, len(inside))
        for a, i in enumerate(others):
            for b, j in enumerate(others):
                spread[i, j] += rest[a, b]
            for b in range(len(inside)):
                lift[i, b] = weights[a, b]
        for b, i in enumerate(inside):
            lift[i, b] = 1
        losses = lift.T * (spread**-1 * lift)
        return float(max(mpmath.eigsy((losses + losses.T) / 2, eigvals_only=True)))


def rbf(length):
    return RBF(length=length), lambda lag: mpmath.exp(-(mpmath.mpf(lag) ** 2) / (2 * mpmath.mpf(length) ** 2))


def daily(length):
    return (
        Periodic(length=length, period=16.0),
        lambda lag: mpmath.exp(-2 * mpmath.sin(mpmath.pi * lag / 16) ** 2 / mpmath.mpf(length) ** 2),
    )


@pytest.mark.parametrize(
    ("kernels", "inside", "design"),
    [
        (rbf(1.0), [7], optimal_basic),
        (rbf(6.0), [7], optimal_basic),
        (rbf(10.0), [7, 8], lambda prior, secret, budget: uniform(len(prior), budget)),
        (rbf(2.0), [7, 8], lambda prior, secret, budget: published(prior, secret, budget) + 1e-8 * np.eye(len(prior))),
        (daily(1.1), [3, 9], lambda prior, secret, budget: uniform(len(prior), budget)),
    ],
)
def test_certificate_lies_just_above_the_truth(kernels, inside, design):
    kernel, exact = kernels
    n = 16
    prior, secret = covariance(kernel, np.arange(float(n))), Secret(tuple(inside))
    noise = design(prior, secret, 0.02 * n)
    split = condition(prior, np.array(inside))
    truth = true_loss(exact, n, inside, noise)
    assert conditional_loss(split, noise) == pytest.approx(truth, rel=1e-8)
    assert truth <= certified_loss(split, noise) < truth * (1 + 1e-5)


def test_what_doubles_cannot_settle_is_not_certified():
    prior, secret = covariance(RBF(length=6.0), np.arange(20.0)), Secret((9,))
    split = condition(prior, np.array([9]))
    assert certified_loss(split, published(prior, secret, 0.4)) == np.inf
    assert certified_loss(split, concentrated(20, secret, 0.4)) == np.inf
    noise = TraceNoise(
        prior=RBF(length=6.0), times=range(20), secrets=[secret], radius=1.0, error=0.1, design="concentrated"
    )
    assert "no guarantee" in str(noise.guarantee).lower()
