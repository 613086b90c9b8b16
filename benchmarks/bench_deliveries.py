"""Second deliveries of the same people: what is left out, and what the strongest attackers find.

    python benchmarks/bench_deliveries.py            # the made-up hospital, and Adult if $SFUMATO_DATA has it

For each pair of deliveries and each share of values that change between them: records left out without successors and
with them, the risk of a person (bound), the same for somebody who is told which records belong to one person, and how
many sensitive values of people with a successor are guessed by how long values last. The rows of docs/table.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sfumato import InputError
from sfumato.io.datasets.adult import ADULT_BENCHMARK, adult_hierarchy, load_adult_benchmark
from sfumato.table import Hierarchy, IntersectionAttack, JoinedViewAttack, Schema, SuccessionAttack, protect
from sfumato.table.data import hospital_schema, make_deliveries

Pair = tuple[str, pa.Table, pa.Table, Schema, str]


def hospitals() -> Iterator[Pair]:
    """Two thousand made-up people in each delivery."""
    schema = replace(hospital_schema(), insensitive=(), identifiers=["cost"]).counting("patient_id")
    for leaving in (0.1, 0.3):
        for seed in range(3):
            march, april = make_deliveries(2_000, leaving=leaving, seed=seed)
            yield f"hospital, {leaving:.0%} change, seed {seed}", march, april, schema, "diagnosis"


def adults() -> Iterator[Pair]:
    """Adult: half of the people in both deliveries, and nine tenths of 20 000."""
    try:
        people = load_adult_benchmark()
    except InputError as error:
        print(error)
        return
    quasi = {name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK if name != "salary-class"}
    schema = Schema(quasi=quasi, sensitive=["salary-class"], person="number")
    people = people.append_column("number", pa.array(np.arange(people.num_rows)))
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(people.num_rows)
        for name, first, second in (
            ("10 000 of 20 000 in both", order[:20_000], order[10_000:]),
            ("20 000 each, 10 % change", order[:20_000], order[2_000:22_000]),
        ):
            yield f"Adult, {name}, seed {seed}", people.take(first), people.take(second), schema, "salary-class"


def changed(table: pa.Table, column: str, share: float) -> pa.Table:
    """With another value, drawn from all, for a share of the people."""
    rng = np.random.default_rng(7)
    held = np.array(table[column].to_pylist(), object)
    moved = rng.random(len(held)) < share
    held[moved] = rng.choice(held, int(moved.sum()))
    return table.set_column(table.column_names.index(column), column, pa.array(held.tolist()))


def main() -> None:
    """Print a line for each pair and share."""
    for make in (hospitals, adults):
        for name, march, april, schema, column in make():
            first = protect(march, schema, k=5, l=2, recoding="local")
            for share in (0.0, 0.1, 0.3):
                later = changed(april, column, share)
                start = time.process_time()
                strict = protect(later, schema, k=5, l=2, recoding="local", previous=[first], successors=False)
                second = protect(later, schema, k=5, l=2, recoding="local", previous=[first])
                took = time.process_time() - start
                worst = JoinedViewAttack(schema=schema, previous=[first]).attack(later, second).value
                certain = IntersectionAttack(schema=schema, column=column, previous=[first]).attack(later, second).value
                told = [
                    JoinedViewAttack(schema=schema, previous=[first], told=True, statistic=one).attack(later, second)
                    for one in ("worst", "mean")
                ]
                try:
                    guess = SuccessionAttack(schema=schema, column=column, previous=[first]).attack(later, second)
                    guessed = f"{guess.value:.3f} (chance {guess.reference:.3f})"
                except InputError:
                    guessed = "nobody has a successor"
                out = [one.decision.suppressed / april.num_rows for one in (strict, second)]
                print(
                    f"{name}, {share:.0%} of values change: left out {out[0]:.1%} → {out[1]:.1%}; "
                    f"worst risk {worst:.3f}, certain {certain:.4f}; "
                    f"told: worst {told[0].value:.3f}, mean {told[1].value:.3f}; guessed {guessed}; {took:.1f} CPU s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
