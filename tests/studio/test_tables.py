"""A table from opening to filing, screen by screen, without a browser."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import zipfile
from pathlib import Path

import pyarrow.csv as pc
import pytest

from helpers.door_contract import run as sfumato
from helpers.studio_session import Session
from sfumato.studio.code_samples import notebook_of, sample_of
from sfumato.study.own.decisions import Decisions
from sfumato.table import Schema, check

LIVE = {"k": "6", "l": "2", "t": "100", "suppression": "2", "recoding": "global"}


class TestOpen:
    def test_dialect_and_encoding_are_shown_and_corrected(self, session: Session, root: Path) -> None:
        (root / "umlauts.csv").write_bytes("town;note\nLinz;größer\nWels;2\n".encode("windows-1252"))
        code, page = session.post("/open", path="umlauts.csv")
        assert code == 200
        assert "a semicolon between fields" in page
        assert "größer" in page
        code, page = session.post("/dialect", encoding="iso-8859-5", delimiter=";", format="csv")
        assert code == 200
        assert "größer" not in page
        assert session.desk.project.origin.encoding == "iso-8859-5"  # type: ignore[union-attr]

    def test_a_wrong_encoding_says_so_and_changes_nothing(self, opened: Session) -> None:
        before = opened.desk.project
        code, words = opened.post("/dialect", encoding="no-such-encoding", delimiter="", format="")
        assert code == 422
        assert "no-such-encoding" in words
        assert opened.desk.project is before

    def test_errors_show_no_place_on_the_disk(self, session: Session, root: Path) -> None:
        (root / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
        code, words = session.post("/open", path="ragged.csv")
        assert code == 422
        assert "ragged.csv" in words
        assert str(root) not in words

    def test_a_screen_without_a_table_leads_back(self, session: Session) -> None:
        answer = session.client.get("/protect", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


class TestRoles:
    def test_the_proposal_has_reasons(self, opened: Session) -> None:
        page = opened.get("/roles")[1]
        assert "its name says &#39;zip&#39;: others may know it" in page
        assert opened.desk.project.roles.roles["name"] == "identifier"

    def test_a_role_is_changed_and_taken_back(self, opened: Session) -> None:
        assert opened.post("/roles/2/role", role="sensitive")[0] == 200
        assert opened.desk.project.roles.roles["age"] == "sensitive"
        assert opened.post("/roles/2/role", role="nonsense")[0] == 422
        assert opened.post("/roles/99/role", role="quasi")[0] == 422
        opened.post("/journal/undo")
        assert opened.desk.project.roles.roles["age"] == "quasi"
        opened.post("/journal/redo")
        assert opened.desk.project.roles.roles["age"] == "sensitive"

    @pytest.mark.parametrize(
        ("fields", "label"),
        [
            ({"kind": "intervals", "widths": "5, 10", "top": "45"}, "20-24"),
            ({"kind": "cuts", "cuts": "25, 40\n40"}, "[25, 40)"),
            ({"kind": "flat"}, "*"),
            ({"kind": "groups", "groups": "young: 20, 21", "other": "others"}, "others"),
        ],
    )
    def test_a_hierarchy_is_looked_at_and_then_taken(self, opened: Session, fields: dict[str, str], label: str) -> None:
        before = opened.desk.project
        code, page = opened.post("/roles/2/preview", **fields)
        assert code == 200
        assert label in page
        assert opened.desk.project is before
        assert opened.post("/roles/2/rule", **fields)[0] == 200
        assert opened.desk.project.roles.rules["age"].word == fields["kind"]

    @pytest.mark.parametrize("fields", [{"kind": "intervals", "widths": "5, 12"}, {"kind": "groups", "groups": "x"}])
    def test_a_wrong_one_says_why(self, opened: Session, fields: dict[str, str]) -> None:
        code, page = opened.post("/roles/2/preview", **fields)
        assert code == 200
        assert "expected" in page
        assert opened.post("/roles/2/rule", **fields)[0] == 422

    def test_hierarchies_of_arx_go_out_and_in(self, opened: Session) -> None:
        text = opened.client.get("/roles/2/hierarchy.csv", headers=opened.headers).text
        assert text.startswith("20;")
        coarse = "".join(f"{n};{'young' if n < 35 else 'old'};*\n" for n in range(20, 50))
        answer = opened.client.post("/roles/2/hierarchy", content=coarse.encode(), headers=opened.headers)
        assert answer.status_code == 200
        assert opened.desk.project.roles.quasi["age"].labels[1] == ("young", "old")
        missing = opened.client.post("/roles/2/hierarchy", content=b"20;*\n", headers=opened.headers)
        assert missing.status_code == 422


class TestProtect:
    def test_what_is_shown_is_what_is_released(self, opened: Session) -> None:
        code, page = opened.post("/protect/live", **LIVE)
        assert code == 200
        project = opened.desk.project
        assert project.protection.k == 6
        from sfumato.table import protect

        release = protect(opened.desk.opened.table, project.roles, **project.protection.arguments)
        view = opened.desk.live.now(project.protection, project.roles)
        assert view.decision.levels == release.card.mechanism.parameters["levels"]
        assert view.risk.prosecutor == pytest.approx(1 / check(release.data, project.roles).k)
        assert f"{100 * view.decision.information_loss:.1f} %" in page
        assert len(view.before) == 20
        assert all(a[view.columns.index("illness")] == b[view.columns.index("illness")] for a, b in
                   zip(view.after, view.before, strict=True))  # fmt: skip

    def test_an_aim_that_cannot_be_reached_says_so(self, opened: Session) -> None:
        code, page = opened.post("/protect/live", **{**LIVE, "l": "8"})
        assert code == 200
        assert 'role="alert"' in page

    def test_wrong_numbers_are_refused(self, opened: Session) -> None:
        before = opened.desk.project
        for wrong in ({"k": "x"}, {"suppression": "nan"}, {"recoding": "best"}):
            code, _ = opened.post("/protect/live", **{**LIVE, **wrong})
            assert code == 422 or opened.desk.project.protection.k == 6
        assert opened.post("/protect/live", k="5")[0] == 422
        assert before.origin is opened.desk.project.origin

    def test_the_latest_question_wins(self, opened: Session) -> None:
        import threading
        import time

        turns = opened.desk.live._turns
        asked, answered = [], []
        turns._turn.acquire()  # a decision that takes its time

        def ask(k: int) -> None:
            asked.append(k)
            answered.append((k, opened.post("/protect/live", **{**LIVE, "k": str(k)})[0]))

        threads = [threading.Thread(target=ask, args=(k,)) for k in (3, 4, 5, 6)]
        for place, thread in enumerate(threads, 1):
            thread.start()
            while turns._newest < place:
                time.sleep(0.005)
        turns._turn.release()
        for thread in threads:
            thread.join(600)
        assert dict(answered) == {3: 204, 4: 204, 5: 204, 6: 200}

    def test_sliders_of_one_kind_are_one_decision(self, opened: Session) -> None:
        for k in ("6", "7", "8"):
            opened.post("/protect/live", **{**LIVE, "k": k})
        opened.post("/protect/live", **{**LIVE, "k": "8", "suppression": "5"})
        assert [words for words, _ in opened.desk.journal.entries[2:]] == ["k: 8", "suppression: 0.05"]

    def test_candidates_are_pinned_compared_and_taken(self, opened: Session) -> None:
        for k in ("3", "4", "5", "6", "7"):
            opened.post("/protect/live", **{**LIVE, "k": k})
            assert opened.post("/protect/pin")[0] == 200
        assert [pin.protection.k for pin in opened.desk.project.pins] == [4, 5, 6, 7]
        page = opened.get("/compare")[1]
        assert page.count('class="pin" cx') == 4
        assert opened.post("/compare/take", pin="A")[0] == 200
        assert opened.desk.project.protection.k == 4
        assert opened.post("/compare/remove", pin="A")[0] == 200
        assert opened.post("/compare/remove", pin="Z")[0] == 422
        assert len(opened.desk.project.pins) == 3


def test_undo_goes_back_to_the_empty_studio(opened: Session) -> None:
    opened.post("/protect/live", **LIVE)
    opened.post("/journal/go", place="0")
    assert opened.desk.project.origin is None
    opened.post("/journal/go", place="2")
    assert opened.desk.project.protection.k == 6
    assert opened.post("/journal/go", place="99")[0] == 422


class TestLongWork:
    def test_it_is_stopped_at_once_and_another_can_be_started(self, opened: Session) -> None:
        opened.post("/attack/start")
        process = opened.desk.runs["attack"].process
        assert process.is_alive()
        assert opened.post("/running/attack/stop")[0] == 204
        assert not process.is_alive()
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)
        assert "attack" not in opened.desk.runs
        assert 'id="attack"' in opened.get("/attack")[1]
        opened.post("/risk/explain")
        opened.wait("risk")
        assert "Average risk without it" in opened.get("/risk")[1]

    def test_progress_comes_as_events(self, opened: Session) -> None:
        opened.post("/risk/explain")
        with opened.client.stream("GET", "/running/risk", headers=opened.headers) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            text = "".join(answer.iter_text())
        assert "smallest sets of columns" in text
        assert text.rstrip().endswith("event: over\ndata: {}")
        assert opened.client.get("/running/file", headers=opened.headers).status_code == 204


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session in which a table with a formula and a name was attacked and filed."""
    root, sessions = tmp_path_factory.mktemp("tables"), tmp_path_factory.mktemp("sessions")
    lines = ["name,zip,age,illness,note"]
    lines += [f"Person {n},{81600 + n % 4},{20 + n % 30},{['flu', 'cold', 'gout'][n % 3]},=cmd()" for n in range(240)]
    (root / "people.csv").write_text("\n".join(lines) + "\n")
    session = Session(root, sessions)
    session.enter()
    session.post("/open", path="people.csv")
    session.post("/roles/4/role", role="insensitive")
    session.post("/attack/start")
    session.wait("attack")
    session.post("/file/start", description="Visits", recipient="A university", purpose="", sharing="named")
    session.wait("file")
    yield session  # type: ignore[misc]
    session.desk.close()


