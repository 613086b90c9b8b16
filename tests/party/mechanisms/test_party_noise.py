"""PartyNoise: what the generic checks cannot know."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.party import PartyNoise


def test_noise_has_the_scale_of_the_theorem() -> None:
    """The mean of 20 000 absolute errors is 10 ± 0.5 (7 standard errors: a false alarm in less than one of 10⁹)."""
    mechanism = PartyNoise(epsilon=1.0, low=0.0, high=10.0)
    released = mechanism.release(np.full(20_000, 5.0), rng=seeded_rng(1))
    assert np.abs(released - 5.0).mean() == pytest.approx(10.0, abs=0.5)


@pytest.mark.parametrize("parameters", [{"epsilon": 0.0}, {"epsilon": float("nan")}, {"low": 10.0}, {"high": "ten"}])
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(InputError):
        PartyNoise(**({"epsilon": 1.0, "low": 0.0, "high": 10.0} | parameters))


def test_a_number_outside_the_bounds_is_refused() -> None:
    with pytest.raises(InputError, match="widen the bounds"):
        PartyNoise(epsilon=1.0, low=0.0, high=10.0).release(np.array([3.0, 10.5]))
