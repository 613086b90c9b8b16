"""The attacker: worked example §3.5, S3 = P1, exact counting, refusals [S1–S4, P3]."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.table_strategies import tables
from sfumato.errors import InputError
from sfumato.table import (
    BackgroundKnowledgeAttack,
    CategoryNoise,
    ColumnMethods,
    Generalise,
    Hierarchy,
    HomogeneityAttack,
    Lineage,
    LinkageAttack,
    NumberNoise,
    PosteriorAttack,
    ReidentificationAttack,
    RevealingAttack,
    Schema,
    Suppress,
    Swap,
    TopBottom,
    check,
    protect,
)
from sfumato.table.attacks.candidates import Ways, count_candidates, held_values
from sfumato.table.attacks.deanonymiser import deanonymise, posterior_success, view_of
from sfumato.table.core.channel import Channel, coverage

SPORT = [[name, "Sports", "*"] for name in ("Football", "Baseball", "Swimming", "Basketball")]
ARTS = [[name, "Culture", "*"] for name in ("Art", "Chorus", "Brass band")]
EXAMPLE = Schema(
    quasi={
        "qi1": Hierarchy([[str(v), f"[{(v - 1) // 2 * 2 + 1},{(v - 1) // 2 * 2 + 2}]", "*"] for v in range(-3, 13)]),
        "qi2": Hierarchy(SPORT + ARTS),
    }
)
METHOD = ColumnMethods(
    schema=EXAMPLE,
    columns={
        "qi1": [NumberNoise(sizes={0: 0.35, 1: 0.35, 2: 0.1, 3: 0.1, 4: 0.1}), Generalise(1)],
        "qi2": [Generalise(1), Swap(0.2)],
    },
    rate=0.8,
)
D0 = pa.table({"qi1": [1, 3, 4, 1, 7, 7, 8], "qi2": [row[0] for row in SPORT + ARTS]})
D1 = Lineage(
    pa.table(
        {
            "qi1": ["[3,4]", "[1,2]", "[1,2]", "[9,10]", "[5,6]"],
            "qi2": ["Culture", "Sports", "Sports", "Culture", "Sports"],
        }
    ),
    np.array([0, 1, 3, 4, 6]),
)


def test_worked_example_3_5() -> None:
    """C^H = {r2, r4}, C^L = {r1, r7}, size 4/0.8 = 5; over all records 1.25 is the true n_q."""
    channel = METHOD.channels["qi1"]
    place = {label: i for i, label in enumerate(channel.outputs)}
    one = channel.inputs.index("1")
    found = [channel.mass[one, place[label]] for label in ("[1,2]", "[3,4]", "[5,6]")]
    assert found == pytest.approx([0.7, 0.9, 1.0])
    assert not channel.possible[one, place["[9,10]"]]
    sport = METHOD.channels["qi2"]
    assert sport.mass[0] == pytest.approx([0.8, 1.0])
    view = view_of(D0, D1, EXAMPLE, mechanism=METHOD)
    attacked = deanonymise(view, threshold=0.9, outlier=2, counted="possible")
    assert attacked.candidates[0].tolist() == [2, 2]
    assert attacked.sizes.tolist() == [5, 3.75, np.inf, 2.5, 1.25, np.inf, 3.75]
    assert attacked.risk == pytest.approx(1 / 1.25)
    assert deanonymise(view, threshold=0.9, outlier=2).sizes[4] == 1  # r5 has no other likely candidate: an outlier


@given(tables(rows=25), st.data())
@settings(deadline=None, max_examples=100)
def test_s3_equals_p1_and_reveals_l(case, data) -> None:
    """For pure generalisation of any table on any trees, n_q is k and n_s is l."""
    table, schema = case
    levels = {name: data.draw(st.integers(0, tree.height - 1)) for name, tree in schema.quasi.items()}
    method = ColumnMethods(schema=schema, columns={name: [Generalise(level)] for name, level in levels.items()})
    released = method.release(table, rng=np.random.default_rng(0))
    held = check(released, schema)
    for mechanism in (method, None):
        view = view_of(table, released, schema, mechanism=mechanism, column="secret")
        attacked = deanonymise(view)
        assert attacked.n_q == held.k
        assert attacked.risk == 1 / held.k
        assert attacked.n_s == held.sensitive["secret"].distinct_l
        assert attacked.revealing_risk == 1 / held.sensitive["secret"].distinct_l
        assert (attacked.share <= 1).all()


@given(tables(rows=25), st.integers(1, 4), st.sampled_from([0.0, 0.4]))
@settings(deadline=None, max_examples=60)
def test_stars_hide_only_among_stars(case, k, suppression) -> None:
    table, schema = case
    if k > table.num_rows:
        return
    result = protect(table, schema, k=k, suppression=suppression)
    attacked = deanonymise(view_of(table, result, schema))
    # a class of * that everyone fits is larger than the table's own k only if nothing else was generalised to *
    assert attacked.n_q >= check(result, schema).k >= k


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_counting_is_exact(seed) -> None:
    """A walk down the trie and a double loop agree, for masks, for likelihoods and for likelihood ratios."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 4))
    ins, outs = rng.integers(1, 5, width), rng.integers(1, 6, width)
    victims = np.stack([rng.integers(0, n, 12) for n in ins], axis=1)
    released = np.unique(np.stack([rng.integers(0, n, 15) for n in outs], axis=1), axis=0)
    counts = rng.integers(0, 5, (len(released), 3)).astype(float)
    counts[:, 0] += 1
    tuples, values = np.nonzero(counts)
    held = held_values(np.repeat(tuples, counts[tuples, values].astype(int)),
                       np.repeat(values, counts[tuples, values].astype(int)), len(released), 3)  # fmt: skip
    matrices = [rng.random((a, b)) * (rng.random((a, b)) < 0.6) for a, b in zip(ins, outs, strict=True)]
    mass = None if seed % 2 else rng.random(len(released)) + width
    slow = np.zeros((12, 3))
    best, ties = np.zeros(12), np.zeros(12)
    for v, r in itertools.product(range(12), range(len(released))):
        weight = np.prod([matrices[j][victims[v, j], released[r, j]] for j in range(width)])
        if mass is not None and weight > 0:
            weight *= 7 / (mass[r] - weight)
        slow[v] += weight * counts[r]
        if weight > best[v] * (1 + 1e-12):
            best[v], ties[v] = weight, counts[r].sum()
        elif weight > 0 and weight >= best[v] * (1 - 1e-12):
            ties[v] += counts[r].sum()
    asked = np.arange(13) * 3, np.tile(np.arange(3), 12)
    ways = [Ways.of(matrix) for matrix in matrices]
    found = count_candidates(victims, released, held, ways, asked=asked, mass=mass, others=7.0)
    assert found.total == pytest.approx(slow.sum(1))
    assert found.own.reshape(12, 3) == pytest.approx(slow)
    assert found.kinds.tolist() == (slow > 0).sum(1).tolist()
    assert found.best == pytest.approx(best)
    assert found.ties == pytest.approx(ties)


