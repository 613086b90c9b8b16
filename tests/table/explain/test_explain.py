"""Which column makes the risk; Safe Harbor; estimates for the population."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sfumato import InputError
from sfumato.cli import main
from sfumato.io.files import write_table
from sfumato.promise import NoGuarantee
from sfumato.table import (
    EstimatedKMap,
    Flat,
    Intervals,
    Prefixes,
    SafeHarbor,
    Schema,
    check,
    explain_risk,
    log_linear_risk,
    minimal_uniques,
    protect,
    protect_with,
)
from sfumato.table.core.summary import summarise
from sfumato.table.data import hospital_schema, make_hospital
from sfumato.table.mechanisms.safe_harbor import RESTRICTED_ZIP3
from sfumato.table.promise.k_map import expected_risk, fitted_law, reaches


def random_table(rng: np.random.Generator, rows: int, sizes: list[int]) -> tuple[pa.Table, Schema]:
    columns = {f"c{j}": rng.integers(0, size, rows) for j, size in enumerate(sizes)}
    schema = Schema(quasi={name: Flat() for name in columns})
    table = pa.table(columns)
    return table, schema.bound(table)


def brute_force(rows: list[tuple[int, ...]], largest: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every minimal unique by its definition: columns and the whole record."""
    width = len(rows[0])

    def alone(record: tuple[int, ...], columns: tuple[int, ...]) -> bool:
        return sum(all(other[j] == record[j] for j in columns) for other in rows) == 1

    found = set()
    for record in rows:
        for size in range(1, largest + 1):
            for columns in itertools.combinations(range(width), size):
                parts = itertools.chain.from_iterable(
                    itertools.combinations(columns, smaller) for smaller in range(size)
                )
                if alone(record, columns) and not any(alone(record, part) for part in parts):
                    found.add((columns, record))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_minimal_uniques_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, rng.integers(1, 6)).tolist()
    table, schema = random_table(rng, int(rng.integers(1, 40)), sizes)
    largest = int(rng.integers(1, 5))
    summary, _ = summarise(table, schema)
    found = minimal_uniques(summary, largest=largest)
    values = [schema.quasi[name].leaves for name in summary.names]
    said = {
        (columns, tuple(int(values[j][code]) for j, code in enumerate(summary.codes[t])))
        for columns, tuples in found.sets
        for t in tuples.tolist()
    }
    rows = list(zip(*(table[name].to_pylist() for name in summary.names), strict=True))
    assert said == brute_force(rows, min(largest, len(sizes)))


def test_scores_and_shares() -> None:
    """Three columns, sets of at most two: a unique of one column weighs (3 − 1)(3 − 2) = 2, one of two 1."""
    table = pa.table({"a": [1, 2, 2, 2], "b": [1, 1, 2, 2], "c": [1, 1, 1, 1]})
    schema = Schema(quasi=dict.fromkeys("abc", Flat())).bound(table)
    found = minimal_uniques(summarise(table, schema)[0], largest=2)
    # a = 1 is unique (1 column); a = 2, b = 1 is unique (2 columns)
    assert found.by_size == {1: 1, 2: 1}
    assert sorted(found.scores.tolist()) == [0.0, 1.0, 2.0]
    assert found.column_shares() == pytest.approx({"a": 1.0, "b": 1 / 3, "c": 0.0})
    assert found.value_shares(0) == pytest.approx({"1": 2 / 3, "2": 1 / 3})


def test_the_column_that_makes_the_risk_is_named_and_advice_is_true(tmp_path: Path) -> None:
    table, schema = make_hospital(3_000), hospital_schema()
    found = explain_risk(table, schema, population=200_000)
    assert found.columns[0].column == "birth_date"
    assert found.columns[0].share > 0.9
    first = next(one for one in found.columns if one.column == "birth_date")
    coarser = explain_risk(table, schema, levels={"birth_date": first.steps})
    assert coarser.risk.marketer == pytest.approx(first.average_coarser)
    assert coarser.risk.unique == pytest.approx(first.unique_coarser)
    assert coarser.information_loss - found.information_loss == pytest.approx(first.loss_coarser)
    without = Schema(
        quasi={name: tree for name, tree in schema.quasi.items() if name != "birth_date"},
        insensitive=["birth_date"],
        missing="category",
    )
    assert check(table, without).risk.marketer == pytest.approx(first.average_without)
    assert "coarsen birth_date by" in str(found)
    assert all("average risk −0." in one and "-0." not in one for one in found.advice)
    assert len(found.population) == 3
    found.write_report(tmp_path / "risk.html")
    page = (tmp_path / "risk.html").read_text(encoding="utf-8")
    assert "birth_date" in page
    assert "Internal" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    top = {name: tree.height - 1 for name, tree in schema.quasi.items()}
    assert explain_risk(table, schema, levels=top).advice == []
    with pytest.raises(InputError, match="a quasi-identifier"):
        explain_risk(table, schema, levels={"shoe": 1})
    with pytest.raises(InputError, match="0 to"):
        explain_risk(table, schema, levels={"sex": 9})


