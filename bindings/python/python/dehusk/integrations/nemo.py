"""NeMo Curator: a function for `Modify`."""

from __future__ import annotations

from dehusk._errors import DataError
from dehusk.integrations._opened import Missing, Opened, PatternsLike

__all__ = ["Clean"]


class Clean:
    """Cleans a text of a source, given as fields.

    Parameters
    ----------
    patterns : Cleaner, Patterns or path
        The patterns, or a cleaner. A path is read in each process.
    text, source : str
        The names of the fields with the text, and with the name of its source.
    missing : "error" or "keep"
        What happens to a text whose source has no patterns: it is an error, or only shared patterns apply.

    Examples
    --------
    ``Modify(Clean("patterns"), input_fields=[["text", "source"]], output_fields="text")``
    """

    def __init__(
        self, patterns: PatternsLike, text: str = "text", source: str = "source", *, missing: Missing = "error"
    ) -> None:
        self._opened, self._text, self._source, self._missing = Opened(patterns), text, source, missing
        # Modify names its stage after the function.
        self.__name__ = "dehusk"

    def __call__(self, **fields: str) -> str:
        """Clean a text."""
        for name in (self._text, self._source):
            if name not in fields:
                raise DataError(f"there is no field '{name}'; name it in input_fields, as [['text', 'source']]")
        return self._opened.cleaner.clean(fields[self._text], fields[self._source], missing=self._missing)
