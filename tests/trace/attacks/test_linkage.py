"""Linkage and uniqueness."""

from __future__ import annotations

import numpy as np

from sfumato.trace import (
    LinkageAttack,
    uniqueness,
)


def test_uniqueness_against_brute_force():
    from itertools import combinations

    visits = np.random.default_rng(7).integers(0, 6, (20, 4))
    for known in (1, 2, 3):
        brute = []
        for user in visits:
            own = sorted(set(user))
            choices = combinations(own, min(known, len(own)))
            brute.append(max(1 / sum(set(c) <= set(other) for other in visits) for c in choices))
        np.testing.assert_allclose(uniqueness(visits, known), brute)


def test_linkage_recognises_raw_paths_and_not_drowned_ones():
    paths = np.random.default_rng(8).normal(0, 1000, (30, 20, 2))
    attack = LinkageAttack(known=3)
    assert attack.attack(paths, paths, rng=np.random.default_rng(1)).value == 1.0
    drowned = paths + np.random.default_rng(9).normal(0, 1e6, paths.shape)
    assert attack.attack(paths, drowned, rng=np.random.default_rng(1)).value < 0.25
