"""Where scrubbed and restored files go: a document, or a folder that appears whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.io.atomic import atomic_folder, atomic_path, check_output

__all__ = ["check_place", "written_files"]


def check_place(source: Path, out: Path) -> None:
    """Refuse a place that is the input, cannot be written, or is a folder with something in it."""
    check_output(out / "probe" if source.is_dir() and out.is_dir() else out, source)
    if source.is_dir() and out.is_dir() and any(out.iterdir()):
        raise bad_input("out", out.name, "a folder that is new or empty", "what lies in it would leave with the rest")


@contextlib.contextmanager
def written_files(out: Path, written: dict[str, bytes], single: bool) -> Iterator[None]:
    """Write the files beside their place; they are in it, all of them, when the block ends well."""
    if single:
        with atomic_path(out) as beside:
            beside.write_bytes(next(iter(written.values())))
            yield
        return
    with atomic_folder(out) as folder:
        for name, content in written.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        yield
