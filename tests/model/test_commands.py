"""The commands from file to file."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.io.files import read_table, write_table
from sfumato.model import make_census, make_half_moons
from sfumato.model.data.census import CENSUS_DOMAINS
from sfumato.model.room import ROOM
from sfumato.noise import seeded_rng
from sfumato.release import Key, verify

SPELLED = ", ".join(f"{name}={json.dumps(values)}" for name, values in CENSUS_DOMAINS.items())
COLUMNS = [part for name in CENSUS_DOMAINS for part in ("-c", name)]
COMMANDS = {
    "noisy-marginals": ["--epsilon", "1", "--set", f"domains={{{SPELLED}}}"],
    "kernel-density": ["--set", "bandwidth=0.01"],
    "noise-layer-gan": ["--count", "240", "--set", "steps=3", "--set", f"domains={{{SPELLED}}}"],
    "variational-autoencoder": ["--count", "240", "--set", "epochs=1", "--set", f"domains={{{SPELLED}}}"],
    "private-gan": [
        *("--epsilon", "1", "--count", "240", "--set", "delta=1e-5", "--set", "expected_records=240"),
        *("--set", "steps=3", "--set", f"domains={{{SPELLED}}}"),
    ],
}
PROMISES = {
    "noisy-marginals": "promise: ε = 1",
    "kernel-density": "no guarantee",
    "private-gan": "promise: ε = 1, δ = 1e-05",
    "noise-layer-gan": "no guarantee",
    "variational-autoencoder": "no guarantee",
}


def sfumato(*arguments: object) -> int:
    """The exit code of ``sfumato model ARGUMENTS``."""
    with pytest.raises(SystemExit) as ended:
        main(["model", *map(str, arguments)])
    return int(ended.value.code or 0)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    write_table(make_census(300).append_column("name", pa.array([f"p{k}" for k in range(300)])), path)
    return path


def options_of(mechanism: str) -> list[str]:
    if mechanism not in COMMANDS:
        kind = ROOM.mechanisms()[mechanism]
        mechanism = next(
            name for name, other in ROOM.mechanisms().items() if name in COMMANDS and issubclass(kind, other)
        )
    return COMMANDS[mechanism]


@pytest.mark.parametrize("mechanism", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(people: Path, mechanism: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, key = people.with_name("release.csv"), people.with_name("release.key")
    assert sfumato("protect", people, *COLUMNS, "-m", mechanism, *options_of(mechanism), "-o", out, "--key", key) == 0
    made = read_table(out)
    assert made.column_names == list(CENSUS_DOMAINS)  # the name does not leave
    trained = 300 - len(Key.read(key).secrets["held_out"])
    assert made.num_rows == (240 if "--count" in options_of(mechanism) else trained)
    assert 190 < trained < 285  # Bin(300, 0.8): outside once in 10⁸ runs
    said = capsys.readouterr().err
    assert PROMISES.get(mechanism, "promise") in said
    assert verify(out).holds
    assert sfumato("attack", people, out, "--key", key) == 0
    assert sfumato("measure", people, out, "--key", key) == 0
    shown = capsys.readouterr()
    assert "–" not in shown.err  # nothing could not be computed
    for example in (*ROOM.attacks(), *ROOM.utilities()):
        assert example[0].name in shown.out


def test_attacks_need_the_key(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = people.with_name("release.csv")
    assert sfumato("protect", people, *COLUMNS, "-m", "kernel-density", *COMMANDS["kernel-density"], "-o", out) == 0
    capsys.readouterr()
    assert sfumato("attack", people, out) == 2
    assert "private key" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "age", "-m", "nonsense"], "expected one of"),
        (["-c", "age"], "expected epsilon, domains"),
        (["-c", "weight", "-m", "kernel-density"], "has no column 'weight'"),
        (["-c", "age", "--epsilon", "1", "--set", "domains={age=[0,30,3]}"], "widen the domain"),
        (["-c", "sex", "--epsilon", "1", "--set", "domains={sex=['f']}"], "add it to the domain"),
        (["-c", "sex", "-c", "age", "--epsilon", "1", "--set", "domains={age=[0,90,3]}"], "a public domain"),
        (["-c", "age", "--holdout", "1.5", "-m", "kernel-density"], "holdout"),
        (["-c", "age", "--epsilon", "1", "--set", "domains={age=[0,99,3]}", "--subject", "x"], "ledger"),
    ],
)
def test_errors_are_one_line(
    people: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    assert sfumato("protect", people, "-o", people.with_name("release.csv"), *options) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert not people.with_name("release.csv").exists()


def test_the_input_is_never_overwritten(people: Path) -> None:
    linked, hard = people.with_name("link.csv"), people.with_name("hard.csv")
    linked.symlink_to(people)
    os.link(people, hard)
    before = people.read_bytes()
    for out in (people, linked, hard):
        assert sfumato("protect", people, *COLUMNS, "-m", "kernel-density", "-o", out) == 2
    assert people.read_bytes() == before


def test_ledger_pays_and_refuses(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger, out = people.with_name("budget.db"), people.with_name("release.csv")
    with pytest.raises(SystemExit):
        main(["budget", "set", "people", "--epsilon", "1.5", "--ledger", str(ledger)])
    call = ["protect", people, *COLUMNS, *COMMANDS["noisy-marginals"], "--ledger", ledger, "--subject", "people"]
    assert sfumato(*call, "-o", out) == 0, capsys.readouterr().err
    assert verify(out, ledger=ledger).holds
    assert sfumato(*call, "-o", people.with_name("second.csv")) == 2
    assert not people.with_name("second.csv").exists()


def test_a_seeded_release_promises_nothing(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = people.with_name("release.csv")
    assert sfumato("protect", people, *COLUMNS, *COMMANDS["noisy-marginals"], "-o", out, "--seed", 1) == 0
    assert "no guarantee" in capsys.readouterr().err


def test_an_edited_release_fails(people: Path) -> None:
    """An outsider's value with a new hash on the card is found by the public domain."""
    out = people.with_name("release.csv")
    assert sfumato("protect", people, *COLUMNS, *COMMANDS["noisy-marginals"], "-o", out) == 0
    made = read_table(out)
    ages = made["age"].to_numpy().copy()
    ages[0] = 91
    write_table(made.set_column(0, "age", pa.array(ages)), out)
    beside = Path(f"{out}.card.json")
    card = json.loads(beside.read_text())
    content = out.read_bytes()
    card["release"] |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    beside.write_text(json.dumps(card))
    found = {check.name: check.result for check in verify(out).checks}
    assert found["domains"] == "fails"


