from sfumato.study.conformance.checks import Check as Check
from sfumato.study.conformance.checks import check as check
from sfumato.study.conformance.checks import collect_attacks as collect_attacks
from sfumato.study.conformance.checks import collect_cases as collect_cases
from sfumato.study.conformance.checks import collect_utilities as collect_utilities
from sfumato.study.conformance.checks import yield_checks as yield_checks
from sfumato.study.conformance.measures import Example as Example
from sfumato.study.conformance.parameters import CheckError as CheckError