def test_the_card_tells_what_each_column_adds() -> None:
    release = protect(make_hospital(3_000), hospital_schema(), k=5, suppression=0.02)
    risk = release.card.class_risk
    assert risk is not None
    assert {one.column for one in risk.columns} == {"zip", "birth_date", "sex"}
    assert all(one.average_without <= risk.average for one in risk.columns)


def test_safe_harbor(tmp_path: Path) -> None:
    assert len(RESTRICTED_ZIP3) == 17
    schema = Schema(
        quasi={"zip": Prefixes(5), "birth_date": Flat(), "admitted": Flat(), "age": Intervals([10]), "city": Flat()},
        sensitive=["diagnosis"],
        identifiers=["name", "ssn"],
        insensitive=["ward"],
    )
    table = pa.table(
        {
            "name": ["A", "B", "C"],
            "ssn": ["1", "2", "3"],
            "zip": ["03601", "94110", "94110-1234"],
            "birth_date": ["1930-05-17", "1935-01-01", "1936-12-31"],
            "admitted": ["05/13/2024", "01/02/2024", "03/04/2023"],
            "age": [95, 89, 90],
            "city": ["Rome", "Bern", "Rome"],
            "diagnosis": ["flu", None, "gout"],
            "ward": ["east", "west", "east"],
        }
    )
    release = protect_with(table, SafeHarbor(schema=schema, year=2025))
    rows = sorted(release.arrow.to_pylist(), key=lambda row: row["zip"] + row["birth_date"])
    assert [row["zip"] for row in rows] == ["000**", "941**", "941**"]
    assert sorted(row["birth_date"] for row in rows) == ["1935 or before", "1935 or before", "1936"]
    assert {row["admitted"] for row in rows} == {"2024", "2023"}
    assert sorted(row["age"] for row in rows) == ["89", "90+", "90+"]
    assert {row["city"] for row in rows} == {"*"}
    assert isinstance(release.guarantee, NoGuarantee)
    box = release.card.hipaa
    assert box is not None
    assert box["(A) names"] == "removed: name"
    assert box["(B) places smaller than a state"] == "removed: city; recoded: zip"
    assert box["(C) dates but the year, ages over 89"] == "recoded: birth_date, admitted, age"
    assert box["(P) biometric identifiers"] == "not examined"
    assert sum(name.startswith("(") for name in box) == 18
    assert "person" in box["actual knowledge, (b)(2)(ii)"]
    from sfumato.study.report.certificate import write_certificate

    write_certificate(release.card, tmp_path / "certificate.html")
    page = (tmp_path / "certificate.html").read_text(encoding="utf-8")
    assert "164.514(b)" in page
    assert "removed: city; recoded: zip" in page
    newer = SafeHarbor(schema=schema, year=2025, restricted=["941"])
    assert set(newer.release(table)["zip"].to_pylist()) == {"036**", "000**"}
    for column, values, message in (
        ("ward", ["a@b.org", "x", "y"], r"e-mail addresses \(F\)"),
        ("ward", ["call 212-555-0100", "x", "y"], r"telephone numbers \(D\)"),
        ("diagnosis", ["see http://x.org", "x", "y"], r"web addresses \(N\)"),
        ("zip", ["3601", "94110", "94110"], "leading zeros"),
        ("age", ["old", "3", "4"], "a number of years"),
    ):
        wrong = table.set_column(table.column_names.index(column), column, pa.array(values))
        with pytest.raises(InputError, match=message):
            SafeHarbor(schema=schema).release(wrong)
    named = Schema(quasi={"age": Flat()}, insensitive=["account"])
    with pytest.raises(InputError, match="list it under identifiers"):
        SafeHarbor(schema=named).release(pa.table({"age": [1], "account": ["x"]}))
    with pytest.raises(InputError, match="first three digits"):
        SafeHarbor(schema=schema, restricted=["36"])


@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.3])
def test_the_law_of_population_sizes_by_simulation(fraction: float) -> None:
    """Means spread evenly on a log scale: said and true within 4 standard errors (false alarm below 1 in 1 000)."""
    rng = np.random.default_rng(int(1000 * fraction))
    mean = np.exp(rng.uniform(np.log(1e-3), np.log(1e4), 300_000))
    population = rng.poisson(mean)
    sample = rng.binomial(population, fraction)
    for f in (1, 2, 3):
        here = population[sample == f]
        said, error = reaches(np.array([f]), 5, fraction)[0], 0.5 / np.sqrt(len(here))
        assert abs((here >= 5).mean() - said) < 4 * error
        risk = 1 / here
        assert abs(risk.mean() - expected_risk(np.array([f]), fraction)[0]) < 4 * risk.std() / np.sqrt(len(here))


