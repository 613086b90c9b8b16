"""Tables with quasi-identifiers: protect them, attack the release, measure what is left.

Names are loaded when first asked for: most bring a compiler along.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.table.anatomy import Anatomy
    from sfumato.table.attack import BackgroundKnowledge, Homogeneity, Posterior, Reidentification, Revealing
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
    "AdditiveNoise": "perturb",
    "AllOf": "promise",
    "Anatomy": "anatomy",
    "AverageClassSize": "loss",
    "BackgroundKnowledge": "attack",
    "CategoryNoise": "steps",
    "ClassificationLoss": "loss",
    "ColumnMethods": "methods",
    "CorrelatedNoise": "perturb",
    "DeltaPresence": "promise",
    "Discernibility": "loss",
    "Generalise": "steps",
    "GlobalRecoding": "decide",
    "GreedyKMember": "kmember",
    "Hierarchy": "hierarchy",
    "Homogeneity": "attack",
    "InformationLoss": "loss",
    "Inspection": "inspection",
    "LDiversity": "promise",
    "Lineage": "release",
    "LocalRecoding": "decide",
    "Microaggregation": "microaggregation",
    "NonUniformEntropy": "loss",
    "NumberNoise": "steps",
    "PopulationUniqueness": "risk",
    "Posterior": "attack",
    "Protected": "protection",
    "RecordSuppression": "perturb",
    "RecursiveDiversity": "promise",
    "Reidentification": "attack",
    "ReidentificationRisk": "promise",
    "Revealing": "attack",
    "Sampling": "perturb",
    "Schema": "schema",
    "Suppress": "steps",
    "Swap": "steps",
    "Swapping": "perturb",
    "TCloseness": "promise",
    "TopBottom": "steps",
    "check": "inspection",
    "class_risk": "risk",
    "population_uniques": "risk",
    "protect": "protection",
    "protect_file": "protection",
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


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.table.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
