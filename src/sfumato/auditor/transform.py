"""Releases turned into numbers that are uniform on (0, 1) if they follow the law that is claimed.

Six ways, the first that can be had is taken:

- *cells*: a law on a finite set. The outputs are put in order of their probability, and of their privacy loss, and
  the distribution function is randomised inside the jumps (Rosenblatt 1952).
- *line*: a law on a lattice or a density on the line, by its distribution function
  (:mod:`~sfumato.auditor.line_law`).
- *isotropic*, *product*: a law of vectors that a symmetry reduces to the line (:mod:`~sfumato.auditor.symmetry`).
- *chains*: any other density of vectors, by ranks among Markov chains (:mod:`~sfumato.auditor.chains`).
- *inputs*: everything else. Given a release, Bayes' rule says how likely each of the inputs of the case is; the place
  of the true one in that posterior is uniform. Neither the measure of the density nor the shape of outputs matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.chains import chain_numbers
from sfumato.auditor.features import category_of, floats_or_none, whole_codes
from sfumato.auditor.integral import LogLaw
from sfumato.auditor.line_law import MISSING, MOST_CELLS, line_numbers
from sfumato.auditor.sample import BY_LOSS, BY_PROBABILITY, Sample, Uniforms, randomised
from sfumato.auditor.symmetry import isotropic_numbers, product_numbers
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats, log_ratio

__all__ = ["uniforms"]


def uniforms(case: AuditCase, kind: str, law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Iterator[Uniforms]:
    """Every set of numbers that can be had from these releases."""
    law = _refusing(law)
    rest = []
    for number, sample in enumerate(samples):
        pair = [one for one in samples if one.data is sample.data or one.data is sample.partner]
        for way in _WAYS:
            try:
                found = way(case, kind, law, sample, number, pair, rng)
            except InputError:  # the law does not know an output that the auditor made: the next way asks less
                found = None
            if found is not None:
                yield from found
                break
        else:
            rest.append(sample)
    if len(rest) > 1:
        yield from _inputs(law, rest, rng)


def _refusing(law: LogLaw) -> LogLaw:
    """The law, which refuses outputs that it does not know: here they are the auditor's, not the mechanism's."""

    def checked(outputs: Any, data: Any) -> Floats:
        try:
            return np.asarray(law(outputs, data), float)
        except (IndexError, KeyError, TypeError, ValueError) as error:  # InputError is a ValueError
            raise InputError(str(error)) from error

    return checked


# Finite laws


def _key(output: Any) -> Any:
    numbers = floats_or_none(output, "iufb")
    return category_of(output) if numbers is None else (numbers.astype(float) + 0.0).tobytes()


def _different(sample: Sample) -> list[Any]:
    """The different outputs, in the order of their codes."""
    return [sample.outputs[int(first)] for first in np.unique(sample.codes, return_index=True)[1]]


def _mostly_different(pair: Sequence[Sample]) -> bool:
    """Whether more than half of the outputs, which are arrays, are different: a fine grid and no finite set."""
    drawn = [one.outputs for one in pair]
    if not all(isinstance(outputs, np.ndarray) and outputs.shape[1:] == drawn[0].shape[1:] for outputs in drawn):
        return False
    every = whole_codes(np.concatenate(drawn))
    return int(every.max()) + 1 > 0.5 * len(every)


def _cells(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    if kind != "law":
        return None
    if case.outputs is not None:
        cells = {_key(output): output for output in case.outputs}
    else:
        if _mostly_different(pair):
            return None
        cells = {_key(output): output for one in pair for output in _different(one)}
        if len(cells) > 0.5 * sum(len(one.outputs) for one in pair):
            return None
    if len(cells) > MOST_CELLS:
        return None
    cells = dict(sorted(cells.items(), key=lambda cell: repr(cell[0])))  # ties must not follow the order of arrival
    place = {key: index for index, key in enumerate(cells)}
    try:
        at = np.array([place[_key(output)] for output in _different(sample)])[sample.codes]
        every = _stack(list(cells.values()), sample.outputs)
        log_p, log_q = law(every, sample.data), law(every, sample.partner)
    except KeyError:  # an output that is not in the list of all outputs
        return None
    if abs(float(np.exp(log_p).sum()) - 1) > MISSING:
        return None
    found = []
    for order, sides in ((-log_p, BY_PROBABILITY), (log_ratio(log_p, log_q), BY_LOSS)):
        found.append(Uniforms(randomised(np.exp(log_p), order, at, rng), "cells", number, *sides))
    return found


def _stack(outputs: list[Any], like: Any) -> Any:
    return np.array(outputs).astype(like.dtype) if isinstance(like, np.ndarray) else outputs


# Anything


def _inputs(law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Iterator[Uniforms]:
    try:
        yield _posterior(law, samples, rng)
    except InputError:  # an output of one input is no output of another: only those of a pair are compared
        for number, one in enumerate(samples):
            other = next((s for s in samples[number + 1 :] if s.data is one.partner), None)
            if other is not None:
                yield _posterior(law, [one, other], rng)


def _posterior(law: LogLaw, samples: Sequence[Sample], rng: Rng) -> Uniforms:
    """Uniform only over all inputs together, equally often each: the posterior's own assumption."""
    least = min(len(one.outputs) for one in samples)
    found = []
    for true, sample in enumerate(samples):
        logs = np.stack([np.asarray(law(sample.outputs[:least], one.data), float) for one in samples], axis=1)
        top = logs.max(axis=1, keepdims=True)
        p = np.exp(logs - np.where(np.isneginf(top), 0.0, top))
        p /= np.maximum(p.sum(axis=1, keepdims=True), 1e-300)
        own = p[:, [true]]
        earlier = np.arange(p.shape[1]) < true
        before = np.where((p < own) | ((p == own) & earlier), p, 0.0).sum(axis=1)
        found.append(np.clip(before + rng.random(len(p)) * own[:, 0], 0.0, 1.0))
    sides = ("less telling about their input than the law says", "more telling about their input than the law says")
    return Uniforms(np.concatenate(found), "inputs", -1, *sides)


_WAYS = (_cells, line_numbers, isotropic_numbers, product_numbers, chain_numbers)
