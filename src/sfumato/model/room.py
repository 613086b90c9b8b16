"""What the command line and the studies know of models."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep

__all__ = ["ROOM"]


def moons_study(points: int = 1_000, bandwidths: Iterable[float] = (0.001, 0.01, 0.1, 0.5, 10.0)) -> Study:
    """Kernel density estimates of points on two half circles, from copies to blurs."""
    from sfumato.model import Cohort, CoverageOfModes, KernelDensity, SampleCopyingAttack, make_half_moons
    from sfumato.model.pictures import copying_picture
    from sfumato.noise import seeded_rng

    rng = seeded_rng(0)
    group = Cohort(train=make_half_moons(2 * points, rng=rng), test=make_half_moons(points, rng=rng))
    return Study(
        name="moons",
        title=f"A kernel density estimate of {2 * points} points",
        summary="Every sample is a training point with noise. With little noise it is a copy, with much a blur.",
        data=group,
        mechanisms={"kernel density": sweep(KernelDensity, bandwidth=list(bandwidths), count=points)},
        attacks=[SampleCopyingAttack()],
        utilities=[CoverageOfModes(cells=5)],
        seeds=3,
        varied="bandwidth",
        pictures=[copying_picture],
    )


ROOM = Room(
    name="model",
    summary="Models: does a generator copy, does an encoder remember?",
    recipes=(Recipe(name="moons", summary="Does a density estimate copy?", build=moons_study, demo=True),),
    commands={
        "protect": "sfumato.model.commands:protect",
        "attack": "sfumato.model.commands:attack",
        "measure": "sfumato.model.commands:measure",
        "copying": "sfumato.model.commands:copying",
        "synthetic": "sfumato.model.commands:synthetic",
    },
    examples="sfumato.model.examples",
)
