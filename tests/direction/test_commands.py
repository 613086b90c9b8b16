"""The commands of directions, from file to file: every mechanism, attacks, measures, rejections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.commands import listed_as
from helpers.door_contract import Contract, rewritten, run, the_error
from sfumato.direction import PlaceAndTimePrivacy, Purkayastha, metres_to_radians, unit_vector
from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey
from sfumato.direction.room import ROOM
from sfumato.errors import InputError
from sfumato.io.files import read_table, write_table
from sfumato.promise import MetricDP, PureDP
from sfumato.release import Card, verify
from sfumato.release.card import card_path

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def poll(tmp_path: Path) -> Path:
    survey = make_sleep_survey(people=40, nights=5)
    path = tmp_path / "poll.csv"
    write_table(pa.table({"person": survey.user, "wakes": survey.hour.ravel()}), path)
    return path


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    data = make_check_ins(users=15, places=20, cities=2, records=400)
    path = tmp_path / "visits.parquet"
    columns = {"user": data.user, "lat": data.latlon[:, 0], "lon": data.latlon[:, 1], "hour": data.hour}
    write_table(pa.table(columns), path)
    write_table(pa.table({"lat": data.places[:, 0], "lon": data.places[:, 1]}), tmp_path / "places.csv")
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "protected.csv"


@pytest.fixture
def call(capsys: Capture) -> Any:
    """Call a command that succeeds; what it wrote and said."""

    def call(*words: object) -> str:
        code = run("direction", *words)
        written = capsys.readouterr()
        assert code == 0, written.err
        return written.out + written.err

    return call


def key(path: Path) -> tuple[str, Path]:
    return "--key", path.with_suffix(".key")


def test_commands_on_hours(poll: Path, out: Path, call: Any) -> None:
    said = call("protect", poll, "-c", "wakes", "--pure", 20, "-o", out, *key(out))
    assert "ε = 20" in said
    assert "not protected: the number of records" in said
    assert read_table(out).column_names == ["wakes"]
    found = call("attack", poll, out, "--person", "person", *key(out))
    assert "habit found" in found
    assert "records linked" in found
    assert "mean error (h)" in call("measure", poll, out, *key(out))
    said = call("protect", poll, "-c", "wakes", "--pure", 20, "-o", out, *key(out), "--keep", "person", "--keep-order")
    assert "not protected: person (unchanged)" in said
    before, after = read_table(poll), read_table(out)
    assert after.column_names == before.column_names
    assert after["person"].equals(before["person"])
    assert not after["wakes"].equals(before["wakes"])


def test_commands_on_places(visits: Path, out: Path, call: Any, capsys: Capture) -> None:
    noise = ["--level", 2, "--radius", 200, "-m", "von-mises-fisher"]
    call(
        "protect", visits, "-c", "lat", "-c", "lon", "--kind", "latlon", *noise, "--keep", "hour", "-o", out, *key(out)
    )
    assert "home found" in call("attack", visits, out, "--person", "user", "--hour", "hour", *key(out))
    assert "home found" in call("attack", visits, out, "--person", "user", *key(out))
    assert "direction found within 0.1 km" in call("attack", visits, out, *key(out))
    assert "direction found within 0.5 km" in call("attack", visits, out, *key(out), "--tolerance", 500)
    assert "mean error (km)" in call("measure", visits, out, *key(out))
    assert run("direction", "attack", visits, out, *key(out), "--hour", "noon") == 2
    assert "a column of the release" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["vector", "angle"])
def test_commands_on_vectors_and_angles(kind: str, tmp_path: Path, out: Path, call: Any) -> None:
    """With little noise records are linked and directions found; with much, not more than by chance."""
    # The release draws anew each time: directions that lie far apart are linked however the noise falls.
    vectors = unit_vector(np.random.default_rng(3).standard_normal((60, 4)))
    values = vectors if kind == "vector" else np.linspace(0, 2 * np.pi, 60, endpoint=False)[:, None]
    names = [f"v{i}" for i in range(values.shape[1])]
    table = pa.table({name: values[:, i] for i, name in enumerate(names)})
    write_table(table.append_column("secret", pa.array(range(60))), tmp_path / "in.parquet")
    columns = [word for name in names for word in ("-c", name)]
    linked = {}
    for epsilon in (0.01, 5000):
        call("protect", tmp_path / "in.parquet", *columns, "--kind", kind, "--epsilon", epsilon, "-o", out, *key(out))
        found = call("attack", tmp_path / "in.parquet", out, *key(out))
        assert "direction found within 0.1 rad" in found
        linked[epsilon] = float(next(line for line in found.splitlines() if "records linked" in line).split()[2])
        measured = call("measure", tmp_path / "in.parquet", out, *key(out))
        assert "mean error (rad)" in measured
        assert ("histogram error" in measured) == (kind == "angle")
    assert linked[5000] == 1
    assert linked[0.01] < 0.2


def test_choose_command(call: Any) -> None:
    assert "SphericalCap" in call("choose", "--n", 2, "--pure", 1)


def test_seed_is_for_experiments(poll: Path, tmp_path: Path, call: Any) -> None:
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    said = [call("protect", poll, "-c", "wakes", "--epsilon", 2, "--seed", 7, "-o", path) for path in (first, second)]
    assert first.read_bytes() == second.read_bytes()
    assert all("warning" in text for text in said)
    assert all("no guarantee" in text for text in said)


@pytest.mark.parametrize(
    "words",
    [
        ["-c", "wake", "--pure", "1"],
        ["-c", "wakes"],
        ["-c", "wakes", "--level", "1"],
        ["-c", "wakes", "--pure", "0"],
        ["-c", "wakes", "--pure", "1", "-m", "magic"],
        ["-c", "wakes", "--pure", "1", "--kind", "latlon"],
        ["-c", "wakes", "--pure", "1", "--kind", "vector"],
        ["-c", "wakes", "--pure", "1", "--kind", "colour"],
        ["-c", "wakes", "-c", "wakes", "--pure", "1"],
        ["-c", "wakes", "--pure", "1", "--keep", "wakes"],
        ["-c", "wakes", "--pure", "1", "--keep", "name"],
        ["-c", "wakes", "--pure", "1", "--person", "name"],
        ["-c", "wakes", "--pure", "1", "--public", "bounds=0"],
        ["-c", "person", "--pure", "1"],
    ],
)
def test_bad_requests_write_nothing(poll: Path, out: Path, words: list[str], capsys: Capture) -> None:
    assert run("direction", "protect", poll, *words, "-o", out) == 2
    assert the_error(capsys.readouterr().err)
    assert not out.exists()
    assert not card_path(out).exists()


def test_another_file_is_refused(poll: Path, visits: Path, out: Path, call: Any, capsys: Capture) -> None:
    call("protect", poll, "-c", "wakes", "--pure", 1, "-o", out, *key(out))
    assert run("direction", "measure", visits, out, *key(out)) == 2
    assert "200 records" in capsys.readouterr().err
    assert run("direction", "attack", poll, out) == 2
    assert "protect --key FILE" in capsys.readouterr().err
    assert run("survey", "attack", poll, out, *key(out)) == 2
    assert "sfumato direction" in capsys.readouterr().err


PLACES = ["-c", "lat", "-c", "lon"]
COMMANDS: dict[str, list[object]] = {
    "von-mises-fisher": [*PLACES, "--kind", "latlon", "--level", 1, "--radius", 200],
    "purkayastha": ["-c", "hour", "--level", 1, "--radius", 3],
    "elliptical": [
        *PLACES,
        "--kind",
        "latlon",
        "--level",
        1,
        "--radius",
        200,
        "--set",
        "stretch=3",
        "--set",
        "centre=[20.0, 10.0]",
        "--set",
        "bearing=30",
    ],
    "directional-trace": [
        *PLACES,
        "--kind",
        "latlon",
        "--level",
        3,
        "--radius",
        200,
        "--trace",
        "user",
        "--set",
        "length=40",
    ],
    "spherical-cap": ["-c", "hour", "--pure", 1, "--set", "criterion=cosine"],
    "wrapped-laplace": ["-c", "hour", "--epsilon", 2, "--set", "calibration=nominal"],
    "clipped-laplace": ["-c", "hour", "--pure", 1],
    "polar-laplace": [*PLACES, "--kind", "latlon", "--set", "kappa=30000.0"],
    "bayesian-remap": [*PLACES, "--kind", "latlon", "--known", "places", "--level", 1, "--radius", 5000],
    "protected-survey": ["-c", "hour", "-c", "later", "--pure", 1, "--noise", "spherical-cap"],
    "naive-central-survey": ["-c", "hour", "-c", "later", "--group", "user", "--pure", 1],
    "protected-check-ins": [*PLACES, "--hour", "hour", "--known", "places", "--level", 1, "--radius", 5000],
}
ATTACKED = {"naive-central-survey": "habit found"}
MEASURED = {
    "protected-survey": "error of the mean (h)",
    "naive-central-survey": "error of the group means (h)",
    "protected-check-ins": "error of hour profiles (h)",
}


def made_up_visits(folder: Path) -> Path:
    data = make_check_ins(users=3, places=20, cities=2, records=60)
    columns = {"user": data.user, "lat": data.latlon[:, 0], "lon": data.latlon[:, 1], "hour": data.hour}
    write_table(pa.table({**columns, "later": data.hour[::-1]}), folder / "visits.csv")
    write_table(pa.table({"lat": data.places[:, 0], "lon": data.places[:, 1]}), folder / "places.csv")
    return folder / "visits.csv"


def words_of(listed: str, folder: Path) -> list[object]:
    return [folder / "places.csv" if word == "places" else word for word in COMMANDS[listed]]


@pytest.mark.parametrize("name", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(name: str, tmp_path: Path, out: Path, call: Any) -> None:
    """Protect, verify, attack and measure: the card tells the last two what was done."""
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    visits = made_up_visits(tmp_path)
    words = words_of(listed, tmp_path)
    said = call("protect", visits, "-m", name, *words, "-o", out, *key(out), "--keep-order")
    assert "promise: " in said
    assert ("no guarantee" in said) == (listed == "polar-laplace")
    assert verify(out).holds
    assert ATTACKED.get(listed, "records linked") in call("attack", visits, out, *key(out))
    assert MEASURED.get(listed, "mean error") in call("measure", visits, out, *key(out))
    before, after = read_table(visits), read_table(out)
    if listed == "naive-central-survey":
        assert [str(label) for label in after["user"].to_pylist()] == ["0", "1", "2", "all"]
        assert all(0 <= hour < 24 for hour in after["mean_hour"].to_pylist())
        return
    asked = [words[i + 1] for i, word in enumerate(words) if word in ("-c", "--hour")]
    assert after.column_names == asked
    assert not any(after[column].equals(before[column]) for column in asked)


@pytest.mark.parametrize("name", ROOM.mechanisms())
def test_every_mechanism_with_people(name: str, tmp_path: Path, out: Path, call: Any) -> None:
    """The promise for all records of a person stands beside the other, and the attacks look at all of them."""
    listed = listed_as(ROOM.mechanisms()[name], COMMANDS)
    visits = made_up_visits(tmp_path)
    said = call("protect", visits, "-m", name, *words_of(listed, tmp_path), "-o", out, *key(out), "--person", "user")
    assert ("for one person as a whole" in said) == (listed != "polar-laplace")
    found = call("attack", visits, out, *key(out), "--person", "user")
    places = "lat" in map(str, COMMANDS[listed])
    assert ("home found" if places else "habit found") in found


def test_totals_of_people_and_of_rows(tmp_path: Path, out: Path, call: Any) -> None:
    visits = made_up_visits(tmp_path)
    largest = max(np.bincount(read_table(visits)["user"].to_numpy()))

    def total(*words: object) -> tuple[str, float]:
        call("protect", visits, "-o", out, *words)
        written = Card.read(card_path(out)).promise["per_person"]["parameters"]
        return written["unit"], written["epsilon"]

    assert total("-c", "hour", "-c", "later", "--pure", 1) == ("row", 2)
    assert total("-c", "hour", "-c", "later", "--pure", 1, "-m", "protected-survey") == ("person", 2)
    assert total("-c", "hour", "--pure", 1, "--person", "user") == ("person", largest)
    assert total("-c", "hour", "-c", "later", "--pure", 1, "--person", "user") == ("person", 2 * largest)
    assert total("-c", "hour", "--epsilon", 0.5, "--person", "user", "--most", 40) == ("person", 20)
    call("protect", visits, "-o", out, "-m", "protected-check-ins", "--person", "user", "--most", 40,
         *words_of("protected-check-ins", tmp_path))  # fmt: skip
    both = Card.read(card_path(out)).promise["per_person"]["parameters"]
    assert both["time"]["epsilon"] == pytest.approx(40 * 4 / np.pi)
    assert both["place"]["epsilon"] == pytest.approx(40 / metres_to_radians(5000))


def sorted_visits() -> pa.Table:
    data = make_check_ins(users=3, places=20, cities=2, records=60)
    columns = {"user": data.user, "lat": data.latlon[:, 0], "lon": data.latlon[:, 1], "hour": data.hour}
    return pa.table({"number": range(60), **columns})


LOCAL: dict[str, Any] = {"neighbours": "any-pair", "model": "local"}
CONTRACTS = {
    "purkayastha": Purkayastha(level=1.0, radius=3 * 2 * np.pi / 24, kind="hour").guarantee,
    "spherical-cap": PureDP(1.0, **LOCAL),
    "protected-check-ins": PlaceAndTimePrivacy(
        Purkayastha(level=1.0, radius=metres_to_radians(5000), kind="latlon").guarantee,
        Purkayastha(level=1.0, radius=3 * 2 * np.pi / 24, kind="hour").guarantee,
    ),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_door(name: str, tmp_path: Path, capsys: Capture) -> None:
    made_up_visits(tmp_path)
    words = ["-m", name, *words_of(name, tmp_path), "--keep", "number"]
    contract = Contract(room="direction", table=sorted_visits(), words=words, sorted_by="number", price=CONTRACTS[name])
    contract.check_everything(tmp_path, capsys)


def test_a_budget_in_the_distance_of_the_promise(poll: Path, out: Path, call: Any, capsys: Capture) -> None:
    """Hours are paid from a budget in clock arcs, not from one of pure ε or of another distance."""
    ledger = poll.with_name("budget.ledger")
    assert run("budget", "set", "poll", "--epsilon", 3, "--metric", "clock arc", "--ledger", ledger) == 0
    assert run("budget", "set", "pure", "--epsilon", 3, "--ledger", ledger) == 0
    words = ("protect", poll, "-c", "wakes", "--ledger", ledger, "--subject")
    assert "left: ε = 1 per unit of clock arc" in call(*words, "poll", "--epsilon", 2, "-o", out)
    out.unlink()
    for more in (
        ("pure", "--epsilon", 1),
        ("poll", "--epsilon", 1, "-m", "von-mises-fisher"),
        ("poll", "--epsilon", 2),
    ):
        assert run("direction", *words, *more, "-o", out) == 2
        assert not out.exists()
    capsys.readouterr()


def test_a_release_that_promises_nothing_is_recorded(tmp_path: Path, out: Path, call: Any) -> None:
    ledger, visits = tmp_path / "budget.ledger", made_up_visits(tmp_path)
    run("budget", "set", "visits", "--epsilon", 3, "--ledger", ledger)
    words = ("protect", visits, *words_of("polar-laplace", tmp_path), "-m", "polar-laplace", "-o", out)
    said = call(*words, "--ledger", ledger, "--subject", "visits")
    assert "as a release without a budget" in said
    assert "was released once before" in call(*words, "--ledger", ledger, "--subject", "visits")
    assert verify(out, ledger=ledger).holds


def test_places_of_protected_check_ins_are_public_ones(visits: Path, out: Path, call: Any) -> None:
    data = make_check_ins(users=15, places=20, cities=2, records=400)
    words = [*PLACES, "--hour", "hour", "--level", 1, "--radius", 200, "--known", visits.with_name("places.csv")]
    said = call("protect", visits, "-m", "protected-check-ins", *words, "-o", out, *key(out))
    assert "great-circle" in said
    assert "clock arc" in said
    assert "the known directions are public" in said
    released = read_table(out)
    public = {(round(lat, 9), round(lon, 9)) for lat, lon in data.places.tolist()}
    found = zip(released["lat"].to_pylist(), released["lon"].to_pylist(), strict=True)
    assert {(round(lat, 9), round(lon, 9)) for lat, lon in found} <= public
    assert "home found" in call("attack", visits, out, "--person", "user", *key(out))
    source = ("--public", "known-directions='the map of the city'")
    said = call("protect", visits, "-m", "protected-check-ins", *words, "-o", out, *source)
    assert "the known directions (the map of the city)" in said


@pytest.mark.parametrize(
    ("name", "column", "value", "check"),
    [
        ("purkayastha", "hour", 24.5, "domain"),
        ("purkayastha", "hour", 7.123456, "grid"),
        ("clipped-laplace", "hour", 7.123456, "grid"),
        ("protected-survey", "later", 7.123456, "grid"),
        ("von-mises-fisher", "lat", 91.0, "domain"),
        ("bayesian-remap", "lat", 48.0, "known"),
        ("protected-check-ins", "lon", 11.5, "known"),
        ("naive-central-survey", "mean_hour", -1.0, "domain"),
    ],
)
def test_an_edited_release_with_a_new_hash_fails(
    name: str, column: str, value: float, check: str, tmp_path: Path, out: Path, call: Any
) -> None:
    call("protect", made_up_visits(tmp_path), "-m", name, *words_of(name, tmp_path), "-o", out)
    table = read_table(out)
    values = pa.array([value, *table[column].to_pylist()[1:]])
    rewritten(out, table.set_column(table.column_names.index(column), column, values))
    assert [one.name for one in verify(out).checks if one.result == "fails"] == [check]


def test_rows_that_were_removed_are_missed(poll: Path, out: Path, call: Any) -> None:
    call("protect", poll, "-c", "wakes", "--pure", 1, "-o", out)
    rewritten(out, read_table(out).slice(1))
    assert [one.name for one in verify(out).checks if one.result == "fails"] == ["columns"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-m", "magic", "--pure", "1"], "'von-mises-fisher', 'purkayastha', 'spherical-cap'"),
        (["-m", "polar-laplace", "--kind", "vector", "-c", "a", "-c", "b"], "expected kappa; say kappa="),
        (["-m", "purkayastha", "--pure", "1", "--set", "colour=red"], "colour"),
        (["-m", "purkayastha", "--pure", "1", "--known", "poll"], "expected nothing"),
        (["-m", "purkayastha", "--pure", "1", "--group", "person"], "group"),
        (["-m", "purkayastha", "--pure", "1", "--hour", "person"], "hour"),
        (["-m", "bayesian-remap", "--pure", "1"], "a table of public directions"),
        (["-m", "protected-check-ins", "--pure", "1", "-c", "lon"], "a column of hours"),
        (["-m", "naive-central-survey", "--pure", "1"], "the column of the group"),
        (["-m", "naive-central-survey", "--epsilon", "1", "--group", "person"], "whole circle"),
        (["-m", "naive-central-survey", "--pure", "1", "--group", "person", "--keep", "person"], "means only"),
        (["-m", "protected-survey", "--pure", "1", "--noise", "magic"], "'purkayastha'"),
    ],
)
def test_requests_are_refused_with_a_reason(
    poll: Path, out: Path, words: list[str], says: str, capsys: Capture
) -> None:
    words = [str(poll) if word == "poll" else word for word in words]
    assert run("direction", "protect", poll, "-c", "wakes", *words, "-o", out) == 2
    assert says in capsys.readouterr().err
    assert not out.exists()


def test_metric_budgets_are_in_the_same_distance() -> None:
    """A part of a check-in is paid in its own distance: chords do not pay for arcs."""
    arc, chord = MetricDP(1.0, "great-circle"), MetricDP(1.0, "great-circle chord")
    time = MetricDP(1.0, "clock arc")
    budget = PlaceAndTimePrivacy(arc, time)
    assert str(budget.price(budget)) == "place.epsilon 1.0, time.epsilon 1.0"
    for other in (PlaceAndTimePrivacy(chord, time), PlaceAndTimePrivacy(PureDP(1.0, **LOCAL), time)):
        with pytest.raises(InputError, match="budget"):
            budget.price(other)
