"""Changes of a source checkout that are written all together or not at all."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import InputError, MissingExtraError, SfumatoError

__all__ = ["Changes"]


@dataclass(kw_only=True)
class Changes:
    """New and edited files, kept in memory until :meth:`write`.

    Parameters
    ----------
    root : Path
        The folder that all paths are relative to.
    """

    root: Path
    created: dict[str, str] = field(default_factory=dict)
    edited: dict[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """All files, the new ones first."""
        return [*self.created, *self.edited]

    def read(self, path: str, *, missing: str | None = None) -> str:
        """The text of a file as it will be."""
        for texts in (self.created, self.edited):
            if path in texts:
                return texts[path]
        if not (self.root / path).is_file():
            if missing is not None:
                return missing
            raise InputError(f"{path} is not in {self.root}: the checkout is not complete")
        return (self.root / path).read_text(encoding="utf-8")

    def create(self, path: str, text: str) -> None:
        """A new file; one that is there already is an error."""
        if (self.root / path).exists() or path in self.created:
            raise InputError(f"{path} is there already: choose another name, or remove it first")
        self.created[path] = text

    def edit(self, path: str, text: str) -> None:
        """Another text for a file."""
        (self.created if path in self.created else self.edited)[path] = text

    def write(self) -> None:
        """Put Python files in order and write everything; if one cannot be written, nothing has changed."""
        texts = {path: _tidy(self.root, path, text) for path, text in {**self.created, **self.edited}.items()}
        before = {path: (self.root / path).read_bytes() for path in self.edited}
        folders: list[Path] = []
        written: list[str] = []
        try:
            for path, text in texts.items():
                target = self.root / path
                missing = [folder for folder in target.parents if not folder.exists()]
                for folder in reversed(missing):
                    folder.mkdir()
                    folders.append(folder)
                written.append(path)
                target.write_text(text, encoding="utf-8")
        except BaseException:
            for path in written:
                if path in before:
                    (self.root / path).write_bytes(before[path])
                elif (self.root / path).is_file():
                    (self.root / path).unlink()
            for folder in reversed(folders):
                folder.rmdir()
            raise


def _tidy(root: Path, path: str, text: str) -> str:
    """Imports in order and lines broken as everywhere: how long a name is decides both."""
    if not path.endswith((".py", ".pyi")):
        return text
    beside = Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.is_file() else shutil.which("ruff")
    if ruff is None:
        raise MissingExtraError("ruff is not installed; pip install --editable '.[dev]' brings it")
    ours = 'lint.isort.known-first-party=["sfumato"]'  # a package that is not written yet is not known to be
    for command in (["check", "--select=I", "--fix-only", "--quiet", "--config", ours], ["format", "--quiet"]):
        done = subprocess.run(
            [ruff, *command, "--stdin-filename", path, "-"], input=text, capture_output=True, text=True, cwd=root
        )
        if done.returncode != 0:
            raise SfumatoError(f"ruff cannot read {path}: {done.stderr}")
        text = done.stdout
    return text