def test_the_printed_outlier_test_never_fires_under_noise_without_bounds(rng) -> None:
    """Everybody is a possible candidate of everybody; counting the likely ones finds who stands alone."""
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    method = ColumnMethods(schema=schema, columns={"age": [NumberNoise(scale=1.0)]}, rate=0.5)
    table = pa.table({"age": [20] * 200 + [95]})
    released = next(
        one
        for one in (method.release(Lineage(table, np.arange(201)), rng=np.random.default_rng(i)) for i in range(20))
        if 200 in one.rows
    )
    view = view_of(table, released, schema, mechanism=method)
    assert deanonymise(view, counted="possible").risk == 0.5  # printed: 1 candidate "stands for" 1/α
    assert deanonymise(view).risk == 1.0
    true = posterior_success(view)[1]
    assert true[200] > 0.99  # and Bayes' rule, with the victim in or out, says so too
    assert true[:200].max() < 0.02


def test_the_posterior_knows_that_the_victim_may_be_out() -> None:
    """Recoded and sampled: one of two alike people is released, and the record is the victim's with even chances."""
    schema = Schema(quasi={"q": Hierarchy.flat("abc")})
    method = ColumnMethods(schema=schema, columns={"q": [Generalise(0)]}, rate=0.5)
    table = pa.table({"q": list("aabc")})
    released = Lineage(pa.table({"q": ["a", "b"]}), np.array([0, 2]))
    right, true = posterior_success(view_of(table, released, schema, mechanism=method))
    # ratio of "a" for a victim a: 1/(1/3) = 3 against 4 − 2 = 2 ways to be out: 3/5; b is like nobody else
    assert true == pytest.approx([0.6, 0.0, 1.0, 0.0], abs=1e-6)
    assert right.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_blanks_and_large_domains_are_attacked_and_measured(rng) -> None:
    """Words of 3 000 values, 200 sensitive ones with blanks: nothing is as large as rows × values."""
    count = 3000
    towns = [f"t{i:04d}" for i in range(3000)]
    schema = Schema(
        quasi={"town": Hierarchy([[t, t[:3], t[:2], "*"] for t in towns]), "sex": Hierarchy.flat("fm")},
        sensitive=["ill"],
        missing="category",
    )
    ill = [None if i == 0 else f"i{i}" for i in rng.integers(0, 200, count)]
    table = pa.table(
        {"town": rng.choice(towns, count).tolist(), "sex": rng.choice(list("fm"), count).tolist(), "ill": ill}
    )
    release = protect(table, schema, k=5, suppression=0.05)
    for found in (*release.attack(table), *release.measure(table, positive="i1")):
        assert found.score is not None or "F = 0" in found.reason, found
    view = view_of(table, release, schema, column="ill")
    assert len(view.victims) < 200  # values that the release does not tell apart are one
    assert deanonymise(view).n_q == check(release, schema).k


