"""Bayesian remapping: same promise, smaller error, same kind out as in."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.direction import BayesianRemap, Purkayastha, circular_distance
from sfumato.direction.core.sphere import angle_between
from sfumato.errors import InputError, NotFittedError
from sfumato.noise import seeded_rng
from sfumato.promise import Assumption


def test_remapping_lowers_the_error_when_the_prior_is_right():
    noise = Purkayastha(epsilon=3.0, kind="hour")
    truth = seeded_rng(0).choice([7.0, 8.0, 9.0, 18.0], p=[0.5, 0.3, 0.1, 0.1], size=5_000)
    remap = BayesianRemap(noise=noise).fit(truth[:1000])
    plain = circular_distance(noise.release(truth, rng=seeded_rng(1)), truth).mean()
    mapped = circular_distance(remap.release(truth, rng=seeded_rng(1)), truth).mean()
    assert mapped < 0.8 * plain
    assert remap.guarantee == noise.guarantee.assuming(Assumption("prior"))


@pytest.mark.parametrize("kind", ["vector", "latlon", "angle"])
def test_kinds_keep_their_shape(kind):
    public = {
        "vector": np.eye(4),
        "latlon": np.array([[48.0, 11.0], [48.1, 11.2], [40.0, -74.0]]),
        "angle": np.array([0.1, 2.0, 4.0]),
    }[kind]
    remap = BayesianRemap(noise=Purkayastha(epsilon=20.0, kind=kind)).fit(public)
    released = remap.release(public, rng=seeded_rng(0))
    assert released.shape == public.shape
    known = {row.tobytes() for row in public}
    assert all(row.tobytes() in known for row in released)
    if kind == "vector":
        assert np.allclose(angle_between(released, released), 0)


def test_only_the_most_frequent_candidates_are_kept():
    remap = BayesianRemap(noise=Purkayastha(epsilon=1.0, kind="hour"), candidates=2).fit([1.0, 1.0, 2.0, 2.0, 3.0])
    assert remap.candidates_.tolist() == [1.0, 2.0]
    assert remap.prior_.tolist() == [0.5, 0.5]


def test_what_is_refused():
    remap = BayesianRemap(noise=Purkayastha(epsilon=1.0))
    with pytest.raises(NotFittedError):
        remap.release(np.eye(3))
    for call in (
        lambda: BayesianRemap(noise="loud"),
        lambda: BayesianRemap(noise=Purkayastha(epsilon=1.0), candidates=1),
        lambda: remap.fit(np.zeros((0, 3))),
        lambda: remap.fit([[2.0, 0.0]]),
        lambda: remap.fit(np.eye(3)).release(np.eye(4)),
    ):
        with pytest.raises(InputError):
            call()
