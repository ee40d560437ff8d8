"""Hugging Face datasets: a function for ``map(batched=True)``."""

from __future__ import annotations

from typing import Any

from dehusk._errors import DataError
from dehusk.integrations._opened import Missing, Opened, PatternsLike

__all__ = ["Clean"]


class Clean:
    """Cleans batches of a `Dataset`, or of an `IterableDataset`.

    Parameters
    ----------
    patterns : Cleaner, Patterns or path
        The patterns, or a cleaner. A path is read in each process.
    text, source : str
        The names of the columns with texts, and with the names of their sources.
    missing : "error" or "keep"
        What happens to a row without text or source, or whose source has no patterns: see `Cleaner.clean_batch`.

    Examples
    --------
    ``dataset.map(Clean("patterns"), batched=True)``
    """

    def __init__(
        self, patterns: PatternsLike, text: str = "text", source: str = "source", *, missing: Missing = "error"
    ) -> None:
        self._opened, self._text, self._source, self._missing = Opened(patterns), text, source, missing

    def __call__(self, batch: Any) -> dict[str, list[str]]:
        """Clean a batch: a list for each column."""
        for name in (self._text, self._source):
            if name not in batch:
                raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, batch))}")
        rows = {self._text: batch[self._text], self._source: batch[self._source]}
        # One thread: `map` has processes of its own (`num_proc`).
        cleaned = self._opened.cleaner.clean_batch(rows, self._text, self._source, missing=self._missing, threads=1)
        return {self._text: cleaned[self._text]}
