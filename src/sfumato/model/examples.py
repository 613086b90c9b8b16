"""Every mechanism, attack and utility with inputs to try it on, for the auditor, the checks and the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.auditor import AuditCase
from sfumato.model.attacks.attribute_inference import AttributeInferenceAttack
from sfumato.model.attacks.closest_membership import ClosestMembershipAttack
from sfumato.model.attacks.closest_record import ClosestRecordAttack
from sfumato.model.attacks.half_linkage import HalfLinkageAttack
from sfumato.model.attacks.sample_copying import SampleCopyingAttack
from sfumato.model.attacks.singling_out import SinglingOutAttack
from sfumato.model.core.cohort import Cohort
from sfumato.model.data.census import make_census
from sfumato.model.mechanisms.kernel_density import KernelDensity
from sfumato.model.mechanisms.noisy_marginals import NoisyMarginals
from sfumato.model.utilities.coverage_of_modes import CoverageOfModes
from sfumato.model.utilities.marginal_distance import MarginalDistance
from sfumato.model.utilities.student_accuracy import StudentAccuracy

__all__ = ["attack_examples", "audit_cases", "utility_examples"]

FEW = pa.table({"answer": ["yes", "yes", "no"], "age": [20, 30, 60]})
CHANGED = pa.table({"answer": ["no", "yes", "no"], "age": [70, 30, 60]})
DOMAINS: dict[str, list[Any]] = {"answer": ["no", "yes"], "age": [0, 80, 2]}


def audit_cases() -> Iterator[AuditCase]:
    """One case, or more, for each mechanism."""
    yield AuditCase(
        mechanism=NoisyMarginals(epsilon=1.0, domains=DOMAINS),
        pairs=[(FEW, CHANGED)],
        bad=[FEW.append_column("name", pa.array(["a", "b", "c"])), FEW.slice(0, 0), CHANGED.select(["age"])],
        features=_counts,
        samples=300,
        source="Dwork, McSherry, Nissim, Smith 2006",
    )
    yield AuditCase(
        mechanism=KernelDensity(bandwidth=0.5),
        pairs=[(np.zeros((3, 1)), np.array([[0.0], [0.0], [4.0]]))],
        bad=[np.array([[np.nan]]), np.zeros(3), "seven"],
        source="Meehan 2023, §2.1",
    )
    if importlib.util.find_spec("torch") is not None:
        yield from _networks()


def _networks() -> Iterator[AuditCase]:
    """Generators that are networks; none without PyTorch."""
    from sfumato.model.gan_step import GanStep
    from sfumato.model.mechanisms.noise_layer_gan import NoiseLayerGan
    from sfumato.model.mechanisms.private_gan import PrivateGan
    from sfumato.model.mechanisms.variational_autoencoder import VariationalAutoencoder

    # A bound that every gradient reaches, and the tight account: less noise would be seen.
    step = GanStep(epsilon=1.0, delta=1e-4, expected_records=3, clip=0.1, accounting="pld")
    few, more = np.array([[0.5], [-0.25]]), np.array([[0.5], [-0.25], [1.0]])
    bad = [np.array([[np.nan]]), np.array([[2.0]]), np.zeros(3), "seven"]
    yield AuditCase(
        name="PrivateGan, one step",
        mechanism=step,
        pairs=[(few, more), (more[:1], more[::2])],
        bad=bad,
        sampler=step.draw,
        part_of=PrivateGan,
        source="Abadi et al. 2016; Fischer §4.3 (B14b)",
    )
    yield AuditCase(
        mechanism=NoiseLayerGan(count=2, steps=2, batch=2, hidden=2, latent=1),
        pairs=[(few, more[:2])],
        bad=bad,
        samples=50,
        source="Fischer §4.3 (B14)",
    )
    yield AuditCase(
        mechanism=VariationalAutoencoder(latent=1, count=2, epochs=1, batch=2),
        pairs=[(few, more[:2])],
        bad=bad,
        samples=50,
        source="Meehan 2023, §2.4",
    )


def _counts(release: pa.Table) -> list[float]:
    answers, ages = release["answer"].to_pylist(), release["age"].to_numpy()
    return [float(answers.count("yes")), float((ages >= 40).sum())]


def _cohort() -> tuple[Cohort, pa.Table]:
    people = make_census(90)
    return Cohort(train=people.slice(0, 40), test=people.slice(40, 40)), people.slice(20, 60)


def attack_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each attack with training and fresh records, and a release."""
    group, made = _cohort()
    yield SampleCopyingAttack(), group, made
    yield ClosestRecordAttack(), group, made
    yield SinglingOutAttack(), group, made
    yield HalfLinkageAttack(), group, made
    yield AttributeInferenceAttack(), group, made
    yield ClosestMembershipAttack(), group, made


def utility_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each utility with training and fresh records, and a release."""
    group, made = _cohort()
    yield MarginalDistance(), group, made
    yield CoverageOfModes(), group, made
    yield StudentAccuracy(), group, made
