"""Convolutional encoders and decoders of small images."""

from __future__ import annotations

from typing import Any

__all__ = ["image_decoder", "image_encoder", "image_shape"]


def image_shape(shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Rows, columns and colours of samples that are images with the colours last; None if they are not."""
    if len(shape) == 2:
        return shape[0], shape[1], 1
    if len(shape) == 3 and shape[2] in (1, 3):
        return shape[0], shape[1], shape[2]
    return None


def image_encoder(torch: Any, shape: tuple[int, int, int], out: int, *, filters: int = 16) -> Any:
    """Four convolutions with batch normalisation, two poolings, two dense layers: flat images to ``out`` numbers."""
    nn = torch.nn
    rows, columns, colours = shape
    layers: list[Any] = [_turned(torch, shape)]
    last = colours
    for wide, pooled in ((filters, False), (filters, True), (2 * filters, False), (2 * filters, True)):
        layers += [nn.Conv2d(last, wide, 3, padding=1), nn.BatchNorm2d(wide), nn.ReLU()]
        layers += [nn.MaxPool2d(2, ceil_mode=True)] * pooled
        last = wide
    left = last * -(-rows // 4) * -(-columns // 4)
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(left, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, out))


def image_decoder(torch: Any, shape: tuple[int, int, int], width: int, *, filters: int = 16) -> Any:
    """Dense layers and two transposed convolutions: ``width`` numbers to flat images."""
    nn = torch.nn
    rows, columns, colours = shape
    high, wide = -(-rows // 4), -(-columns // 4)
    layers: list[Any] = [
        *(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, 2 * filters * high * wide), nn.ReLU()),
        nn.Unflatten(1, (2 * filters, high, wide)),
    ]
    last = 2 * filters
    for _ in range(2):
        layers += [nn.ConvTranspose2d(last, filters, 4, stride=2, padding=1), nn.BatchNorm2d(filters), nn.ReLU()]
        last = filters
    return nn.Sequential(*layers, nn.Conv2d(last, colours, 3, padding=1), _flat(torch, shape))


def _turned(torch: Any, shape: tuple[int, int, int]) -> Any:
    class Turned(torch.nn.Module):
        """Flat images with the colours last as (count, colours, rows, columns)."""

        def forward(self, flat: Any) -> Any:
            return flat.reshape(len(flat), *shape).permute(0, 3, 1, 2)

    return Turned()


def _flat(torch: Any, shape: tuple[int, int, int]) -> Any:
    class Flat(torch.nn.Module):
        """Images of at least the size, cut to it, as flat rows with the colours last."""

        def forward(self, images: Any) -> Any:
            return images[:, :, : shape[0], : shape[1]].permute(0, 2, 3, 1).reshape(len(images), -1)

    return Flat()
