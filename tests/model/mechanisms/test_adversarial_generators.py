"""GANs: the private one keeps its promise by clipping, noise and accounting; the noise layer does not."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.model import NoiseLayerGan, PrivateGan, make_census
from sfumato.model.core.vector_coding import VectorCoding
from sfumato.model.data.census import CENSUS_DOMAINS
from sfumato.promise import NoGuarantee

torch = pytest.importorskip("torch")


def _model(**changes: object) -> PrivateGan:
    return PrivateGan(**({"epsilon": 2.0, "delta": 1e-5, "expected_records": 100, "steps": 20} | changes))  # type: ignore[arg-type]


def _judge(model: PrivateGan, width: int, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    return model._judge(torch, width)


def _sum(model: PrivateGan, judge: Any, rows: Any, **options: Any) -> Any:
    return model.clipped_sum(judge, *model.coded(rows), **options)


def _rows(count: int, width: int, seed: int = 0) -> Any:
    """Numbers that the grid of the inputs holds exactly."""
    return np.random.default_rng(seed).integers(-4096, 4097, (count, width)) / 4096


def _flat(parts: Any) -> Any:
    """Gradients of PyTorch in the order of the sum: the hidden layer's inputs first."""
    return np.concatenate([(part.T if place == 0 else part).ravel() for place, part in enumerate(parts)])


LABELLED = {"age": [0.0, 1.0, 4], "sex": ["f", "m"], "size": [0.0, 1.0, 4], "job": ["a", "b", "c"]}


