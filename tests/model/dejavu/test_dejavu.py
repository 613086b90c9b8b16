"""The déjà vu test: splits, crops, votes, scores, gate and the small experiment [DV1–DV10]."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import (
    CardExperiment,
    Gallery,
    Gate,
    LabelInference,
    Role,
    audit_dejavu,
    compare_models,
    infer_labels,
    largest_empty_rectangle,
    linear_probe,
    make_panel_cards,
    reconstruct,
    split_images,
    train_encoder,
)
from sfumato.model.dejavu.card_experiment import background_crops
from sfumato.model.dejavu.gallery import Encode
from sfumato.model.dejavu.image_split import ImageSplit, check_split


@pytest.mark.parametrize("objective", ["short side", "area"])
@pytest.mark.parametrize("seed", range(6))
def test_the_rectangle_is_the_largest_of_all(objective: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = []
    for _ in range(seed % 4):
        left, top = rng.integers(0, 6, 2)
        boxes.append((int(left), int(top), int(left + rng.integers(1, 4)), int(top + rng.integers(1, 3))))
    best = (0, 0)
    for left, right in itertools.combinations(range(10), 2):
        for top, bottom in itertools.combinations(range(9), 2):
            if not any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in boxes):
                short, area = min(right - left, bottom - top), (right - left) * (bottom - top)
                best = max(best, (short, area) if objective == "short side" else (area, short))
    found = largest_empty_rectangle(9, 8, boxes, objective=objective)  # type: ignore[arg-type]
    assert found is not None
    short, area = min(found.width, found.height), found.width * found.height
    assert ((short, area) if objective == "short side" else (area, short)) == best


def test_narrow_strips_miss_wide_rectangles() -> None:
    boxes = [(0, 0, 5, 4), (5, 0, 10, 3)]
    wide = largest_empty_rectangle(10, 12, boxes)
    narrow = largest_empty_rectangle(10, 12, boxes, strips="narrow")
    assert wide is not None
    assert narrow is not None
    assert min(wide.width, wide.height) == 8 > min(narrow.width, narrow.height)
    assert largest_empty_rectangle(10, 12, boxes, least=9) is None


def test_a_box_outside_is_refused() -> None:
    with pytest.raises(InputError, match="leave the image out"):
        largest_empty_rectangle(10, 10, [(5, 5, 12, 8)])


def test_the_split_keeps_its_sets_apart() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 600)
    boxed = rng.random(600) < 0.3
    found = split_images(labels, boxed, per_class=40)
    a, b, x = set(found.a), set(found.b), set(found.public)
    assert not set(found.only_a) & b
    assert not set(found.only_b) & a
    assert not x & (a | b)
    assert len(a) == len(b) == 200
    assert a - set(found.only_a) == b - set(found.only_b)  # the same filling
    assert boxed[found.only_a].all()
    assert np.bincount(labels[found.a]).tolist() == [40] * 5


@pytest.mark.parametrize(
    ("labels", "boxed", "per_class", "message"),
    [
        ([0, 0, 0, 1], [True, True, False, True], 1, "at least two"),
        ([0, 0, 0], [True, True, False], 3, "to fill up"),
        ([0, 0], [True, True], 1, "public set"),
        ([0, 0], [True], 1, "for each label"),
    ],
)
def test_bad_splits_are_refused(labels: list[int], boxed: list[bool], per_class: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        split_images(labels, boxed, per_class=per_class)


@pytest.mark.parametrize(
    "split",
    [
        ([0, 1], [2], [0], [2], [3]),
        ([0], [1], [0], [1], [0, 3]),
        ([0], [1], [0], [1], [1, 3]),
        ([0, 1], [1, 2], [0, 1], [2], [3]),
        ([0], [1], [0], [1], [4]),
    ],
)
def test_overlaps_are_found(split: tuple[list[int], ...]) -> None:
    with pytest.raises(InputError):
        check_split(ImageSplit(*(np.array(part) for part in split)), np.array([0, 0, 0, 0, 1]))


def test_votes_against_all_pairs() -> None:
    rng = np.random.default_rng(1)
    public, queries, labels = rng.normal(size=(300, 20)), rng.normal(size=(50, 20)), rng.integers(0, 4, 300)
    found = infer_labels(public, labels, queries, neighbours=15)
    gaps = ((queries[:, None] - public[None]) ** 2).sum(-1)
    for place in range(50):
        counts = np.bincount(labels[np.argsort(gaps[place])[:15]], minlength=4)
        assert found.predicted[place] == counts.argmax()
        shares = counts[counts > 0] / 15
        assert found.confidence[place] == pytest.approx((shares * np.log(shares)).sum())


def _synthetic(known: float, seed: int, images: int = 4_000) -> Role:
    """20 classes; 15 % of the labels both models know from the background, a share ``known`` the target alone."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 20, images)
    centres = 10 * np.eye(20)
    public_labels = np.arange(2_000) % 20
    public = centres[public_labels] + rng.normal(size=(2_000, 20))
    shared, own = rng.random(images) < 0.15, rng.random(images) < known
    votes = []
    for knows in (shared | own, shared):
        shown = np.where(knows, labels, rng.integers(0, 20, images))
        votes.append(infer_labels(public, public_labels, centres[shown] + rng.normal(size=(images, 20)), neighbours=60))
    return Role(target=votes[0], reference=votes[1], labels=labels)


