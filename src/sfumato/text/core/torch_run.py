"""PyTorch for texts: imported late, on the processor, seeded and on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import choice, extra

__all__ = ["check_device", "neural_torch", "shuffled", "torch_run"]


def neural_torch() -> Any:
    """PyTorch, or an error that names the extra."""
    return extra("torch", "neural")


def check_device(device: str) -> str:
    """``cpu`` or ``cuda``; refuses a graphics card that is not there."""
    choice("device", device, ("cpu", "cuda"))
    if device == "cuda" and not neural_torch().cuda.is_available():
        raise bad_input("device", device, "a graphics card that PyTorch can use", "device='cpu'")
    return device


@contextmanager
def torch_run(rng: Rng | None) -> Iterator[Any]:
    """PyTorch with its generator seeded from ``rng`` and on one thread; both are put back afterwards."""
    torch = neural_torch()
    seed = int(resolve_rng(rng).integers(2**62))
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield torch
        finally:
            torch.set_num_threads(threads)


def shuffled(
    count: int, size: int, rng: np.random.Generator, *, most: int | None = None
) -> Iterator[NDArray[np.int64]]:
    """The rows of one epoch in random order, or ``most`` of them, a batch at a time."""
    order = rng.permutation(count)[:most]
    for start in range(0, len(order), size):
        yield order[start : start + size]
