"""Mimoto ch. 2 and 4: the small examples of its tables, with their judges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from reproduction._rows import recipe
from reproduction.claims.claim import Finding
from sfumato.table import ColumnMethods, Generalise, Hierarchy, Lineage, NumberNoise, Schema, Swap, check
from sfumato.table.attacks.deanonymiser import deanonymise, view_of


@recipe()
def table_2_2() -> int:
    """k of Table 2.2."""
    values = {"age": ["20", "37"], "gender": ["M", "-"], "region": ["Kanto", "Kansai"]}
    table = pa.table(
        {"age": [20, 20, 37, 37], "gender": ["M", "M", "-", "-"], "region": ["Kanto"] * 2 + ["Kansai"] * 2}
    )
    return int(check(table, Schema(quasi={name: Hierarchy.flat(several) for name, several in values.items()})).k)


def judge_table_2_2(row: Any) -> Finding:
    """2-anonymous."""
    return Finding(row == 2, f"k = {row}")


@recipe()
def worked_example() -> dict[str, Any]:
    """The example of §4.2: candidates of the first person, and the size of everybody's set."""
    sport = [[name, "Sports", "*"] for name in ("Football", "Baseball", "Swimming", "Basketball")]
    arts = [[name, "Culture", "*"] for name in ("Art", "Chorus", "Brass band")]
    pairs = [[str(v), f"[{(v - 1) // 2 * 2 + 1},{(v - 1) // 2 * 2 + 2}]", "*"] for v in range(-3, 13)]
    schema = Schema(quasi={"qi1": Hierarchy(pairs), "qi2": Hierarchy(sport + arts)})
    noise = NumberNoise(sizes={0: 0.35, 1: 0.35, 2: 0.1, 3: 0.1, 4: 0.1})
    columns: dict[str, Any] = {"qi1": [noise, Generalise(1)], "qi2": [Generalise(1), Swap(0.2)]}
    method = ColumnMethods(schema=schema, columns=columns, rate=0.8)
    before = pa.table({"qi1": [1, 3, 4, 1, 7, 7, 8], "qi2": [row[0] for row in sport + arts]})
    numbers, kinds = (
        ["[3,4]", "[1,2]", "[1,2]", "[9,10]", "[5,6]"],
        ["Culture", "Sports", "Sports", "Culture", "Sports"],
    )
    after = Lineage(pa.table({"qi1": numbers, "qi2": kinds}), np.array([0, 1, 3, 4, 6]))
    attacked = deanonymise(
        view_of(before, after, schema, mechanism=method), threshold=0.9, outlier=2, counted="possible"
    )
    sizes = [None if np.isinf(size) else float(size) for size in attacked.sizes]
    return {"high and low": attacked.candidates[0].tolist(), "sizes": sizes, "risk": float(attacked.risk)}


def judge_worked_example(row: Any) -> Finding:
    """Two likely, two possible, 4/.8 = 5."""
    words = (
        f"{row['high and low'][0]} likely and {row['high and low'][1]} possible candidates, size {row['sizes'][0]:g}"
    )
    return Finding(row["high and low"] == [2, 2] and row["sizes"][0] == 5, words)


def judge_worked_risk(row: Any) -> Finding:
    """1/5 over all records."""
    return Finding(
        abs(row["risk"] - 0.2) < 1e-9, f"1/5 is the risk of r1; over all records it is 1/{1 / row['risk']:g} (r5)"
    )


@recipe()
def sampled_outliers() -> list[float]:
    """Pr[all of l = 5 outliers vanish] at α = .5: 200 000 samples, and (1 − α)^l."""
    left = np.random.default_rng(0).random((200_000, 5)) < 0.5
    return [float((~left).all(axis=1).mean()), 0.5**5]


def judge_sampled_outliers(row: Any) -> Finding:
    """The formula."""
    return Finding(abs(row[0] - row[1]) < 0.002, f"{row[0]:.4f} and {row[1]:.4f} at α = .5, l = 5")
