"""The study of recoding beside differential privacy, on the Adult set."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.study import Study

__all__ = ["private_study"]

SECRET, POSITIVE = "salary-class", ">50K"
DELTA = 1e-5


def private_study(
    sizes: Iterable[int] = (5, 20, 100), epsilons: Iterable[float] = (0.5, 1.0, 2.0, 4.0), victims: int = 1_000
) -> Study:
    """Study of the Adult set: k-anonymity, a sampled generalisation and synthetic records before the same attackers.

    Half of the people are protected. The others are like them and not in the table: what an attacker learns of these
    follows from the population, and what is learned of members beyond it comes from their records.
    """
    import numpy as np

    from sfumato.io.datasets.adult import ADULT_BENCHMARK, adult_hierarchy, load_adult_benchmark
    from sfumato.promise import KAnonymity
    from sfumato.table.attacks.nearness.likeness_value import LikenessValueAttack
    from sfumato.table.attacks.nearness.table_membership import MembershipAttack
    from sfumato.table.core.hierarchy import Hierarchy
    from sfumato.table.core.lineage import Lineage
    from sfumato.table.core.schema import Schema
    from sfumato.table.mechanisms.private.sampled_generalisation import SampledGeneralisation
    from sfumato.table.mechanisms.private.synthesis.marginal_synthesis import MarginalSynthesis
    from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
    from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
    from sfumato.table.utilities.f_ratio import FRatio
    from sfumato.table.utilities.marginals import Marginals
    from sfumato.table.utilities.range_queries import RangeQueries

    everyone = load_adult_benchmark()
    mixed = np.random.default_rng(0).permutation(everyone.num_rows)
    half = everyone.num_rows // 2
    members, others = everyone.take(np.sort(mixed[:half])), everyone.take(np.sort(mixed[half:]))
    trees = {name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK}
    schema = Schema(
        quasi={name: tree for name, tree in trees.items() if name != SECRET}, sensitive={SECRET: trees[SECRET]}
    )
    ks, losses = list(sizes), list(epsilons)
    return Study(
        name="private",
        title=f"{half} people of the Adult set leave the house in four ways",
        summary="Eight columns an attacker may know and an income. Half of the set is protected, the other half are "
        "people like them: attacks on both tell what comes from a person's own record.",
        data=Lineage(members, np.arange(half)),
        mechanisms={
            "one level a column, k": [
                GlobalRecoding(schema=schema, target=[KAnonymity(k)], suppression=0.04) for k in ks
            ],
            "local recoding, k": [LocalRecoding(schema=schema, target=[KAnonymity(k)]) for k in ks],
            "sampled generalisation, ε": [
                SampledGeneralisation(schema=schema, epsilon=loss, delta=DELTA) for loss in losses
            ],
            "synthesis from marginals, ε": [
                MarginalSynthesis(schema=schema, epsilon=loss, delta=DELTA) for loss in losses
            ],
        },
        attacks=[
            MembershipAttack(schema=schema, control=others, people=victims),
            LikenessValueAttack(schema=schema, column=SECRET, control=others, victims=victims),
        ],
        utilities=[
            RangeQueries(schema=schema, queries=100),
            Marginals(schema=schema),
            FRatio(schema=schema, column=SECRET, positive=POSITIVE),
        ],
        seeds=1,
        varied="epsilon",
        records=half,
    )
