"""What an audit found, in numbers and as a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.notebook import definitions
from sfumato.promise import Guarantee
from sfumato.promise.divergence import Floats, hockey_stick
from sfumato.validate import extra

__all__ = ["AuditResult", "Event", "Finding", "Misfit", "Nodes", "Part", "Verdict"]

Verdict = Literal["holds", "broken", "no promise", "untested", "could not run"]
"""``"holds"``: nothing tried exceeds the promise. ``"broken"``: something does, or the releases do not follow the law
that the promise rests on. ``"no promise"``: there is none, what was found is for information. ``"untested"``: a promise
of a kind that the auditor cannot measure. ``"could not run"``: the mechanism raised an error."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Log-probabilities (or densities with integration weights) of two inputs at the same outputs."""

    log_p: Floats
    log_q: Floats
    log_weight: Floats

    def delta(self, epsilon: float) -> float:
        """δ(ε), the worse of the two directions."""
        forth = hockey_stick(self.log_p, self.log_q, epsilon, self.log_weight)
        back = hockey_stick(self.log_q, self.log_p, epsilon, self.log_weight)
        return max(forth, back)


@dataclass(frozen=True)
class Event:
    """An event of probability ≥ p under one input and ≤ q under the other, both at the stated confidence.

    ``plainer`` is an event on something that needs no learning, if one also tells the inputs too far apart.
    """

    p: float
    q: float
    text: str
    counts: tuple[int, int] = (0, 0)
    trials: int = 0
    plainer: str = ""

    def delta(self, epsilon: float) -> float:
        return max(0.0, self.p - math.exp(min(epsilon, 700.0)) * self.q)


@dataclass(frozen=True, eq=False)
class Finding:
    """The worst of one pair of inputs in one direction on one yardstick."""

    symbol: str
    value: float
    bound: float
    shown: float
    slack: float
    pair_index: int
    pair: tuple[Any, Any]
    output: Any
    method: str
    evidence: Nodes | Event | None

    @property
    def attained(self) -> float:
        """Found as a share of what is allowed."""
        if self.bound > 0:
            return max(0.0, self.value / self.bound) if math.isfinite(self.bound) else 0.0
        return math.inf if self.value > self.slack else 1.0

    @property
    def broken(self) -> bool:
        return self.value > self.bound + self.slack


@dataclass(frozen=True)
class Misfit:
    """Releases that do not follow the claimed law: the corrected p-value, how many there were, and how they differ."""

    p: float
    releases: int
    text: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Part:
    """One of the ways in which a promise was tested.

    Parameters
    ----------
    name : {"law", "releases", "fit", "hostile inputs"}
        The claimed law against the promise, real releases against the promise, real releases against the claimed law,
        and inputs that the auditor made itself.
    verdict : {"holds", "broken", "not possible"}
    text : str
        What was done and found, in words.
    findings : tuple of Finding
        The worst of every pair.
    """

    name: str
    verdict: Literal["holds", "broken", "not possible"]
    text: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, eq=False)