def test_risk_never_rises_when_candidates_are_added(rng) -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 49, [10])})
    table = pa.table({"age": rng.integers(0, 50, 60)})
    method = ColumnMethods(schema=schema, columns={"age": [NumberNoise(scale=2.0)]})
    released = method.release(table, rng=rng)
    before = deanonymise(view_of(table, released, schema, mechanism=method))
    more_in = pa.concat_tables([table, table])
    more_out = pa.concat_tables([released, released])
    after = deanonymise(view_of(more_in, more_out, schema, mechanism=method))
    assert (after.risks[:60] <= before.risks + 1e-12).all()


def test_s4_variants() -> None:
    """{X, X, X, Y, Z} gives 1/3 by values and 3/5 by share."""
    schema = Schema(quasi={"q": Hierarchy.flat("a")}, sensitive=["s"])
    table = pa.table({"q": ["a"] * 5, "s": list("XXXYZ")})
    assert RevealingAttack(schema=schema, column="s", variant="values").attack(table, table).value == pytest.approx(
        1 / 3
    )
    assert RevealingAttack(schema=schema, column="s", variant="share").attack(table, table).value == pytest.approx(
        3 / 5
    )


def test_homogeneity_and_background_knowledge() -> None:
    schema = Schema(quasi={"q": Hierarchy.flat("ab")}, sensitive=["s"])
    table = pa.table({"q": list("aaabbb"), "s": list("XXXYYZ")})
    assert check(table, schema).k == 3
    leaked = HomogeneityAttack(schema=schema, column="s").attack(table, table)
    assert (leaked.value, leaked.reference) == (0.5, 0.0)
    assert leaked.low < 0.5 < leaked.high
    assert BackgroundKnowledgeAttack(schema=schema, column="s", excluded=1).attack(table, table).value == 1.0
    with pytest.raises(InputError, match="excluded"):
        BackgroundKnowledgeAttack(schema=schema, column="s", excluded=-1)


