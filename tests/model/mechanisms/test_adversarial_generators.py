"""GANs: the private one keeps its promise by clipping, noise and accounting; the noise layer does not."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from sfumato.auditor import audit
from sfumato.errors import InputError
from sfumato.model import NoiseLayerGan, PrivateGan, make_census
from sfumato.model.data.census import CENSUS_DOMAINS
from sfumato.promise import NoGuarantee

torch = pytest.importorskip("torch")


def _model(**changes: object) -> PrivateGan:
    return PrivateGan(**({"epsilon": 2.0, "delta": 1e-5, "expected_records": 100, "steps": 20} | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("clip", [1e-3, 1.0, 50.0])
def test_one_record_moves_the_sum_by_at_most_the_bound(clip: float) -> None:
    model = _model(clip=clip)
    torch.manual_seed(0)
    judge = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.LeakyReLU(0.2), torch.nn.Linear(7, 1))
    rows = 2 * torch.rand(30, 5) - 1
    whole = model.clipped_sum(torch, judge, rows)
    for left_out in range(30):
        keep = [row for row in range(30) if row != left_out]
        assert np.linalg.norm(whole - model.clipped_sum(torch, judge, rows[keep])) <= clip
    assert np.linalg.norm(model.clipped_sum(torch, judge, rows[:1])) > 0
    assert (model.clipped_sum(torch, judge, rows[:0]) == 0).all()


def test_a_gradient_that_is_not_finite_adds_nothing() -> None:
    judge = torch.nn.Linear(2, 1)
    rows = torch.tensor([[float("inf"), 0.0], [0.5, 0.5]])
    model = _model()
    assert np.allclose(model.clipped_sum(torch, judge, rows), model.clipped_sum(torch, judge, rows[1:]))


def test_the_gradient_is_that_of_the_loss() -> None:
    torch.manual_seed(1)
    judge = torch.nn.Linear(3, 1)
    rows = torch.rand(4, 3)
    expected = torch.autograd.grad(torch.nn.functional.softplus(-judge(rows)).sum(), list(judge.parameters()))
    found = _model(clip=100.0).clipped_sum(torch, judge, rows)
    assert np.allclose(found, torch.cat([part.ravel() for part in expected]).detach().numpy(), atol=1e-5)


def test_the_clipped_sum_is_that_of_opacus() -> None:
    """Per-record gradients of another library, clipped by hand; norms there are in single precision."""
    opacus = pytest.importorskip("opacus")
    torch.manual_seed(2)
    judge = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.LeakyReLU(0.2), torch.nn.Linear(6, 1))
    rows = (4 * torch.rand(25, 4) - 2).requires_grad_()
    ours = _model(clip=0.3).clipped_sum(torch, judge, rows.detach())
    watched = opacus.GradSampleModule(copy.deepcopy(judge), loss_reduction="sum")
    torch.nn.functional.softplus(-watched(rows)).sum().backward()
    each = torch.cat([part.grad_sample.reshape(25, -1) for part in watched.parameters()], dim=1)
    clipped = each * torch.clamp(0.3 / each.norm(dim=1, keepdim=True), max=1.0)
    assert np.allclose(ours, clipped.sum(dim=0).numpy(), atol=1e-4)
    assert (each.norm(dim=1) > 0.3).any()


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
    [{"epsilon": 0.0}, {"delta": 0.0}, {"rate": 0.0}, {"clip": 0.0}, {"steps": 0}, {"accounting": "moments"}],
)
def test_bad_parameters_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        _model(**changes)


def test_values_outside_the_domain_are_refused() -> None:
    with pytest.raises(InputError, match="public range"):
        _model().release(np.array([[1.5]]))
    with pytest.raises(InputError, match="a public domain"):
        _model(domains={"age": [0, 100, 5]}).release(make_census(5))
