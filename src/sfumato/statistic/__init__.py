"""Numbers computed from data: counts, sums, means, variances, histograms, quantiles and Welch's t-test.

Mechanisms release one statistic of a column; attacks ask what it tells about one person; utilities ask what is left of
it. ``WelchAlgorithm8`` is the dissertation's own test, kept for comparison: it has no guarantee. Names are loaded when
first asked for.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

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
    "Count": "sfumato.statistic.count",
    "Coverage": "sfumato.statistic.utility",
    "Differencing": "sfumato.statistic.attack",
    "Discrimination": "sfumato.statistic.utility",
    "EachPlannedStudy": "sfumato.statistic.studies",
    "EachStudy": "sfumato.statistic.studies",
    "EmpiricalEpsilon": "sfumato.statistic.attack",
    "Error": "sfumato.statistic.utility",
    "FalseAlarms": "sfumato.statistic.utility",
    "Histogram": "sfumato.statistic.histogram",
    "Mean": "sfumato.statistic.mean",
    "MembershipInference": "sfumato.statistic.attack",
    "PValues": "sfumato.statistic.studies",
    "Power": "sfumato.statistic.utility",
    "PrivateWelch": "sfumato.statistic.private_welch",
    "Quantile": "sfumato.statistic.quantile",
    "Studies": "sfumato.statistic.studies",
    "Sum": "sfumato.statistic.sum",
    "TwoGroups": "sfumato.statistic.two_groups",
    "Variance": "sfumato.statistic.variance",
    "Welch": "sfumato.statistic.t_test",
    "WelchAlgorithm8": "sfumato.statistic.algorithm8",
    "WelchAnswer": "sfumato.statistic.welch_test",
    "WelchTest": "sfumato.statistic.welch_test",
    "local_bound": "sfumato.statistic.welch_sensitivity",
    "make_studies": "sfumato.statistic.studies",
    "power_curve": "sfumato.statistic.utility",
    "smooth_bound": "sfumato.statistic.welch_sensitivity",
    "welch": "sfumato.statistic.t_test",
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


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
