"""Every mechanism, attack and utility with inputs to try it on, for the auditor, the checks and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.party.attacks.answer_inference import AnswerAttack
from sfumato.party.attacks.bisection import BisectionAttack
from sfumato.party.attacks.last_answer import LastAnswerAttack
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.party.mechanisms.private_count import PrivateCount
from sfumato.party.utilities.answer_accuracy import AnswerAccuracy
from sfumato.party.utilities.yes_error import YesError

__all__ = ["attack_examples", "attacks_on", "audit_cases", "utilities_of", "utility_examples"]

DATA = np.array([1, 0, 0, 1, 1])
RELEASE = np.array([1, 0, 1, 1, 0])


def audit_cases() -> Iterator[AuditCase]:
    """One case for each mechanism."""
    yield AuditCase(
        mechanism=PrivateAnswers(epsilon=1.0),
        pairs=[(0, 1), (1, 0)],
        outputs=np.array([0, 1]),
        bad=[2, -1, float("nan"), "yes"],
        source="Warner 1965; Mimoto ch. 8 and 9: the answer is not protected by the protocol",
    )
    yield AuditCase(
        mechanism=PrivateCount(epsilon=0.5),
        pairs=[(np.array([0, 1, 1]), np.array([1, 1, 1])), (np.array([0, 0]), np.array([0, 1]))],
        outputs=np.arange(-60, 64),
        bad=[np.array([0, 2]), np.array([0.5]), "yes"],
        source="Ghosh, Roughgarden, Sundararajan 2009",
    )


def attack_examples() -> Iterator[tuple[Any, Any, Any, Any]]:
    """Each attack with data, a release of it and its mechanism."""
    yield AnswerAttack(), DATA, RELEASE, PrivateAnswers(epsilon=1.0)
    numbers = np.array([3, 9, 14, 0, 7])
    yield BisectionAttack(bits=4, repeats=3), numbers, (numbers <= 7).astype(int), PrivateAnswers(epsilon=2.0)
    yield LastAnswerAttack(repeats=200), DATA, 4, PrivateCount(epsilon=0.5)


def utility_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each utility with data and a release of it."""
    yield AnswerAccuracy(), DATA, RELEASE
    yield YesError(epsilon=1.0), DATA, RELEASE


def attacks_on(mechanism: Any) -> list[Any]:
    """The attacks that fit what was released: those tried on the same mechanism, and that need no live peer."""
    kind = PrivateAnswers if mechanism is None else type(mechanism)
    tried = [(one, example) for one, _, _, example in attack_examples() if not getattr(one, "live", False)]
    return [type(one)() for one, example in tried if issubclass(kind, type(example))]


def utilities_of(mechanism: Any) -> list[Any]:
    """The utilities that fit what was released."""
    if isinstance(mechanism, PrivateCount):
        return [YesError()]
    return [AnswerAccuracy(), YesError(epsilon=None if mechanism is None else mechanism.epsilon)]