def test_bayesian_attacker_beats_the_box_and_its_posterior_is_right() -> None:
    """Among noised ages the nearest is likeliest, unless others are nearer to it still."""
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 40, [10])})
    method = ColumnMethods(schema=schema, columns={"age": [NumberNoise(sizes={0: 0.5, 1: 0.3, 2: 0.2})]})
    table = pa.table({"age": [10, 11, 30]})
    released = pa.table({"age": ["10", "12", "30"]})
    score = PosteriorAttack(schema=schema).attack(table, released, mechanism=method)
    # 10 and 30 are certain; 11 gives 10 and 12 the same weight, but somebody else explains 10 better
    assert score.value == 1.0
    true = posterior_success(view_of(table, released, schema, mechanism=method))[1]
    assert true[1] == pytest.approx((0.15 / 0.1) / (0.15 / 0.1 + 0.15 / 0.5))
    worst = PosteriorAttack(schema=schema, statistic="worst").attack(table, released, mechanism=method)
    assert worst.value == 1.0


def test_statistics_and_intervals(rng) -> None:
    schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    table = pa.table({"age": rng.integers(0, 100, 300)})
    result = protect(table, schema, k=4)
    worst = ReidentificationAttack(schema=schema).attack(table, result).value
    mean = ReidentificationAttack(schema=schema, statistic="mean").attack(table, result)
    middle = ReidentificationAttack(schema=schema, statistic="quantile", quantile=0.5).attack(table, result)
    assert mean.low <= mean.value <= mean.high <= worst
    assert middle.low <= middle.value <= middle.high <= worst
    assert mean.value == pytest.approx(check(result, schema).risk.marketer)


def test_composed_channels_are_distributions_that_match_the_draws(rng) -> None:
    tree = Hierarchy.intervals(0, 19, [5, 10])
    schema = Schema(quasi={"n": tree, "c": Hierarchy(SPORT + ARTS)})
    chains = {
        "n": [
            [NumberNoise(scale=1.5), Generalise(1)],
            [NumberNoise(scale=0.7, exact=False)],
            [TopBottom(3, 15)],
            [Suppress(("4",))],
        ],
        "c": [[CategoryNoise(1.0), Generalise(1)], [Generalise(1), CategoryNoise(0.5)], [Swap(0.3)], [Suppress()]],
    }
    for name, steps in ((name, steps) for name, list_ in chains.items() for steps in list_):
        method = ColumnMethods(schema=schema, columns={name: steps})
        channel = method.channels[name]
        assert channel.likelihood.sum(1) == pytest.approx(np.ones(len(channel.inputs)), abs=1e-9)
        value = channel.inputs[4]
        table = pa.table({"n": [value if name == "n" else "0"] * 4000, "c": [value if name == "c" else "Art"] * 4000})
        drawn = method.release(table, rng=rng)[name].to_pylist()
        shares = np.array([drawn.count(label) for label in channel.outputs]) / 4000
        # 6 standard deviations of a share of 4000: false alarm below 1e-7 over all cells
        assert np.abs(shares - channel.likelihood[4]).max() < 6 * np.sqrt(0.25 / 4000)
        assert (channel.inner <= channel.mass + 1e-12).all()


def test_category_noise_is_nearest_first() -> None:
    """Pr ∝ exp(−ε·dist/2) from the record itself: sibling 2 edges, other branch 4."""
    schema = Schema(quasi={"c": Hierarchy(SPORT + ARTS)})
    channel = ColumnMethods(schema=schema, columns={"c": [CategoryNoise(1.0)]}).channels["c"]
    law = channel.likelihood[0]
    assert law[1] / law[0] == pytest.approx(np.exp(-1))
    assert law[5] / law[0] == pytest.approx(np.exp(-2))


def test_labels_are_read_or_refused() -> None:
    tree = Hierarchy.intervals(0, 9, [5])
    labels = ["3", "0-4", "*", "{1, 7}", "[2, 4]", "<3", ">7"]
    covers = coverage(tree, labels, "n").possible.sum(0)
    assert covers.tolist() == [1, 5, 10, 2, 3, 3, 2]
    for wrong in ("ten", "{1, ten}", "[4, x]", "<-5", "{}x"):
        with pytest.raises(InputError, match="would look like no risk"):
            coverage(tree, [wrong], "n")
    commas = Hierarchy.flat(["a", "a, b", "b"])
    assert coverage(commas, ['{"a, b", b}'], "n").possible[:, 0].tolist() == [False, True, True]
    assert coverage(commas, ["{a, b}"], "n").possible[:, 0].tolist() == [True, False, True]


