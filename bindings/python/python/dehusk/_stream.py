"""Documents as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

from dehusk import _dehusk
from dehusk._data import documents_of, naming_of, number_of, path_of
from dehusk._dehusk import Patterns
from dehusk._errors import DataTypeError, UsageError

__all__ = ["Stream"]


class Streaming(NamedTuple):
    """How a stream handles documents."""

    learns: bool
    cleans: bool
    learned: bool
    max_segments: int | None
    lifetime: float | None


class Stream:
    """Cleans documents as they come, with what earlier documents taught: ``dehusk stream``.

    The state, a file, stores what was learned. One process at a time can use the file. Between two calls, it is free.

    Parameters
    ----------
    state : path
        The file of the state. The file is made if it does not exist.
    patterns : Patterns, path or None
        Patterns that count in addition to what was learned.
    learned : bool
        Whether models decide. If not, only text that recurs beyond chance is removed.
    max_segments : int or None
        Maximum number of segments of a source that are remembered. 20,000 in a new state.
    lifetime : float or None
        A segment of one document is forgotten if none of this many further documents has it. By default, when there is
        no more room.

    Examples
    --------
    >>> import dehusk, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> stream = dehusk.Stream(pathlib.Path(folder.name) / "feed.state")
    >>> stories = [f"The Tide | Home | Sport\\nShip {n} came in{' late' * n}." for n in range(9)]
    >>> cleaned = stream.clean({"source": "tide", "text": story} for story in stories)
    >>> sum(1 for document in cleaned)
    9
    >>> folder.cleanup()
    """

    def __init__(
        self,
        state: str | PathLike[str],
        patterns: Patterns | str | PathLike[str] | None = None,
        *,
        learned: bool = True,
        max_segments: int | None = None,
        lifetime: float | None = None,
    ) -> None:
        self._state = path_of("state", state)
        self._patterns = Patterns.load(patterns) if isinstance(patterns, str | PathLike) else patterns
        self._learned, self._lifetime = learned, lifetime
        self._max_segments = number_of("max_segments", max_segments, "20,000 in a new state")

    @property
    def state(self) -> str:
        """The path of the state."""
        return self._state

    def clean(
        self,
        documents: Iterable[dict[str, Any]],
        text: str = "text",
        source: str = "source",
        html: str | None = None,
        *,
        learn: bool = True,
        batch: int = 256,
    ) -> Iterator[dict[str, Any]]:
        """Clean documents in their order, and learn from them.

        Parameters
        ----------
        documents : iterable of dict
            The documents. A batch is taken from the iterable only when the batch before it is cleaned.
        text, source, html
            The names of the columns, as for `mine`. The text of a page is put into the column `text`.
        learn : bool
            Whether the state changes.
        batch : int
            Number of documents that are taken at once. What was learned is stored after each batch. A small batch waits for
            fewer documents; a large batch is faster.

        Yields
        ------
        dict
            Each document with its text cleaned. A document that cannot be read is left out, with a warning.
        """
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise DataTypeError(f"{type(documents).__name__} has no documents; give an iterable of dict")
        if batch < 1:
            raise UsageError(f"batch is {batch}; give at least 1")
        return self._cleaned(iter(documents), text, source, html, learn, batch)

    def _cleaned(
        self, documents: Iterator[dict[str, Any]], text: str, source: str, html: str | None, learn: bool, batch: int
    ) -> Iterator[dict[str, Any]]:
        while rows := list(islice(documents, batch)):
            texts = self._take(rows, text, source, html, learn, True)
            for row, cleaned in zip(rows, texts, strict=True):
                if cleaned is not None:
                    yield {**row, text: cleaned}

    def learn(
        self, documents: Iterable[dict[str, Any]], text: str = "text", source: str = "source", html: str | None = None
    ) -> None:
        """Learn from documents without cleaning them.

        Parameters
        ----------
        documents, text, source, html
            As for `clean`.
        """
        left = iter(documents)
        while rows := list(islice(left, 4096)):
            self._take(rows, text, source, html, True, False)

    def _take(
        self, rows: list[dict[str, Any]], text: str, source: str, html: str | None, learns: bool, cleans: bool
    ) -> list[str | None]:
        how = Streaming(learns, cleans, self._learned, self._max_segments, self._lifetime)
        # Row numbers are the names of the documents. They assign the lines of the output to rows.
        documents = documents_of(rows, text, naming_of(source, None, None), None, html)
        return _dehusk.stream(self._state, documents, self._patterns, how)

    def __repr__(self) -> str:
        return f"<dehusk.Stream: {self._state!r}>"


Stream.__module__ = "dehusk"
