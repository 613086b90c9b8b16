"""The formats of tables: which name means which, and what must be installed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast, get_args

from sfumato.errors import bad_input
from sfumato.validate import choice, extra

__all__ = ["TABLE_FORMATS", "Format", "compression", "require_format", "sniff_format", "table_format"]

Format = Literal[
    "csv", "tsv", "jsonl", "json", "parquet", "feather", "xlsx", "npy", "npz", "geojson", "geoparquet", "gpx"
]
TABLE_FORMATS: tuple[str, ...] = get_args(Format)
_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "xlsx",
    ".npy": "npy",
    ".npz": "npz",
    ".geojson": "geojson",
    ".geoparquet": "geoparquet",
    ".gpx": "gpx",
}
_OLD_SHEETS = (".xls", ".xlsm", ".xlsb", ".ods")
"""Spreadsheets that are read like .xlsx, and not written."""
_PACKED = {".gz": "gzip", ".zst": "zstd"}
_PACKABLE = ("csv", "tsv", "jsonl", "json", "geojson", "gpx")
_READS = {"xlsx": (("python_calamine", "office"),), "gpx": (("gpxpy", "gpx"), ("defusedxml", "gpx"))}
_WRITES = {"xlsx": (("xlsxwriter", "office"),)}


def compression(path: str | Path) -> Literal["gzip", "zstd"] | None:
    """How a file is packed, by its name.

    >>> compression("people.csv.gz"), compression("people.csv")
    ('gzip', None)
    """
    return cast("Literal['gzip', 'zstd'] | None", _PACKED.get(Path(path).suffix.lower()))


def table_format(path: str | Path, format: str | None = None, *, writing: bool = False) -> Format | None:
    """The format named, or the one the file's name ends with; ``None`` for a pipe that does not say.

    >>> table_format("people.csv.gz"), table_format("people.data", "parquet")
    ('csv', 'parquet')
    """
    if format is not None:
        return cast(Format, choice("format", format, TABLE_FORMATS))
    if str(path) == "-":
        return None
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = bool(suffixes) and suffixes[-1] in _PACKED
    if packed:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending in _OLD_SHEETS and not writing and not packed:
        return "xlsx"
    found = _SUFFIXES.get(ending)
    if found is None or (packed and found not in _PACKABLE):
        known = "a name that ends in .csv, .tsv, .jsonl, .json (also with .gz or .zst after it), .parquet, .feather, "
        raise bad_input("path", str(path), known + ".xlsx, .npy, .npz, .geojson, .geoparquet or .gpx",
                        "or say the format")  # fmt: skip
    return found


def require_format(format: str | None, *, writing: bool = False) -> None:
    """Raise :class:`~sfumato.errors.MissingExtraError` if what a format needs is not installed."""
    for module, name in (_WRITES if writing else _READS).get(format or "", ()):
        extra(module, name)


def sniff_format(content: bytes) -> Format:
    """What came through a pipe, by its first bytes: what has no sign of its own is CSV."""
    for sign, found in ((b"PAR1", "parquet"), (b"ARROW1", "feather"), (b"\x93NUMPY", "npy")):
        if content.startswith(sign):
            return cast(Format, found)
    if content.startswith(b"PK\x03\x04"):
        return "xlsx" if b"[Content_Types].xml" in content or b"xl/" in content else "npz"
    start = content[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "geojson" if b'"FeatureCollection"' in start[:200] else "jsonl"
    if start.startswith(b"[") and start[1:].lstrip().startswith(b"{"):
        return "json"
    return "gpx" if start.startswith(b"<") and b"<gpx" in start else "csv"