class AuditResult:
    """Promised, found and the verdict.

    Parameters
    ----------
    name : str
    guarantee : Guarantee
        The promise as the mechanism states it.
    symbol : str
        What ``promised`` and ``found`` are: ``"ε"``, ``"δ at ε = 1"``, ``"ρ at order 2"``, ``"k"``.
    promised, found : float
        ``found`` is the exact supremum over what was tried, or a lower confidence bound: never more than the truth.
    verdict : {"holds", "broken", "no promise", "untested", "could not run"}
    method : str
        ``"law"`` or ``"density"``, each with ``", sampled"`` where its integral had to be; ``"sampling"`` of releases
        alone; ``"fit"`` where the releases do not follow the claimed law; ``"release"`` for a promise about the release
        itself.
    confidence : float
        With which ``found`` is no overestimate: 1 where nothing was sampled.
    pair, pair_index, output
        Where it was found: the ordered inputs, their place in the list of pairs, and the output (or the event).
    expected : {"holds", "broken"}
        What the case said.
    parts : tuple of Part
        Everything that was tested, each with its own verdict and its findings pair by pair.
    why : str
        The likely reason of a broken promise and what to do, in a sentence; empty where there is none.
    """

    name: str
    guarantee: Guarantee
    symbol: str
    promised: float
    found: float
    attained: float
    verdict: Verdict
    method: str
    confidence: float
    pair: tuple[Any, Any] | None = field(default=None, repr=False)
    pair_index: int | None = None
    output: Any = field(default=None, repr=False)
    expected: Literal["holds", "broken"] = "holds"
    seconds: float = 0.0
    evidence: Nodes | Event | None = field(default=None, repr=False)
    parts: tuple[Part, ...] = field(default=(), repr=False)
    why: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether a sound mechanism passed or a specimen was caught."""
        if self.verdict in ("untested", "could not run"):
            return False
        return (self.verdict == "broken") == (self.expected == "broken")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The evidence in words: what was tested, which event or output told the inputs apart, how often, and why."""
        return tuple(part.text for part in self.parts) + ((self.why,) if self.why else ())

    def __str__(self) -> str:
        if self.verdict == "could not run":
            return f"{self.name}: could not run: {self.why}"
        promised = "nothing" if self.verdict == "no promise" else f"{self.promised:.6g}"
        return f"{self.name}: {self.symbol} promised {promised}, found {self.found:.6g} ({self.method}): {self.verdict}"

    def _repr_html_(self) -> str:
        tested = {part.name: f"{part.verdict}: {part.text}" for part in self.parts}
        return definitions(str(self), {"promise": str(self.guarantee), **tested, "why": self.why})

    def row(self) -> dict[str, Any]:
        """The result as plain values, for a table or JSON."""
        return {
            "mechanism": self.name,
            "promise": str(self.guarantee),
            "quantity": self.symbol,
            "promised": self.promised,
            "found": self.found,
            "attained": self.attained,
            "method": self.method,
            "confidence": self.confidence,
            "verdict": self.verdict,
            "expected": self.expected,
            "seconds": round(self.seconds, 3),
            "evidence": " ".join(self.sentences),
        }

    def found_delta(self, epsilon: ArrayLike) -> Floats:
        """δ(ε) of the worst pair: the privacy-loss curve that was found.

        A lower bound, except for the largest log-ratio of vectors: that curve is estimated from a few hundred releases.
        """
        grid = np.atleast_1d(np.asarray(epsilon, float))
        if self.evidence is None:
            return np.full(grid.shape, math.nan)
        return np.array([self.evidence.delta(float(e)) for e in grid])

    def promised_delta(self, epsilon: ArrayLike) -> Floats:
        """The largest δ(ε) that the promise leaves room for."""
        grid = np.atleast_1d(np.asarray(epsilon, float))
        if self.pair is None:
            return np.full(grid.shape, math.nan)
        return np.array([self.guarantee.delta_allowed(float(e), *self.pair) for e in grid])

    def plot(self) -> Any:
        """A plotly figure: the privacy-loss curve found, against the one promised."""
        graph = extra("plotly.graph_objects", "report")
        grid = np.linspace(0.0, 1.6 * self._widest_loss(), 161)
        figure = graph.Figure()
        if not self.guarantee.vacuous:
            allowed = self.promised_delta(grid)
            figure.add_scatter(x=grid, y=_visible(allowed), name="promised", line={"color": "#8a8f98", "dash": "dash"})
        colour = "#b3261e" if self.verdict == "broken" else "#1b6e53"
        figure.add_scatter(x=grid, y=_visible(self.found_delta(grid)), name="found", line={"color": colour})
        figure.update_layout(
            title=f"{self.name}: {self.verdict}",
            xaxis_title="ε",
            yaxis_title="δ(ε)",
            yaxis={"type": "log", "range": [-12, 0.1], "exponentformat": "power", "dtick": 2},
            template="plotly_white",
        )
        return figure

    def _widest_loss(self) -> float:
        """How far the ε axis goes: past the promise, and to what was found unless that is out of all proportion."""
        bound = math.inf if self.pair is None else self.guarantee.loss_bound(*self.pair)
        if not math.isfinite(bound):
            named = getattr(self.guarantee, "epsilon", 1.0)
            bound = named if isinstance(named, float) else 1.0
        found = self.attained * bound if self.symbol.startswith("ε") and math.isfinite(self.attained) else bound
        return max(bound, min(found, 4 * bound), 0.1)


def _visible(delta: Floats) -> list[float | None]:
    """A logarithmic axis has no zero: the curve leaves it below."""
    return [None if math.isnan(d) else max(float(d), 1e-15) for d in delta]