@pytest.mark.parametrize(("known", "expected"), [(0.0, -0.003), (0.1, 0.086), (0.3, 0.232)])
def test_the_score_of_a_model_that_knows_a_share(known: float, expected: float) -> None:
    """Standard deviation of the difference about .009 with 4 000 images."""
    found = compare_models(_synthetic(known, 0), _synthetic(known, 1))
    assert found.score() == pytest.approx(expected, abs=0.03)
    assert found.score() == pytest.approx(found.partition.surely_memorised)
    assert sum(found.partition) == pytest.approx(1)
    assert found.memorises == (known > 0)
    assert found.interval.low <= found.score() <= found.interval.high


def test_identical_models_score_nothing() -> None:
    role = _synthetic(0.3, 2, images=500)
    same = Role(target=role.target, reference=role.target, labels=role.labels)
    found = compare_models(same, same)
    assert [found.score(share) for share in (0.1, 0.2, 1.0)] == [0, 0, 0]
    assert not found.memorises


def test_the_curve_ends_at_the_plain_accuracy() -> None:
    role = _synthetic(0.3, 3, images=500)
    assert role.target.accuracy(role.labels) == (role.target.predicted == role.labels).mean()
    with pytest.raises(InputError, match="at least one"):
        role.target.accuracy(role.labels, 0.001)


def test_exemplars() -> None:
    target = LabelInference(predicted=np.array([0, 1, 2, 0]), confidence=np.array([-0.1, -0.2, -0.3, 0.0]))
    reference = LabelInference(predicted=np.array([1, 1, 0, 1]), confidence=np.array([-0.9, -0.2, -0.9, -0.3]))
    role = Role(target=target, reference=reference, labels=np.array([0, 1, 2, 1]))
    assert role.most_memorised().tolist() == [0, 2]
    assert role.most_correlated().tolist() == [1]
    assert role.worst_classes() == [(0, 1.0), (2, 1.0), (1, -0.5)]


OPEN = {"whole": (0.9, 0.8), "control": (0.5, 0.4), "fresh": (0.1, 0.11), "count": 500, "classes": 10}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"whole": (0.9, 0.4)}, "whole fresh images"),
        ({"control": (0.5, 0.2)}, "positive control scores"),
        ({"control": None}, "no positive control"),
        ({"fresh": (0.1, 0.3)}, "differ on fresh backgrounds"),
        ({"fresh": (0.2, 0.2)}, "fresh backgrounds tell the class"),
    ],
)
def test_the_gate_calls_the_blind_blind(changes: dict[str, object], words: str) -> None:
    assert not Gate(**OPEN).blind  # type: ignore[arg-type]
    gate = Gate(**(OPEN | changes))  # type: ignore[arg-type]
    assert gate.blind
    assert any(words in reason for reason in gate.reasons)
    if "fresh" in changes and changes["fresh"] == (0.2, 0.2):
        assert not Gate(**(OPEN | changes), correlated=True).blind  # type: ignore[arg-type]


def _gallery(rng: np.random.Generator) -> Gallery:
    labels = np.arange(120) % 4
    centres = 10 * np.eye(4)
    images = centres[labels] + rng.normal(size=(120, 4))
    noise = rng.normal(size=(3, 120, 4))
    return Gallery(
        crops_a=noise[0],
        labels_a=labels,
        crops_b=noise[1],
        labels_b=labels,
        public=images,
        public_labels=labels,
        fresh=images + 0.1,
        fresh_crops=noise[2],
        fresh_labels=labels,
    )


