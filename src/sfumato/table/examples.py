"""Every mechanism, attack and utility on tables, with small data for the auditor and the generic checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from sfumato.auditor import AuditCase
from sfumato.promise import KAnonymity
from sfumato.table.attacks.battery import attacks_on
from sfumato.table.attacks.de_finetti import DeFinettiAttack
from sfumato.table.attacks.group_values import GroupValuesAttack
from sfumato.table.attacks.minimality import MinimalityAttack
from sfumato.table.attacks.nearness.table_membership import MembershipAttack
from sfumato.table.attacks.revealing import RevealingAttack
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.schema import Schema
from sfumato.table.mechanisms.anatomy import Anatomy
from sfumato.table.mechanisms.column_methods import ColumnMethods
from sfumato.table.mechanisms.correlated_noise import CorrelatedNoise
from sfumato.table.mechanisms.greedy_k_member import GreedyKMember
from sfumato.table.mechanisms.independent_noise import IndependentNoise
from sfumato.table.mechanisms.microaggregation import Microaggregation
from sfumato.table.mechanisms.private.sampled_generalisation import SampledGeneralisation
from sfumato.table.mechanisms.private.synthesis.marginal_synthesis import MarginalSynthesis
from sfumato.table.mechanisms.private.synthesis.measured_marginals import MeasuredMarginals
from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
from sfumato.table.mechanisms.record_sampling import RecordSampling
from sfumato.table.mechanisms.record_suppression import RecordSuppression
from sfumato.table.mechanisms.safe_harbor import SafeHarbor
from sfumato.table.mechanisms.steps import CategoryNoise, Generalise, NumberNoise, Swap
from sfumato.table.mechanisms.swapping import Swapping
from sfumato.table.promise.closeness import TCloseness
from sfumato.table.promise.diversity import LDiversity
from sfumato.table.promise.inspection import reached
from sfumato.table.utilities.average_class import AverageClass
from sfumato.table.utilities.correlations import Correlations
from sfumato.table.utilities.discernibility_cost import DiscernibilityCost
from sfumato.table.utilities.f_ratio import FRatio
from sfumato.table.utilities.information_lost import InformationLost
from sfumato.table.utilities.marginals import Marginals
from sfumato.table.utilities.range_queries import RangeQueries

__all__ = ["attack_examples", "audit_cases", "utilities_on", "utility_examples"]

TOWN = Hierarchy([["Linz", "north", "*"], ["Wels", "north", "*"], ["Graz", "south", "*"], ["Lienz", "south", "*"]])
SCHEMA = Schema(
    quasi={"age": Hierarchy.intervals(0, 99, [10, 50]), "town": TOWN},
    sensitive={"illness": Hierarchy([["flu", "lung", "*"], ["cold", "lung", "*"], ["gout", "joint", "*"]])},
)
NUMBERS = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10]), "height": Hierarchy.intervals(140, 210, [10])})
TOWNS = Schema(quasi={"town": TOWN})


def _people(seed: int = 1, count: int = 40) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(18, 90, count),
            "town": np.array(TOWN.leaves)[rng.integers(0, 4, count)].tolist(),
            "illness": np.array(["flu", "cold", "gout"])[rng.permutation(count) % 3].tolist(),
        }
    )


def _numbers(people: pa.Table) -> pa.Table:
    return people.select(["age"]).append_column("height", pa.array(150 + people["age"].to_numpy() // 2))


def _changed(table: pa.Table) -> pa.Table:
    """The neighbour: the first person is another."""
    rows = table.to_pylist()
    rows[0] = {"age": 97, "town": "Lienz", "illness": "gout"} | {k: rows[1][k] for k in rows[0] if k == "height"}
    return pa.Table.from_pylist([{k: row[k] for k in table.column_names} for row in rows], schema=table.schema)


def _bad() -> list[Any]:
    people = _people()
    return [
        people.drop_columns(["age"]),
        people.set_column(0, "age", pa.array([None, *people["age"].to_pylist()[1:]], pa.int64())),
        people.set_column(0, "age", pa.array([500, *people["age"].to_pylist()[1:]], pa.int64())),
        people.append_column("name", people["town"]),
        people.slice(0, 0),
        "people.csv",
    ]


def _kept(mechanism: Any, schema: Schema) -> Any:
    return lambda data, release: reached(release, schema, mechanism.guarantee)


def audit_cases() -> Iterable[AuditCase]:
    """Every mechanism on tables; a syntactic promise is audited on the release itself."""
    people = _people()
    pairs = [(people, _changed(people)), (people.slice(0, 20), _people(2, 50))]
    close = [KAnonymity(2), LDiversity(2, "illness"), TCloseness(0.4, "illness")]
    recoders: dict[str, Any] = {
        "GlobalRecoding to k": GlobalRecoding(schema=SCHEMA, target=[KAnonymity(3)], suppression=0.2),
        "GlobalRecoding to k, l, t": GlobalRecoding(schema=SCHEMA, target=close, suppression=0.3, suppressed="drop"),
        "LocalRecoding to k": LocalRecoding(schema=SCHEMA, target=[KAnonymity(3)]),
        "LocalRecoding to k, l, t": LocalRecoding(schema=SCHEMA, target=close, publish="set"),
        "GreedyKMember": GreedyKMember(schema=SCHEMA, k=3),
    }
    for name, mechanism in recoders.items():
        yield AuditCase(
            mechanism=mechanism,
            pairs=pairs,
            bad=_bad(),
            reached=_kept(mechanism, SCHEMA),
            name=name,
            source="Mimoto §2.2, P4–P6",
        )
    numbers = _numbers(people)
    other = numbers.take(np.arange(40)[::-1])
    for grouping in ("mdav", "k-member"):
        mechanism = Microaggregation(schema=NUMBERS, k=3, grouping=grouping)
        yield AuditCase(
            mechanism=mechanism,
            pairs=[(numbers, other)],
            bad=[numbers.drop_columns(["age"]), numbers.slice(0, 2)],
            reached=_kept(mechanism, NUMBERS),
            name=f"Microaggregation, {grouping}",
            source="Mimoto §2.2, P5",
        )
    towns = people.select(["town"])
    small = RecordSuppression(schema=TOWNS, k=3)
    yield AuditCase(mechanism=small, pairs=[(towns, towns.slice(0, 30))], reached=_kept(small, TOWNS), source="P4")
    anatomy = Anatomy(schema=SCHEMA, column="illness", l=2)
    yield AuditCase(
        mechanism=anatomy,
        pairs=[(people, people.slice(1, 30))],
        bad=[people.drop_columns(["illness"])],
        reached=_anatomy_reached,
        same_kind=False,
        source="Mimoto §2.2, P5",
    )
    yield _local_case()
    yield from _private_cases(people)
    free: list[Any] = [
        ColumnMethods(schema=SCHEMA, columns={"age": [Generalise(1)], "town": [Swap(0.2)]}, rate=0.9),
        RecordSampling(schema=SCHEMA, rate=0.5),
        Swapping(schema=SCHEMA, columns=["illness"], rate=0.5),
        SafeHarbor(schema=SCHEMA),
    ]
    for mechanism in free:
        yield AuditCase(
            mechanism=mechanism,
            pairs=[(people, _changed(people))],
            samples=200,
            features=_summary,
            bad=_bad()[:1],
            source="Mimoto §3",
        )
    noisy: list[Any] = [
        IndependentNoise(schema=NUMBERS, columns=["age"], share=0.1),
        CorrelatedNoise(schema=NUMBERS, columns=["age", "height"], c=0.1),
    ]
    for mechanism in noisy:
        yield AuditCase(
            mechanism=mechanism, pairs=[(numbers, other)], samples=200, features=_summary, source="Mimoto §2.2, P7"
        )


def _private_cases(people: pa.Table) -> Iterable[AuditCase]:
    """Differential privacy: the law of small tables in full, and releases of a larger one."""
    towns = [pa.table({"town": ["Linz"] * count + ["Graz"] * 3}) for count in (3, 4, 5)]
    outputs = [
        pa.table({"town": pa.array([word for word, count in counts.items() for _ in range(count)], pa.string())})
        for counts in _shown_counts()
    ]
    private: dict[str, Any] = {"schema": TOWNS, "epsilon": 1.0, "delta": 0.032, "rate": 0.5}
    for name, mechanism in {
        "chosen levels": SampledGeneralisation(**private, search=0.2),
        "given levels": SampledGeneralisation(**private, search=0.0, levels={"town": 0}),
    }.items():
        yield AuditCase(
            mechanism=mechanism,
            pairs=[(towns[0], towns[1]), (towns[1], towns[2])],
            outputs=outputs,
            samples=200,
            bad=[people.drop_columns(["town"]), towns[0].slice(0, 0)],
            name=f"SampledGeneralisation, {name}",
            source="Li, Qardaji and Su 2012; Bild, Kuhn and Prasser 2018",
        )
    made = MarginalSynthesis(schema=SCHEMA, epsilon=1.0, delta=1e-3, rounds=4)
    yield AuditCase(
        mechanism=made,
        pairs=[(people, people.slice(1))],
        samples=60,
        features=_summary,
        bad=_bad(),
        name="MarginalSynthesis",
        source="McKenna, Mullins, Sheldon and Miklau 2022",
    )
    records = (np.arange(12)[:, None] >> np.arange(2)) % 2
    yield AuditCase(
        mechanism=MeasuredMarginals(
            rho=0.5, sizes=(2, 2), rounds=3
        ),  # both columns and their only pair: nothing to choose
        pairs=[(records, records[1:]), (records[1:4], records[2:4])],
        samples=150,
        bad=[records[:, 1:], records.astype(float), records + 1],
        name="MarginalSynthesis, what is measured",
        source="McKenna, Mullins, Sheldon and Miklau 2022",
        part_of=MarginalSynthesis,
    )


def _shown_counts() -> Iterable[dict[str, int]]:
    """All releases of at most nine records of two towns, by how often each label occurs."""
    yield {}
    for north in range(10):
        for labels in (("Linz", "Graz"), ("north", "south")):
            yield from ({labels[0]: north, labels[1]: south} for south in range(4) if north + south)
    yield from ({"*": count} for count in range(1, 10))


def _anatomy_reached(data: Any, release: Any) -> float:
    most, every = nw.col("count").max().alias("most"), nw.col("count").sum().alias("every")
    groups = nw.from_native(release.values, eager_only=True).group_by("group").agg(most, every)
    return float((groups["most"] * 2 <= groups["every"]).all())


def _local_case() -> AuditCase:
    """Every cell noised: local differential privacy, sampled on many copies of one record at once."""
    mechanism = ColumnMethods(
        schema=Schema(quasi={"age": Hierarchy.intervals(0, 9, [5]), "town": TOWN}),
        columns={"age": [NumberNoise(scale=9.0)], "town": [CategoryNoise(0.5)]},
    )

    def sample(data: pa.Table, count: int, rng: np.random.Generator) -> Any:
        released = mechanism.release(data.take(np.zeros(count, np.int64)), rng=rng)
        town = [TOWN.index[value] for value in released["town"].to_pylist()]
        return np.stack([released["age"].cast("int64").to_numpy(), town], axis=1)

    near, far = (pa.table({"age": [age], "town": [town]}) for age, town in ((0, "Linz"), (9, "Lienz")))
    return AuditCase(
        mechanism=mechanism,
        pairs=[(near, far)],
        sampler=sample,
        bad=[pa.table({"age": [1]})],
        name="ColumnMethods, all noised",
        source="Mimoto §3.6",
    )


def _summary(release: pa.Table) -> Any:
    """Numbers that tell releases apart, for the sampling auditor."""
    return np.array([release.num_rows, *(len(release[name].unique()) for name in release.column_names)], np.float64)


def _released() -> tuple[pa.Table, Any]:
    people = _people()
    return people, LocalRecoding(schema=SCHEMA, target=[KAnonymity(3)]).release(people)


def utilities_on(schema: Schema, column: str | None, positive: str | None) -> list[Any]:
    """The utilities of a release; a learner only if there is a sensitive ``column`` to predict."""
    utilities: list[Any] = [
        InformationLost(schema=schema),
        DiscernibilityCost(schema=schema),
        AverageClass(schema=schema),
        Marginals(schema=schema),
        RangeQueries(schema=schema, columns=min(2, len(schema.quasi))),
    ]
    if len(schema.quasi) > 1:
        utilities.append(Correlations(schema=schema))
    if column is not None and positive is not None:
        utilities.append(FRatio(schema=schema, column=column, positive=positive))
    return utilities


def attack_examples() -> Iterable[tuple[Any, Any, Any]]:
    """Every attack on a small release."""
    people, release = _released()
    for attack in attacks_on(SCHEMA, "illness"):
        yield attack, people, release
    yield RevealingAttack(schema=SCHEMA, column="illness", variant="values", statistic="mean"), people, release
    close = [KAnonymity(3), TCloseness(0.3, "illness")]
    yield DeFinettiAttack(schema=SCHEMA, column="illness"), people, release
    yield MembershipAttack(schema=SCHEMA, control=_people(3), people=20), people, release
    yield MinimalityAttack(schema=SCHEMA, column="illness", target=close, samples=20), people, release
    numbers = _numbers(people).append_column("illness", people["illness"])
    schema = Schema(quasi=NUMBERS.quasi, sensitive=["illness"])
    means = Microaggregation(schema=schema, k=3)
    for attack in attacks_on(schema, "illness", mechanism=means):
        yield attack, numbers, means.release(numbers)
    yield from _several_releases(people)
    anatomy = Anatomy(schema=SCHEMA, column="illness", l=2)
    for attack in attacks_on(SCHEMA, "illness", mechanism=anatomy):
        if isinstance(attack, GroupValuesAttack):  # the others take one table
            yield attack, people, anatomy.release(people)


def _several_releases(people: pa.Table) -> Iterable[tuple[Any, Any, Any]]:
    """Two releases of the same people, each k-anonymous by itself."""
    from sfumato.table.people.next_release import protect_next

    schema = replace(SCHEMA, person="number")
    first = people.append_column("number", pa.array(np.arange(people.num_rows)))
    mechanism = LocalRecoding(schema=schema, target=[KAnonymity(3)])
    earlier, later = (protect_next(part, mechanism) for part in (first, first.slice(3)))
    for attack in attacks_on(schema, "illness", previous=[earlier])[-3:]:
        yield attack, first.slice(3), later
    earlier = protect_next(first.slice(0, first.num_rows - 4), mechanism)
    later = protect_next(first.slice(4), mechanism, previous=[earlier])  # with newcomers in the places of who left
    shared = replace(mechanism, target=[later.guarantee])
    for attack in attacks_on(schema, "illness", mechanism=shared, previous=[earlier])[-3:]:
        yield attack, first.slice(4), later


def utility_examples() -> Iterable[tuple[Any, Any, Any]]:
    """Every utility on a small release."""
    people, release = _released()
    yield FRatio(schema=SCHEMA, column="illness", positive="flu", learner="tree", test=0.4), people, release
    for utility in utilities_on(SCHEMA, None, None):
        yield utility, people, release
