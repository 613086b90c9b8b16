"""Learned anonymisers: the secret goes, the wanted label stays, and a fresh adversary says so."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import error_bound, fresh_adversary, train_adversarial_encoder
from sfumato.promise import NoGuarantee

pytest.importorskip("torch")


def _people(seed: int, count: int = 800) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two numbers tell the activity, two the person."""
    rng = np.random.default_rng(seed)
    activity, person = rng.integers(0, 2, count), rng.integers(0, 4, count)
    places = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    rows = np.column_stack([2.0 * activity - 1, rng.normal(size=count), 1.5 * places[person]])
    return rows + 0.3 * rng.normal(size=rows.shape), activity, person


@pytest.mark.parametrize("seed", range(2))
def test_the_secret_goes_and_the_wanted_label_stays(seed: int) -> None:
    rows, activity, person = _people(seed)
    other, other_activity, other_person = _people(seed + 10)
    raw = fresh_adversary(rows, person, other, other_person).value
    made = train_adversarial_encoder(
        rows, activity, person, weight=3.0, dimension=2, epochs=10, rng=np.random.default_rng(seed)
    )
    codes, others = made.encode(rows), made.encode(other)
    assert fresh_adversary(codes, activity, others, other_activity).value > 0.9
    assert fresh_adversary(codes, person, others, other_person).value < raw - 0.3
    assert type(made.guarantee) is NoGuarantee


def test_an_autoencoder_stays_near_its_input() -> None:
    rows, activity, person = _people(5)
    options = {"dimension": None, "epochs": 5, "weight": 0.0}
    near = train_adversarial_encoder(rows, activity, person, distortion=50.0, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]
    far = train_adversarial_encoder(rows, activity, person, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]
    standard = (rows - rows.mean(0)) / rows.std(0)
    errors = [float(((model.encode(rows) - standard) ** 2).mean()) for model in (near, far)]
    assert errors[0] < 0.5 * errors[1]


def test_fano() -> None:
    assert error_bound(0.0, 2) == 0
    assert error_bound(0.0, 1000) == pytest.approx(1 - np.log(2) / np.log(1000))


@pytest.mark.parametrize(
    "changes",
    [
        {"wanted": np.zeros(3, int)},
        {"secret": -np.ones(20, int)},
        {"weight": -1.0},
        {"distortion": 1.0},
        {"epochs": 0},
        {"rows": np.full((20, 2), np.nan)},
    ],
)
def test_bad_input_is_refused(changes: dict[str, object]) -> None:
    good = {"rows": np.ones((20, 2)), "wanted": np.arange(20) % 2, "secret": np.arange(20) % 2}
    with pytest.raises(InputError):
        train_adversarial_encoder(**(good | changes))  # type: ignore[arg-type]