def test_the_verdict_in_words() -> None:
    gallery = _gallery(np.random.default_rng(0))

    def encode(images: np.ndarray) -> np.ndarray:
        return images

    blind = audit_dejavu(encode, encode, gallery, neighbours=20)
    assert blind.report is None
    assert "The test is blind here" in blind.words
    assert "score" not in blind.words
    clear = audit_dejavu(encode, encode, gallery, neighbours=20, control=(0.5, 0.5))
    assert "No memory was found" in clear.words

    def remembers(crops: np.ndarray, labels: np.ndarray) -> Encode:
        known = {crop.tobytes(): 10 * np.eye(4)[label] for crop, label in zip(crops, labels, strict=True)}
        return lambda images: np.array([known.get(image.tobytes(), image) for image in images])

    models = remembers(gallery.crops_a, gallery.labels_a), remembers(gallery.crops_b, gallery.labels_b)
    told = audit_dejavu(*models, gallery, neighbours=20, control=(0.5, 0.5))
    assert "remember training images" in told.words
    assert told.report is not None
    assert told.report.score() > 0.5


def test_bad_galleries_are_refused() -> None:
    import dataclasses

    good = _gallery(np.random.default_rng(0))
    for changes in (
        {"labels_a": good.labels_a[:5]},
        {"crops_a": good.crops_a[:5], "labels_a": good.labels_a[:5]},
        {"fresh_labels": good.fresh_labels + 7},
    ):
        with pytest.raises(InputError):
            dataclasses.replace(good, **changes)


def test_cards_keep_object_and_background_apart() -> None:
    cards = make_panel_cards(40, rng=np.random.default_rng(0))
    crops = background_crops(cards.images)
    assert crops.shape == (40, 3, 14, 14)
    tinted = make_panel_cards(40, correlation=1.0, rng=np.random.default_rng(0))
    assert not np.allclose(tinted.images[:, :, :, 16:], cards.images[:, :, :, 16:])
    for kind in range(10):  # the panel's corner shows the hue of the class
        corners = cards.images[cards.labels == kind, :, 0, 0]
        assert np.ptp(corners, axis=0).max() == 0


def test_the_positive_control_is_seen() -> None:
    pytest.importorskip("torch")
    first, second = CardExperiment(seed=1, public=600, fresh=50).control
    assert min(first, second) > 0.25


@pytest.mark.parametrize("criterion", ["simclr", "vicreg", "barlow", "byol", "dino", "supervised"])
def test_every_trainer_runs_and_repeats(criterion: str) -> None:
    pytest.importorskip("torch")
    cards = make_panel_cards(40, rng=np.random.default_rng(0))
    labels = cards.labels if criterion == "supervised" else None
    made = [
        train_encoder(
            cards.images, labels=labels, criterion=criterion, epochs=2, batch=20, rng=np.random.default_rng(5)
        ).encode(cards.images)
        for _ in range(2)
    ]
    assert np.isfinite(made[0]).all()
    assert (made[0] == made[1]).all()
    untrained = train_encoder(
        cards.images, labels=labels, criterion=criterion, epochs=0, rng=np.random.default_rng(5)
    ).encode(cards.images)
    assert not np.allclose(untrained, made[0])


def test_bad_training_is_refused() -> None:
    pytest.importorskip("torch")
    cards = make_panel_cards(10)
    for options in ({"criterion": "moco"}, {"criterion": "supervised"}, {"labels": cards.labels}, {"epochs": -1}):
        with pytest.raises(InputError):
            train_encoder(cards.images, **({"epochs": 1} | options))  # type: ignore[arg-type]
    with pytest.raises(InputError):
        train_encoder(cards.images[:, :1])


def test_the_probe_sees_overfitting() -> None:
    """More dimensions than images and labels at random: all of training is learned, nothing of the rest."""
    rng = np.random.default_rng(0)
    train, fresh, labels = rng.normal(size=(60, 80)), rng.normal(size=(200, 80)), rng.integers(0, 2, 60)
    found = linear_probe(train, labels, fresh, rng.integers(0, 2, 200))
    assert found.training == 1
    assert found.gap > 0.3
    with pytest.raises(InputError, match="two classes"):
        linear_probe(train, np.zeros(60, int), fresh, np.zeros(200, int))


def test_reconstruction_shows_the_neighbours() -> None:
    images = np.arange(4.0)[:, None, None, None] * np.ones((4, 3, 2, 2))
    places, mean = reconstruct([[0.1]], [[0.0], [1.0], [5.0], [9.0]], images, count=2)
    assert places.tolist() == [[0, 1]]
    assert (mean == 0.5).all()
    with pytest.raises(InputError, match="one for each"):
        reconstruct([[0.1]], [[0.0]], images)
