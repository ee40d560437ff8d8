"""A cleaner that travels: what engines send to their workers."""

from __future__ import annotations

from functools import cached_property
from os import PathLike, fspath
from typing import Literal

from dehusk._dehusk import Cleaner, Patterns
from dehusk._errors import DataTypeError

__all__ = ["Missing", "Opened", "PatternsLike"]

PatternsLike = Cleaner | Patterns | str | PathLike[str]
# What happens to a document whose source has no patterns.
Missing = Literal["error", "keep"]


class Opened:
    """A cleaner that is opened when the first text comes.

    If patterns are given as a path, only the path is sent to workers, and each worker reads the files.
    """

    def __init__(self, patterns: PatternsLike) -> None:
        if not isinstance(patterns, Cleaner | Patterns | str | PathLike):
            kind = type(patterns).__name__
            raise DataTypeError(f"patterns: {kind} is neither a Cleaner nor Patterns nor the path of a folder")
        self._given = fspath(patterns) if isinstance(patterns, PathLike) else patterns

    @cached_property
    def cleaner(self) -> Cleaner:
        """The cleaner."""
        return self._given if isinstance(self._given, Cleaner) else Cleaner(self._given)

    def __reduce__(self) -> tuple[type[Opened], tuple[PatternsLike]]:
        return type(self), (self._given,)
