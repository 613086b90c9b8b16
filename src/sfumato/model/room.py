"""What the command line and the studies know of models."""

from __future__ import annotations

from sfumato.model.recipes import (
    autoencoder_study,
    kernel_study,
    memory_study,
    moons_study,
    motion_study,
    truncation_study,
)
from sfumato.study.rooms import Recipe, Room

__all__ = ["ROOM"]


ROOM = Room(
    name="model",
    summary="Models: does a generator copy, does an encoder remember?",
    recipes=(
        Recipe(
            name="moons",
            summary="Does a density estimate copy?",
            build=moons_study,
            demo=True,
        ),
        Recipe(
            name="digit-kernels",
            summary="Density estimates of digits, from copies to blurs",
            build=kernel_study,
        ),
        Recipe(
            name="digit-autoencoders",
            summary="Auto-encoders of digits with larger and larger codes",
            build=autoencoder_study,
        ),
        Recipe(
            name="digit-truncation",
            summary="Typical samples of an auto-encoder are copies",
            build=truncation_study,
        ),
        Recipe(
            name="memory",
            summary="What encoders remember, against epochs",
            build=memory_study,
        ),
        Recipe(
            name="motion",
            summary="Motion sensors: the activity stays, the person goes",
            build=motion_study,
        ),
    ),
    commands={
        "protect": "sfumato.model.commands:protect",
        "attack": "sfumato.model.commands:attack",
        "measure": "sfumato.model.commands:measure",
        "copying": "sfumato.model.commands:copying",
        "synthetic": "sfumato.model.commands:synthetic",
        "dejavu": "sfumato.model.commands:dejavu",
    },
    examples="sfumato.model.examples",
)
