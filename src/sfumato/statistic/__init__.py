"""Numbers computed from data: counts, sums, means, variances, histograms, quantiles and Welch's t-test.

Mechanisms release one statistic of a column; attacks ask what it tells about one person; utilities ask what is left of
it. ``WelchAlgorithm8`` is the dissertation's own test, kept for comparison: it has no guarantee. Names are loaded when
first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.statistic.algorithm8 import WelchAlgorithm8
    from sfumato.statistic.attack import Differencing, EmpiricalEpsilon, MembershipInference
    from sfumato.statistic.count import Count
    from sfumato.statistic.histogram import Histogram
    from sfumato.statistic.mean import Mean
    from sfumato.statistic.private_welch import PrivateWelch
    from sfumato.statistic.quantile import Quantile
    from sfumato.statistic.studies import EachPlannedStudy, EachStudy, PValues, Studies, make_studies
    from sfumato.statistic.sum import Sum
    from sfumato.statistic.t_test import Welch, welch
    from sfumato.statistic.two_groups import TwoGroups
    from sfumato.statistic.utility import Coverage, Discrimination, Error, FalseAlarms, Power, power_curve
    from sfumato.statistic.variance import Variance
    from sfumato.statistic.welch_sensitivity import local_bound, smooth_bound
    from sfumato.statistic.welch_test import WelchAnswer, WelchTest

_HOMES = {
    "Count": "count",
    "Coverage": "utility",
    "Differencing": "attack",
    "Discrimination": "utility",
    "EachPlannedStudy": "studies",
    "EachStudy": "studies",
    "EmpiricalEpsilon": "attack",
    "Error": "utility",
    "FalseAlarms": "utility",
    "Histogram": "histogram",
    "Mean": "mean",
    "MembershipInference": "attack",
    "PValues": "studies",
    "Power": "utility",
    "PrivateWelch": "private_welch",
    "Quantile": "quantile",
    "Studies": "studies",
    "Sum": "sum",
    "TwoGroups": "two_groups",
    "Variance": "variance",
    "Welch": "t_test",
    "WelchAlgorithm8": "algorithm8",
    "WelchAnswer": "welch_test",
    "WelchTest": "welch_test",
    "local_bound": "welch_sensitivity",
    "make_studies": "studies",
    "power_curve": "utility",
    "smooth_bound": "welch_sensitivity",
    "welch": "t_test",
}

__all__ = [
    "Count",
    "Coverage",
    "Differencing",
    "Discrimination",
    "EachPlannedStudy",
    "EachStudy",
    "EmpiricalEpsilon",
    "Error",
    "FalseAlarms",
    "Histogram",
    "Mean",
    "MembershipInference",
    "PValues",
    "Power",
    "PrivateWelch",
    "Quantile",
    "Studies",
    "Sum",
    "TwoGroups",
    "Variance",
    "Welch",
    "WelchAlgorithm8",
    "WelchAnswer",
    "WelchTest",
    "local_bound",
    "make_studies",
    "power_curve",
    "smooth_bound",
    "welch",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.statistic.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
