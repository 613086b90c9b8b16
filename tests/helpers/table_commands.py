"""Call ``sfumato table …`` in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest


class Done(NamedTuple):
    """How a command ended and what it said."""

    exit_code: int
    stdout: str
    stderr: str


def run_table(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """A function that runs a command of the room."""
    from sfumato.cli.app import command
    from sfumato.errors import SfumatoError

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        try:
            command().main(args=["table", *map(str, arguments)], prog_name="sfumato", standalone_mode=False)
        except SfumatoError as error:
            return Done(2, "", str(error))
        return Done(0, *capsys.readouterr())

    return call