@pytest.mark.parametrize(("shape", "fraction"), [(0.2, 0.1), (1.0, 0.1), (1.0, 0.02), (3.0, 0.1)])
def test_the_fitted_law_is_nearer_where_small_classes_are_the_rule(shape: float, fraction: float) -> None:
    """Gamma means, five seeds: the fitted law misses Pr[F ≥ 5 | f] by less than 0.15 in most, the other by more."""
    nearer = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        population = rng.poisson(rng.gamma(shape, 5, 40_000))
        sample = rng.binomial(population, fraction)
        law = fitted_law(sample[sample > 0], fraction)
        true = (population[sample == 1] >= 5).mean()
        fitted = reaches(np.array([1]), 5, fraction, *law)[0]
        plain = reaches(np.array([1]), 5, fraction)[0]
        nearer += abs(fitted - true) < 0.15 and abs(fitted - true) <= abs(plain - true) + 0.02
    assert nearer >= 4


def test_the_log_linear_model_counts_population_uniques() -> None:
    """Independent columns, ten seeds: within 30 % of the truth in at least eight."""
    close = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        shares = [rng.dirichlet(np.full(size, 0.6)) for size in (12, 10, 9, 6)]
        people = np.stack([rng.choice(len(p), 20_000, p=p) for p in shares], axis=1)
        picked = rng.random(20_000) < 0.1
        _, which, counts = np.unique(people, axis=0, return_inverse=True, return_counts=True)
        table = pa.table({f"c{j}": people[picked, j] for j in range(4)})
        schema = Schema(quasi={f"c{j}": Flat() for j in range(4)}).bound(table)
        summary, _ = summarise(table, schema)
        _, again, seen = np.unique(people[picked], axis=0, return_inverse=True, return_counts=True)
        true = int(((seen[again.reshape(-1)] == 1) & (counts[which.reshape(-1)][picked] == 1)).sum())
        found = log_linear_risk(summary, 20_000)
        assert found.sample_uniques == int((seen == 1).sum())
        close += abs(found.population_uniques - true) <= 0.3 * true
    assert close >= 8


def test_k_map_by_estimate_is_kept_and_weaker_than_k() -> None:
    table, schema = make_hospital(3_000), hospital_schema()
    for recoding in ("global", "local"):
        by_k = protect(table, schema, k=11, recoding=recoding)
        by_map = protect(table, schema, target=[EstimatedKMap(11, population=60_000)], recoding=recoding)
        assert by_map.decision is not None
        assert by_k.decision is not None
        assert by_map.decision.information_loss < by_k.decision.information_loss
        sizes = by_map.decision.sizes
        assert (reaches(sizes, 11, 3_000 / 60_000) >= 0.95).all()
        assert "estimated k-map = 11" in by_map.card.promised
    with pytest.raises(InputError, match="at least the 3000 records"):
        protect(table, schema, target=[EstimatedKMap(5, population=10)])


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["table", *words])
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out + said.err

    write_table(make_hospital(1_000), "people.csv")
    run("init", "people.csv")
    said = run("risk", "people.csv", "--report", "risk.html", "--population", "50000", "--largest", "2")
    assert "coarsen birth_date by" in said
    assert "Poisson log-linear" in said
    assert Path("risk.html").exists()
    run("protect", "people.csv", "-o", "out.csv", "--mechanism", "global-recoding", "--k", "4", "--suppression", "0.05")
    assert "prosecutor risk" in run("risk", "people.csv", "--release", "out.csv")
    run("protect", "people.csv", "-o", "local.csv", "--mechanism", "local-recoding", "--k", "4")
    assert "one level a column" in run("risk", "people.csv", "--release", "local.csv", code=2)
    said = run("protect", "people.csv", "-o", "harbor.csv", "--mechanism", "safe-harbor")
    assert said.count("bounds no risk") == 1
    said = run("protect", "people.csv", "-o", "map.csv", "--promise", "k-map k=5 population=20000")
    assert "estimated k-map = 5" in said


def test_records_of_one_person_that_look_alike_are_no_company() -> None:
    """Three visits of the only patient of eighty are one person who is alone, not three records that are not."""
    ages = ["80", "80", "80", "30", "30"]
    people = pa.table({"age": ages, "patient": ["a", "a", "a", "b", "c"]})
    schema = Schema(quasi={"age": Flat()}, identifiers=["patient"])
    assert explain_risk(people, schema).risk.unique == 0
    found = explain_risk(people, schema.counting("patient"))
    assert found.risk.unique == pytest.approx(1 / 3)
    assert found.uniques == {1: 1}
    held = check(people, schema.counting("patient"))
    assert (held.risk.prosecutor, held.risk.marketer, held.risk.unique) == pytest.approx((1, 2 / 3, 1 / 3))
    assert "33.33% of people unique" in str(held)


def test_advice_and_estimates_are_said_in_plain_numbers(tmp_path: Path) -> None:
    """A column that only helps at its top is left out, and a population is not written with an exponent."""
    rng = np.random.default_rng(0)
    table = pa.table({"code": [str(i) for i in range(400)], "sex": rng.choice(["f", "m"], 400)})
    found = explain_risk(table, Schema(quasi={"code": Flat(), "sex": Flat()}), population=200_000)
    assert found.advice[0].startswith("leave out code: average risk −0.9")
    assert "unique in the population, Pitman or Zayatz: 200,000" in str(found)
    found.write_report(tmp_path / "risk.html")
    assert "200,000" in (tmp_path / "risk.html").read_text()