def save(folder: Path, **arrays: np.ndarray) -> list[str]:
    words = []
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        words += [f"--{name}", str(folder / f"{name}.npy")]
    return words


def test_copying_says_its_verdict_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    train, test, other = (make_half_moons(600, rng=rng) for _ in range(3))
    assert sfumato("copying", *save(tmp_path, train=train, test=test, generated=train + 1e-4)) == 0
    assert "The generator copies its training set." in capsys.readouterr().out
    assert sfumato("copying", *save(tmp_path, train=train, test=test, generated=other)) == 0
    said = capsys.readouterr().out
    assert "No copying was found" in said
    assert "C_T" in said


def test_copied_images_are_shown_beside_their_origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(1)
    for name in ("train", "test", "generated"):
        (tmp_path / name).mkdir()
        for place in range(40):
            pixels = rng.integers(0, 256, (8, 6), dtype=np.uint8)
            image.fromarray(pixels).save(tmp_path / name / f"{place:03}.png")
    (tmp_path / "generated" / "000.png").write_bytes((tmp_path / "train" / "007.png").read_bytes())
    words = [part for name in ("train", "test", "generated") for part in (f"--{name}", tmp_path / name)]
    sheet = tmp_path / "copies.png"
    assert sfumato("copying", *words, "--pictures", sheet) == 0
    assert "1 generated samples equal a training sample exactly" in capsys.readouterr().out
    shown = np.asarray(image.open(sheet))
    scale, names, gap = 96 // 6, 60, 6
    high, left = 8 * scale, slice(names, names + 6 * scale)
    above, below = shown[:high, left], shown[high + gap : 2 * high + gap, left]
    assert (above == below).all()  # the first pair is the copy and its origin


def test_unreadable_images_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "train").mkdir()
    image.fromarray(np.zeros((4, 4), np.uint8)).save(tmp_path / "train" / "good.png")
    (tmp_path / "train" / "bad.png").write_bytes(b"no picture")
    words = [part for name in ("train", "test", "generated") for part in (f"--{name}", tmp_path / "train")]
    assert sfumato("copying", *words) == 2
    assert "1 of 2 images" in (said := capsys.readouterr().err)
    assert "bad.png" in said


def test_tables_are_tested_with_their_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = []
    for seed, name in enumerate(("train", "test", "generated")):
        write_table(make_census(400, seed=0 if name == "generated" else seed), tmp_path / f"{name}.csv")
        words += [f"--{name}", tmp_path / f"{name}.csv"]
    assert sfumato("copying", *words) == 0
    assert "The generator copies" in capsys.readouterr().out
    assert sfumato("synthetic", *words, "--attacks", 100) == 0
    shown = capsys.readouterr().out
    assert "halves linked" in shown
    assert "members told from strangers" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "vgg"], "expected one of"),
        (["--pictures", "nowhere/out.png"], "cannot write"),
        (["--neighbours", "no"], "expected one of"),
    ],
)
def test_bad_options_of_copying(
    tmp_path: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    words = save(tmp_path, **dict(zip(("train", "test", "generated"), rng.normal(size=(3, 60, 2)), strict=True)))
    assert sfumato("copying", *words, *options) == 2
    assert message in capsys.readouterr().err


def test_files_that_are_no_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "two.npz", a=np.zeros((2, 2)), b=np.zeros((2, 2)))
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "empty").mkdir()
    good = tmp_path / "good.npy"
    np.save(good, np.zeros((30, 2)))
    for bad, message in (("two.npz", "one array"), ("broken.npy", "not a plain file"), ("empty", "no images")):
        assert sfumato("copying", "--train", tmp_path / bad, "--test", good, "--generated", good) == 2
        assert message in capsys.readouterr().err


def test_one_more_record_pushes_nobody_out_of_the_training_set() -> None:
    """Under add-remove neighbours the control group must be drawn record by record: by the same coins, one row more."""
    table, options = make_census(50), {"mechanism": "kernel-density", "settings": {"bandwidth": 0.01}}
    held = [
        set(sf.model.protect(part, ["age"], rng=seeded_rng(3), **options).key.secrets["held_out"])  # type: ignore[arg-type]
        for part in (table, table.slice(0, 49))
    ]
    assert held[0] - {49} == held[1]
