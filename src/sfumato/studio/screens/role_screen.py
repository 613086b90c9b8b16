"""Roles: what an attacker may know, what is secret, and the hierarchies of values."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import InputError, bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.pages import desk_of, fields_of, render, templates
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.proposal.role_change import COLUMN_ROLES, column_values, with_hierarchy, with_role
from sfumato.table.core.proposal.schema_proposal import near_unique
from sfumato.table.core.rules.hierarchy_rules import HierarchyRule, rule_from

__all__ = ["router"]

router = APIRouter()
ROLE_WORDS = {
    "quasi": "may be known",
    "sensitive": "secret",
    "identifier": "removed",
    "person": "whose record",
    "insensitive": "kept as it is",
}
"""What each role is called on the page."""
LARGEST_HIERARCHY = 1 << 20
SHOWN_VALUES = 12


def column_name(desk: Desk, place: int) -> str:
    """The column at a place: names of columns are in no address."""
    names = desk.opened.table.column_names
    if not 0 <= place < len(names):
        raise bad_input("column", place, f"0 to {len(names) - 1}")
    return str(names[place])


def page(request: Request, desk: Desk, edited: int | None = None) -> Response:
    """The screen as it is now; ``edited`` is the column whose hierarchy is shown."""
    project, table = desk.project, desk.opened.table
    schema = project.schema
    assert schema is not None
    listed = []
    for place, name in enumerate(table.column_names):
        role = "person" if name == schema.person else schema.roles.get(name, "insensitive")
        tree = schema.quasi.get(name) or schema.secrets.get(name)
        listed.append(
            {
                "place": place,
                "name": name,
                "role": role,
                "reason": project.reasons.get(name, "you chose it"),
                "unique": len(table[name].unique()) / max(table.num_rows, 1),
                "rule": rule_words(schema.rules.get(name), tree),
                "has_tree": role in ("quasi", "sensitive"),
            }
        )
    editor = None
    if edited is not None:
        name = column_name(desk, edited)
        tree = schema.quasi.get(name) or schema.secrets.get(name)
        editor = {
            "place": edited,
            "name": name,
            "fields": rule_fields(schema.rules.get(name)),
            "preview": preview_of(tree),
            "listed": tree is not None and name not in schema.rules,
        }
    return render(
        request,
        "roles",
        listed=listed,
        roles=COLUMN_ROLES,
        role_words=ROLE_WORDS,
        editor=editor,
        warned=near_unique(table, schema),
        sample=sample_of(project, "roles"),
    )


def rule_words(rule: HierarchyRule | None, tree: Hierarchy | None) -> str:
    """A hierarchy in a few words."""
    if rule is not None:
        parts = []
        for key, value in rule.settings().items():
            words = value["widths"] if isinstance(value, dict) and "widths" in value else value
            shown = ", ".join(map(str, words)) if isinstance(words, (dict, list, tuple)) else str(words)
            parts.append(key if value is True else f"{key} {shown if len(shown) < 26 else shown[:24] + '…'}")
        return ", ".join(parts)
    return "" if tree is None else f"a list of {tree.size} values"


def rule_fields(rule: HierarchyRule | None) -> dict[str, str]:
    """What the editor's fields hold for a rule."""
    found = dict.fromkeys(("kind", "widths", "bottom", "top", "prefixes", "dates", "cuts", "groups", "other"), "")
    found["codes"] = "" if rule is None else ", ".join(rule.codes)
    if rule is None:
        return found | {"kind": "keep"}
    settings = rule.settings()
    found["kind"] = rule.word
    value = settings[rule.word]
    if rule.word == "intervals":
        found["widths"] = ", ".join(map(str, value["widths"]))
        found |= {edge: str(value[edge]) for edge in ("bottom", "top") if edge in value}
    elif rule.word == "cuts":
        found["cuts"] = "\n".join(", ".join(f"{cut:g}" for cut in level) for level in value)
    elif rule.word == "groups":
        found["groups"] = "\n".join(f"{name}: {', '.join(values)}" for name, values in value.items())
        found["other"] = settings.get("other", "")
    elif rule.word in ("prefixes", "dates"):
        found[rule.word] = str(value)
    return found


def rule_of(given: dict[str, str]) -> HierarchyRule:
    """The rule that the editor's fields say."""
    kind = given.get("kind", "")
    more: dict[str, Any] = {}
    if given.get("codes", "").strip():
        more["codes"] = words_in(given["codes"])
    if kind == "intervals":
        value: Any = {"widths": [whole(one, "width") for one in words_in(given.get("widths", ""))]}
        value |= {e: whole(given[e], e) for e in ("bottom", "top") if given.get(e, "").strip()}
    elif kind == "cuts":
        lines = [line for line in given.get("cuts", "").splitlines() if line.strip()]
        value = [[decimal(one) for one in words_in(line)] for line in lines]
    elif kind == "groups":
        value = {}
        for line in given.get("groups", "").splitlines():
            if line.strip():
                name, colon, members = line.partition(":")
                if not colon:
                    raise bad_input("groups", "a line without a colon", "name: value, value", "one group a line")
                value[name.strip()] = words_in(members)
        if given.get("other", "").strip():
            more["other"] = given["other"].strip()
    elif kind == "prefixes":
        value = whole(given.get("prefixes", ""), "length")
    elif kind == "dates":
        value = given.get("dates") or "iso"
    elif kind in ("flat", "initials"):
        value = True
    else:
        raise bad_input("kind", kind, "intervals, cuts, prefixes, dates, groups, flat or initials")
    return rule_from(kind, value, more)