class TestAttackAndFile:
    def test_three_verdicts_against_chance(self, filed: Session) -> None:
        page = filed.get("/attack")[1]
        for question in ("Can one person be picked out?", "records of one person be linked", "a secret be guessed"):
            assert question in page
        assert page.count("within the limits") >= 1
        assert "by chance" in page

    def give(self, filed: Session, name: str) -> bytes:
        answer = filed.client.get(f"/file/{name}", headers=filed.headers)
        assert answer.status_code == 200
        return answer.content

    def test_the_release_keeps_what_its_card_says(self, filed: Session, tmp_path: Path) -> None:
        (tmp_path / "release.csv").write_bytes(self.give(filed, "release.csv"))
        (tmp_path / "release.csv.card.json").write_bytes(self.give(filed, "release.csv.card.json"))
        assert sfumato("verify", tmp_path / "release.csv") == 0
        table = pc.read_csv(tmp_path / "release.csv")
        assert check(table, filed.desk.project.roles).k >= 12

    def test_formulas_are_disarmed_in_every_format(self, filed: Session, tmp_path: Path) -> None:
        from sfumato.io.files import read_table

        for ending in ("csv", "parquet", "xlsx"):
            path = tmp_path / f"release.{ending}"
            path.write_bytes(self.give(filed, path.name))
            assert set(read_table(path)["note"].to_pylist()) == {"'=cmd()"}
        assert "got an apostrophe" in filed.get("/file")[1]
        card = json.loads(self.give(filed, "release.csv.card.json"))
        assert any("apostrophe" in words for words in card["not_covered"])

    def test_the_zip_has_no_raw_value_and_no_name(self, filed: Session) -> None:
        packed = zipfile.ZipFile(io.BytesIO(self.give(filed, "release.zip")))
        names = packed.namelist()
        assert {"release.csv", "certificate.html", "release.csv.card.json"} <= set(names)
        assert not [name for name in names if "decisions" in name or "key" in name or "table.toml" in name]
        for name in names:
            content = packed.read(name)
            assert not re.search(rb"Person \d", content)
            assert str(filed.desk.root).encode() not in content
            if name.endswith((".csv", ".html", ".json")):
                assert not re.search(rb"\b8160[0-3],2\d,", content)

    def test_decisions_repeat_the_release(self, filed: Session, tmp_path: Path) -> None:
        packed = zipfile.ZipFile(io.BytesIO(self.give(filed, "private.zip")))
        packed.extractall(tmp_path)
        found = Decisions.read(tmp_path / "decisions.toml")
        assert found.protect == filed.desk.project.protection.arguments
        assert found.context.recipient == "A university"
        assert Schema.read(tmp_path / "table.toml") == filed.desk.project.roles

    def test_the_certificate_has_its_own_policy_and_runs_nothing(self, filed: Session) -> None:
        answer = filed.client.get("/file/certificate.html", headers=filed.headers)
        policy = answer.headers["content-security-policy"]
        assert "script-src" not in policy
        assert "default-src 'none'" in policy
        assert "sandbox" in policy
        assert "<script" not in answer.text

    def test_other_papers_are_not_given(self, filed: Session) -> None:
        for name in ("lock", "..%2flock", "papers", "absent.csv"):
            assert filed.client.get(f"/file/{name}", headers=filed.headers).status_code in (404, 422)

    def test_changed_decisions_have_no_papers_yet_and_undo_brings_them_back(self, filed: Session) -> None:
        filed.post("/protect/live", **{**LIVE, "k": "20"})
        assert "The papers are ready" not in filed.get("/file")[1]
        assert filed.client.get("/file/release.csv", headers=filed.headers).status_code == 422
        filed.post("/journal/undo")
        assert "The papers are ready" in filed.get("/file")[1]

    def test_the_notebook_and_the_commands_run(
        self, filed: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "people.csv").write_bytes((filed.desk.root / "people.csv").read_bytes())
        zipfile.ZipFile(io.BytesIO(self.give(filed, "private.zip"))).extractall(tmp_path)
        names: dict[str, object] = {}
        notebook = json.loads(notebook_of(filed.desk.project))
        codes = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert len(codes) == 3
        for code in codes:
            exec(code, names)
        assert (tmp_path / "papers" / "release.csv").is_file()
        for step in ("risk", "protect", "attack"):
            words = shlex.split(sample_of(filed.desk.project, step).command)
            assert sfumato(*words[1:]) == 0

    def test_a_file_that_was_changed_meanwhile_is_not_filed(self, filed: Session) -> None:
        path = filed.desk.root / "people.csv"
        before = path.stat()
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
        code, words = filed.post("/file/start", description="", recipient="", purpose="", sharing="")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert code == 422
        assert "was changed since it was opened" in words

    def test_a_broken_limit_is_not_filed(self, filed: Session) -> None:
        code, _ = filed.post("/attack/limits", value0="0.001", source0="our officer", value1="0.05", source1="same")
        assert code == 200
        assert "above the limit" in filed.get("/attack")[1]
        filed.post("/file/start", description="Visits", recipient="A university", purpose="", sharing="named")
        run = filed.desk.runs["file"]
        assert run.over.wait(600)
        assert "keeps the limits" in run.error
        assert "keeps the limits" in filed.get("/file")[1]
        assert filed.client.get("/file/release.csv", headers=filed.headers).status_code == 422
        assert filed.post("/attack/limits", value0="2", source0="x", value1="0.05", source1="y")[0] == 422
        assert filed.post("/attack/limits", value0="0.5", source0="", value1="0.05", source1="y")[0] == 422
