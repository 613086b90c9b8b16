"""Who gets in, who does not, and what every answer carries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.studio_session import PORT, Session
from sfumato.studio.guard import COOKIE, POLICY
from sfumato.studio.screens import open_screen


class TestAdmission:
    def test_nobody_gets_in_without_a_token(self, stranger: Session) -> None:
        for path in ("/", "/roles", "/protect", "/file/release.csv", "/nowhere"):
            assert stranger.client.get(path).status_code == 401
        assert stranger.client.post("/open", data={"path": "people.csv"}, headers=stranger.headers).status_code == 401
        assert stranger.desk.project.origin is None

    def test_a_token_admits_once(self, stranger: Session) -> None:
        token = stranger.admission.token
        answer = stranger.client.post("/enter", data={"token": token})
        cookie = answer.headers["set-cookie"]
        assert answer.status_code == 200
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert token not in answer.text
        assert token not in cookie
        stranger.client.cookies.clear()
        assert stranger.client.post("/enter", data={"token": token}).status_code == 403
        assert stranger.client.get("/").status_code == 401

    @pytest.mark.parametrize("token", ["", "guess", "é" * 40])
    def test_a_wrong_token_is_refused(self, stranger: Session, token: str) -> None:
        assert stranger.client.post("/enter", data={"token": token}).status_code == 403

    def test_a_wrong_cookie_is_refused(self, stranger: Session) -> None:
        assert stranger.client.get("/", headers={"cookie": f"{COOKIE}=guess"}).status_code == 403

    def test_the_door_is_for_the_owner_and_holds_the_next_token(self, stranger: Session) -> None:
        door = stranger.desk.workspace.private_file("open.html")
        stranger.admission.write_door(door, stranger.origin + "/enter")
        first = stranger.admission.token
        assert door.stat().st_mode & 0o777 == 0o600
        assert door.parent.stat().st_mode & 0o777 == 0o700
        assert first in door.read_text()
        assert "?" not in re.search(r'action="([^"]+)"', door.read_text())[1]  # type: ignore[index]
        stranger.enter()
        assert first not in door.read_text()
        assert stranger.admission.token in door.read_text()
        assert door.stat().st_mode & 0o777 == 0o600


class TestGuard:
    def test_the_owner_gets_in(self, session: Session) -> None:
        assert session.get("/")[0] == 200
        assert session.post("/open", path="people.csv")[0] == 200

    @pytest.mark.parametrize("host", ["evil.example", "localhost:8000", "127.0.0.1:8000", "x.localhost:8000", ""])
    def test_another_host_is_refused(self, session: Session, host: str) -> None:
        assert session.client.get("/", headers={"host": host}).status_code == 403
        assert session.client.post("/enter", data={"token": "x"}, headers={"host": host}).status_code == 403

    def test_two_hosts_are_refused(self, session: Session) -> None:
        own = f"{session.admission.host}:{PORT}"
        headers = [("host", own), ("host", "evil.example")]
        assert session.client.get("/", headers=headers).status_code == 403

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:8000"])
    def test_another_origin_is_refused(self, session: Session, origin: str) -> None:
        headers = {**session.headers, "origin": origin}
        assert session.client.post("/open", data={"path": "people.csv"}, headers=headers).status_code == 403
        assert session.desk.project.origin is None

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_another_site_is_refused(self, session: Session, site: str) -> None:
        assert session.client.get("/", headers={"sec-fetch-site": site}).status_code == 403
        assert session.client.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 200
        assert session.client.get("/", headers={"sec-fetch-site": "none"}).status_code == 200

    @pytest.mark.parametrize("secret", [None, "", "guess"])
    def test_what_changes_something_needs_the_secret_header(self, session: Session, secret: str | None) -> None:
        headers = {"origin": session.origin} | ({} if secret is None else {"x-studio": secret})
        for path in ("/open", "/upload", "/journal/undo", "/running/attack/stop"):
            assert session.client.post(path, data={"path": "people.csv"}, headers=headers).status_code == 403
        assert session.client.delete("/", headers=headers).status_code == 403
        assert session.desk.project.origin is None

    def test_every_answer_carries_its_policy(self, session: Session) -> None:
        for path in ("/", "/nowhere", "/static/studio.js", "/static/style.css", "/enter"):
            headers = session.client.get(path).headers
            assert headers["content-security-policy"] == POLICY
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
        refused = session.client.get("/", headers={"host": "evil.example"})
        assert refused.headers["content-security-policy"] == POLICY
        assert "unsafe" not in POLICY
        assert "default-src 'none'" in POLICY

    def test_there_is_no_page_about_the_interface(self, session: Session) -> None:
        for path in ("/docs", "/redoc", "/openapi.json"):
            assert session.client.get(path, headers=session.headers).status_code == 404

    @pytest.mark.parametrize("path", ["/static/../desk.py", "/static/%2e%2e/desk.py", "/static/..%2fdesk.py"])
    def test_only_the_page_s_own_files_are_static(self, stranger: Session, path: str) -> None:
        assert stranger.client.get(path).status_code in (401, 404)


class TestSessions:
    def test_two_sessions_do_not_see_each_other(self, root: Path, sessions: Path) -> None:
        first, second = Session(root, sessions), Session(root, sessions)
        try:
            first.enter()
            second.enter()
            assert first.post("/open", path="people.csv")[0] == 200
            assert second.desk.project.origin is None
            assert "81600" not in second.get("/")[1]
            assert first.admission.host != second.admission.host
            assert first.desk.workspace.folder != second.desk.workspace.folder
            stolen = {"cookie": f"{COOKIE}={first.client.cookies[COOKIE]}", "host": f"{second.admission.host}:{PORT}"}
            second.client.cookies.clear()
            assert second.client.get("/", headers=stolen).status_code == 403
            token = first.admission.token
            assert second.client.post("/enter", data={"token": token}).status_code == 403
        finally:
            first.desk.close()
            second.desk.close()


class TestUpload:
    def send(self, session: Session, body: bytes, **headers: str) -> int:
        return session.client.post("/upload", content=body, headers={**session.headers, **headers}).status_code

    def test_a_file_is_the_body(self, session: Session) -> None:
        assert self.send(session, b"age;town\n31;Linz\n47;Wels\n") == 200
        assert session.desk.opened.table.column_names == ["age", "town"]
        assert session.desk.project.origin.name == "upload.csv"  # type: ignore[union-attr]

    def test_one_that_says_that_it_is_too_large(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(open_screen, "LARGEST_UPLOAD", 100)
        answer = session.client.post("/upload", content=b"a\n" * 100, headers=session.headers)
        assert answer.status_code == 413
        assert "open it by its path" in answer.text

    def test_one_that_does_not_say_so(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(open_screen, "LARGEST_UPLOAD", 100)

        def parts() -> object:  # without a length in the header
            for _ in range(100):
                yield b"a\n" * 10

        answer = session.client.post("/upload", content=parts(), headers=session.headers)  # type: ignore[arg-type]
        assert answer.status_code == 413
        assert list(session.desk.workspace.folder.glob("upload*")) == []

    @pytest.mark.parametrize("body", [b"", b"\x00\x01\x02", b"PAR1nonsense"])
    def test_one_that_is_no_table_leaves_nothing(self, session: Session, body: bytes) -> None:
        assert self.send(session, body) == 422
        assert list(session.desk.workspace.folder.glob("upload*")) == []
        assert session.desk.project.origin is None

    def test_a_form_is_small(self, session: Session) -> None:
        answer = session.client.post("/open", content=b"path=" + b"a" * (1 << 21), headers=session.headers)
        assert answer.status_code == 413


class TestPaths:
    @pytest.mark.parametrize(
        "given",
        [
            "../secret.csv", "../../etc/passwd", "/etc/passwd", "link.csv", "folder", "pipe.csv", "people.csv\0.csv",
            "/proc/self/environ", "", ".", "absent.csv", "loop.csv", "sub/../../secret.csv", "a" * 5000,
        ],
    )  # fmt: skip
    def test_nothing_outside_the_folder_is_opened(self, session: Session, root: Path, given: str) -> None:
        import os

        (root.parent / "secret.csv").write_text("secret\n1\n")
        (root / "link.csv").symlink_to(root.parent / "secret.csv")
        (root / "loop.csv").symlink_to(root / "loop.csv")
        (root / "folder").mkdir()
        os.mkfifo(root / "pipe.csv")
        code, words = session.post("/open", path=given)
        assert code == 422
        assert "no such file below the folder of this session" in words
        assert session.desk.project.origin is None

    def test_absent_and_forbidden_look_alike(self, session: Session, root: Path) -> None:
        (root.parent / "secret.csv").write_text("secret\n1\n")
        assert session.post("/open", path="../secret.csv") == session.post("/open", path="../absent.csv")


class TestEscaping:
    PAYLOADS = (
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "'><svg onload=alert(1)>",
        '" autofocus onfocus="alert(1)',
        "{{ 7 * 7 }}",
    )

    def test_cells_and_names_stay_text(self, session: Session, root: Path) -> None:
        import csv

        with (root / "hostile.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([*self.PAYLOADS, "illness"])
            for n in range(60):
                writer.writerow([*(f"{text}{n % 2}" for text in self.PAYLOADS), "ab"[n % 2]])
        assert session.post("/open", path="hostile.csv")[0] == 200
        for path in ("/", "/roles", "/roles/0", "/risk", "/protect", "/attack", "/file"):
            code, page = session.get(path)
            assert code == 200
            assert "<img" not in page
            assert "<script>alert" not in page
            assert "<svg onload" not in page
            assert 'onfocus="alert' not in page
            assert "{{ 7 * 7 }}" in page or path in ("/risk", "/attack", "/file")


def test_nothing_of_the_data_is_logged_or_in_an_address(opened: Session, caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/roles", "/risk", "/protect"):
        opened.get(path)
    opened.post("/open", path="Person 7")
    assert "Person" not in caplog.text
    routes = [route.path for route in opened.application.routes if hasattr(route, "path")]
    assert [path for path in routes if "{" in path and not re.search(r"\{(place|name|verb)\}", path)] == []


def test_a_mistake_shows_no_value(opened: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("Person 7")

    monkeypatch.setattr("sfumato.studio.screens.risk_screen.class_bars", broken)
    code, words = opened.get("/risk")
    assert code == 500
    assert "RuntimeError" in words
    assert "Person" not in words
