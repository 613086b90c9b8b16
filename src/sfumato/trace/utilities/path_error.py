"""Distance of the released path from the true one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.trace.utilities.paths import both_paths

__all__ = ["PathError"]


@dataclass(frozen=True, kw_only=True)
class PathError:
    """Root mean square distance between true and released positions."""

    name: str = "path error"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: ArrayLike, release: ArrayLike, *, rng: Rng | None = None) -> Score:
        truth, seen = both_paths(data, release)
        return Score(float(np.sqrt(((truth - seen) ** 2).sum(-1).mean())), reference=0.0)
