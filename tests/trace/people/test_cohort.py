"""Many people in one release: protected on their own, attacked and measured together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import InputError
from sfumato.io import read_table, write_table
from sfumato.noise import seeded_rng
from sfumato.release import Release, Terms, verify
from sfumato.trace import protect_people

HIDDEN = {"secrets": ["01:20-01:40"]}


def crowd(people: int = 5, points: int = 180) -> pa.Table:
    """Random walks of several people, row by row in a random order."""
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 3e-4, (people, points, 2)).cumsum(axis=1)
    steps[:, 80:100] = steps[:, 80:81]  # a stay
    columns = {
        "who": np.repeat([f"person {k}" for k in range(people)], points),
        "time": np.tile(60.0 * np.arange(points), people),
        "latitude": 52.5 + steps[..., 0].ravel(),
        "longitude": 13.4 + steps[..., 1].ravel(),
    }
    return pa.table(columns).take(rng.permutation(people * points))


def test_everybody_is_protected_and_nobody_is_named() -> None:
    table = crowd()
    release = protect_people(table, user="who", **HIDDEN)
    assert sorted(set(release.arrow["who"].to_pylist())) == [1, 2, 3, 4, 5]
    assert release.arrow.num_rows == 5 * 119
    rows = release.key.rows
    assert rows is not None
    for name in ("time", "latitude"):
        np.testing.assert_allclose(table[name].to_numpy()[rows], release.arrow[name].to_numpy(), atol=1e-5)
    held = release.key.secrets["people"]
    assert {one["name"] for one in held.values()} == {f"person {k}" for k in range(5)}
    assert table["who"].take(rows).to_pylist() == [held[str(k)]["name"] for k in release.arrow["who"].to_pylist()]
    assert not any(f"person {k}" in release.card.to_json() for k in range(5))


def test_the_order_of_people_is_random() -> None:
    table = crowd(6, 60)
    seen = {
        tuple(one["name"] for one in release.key.secrets["people"].values())
        for release in (protect_people(table, user="who", secrets=["00:05"], margin=60.0) for _ in range(6))
    }
    assert len(seen) > 1  # the same of 720 orders six times over: less than one in 10¹³


def test_one_report_for_all(tmp_path: Path) -> None:
    table = crowd(3)
    release = protect_people(table, user="who", keep_times=True, epsilon=0.2, **HIDDEN)
    found = {one.name: one for one in release.attack(table)}
    assert len(found["learned path"].reason) == 0
    assert found["learned path"].score.low < found["learned path"].score.high
    strongest = [name for name in found if name.startswith("strongest")]
    assert [name.rpartition(": ")[2] for name in strongest] == ["median error, m", "within 50 m", "within 200 m"]
    medians = found[strongest[0]]
    assert medians.criterion is None
    # A guess is within 20 m with probability 1/200 by the law of ε = 1, and with 1/5000 by that of ε = 1/5, whose noise
    # is five times as wide. Two of three are with 1/(8·10⁶), and there are nine attackers: one run in a million.
    assert medians.score.value > 20
    assert {one.name for one in release.measure(table)} >= {"path error, m"}
    release.write(tmp_path / "out.parquet", key=tmp_path / "out.key")
    assert verify(tmp_path / "out.parquet").holds
    again = Release.read(tmp_path / "out.parquet", key=tmp_path / "out.key")
    assert [one.name for one in again.measure(table)] == [one.name for one in release.measure(table)]
    with pytest.raises(InputError, match="who is who"):
        Release.read(tmp_path / "out.parquet").attack(table)
    with pytest.raises(InputError, match="other people"):
        release.attack(crowd(2).set_column(0, "who", pa.array(["x"] * 360)))


def test_who_cannot_be_released_is_told_or_left_out() -> None:
    table = crowd(3)
    import pyarrow.compute as pc

    short = table.filter(pc.or_(pc.not_equal(table["who"], "person 2"),
                                        pc.less(table["time"], 400.0)))  # fmt: skip
    with pytest.raises(InputError, match=r"1 of 3 people cannot be released; of the first, number 3 .*--skip"):
        protect_people(short, user="who", **HIDDEN)
    release = protect_people(short, user="who", skip=True, **HIDDEN)
    assert release.card.release.rows_suppressed == 1
    assert sorted(set(release.arrow["who"].to_pylist())) == [1, 2]
    both = table.set_column(0, "who", pa.array(["one"] * table.num_rows))
    far = both.set_column(2, "latitude", pa.array(table["latitude"].to_numpy() + np.arange(table.num_rows) % 2))
    moved = far.set_column(1, "time", pa.array(table["time"].to_numpy() + np.arange(table.num_rows) * 0.01))
    with pytest.raises(InputError, match="looks like two people"):
        protect_people(moved, user="who", **HIDDEN)
    with pytest.raises(InputError, match="--user"):
        protect_people(table, user="name", **HIDDEN)


def test_processes_and_seeds_do_not_change_what_leaves() -> None:
    table = crowd(8, 120)
    options: dict[str, Any] = {"user": "who", "secrets": ["00:50-01:00"], "keep_times": True, "epsilon": 4.0}
    one, two = (protect_people(table, **options, workers=k, rng=seeded_rng(3)) for k in (1, 2))
    assert one.arrow.equals(two.arrow)
    assert one.guarantee.vacuous  # a seed promises nothing


def test_each_person_has_a_zone_of_their_own(tmp_path: Path) -> None:
    from sfumato.ledger import Ledger

    ledger = tmp_path / "people.ledger"
    Ledger(ledger).close()
    terms = Terms(ledger=ledger, subject="everybody")
    table = crowd(3)
    first = protect_people(table, user="who", home=(52.5, 13.4), radius=20.0, terms=terms)
    second = protect_people(table, user="who", home=(52.5, 13.4), radius=20.0, terms=terms)

    def centres(release: Release) -> dict[str, Any]:
        return {one["name"]: one["secrets"]["centre"] for one in release.key.secrets["people"].values()}

    assert centres(first) == centres(second)  # drawn once
    assert len({tuple(centre) for centre in centres(first).values()}) == 3


def call(verb: str, *words: Any) -> str:
    done = CliRunner().invoke(app, ["trace", verb, *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_on_the_command_line(tmp_path: Path) -> None:
    table, out = crowd(2).rename_columns(["who", "stamp", "y", "x"]), tmp_path / "out.csv"
    write_table(table, tmp_path / "all.csv")
    names = ["--columns", "time=stamp,lat=y,lon=x"]
    words = ["--user", "who", *names, "--secret", "01:20-01:40", "--key", tmp_path / "all.key", "-o", out]
    call("protect", tmp_path / "all.csv", *words)
    assert read_table(out).column_names == ["who", "time", "latitude", "longitude"]
    assert "strongest" in call("attack", tmp_path / "all.csv", out, "--key", tmp_path / "all.key")
    folder = tmp_path / "people"
    folder.mkdir()
    for who in ("ann", "bob"):
        one = crowd(1).sort_by("time").drop_columns(["who"])
        write_table(one, folder / f"{who}.csv")
    words = ["--secret", "01:20-01:40", "--key", tmp_path / "two.key", "-o", tmp_path / "two.csv"]
    call("protect", folder, *words)
    assert set(read_table(tmp_path / "two.csv")["file"].to_pylist()) == {1, 2}
    assert "path error" in call("measure", folder, tmp_path / "two.csv", "--key", tmp_path / "two.key")
    one = crowd(1).sort_by("time").drop_columns(["who"]).slice(60, 60).rename_columns(["stamp", "y", "x"])
    write_table(one, tmp_path / "one.csv")
    single = [*names, "--secret", "01:20-01:40", "--keep-times", "--key", tmp_path / "one.key"]
    call("protect", tmp_path / "one.csv", *single, "-o", tmp_path / "o.gpx")
    back = (tmp_path / "one.csv", tmp_path / "o.gpx", "--key", tmp_path / "one.key")
    assert "strongest" in call("attack", *back)
    call("map", *back, "-o", tmp_path / "map.html")
    page = (tmp_path / "map.html").read_text()
    assert "What a promise costs" in page
    assert "hangs together" in page
