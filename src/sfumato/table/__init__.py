"""Tables with quasi-identifiers: protect them, attack the release, measure what is left.

Names are loaded when first asked for: most bring a compiler along.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

if TYPE_CHECKING:
    from sfumato.table.anatomy import Anatomy
    from sfumato.table.attack import BackgroundKnowledge, Homogeneity, Linkage, Posterior, Reidentification, Revealing
    from sfumato.table.decide import GlobalRecoding, LocalRecoding
    from sfumato.table.hierarchy import Hierarchy
    from sfumato.table.inspection import Inspection, check
    from sfumato.table.kmember import GreedyKMember
    from sfumato.table.loss import (
        AverageClassSize,
        ClassificationLoss,
        Discernibility,
        InformationLoss,
        NonUniformEntropy,
    )
    from sfumato.table.methods import ColumnMethods
    from sfumato.table.microaggregation import Microaggregation
    from sfumato.table.perturb import AdditiveNoise, CorrelatedNoise, RecordSuppression, Sampling, Swapping
    from sfumato.table.promise import (
        AllOf,
        DeltaPresence,
        LDiversity,
        RecursiveDiversity,
        ReidentificationRisk,
        TCloseness,
    )
    from sfumato.table.protection import Protected, protect, protect_file
    from sfumato.table.release import Lineage
    from sfumato.table.risk import PopulationUniqueness, class_risk, population_uniques
    from sfumato.table.schema import Schema
    from sfumato.table.steps import CategoryNoise, Generalise, NumberNoise, Suppress, Swap, TopBottom

_HOMES = {
    "AdditiveNoise": "sfumato.table.perturb",
    "AllOf": "sfumato.table.promise",
    "Anatomy": "sfumato.table.anatomy",
    "AverageClassSize": "sfumato.table.loss",
    "BackgroundKnowledge": "sfumato.table.attack",
    "CategoryNoise": "sfumato.table.steps",
    "ClassificationLoss": "sfumato.table.loss",
    "ColumnMethods": "sfumato.table.methods",
    "CorrelatedNoise": "sfumato.table.perturb",
    "DeltaPresence": "sfumato.table.promise",
    "Discernibility": "sfumato.table.loss",
    "Generalise": "sfumato.table.steps",
    "GlobalRecoding": "sfumato.table.decide",
    "GreedyKMember": "sfumato.table.kmember",
    "Hierarchy": "sfumato.table.hierarchy",
    "Homogeneity": "sfumato.table.attack",
    "InformationLoss": "sfumato.table.loss",
    "Inspection": "sfumato.table.inspection",
    "LDiversity": "sfumato.table.promise",
    "Lineage": "sfumato.table.release",
    "Linkage": "sfumato.table.attack",
    "LocalRecoding": "sfumato.table.decide",
    "Microaggregation": "sfumato.table.microaggregation",
    "NonUniformEntropy": "sfumato.table.loss",
    "NumberNoise": "sfumato.table.steps",
    "PopulationUniqueness": "sfumato.table.risk",
    "Posterior": "sfumato.table.attack",
    "Protected": "sfumato.table.protection",
    "RecordSuppression": "sfumato.table.perturb",
    "RecursiveDiversity": "sfumato.table.promise",
    "Reidentification": "sfumato.table.attack",
    "ReidentificationRisk": "sfumato.table.promise",
    "Revealing": "sfumato.table.attack",
    "Sampling": "sfumato.table.perturb",
    "Schema": "sfumato.table.schema",
    "Suppress": "sfumato.table.steps",
    "Swap": "sfumato.table.steps",
    "Swapping": "sfumato.table.perturb",
    "TCloseness": "sfumato.table.promise",
    "TopBottom": "sfumato.table.steps",
    "check": "sfumato.table.inspection",
    "class_risk": "sfumato.table.risk",
    "population_uniques": "sfumato.table.risk",
    "protect": "sfumato.table.protection",
    "protect_file": "sfumato.table.protection",
}

__all__ = [
    "AdditiveNoise",
    "AllOf",
    "Anatomy",
    "AverageClassSize",
    "BackgroundKnowledge",
    "CategoryNoise",
    "ClassificationLoss",
    "ColumnMethods",
    "CorrelatedNoise",
    "DeltaPresence",
    "Discernibility",
    "Generalise",
    "GlobalRecoding",
    "GreedyKMember",
    "Hierarchy",
    "Homogeneity",
    "InformationLoss",
    "Inspection",
    "LDiversity",
    "Lineage",
    "Linkage",
    "LocalRecoding",
    "Microaggregation",
    "NonUniformEntropy",
    "NumberNoise",
    "PopulationUniqueness",
    "Posterior",
    "Protected",
    "RecordSuppression",
    "RecursiveDiversity",
    "Reidentification",
    "ReidentificationRisk",
    "Revealing",
    "Sampling",
    "Schema",
    "Suppress",
    "Swap",
    "Swapping",
    "TCloseness",
    "TopBottom",
    "check",
    "class_risk",
    "population_uniques",
    "protect",
    "protect_file",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
