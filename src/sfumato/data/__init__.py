"""Files in and out, generators that ship with the project, and loaders of the public sets."""

from sfumato.data.atomic import atomic_path, check_output, output_folder
from sfumato.data.files import json_lines_writer, read_json_lines, read_table, stream_json_lines, write_table
from sfumato.data.frames import column, is_frame, numbers, to_arrow, to_native_like, with_columns
from sfumato.data.source import DataMissingError, data_file

__all__ = [
    "DataMissingError",
    "atomic_path",
    "check_output",
    "column",
    "data_file",
    "is_frame",
    "json_lines_writer",
    "numbers",
    "output_folder",
    "read_json_lines",
    "read_table",
    "stream_json_lines",
    "to_arrow",
    "to_native_like",
    "with_columns",
    "write_table",
]
