"""Mining and cleaning in one call."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from typing import IO, Any

from dehusk import _dehusk
from dehusk._data import clean_batch, documents_of, is_kept, limits_of, naming_of
from dehusk._errors import DataTypeError
from dehusk._progress import Progress, shown


def clean(
    data: Any,
    text: str = "text",
    source: str | None = "source",
    url: str | None = "url",
    *,
    name: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Any:
    """Learn the templates of texts, and remove them: `mine`, then `Cleaner.clean_batch`.

    Parameters
    ----------
    data : iterable of str or dict, dict of lists, data frame, series, Arrow table, or data set
        The documents. The data is read twice: to learn from it, and to clean it. The query of a lazy frame of polars
        runs twice. The items of a generator are stored in a temporary file, with `pickle`.
    text, source, url, name
        As for `mine`. Without both columns, `source` and `url`, all documents are of one source.
    threads, memory, progress
        As for `mine`. Progress is that of learning.

    Returns
    -------
    The same kind of data, with cleaned texts
        As for `Cleaner.clean_batch`. Lazy frames and generators are cleaned when their rows are asked for.

    Raises
    ------
    DataError
        If a row cannot be used. The message names row and column.
    DataTypeError
        If the data can be read only once, as a record batch reader.

    Examples
    --------
    >>> import dehusk
    >>> story = "{0} came in late on Tuesday, and nobody on the quay of {0} Harbour knew why it had been so slow."
    >>> texts = ["The Tide | Home\\n\\n" + story.format(ship) for ship in ["Ann", "Bo", "Cy", "Di", "Ed"]]
    >>> dehusk.clean(texts)[0]
    'Ann came in late on Tuesday, and nobody on the quay of Ann Harbour knew why it had been so slow.'
    >>> rows = [{"url": "https://tide.example/1", "text": text} for text in texts]
    >>> dehusk.clean(rows)[0]["text"] == dehusk.clean(texts)[0]
    True
    """
    if not isinstance(data, Mapping) and hasattr(data, "__arrow_c_stream__") and not is_kept(data):
        kind = type(data).__name__
        raise DataTypeError(
            f"{kind} may be readable only once, and clean() reads twice: to learn, and to clean; "
            "give a table, or give one reader to mine() and another one to Cleaner.clean_batch()"
        )
    naming, limits = naming_of(source, url, name, "texts"), limits_of(threads, memory)
    first = data
    if isinstance(data, Iterator):
        file = TemporaryFile()
        first, data = _stored(data, file), _read_again(file)
    documents = documents_of(first, text, naming, None, None)
    patterns = _dehusk.Patterns.from_yaml([])
    if len(documents):
        with shown(progress) as progress:
            patterns = _dehusk.mine(documents, None, *limits, progress)
    return clean_batch(_dehusk.Cleaner(patterns), data, text, naming, "keep", threads)


def _stored(rows: Iterator[Any], file: IO[bytes]) -> Iterator[Any]:
    """The rows. Each is stored on its way."""
    for row in rows:
        pickle.dump(row, file, pickle.HIGHEST_PROTOCOL)
        yield row


def _read_again(file: IO[bytes]) -> Iterator[Any]:
    """The rows that were stored in this file."""
    with file:
        file.seek(0)
        while True:
            try:
                row = pickle.load(file)
            except EOFError:
                return
            yield row
