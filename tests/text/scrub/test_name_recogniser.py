"""Names by lists and by where they stand."""

from __future__ import annotations

import pytest

from helpers.recognisers import found
from sfumato.text.scrub.name_recogniser import NameRecogniser, nltk_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hi Xanthippe,\nall well?", ["Xanthippe"]),
        ("Dear Dr. Zwingli and Ms Okonkwo,\n", ["Zwingli", "Okonkwo"]),
        ("Good morning all,\n", []),
        ("see you\n\nBest regards,\nKerstin Ahl", ["Kerstin Ahl"]),
        ("see you\n\nThanks,\nkerstin\n", ["kerstin"]),
        ("Thanks,\nHope to see you soon", []),
        ("From: Ahl, Kerstin <k@x.org>\nTo: team", ["Ahl", "Kerstin"]),
        ("we asked Peter van der Berg and left", ["Peter van der Berg"]),
        ("it was Maria's idea", ["Maria"]),
        ("ask Prof. Quispe about it; Quispe knows", ["Quispe", "Quispe"]),
        ("my name is Tevita Huanca", ["Tevita Huanca"]),
        ("mail eszter.horvath@x.org, or ask Eszter", ["Eszter"]),
        ("Will you be there in May? Mark it.", []),
        ("Hi Hope,\n", ["Hope"]),
        ("I met Mark Weber", ["Mark Weber"]),
        ("on Monday the Peter Smith Foundation", []),
    ],
)
def test_names(text, names):
    assert [value for _, value in found(NameRecogniser(), text)] == names


def test_a_list_of_your_own():
    assert found(NameRecogniser(names=["Qwerty Uiop"]), "ask Qwerty or Uiop or Peter") == [
        ("PERSON", "Qwerty"),
        ("PERSON", "Uiop"),
    ]


@pytest.mark.data
def test_nltk_names():
    assert len(nltk_names()) > 7_000
    assert "philomena" in nltk_names()