def _people(count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return pa.table(
        {name: rng.random(count) if name in ("age", "size") else rng.choice(LABELLED[name], count) for name in LABELLED}
    )


@pytest.mark.parametrize("clip", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("label", [None, "sex"])
def test_one_record_moves_the_sum_by_at_most_the_bound(clip: float, label: str | None) -> None:
    model = _model(clip=clip, domains=LABELLED, label=label)
    rows = VectorCoding(LABELLED).vectors(_people(30))
    judge = _judge(model, rows.shape[1])
    whole = _sum(model, judge, rows)
    for left_out in range(30):
        keep = [row for row in range(30) if row != left_out]
        assert np.linalg.norm(whole - _sum(model, judge, rows[keep])) <= clip
    assert np.linalg.norm(_sum(model, judge, rows[:1])) > 0
    assert (_sum(model, judge, rows[:0]) == 0).all()


def test_the_others_add_the_same_whoever_is_there() -> None:
    """A kernel for matrices rounds by its neighbours; here the sum is that of the records, to the last bit."""
    model = _model()
    rows, judge = _rows(40, 9), _judge(model, 9)
    each = [_sum(model, judge, rows[k : k + 1]) for k in range(40)]
    assert (_sum(model, judge, rows) == np.sum(each, axis=0)).all()


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_gradient_that_is_not_finite_adds_nothing(value: float) -> None:
    model = _model()
    judge = _judge(model, 2)
    with torch.no_grad():
        judge.first.bias.fill_(value)
    assert (_sum(model, judge, _rows(3, 2)) == 0).all()


@pytest.mark.parametrize("real", [True, False])
def test_the_gradient_is_that_of_the_loss(real: bool) -> None:
    model = _model(clip=100.0, domains=LABELLED, label="job")
    rows = VectorCoding(LABELLED).vectors(_people(20))
    rows[:, 0], rows[:, 3] = _rows(20, 2).T
    judge = _judge(model, rows.shape[1])
    scores = judge(torch.from_numpy(rows.astype(np.float32)))
    error = torch.nn.functional.softplus(-scores if real else scores).sum()
    expected = [part.numpy() for part in torch.autograd.grad(error, list(judge.parameters()))]
    assert np.allclose(_sum(model, judge, rows, real=real), _flat(expected), atol=1e-4)


def test_the_clipped_sum_is_that_of_opacus() -> None:
    """Per-record gradients of another library, clipped by hand; norms there are in single precision."""
    opacus = pytest.importorskip("opacus")
    model = _model(clip=0.3)
    rows, judge = _rows(25, 4), _judge(model, 4)
    ours = _sum(model, judge, rows)
    watched = opacus.GradSampleModule(copy.deepcopy(judge), loss_reduction="sum")
    shown = torch.from_numpy(rows.astype(np.float32)).requires_grad_()
    torch.nn.functional.softplus(-watched(shown)).sum().backward()
    each = [part.grad_sample for part in watched.parameters()]
    norm = torch.cat([part.reshape(25, -1) for part in each], dim=1).norm(dim=1)
    short = torch.clamp(0.3 / norm, max=1.0)
    clipped = [torch.tensordot(short, part, dims=1).numpy() for part in each]
    assert np.allclose(ours, _flat(clipped), atol=1e-4)
    assert (norm > 0.3).any()


def test_every_record_is_drawn_by_itself() -> None:
    """Poisson sampling: sizes of the samples are binomial. False-alarm rate about 1e-6 (five deviations, 400 draws)."""
    model = _model(rate=0.1)
    drawn: list[int] = []
    judge = _judge(model, 1)
    real = model.coded(_rows(200, 1))
    rng = np.random.default_rng(0)

    class Watched(PrivateGan):
        def clipped_sum(self, judge: Any, rows: Any, kinds: Any, *, real: bool = True) -> Any:
            if real:
                drawn.append(len(rows))
            return super().clipped_sum(judge, rows, kinds, real=real)

    watched = Watched(epsilon=2.0, delta=1e-5, expected_records=200, steps=20, rate=0.1)
    for _ in range(400):
        watched._judge_gradient(torch, judge, real, torch.zeros(1, 1), rng)
    assert abs(np.mean(drawn) - 20) < 5 * np.sqrt(18 / 400)
    assert 0.65 < np.var(drawn) / 18 < 1.35  # a fixed size would have none


def test_the_auditor_accepts_the_whole_training() -> None:
    """Not one step but all of them, to the records that leave; what one step does is audited in the examples."""
    few, more = np.array([[0.5], [-0.25]]), np.array([[0.5], [-0.25], [1.0]])
    model = PrivateGan(
        epsilon=1.0, delta=1e-4, expected_records=3, steps=3, rate=0.5, count=2, batch=2, hidden=2, latent=1
    )
    assert audit(model, pairs=[(few, more)], rng=np.random.default_rng(3), samples=100).as_expected


@pytest.mark.parametrize("accounting", ["rdp", "pld"])
def test_the_noise_is_that_of_the_accountant(accounting: str) -> None:
    import dp_accounting
    from dp_accounting import pld, rdp

    model = _model(accounting=accounting, rate=0.1, steps=8)
    event = dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(model.noise_multiplier))
    account = rdp.RdpAccountant() if accounting == "rdp" else pld.PLDAccountant()
    account.compose(event, 8)
    assert account.get_epsilon(1e-5) == pytest.approx(2.0, rel=0.02)
    assert account.get_epsilon(1e-5) <= 2.0 * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_it_learns_where_the_records_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.clip(0.6 + 0.1 * rng.normal(size=(2_000, 1)), -1, 1)
    model = PrivateGan(
        epsilon=8.0, delta=1e-5, expected_records=2_000, steps=200, hidden=16, latent=2, learning_rate=0.01
    )
    made = model.release(rows, rng=rng)
    assert made.shape == (1_000, 1)
    assert made.mean() > 0.2


def test_records_are_made_for_their_class() -> None:
    """Two groups far apart: under a label every made record lies on the side of its class."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 4_000)
    place = np.clip(np.where(sex == "f", 0.2, 0.8) + 0.05 * rng.normal(size=4_000), 0, 1)
    people = pa.table({"place": place, "sex": sex})
    model = PrivateGan(
        epsilon=8.0, delta=1e-5, expected_records=4_000, steps=300, label="sex", hidden=16, count=400,
        domains={"place": [0.0, 1.0, 4], "sex": ["f", "m"]}, learning_rate=0.01,
    )  # fmt: skip
    made = model.release(people, rng=rng)
    found, kind = made["place"].to_numpy(), np.array(made["sex"].to_pylist())
    assert (kind == "f").sum() == 200
    assert ((found > 0.5) == (kind == "m")).mean() > 0.9


def test_tables_come_out_as_they_went_in() -> None:
    people = make_census(50)
    made = _model(domains=CENSUS_DOMAINS, count=30, steps=2).release(people, rng=np.random.default_rng(0))
    assert made.schema == people.schema
    assert made.num_rows == 30
    assert set(made["job"].to_pylist()) <= set(CENSUS_DOMAINS["job"])
    assert made["age"].to_numpy().min() >= 18


def test_the_noise_layer_promises_nothing() -> None:
    assert type(NoiseLayerGan().guarantee) is NoGuarantee


def test_the_specimen_is_caught_and_the_layer_itself_is_sound() -> None:
    from specimens.model import CASES, NoiseLayerStep

    rng = np.random.default_rng(0)
    assert audit(CASES[0], rng=rng).as_expected
    sound = NoiseLayerStep(below=False)
    assert audit(sound, pairs=[(1.0, -1.0)], rng=rng, samples=5_000).as_expected


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0.0},
        {"delta": 0.0},
        {"rate": 0.0},
        {"clip": 0.0},
        {"steps": 0},
        {"accounting": "moments"},
        {"label": "age"},
        {"domains": LABELLED, "label": "age"},
        {"domains": {"sex": ["f", "m"]}, "label": "sex"},
        {"patience": 0},
    ],
)
def test_bad_parameters_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        _model(**changes)


def test_values_outside_the_domain_are_refused() -> None:
    with pytest.raises(InputError, match="public range"):
        _model().release(np.array([[1.5]]))
    with pytest.raises(InputError, match="a public domain"):
        _model(domains={"age": [0, 100, 5]}).release(make_census(5))
