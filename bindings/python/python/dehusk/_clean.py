"""Mining and cleaning in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dehusk import _dehusk
from dehusk._data import _check_columns, _check_rows, _is, clean_batch, documents_of, limits_of
from dehusk._errors import DataTypeError

# The column in which the names of sources are while a call runs.
SOURCE = "dehusk: source"


def clean(
    data: Any,
    text: str = "text",
    source: str = "source",
    url: str = "url",
    *,
    name: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[int, int | None, str], object] | None = None,
) -> Any:
    """Learn the templates of texts, and remove them: `mine`, then `Cleaner.clean_batch`.

    Parameters
    ----------
    data : iterable of str or dict, dict of lists, data frame, Arrow table, or data set
        The documents. Strings are texts of one source. All data is in memory.
    text : str
        The name of the column with texts.
    source, url : str
        The names of the columns with the names of sources, and with addresses. Without a column of sources, the source
        of a document is the host of its address, as `source_of` gives it. Without both columns, all documents are of
        one source.
    name : str or None
        The name of the source of all documents. The columns `source` and `url` are not read then.
    threads, memory, progress
        As for `mine`.

    Returns
    -------
    The same kind of data, with cleaned texts
        A list for strings and for other iterables.

    Raises
    ------
    DataError
        If a row cannot be used. The message names row and column.

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
    data, is_texts = _whole(data)
    if is_texts:
        data = [{text: value} for value in data]
    columns = _columns(data)
    if not columns:
        return data
    _check_columns(columns, [text])
    if name is None and source in columns:
        sources = _values(data, source)
    elif name is None and url in columns:
        sources = [_dehusk.source_of(address) for address in _values(data, url)]
    else:
        sources = [name or "texts"] * len(_values(data, text))
    data = _with_sources(data, sources)
    limits = limits_of(threads, memory)
    patterns = _dehusk.mine(documents_of(data, text, SOURCE, None, None), None, *limits, progress)
    cleaned = _without_sources(clean_batch(_dehusk.Cleaner(patterns), data, text, SOURCE, "keep", threads))
    return [row[text] for row in cleaned] if is_texts else cleaned


def _whole(data: Any) -> tuple[Any, bool]:
    """The data, as a list if it is an iterable of rows; and whether it consists of strings."""
    if isinstance(data, str | bytes):
        raise DataTypeError(f"a {type(data).__name__} is no list of documents; give a list with it")
    if isinstance(data, Mapping) or _kind(data) is not None:
        return data, False
    if not isinstance(data, Iterable):
        kind = type(data).__name__
        raise DataTypeError(f"{kind} is no kind of data that can be cleaned; give a list of str or dicts")
    rows = list(data)
    return rows, bool(rows) and all(isinstance(row, str) for row in rows)


def _kind(data: Any) -> str | None:
    """The kind of a table. `None` for rows."""
    kinds = [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"), ("datasets", "Dataset")]
    return next((package for package, kind in kinds if _is(data, package, kind)), None)


def _columns(data: Any) -> list[Any]:
    match _kind(data):
        case "pandas" | "polars":
            return list(data.columns)
        case "pyarrow" | "datasets":
            return list(data.column_names)
    if isinstance(data, Mapping):
        return list(data)
    _check_rows(data)
    return list(data[0]) if data else []


def _values(data: Any, column: str) -> list[Any]:
    match _kind(data):
        case "pandas":
            return data[column].tolist()  # type: ignore[no-any-return]
        case "polars":
            return data[column].to_list()  # type: ignore[no-any-return]
        case "pyarrow":
            return data.column(column).to_pylist()  # type: ignore[no-any-return]
    if isinstance(data, Mapping) or _kind(data) == "datasets":
        return list(data[column])
    for number, row in enumerate(data):
        if column not in row:
            _check_columns(row, [column], f"row {number}: ")
    return [row[column] for row in data]


def _with_sources(data: Any, sources: list[Any]) -> Any:
    match _kind(data):
        case "pandas":
            return data.assign(**{SOURCE: sources})
        case "polars":
            import polars

            return data.with_columns(polars.Series(SOURCE, sources))
        case "pyarrow":
            return data.append_column(SOURCE, [sources])
        case "datasets":
            return data.add_column(SOURCE, sources)
    if isinstance(data, Mapping):
        return {**data, SOURCE: sources}
    return [{**row, SOURCE: source} for row, source in zip(data, sources, strict=True)]


def _without_sources(data: Any) -> Any:
    match _kind(data):
        case "pandas":
            return data.drop(columns=SOURCE)
        case "polars":
            return data.drop(SOURCE)
        case "pyarrow":
            return data.drop_columns([SOURCE])
        case "datasets":
            return data.remove_columns(SOURCE)
    if isinstance(data, Mapping):
        return {column: values for column, values in data.items() if column != SOURCE}
    return [{column: value for column, value in row.items() if column != SOURCE} for row in data]
