"""Public sets read as surveys."""

from __future__ import annotations

import numpy as np

from sfumato.io.datasets.acs_pums import PUMA_CENTRES, load_acs_pums
from sfumato.io.datasets.adult import load_adult
from sfumato.io.frames import column
from sfumato.survey.data.survey import Survey

__all__ = ["adult_survey", "housing_survey"]

MARITAL = (
    "Never-married",
    "Married-civ-spouse",
    "Married-AF-spouse",
    "Married-spouse-absent",
    "Separated",
    "Divorced",
    "Widowed",
)


def adult_survey() -> Survey:
    """Adult's training part: income above 50K, neighbours by age, marital status as side knowledge (Meehan §4.5)."""
    table = load_adult()
    table = table.filter(column(table, "split") == "train")
    rich = (column(table, "income") == ">50K").astype(np.int64)
    age = column(table, "age").astype(float)
    status = one_hot(column(table, "marital_status"), MARITAL)
    return Survey(rich, age, ["<=50K", ">50K"], status, names=("age",))


def housing_survey() -> Survey:
    """ACS: group quarters, own or rent; neighbours by the middle of the area, income decile as side knowledge."""
    table = load_acs_pums()
    tenure = column(table, "OWN_RENT").astype(np.int64)
    where = np.array([PUMA_CENTRES[area] for area in column(table, "PUMA")])
    decile = column(table, "PINCP_DECILE")
    income = np.where(decile == "N", "-1", decile).astype(float)
    return Survey(
        tenure,
        where,
        ["group quarters", "own", "rent"],
        income,
        geometry="globe",
        names=("latitude", "longitude"),
    )


def one_hot(values: np.ndarray, options: tuple[str, ...]) -> np.ndarray:
    """One column of 0 and 1 for each option."""
    return (values[:, None] == np.array(options)[None, :]).astype(float)
