"""Samplers: entropy, exact discrete noise, and the noise of the directional and ranking mechanisms."""

from sfumato.noise.entropy import Rng, resolve_rng, secure_rng, seeded_rng

__all__ = ["Rng", "resolve_rng", "secure_rng", "seeded_rng"]
