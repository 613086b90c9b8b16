"""Public sets read as surveys."""

from __future__ import annotations

import numpy as np

from sfumato.io.datasets.acs_pums import PUMA_CENTRES, load_acs_pums
from sfumato.io.datasets.adult import load_adult
from sfumato.io.datasets.gowalla import load_gowalla_friends, load_gowalla_venues, load_gowalla_visits
from sfumato.io.frames import column
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.order import cuthill_mckee_order
from sfumato.survey.data.survey import Survey

__all__ = ["adult_survey", "friends_survey", "housing_survey"]

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


def friends_survey(*, hops: int = 1) -> tuple[Survey, Groups]:
    """Gowalla: who goes out in Austin, hidden among friends within ``hops`` steps (in place of Twitch, Meehan §4.5).

    The answer is whether most visits of a user are within half a degree of the middle of Austin; friends often agree.
    A graph has no map: the public place of an owner is its place in the Cuthill–McKee order of the friendships.
    """
    visits, venues, friends = load_gowalla_visits(), load_gowalla_venues(), load_gowalla_friends()
    pairs = np.stack([column(friends, "user"), column(friends, "friend")], axis=1)
    users, number = np.unique(column(visits, "user"), return_inverse=True)
    pairs = pairs[np.isin(pairs, users).all(axis=1)]
    away = np.hypot(column(venues, "lat") - 30.27, column(venues, "lon") + 97.74)
    local = dict(zip(column(venues, "venue").tolist(), (away < 0.5).tolist(), strict=True))
    here = np.array([local[venue] for venue in column(visits, "venue").tolist()])
    times = column(visits, "visits")
    share = np.bincount(number, times * here) / np.bincount(number, times)
    groups = Groups.from_friends(users, pairs, hops=hops)
    place = np.argsort(cuthill_mckee_order(Groups.from_friends(users, pairs))).astype(float)
    return Survey((share > 0.5).astype(np.int64), place, ["elsewhere", "Austin"], names=("place",)), groups


def one_hot(values: np.ndarray, options: tuple[str, ...]) -> np.ndarray:
    """One column of 0 and 1 for each option."""
    return (values[:, None] == np.array(options)[None, :]).astype(float)
