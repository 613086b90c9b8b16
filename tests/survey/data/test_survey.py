"""Surveys made up and read."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.survey.data.survey import Survey, make_colour_map, make_hospital_stays, make_incomes


@pytest.mark.parametrize("make", [make_colour_map, make_hospital_stays, make_incomes])
def test_generators_repeat_and_use_every_category(make):
    one, two = make(2000, seed=4), make(2000, seed=4)
    np.testing.assert_array_equal(one.answers, two.answers)
    np.testing.assert_array_equal(one.where, two.where)
    assert set(one.answers) == set(range(one.k))
    assert len(one) == one.n == 2000


def test_side_knowledge_tells_about_the_answer():
    for survey in (make_hospital_stays(4000), make_incomes(4000)):
        means = [survey.privileged[survey.answers == a].mean() for a in range(2)]
        assert abs(means[0] - means[1]) > 0.2


@pytest.mark.parametrize(
    "wrong",
    [
        {"answers": np.array([0, 2])},
        {"answers": np.array([0, -1])},
        {"answers": np.array([0.0, 1.0])},
        {"answers": np.array([], int)},
        {"where": np.zeros(3)},
        {"where": np.array([0.0, np.nan])},
        {"privileged": np.zeros((3, 1))},
    ],
)
def test_rejects(wrong):
    with pytest.raises(InputError):
        Survey(**{"answers": np.array([0, 1]), "where": np.zeros(2), "categories": ["a", "b"], **wrong})


@pytest.mark.data
def test_adult_and_housing():
    from sfumato.io.datasets.acs_pums import PUMA_CENTRES, load_acs_pums
    from sfumato.survey.data.public_sets import adult_survey, housing_survey

    adult = adult_survey()
    assert (adult.n, adult.k) == (32_561, 2)
    assert adult.privileged.sum() == adult.n  # every marital status is known
    assert 0.23 < adult.answers.mean() < 0.25
    housing = housing_survey()
    assert (housing.n, housing.k) == (44_163, 3)
    assert set(load_acs_pums()["PUMA"].to_pylist()) == set(PUMA_CENTRES)
