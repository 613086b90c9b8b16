"""Whatever a field holds, a screen answers with words: never with a mistake of the studio's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.studio_files import write_kinds
from helpers.studio_session import Session
from sfumato.studio.pages import OTHERS, STEPS

KINDS = {
    "table": "people.csv",
    "text": "notes.csv",
    "trace": "day.csv",
    "activity": "log.csv",
    "survey": "answers.csv",
    "direction": "hours.csv",
    "statistic": "ages.csv",
    "model": "ages.csv",
}
ODD = ("", "-1", "1e309", "nan", "½", "\x00", "a\r\nb", "<b>", "9" * 400)
LINES = ("=", "a = = 1", 'columns = ["', "settings = 3", "k = 1e400", "epsilon = []")
FIELDS = {
    "/kind": ("kind",),
    "/dialect": ("format", "delimiter", "encoding"),
    "/roles/0/role": ("role",),
    "/roles/1/rule": ("kind", "widths", "top", "cuts", "groups", "prefixes", "codes"),
    "/roles/1/preview": ("kind", "widths", "top", "cuts", "groups", "prefixes", "codes"),
    "/protect/live": ("k", "l", "t", "suppression", "w0", "recoding"),
    "/protect/want": ("worst", "average", "loss"),
    "/attack/limits": ("value0", "source0", "value1", "source1"),
    "/compare/take": ("pin",),
    "/questions/price": ("column", "kind", "low", "high", "level", "by", "margin", "epsilon", "risk", "categories"),
    "/questions/pay": ("column", "kind", "low", "high", "by", "epsilon"),
    "/ledger": ("ledger", "subject", "total", "releases"),
    "/review/settings": ("column", "names", "replacement", "reviewer"),
    "/review/words": ("words", "label", "page"),
    "/review/sample": ("count", "from"),
    "/review/look": ("number",),
    "/trace/live": ("s0", "e0", "day", "radius", "epsilon", "margin", "zone", "way"),
    "/trace/bands/add": ("s0", "e0", "day"),
    "/settings": ("settings",),
    "/settings/fields": (
        *(f"set-{name}" for name in ("column", "columns", "columns-0", "mechanism", "kind", "low", "high", "epsilon")),
        *(f"set-{name}" for name in ("categories", "k", "domains-0", "domains-1", "user", "items")),
    ),
    "/settings/live": ("settings", "dial-epsilon", "dial-k", "figure-guess", "figure-margin", "figure-error"),
    "/journal/go": ("place",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_field_is_a_mistake_of_ours(session: Session, root: Path, kind: str) -> None:
    write_kinds(root)
    assert session.post("/open", path=KINDS[kind])[0] == 200
    assert session.post("/kind", kind=kind)[0] == 200
    start, table = session.desk.journal.place, ("/roles", "/protect", "/attack", "/compare")
    for path, names in FIELDS.items():
        if path.startswith(table) and kind != "table":
            continue
        for value in (*ODD, *(LINES if "settings" in names else ())):
            code, words = session.post(path, **dict.fromkeys(names, value))
            assert code in (200, 204, 422), (path, value, code, words[-300:])
            session.desk.journal.go_to(start)  # each is asked of the file as it was opened


@pytest.mark.parametrize("kind", ["activity", "survey", "direction", "statistic", "model"])
def test_any_settings_can_be_shown(session: Session, root: Path, kind: str) -> None:
    """What was typed may be nonsense of the right form; every screen still shows it."""
    write_kinds(root)
    session.post("/open", path=KINDS[kind])
    session.post("/kind", kind=kind)
    needed = {"survey": "", "activity": "", "direction": 'columns = "hour"\n', "model": 'columns = ["age"]\n'}.get(
        kind, 'columns = "age"\nmechanism = "mean"\n'
    )
    for name in ("mechanism", "columns", "epsilon", "categories", "settings"):
        for value in ('"x"', "[]", '["x", 3]', "{ a = 1 }"):
            lines = [line for line in needed.splitlines() if not line.startswith(f"{name} ")]
            code, _ = session.post("/settings", settings="\n".join([*lines, f"{name} = {value}"]))
            assert code in (200, 422), (name, value)
            if code == 200:
                for _, address, _ in STEPS.get(kind, OTHERS):
                    assert session.get(address)[0] == 200, (name, value, address)
