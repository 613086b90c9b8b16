"""A generalised sample with differential privacy: δ in fractions, sensitivities by trying, mutants, papers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import sfumato.table.mechanisms.private.sampled_generalisation as module
from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.ledger import Ledger
from sfumato.promise import ApproxDP
from sfumato.release import Terms, verify
from sfumato.study.report.certificate import write_certificate
from sfumato.table import Flat, Hierarchy, SampledGeneralisation, Schema, protect_with, sampling_delta
from sfumato.table.core.summary import summarise
from sfumato.table.data import census_schema, make_census
from sfumato.table.examples import audit_cases
from sfumato.table.mechanisms.private.class_threshold import best_rate, least_class
from sfumato.table.mechanisms.private.level_scores import UNIT, LevelScores, candidate_levels


def exact_delta(epsilon: Fraction, rate: Fraction, k: int, most: int) -> Fraction:
    """The definition, over classes of at most so many records; e^ε is given as a fraction."""

    def law(n: int) -> list[Fraction]:
        shown = [math.comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(n + 1)]
        return [sum(shown[:k], Fraction(0)), *(shown[j] if j <= n else Fraction(0) for j in range(k, most + 1))]

    found = Fraction(0)
    for n in range(1, most + 1):
        one, other = law(n), law(n - 1)
        for p, q in ((one, other), (other, one)):
            found = max(found, sum((max(a - epsilon * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0)))
    return found


@pytest.mark.parametrize(
    ("grows", "rate", "k"),
    [(Fraction(3), "1/4", 3), (Fraction(5, 4), "1/2", 4), (Fraction(4, 3), "1/4", 5), (Fraction(9, 8), "1/2", 2)],
)
def test_delta_is_that_of_the_definition_and_never_below(grows: Fraction, rate: str, k: int) -> None:
    # The last two have ε < −ln(1 − β), where removing a record matters too.
    share = Fraction(rate)
    wanted = float(exact_delta(grows, share, k, 48))
    found = sampling_delta(math.log(grows), float(share), k)
    assert wanted <= found <= wanted * (1 + 1e-6)


def test_delta_is_below_the_published_bound_and_falls_with_k() -> None:
    for epsilon, rate in ((1.0, 0.5), (0.5, 0.25), (2.0, 0.625)):
        high = 1 - (1 - rate) * math.exp(-epsilon)
        n = np.arange(1, 3_000)
        for k in (5, 20):
            edge = np.maximum(k, np.floor(high * n) + 1)
            assert sampling_delta(epsilon, rate, k) <= binom.sf(edge - 1, n, rate).max() * (1 + 1e-6)
        deltas = [sampling_delta(epsilon, rate, k) for k in range(1, 30)]
        assert deltas == sorted(deltas, reverse=True)
        k = least_class(epsilon, 1e-5, rate)
        assert sampling_delta(epsilon, rate, k) <= 1e-5 < sampling_delta(epsilon, rate, k - 1)


def test_the_rate_chosen_needs_few_people() -> None:
    rate = best_rate(1.0, 1e-5)
    people = least_class(1.0, 1e-5, rate) / rate
    assert all(people <= 1.11 * least_class(1.0, 1e-5, part / 32) / (part / 32) for part in range(1, 24))


def test_scores_rise_by_at_most_their_sensitivity_for_every_node() -> None:
    tree = Hierarchy([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])
    schema = Schema(quasi={"x": tree, "y": tree, "z": Flat()})
    rng = np.random.default_rng(1)
    for k, rate, rows in ((3, 0.5, 40), (8, 0.25, 200), (1, 0.75, 6)):
        scores = LevelScores(schema, rate, k)
        largest = 0.0
        for _ in range(20):
            cells = {name: rng.choice(list("abcd"), rows, p=[0.7, 0.1, 0.1, 0.1]) for name in "xyz"}
            table = pa.table({name: values.tolist() for name, values in cells.items()})
            both = []
            for part in (table, table.slice(1)):
                small, _ = summarise(part, schema.bound(table))
                nodes = candidate_levels([one.height for one in small.hierarchies], 100)
                both.append(scores.of(small, nodes))
            rise = both[0] - both[1]
            assert (rise >= 0).all()  # all the same way, as the exponential mechanism is told
            assert (rise == np.floor(rise)).all()
            largest = max(largest, float(rise.max()))
        assert largest <= scores.sensitivity
        assert largest > 0.2 * scores.sensitivity  # the bound is of the right size
        assert scores.sensitivity * UNIT < 2 + math.sqrt(k / (1 - rate))


def test_candidates_do_not_depend_on_data_and_reach_all_heights() -> None:
    heights = [4] * 12
    found = candidate_levels(heights, 2_000)
    assert found == candidate_levels(heights, 2_000)
    assert len(set(found)) == 2_000
    assert {sum(node) for node in found} == set(range(3 * 12 + 1))


def test_the_auditor_catches_classes_one_too_small_and_a_rate_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in audit_cases() if "given levels" in case.label)
    assert audit(case).verdict == "holds"
    monkeypatch.setattr(module, "least_class", lambda epsilon, delta, rate: least_class(epsilon, delta, rate) - 1)
    assert audit(case).verdict == "broken"
    monkeypatch.setattr(module, "least_class", least_class)

    class Often(SampledGeneralisation):
        @property
        def k(self) -> int:
            return 5  # that of rate 0.5

        @property
        def sampling(self) -> float:
            return 0.6

    mutant = Often(schema=case.mechanism.schema, epsilon=1.0, delta=0.032, search=0.0, levels={"town": 0})
    assert audit(case.of(mutant)).verdict == "broken"


def private_release(rows: int = 4_000, **more: object) -> tuple[pa.Table, SampledGeneralisation]:
    settings = {"schema": census_schema(), "epsilon": 2.0, "delta": 1e-4, **more}
    return make_census(rows), SampledGeneralisation(**settings)  # type: ignore[arg-type]


def test_a_release_has_large_classes_over_all_columns_and_tells_nothing_else(tmp_path: Path) -> None:
    people, mechanism = private_release()
    release = protect_with(people, mechanism)
    rows = release.arrow
    counts = rows.group_by(rows.column_names).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert not counts or min(counts) >= mechanism.k
    assert rows.column_names == people.column_names
    assert set(release.card.mechanism.parameters["levels"]) == set(people.column_names)
    assert release.card.release.rows_suppressed is None
    assert str(people.num_rows) not in release.card.to_json()  # how many there were is private
    release.write(tmp_path / "out.csv", key=tmp_path / "out.key")
    assert verify(tmp_path / "out.csv").holds
    found = {one.name: one for one in release.attack(people, control=make_census(1_000, seed=9))}
    assert all(not one.reason for one in found.values() if "in the table" in one.name)
    assert all(not one.reason for one in release.measure(people) if "F-ratio" not in one.name)


def test_the_certificate_says_what_was_proved_and_for_whom(tmp_path: Path) -> None:
    mechanism = SampledGeneralisation(schema=census_schema(), epsilon=2.0, delta=1e-5)
    release = protect_with(make_census(3_000), mechanism)
    write_certificate(release.card, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text().replace("\u2011", "-")
    assert "ε = 2, δ = 1e-05 per record" in page
    assert "add-remove neighbours, central model" in page
    assert "the promise holds only if it is public" in page
    assert "lose together at most the sum of what each loses (ε and δ)" in page
    # the printed ε and δ cover both steps: the choice of levels and the thresholded sample
    choice, records = mechanism._choice.epsilon, mechanism._published
    assert choice + records <= 2.0
    assert sampling_delta(records, mechanism.sampling, mechanism.k) <= 1e-5


def test_verify_sees_a_class_that_is_too_small(tmp_path: Path) -> None:
    people, mechanism = private_release(levels=dict.fromkeys(make_census(1).column_names, 0) | {"age": 1}, search=0.0)
    top = {name: tree.height - 1 for name, tree in mechanism._everything.quasi.items()}
    release = protect_with(people, replace(mechanism, levels=top | {"sex": 0}))
    rare = release.arrow.slice(0, 1)
    odd = pa.table({name: ["odd"] if name == "sex" else rare[name] for name in rare.column_names})
    forged = pa.concat_tables([release.arrow.slice(1), odd])
    replace(release, table=forged).write(tmp_path / "out.csv")
    checks = {one.name: one.result for one in verify(tmp_path / "out.csv").checks}
    assert checks["smallest class"] == "fails"


def test_a_release_without_records_has_papers_too(tmp_path: Path) -> None:
    people, mechanism = private_release(20, delta=1e-9)  # no class can have as many records as it takes
    release = protect_with(people, mechanism)
    assert release.arrow.num_rows == 0
    release.write(tmp_path / "out.csv", key=tmp_path / "out.key")
    assert verify(tmp_path / "out.csv").holds
    assert release.attack(people) == release.measure(people) == []


def test_the_ledger_pays_and_a_seed_promises_nothing(tmp_path: Path) -> None:
    people, mechanism = private_release(1_000)
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.set("clinic", ApproxDP(3.0, 1e-3, neighbours="add-remove"))
    release = protect_with(people, mechanism, terms=Terms(ledger=tmp_path / "budget.db", subject="clinic"))
    assert release.card.ledger is not None
    assert release.card.ledger.paid
    seeded = protect_with(people, mechanism, rng=np.random.default_rng(1))
    assert seeded.guarantee.vacuous


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"rate": 1.5}, "rate"),
        ({"search": 0.0}, "levels"),
        ({"levels": {"age": 0}}, "every column that leaves"),
        ({"candidates": 1}, "candidates"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        private_release(**wrong)
