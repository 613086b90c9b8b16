"""Shared fixtures."""

from __future__ import annotations

import os

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers share the cores: threads of one would spin while they wait for those of another. Before numpy is imported.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["COLUMNS"] = "160"  # rich reads the width once, when the first module with a console is imported

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# The suite says the same on every machine, however busy; HYPOTHESIS_PROFILE=explore tries new examples.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("repeatable", settings.get_profile("explore"), derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

collect_ignore_glob = ["conftest.py", "*/conftest.py"]  # they hold no examples, and two modules cannot share a name


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator: statistical tests are repeatable."""
    return np.random.default_rng(20260101)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = pytest.mark.skip(reason="the public data sets are not here: set SFUMATO_DATA to their folder")
    if not os.environ.get("SFUMATO_DATA"):
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(missing)
