"""Raw copies are gone when their process is, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sfumato.io.private_folder import LOCK, PrivateFolder, sweep

HOLD = """
import sys, time
from sfumato.io.private_folder import PrivateFolder
place = PrivateFolder(sys.argv[1], prefix="p-", watched=sys.argv[2] == "watched")
(place.folder / "raw").write_text("Anna")
print(place._watcher.pid if place._watcher else 0, flush=True)
time.sleep(3600)
"""

STAGE = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from sfumato.io.engine import Source, staged
folder = Path(sys.argv[1])
engine = SimpleNamespace(formats=("parquet",), start=list)
with staged(Source.of(folder / "people.csv"), engine, folder / "out.parquet") as ready:
    print(ready.path, flush=True)
    time.sleep(3600)
"""


def started(program: str, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """A process that holds a folder, and the line that it says."""
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def gone(path: Path) -> bool:
    """Whether a file disappears; the watcher needs a moment."""
    end = time.monotonic() + 120
    while path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return not path.exists()


def test_it_is_for_the_owner_only_and_goes_at_the_end(tmp_path: Path) -> None:
    with PrivateFolder(tmp_path, prefix="p-") as place:
        assert place.folder.stat().st_mode & 0o777 == 0o700
        (place.folder / "below").mkdir()
        (place.folder / "below" / "raw").write_text("Anna")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_by_the_next(tmp_path: Path) -> None:
    process, _ = started(HOLD, str(tmp_path), "alone")
    (folder,) = tmp_path.iterdir()
    with PrivateFolder(tmp_path, prefix="p-"):
        assert (folder / "raw").exists()  # it lives
    killed(process)
    assert (folder / "raw").exists()
    with PrivateFolder(tmp_path, prefix="p-"):
        assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_watcher_removes_it_at_once_and_the_next_sweeps_if_it_is_killed_too(tmp_path: Path) -> None:
    process, _ = started(HOLD, str(tmp_path), "watched")
    (folder,) = tmp_path.iterdir()
    killed(process)
    assert gone(folder)
    process, watcher = started(HOLD, str(tmp_path), "watched")
    (folder,) = tmp_path.iterdir()
    os.kill(int(watcher), signal.SIGKILL)
    killed(process)
    assert sweep(tmp_path, "p-") == [folder]


@pytest.mark.parametrize("host", ["", "another"])
def test_a_folder_of_another_host_or_just_begun_is_left(tmp_path: Path, host: str) -> None:
    folder = tmp_path / "p-1"
    folder.mkdir()
    (folder / LOCK).write_text(host)
    assert sweep(tmp_path, "p-") == []
    assert folder.exists()


def test_the_copy_that_is_staged_for_a_cluster_goes_with_its_job(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "people.csv").write_text("name,age\nAnna,31\n")
    process, copy = started(STAGE, str(tmp_path))
    assert Path(copy).stat().st_size > 0
    assert Path(copy).parent.parent == tmp_path
    assert Path(copy).parent.stat().st_mode & 0o777 == 0o700
    killed(process)
    assert gone(Path(copy).parent)
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]
