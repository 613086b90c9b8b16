"""The examples of docs/trace.md run, commands included."""

from __future__ import annotations

import doctest
import re
import shlex

import pytest

from helpers import DOCS
from sfumato.cli import main
from sfumato.ledger import Ledger
from sfumato.trace import GpsTrace, Projection, write_gps
from sfumato.trace.data.day import make_day

PAGE = (DOCS / "trace.md").read_text()


def test_example_runs():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(PAGE, {}, "trace.md", "trace.md", 0)
    assert len(test.examples) > 8
    assert doctest.DocTestRunner(optionflags=flags, verbose=False).run(test).failed == 0


def test_commands_run_one_after_the_other(tmp_path, monkeypatch):
    pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
    monkeypatch.chdir(tmp_path)
    day = make_day(every=15.0)
    Ledger("me.ledger").close()
    latitude, longitude = Projection(52.5, 13.4).to_degrees(day.path)
    write_gps(GpsTrace(1.6e9 - 1.6e9 % 86400 + 60 * day.times, latitude, longitude), "day.gpx")
    lines = re.findall(r"^    (sfumato trace (?:protect|attack|measure|map) .*)$", PAGE, re.M)
    assert len(lines) == 7
    for line in lines:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line
