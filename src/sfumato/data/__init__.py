"""Files in and out, generators that ship with the project, and loaders of the public sets."""

from sfumato.data.source import DataMissingError, data_file

__all__ = ["DataMissingError", "data_file"]