def words_in(text: str) -> list[str]:
    """The words between commas; one in double quotation marks may have a comma in it."""
    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error as error:
        raise bad_input("words", text, "words with commas between them, in one line") from error
    return [word.strip() for word in rows[0] if word.strip()] if rows else []


def whole(text: str, name: str) -> int:
    """A whole number that was typed."""
    try:
        return int(text)
    except ValueError as error:
        raise bad_input(name, text, "a whole number") from error


def decimal(text: str) -> float:
    """A number that was typed."""
    try:
        return float(text)
    except ValueError as error:
        raise bad_input("cut", text, "a number") from error


def preview_of(tree: Hierarchy | None) -> dict[str, Any] | None:
    """Some values of a hierarchy with their ancestors, and how many labels each level has."""
    if tree is None:
        return None
    step = max(len(tree.rows) // SHOWN_VALUES, 1)
    return {
        "rows": tree.rows[::step][:SHOWN_VALUES],
        "sizes": [len(labels) for labels in tree.labels],
        "more": max(len(tree.rows) - SHOWN_VALUES, 0),
    }


@router.get("/roles")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.get("/roles/{place}")
def edit(request: Request, place: int) -> Response:
    return page(request, desk_of(request), place)


@router.post("/roles/{place}/role")
async def change_role(request: Request, place: int) -> Response:
    desk, role = desk_of(request), (await fields_of(request)).get("role", "")

    def change() -> Response:
        project, name = desk.project, column_name(desk, place)
        assert project.schema is not None
        schema = with_role(project.schema, desk.opened.table, name, role)
        reasons = {**project.reasons, name: "you chose it"}
        protection = project.protection
        if not schema.sensitive:
            protection = replace(protection, l=None, t=None)
        changed = replace(project, schema=schema, reasons=reasons, protection=protection, pins=())
        desk.decide(f"{name}: {ROLE_WORDS[role]}", changed)
        return page(request, desk)

    return await run_in_threadpool(change)


@router.post("/roles/{place}/preview")
async def preview(request: Request, place: int) -> Response:
    """The hierarchy that the fields say, without deciding for it."""
    desk, given = desk_of(request), await fields_of(request)

    def make() -> Response:
        schema, name = desk.project.schema, column_name(desk, place)
        assert schema is not None
        words: dict[str, Any] = {"error": "", "preview": None}
        try:
            values, _ = column_values(desk.opened.table, name, schema)
            words["preview"] = preview_of(rule_of(given).of(values))
        except InputError as error:
            words["error"] = str(error)
        return Response(templates().get_template("levels.html.j2").render(**words), media_type="text/html")

    return await run_in_threadpool(make)


@router.post("/roles/{place}/rule")
async def change_rule(request: Request, place: int) -> Response:
    desk, given = desk_of(request), await fields_of(request)
    return await run_in_threadpool(lambda: _take(request, desk, place, rule_of(given)))


@router.post("/roles/{place}/hierarchy")
async def take_hierarchy(request: Request, place: int) -> Response:
    """Take a hierarchy in ARX's format as the body of the request."""
    desk, body = desk_of(request), b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_HIERARCHY:
            raise OverflowError

    def take() -> Response:
        path = desk.workspace.private_file("hierarchy")
        try:
            path.write_bytes(body)
            tree = Hierarchy.read(path)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "the file")) from error
        finally:
            path.unlink(missing_ok=True)
        return _take(request, desk, place, tree)

    return await run_in_threadpool(take)


def _take(request: Request, desk: Desk, place: int, hierarchy: Hierarchy | HierarchyRule) -> Response:
    project, name = desk.project, column_name(desk, place)
    assert project.schema is not None
    schema = with_hierarchy(project.schema, desk.opened.table, name, hierarchy)
    words = rule_words(hierarchy if isinstance(hierarchy, HierarchyRule) else None, schema.quasi.get(name))
    desk.decide(f"hierarchy of {name}: {words}", replace(project, schema=schema, pins=()))
    return page(request, desk, place)


@router.get("/roles/{place}/hierarchy.csv")
def give_hierarchy(request: Request, place: int) -> Response:
    """The hierarchy in ARX's format."""
    desk = desk_of(request)
    schema, name = desk.project.schema, column_name(desk, place)
    assert schema is not None
    tree = schema.quasi.get(name) or schema.secrets.get(name)
    if tree is None:
        raise bad_input("column", name, "a column with a hierarchy")
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(tree.rows)
    headers = {"content-disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
