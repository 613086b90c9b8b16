"""Files appear whole or not at all, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.errors import InputError, SfumatoError
from sfumato.io import atomic_path, check_output, output_folder


def _write(path: Path, error: BaseException | None = None) -> None:
    with atomic_path(path) as beside:
        beside.write_text("new")
        if error is not None:
            raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError(), SystemExit(143), MemoryError()])
def test_the_old_file_stays_when_the_new_one_fails(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(type(error)):
        _write(path, error)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(SfumatoError, match=r"cannot write .*file\.txt: the disk is full; nothing was written"):
        _write(tmp_path / "file.txt", full)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_the_system_stops_leaves_nothing(tmp_path: Path) -> None:
    """A true failure in the middle of a write: the process may only write files of 10 kB."""
    code = f"""
import resource
import pyarrow as pa, numpy as np
from sfumato.io import write_table
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_table(pa.table({{"x": np.random.default_rng(0).random(20_000)}}), {str(tmp_path / "t.parquet")!r})
except Exception as error:
    assert "the file is too large; nothing was written" in str(error), error
    raise SystemExit(7)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 7, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, *_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)  # the tests may run as root, whom no folder refuses
    with pytest.raises(InputError, match=r"file\.txt: the folder is read-only; choose another place"):
        _write(tmp_path / "file.txt")
    with pytest.raises(InputError, match="the folder is read-only"):
        check_output(tmp_path / "file.txt")
    with pytest.raises(InputError, match="the folder is read-only"):
        output_folder(tmp_path / "new")


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="does not exist; make it first"):
        _write(tmp_path / "nowhere" / "file.txt")
    with pytest.raises(InputError, match="a file is where a folder should be"):
        _write(tmp_path / "file" / "file.txt")
    with pytest.raises(InputError, match="a file is where a folder should be"):
        output_folder(tmp_path / "file")
    with pytest.raises(InputError, match="not a regular file"):
        _write(tmp_path)
    with pytest.raises(InputError, match="not a regular file"):
        _write(Path(os.devnull))
    assert Path(os.devnull).is_char_device()


def test_errors_of_the_caller_pass_through(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _write(tmp_path / "file.txt", FileNotFoundError(errno.ENOENT, "gone", "another file"))


def test_links_and_permissions_are_kept(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("old")
    (tmp_path / "file.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("file.txt")
    _write(tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "file.txt").read_text() == "new"
    assert (tmp_path / "file.txt").stat().st_mode & 0o777 == 0o640


def test_checking_leaves_no_trace(tmp_path: Path) -> None:
    check_output(tmp_path / "file.txt")
    check_output("-")
    assert output_folder(tmp_path / "a" / "b").is_dir()
    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert not (tmp_path / "file.txt").exists()


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    """By whatever name: itself, another spelling, a link, a second name of the same file."""
    source = tmp_path / "people.csv"
    source.write_text("age\n31\n")
    (tmp_path / "link.csv").symlink_to(source)
    os.link(source, tmp_path / "twin.csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "way").symlink_to(tmp_path)
    for name in ("people.csv", "link.csv", "twin.csv", "folder/../people.csv", "way/people.csv", "./people.csv"):
        with pytest.raises(InputError, match=r"cannot write .*: it is the input"):
            check_output(tmp_path / name, source)
        with pytest.raises(InputError, match=r"cannot write .*: it is the input"):
            check_output(source, tmp_path / "other.csv", tmp_path / name)
    check_output(tmp_path / "release.csv", source, "-", tmp_path / "nowhere.csv")
    check_output("-", source, "-")
    assert source.read_text() == "age\n31\n"
    assert not (tmp_path / "release.csv").exists()


def test_a_link_to_nothing_is_followed(tmp_path: Path) -> None:
    """The input is not there yet, and the output would become it."""
    (tmp_path / "link.csv").symlink_to(tmp_path / "people.csv")
    with pytest.raises(InputError, match="it is the input"):
        check_output(tmp_path / "link.csv", tmp_path / "people.csv")


def test_nothing_is_written_into_a_folder_that_is_read(tmp_path: Path) -> None:
    letters = tmp_path / "letters"
    (letters / "old").mkdir(parents=True)
    (tmp_path / "way").symlink_to(letters)
    for name in ("letters/release.jsonl", "letters/old/release.jsonl", "way/release.jsonl"):
        with pytest.raises(InputError, match=r"it lies in the folder .*letters that is read"):
            check_output(tmp_path / name, letters)
    with pytest.raises(InputError, match=r"it is the input"):
        check_output(letters, letters)
    check_output(tmp_path / "release.jsonl", letters)
