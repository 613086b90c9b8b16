"""The file of a ledger: where it may be, who may use it, and what happens when the disk is full."""

from __future__ import annotations

import gc
import os
import pickle
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.errors import InputError
from sfumato.ledger import Ledger, chain_file, ledger_place
from sfumato.ledger.line import FORMAT, seal
from sfumato.promise import PureDP


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "budget.db") as ledger:
        yield ledger


def test_commits_reach_the_disk(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is in the file when a spend returns was there when it was synchronised."""
    sizes: list[int] = []
    to_disk = chain_file.to_disk

    def spy(descriptor: int) -> None:
        to_disk(descriptor)
        sizes.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(chain_file, "to_disk", spy)
    ledger.set("s", PureDP(1.0))
    for count in range(2, 6):
        ledger.spend("s", PureDP(0.1))
        assert len(sizes) == count
        assert sizes[-1] == ledger.path.stat().st_size


def test_a_ledger_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "with space%20?.db"
    with Ledger(path) as ledger:
        ledger.set("s", PureDP(1.0))
        ledger.spend("s", PureDP(0.3))
    assert repr(ledger) == f"Ledger({str(path)!r})"
    with Ledger(path, create=False) as again:
        assert again.left("s") == PureDP(0.7)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_closed_ledger_is_not_used(ledger: Ledger) -> None:
    ledger.close()
    with pytest.raises(InputError, match="it was closed"):
        ledger.balances()


def test_what_is_not_a_ledger_is_left_alone(tmp_path: Path) -> None:
    empty, text, foreign = tmp_path / "empty", tmp_path / "text", tmp_path / "foreign"
    empty.touch()
    text.write_text("subject,epsilon\n" * 200)
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE budget (subject TEXT)")
    connection.close()
    for path in (empty, text, foreign):
        before = path.read_bytes()
        with pytest.raises(InputError, match="a sfumato ledger"):
            Ledger(path)
        assert path.read_bytes() == before
    with pytest.raises(InputError, match="folder"):
        Ledger(tmp_path)
    with pytest.raises(InputError, match="existing folder"):
        Ledger(tmp_path / "no" / "budget.db")
    with pytest.raises(InputError, match="existing ledger"):
        Ledger(tmp_path / "none.db", create=False)


def test_a_damaged_file_is_noticed(ledger: Ledger) -> None:
    for i in range(200):
        ledger.set(f"subject {i}", PureDP(1.0), note="x" * 100)
    ledger.close()
    content = bytearray(ledger.path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    ledger.path.write_bytes(content)
    with Ledger(ledger.path) as damaged, pytest.raises(InputError, match="intact"):
        damaged.spend("subject 7", PureDP(0.1))


def test_a_ledger_that_moves_away_is_not_written_to(ledger: Ledger) -> None:
    ledger.set("s", PureDP(1.0))
    ledger.path.rename(ledger.path.with_suffix(".old"))
    with pytest.raises(InputError, match="moved or deleted"):
        ledger.spend("s", PureDP(0.5))
    Ledger(ledger.path).close()
    with pytest.raises(InputError, match="replaced"):
        ledger.spend("s", PureDP(0.5))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="writable folder"):
            Ledger(tmp_path / "budget.db")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
def test_a_folder_nobody_can_write_to() -> None:
    with pytest.raises(InputError, match="writable folder"):
        Ledger("/proc/self/budget.db")


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    path.write_bytes(seal({"format": FORMAT, "version": 99})[0])
    with pytest.raises(InputError, match="version 2, not 99"):
        Ledger(path)


def test_a_full_disk_spends_nothing(ledger: Ledger) -> None:
    resource = pytest.importorskip("resource")
    ledger.set("s", PureDP(1.0))
    before = ledger.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 4096, limits[1]))  # a disk with 4 kB left
    try:
        with pytest.raises(InputError, match="room on the disk") as raised:
            ledger.spend("s", PureDP(0.5), note="x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "\n" not in str(raised.value)
    assert ledger.path.read_bytes() == before
    assert ledger.left("s") == PureDP(1.0)
    ledger.spend("s", PureDP(0.5))
    ledger.verify()


def test_a_busy_ledger_says_so(ledger: Ledger) -> None:
    ledger.set("s", PureDP(1.0))
    impatient = Ledger(ledger.path, timeout=0.01)
    with ledger._writing(1), pytest.raises(InputError, match="another process holds it"):
        impatient.spend("s", PureDP(0.5))
    impatient.spend("s", PureDP(0.5))
    impatient.close()


def test_a_ledger_that_nobody_may_write_can_be_read(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.set("s", PureDP(1.0))
    really_open = os.open

    def refuse_writing(path: str, flags: int, *rest: int) -> int:  # also where root may write everywhere
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, flags, *rest)

    monkeypatch.setattr(chain_file.os, "open", refuse_writing)
    with Ledger(ledger.path, create=False) as reader:
        assert reader.left("s") == PureDP(1.0)
        reader.verify()
        with pytest.raises(InputError, match="a writable file"):
            reader.spend("s", PureDP(0.5))


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "\ud800"])
def test_names_that_no_file_can_have(path: str, tmp_path: Path) -> None:
    for create in (True, False):
        with pytest.raises(InputError):
            Ledger(f"{tmp_path}/{path}", create=create)


def test_a_relative_path_means_the_same_file_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with Ledger("budget.db") as ledger:
        ledger.set("s", PureDP(1.0))
        monkeypatch.chdir("other")
        ledger.spend("s", PureDP(0.5))
        with pickle.loads(pickle.dumps(ledger)) as copy:
            assert copy.left("s") == PureDP(0.5)
    assert not (tmp_path / "other" / "budget.db").exists()


def test_a_ledger_is_not_used_inside_its_own_transaction(ledger: Ledger) -> None:
    """As by a signal handler that strikes during a spend: the second writer would cut off what the first wrote."""
    ledger.set("s", PureDP(1.0))
    with ledger._writing(1):
        for call in (lambda: ledger.spend("s", PureDP(0.5)), lambda: ledger.left("s")):
            with pytest.raises(InputError, match="in use by this very thread"):
                call()
    ledger.spend("s", PureDP(0.5))
    assert ledger.verify().count == 2


def test_an_interrupted_commit_is_taken_back(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.set("s", PureDP(1.0))
    before = ledger.path.read_bytes()

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(chain_file, "to_disk", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ledger.spend("s", PureDP(0.5))
    assert ledger.path.read_bytes() == before
    ledger.spend("s", PureDP(0.5))
    ledger.verify()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_forgotten_ledger_gives_its_file_back(tmp_path: Path) -> None:
    def open_files() -> int:
        return sum(
            os.path.realpath(f"/proc/self/fd/{n}").startswith(str(tmp_path)) for n in os.listdir("/proc/self/fd")
        )

    kept = Ledger(tmp_path / "budget.db")
    for _ in range(5):
        Ledger(tmp_path / "budget.db").set("s", PureDP(1.0))
    gc.collect()
    assert open_files() == 1
    kept.close()
    assert open_files() == 0


def test_which_ledger_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    assert ledger_place(None) is None
    monkeypatch.setenv("SFUMATO_LEDGER", "")
    assert ledger_place(None) is None
    monkeypatch.setenv("SFUMATO_LEDGER", "named.db")
    assert ledger_place(None) == Path("named.db")
    assert ledger_place(Path("given.db")) == Path("given.db")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a sfumato ledger"):
        Ledger(tmp_path / "pipe")
