"""Ready studies: generators from copies to blurs, encoders against epochs, an anonymiser of motion.

What they need is imported when one is built: the command line lists them without it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sfumato.study.study import Study, sweep
from sfumato.validate import choice, integer

if TYPE_CHECKING:
    from sfumato.model.core.cohort import Cohort
    from sfumato.model.data.motion import MotionSplit
    from sfumato.model.mechanisms.variational_autoencoder import VariationalAutoencoder

__all__ = [
    "autoencoder_study",
    "digit_cohort",
    "kernel_study",
    "memory_study",
    "moons_study",
    "motion_study",
    "truncation_study",
]


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


def digit_cohort(source: str = "mnist", *, train: int = 2_000, fresh: int = 1_000) -> Cohort:
    """Digits between −1 and 1: those of MNIST, or the small ones that come with scikit-learn (``"digits"``)."""
    from sfumato.model import Cohort, load_mnist
    from sfumato.model.data.panel_cards import small_digits
    from sfumato.noise import seeded_rng

    choice("source", source, ("mnist", "digits"))
    train, fresh = integer("train", train), integer("fresh", fresh)
    if source == "mnist":
        shown, other = load_mnist().images, load_mnist("test").images
    else:
        images = small_digits()[0]
        images = images[seeded_rng(0).permutation(len(images))]
        integer("train + fresh", train + fresh, most=len(images))
        shown, other = images[:train], images[train:]
    integer("train", train, most=len(shown))
    integer("fresh", fresh, most=len(other))
    parts = [part[:size].astype(float) / 127.5 - 1 for part, size in ((shown, train), (other, fresh))]
    return Cohort(train=parts[0], test=parts[1])


def kernel_study(
    source: str = "mnist",
    train: int = 5_000,
    fresh: int = 1_000,
    bandwidths: Iterable[float] = (0.05, 0.2, 0.4, 0.6, 0.8, 1.2, 2.4),
    dimension: int = 64,
) -> Study:
    """Kernel density estimates of the principal components of digits."""
    from sfumato.model import Cohort, CoverageOfModes, KernelDensity, SampleCopyingAttack, pca_features
    from sfumato.model.pictures import copied_images_picture, copying_picture

    group = digit_cohort(source, train=train, fresh=fresh)
    embed = pca_features(group.train, dimension=dimension)
    coded = Cohort(train=embed(group.train), test=embed(group.test))
    pictured = functools.partial(copied_images_picture, group=group, mechanism=KernelDensity(bandwidth=0.05, count=200))
    return Study(
        name="digit-kernels",
        title=f"A kernel density estimate of {train} digits",
        summary="The estimate is made in principal components. Small bandwidths hand out training digits.",
        data=coded,
        mechanisms={"kernel density": sweep(KernelDensity, bandwidth=list(bandwidths), count=fresh)},
        attacks=[SampleCopyingAttack()],
        utilities=[CoverageOfModes()],
        seeds=2,
        varied="bandwidth",
        pictures=[copying_picture, pictured],
    )


def _autoencoders(
    name: str, title: str, summary: str, group: Cohort, mechanisms: Any, varied: str, shown: VariationalAutoencoder
) -> Study:
    from sfumato.model import CoverageOfModes, SampleCopyingAttack
    from sfumato.model.pictures import copied_images_picture, copying_picture

    return Study(
        name=name,
        title=title,
        summary=summary,
        data=group,
        mechanisms=mechanisms,
        attacks=[SampleCopyingAttack(features="pca")],
        utilities=[CoverageOfModes()],
        seeds=1,
        varied=varied,
        pictures=[copying_picture, functools.partial(copied_images_picture, group=group, mechanism=shown)],
    )


def autoencoder_study(
    source: str = "mnist",
    train: int = 2_000,
    fresh: int = 1_000,
    latents: Iterable[int] = (5, 10, 20, 40, 80),
    epochs: int = 40,
) -> Study:
    """Variational auto-encoders with codes of different sizes; one with convolutions beside them."""
    from sfumato.model import VariationalAutoencoder

    group, sizes = digit_cohort(source, train=train, fresh=fresh), [int(size) for size in latents]
    options: dict[str, Any] = {"latent": sizes, "epochs": epochs, "count": fresh}
    return _autoencoders(
        "digit-autoencoders",
        f"Variational auto-encoders of {train} digits",
        "The larger the code, the more of the training set fits into it.",
        group,
        {
            "dense": sweep(VariationalAutoencoder, **options),
            "convolutional": sweep(VariationalAutoencoder, network="convolutional", **options),
        },
        "latent",
        VariationalAutoencoder(latent=max(sizes), epochs=epochs, count=200),
    )


def truncation_study(
    source: str = "mnist",
    train: int = 2_000,
    fresh: int = 1_000,
    truncations: Iterable[float] = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0),
    latent: int = 20,
    epochs: int = 40,
) -> Study:
    """A variational auto-encoder whose latent numbers are cut off: typical samples, at the price of variety."""
    from sfumato.model import VariationalAutoencoder

    group = digit_cohort(source, train=train, fresh=fresh)
    options: dict[str, Any] = {"latent": latent, "epochs": epochs, "count": fresh}
    return _autoencoders(
        "digit-truncation",
        f"A truncated auto-encoder of {train} digits",
        "Samples from the middle of the code are closer to training digits than fresh digits are.",
        group,
        {"truncated": sweep(VariationalAutoencoder, truncation=[float(one) for one in truncations], **options)},
        "truncation",
        VariationalAutoencoder(truncation=min(truncations), **(options | {"count": 200})),
    )


def memory_study(
    epochs: Iterable[int] = (0, 25, 50, 100, 200, 400),
    criteria: Iterable[str] = ("simclr", "vicreg"),
    size: int = 200,
    public: int = 1_500,
) -> Study:
    """Déjà vu against epochs, with digits of MNIST on backgrounds of CIFAR-10 where they are at hand."""
    from sfumato.errors import DataMissingError
    from sfumato.model import CardExperiment, load_cifar10, load_mnist
    from sfumato.model.dejavu.card_encoders import BackgroundAttack, CardEncoders, WholeImages

    options: dict[str, Any] = {"size": size, "public": public}
    with contextlib.suppress(DataMissingError):  # the shipped digits and gratings show the same
        options |= {"digits": load_mnist(), "backgrounds": load_cifar10().images}
    return Study(
        name="memory",
        title=f"Encoders of {size} cards: what the background still tells",
        summary="An encoder sees the background of a card. The longer it was trained, the better it knows the digit.",
        data=CardExperiment(**options),
        mechanisms={name: sweep(CardEncoders, epochs=list(epochs), criterion=name) for name in criteria},
        attacks=[BackgroundAttack()],
        utilities=[WholeImages()],
        seeds=1,
        varied="epochs",
    )


def motion_study(
    stride: int = 20, weights: Iterable[float] = (0.0, 0.3, 1.0), epochs: int = 4, data: MotionSplit | None = None
) -> Study:
    """MotionSense through the anonymising auto-encoder, with more and less weight on hiding the person."""
    from sfumato.model import MotionAutoencoder, load_motion, split_motion
    from sfumato.model.anonymisers.window_attack import ActivityKept, WindowIdentityAttack

    return Study(
        name="motion",
        title="Motion of 24 people: the activity stays, the person goes",
        summary="A phone sends windows rebuilt from a noisy code. Fresh networks name activity and person.",
        data=split_motion(load_motion(stride=stride)) if data is None else data,
        mechanisms={"auto-encoder": sweep(MotionAutoencoder, weight=[float(w) for w in weights], epochs=epochs)},
        attacks=[
            WindowIdentityAttack(),
            WindowIdentityAttack(recordings=True, name="person named by a recording"),
        ],
        utilities=[ActivityKept()],
        seeds=1,
        varied="weight",
    )
