"""Variational auto-encoders: what they learn, truncation, convolutions, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import VariationalAutoencoder, autoencoder_features, make_census
from sfumato.model.core.image_networks import image_decoder, image_encoder, image_shape
from sfumato.model.data.census import CENSUS_DOMAINS
from sfumato.promise import NoGuarantee

torch = pytest.importorskip("torch")


def _bars(count: int, seed: int) -> np.ndarray:
    """Images of 6×5 with one white row or column: few kinds, easily learned."""
    rng = np.random.default_rng(seed)
    images = np.full((count, 6, 5), -0.9)
    for image in images:
        if rng.random() < 0.5:
            image[rng.integers(6)] = 0.9
        else:
            image[:, rng.integers(5)] = 0.9
    return images


@pytest.mark.parametrize("network", ["dense", "convolutional"])
def test_training_raises_the_bound(network: str) -> None:
    train, fresh = _bars(300, 0), _bars(100, 1).reshape(100, -1)
    shape = image_shape(train.shape[1:])
    found = []
    for epochs in (1, 12):
        model = VariationalAutoencoder(latent=4, network=network, epochs=epochs, batch=32, learning_rate=5e-3)  # type: ignore[arg-type]
        made = model.train(train.reshape(300, -1), shape=shape, rng=np.random.default_rng(0))
        found.append(made.bound(fresh, rng=np.random.default_rng(1)))
    assert found[1] > found[0] + 1
    assert model.release(train, rng=np.random.default_rng(0)).shape == train.shape


def test_truncation_makes_samples_alike() -> None:
    train = _bars(300, 0).reshape(300, -1)
    made = VariationalAutoencoder(latent=4, epochs=10, batch=32, learning_rate=5e-3).train(
        train, rng=np.random.default_rng(0)
    )
    wide, narrow = (made.sample(200, truncation=cut, rng=np.random.default_rng(2)) for cut in (None, 0.05))
    assert narrow.var(axis=0).mean() < 0.5 * wide.var(axis=0).mean()
    assert np.abs(wide).max() <= 1


def test_tables_come_out_as_they_went_in() -> None:
    people = make_census(60)
    model = VariationalAutoencoder(latent=2, domains=CENSUS_DOMAINS, count=30, epochs=2, batch=20)
    made = model.release(people, rng=np.random.default_rng(0))
    assert made.schema == people.schema
    assert made.num_rows == 30
    assert type(model.guarantee) is NoGuarantee


@pytest.mark.parametrize("shape", [(5, 7, 1), (8, 8, 3), (1, 1, 1)])
def test_networks_take_images_of_any_size(shape: tuple[int, int, int]) -> None:
    flat = torch.zeros(3, int(np.prod(shape)))
    code = image_encoder(torch, shape, 6)(flat)
    assert code.shape == (3, 6)
    assert image_decoder(torch, shape, 6)(code).shape == flat.shape


def test_images_and_rows_have_features_of_the_same_size() -> None:
    images = _bars(60, 0)
    for samples in (images, images.reshape(60, -1)):
        embed = autoencoder_features(samples, dimension=3, epochs=1, rng=np.random.default_rng(0))
        assert embed(samples).shape == (60, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"latent": 0},
        {"truncation": 0.0},
        {"truncation": 0.001},
        {"network": "transformer"},
        {"epochs": 0},
        {"count": 0},
        {"learning_rate": 0.0},
    ],
)
def test_bad_parameters_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        VariationalAutoencoder(**changes)  # type: ignore[arg-type]


def test_rows_are_no_images() -> None:
    with pytest.raises(InputError, match="images"):
        VariationalAutoencoder(network="convolutional").release(np.zeros((4, 3)))
    assert image_shape((4,)) is None
    assert image_shape((4, 4, 2)) is None
