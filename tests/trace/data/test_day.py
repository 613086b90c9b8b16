"""Synthetic days."""

from __future__ import annotations

import numpy as np


def test_made_up_days_stay_on_streets_and_stop_where_they_say():
    from sfumato.trace.data.day import STREETS, make_day

    for seed in range(20):
        day = make_day(seed=seed)
        off = np.abs(day.route / STREETS - np.round(day.route / STREETS)).min(1)
        assert off.max() < 1e-9
        assert np.abs(np.diff(day.route, axis=0)).sum(1).max() < 200  # no jumps: below 72 km/h
        for start, end in day.stops.values():
            inside = day.path[(day.times >= start) & (day.times <= end)]
            assert np.ptp(inside, axis=0).max() < 120  # fifteen times the receiver's error