def test_refusals(rng) -> None:
    table, result = D0, D1
    with pytest.raises(InputError, match="declared output domain"):
        view_of(table, Lineage(pa.table({"qi1": ["zzz"], "qi2": ["Sports"]}), np.array([0])), EXAMPLE, mechanism=METHOD)
    with pytest.raises(InputError, match="without lineage"):
        view_of(table, result.data, EXAMPLE, mechanism=METHOD)
    with pytest.raises(InputError, match="another table"):
        view_of(table, Lineage(result.data, np.array([0, 1, 2, 3, 99])), EXAMPLE, mechanism=METHOD)
    with pytest.raises(InputError, match="one row number"):
        Lineage(result.data, np.array([0, 1]))
    with pytest.raises(InputError, match="all quasi-identifiers"):
        view_of(table, table.drop_columns(["qi1"]), EXAMPLE)
    view = view_of(table, result, EXAMPLE, mechanism=METHOD)
    for wrong in ({"threshold": 0.0}, {"threshold": 1.0}, {"outlier": 0.5}, {"mass": "some"}, {"cover": "most"}):
        with pytest.raises(InputError):
            deanonymise(view, **wrong)
    with pytest.raises(InputError, match="rate"):
        ColumnMethods(schema=EXAMPLE, rate=0.0)
    with pytest.raises(InputError, match="quasi-identifiers"):
        ColumnMethods(schema=EXAMPLE, columns={"shoe": []})
    with pytest.raises(InputError, match="steps such as"):
        ColumnMethods(schema=EXAMPLE, columns={"qi1": ["generalise"]})  # type: ignore[list-item]
    with pytest.raises(InputError, match="whole numbers"):
        ColumnMethods(schema=EXAMPLE, columns={"qi2": [NumberNoise(scale=1.0)]})
    with pytest.raises(InputError, match="level"):
        ColumnMethods(schema=EXAMPLE, columns={"qi2": [Generalise(9)]})
    with pytest.raises(InputError, match="sensitive column"):
        RevealingAttack(schema=EXAMPLE, column="qi1")
    for bad in (lambda: NumberNoise(), lambda: NumberNoise(sizes={0: 0.5}), lambda: TopBottom(5, 1), lambda: Swap(1.5)):
        with pytest.raises(InputError):
            bad()


def test_channel_of_identity() -> None:
    channel = Channel.identity(["a", "b"])
    assert channel.high(0.9).tolist() == [[True, False], [False, True]]


def test_local_privacy_of_a_method_with_noise_everywhere() -> None:
    from sfumato.promise import Assumption, NoGuarantee, PureDP

    schema = Schema(quasi={"n": Hierarchy.intervals(0, 9, [5])})
    noisy = ColumnMethods(schema=schema, columns={"n": [NumberNoise(scale=3.0), Generalise(1)]})
    promise = PureDP(3.0, neighbours="any-pair", model="local")
    assert noisy.guarantee == promise.assuming(Assumption("hierarchy"))
    assert isinstance(ColumnMethods(schema=schema).guarantee, NoGuarantee)
    with_secret = Schema(quasi=schema.quasi, sensitive=["s"])
    assert isinstance(ColumnMethods(schema=with_secret, columns=noisy.columns).guarantee, NoGuarantee)


def test_linkage_counts_by_hand() -> None:
    schema = Schema(quasi={"x": Hierarchy.intervals(0, 99, [10])})
    people = pa.table({"x": [10, 20, 30, 40]})
    assert LinkageAttack(schema=schema).attack(people, people).value == 1
    release = pa.table({"x": [12.0, 12.0, 40.0, 38.0]})
    # 10 → {12, 12}: ½; 20 → {12, 12}: ½; 30 → 38, not 40: 0; 40 → 40, not 38: 0
    assert LinkageAttack(schema=schema).attack(people, release).value == pytest.approx(0.25)
    with pytest.raises(InputError, match="at least one column of numbers"):
        LinkageAttack(schema=Schema(quasi={"t": Hierarchy.flat("ab")})).attack(
            pa.table({"t": ["a"]}), pa.table({"t": ["a"]})
        )
