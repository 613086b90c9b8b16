"""Made-up tables: a census whose nine columns hang together as in a real one, and the cases of a hospital."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, seeded_rng
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.schema import Schema
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CENSUS",
    "census_rows",
    "census_schema",
    "hospital_schema",
    "make_census",
    "make_deliveries",
    "make_hospital",
]

CENSUS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sex": (("female", "*"), ("male", "*")),
    "age": tuple(
        (str(a), f"{a // 5 * 5}-{a // 5 * 5 + 4}", f"{a // 10 * 10}s", f"{a // 20 * 20}+", "*") for a in range(100)
    ),
    "origin": tuple((name, "*") for name in ("valley", "coast", "islands", "mountains", "abroad")),
    "family": (
        ("married", "together", "*"),
        ("partnered", "together", "*"),
        ("single", "alone", "*"),
        ("divorced", "alone", "*"),
        ("separated", "alone", "*"),
        ("widowed", "alone", "*"),
        ("married, apart", "alone", "*"),
    ),
    "education": (
        *((f"school year {year}", "primary", "school", "*") for year in range(1, 7)),
        *((f"school year {year}", "secondary", "school", "*") for year in range(7, 11)),
        ("school leaver", "secondary", "school", "*"),
        ("trade", "vocational", "further", "*"),
        ("college", "vocational", "further", "*"),
        ("bachelor", "academic", "further", "*"),
        ("master", "academic", "further", "*"),
        ("doctor", "academic", "further", "*"),
    ),
    "birthplace": tuple(
        (f"{region} {i}", region, "*") for region in ("north", "south", "east", "west") for i in range(10)
    ),
    "employer": (
        ("company", "private", "*"),
        ("self-employed", "private", "*"),
        ("own company", "private", "*"),
        ("town", "public", "*"),
        ("province", "public", "*"),
        ("state", "public", "*"),
        ("unpaid", "none", "*"),
        ("never worked", "none", "*"),
    ),
    "occupation": (
        *((name, "office", "*") for name in ("manager", "specialist", "clerk", "sales", "teacher")),
        *((name, "manual", "*") for name in ("craft", "machines", "transport", "cleaning", "farming")),
        *((name, "service", "*") for name in ("care", "guard", "household", "kitchen")),
    ),
    "income": (("low", "*"), ("high", "*")),
}
"""The columns of the made-up census with their generalisation hierarchies, one row a value, finest level first."""


def census_rows(count: int, rng: Rng) -> dict[str, NDArray[np.int64]]:
    """Codes of ``count`` made-up people, by column: positions in :data:`CENSUS`.

    Education follows age, occupation and employer follow education, income follows education, age, sex and occupation,
    and birthplaces are concentrated; so there are common people and outliers, as in a real census.
    """
    integer("count", count)
    age = np.clip(17 + rng.gamma(3.2, 7.0, count), 17, 99).astype(np.int64)
    sex = (rng.random(count) < 0.66).astype(np.int64)
    origin = rng.choice(5, count, p=(0.85, 0.094, 0.03, 0.01, 0.016))
    alone = np.where(age < 28, 0.8, 0.42)
    together = rng.random(count) > alone
    lone = np.where(
        age < 33,
        rng.choice([2, 3, 4], count, p=(0.93, 0.05, 0.02)),
        rng.choice([2, 3, 4, 5, 6], count, p=(0.35, 0.44, 0.08, 0.1, 0.03)),
    )
    family = np.where(together, np.where(rng.random(count) < 0.97, 0, 1), lone)
    schooling = np.clip(rng.normal(11.3 - 0.02 * np.maximum(age - 50, 0), 2.4, count), 0, 15.49)
    education = np.where(rng.random(count) < 0.35, 10, np.rint(schooling)).astype(np.int64)
    birthplace = np.where(rng.random(count) < 0.9, 0, np.minimum(rng.geometric(0.12, count), 40) - 1)
    employer = rng.choice(8, count, p=(0.737, 0.083, 0.036, 0.068, 0.042, 0.031, 0.002, 0.001))
    leaning = np.where(education >= 13, 0, np.where(education >= 9, 1, 2))
    tables = np.array(
        [
            [0.29, 0.42, 0.08, 0.10, 0.05, 0.01, 0.005, 0.005, 0.005, 0.01, 0.01, 0.01, 0.001, 0.004],
            [0.11, 0.04, 0.17, 0.14, 0.03, 0.17, 0.08, 0.06, 0.04, 0.03, 0.05, 0.03, 0.005, 0.045],
            [0.03, 0.005, 0.04, 0.06, 0.01, 0.20, 0.16, 0.10, 0.12, 0.08, 0.03, 0.01, 0.02, 0.135],
        ]
    )
    edges = np.cumsum(tables / tables.sum(1, keepdims=True), axis=1)
    occupation = np.minimum((rng.random(count)[:, None] > edges[leaning]).sum(1), 13)
    skill = -2.7 + 0.33 * (education - 8) + 0.9 * together + 0.35 * sex + 0.9 * (occupation < 2)
    skill = skill - 0.0016 * (age - 48.0) ** 2
    income = (rng.random(count) < 1 / (1 + np.exp(-skill))).astype(np.int64)
    columns = (sex, age, origin, family, education, birthplace, employer, occupation, income)
    return {name: np.asarray(column, np.int64) for name, column in zip(CENSUS, columns, strict=True)}


def make_census(count: int = 5_000, *, seed: int = 0) -> pa.Table:
    """A table of made-up people. Nobody in it exists; the same seed makes the same people.

    >>> make_census(3).column_names
    ['sex', 'age', 'origin', 'family', 'education', 'birthplace', 'employer', 'occupation', 'income']
    """
    import pyarrow as pa

    columns = {}
    for name, codes in census_rows(count, seeded_rng(seed)).items():
        words = pa.array([row[0] for row in CENSUS[name]], pa.string())
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), words).cast(pa.string())
    return pa.table(columns)


def census_schema(sensitive: Sequence[str] = ("income",)) -> Schema:
    """Roles and hierarchies of :func:`sfumato.table.data.make_census`: all other columns are quasi-identifiers."""
    trees = {name: Hierarchy(rows) for name, rows in CENSUS.items()}
    return Schema(
        quasi={name: tree for name, tree in trees.items() if name not in sensitive},
        sensitive={name: trees[name] for name in sensitive},
    )


DIAGNOSES: dict[str, tuple[str, float, float]] = {
    "flu": ("lung", 0.22, 900.0),
    "pneumonia": ("lung", 0.1, 5200.0),
    "asthma": ("lung", 0.12, 1400.0),
    "gastritis": ("stomach", 0.14, 1100.0),
    "ulcer": ("stomach", 0.06, 3300.0),
    "fracture": ("bone", 0.18, 4100.0),
    "arthritis": ("bone", 0.09, 2500.0),
    "diabetes": ("metabolism", 0.07, 2100.0),
    "HIV": ("blood", 0.02, 8900.0),
}
"""Diagnosis: its group, how frequent it is, and what a case costs about."""

BORN = ("1925-01-01", "2018-12-31")
TOWNS = ("010", "013", "804", "805", "991")  # the first digits of the zip codes


def make_hospital(count: int = 20_000, *, seed: int = 0) -> pa.Table:
    """The cases of a made-up hospital. Nobody in it exists; the same seed makes the same cases.

    Zip codes begin with a zero in two of five towns, some diagnoses are blank, and costs are amounts with cents. Older
    people have other diagnoses than young ones, and live in other towns.

    >>> make_hospital(3).column_names
    ['patient_id', 'zip', 'birth_date', 'sex', 'diagnosis', 'cost']
    """
    import pyarrow as pa

    integer("count", count)
    rng = seeded_rng(seed)
    first, last = (np.datetime64(day) for day in BORN)
    days = int((last - first).astype(np.int64))
    born = (rng.beta(1.6, 1.4, count) * days).astype(np.int64)
    old = born < days // 2
    town = np.where(old, rng.choice(5, count, p=(0.4, 0.3, 0.15, 0.1, 0.05)), rng.choice(5, count))
    zips = [f"{TOWNS[t]}{street:02d}" for t, street in zip(town, rng.integers(0, 40, count), strict=True)]
    names = np.array(list(DIAGNOSES))
    share = np.array([one[1] for one in DIAGNOSES.values()])
    older = share * np.where([one[0] in ("bone", "metabolism") for one in DIAGNOSES.values()], 2.0, 0.7)
    which = np.where(
        old,
        rng.choice(len(names), count, p=older / older.sum()),
        rng.choice(len(names), count, p=share / share.sum()),
    )
    blank = rng.random(count) < 0.04
    price = np.array([one[2] for one in DIAGNOSES.values()])[which]
    return pa.table(
        {
            "patient_id": [f"P{number:06d}" for number in rng.permutation(count)],
            "zip": zips,
            "birth_date": pa.array(first + born.astype("timedelta64[D]")),
            "sex": pa.array(np.where(rng.random(count) < 0.53, "f", "m").tolist()),
            "diagnosis": pa.array(
                [None if gap else name for gap, name in zip(blank, names[which].tolist(), strict=True)]
            ),
            "cost": np.round(price * rng.lognormal(0.0, 0.4, count), 2),
        }
    )


def make_deliveries(count: int = 2_000, *, leaving: float = 0.1, again: float = 0.0, seed: int = 0) -> list[pa.Table]:
    """Two deliveries of the same made-up hospital: some people are only in the first, as many only in the second.

    Parameters
    ----------
    count : int
        People in each delivery.
    leaving : float
        Share of the first that is not in the second.
    again : float
        Share of the people who have a second record in a delivery.

    >>> march, april = make_deliveries(100)
    >>> len(set(march["patient_id"].to_pylist()) & set(april["patient_id"].to_pylist()))
    90
    """
    import pyarrow as pa

    gone = int(leaving * integer("count", count))
    everybody, rng = make_hospital(count + gone, seed=seed), seeded_rng(seed + 1)
    found = []
    for part in (everybody.slice(0, count), everybody.slice(gone, count)):
        twice = part.take(np.flatnonzero(rng.random(count) < again))
        rows = pa.concat_tables([part, twice])
        found.append(rows.take(rng.permutation(rows.num_rows)))
    return found


def hospital_schema() -> Schema:
    """Roles and hierarchies of :func:`make_hospital`: zip code, birth date and sex are what an attacker may know."""
    first, last = (np.datetime64(day) for day in BORN)
    groups = [[name, group, STAR] for name, (group, _, _) in DIAGNOSES.items()]
    return Schema(
        quasi={
            "zip": Hierarchy.prefixes([f"{town}{street:02d}" for town in TOWNS for street in range(40)]),
            "birth_date": Hierarchy.dates([str(day) for day in np.arange(first, last + np.timedelta64(1, "D"))]),
            "sex": Hierarchy.flat(["f", "m"]),
        },
        sensitive={"diagnosis": Hierarchy(groups)},
        insensitive=["cost"],
        identifiers=["patient_id"],
        missing="category",
    )
