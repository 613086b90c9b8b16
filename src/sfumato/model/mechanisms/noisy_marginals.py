"""Synthetic tables from noisy histograms of single columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import column, missing_columns, numbers, to_arrow, to_native_like
from sfumato.mechanism.base import Mechanism
from sfumato.mechanism.laplace import Laplace
from sfumato.model.core.cohort import trained_on
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.promise import PureDP
from sfumato.validate import integer, interval, positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NoisyMarginals", "bin_of", "check_domains", "is_range"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyMarginals(Mechanism):
    """A generator that knows nothing but a noisy histogram of each column: ε-DP for each record.

    **Theorem.** Replacing one record moves one unit of each histogram from one bin to another, an L₁ distance of 2.
    Laplace noise of scale 2c/ε on the bins of each of c columns costs ε/c for a column (Dwork, McSherry, Nissim, Smith
    2006), ε together; the synthetic records are drawn from the noisy histograms alone. The conditions: domains are
    public, and so is the number of records.

    Columns are drawn independently of each other: means and shares survive, relations between columns do not. It is the
    generator that copies nobody, beside which others are judged.

    Parameters
    ----------
    epsilon : float
        The privacy loss of the whole table.
    domains : mapping of str to list
        For each column its categories, or ``[low, high, bins]`` of a column of numbers; public.
    count : int, optional
        How many records; by default as many as came in.

    Examples
    --------
    >>> import pyarrow as pa
    >>> mechanism = NoisyMarginals(epsilon=1.0, domains={"age": [0, 100, 10], "sex": ["f", "m"]})
    >>> print(mechanism.guarantee)
    ε = 1 per record (replace-one neighbours, central model)
    >>> mechanism.release(pa.table({"age": [31, 47], "sex": ["f", "m"]})).column_names
    ['age', 'sex']
    """

    epsilon: float
    domains: Mapping[str, Sequence[Any]]
    count: int | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        check_domains(self.domains)
        if self.count is not None:
            integer("count", self.count)

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for each record."""
        return PureDP(self.epsilon)

    def margin_for(self, size: int, level: float = 0.95) -> float:
        """How far the noisy count of a bin is off at most, with probability ``level``, as a share of ``size`` records.

        Laplace noise of scale b = 2c/ε is within b·ln(1/(1 − level)). What cutting counts below 0 and drawing the
        synthetic records do is not in it.

        >>> two = {"age": [0, 100, 10], "sex": ["f", "m"]}
        >>> round(NoisyMarginals(epsilon=1.0, domains=two).margin_for(1000), 4)
        0.012
        """
        beyond = -math.log1p(-probability("level", level))
        return 2 * len(self.domains) / self.epsilon * beyond / integer("size", size)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """A synthetic table with the same columns."""
        import pyarrow as pa

        generator, data = resolve_rng(rng), trained_on(data)
        table = to_arrow(data)
        missing_columns(list(self.domains), table.column_names, "the table")
        undeclared = [name for name in table.column_names if name not in self.domains]
        if undeclared:
            raise bad_input("column", undeclared[0], "a public domain", "say domains={name=[…]}, or leave it out")
        if not table.num_rows:
            raise InputError("the table has no records: expected at least one")
        noise = Laplace(epsilon=self.epsilon / len(self.domains), sensitivity=2.0)
        size = table.num_rows if self.count is None else self.count
        made = {}
        for name in table.column_names:
            values = self.domains[name]
            counts = np.bincount(bin_of(table, name, values), minlength=_bins(values))
            weights = np.maximum(np.asarray(noise.release(counts, rng=generator)), 0.0)
            law = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
            made[name] = _drawn(values, law, size, pa.types.is_integer(table.schema.field(name).type), generator)
        return to_native_like(pa.table(made), data)


def check_domains(domains: object) -> None:
    """Refuse what is not a public domain for each column."""
    if not isinstance(domains, Mapping) or not domains:
        raise bad_input("domains", domains, "categories or [low, high, bins] for each column")
    for name, values in domains.items():
        _check_domain(name, values)


def is_range(values: Sequence[Any]) -> bool:
    """Whether a domain is ``[low, high, bins]`` and not a list of categories."""
    return len(values) == 3 and all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _bins(values: Sequence[Any]) -> int:
    return int(values[2]) if is_range(values) else len(values)


def _check_domain(name: str, values: object) -> None:
    if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
        raise bad_input(f"domain of {name!r}", values, "a list of categories, or [low, high, bins]")
    if is_range(values):
        interval(f"domain of {name!r}", tuple(values[:2]), "state the public range of the numbers")
        integer(f"bins of {name!r}", values[2])
    elif not all(isinstance(one, str) for one in values) or len(set(values)) != len(values):
        raise bad_input(f"domain of {name!r}", values, "different texts, or [low, high, bins]")


def bin_of(table: pa.Table, name: str, values: Sequence[Any]) -> NDArray[np.int64]:
    """The bin of each record; one outside the domain voids the theorem and is refused."""
    if not is_range(values):
        known = {text: place for place, text in enumerate(values)}
        found = [known.get(str(text), -1) for text in column(table, name).tolist()]
        if min(found) < 0:
            raise bad_input(f"column {name!r}", "another category", "those of its domain", "add it to the domain")
        return np.array(found, np.int64)
    low, high, bins = float(values[0]), float(values[1]), int(values[2])
    array = numbers(table, name)
    if array.min() < low or array.max() > high:
        raise bad_input(f"column {name!r}", "a number outside", f"numbers in [{low:g}, {high:g}]", "widen the domain")
    return np.minimum(((array - low) / (high - low) * bins).astype(np.int64), bins - 1)


def _drawn(values: Sequence[Any], law: NDArray[np.float64], size: int, whole: bool, rng: Rng) -> Any:
    """Categories, or numbers uniform inside their bin."""
    places = rng.choice(len(law), size=size, p=law)
    if not is_range(values):
        return np.array(list(values), dtype=object)[places].tolist()
    low, high, bins = float(values[0]), float(values[1]), int(values[2])
    drawn = low + (places + rng.random(size)) * (high - low) / bins
    return np.clip(np.rint(drawn), np.ceil(low), np.floor(high)).astype(np.int64) if whole else drawn
