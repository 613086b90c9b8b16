"""How far a query can move, found by trying everything: exact on tiny domains, an oracle for formulas elsewhere.

A data set is a multiset of records, handed to the query as a sorted tuple (Mimoto Defs 2.4–2.9).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.validate import choice, integer, positive

__all__ = ["global_sensitivity", "local_sensitivity", "smooth_sensitivity"]

Data = tuple[Any, ...]
Query = Callable[[Data], ArrayLike]
Relation = Literal["replace-one", "add-remove"]


def local_sensitivity(
    query: Query,
    data: Sequence[Hashable],
    domain: Sequence[Hashable],
    *,
    neighbours: Relation = "replace-one",
    norm: float = 1,
) -> float:
    """LS(D) = max over neighbours D′ of ‖q(D) − q(D′)‖.

    Parameters
    ----------
    query
        From a tuple of records to a number or an array.
    data, domain
        The data set, and every value that a record can have.
    neighbours : {"replace-one", "add-remove"}
    norm : 1, 2 or inf
        Laplace noise needs 1, Gaussian noise 2.

    >>> from statistics import median
    >>> local_sensitivity(median, [5, 5, 5], domain=range(11))
    0.0
    >>> local_sensitivity(median, [0, 5, 9], domain=range(11))
    5.0
    """
    answer = _answers(query)
    values = _domain(domain)
    return _local(answer, _data(data, values), values, choice("neighbours", neighbours, _RELATIONS), _norm(norm))


def global_sensitivity(
    query: Query,
    domain: Sequence[Hashable],
    size: int,
    *,
    neighbours: Relation = "replace-one",
    least: int = 0,
    norm: float = 1,
) -> float:
    """GS = max of LS(D) over all data sets: of ``size`` records, or with add-remove of ``least`` to ``size``.

    >>> global_sensitivity(sum, domain=range(4), size=3)
    3.0
    """
    answer = _answers(query)
    values = _domain(domain)
    sizes = _sizes(integer("size", size), least, choice("neighbours", neighbours, _RELATIONS))
    p = _norm(norm)
    worst = 0.0
    for data in _data_sets(values, sizes):
        for other in _neighbours(data, values, neighbours):
            if len(other) in sizes:
                worst = max(worst, _distance(answer(data), answer(other), p))
    return worst


def smooth_sensitivity(
    query: Query,
    data: Sequence[Hashable],
    domain: Sequence[Hashable],
    beta: float,
    *,
    neighbours: Relation = "replace-one",
    largest: int | None = None,
    norm: float = 1,
) -> float:
    """S_β(D) = max over all D′ of e^{−β·d(D, D′)}·LS(D′), d the number of neighbour steps from D to D′.

    With add-remove neighbours D′ runs over all sizes up to ``largest`` (needed there).

    >>> from statistics import median
    >>> round(smooth_sensitivity(median, [5, 5, 5], domain=range(11), beta=0.5), 4)
    3.0327
    """
    answer = _answers(query)
    values = _domain(domain)
    start = _data(data, values)
    beta, p = positive("beta", beta, zero=True), _norm(norm)
    if choice("neighbours", neighbours, _RELATIONS) == "add-remove" and largest is None:
        raise bad_input(
            "largest", largest, "the largest data set to try", "add-remove neighbours have no end otherwise"
        )
    sizes = _sizes(len(start) if largest is None else integer("largest", largest, least=len(start)), 0, neighbours)
    have = Counter(start)
    worst = 0.0
    for other in _data_sets(values, sizes):
        shared = sum((have & Counter(other)).values())
        steps = len(start) - shared if neighbours == "replace-one" else len(start) + len(other) - 2 * shared
        worst = max(worst, math.exp(-beta * steps) * _local(answer, other, values, neighbours, p))
    return worst


_RELATIONS: tuple[Relation, ...] = ("replace-one", "add-remove")


def _answers(query: Query) -> Callable[[Data], Any]:
    @cache
    def answer(data: Data) -> Any:
        value = np.asarray(query(data), float)
        if not np.isfinite(value).all():
            raise bad_input(f"query{data!r}", value.tolist(), "a finite answer", "the sensitivity does not exist")
        return value

    return answer


def _domain(domain: Sequence[Hashable]) -> list[Any]:
    values: list[Any] = sorted(set(domain))
    if not values:
        raise bad_input("domain", domain, "at least one value")
    return values


def _data(data: Sequence[Hashable], values: list[Any]) -> Data:
    for record in data:
        if record not in values:
            raise bad_input("data", record, "records of the domain", "add the value to the domain")
    return tuple(sorted(data))


def _norm(norm: float) -> float:
    return choice("norm", norm, (1, 2, math.inf))


def _sizes(size: int, least: int, neighbours: Relation) -> range:
    if neighbours == "replace-one":
        return range(size, size + 1)
    return range(integer("least", least, least=0, most=size), size + 1)


def _data_sets(values: list[Any], sizes: range) -> Iterator[Data]:
    for size in sizes:
        yield from combinations_with_replacement(values, size)


def _neighbours(data: Data, values: list[Any], neighbours: Relation) -> Iterator[Data]:
    for i in range(len(data)):
        if i and data[i] == data[i - 1]:
            continue  # the same record again
        rest = data[:i] + data[i + 1 :]
        if neighbours == "add-remove":
            yield rest
        else:
            yield from (tuple(sorted((*rest, value))) for value in values if value != data[i])
    if neighbours == "add-remove":
        yield from (tuple(sorted((*data, value))) for value in values)


def _local(answer: Callable[[Data], Any], data: Data, values: list[Any], neighbours: Relation, norm: float) -> float:
    here = answer(data)
    return max((_distance(here, answer(other), norm) for other in _neighbours(data, values, neighbours)), default=0.0)


def _distance(x: Any, y: Any, norm: float) -> float:
    if x.shape != y.shape:
        raise bad_input("query", (x.shape, y.shape), "answers of one shape for all data sets")
    return float(np.linalg.norm((x - y).ravel(), norm))
