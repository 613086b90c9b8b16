"""The déjà vu command: encoders and embeddings from files, verdict and controls in words, and everything it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.cli import main
from sfumato.errors import InputError
from sfumato.model import load_encoder

COUNT, CLASSES = 120, 4


def sfumato(*arguments: object) -> int:
    """The exit code of ``sfumato model dejavu ARGUMENTS``."""
    with pytest.raises(SystemExit) as ended:
        main(["model", "dejavu", *map(str, arguments)])
    return int(ended.value.code or 0)


def images(seed: int = 0) -> dict[str, np.ndarray]:
    """Images of 4 numbers whose class is the largest; background crops tell nothing."""
    rng = np.random.default_rng(seed)
    labels = np.arange(COUNT) % CLASSES
    noise = rng.normal(size=(3, COUNT, CLASSES))
    whole = 10 * np.eye(CLASSES)[labels]
    return {
        "crops_a": noise[0],
        "crops_b": noise[1],
        "fresh_crops": noise[2],
        "public": whole + rng.normal(size=whole.shape),
        "fresh": whole + rng.normal(size=whole.shape),
        **{f"labels_{part}": labels for part in ("a", "b", "public", "fresh")},
    }


def named(**changes: Any) -> dict[str, Any]:
    """Names of all images, each in one set."""
    found = {f"names_{part}": np.array([f"{part}{k}" for k in range(COUNT)]) for part in ("a", "b", "public", "fresh")}
    return found | changes


def embedded(*, remembers: bool, control: bool = True, **changes: Any) -> dict[str, np.ndarray]:
    """Embeddings by two models, each of which knows the labels of its own crops if it ``remembers``."""
    shown = images()
    made = {name: values for name, values in shown.items() if name.startswith("labels_")}
    for model in "ab":
        for part in ("public", "crops_a", "crops_b", "fresh", "fresh_crops"):
            made[f"{part}_by_{model}"] = shown[part].copy()
        own = 10 * np.eye(CLASSES)[shown[f"labels_{model}"]] + shown[f"crops_{model}"]
        if remembers:
            made[f"crops_{model}_by_{model}"] = own
        if control:
            for part in ("public", "crops_a", "crops_b"):
                made[f"control_{part}_by_{model}"] = shown[part].copy()
            made[f"control_crops_{model}_by_{model}"] = own
    return made | changes


def save(path: Path, arrays: dict[str, Any]) -> Path:
    np.savez(path, **arrays)
    return path


def test_memory_is_said_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = save(tmp_path / "e.npz", embedded(remembers=True) | named())
    assert sfumato("--embeddings", file, "--neighbours", 20) == 0
    said = capsys.readouterr()
    assert "The encoders remember training images by their background." in said.out
    assert "positive control, score by role" in said.out
    assert "most confident" in said.out
    assert "not checked" not in said.err


def test_no_memory_is_told_from_a_blind_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clear = save(tmp_path / "clear.npz", embedded(remembers=False))
    assert sfumato("--embeddings", clear, "--neighbours", 20) == 0
    said = capsys.readouterr()
    assert "No memory was found, though the test could have seen some." in said.out
    assert "not checked" in said.err  # there are no names
    blind = save(tmp_path / "blind.npz", embedded(remembers=True, control=False))
    assert sfumato("--embeddings", blind, "--neighbours", 20) == 0
    out = capsys.readouterr().out
    assert "The test is blind here: no positive control was run." in out
    assert "No memory" not in out
    assert "score 0" not in out
    assert "most confident" not in out


def _scripted(path: Path, module: Any, example: np.ndarray) -> Path:
    torch = pytest.importorskip("torch")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(module.eval(), torch.from_numpy(example.astype(np.float32))).save(str(path))
    return path


def _field(number: int, value: int | bytes) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    assert len(value) < 128
    return bytes([number << 3 | 2, len(value)]) + value


def tiny_onnx() -> bytes:
    """A network of one node, −x, for rows of four numbers."""

    def tensor(name: bytes) -> bytes:
        shape = _field(1, _field(2, b"n")) + _field(1, _field(1, CLASSES))
        return _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, shape)))

    node = _field(1, b"x") + _field(2, b"y") + _field(4, b"Neg")
    graph = _field(1, node) + _field(2, b"g") + _field(11, tensor(b"x")) + _field(12, tensor(b"y"))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 13))


def test_encoders_from_torchscript_and_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    shown = images()
    script = _scripted(tmp_path / "a.pt", torch.nn.Identity(), shown["public"])
    other = tmp_path / "b.onnx"
    other.write_bytes(tiny_onnx())
    assert np.allclose(load_encoder(script)(shown["public"]), shown["public"], atol=1e-5)
    assert np.allclose(load_encoder(other)(shown["public"]), -shown["public"], atol=1e-5)
    file = save(tmp_path / "images.npz", shown | named())
    words = ["--images", file, "--encoder-a", script, "--encoder-b", other, "--neighbours", 20]
    assert sfumato(*words, "--control-a", script, "--control-b", script) == 0
    said = capsys.readouterr().out
    assert "The test is blind here" in said  # the control remembers nothing
    assert "the positive control scores 0.00" in said


def test_an_exported_program(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    shown = images()["public"][:8].astype(np.float32)
    program = torch.export.export(
        torch.nn.Linear(4, 2).eval(), (torch.from_numpy(shown),), dynamic_shapes=({0: torch.export.Dim("n")},)
    )
    torch.export.save(program, tmp_path / "a.pt2")
    assert load_encoder(tmp_path / "a.pt2")(images()["public"]).shape == (COUNT, 2)


def test_a_pickled_network_is_not_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(torch.nn.Linear(4, 2), tmp_path / "a.pt")
    with pytest.raises(InputError, match="could run any program"):
        load_encoder(tmp_path / "a.pt")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.onnx", b"nonsense", "no ONNX network"),
        ("a.pt", b"nonsense", "no TorchScript"),
        ("a.pt2", b"nonsense", "no exported program"),
        ("a.h5", b"nonsense", "expected .onnx"),
        ("missing.pt", None, "does not exist"),
    ],
)
def test_files_that_are_no_encoders(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    for module in ("torch", "onnxruntime"):
        pytest.importorskip(module)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_encoder(tmp_path / name)


def test_a_network_that_does_not_fit_the_images(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    shown = images()
    script = _scripted(tmp_path / "a.pt", torch.nn.Linear(9, 2), np.zeros((2, 9)))
    file = save(tmp_path / "images.npz", shown)
    assert sfumato("--images", file, "--encoder-a", script, "--encoder-b", script) == 2
    assert "fails on images of shape (120, 4)" in capsys.readouterr().err


def _without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda arrays: {key: value for key, value in arrays.items() if key != name}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without("labels_b"), "no array labels_b"),
        (_without("fresh_by_a"), "no array fresh_by_a"),
        (_without("control_public_by_b"), "no array control_public_by_b"),
        (lambda a: a | {"labels_a": a["labels_a"] - 1}, "whole numbers from 0"),
        (lambda a: a | {"labels_a": a["labels_a"][:9]}, "as many as of a"),
        (lambda a: a | {"crops_a_by_a": a["crops_a_by_a"] * np.nan}, "finite"),
        (lambda a: a | {"crops_a_by_a": a["crops_a_by_a"][:, :2]}, "as wide as"),
        (lambda a: a | {"crops_a_by_a": a["crops_a_by_a"][:5]}, "120 rows"),
        (lambda a: a | {"labels_public": np.append(a["labels_public"][:-1], 7)}, "two or more of a class"),
        (lambda a: a | {"labels_fresh": a["labels_fresh"] + 9}, "classes that public images have"),
        (lambda a: a | named(names_public=named()["names_a"]), "a and public"),
        (lambda a: a | named(names_public=named()["names_b"]), "b and public"),
        (lambda a: a | named(names_b=named()["names_a"]), "a and b"),
        (lambda a: a | named(names_b=np.array(["x"])), "one for each image"),
    ],
)
def test_bad_embeddings_are_refused(
    tmp_path: Path, change: Callable[..., Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = save(tmp_path / "e.npz", change(embedded(remembers=False)))
    assert sfumato("--embeddings", file, "--neighbours", 20) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a | {"crops_b": a["crops_a"]}, "crops_a and crops_b"),
        (lambda a: a | {"fresh_crops": a["crops_b"]}, "crops_b and fresh_crops"),
        (lambda a: a | {"public": a["fresh"]}, "public and fresh"),
        (lambda a: a | {"public": a["public"][:7]}, "as many as public_labels"),
        (lambda a: a | {"public": a["public"] * np.inf}, "finite numbers"),
        (lambda a: a | named(names_fresh=named()["names_public"]), "public and fresh"),
    ],
)
def test_bad_images_are_refused(
    tmp_path: Path, change: Callable[..., Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = pytest.importorskip("torch")
    script = _scripted(tmp_path / "a.pt", torch.nn.Identity(), images()["public"])
    with np.errstate(invalid="ignore"):
        file = save(tmp_path / "images.npz", change(images()))
    assert sfumato("--images", file, "--encoder-a", script, "--encoder-b", script) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "one of the two"),
        (["--images", "i.npz", "--embeddings", "e.npz"], "one of the two"),
        (["--images", "i.npz"], "--encoder-a and --encoder-b with it"),
        (["--images", "i.npz", "--encoder-a", "a.pt"], "one model is compared with the other"),
        (["--embeddings", "e.npz", "--encoder-a", "a.pt", "--encoder-b", "b.pt"], "embeddings alone"),
        (["--embeddings", "missing.npz"], "does not exist"),
        (["--embeddings", "broken.npz"], "no archive of arrays"),
        (["--embeddings", "one.npy"], "named arrays"),
    ],
)
def test_bad_calls_are_refused(
    tmp_path: Path,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.npz").write_bytes(b"PK\x03\x04 nothing")
    np.save("one.npy", np.zeros(3))
    assert sfumato(*words) == 2
    assert message in capsys.readouterr().err
