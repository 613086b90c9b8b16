"""The examples of docs/statistic.md run, commands included."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pyarrow as pa
import pytest

from helpers import DOCS
from sfumato.cli import main
from sfumato.io.files import write_table
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.statistic.data import make_people

PAGE = (DOCS / "statistic.md").read_text()
COMMANDS = re.findall(r"^    (sfumato statistic (?:protect|attack|measure) .*)$", PAGE, flags=re.M)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, flags=re.S))
def test_example_runs(code):
    names: dict[str, object] = {}
    exec(code, names)
    assert abs(names["answer"] - 47) < 5


def test_commands_run(tmp_path, monkeypatch):
    """One after the other, as on the page: attack and measure read what protect wrote."""
    assert len(COMMANDS) >= 8
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    more = {
        "score": pa.array(rng.random(200)),
        "sick": pa.array(rng.choice(["yes", "no"], 200).tolist()),
        "region": pa.array(rng.choice(["north", "south"], 200).tolist()),
        "x": pa.array(rng.normal(0, 900, 200)),
        "y": pa.array(rng.normal(0, 900, 200)),
    }
    people = make_people(200).drop_columns(["region"])
    for name, values in more.items():
        people = people.append_column(name, values)
    write_table(people, "people.csv")
    with Ledger("budgets.db") as book:
        book.set("people.csv", PureDP(2.0))
    for line in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line
