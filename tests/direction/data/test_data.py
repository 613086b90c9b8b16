"""Generators and loaders of directions."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey


def test_generators_are_repeatable():
    first, second = (make_check_ins(records=200, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.hour, second.hour)
    assert (make_sleep_survey().hour >= 0).all()
    assert abs(make_sleep_survey().hour.mean() - 7) < 0.3
    assert abs(make_sleep_survey().hour.std() - 2) < 0.15


@pytest.mark.data
def test_public_sets_are_what_their_readme_says():
    from sfumato.direction.data.circular import load_bike_sharing, load_wind
    from sfumato.direction.data.public_check_ins import cab_check_ins
    from sfumato.io.datasets.cabspotting import load_cab_trips
    from sfumato.io.datasets.geolife import load_geolife_modes

    assert load_cab_trips().num_rows == 130_742
    assert load_geolife_modes().num_rows == 14_718
    assert load_wind().shape == (310,)
    bikes = load_bike_sharing()
    assert bikes.num_rows == 17_379
    assert sum(bikes["cnt"].to_pylist()) == 3_292_679
    visits = cab_check_ins(most=100)
    assert len(visits.places) == 100
    assert ((visits.hour >= 0) & (visits.hour < 24)).all()


def test_missing_data_says_where_it_comes_from(monkeypatch):
    from sfumato.direction.data.circular import load_wind
    from sfumato.errors import DataMissingError

    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(DataMissingError, match="circular"):
        load_wind()
