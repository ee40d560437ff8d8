"""Learns the boilerplate that a text source repeats, as regular expressions, and removes it.

Examples
--------
>>> import dehusk
>>> stories = [
...     "The ferry came in late on Tuesday, and nobody on the quay knew why the crossing had taken so long.",
...     "A choir of forty farmers won the cup in Ulm last night, with three songs that their baker had written.",
...     "Forecasters expect heavy rain for most of this week, so both bridges over our river are closed to lorries.",
...     "Mayor Lindqvist resigned again yesterday, by a letter which she left under a door of her own town hall.",
...     "Twelve years after it burned down, Holm's old bakery opens on Saturday with new owners and one old oven.",
... ]
>>> texts = [f"The Tide | Home | Sport\\n\\n{story}\\n\\nShare this page\\n" for story in stories]
>>> patterns = dehusk.mine({"text": texts, "source": ["tide"] * 5})
>>> [pattern.example for pattern in patterns["tide"].patterns]
['The Tide | Home | Sport', 'Share this page']
>>> cleaner = dehusk.Cleaner(patterns)
>>> cleaner.clean(texts[0], "tide") == stories[0] + "\\n"
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from dehusk import _dehusk
from dehusk._clean import clean
from dehusk._corpora import Figures, clean_corpus, mine_corpus, run_corpus
from dehusk._data import documents_of, limits_of, naming_of
from dehusk._dehusk import Cleaner, Patterns, SourcePatterns, Table, __version__, extract, source_of
from dehusk._errors import (
    DataError,
    DataTypeError,
    DehuskWarning,
    Error,
    FileError,
    OutOfMemoryError,
    PatternError,
    UsageError,
)
from dehusk._progress import Progress, shown
from dehusk._stream import Stream
from dehusk._types import Content, Pattern, Span, Status

__all__ = [
    "Cleaner",
    "Content",
    "DataError",
    "DataTypeError",
    "DehuskWarning",
    "Error",
    "Figures",
    "FileError",
    "OutOfMemoryError",
    "Pattern",
    "PatternError",
    "Patterns",
    "SourcePatterns",
    "Span",
    "Status",
    "Stream",
    "Table",
    "UsageError",
    "__version__",
    "candidates",
    "clean",
    "clean_corpus",
    "compare",
    "extract",
    "mine",
    "mine_corpus",
    "run_corpus",
    "source_of",
]

for _function in (clean, clean_corpus, mine_corpus, run_corpus):
    _function.__module__ = "dehusk"

Mapping.register(Patterns)


def mine(
    data: Any,
    text: str = "text",
    source: str | None = "source",
    url: str | None = "url",
    id: str | None = "id",
    html: str | None = None,
    *,
    name: str | None = None,
    reviewed: Patterns | str | PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Patterns:
    """Learn the templates of each source.

    The patterns are the same, byte for byte, as ``dehusk mine`` writes for the same documents.

    Parameters
    ----------
    data : iterable of str or dict, dict of lists, data frame, series, Arrow table, or data set
        The documents. Strings are texts of one source. They are written to a temporary file, so mining needs no more
        memory than in the program, also for a generator and for a lazy frame of polars.
    text : str
        The name of the column with texts.
    source, url : str or None
        The names of the columns with the names of sources, and with addresses. Without a column ``"source"``, the
        source of a document is the host of its address, as `source_of` gives it. A column of the name `None` is not
        read.
    name : str or None
        The name of the source of all documents. The columns `source` and `url` are not read then. The source of
        strings is ``"texts"`` by default.
    id : str or None
        The name of the column with the names of documents. Without this column, documents are numbered.
    html : str or None
        The name of a column with HTML pages. A page is read if its row has no text.
    reviewed : Patterns, path or None
        Patterns that people decided on, or their folder. The decisions are kept.
    threads : int or None
        Number of threads. All cores by default.
    memory : int or None
        Memory for documents, in bytes. 3/4 of the free memory by default.
    progress : bool, callable or None
        `True` shows a bar on standard error if tqdm is installed, or else lines. A function is called with the number of
        steps that are done, their total (or `None`), and the name of the stage.

    Returns
    -------
    Patterns

    Raises
    ------
    DataError
        If a row cannot be used. The message names row and column.

    Examples
    --------
    >>> import dehusk
    >>> story = "{0} came in late on Tuesday, and nobody on the quay of {0} Harbour knew why it had been so slow."
    >>> texts = ["The Tide | Home\\n\\n" + story.format(ship) for ship in ["Ann", "Bo", "Cy", "Di", "Ed"]]
    >>> patterns = dehusk.mine({"text": texts, "source": ["tide"] * 5})
    >>> patterns.sources
    ['tide']
    """
    limits = limits_of(threads, memory)
    documents = documents_of(data, text, naming_of(source, url, name), id, html)
    with shown(progress) as progress:
        return _dehusk.mine(documents, reviewed, *limits, progress)


def candidates(
    data: Any,
    text: str = "text",
    source: str | None = "source",
    url: str | None = "url",
    id: str | None = "id",
    html: str | None = None,
    *,
    name: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, bytes]:
    """Mine each source alone: the first step of `mine`, for engines that spread sources over machines.

    All documents of a source must be in one call. `compare` makes the patterns.

    Parameters
    ----------
    data, text, source, url, id, html, name, threads, memory, progress
        As for `mine`.

    Returns
    -------
    dict of bytes
        For each source, the data that `compare` needs.

    Examples
    --------
    >>> import dehusk
    >>> story = "{0} came in late on Tuesday, and nobody on the quay of {0} Harbour knew why it had been so slow."
    >>> texts = ["The Tide | Home\\n\\n" + story.format(ship) for ship in ["Ann", "Bo", "Cy", "Di", "Ed"]]
    >>> data = {"text": texts, "source": ["tide"] * 5}
    >>> mined = dehusk.candidates(data)
    >>> list(mined)
    ['tide']
    >>> dehusk.compare(mined.values()) == dehusk.mine(data)
    True
    """
    limits = limits_of(threads, memory)
    documents = documents_of(data, text, naming_of(source, url, name), id, html)
    with shown(progress) as progress:
        return _dehusk.candidates(documents, *limits, progress)


def compare(
    candidates: Iterable[bytes | str | PathLike[str]] | Mapping[str, bytes | str | PathLike[str]],
    *,
    reviewed: Patterns | str | PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Patterns:
    """Compare all sources, and make their patterns: the second step of `mine`.

    Parameters
    ----------
    candidates : iterable of bytes or paths, or dict of them
        The bytes that `candidates` returned for each source, or paths of files with such bytes, also files of ``dehusk
        mine --candidates``. The order does not matter. An iterator is asked for one source after another, so the bytes
        of only one source are in memory. The mined data of all sources stays in memory, without the texts.
    reviewed, threads, memory, progress
        As for `mine`.

    Returns
    -------
    Patterns
        The same as if `mine` had had all documents.

    Examples
    --------
    >>> import dehusk, pathlib, tempfile
    >>> story = "{0} came in late on Tuesday, and nobody on the quay of {0} Harbour knew why it had been so slow."
    >>> texts = ["The Tide | Home\\n\\n" + story.format(ship) for ship in ["Ann", "Bo", "Cy", "Di", "Ed"]]
    >>> mined = dehusk.candidates({"text": texts, "source": ["tide"] * 5})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tide")
    ...     size = path.write_bytes(mined["tide"])
    ...     dehusk.compare([path]) == dehusk.compare(mined)
    True
    """
    limits = limits_of(threads, memory)
    given = candidates.values() if isinstance(candidates, Mapping) else candidates
    if isinstance(given, bytes | str | PathLike):
        raise DataTypeError(f"candidates: {type(given).__name__} is no list; give a list of bytes")
    collected = _dehusk.Candidates()
    for index, value in enumerate(given):
        if isinstance(value, str | PathLike):
            collected.add_file(value)
        elif isinstance(value, bytes | bytearray | memoryview):
            collected.add(bytes(value))
        else:
            kind = type(value).__name__
            raise DataTypeError(f"candidates[{index}]: {kind} is not what candidates() returned; give bytes, or paths")
    with shown(progress) as progress:
        return _dehusk.compare(collected, reviewed, *limits, progress)
