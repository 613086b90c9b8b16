"""``sfumato model protect | attack | measure | copying | synthetic | dejavu``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from sfumato.cli.options import Settings, leaving, returning, shared_options
from sfumato.errors import bad_input
from sfumato.model.protection import protect as protect_table
from sfumato.study.console import notes, screen
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.settings import read_settings
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.model.copying.copying_report import CopyingReport
    from sfumato.model.dejavu.dejavu_test import DejaVuVerdict

__all__ = ["attack", "copying", "dejavu", "measure", "protect", "synthetic"]

Columns = Annotated[
    list[str], typer.Option("--column", "-c", help="A column to learn and to make; repeatable.", show_default=False)
]
Name = Annotated[str, typer.Option("--mechanism", "-m", help="Which generator; a wrong name lists all.")]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss of each record.", show_default=False)]
Count = Annotated[
    int | None, typer.Option(help="How many records to make.", show_default="as many as were trained on", min=1)
]
Holdout = Annotated[float, typer.Option(help="The share of records kept away as the control group of the attacks.")]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Columns,
    mechanism: Name = "noisy-marginals",
    epsilon: Epsilon = None,
    count: Count = None,
    holdout: Holdout = 0.2,
    settings: Settings = None,
) -> None:
    """Fit a generator to columns of a table and release the records that it makes.

    Example: sfumato model protect people.csv -c age -c sex --epsilon 1 --set "domains={age=[0,100,20],sex=['f','m']}"
    -o synthetic.csv --key synthetic.key
    """
    table = door.read()
    release = protect_table(
        table,
        column,
        mechanism=mechanism,
        epsilon=epsilon,
        count=count,
        holdout=holdout,
        settings=read_settings(settings),
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table)


@shared_options(returning)
def attack(returned: Returned) -> None:
    """Attack generated records with the original data at hand. For the owner's eyes.

    Example: sfumato model attack people.csv synthetic.csv --key synthetic.key
    """
    returned.check_kind("model")
    found = returned.release.attack(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure what is left of the data in generated records.

    Example: sfumato model measure people.csv synthetic.csv --key synthetic.key
    """
    returned.check_kind("model")
    found = returned.release.measure(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="training set")


Train = Annotated[
    Path,
    typer.Option(help="The training set: .npy, .npz, a folder of images, or a table.", show_default=False),
]
Test = Annotated[Path, typer.Option(help="Fresh samples that were not trained on.", show_default=False)]
Generated = Annotated[Path, typer.Option(help="What the generator made.", show_default=False)]
Seed = Annotated[int, typer.Option(help="Of the cells and learners.", min=0)]


