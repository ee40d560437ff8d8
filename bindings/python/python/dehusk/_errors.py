"""Exceptions and warnings. Each exception is also one of the standard ones."""

from __future__ import annotations

__all__ = [
    "DataError",
    "DataTypeError",
    "DehuskWarning",
    "Error",
    "FileError",
    "OutOfMemoryError",
    "PatternError",
    "UsageError",
]


class Error(Exception):
    """All exceptions of dehusk are of this class."""


class UsageError(Error, ValueError):
    """An argument has a value that is not allowed."""


class DataError(Error, ValueError):
    """The documents cannot be used. The message names row, column and remedy."""


class DataTypeError(DataError, TypeError):
    """The documents, or one of their values, are of the wrong type."""


class PatternError(Error, ValueError):
    """Pattern files cannot be used. The message names file, line and pattern."""


class FileError(Error, OSError):
    """A file or a folder cannot be read or written."""


class OutOfMemoryError(Error, MemoryError):
    """The documents need more memory than the limit, or than there is."""


class DehuskWarning(UserWarning):
    """Something the user should know, such as a source that is too small to mine."""


for _class in (Error, UsageError, DataError, DataTypeError, PatternError, FileError, OutOfMemoryError, DehuskWarning):
    _class.__module__ = "dehusk"
