"""Checks of a mechanism: its promise, its releases, its randomness and what it refuses."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase, audit
from sfumato.auditor.exact import log_law_of
from sfumato.errors import InputError
from sfumato.promise.divergence import log_ratio
from sfumato.promise.guarantee import check_promise
from sfumato.study.conformance.parameters import CheckError, require, same

__all__ = ["BUILD_CONFIDENCE", "MECHANISM_CHECKS"]

BUILD_CONFIDENCE = 1 - 1e-6
"""At which a sampled audit may fail a build: one false alarm in a million audits of tight, sound mechanisms."""

_SEEDS = 64
_REPEATED = 8
_AGREEMENT_DRAWS = 1_000  # with a sampler; a loop over release makes 400
_AGREEMENT_SIGMAS = 6.5  # two-sided 8e-11 for a normal mean
_AGREEMENT_SMALL = 30.0  # counts, where a mean of so few is not normal


def _release(case: AuditCase, data: Any, seed: int) -> Any:
    return case.mechanism.release(data, rng=np.random.default_rng(seed))


def _inputs(case: AuditCase) -> list[Any]:
    return [data for pair in case.pairs for data in pair]


def _is_random(case: AuditCase) -> bool:
    """Whether the promise can only be kept with noise, and with more than a trace of it."""
    guarantee = case.mechanism.guarantee
    if guarantee.vacuous or not guarantee.yardsticks():
        return False
    known = log_law_of(case.mechanism)
    if known is None or known[0] == "density" or case.outputs is None:
        return True
    return max(float(np.max(known[1](case.outputs, data))) for data in _inputs(case)) < math.log(0.99)


def check_has_a_guarantee(case: AuditCase) -> None:
    """There is a promise, it prints, compares by value, and a release does not change it."""
    before = case.mechanism.guarantee
    check_promise("guarantee", before)
    require(bool(str(before).strip()), "the guarantee does not print")
    require(hash(before) == hash(pickle.loads(pickle.dumps(before))), "the guarantee does not compare by value")
    _release(case, case.pairs[0][0], 0)
    require(case.mechanism.guarantee == before, "the guarantee changes with a release")


def check_same_kind_out_as_in(case: AuditCase) -> None:
    """Arrays in, arrays of that shape out; frames in, frames out; always the same kind for the same input."""
    guarantee = case.mechanism.guarantee
    wanted = guarantee.model == "local" and not guarantee.vacuous
    for data in _inputs(case):
        release = _release(case, data, 0)
        if case.same_kind if case.same_kind is not None else wanted:
            require(_kind(release) == _kind(data), f"{_kind(data)} in, {_kind(release)} out")
        require(type(_release(case, data, 1)) is type(release), "the kind of release depends on the noise")


def _kind(value: Any) -> tuple[Any, ...]:
    if isinstance(value, (bool, np.bool_)):
        return ("boolean",)
    if isinstance(value, (int, float, np.number)):
        return ("number",)
    if isinstance(value, np.ndarray):
        return ("array", value.shape, "numbers" if value.dtype.kind in "iuf" else value.dtype.kind)
    columns = getattr(value, "column_names", getattr(value, "columns", None))
    if columns is not None:
        return (type(value).__name__, tuple(columns))
    return (type(value).__name__,)


def check_leaves_its_input_alone(case: AuditCase) -> None:
    """A release never writes into what it was given."""
    for data in _inputs(case):
        kept = copy.deepcopy(data)
        _release(case, data, 0)
        require(same(kept, data), "release changes its input")


def check_rng_honoured(case: AuditCase) -> None:
    """The same seed gives the same release; other seeds give others; ``rng=None`` works."""
    for seed in range(_REPEATED):
        for data in case.pairs[0]:
            twice = [_release(case, data, seed) for _ in range(2)]
            require(same(*twice), "the same seed gives two different releases")
    first = _release(case, case.pairs[0][0], 0)
    if _is_random(case):
        others = (_release(case, case.pairs[0][0], seed) for seed in range(1, _SEEDS))
        require(any(not same(first, other) for other in others), f"{_SEEDS} seeds give one and the same release")
    unseeded = case.mechanism.release(case.pairs[0][0])
    require(_kind(unseeded)[0] == _kind(first)[0], "without rng the release is of another kind")


def check_wrong_rng_rejected(case: AuditCase) -> None:
    """A seed or a legacy generator in place of a numpy Generator is refused."""
    for wrong in (0, np.random.RandomState(0)):
        try:
            case.mechanism.release(case.pairs[0][0], rng=wrong)
        except InputError:
            continue
        raise CheckError(f"rng = {wrong!r} is accepted")


def check_bad_input_rejected(case: AuditCase) -> None:
    """Every bad input of the case raises InputError with a reason."""
    for bad in case.bad:
        try:
            case.mechanism.release(bad, rng=np.random.default_rng(0))
        except InputError as error:
            require(bool(str(error).strip()), f"{_short(bad)} is refused without a reason")
            continue
        except Exception as error:
            raise CheckError(f"{_short(bad)} raises {type(error).__name__}, not InputError: {error}") from error
        raise CheckError(f"{_short(bad)} is accepted")


def _short(value: Any) -> str:
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else shown[:57] + "..."


def check_copy_releases_the_same(case: AuditCase) -> None:
    """A pickled copy, with all it has learned, makes the same release from the same seed."""
    clone = pickle.loads(pickle.dumps(case.mechanism))
    release = clone.release(case.pairs[0][0], rng=np.random.default_rng(0))
    require(same(release, _release(case, case.pairs[0][0], 0)), "a pickled copy releases something else")
    require(clone.guarantee == case.mechanism.guarantee, "a pickled copy promises something else")


def check_law_agrees_with_release(case: AuditCase) -> None:
    """What ``log_prob`` or ``log_density`` says of two inputs is what their releases do.

    For the loss L = log p(z)/q(z) and any set A of losses ≥ 0, E_p[e^{−L}·1(L ∈ A)] = Pr_q[L ∈ A]. Both sides are
    means of numbers in [0, 1], compared within 6.5 standard errors and 30 counts: a false alarm in less than one of
    10⁹ checks.
    """
    known = log_law_of(case.mechanism)
    if known is None:
        return
    rng = np.random.default_rng(0)
    x, y = case.pairs[0]
    losses, count = [], _AGREEMENT_DRAWS if case.sampler is not None else 400
    for data in (x, y):
        drawn = case.draw(data, count, rng)
        losses.append(log_ratio(known[1](drawn, x), known[1](drawn, y)))
    for loss_p, loss_q in ((losses[0], losses[1]), (-losses[1], -losses[0])):
        for cut in (0.0, float(np.median(np.maximum(loss_p, 0.0)))):
            weighted = np.where(loss_p > cut, np.exp(-np.maximum(loss_p, 0.0)), 0.0)
            inside = (loss_q > cut).astype(float)
            spread = math.sqrt((weighted.var() + inside.var()) / count)
            allowed = _AGREEMENT_SIGMAS * spread + _AGREEMENT_SMALL / count
            gap = abs(float(weighted.mean() - inside.mean()))
            require(gap <= allowed, f"the law and the releases disagree by {gap:.3g} on the event loss > {cut:.3g}")


def check_auditor_agrees(case: AuditCase) -> None:
    """The auditor finds what the case expects: a promise that holds, or a specimen that is broken."""
    result = audit(case, confidence=BUILD_CONFIDENCE, rng=np.random.default_rng(0))
    require(result.as_expected, f"{result}, expected {case.expected!r}")


MECHANISM_CHECKS = (
    check_has_a_guarantee,
    check_same_kind_out_as_in,
    check_leaves_its_input_alone,
    check_rng_honoured,
    check_wrong_rng_rejected,
    check_bad_input_rejected,
    check_copy_releases_the_same,
    check_law_agrees_with_release,
    check_auditor_agrees,
)
