"""Dolma: a tagger. Its spans are the stretches that are removed.

``dolma tag --tagger_modules dehusk.integrations.dolma --taggers dehusk ...`` uses it. The environment says where the patterns are:
Dolma makes taggers without arguments.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from dolma.core.data_types import DocResult, DocumentWithMetadata, Span
from dolma.core.registry import TaggerRegistry
from dolma.core.taggers import BaseTaggerWithMetadata

from dehusk._dehusk import Cleaner
from dehusk._errors import DataError, UsageError
from dehusk.integrations._opened import Missing, Opened, PatternsLike

__all__ = ["Tagger"]

# Dolma makes a tagger for each file, in the same process.
_cleaner_of = lru_cache(maxsize=1)(Cleaner)


@TaggerRegistry.add("dehusk")
class Tagger(BaseTaggerWithMetadata):  # type: ignore[misc]  # Dolma has no types
    """Marks the boilerplate of a document.

    Parameters
    ----------
    patterns : Cleaner, Patterns, path or None
        The patterns, or a cleaner. By default, the path in ``DEHUSK_PATTERNS``.
    source : str or None
        The key of the metadata with the name of the source. By default, the key in ``DEHUSK_SOURCE``, or else the
        document's `source`.
    missing : "error", "keep" or None
        What happens to a document whose source has no patterns: it is an error, or only shared patterns apply. By
        default, the value of ``DEHUSK_MISSING``, or else an error.
    """

    def __init__(
        self, patterns: PatternsLike | None = None, source: str | None = None, missing: Missing | None = None
    ) -> None:
        if patterns is None:
            if "DEHUSK_PATTERNS" not in os.environ:
                raise UsageError("no patterns: set DEHUSK_PATTERNS to the path of a folder with pattern files")
            patterns = _cleaner_of(os.environ["DEHUSK_PATTERNS"])
        self._opened = Opened(patterns)
        self._source = source or os.environ.get("DEHUSK_SOURCE")
        # The value is checked when it is used.
        self._missing: Any = missing or os.environ.get("DEHUSK_MISSING", "error")

    @property
    def defaults(self) -> list[str]:
        """The kinds of spans that even a document without boilerplate has in the output."""
        return ["boilerplate"]

    def predict(self, doc: DocumentWithMetadata) -> Any:
        """Mark the stretches that are removed."""
        source = doc.source if self._source is None else doc.metadata.get(self._source)
        if not source:
            place = "source" if self._source is None else f"metadata.{self._source}"
            raise DataError(f"document '{doc.id}' has no {place}; set DEHUSK_SOURCE to the key that names its source")
        spans = self._opened.cleaner.spans(doc.text, source, missing=self._missing)
        return DocResult(doc, [Span(span.start, span.end, "boilerplate", span.score) for span in spans])
