"""Traces as a kind of data: public names, studies, documentation."""

from __future__ import annotations

import doctest

import pytest

import sfumato.trace
from helpers import DOCS
from sfumato.trace.room import ROOM


def test_public_names_are_all_there():
    for name in sfumato.trace.__all__:
        assert getattr(sfumato.trace, name) is not None
    with pytest.raises(AttributeError):
        sfumato.trace.nothing


def test_a_view_for_the_auditor_is_no_mechanism_of_its_own():
    ways = ["trace-noise", "place-noise", "time-cut", "lasting-noise", "sticky-zone", "remapped-planar"]
    assert list(ROOM.mechanisms())[:6] == ways
    assert "secret-channel" not in ROOM.mechanisms()


def test_examples_of_the_page_run():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / "trace.md"), module_relative=False, optionflags=flags)
    assert result.attempted > 5
    assert result.failed == 0
