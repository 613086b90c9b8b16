"""The generators: what the generic checks cannot know."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.model import KernelDensity, NoisyMarginals, fit_bandwidth, make_census
from sfumato.model.data.census import CENSUS_DOMAINS


def test_marginals_survive_and_relations_do_not() -> None:
    people = make_census(5_000)
    made = NoisyMarginals(epsilon=3.0, domains=CENSUS_DOMAINS).release(people, rng=np.random.default_rng(0))
    ages = people["age"].to_numpy(), made["age"].to_numpy()
    assert ages[1].mean() == pytest.approx(ages[0].mean(), abs=2.0)
    assert abs(np.corrcoef(ages[1], made["income"].to_numpy())[0, 1]) < 0.1
    assert made.schema.field("age").type == pa.int64()


def test_each_histogram_pays_its_share() -> None:
    """With one bin of all records the noise shows by itself: scale 2c/ε. Its mean absolute value is 2c/ε ± 10 %."""
    from sfumato.mechanism import Laplace

    noise = Laplace(epsilon=1.0 / 6, sensitivity=2.0)
    drawn = np.asarray(noise.release(np.zeros(20_000), rng=np.random.default_rng(0)))
    assert np.abs(drawn).mean() == pytest.approx(12.0, rel=0.1)


def test_a_table_of_numbers_stays_whole() -> None:
    people = make_census(300)
    made = KernelDensity(bandwidth=0.2, count=50).release(people, rng=np.random.default_rng(0))
    assert made.num_rows == 50
    assert made.schema == people.schema
    assert set(made["job"].to_pylist()) <= set(people["job"].to_pylist())


def test_the_bandwidth_is_the_most_likely_one() -> None:
    rng = np.random.default_rng(1)
    train, fresh = rng.normal(size=(2, 300, 2))
    from sfumato.model import log_likelihood

    best = fit_bandwidth(train, fresh)
    scores = [log_likelihood(train, fresh, factor * best).mean() for factor in (0.9, 1.0, 1.1)]
    assert scores[1] == max(scores)


@pytest.mark.parametrize(
    "call",
    [
        lambda: KernelDensity(bandwidth=0.0),
        lambda: KernelDensity(swap=2.0),
        lambda: KernelDensity(count=0),
        lambda: KernelDensity().release(np.zeros((5, 2))),
        lambda: fit_bandwidth([[1.0]]),
        lambda: NoisyMarginals(epsilon=0.0, domains={"a": ["x"]}),
        lambda: NoisyMarginals(epsilon=1.0, domains={}),
        lambda: NoisyMarginals(epsilon=1.0, domains={"a": "xyz"}),
        lambda: NoisyMarginals(epsilon=1.0, domains={"a": ["x", "x"]}),
        lambda: NoisyMarginals(epsilon=1.0, domains={"a": [3, 1, 2]}),
        lambda: NoisyMarginals(epsilon=1.0, domains={"a": [1, 3, 0]}),
    ],
)
def test_bad_parameters_are_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]
