"""Every attack says which of the three tests it stands for and what its attacker knows."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from sfumato.release.card import Criterion
from sfumato.study import find_rooms

ATTACKS = {
    f"{room.name}: {type(example[0]).__name__}": example[0]
    for room in find_rooms().values()
    for example in room.attacks()
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_it_says_what_it_tests_and_what_it_knows(attack: Any) -> None:
    assert attack.criterion in (*get_args(Criterion), None)
    assert isinstance(attack.knows, str)
    assert attack.knows.split()[0] != "Knows"
    assert not attack.knows.endswith(".")
