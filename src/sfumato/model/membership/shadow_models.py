"""The likelihood-ratio attack with shadow models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from sfumato.errors import bad_input
from sfumato.model.membership.membership_report import MembershipReport
from sfumato.noise import Rng, resolve_rng
from sfumato.study.console import progress
from sfumato.validate import choice, finite_array, integer

__all__ = ["ShadowModels", "likelihood_ratio_attack", "logit_confidence", "train_shadow_models"]

Fit = Callable[[Any, Any], Callable[[Any], NDArray[np.float64]]]
"""``fit(rows, labels)`` gives ``predict(rows)``, the probabilities of all classes, one row each."""


class ShadowModels(NamedTuple):
    """What models trained on random halves say of every record.

    ``confidence`` has one row a model and one column a record; ``member`` says whether the record was trained on.
    """

    confidence: NDArray[np.float64]
    member: NDArray[np.bool_]


def logit_confidence(probabilities: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
    """log(p/(1 − p)) of the true class: nearly normal over models, which p itself is not (Carlini et al. 2022).

    >>> logit_confidence([[0.5, 0.5], [0.1, 0.9]], [0, 1]).round(4)
    array([0.    , 2.1972])
    """
    shares = finite_array("probabilities", probabilities, ndim=2)
    kinds = np.asarray(labels)
    if kinds.shape != (len(shares),) or kinds.dtype.kind not in "iu":
        raise bad_input("labels", kinds.shape, f"{len(shares)} whole numbers, one for each row")
    if len(kinds) and not 0 <= kinds.min() <= kinds.max() < shares.shape[1]:
        raise bad_input("labels", int(kinds.max()), f"classes from 0 to {shares.shape[1] - 1}")
    tiny = 1e-12
    own = shares[np.arange(len(shares)), kinds]
    rest = shares.sum(axis=1) - own  # 1 − p would be 0 for a confident model
    return np.log(np.maximum(own, tiny)) - np.log(np.maximum(rest, tiny))


def train_shadow_models(
    fit: Fit, rows: ArrayLike, labels: ArrayLike, *, count: int = 16, rng: Rng | None = None
) -> ShadowModels:
    """Train ``count`` models, each on a random half of the records; every record is in exactly half of them.

    Parameters
    ----------
    fit : callable
        ``fit(rows, labels)`` trains a model as the attacked one was trained and gives a function of rows that returns
        the probabilities of all classes.
    """
    data, kinds = finite_array("rows", rows), np.asarray(labels)
    count = integer("count", count, least=2)
    if count % 2:
        raise bad_input("count", count, "an even number", "every record is in half of the models")
    generator = resolve_rng(rng)
    ranks = generator.random((count, len(data))).argsort(axis=0)
    member = ranks < count // 2
    said = np.empty((count, len(data)))
    for place in progress(range(count), "shadow models", total=count):
        predict = fit(data[member[place]], kinds[member[place]])
        said[place] = logit_confidence(predict(data), kinds)
    return ShadowModels(said, member)


def likelihood_ratio_attack(
    shadows: ShadowModels,
    confidence: ArrayLike,
    member: ArrayLike,
    *,
    worlds: str = "both",
    variance: str = "common",
) -> MembershipReport:
    """Compare what the attacked model says of a record with what models with and without it say (LiRA).

    For each record a normal law is fitted to the confidences of shadow models that were trained on it and of those that
    were not; the score is the logarithm of the ratio of the two densities (Carlini et al. 2022).

    Parameters
    ----------
    shadows : ShadowModels
    confidence, member : array_like
        The attacked model's confidence in each record, and whether it was trained on it.
    worlds : {"both", "without"}
        "without" needs only models that were not trained on a record: the score is how improbably confident the
        attacked model is.
    variance : {"common", "each"}
        One variance for all records, better with few models, or one for each.

    Examples
    --------
    >>> shadows = ShadowModels(np.array([[2.0, 0.0], [2.2, 0.1], [0.0, 2.0], [0.1, 2.1]]),
    ...                        np.array([[True, False], [True, False], [False, True], [False, True]]))
    >>> likelihood_ratio_attack(shadows, [2.1, 0.05], [True, False]).area
    1.0
    """
    choice("worlds", worlds, ("both", "without"))
    choice("variance", variance, ("common", "each"))
    seen, inside = finite_array("confidence", confidence, ndim=1), np.asarray(member)
    said, known = shadows
    if said.shape != known.shape or said.shape[1] != len(seen) or inside.shape != seen.shape or inside.dtype != bool:
        raise bad_input("confidence", seen.shape, f"{said.shape[1]} numbers, and True or False for each")
    if min(known.sum(axis=0).min(), (~known).sum(axis=0).min()) < 2:
        raise bad_input("shadows", len(said), "at least two models with and two without every record", "train more")
    laws = []
    for chosen in (known, ~known):
        part = np.where(chosen, said, np.nan)
        mean = np.nanmean(part, axis=0)
        spread = np.nanvar(part, axis=0, ddof=1)
        spread = np.full(len(mean), spread.mean()) if variance == "common" else spread
        laws.append((mean, np.sqrt(np.maximum(spread, 1e-12))))
    (mean_in, sd_in), (mean_out, sd_out) = laws
    if worlds == "without":
        score = -norm.logsf((seen - mean_out) / sd_out)
    else:
        score = norm.logpdf(seen, mean_in, sd_in) - norm.logpdf(seen, mean_out, sd_out)
    score = np.clip(np.nan_to_num(score, posinf=1e300, neginf=-1e300), -1e300, 1e300)
    if not inside.any() or inside.all():
        raise bad_input("member", f"{int(inside.sum())} of {len(inside)}", "both members and strangers")
    return MembershipReport(members=score[inside], strangers=score[~inside])
