"""Open: a file below the session's folder, or one that is dropped on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from fastapi import APIRouter, Request
from starlette.responses import Response

from sfumato.errors import InputError, SfumatoError
from sfumato.io.formats.endings import TABLE_FORMATS, table_format
from sfumato.io.texts import DocumentFormat, document_format
from sfumato.studio.code_samples import sample_of
from sfumato.studio.confinement import list_files
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.proposed_work import KINDS
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.text.publishing import text_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["router"]

router = APIRouter()
UPLOADS = ("/upload",)
LARGEST_UPLOAD = 50 * 10**6
SHOWN_ROWS = 8
LONGEST_CELL = 300
FORMATS = [one for one in (*TABLE_FORMATS, *get_args(DocumentFormat)) if one != "npz"]
ENCODINGS = ("utf-8", "windows-1252", "iso-8859-1", "iso-8859-2", "utf-16", "shift_jis", "gb18030")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "…"


def type_words(kind: pa.DataType) -> str:
    """What the values of a column are."""
    import pyarrow as pa

    for test, words in (
        (pa.types.is_boolean, "yes or no"),
        (pa.types.is_integer, "whole numbers"),
        (pa.types.is_floating, "numbers"),
        (pa.types.is_decimal, "numbers"),
        (pa.types.is_date, "dates"),
        (pa.types.is_timestamp, "times"),
        (pa.types.is_string, "words"),
        (pa.types.is_large_string, "words"),
    ):
        if test(kind):
            return words
    return str(kind)


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    words: dict[str, Any] = {"preview": None, "notes": (), "rows": 0, "columns": [], "unread": ""}
    try:
        opened = None if desk.project.origin is None else desk.opened
    except SfumatoError as error:  # it is gone, or another one stands in its place: another can be opened here
        opened, words["unread"] = None, str(error)
    if opened is not None:
        table = opened.table
        cells = [
            ["" if value is None else _short(value) for value in column.slice(0, SHOWN_ROWS).to_pylist()]
            for column in table.columns
        ]
        words |= {
            "preview": [list(row) for row in zip(*cells, strict=True)],
            "notes": opened.notes,
            "rows": table.num_rows,
            "columns": [(field.name, type_words(field.type)) for field in table.schema],
        }
    return render(
        request,
        "open",
        files=list_files(desk.root),
        folder=desk.root.name or str(desk.root),
        formats=FORMATS,
        encodings=ENCODINGS,
        sample=sample_of(desk.project, "open"),
        largest=LARGEST_UPLOAD // 10**6,
        too_large=too_large(),
        kinds=KINDS,
        prose="" if opened is None else prose_column(desk),
        **words,
    )


def prose_column(desk: Desk) -> str:
    """The column of prose in a table of people, if there is one: its texts can be reviewed on their own."""
    if desk.project.kind != "table":
        return ""
    try:
        return text_column(desk.opened.table, None)[0]
    except InputError:
        return ""


@router.get("/")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/open")
async def open_file(request: Request) -> Response:
    from starlette.concurrency import run_in_threadpool

    desk, given = desk_of(request), await fields_of(request)
    await run_in_threadpool(desk.open_path, given.get("path", ""))
    return page(request, desk)


@router.post("/kind")
async def change_kind(request: Request) -> Response:
    from starlette.concurrency import run_in_threadpool

    desk, given = desk_of(request), await fields_of(request)
    await run_in_threadpool(desk.change_kind, given.get("kind", ""))
    return page(request, desk)


@router.post("/dialect")
async def dialect(request: Request) -> Response:
    from starlette.concurrency import run_in_threadpool

    desk, given = desk_of(request), await fields_of(request)
    told = {name: given.get(name, "").strip() or None for name in ("format", "encoding")}
    delimiter = given.get("delimiter", "")
    await run_in_threadpool(lambda: desk.rewritten(**told, delimiter=delimiter or None))
    return page(request, desk)


def too_large() -> str:
    """What is said of a file that cannot be dropped."""
    return (
        f"the file is too large to be dropped: expected at most {LARGEST_UPLOAD // 10**6} MB; start sfumato studio in "
        "its folder and open it by its path below"
    )


def known_ending(given: str) -> str:
    """An ending that says what a file is, or none.

    >>> known_ending(".CSV"), known_ending(".csv.gz"), known_ending(".exe"), known_ending("../x.csv")
    ('.csv', '.csv.gz', '', '')
    """
    ending = given.lower()
    parts = ending.split(".")[1:]
    if not ending.startswith(".") or len(parts) > 2 or not all(part.isalnum() for part in parts):
        return ""
    try:
        return ending if document_format(f"x{ending}") or table_format(f"x{ending}") not in (None, "npz") else ""
    except InputError:
        return ""


@router.post("/upload")
async def upload(request: Request) -> Response:
    """Take a file as the body of the request. Of the name that it had only the ending is sent, if it is a known one."""
    from starlette.concurrency import run_in_threadpool

    desk = desk_of(request)
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_UPLOAD:
        raise OverflowError(too_large())
    ending = known_ending(request.headers.get("x-ending", ""))
    path, size = desk.new_upload(ending), 0
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                size += len(part)
                if size > LARGEST_UPLOAD:
                    raise OverflowError(too_large())
                file.write(part)
        if size == 0:
            raise InputError("the file is empty: expected a table with at least one record, or a text; choose another")
        await run_in_threadpool(desk.open_upload, path, ending)
    except BaseException:  # a client that hangs up, too: nothing half stays
        path.unlink(missing_ok=True)
        raise
    return page(request, desk)
