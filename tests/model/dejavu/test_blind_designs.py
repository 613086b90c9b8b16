"""Experiments that cannot see memory are called blind, whatever they score (addenda to the specification, §6)."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import CardExperiment, train_painter
from specimens.blind_designs import BLIND_DESIGNS

pytest.importorskip("torch")


@pytest.mark.parametrize("name", BLIND_DESIGNS)
def test_the_gate_closes(name: str) -> None:
    """For both of two seeds; the untrained and the badly trained alike."""
    for seed in (0, 1):
        design = BLIND_DESIGNS[name](seed=seed, size=64, public=300, fresh=250)
        found = design.audit(design.train(epochs=10))
        assert found.gate.blind
        assert found.report is None
        assert found.words.startswith("The test is blind here")


def test_the_sound_design_is_not_blind() -> None:
    """Same sizes, no mistake: most seeds pass (each fails a gate of three standard deviations about once in 100)."""
    opened = 0
    for seed in range(3):
        cards = CardExperiment(seed=seed, size=64, public=500, fresh=250)
        found = cards.audit(cards.train(epochs=10))
        opened += not [one for one in found.gate.reasons if "control" not in one]
    assert opened >= 2


def test_a_painter_shows_the_class() -> None:
    """Embeddings that tell the panel's hue let its colour be painted."""
    cards = CardExperiment(size=10, public=300, fresh=40)
    shown, other = cards.parts["x"], cards.parts["t"]
    painter = train_painter(np.eye(10)[shown.labels], shown.images, epochs=8, rng=np.random.default_rng(0))
    made = painter.paint(np.eye(10)[other.labels])
    assert made.shape == other.images.shape
    corner = made[:, :, :4, :4].mean(axis=(2, 3)) - other.images[:, :, :4, :4].mean(axis=(2, 3))
    plain = other.images[:, :, :4, :4].mean(axis=(2, 3))
    assert (corner**2).mean() < 0.5 * (plain - plain.mean(axis=0)).var()
    with pytest.raises(InputError, match="images as"):
        train_painter(np.eye(10)[shown.labels], shown.images[:, :2])