def copying(
    train: Train,
    test: Test,
    generated: Generated,
    cells: Annotated[int | None, typer.Option(help="k-means cells.", show_default="one for 200 samples", min=1)] = None,
    features: Annotated[str, typer.Option(help="Where distances are taken: raw, pca or autoencoder.")] = "raw",
    neighbours: Annotated[
        str, typer.Option(help="Seek the nearest training sample among all, or in the same cell.")
    ] = "all",
    duplicates: Annotated[
        str, typer.Option(help="Fresh samples that equal training samples: refuse, or keep them.")
    ] = "refuse",
    level: Annotated[float, typer.Option(help="The false-alarm rate of the verdict.")] = 0.01,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Write the closest samples beside their training images (PNG).", show_default=False),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Test whether a generator copies its training set: the verdict in words, and the worst cells.

    Example: sfumato model copying --train train.npy --test test.npy --generated samples.npy
    """
    from sfumato.io.atomic import check_output
    from sfumato.model.copying.copying_test import audit_copying
    from sfumato.model.core.samples import as_points, read_samples
    from sfumato.noise import seeded_rng

    choice("--features", features, ("raw", "pca", "autoencoder"))
    choice("--neighbours", neighbours, ("all", "cell"))
    choice("--duplicates", duplicates, ("refuse", "keep"))
    if pictures is not None:
        check_output(pictures, str(train), str(test), str(generated))
    read = [read_samples(path) for path in (train, test, generated)]
    if pictures is not None and not all(one.images for one in read):
        raise bad_input("--pictures", str(pictures), "images in all three sets", "leave it out for tables and vectors")
    rows = as_points(*(one.values for one in read))
    found = audit_copying(
        *rows,
        cells=cells,
        features=features,
        neighbours=cast("Literal['all', 'cell']", neighbours),
        duplicates=cast("Literal['refuse', 'keep']", duplicates),
        level=level,
        rng=seeded_rng(seed),
    )
    _show(found)
    if pictures is not None:
        from sfumato.model.pictures import write_copies_picture

        write_copies_picture(pictures, read[0].values, read[2].values, found)
        notes.print(f"written: {pictures}", markup=False, soft_wrap=True)


def _show(found: CopyingReport) -> None:
    from rich.table import Table

    screen.print(found.words, markup=False, soft_wrap=True)
    figures = {
        "Z_U, all samples": found.overall.z,
        "C_T, mean over cells": found.c_t,
        "Z̃, standard normal if nothing is copied": found.z_tilde,
    }
    for name, value in figures.items():
        screen.print(f"{name}: {value:.2f}", markup=False)
    table = Table("cell", "fresh", "generated", "Z", "verdict", box=None, pad_edge=False, header_style="bold")
    for cell in found.worst_cells():
        verdict = "copied" if cell.copies else "underfit" if cell.underfits else ""
        table.add_row(str(cell.number), str(cell.fresh), str(cell.generated), f"{cell.z:.2f}", verdict)
    screen.print(table)


def synthetic(
    train: Train,
    test: Test,
    generated: Generated,
    secret: Annotated[str | None, typer.Option(help="A column to infer.", show_default="the worst of all")] = None,
    attacks: Annotated[int, typer.Option(help="How many attacks of each kind.", min=1)] = 1_000,
    seed: Seed = 0,
) -> None:
    """Audit a synthetic table made elsewhere: closest records, singling out, linkability, inference, membership.

    Example: sfumato model synthetic --train people.csv --test others.csv --generated synthetic.csv
    """
    from sfumato.io.files import read_table
    from sfumato.model.core.cohort import Cohort
    from sfumato.model.examples import attack_examples
    from sfumato.noise import seeded_rng
    from sfumato.study.score import Finding

    tables: list[Any] = [read_table(path) for path in (train, test, generated)]
    group = Cohort(train=tables[0], test=tables[1])
    group.coded(tables[2])  # what cannot be read as it stands ends here, and not in every attack again
    found: list[Finding] = []
    for one, *_ in attack_examples():
        changes: dict[str, Any] = {"attacks": attacks} if hasattr(one, "attacks") else {}
        if hasattr(one, "secret"):
            changes["secret"] = secret
        chosen = dataclasses.replace(one, **changes)
        found.append(Finding.of(chosen, lambda it: it.attack(group, tables[2], rng=seeded_rng(seed))))
    print_findings(found, title="Synthetic table", reference="chance")


Network = "An ONNX, TorchScript (.pt) or exported (.pt2) network"


def dejavu(
    images: Annotated[
        Path | None,
        typer.Option(help="Crops of A and B, public and fresh images with labels (.npz).", show_default=False),
    ] = None,
    encoder_a: Annotated[Path | None, typer.Option(help=f"{Network} that saw A.", show_default=False)] = None,
    encoder_b: Annotated[Path | None, typer.Option(help=f"{Network} that saw B.", show_default=False)] = None,
    control_a: Annotated[
        Path | None, typer.Option(help="The same network made to remember A: the positive control.", show_default=False)
    ] = None,
    control_b: Annotated[Path | None, typer.Option(help="And made to remember B.", show_default=False)] = None,
    embeddings: Annotated[
        Path | None,
        typer.Option(help="Embeddings by both models, computed elsewhere (.npz), instead.", show_default=False),
    ] = None,
    neighbours: Annotated[int, typer.Option(help="Public images that vote.", min=1)] = 100,
    correlated: Annotated[bool, typer.Option(help="Backgrounds are known to tell something of the class.")] = False,
) -> None:
    """Test whether image encoders remember single training images: the verdict in words, and its controls.

    Example: sfumato model dejavu --images gallery.npz --encoder-a a.onnx --encoder-b b.onnx
    --control-a control-a.onnx --control-b control-b.onnx
    """
    from sfumato.model.dejavu.dejavu_test import audit_dejavu, audit_embeddings, compare_embeddings
    from sfumato.model.dejavu.encoder_file import GalleryFile, load_encoder, read_embeddings, read_gallery
    from sfumato.model.dejavu.gallery import EmbeddedGallery, Embeddings

    if (images is None) == (embeddings is None):
        raise bad_input("--images and --embeddings", "both or neither", "one of the two")
    pairs = {"encoder": (encoder_a, encoder_b), "control": (control_a, control_b)}
    for kind, (first, second) in pairs.items():
        if (first is None) != (second is None):
            raise bad_input(f"--{kind}-a and --{kind}-b", "one of them", "both: one model is compared with the other")
    if embeddings is not None:
        if encoder_a or control_a:
            raise bad_input("--embeddings", "with encoders", "embeddings alone", "they were made by the encoders")
        file = GalleryFile(embeddings)
        embedded, control = read_embeddings(file)
        scores = None if control is None else compare_embeddings(control, neighbours=neighbours).role_scores
        found = audit_embeddings(embedded, control=scores, correlated=correlated, neighbours=neighbours)
    else:
        if encoder_a is None or encoder_b is None:
            raise bad_input("--images", "without encoders", "--encoder-a and --encoder-b with it")
        file = GalleryFile(cast("Path", images))
        gallery, scores = read_gallery(file), None
        if control_a is not None and control_b is not None:
            shown = (file.arrays.get("control_public", gallery.public), gallery.crops_a, gallery.crops_b)
            both = [Embeddings(*map(load_encoder(path), shown)) for path in (control_a, control_b)]
            made = EmbeddedGallery(a=both[0], b=both[1], labels=gallery.labels)
            scores = compare_embeddings(made, neighbours=neighbours).role_scores
        models = load_encoder(encoder_a), load_encoder(encoder_b)
        found = audit_dejavu(*models, gallery, control=scores, correlated=correlated, neighbours=neighbours)
    _show_dejavu(found, names=len(file.names()))


def _show_dejavu(found: DejaVuVerdict, *, names: int) -> None:
    from rich.table import Table

    screen.print(found.words, markup=False, soft_wrap=True)
    gate = Table("control", "A", "B", "needed", "", box=None, pad_edge=False, header_style="bold")
    for step in found.gate.steps:
        values = ("none", "none") if step.found is None else tuple(f"{value:.3f}" for value in step.found)
        gate.add_row(step.name, *values, step.needed, "passed" if step.passed else "blind")
    screen.print(gate)
    if found.report is not None:
        curve = Table("most confident", "saw the image", "did not", box=None, pad_edge=False, header_style="bold")
        for share, target, reference in found.report.curve((0.05, 0.2, 1.0)):
            curve.add_row(f"{share:.0%}", f"{target:.1%}", f"{reference:.1%}")
        screen.print(curve)
    if names < 4:
        notes.print("not checked: whether public images are in A or B; names_a … names_fresh would tell", markup=False)
