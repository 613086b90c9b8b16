"""The base of mechanisms on windows of activity."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.activity.core.activity import Activity, unpack_windows
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee

__all__ = ["ActivityMechanism"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ActivityMechanism(Mechanism):
    """Protects the matrices of several windows, or one matrix; the same kind of thing comes out."""

    technique: ClassVar[str] = ""
    """In the words of ISO/IEC 20889, for the card."""

    needs_items: ClassVar[bool] = False
    """Whether the promise takes the list of items as public, so that it must not be read off the log."""

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected activity: an :class:`Activity`, a matrix or a sparse matrix, as it came in."""
        generator = resolve_rng(rng)
        activity, repack = unpack_windows(data)
        return repack(self._release(activity, generator))

    @abstractmethod
    def _release(self, activity: Activity, rng: Rng) -> Activity: ...

    def per_user(self, items: int, windows: int) -> Guarantee | None:
        """The promise for everything of one user; None where the promise is about that already, or about form."""
        return None
