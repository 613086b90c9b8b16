"""A session of the studio without a server: its application, called directly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from sfumato.errors import SfumatoError
from sfumato.studio.admission import Admission
from sfumato.studio.application import make_application
from sfumato.studio.desk import Desk, Kept
from sfumato.studio.workspace import Workspace

PORT = 8000
PEOPLE = "name,zip,age,sex,illness\n" + "".join(
    f"Person {n},{81600 + n % 4},{20 + n % 30},{'fm'[n % 2]},{['flu', 'cold', 'gout'][n % 3]}\n" for n in range(240)
)


class Session:
    """A desk and a client that was admitted to it."""

    def __init__(self, root: Path, sessions: Path) -> None:
        self.admission = Admission()
        self.desk = Desk(root=root, workspace=Workspace(sessions), admission=self.admission)
        self.application = make_application(self.desk, PORT)
        self.origin = f"http://{self.admission.host}:{PORT}"
        self.client = TestClient(self.application, base_url=self.origin, raise_server_exceptions=False)
        self.headers = {"x-studio": self.admission.secret, "hx-request": "true", "origin": self.origin}

    def enter(self) -> None:
        answer = self.client.post("/enter", data={"token": self.admission.token})
        assert answer.status_code == 200

    def post(self, path: str, /, **fields: str) -> tuple[int, str]:
        answer = self.client.post(path, data=fields, headers=self.headers)
        return answer.status_code, answer.text

    def get(self, path: str) -> tuple[int, str]:
        answer = self.client.get(path, headers=self.headers)
        return answer.status_code, answer.text

    def work_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Do long work in this process from now on, and print no PDF: both take seconds, and are tested elsewhere."""

        def start(name: str, what: str, work: Callable[..., Any], *arguments: Any, key: tuple[Any, ...]) -> Any:
            run = SimpleNamespace(what=what, key=key, notes=[], error="", over=Event())
            try:
                result = work(run.notes.append, *arguments)
                self.desk._found.setdefault(name, Kept()).put(result, *key)
            except SfumatoError as error:
                run.error = str(error)
            run.over.set()
            self.desk.runs[name] = run  # type: ignore[assignment]
            return run

        def no_pdf(*_: object) -> None:
            raise SfumatoError("not printed here")

        monkeypatch.setattr(self.desk, "start", start)
        monkeypatch.setattr("sfumato.study.report.pdf_file.print_pdf", no_pdf)

    def wait(self, name: str) -> None:
        assert self.desk.runs[name].over.wait(600)
        assert self.desk.runs[name].error == "", self.desk.runs[name].error
