"""A session of the studio without a server: its application, called directly."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from sfumato.studio.admission import Admission
from sfumato.studio.application import make_application
from sfumato.studio.desk import Desk
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

    def wait(self, name: str) -> None:
        assert self.desk.runs[name].over.wait(120)
        assert self.desk.runs[name].error == ""
