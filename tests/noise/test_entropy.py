"""A secure generator is nobody else's: new keys after a fork, no copies."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle

import numpy as np
import pytest

from sfumato.mechanism import Laplace
from sfumato.noise import resolve_rng, secure_rng
from sfumato.noise.entropy import SecureRng


def words(rng: np.random.Generator) -> bytes:
    return rng.integers(0, 2**63, size=4).tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("make", [secure_rng, lambda: secure_rng().spawn(1)[0]])
def test_a_generator_that_was_passed_on_differs_in_every_process(make) -> None:
    """Two children and their parent, all with one generator that had drawn already, half a buffer of it."""
    rng = make()
    rng.integers(0, 2**63, size=3)
    found = []
    for _ in range(2):
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            os.write(send, words(rng))
            os._exit(0)
        found.append(os.read(receive, 1000))
        os.waitpid(child, 0)
        os.close(receive)
        os.close(send)
    assert len({words(rng), *found}) == 3
    assert all(len(drawn) == 32 for drawn in found)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, pickle.dumps, lambda rng: pickle.dumps([rng], protocol=2)]
)
def test_it_is_neither_copied_nor_pickled(duplicate) -> None:
    with pytest.raises(TypeError, match="copied or pickled"):
        duplicate(secure_rng())


def test_it_is_not_sent_to_another_process() -> None:
    """A spawned process gets its arguments pickled."""
    with pytest.raises(TypeError, match="copied or pickled"):
        multiprocessing.reduction.ForkingPickler.dumps(secure_rng())


def test_its_key_is_what_the_operating_system_gave(monkeypatch) -> None:
    """128 bits, all of them, and nothing made of them: the key schedule of AES starts with the key itself."""
    key = 0x0123456789ABCDEF_FEDCBA9876543210
    asked = []
    monkeypatch.setattr("secrets.randbits", lambda bits: asked.append(bits) or key)
    state = secure_rng().bit_generator.state
    assert asked == [128]
    first = np.asarray(state["s"]["seed"]).ravel()[:2]
    assert int(first[0]) | int(first[1]) << 64 == key


def test_none_is_a_secure_generator() -> None:
    assert isinstance(resolve_rng(None), SecureRng)
    assert words(secure_rng()) != words(secure_rng())
    assert Laplace(epsilon=1.0, sensitivity=1.0).release(0.0, rng=secure_rng()) != 0.0
