"""The kinds of data that people have: which columns they have, and how their texts are replaced.

The library of a kind of data is imported only when such data comes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from operator import index
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from dehusk._dehusk import Documents, Naming
from dehusk._errors import DataError, DataTypeError, UsageError

if TYPE_CHECKING:
    from dehusk._dehusk import Cleaner

__all__ = ["clean_batch", "documents_of", "is_kept", "limits_of", "naming_of", "number_of", "path_of"]

# The default name of the column with the names of documents. This column may be missing.
DEFAULT_ID = "id"
# Number of rows of a data set or a generator that are in memory at once.
ROWS = 1000
# Larger numbers of threads or bytes are replaced by this one. Both are more than there can be.
LARGEST = 1 << 62


class Names(NamedTuple):
    """The names of columns."""

    text: str | None
    source: Naming
    id: str | None
    html: str | None


def naming_of(source: Any, url: Any, name: Any, otherwise: str | None = None) -> Naming:
    """How the sources of rows are named. `otherwise` is the source of all rows if no column names it."""
    for argument, value, what in (("source", source, "column"), ("url", url, "column"), ("name", name, "source")):
        if not isinstance(value, str | None):
            raise DataTypeError(f"{argument}: {type(value).__name__} is no name of a {what}; give a str")
    return Naming(source, url, name, otherwise)


def documents_of(data: Any, text: str, naming: Naming, id: str | None, html: str | None) -> Documents:
    """The rows of the data, as documents for mining."""
    for name, value in (("text", text), ("id", id), ("html", html)):
        if not (isinstance(value, str) or (value is None and name in ("id", "html"))):
            raise DataTypeError(f"{name}: {type(value).__name__} is no name of a column; give a str")
    names = Names(text, naming, id, html)
    documents = Documents()
    if _has_splits(data):
        raise _no_split(data)
    if _is_series(data):
        data = _list(data)
        documents.add_columns(Names(text, naming.of_texts(), None, None), len(data), None, data, None, None)
    elif isinstance(data, Mapping):
        _add_columns(documents, data, names)
    elif _is(data, "pandas", "DataFrame"):
        _add_columns(documents, {name: data[name] for name in data.columns}, names)
    elif _is(data, "datasets", "Dataset"):
        names = _present(names, data.column_names)
        wanted = data.select_columns(_columns_of(names))
        for table in wanted.with_format("arrow").iter(batch_size=ROWS):
            documents.add_stream(table, names)
    elif (columns := _columns_of_table(data)) is not None:
        names = _present(names, columns)
        documents.add_stream(_only(data, columns, _columns_of(names)), names)
    elif _is(data, "polars", "LazyFrame"):
        names = _present(names, data.collect_schema().names())
        for frame in data.select(_columns_of(names)).collect_batches():
            documents.add_stream(frame, names)
    elif hasattr(data, "__arrow_c_stream__"):
        documents.add_stream(data, names)
    elif hasattr(data, "__arrow_c_array__"):
        documents.add_stream(_table_of_batch(data), names)
    else:
        rows = iter(_rows_of(data))
        first = list(islice(rows, 1))
        rows = chain(first, rows)
        if first and isinstance(first[0], str):
            texts = ({text: row} for row in rows)
            documents.add_rows(texts, Names(text, naming.of_texts(), None, None))
        else:
            keys = list(first[0].keys()) if first and hasattr(first[0], "keys") else []
            documents.add_rows(rows, names._replace(source=naming.among(keys)))
    return documents


def clean_batch(cleaner: Cleaner, data: Any, text: str, naming: Naming, missing: str, threads: int | None) -> Any:
    """The same data with cleaned texts."""
    threads = number_of("threads", threads, "all cores")

    def cleaned(columns: Iterable[Any], values_of: Callable[[str], Any]) -> list[Any]:
        columns = list(columns)
        named = naming.among(columns)
        _check_columns(columns, (text, named.column))
        sources = None if named.column is None else _list(values_of(named.column))
        return cleaner._clean_list(_list(values_of(text)), sources, (text, named), 0, missing, threads)

    def cleaned_rows(rows: list[Any], first: int = 0) -> list[Any]:
        if rows and isinstance(rows[0], str):
            return cleaner._clean_list(rows, None, (text, naming.of_texts()), first, missing, threads)
        _check_rows(rows, first)
        named = naming.among(list(rows[0]) if rows else [])
        column = named.column
        for number, row in enumerate(rows, first):
            if text not in row or (column is not None and column not in row):
                _check_columns(row, (text, column), f"row {number}: ")
        texts, sources = [row[text] for row in rows], None if column is None else [row[column] for row in rows]
        texts = cleaner._clean_list(texts, sources, (text, named), first, missing, threads)
        return [{**row, text: value} for row, value in zip(rows, texts, strict=True)]

    def stream_of(data: Any) -> Any:
        return cleaner._clean_stream(data, (text, naming), missing, threads)

    def stream_of_table(data: Any, columns: list[str]) -> Any:
        named = naming.among(columns)
        _check_columns(columns, (text, named.column))
        return stream_of(_only(data, columns, (text, named.column)))

    if isinstance(data, list):
        return cleaned_rows(data)
    if _has_splits(data):
        raise _no_split(data)
    if _is_series(data):
        texts = cleaner._clean_list(_list(data), None, (text, naming.of_texts()), 0, missing, threads)
        if _is(data, "pandas", "Series"):
            return _like(data, texts)
        import polars

        return polars.Series(data.name, texts, polars.String)
    if isinstance(data, Mapping):
        return {**data, text: cleaned(data, data.__getitem__)}
    if _is(data, "pandas", "DataFrame"):
        texts = cleaned(data.columns, data.__getitem__)
        frame = data.copy(deep=False)
        frame[text] = _like(data[text], texts)
        return frame
    if _is(data, "polars", "DataFrame"):
        import polars

        stream = stream_of_table(data, data.columns)
        return data.with_columns(polars.DataFrame(stream.table()).get_column(text))
    if _is(data, "polars", "LazyFrame"):
        import polars

        schema = data.collect_schema()
        named = naming.among(schema.names())
        _check_columns(schema.names(), (text, named.column))
        return data.map_batches(
            lambda frame: clean_batch(cleaner, frame, text, named, missing, threads),
            schema={**schema, text: polars.String},
            streamable=True,
        )
    if _is(data, "pyarrow", "Table"):
        import pyarrow

        new = pyarrow.table(stream_of_table(data, data.column_names).table()).column(text)
        place = data.schema.get_field_index(text)
        return data.set_column(place, data.schema.field(place).with_type(new.type), new)
    if _is(data, "pyarrow", "RecordBatch"):
        import pyarrow

        table = clean_batch(cleaner, pyarrow.Table.from_batches([data]), text, naming, missing, threads)
        return table.combine_chunks().to_batches()[0] if data.num_rows else data
    if _is(data, "pyarrow", "RecordBatchReader"):
        import pyarrow

        stream = stream_of(data)
        schema = pyarrow.table(stream.empty()).schema
        return pyarrow.RecordBatchReader.from_batches(schema, _batches(stream))
    if _is(data, "datasets", "Dataset"):
        named = naming.among(data.column_names)
        _check_columns(data.column_names, (text, named.column))
        read = [name for name in (text, named.column) if name is not None]
        return data.map(
            lambda *values: {text: cleaned(read, dict(zip(read, values, strict=True)).__getitem__)},
            batched=True,
            input_columns=read,
        )
    if hasattr(data, "__arrow_c_stream__"):
        return stream_of(data).table()
    if hasattr(data, "__arrow_c_array__"):
        return stream_of(_table_of_batch(data)).table()
    rows = _rows_of(data)
    return _lazily(rows, cleaned_rows) if isinstance(rows, Iterator) else cleaned_rows(list(rows))


def _lazily(rows: Iterator[Any], cleaned: Callable[[list[Any], int], list[Any]]) -> Iterator[Any]:
    """The cleaned rows. Some are taken at once."""
    first = 0
    while taken := list(islice(rows, ROWS)):
        yield from cleaned(taken, first)
        first += len(taken)


def is_kept(data: Any) -> bool:
    """Whether the data is a table or a column that can be read several times."""
    if _is_series(data):
        return True
    kinds = [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"), ("datasets", "Dataset"), ("dehusk", "Table")]
    return any(_is(data, package, kind) for package, kind in kinds)


def number_of(name: str, value: Any, otherwise: str) -> int | None:
    """A number that a user gave, or `None`. `otherwise` says what `None` means."""
    if value is None:
        return None
    if not isinstance(value, SupportsIndex):
        raise DataTypeError(f"{name}: {type(value).__name__} is no whole number; give an int, or None for {otherwise}")
    if (number := index(value)) < 1:
        raise UsageError(f"{name} is {number}; give at least 1, or None for {otherwise}")
    return min(number, LARGEST)


def limits_of(threads: Any, memory: Any) -> tuple[int | None, int | None]:
    """The number of threads, and the memory in bytes, after checks."""
    return number_of("threads", threads, "all cores"), number_of("memory", memory, "3/4 of the free memory")


def path_of(name: str, value: Any) -> str:
    """A path that a user gave."""
    if not isinstance(value, str | PathLike):
        raise DataTypeError(f"{name}: {type(value).__name__} is no path; give a str or a pathlib.Path")
    return fspath(value)


def _is(data: Any, package: str, name: str) -> bool:
    """Whether data is of this class or a subclass of it. The package may not be installed."""
    if package not in sys.modules:
        return False
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in type(data).__mro__)


def _is_series(data: Any) -> bool:
    """Whether the data is a column of texts."""
    return _is(data, "pandas", "Series") or _is(data, "polars", "Series")


def _check_rows(rows: Iterable[Any], first: int) -> None:
    for number, row in enumerate(rows, first):
        if not isinstance(row, Mapping):
            raise DataTypeError(f"row {number}: {type(row).__name__} is no row; give a dict with a key for each column")


def _check_columns(columns: Iterable[Any], names: Iterable[str | None], place: str = "") -> None:
    known = list(columns)
    for name in names:
        if name is not None and name not in known:
            listed = ", ".join(repr(column) for column in known) or "none"
            raise DataError(f"{place}there is no column '{name}'; the columns are: {listed}")


def _present(names: Names, columns: Iterable[Any]) -> Names:
    """The names, without those of columns that are missing and may be missing."""
    known = list(columns)
    names = names._replace(source=names.source.among(known))
    if names.id == DEFAULT_ID and names.id not in known:
        names = names._replace(id=None)
    if names.html is not None and names.html in known and names.text not in known:
        names = names._replace(text=None)
    _check_columns(known, _columns_of(names))
    return names


def _columns_of(names: Names) -> list[str]:
    """The columns that are read, each once."""
    read = (names.text, names.source.column, names.html, names.id)
    return list(dict.fromkeys(name for name in read if name is not None))


def _add_columns(documents: Documents, data: Mapping[Any, Any], names: Names) -> None:
    names = _present(names, data)
    lists = {name: _list(data[name]) for name in _columns_of(names)}
    leading = names.source.column or next(iter(lists))
    rows = len(lists[leading])
    for name, values in lists.items():
        if len(values) != rows:
            raise DataError(f"column '{name}' has {len(values)} values and column '{leading}' has {rows}; give as many")

    def values_of(name: str | None) -> list[Any] | None:
        return None if name is None else lists[name]

    columns = (names.source.column, names.text, names.html, names.id)
    documents.add_columns(names, rows, *map(values_of, columns))


def _list(values: Any) -> list[Any]:
    if isinstance(values, list):
        return values
    if isinstance(values, str | bytes):
        raise DataTypeError(f"a {type(values).__name__} is no column; give a list of str")
    if hasattr(values, "tolist"):  # numpy, pandas: plain Python values
        values = values.tolist()
    elif hasattr(values, "to_pylist"):  # Arrow
        values = values.to_pylist()
    try:
        return list(values)
    except TypeError:
        raise DataTypeError(f"{type(values).__name__} is no column; give a list of str") from None


def _like(column: Any, texts: list[Any]) -> Any:
    """A pandas column with the index, type and name of another one."""
    import pandas

    dtype = object if isinstance(column.dtype, pandas.CategoricalDtype) else column.dtype
    return pandas.Series(texts, index=column.index, dtype=dtype, name=column.name)


def _columns_of_table(data: Any) -> list[str] | None:
    """The names of the columns of a table that can be divided without a copy. `None` for other data."""
    if _is(data, "polars", "DataFrame"):
        return list(data.columns)
    return list(data.column_names) if _is(data, "pyarrow", "Table") else None


def _only(data: Any, columns: list[str], names: Iterable[str | None]) -> Any:
    """The data with only these columns. Others may have types that dehusk does not know."""
    wanted = list(dict.fromkeys(name for name in names if name is not None and name in columns))
    if len(set(columns)) != len(columns) or not wanted:
        return data
    if _is(data, "polars", "DataFrame"):
        import polars

        # Arrow's interface has no agreement about columns without a type.
        return data.select(wanted).with_columns(polars.col(polars.Null).cast(polars.String))
    return data.select(wanted)


def _table_of_batch(data: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches([pyarrow.record_batch(data)])


def _batches(stream: Any) -> Iterator[Any]:
    import pyarrow

    for table in stream:
        yield from pyarrow.table(table).to_batches()


def _rows_of(data: Any) -> Iterable[Any]:
    remedy = "give texts, dicts, a dict of lists, a frame or a series of pandas or polars, an Arrow table or a Hugging Face data set"
    if isinstance(data, str | bytes | bytearray) or not isinstance(data, Iterable):
        raise DataTypeError(f"{type(data).__name__} is no data; {remedy}")
    return data


def _has_splits(data: Any) -> bool:
    return _is(data, "datasets", "DatasetDict") or _is(data, "datasets", "IterableDatasetDict")


def _no_split(data: Any) -> DataTypeError:
    return DataTypeError(f"{type(data).__name__} has several splits; give one of them: {', '.join(data)}")
