"""The kinds of data that people have: which columns they have, and how their texts are replaced.

The library of a kind of data is imported only when such data comes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from dehusk._dehusk import Documents
from dehusk._errors import DataError, DataTypeError, UsageError

if TYPE_CHECKING:
    from dehusk._dehusk import Cleaner

__all__ = ["clean_batch", "documents_of", "limits_of", "number_of", "path_of"]

# The default name of the column with the names of documents. This column may be missing.
DEFAULT_ID = "id"
# Number of rows of a data set that are in memory at once.
ROWS = 1000
# Larger numbers of threads or bytes are replaced by this one. Both are more than there can be.
LARGEST = 1 << 62


class Names(NamedTuple):
    """The names of columns."""

    text: str | None
    source: str
    id: str | None
    html: str | None


def documents_of(data: Any, text: str, source: str, id: str | None, html: str | None) -> Documents:
    """The rows of the data, as documents for mining."""
    for name, value in (("text", text), ("source", source), ("id", id), ("html", html)):
        if not (isinstance(value, str) or (value is None and name in ("id", "html"))):
            raise DataTypeError(f"{name}: {type(value).__name__} is no name of a column; give a str")
    names = Names(text, source, id, html)
    documents = Documents()
    if _has_splits(data):
        raise _no_split(data)
    if isinstance(data, Mapping):
        _add_columns(documents, data, names)
    elif _is(data, "pandas", "DataFrame"):
        _add_columns(documents, {name: data[name] for name in data.columns}, names)
    elif _is(data, "datasets", "Dataset"):
        names = _present(names, data.column_names)
        wanted = data.select_columns([name for name in names if name is not None])
        for table in wanted.with_format("arrow").iter(batch_size=ROWS):
            documents.add_stream(table, names)
    elif (columns := _columns_of_table(data)) is not None:
        names = _present(names, columns)
        documents.add_stream(_only(data, columns, names), names)
    elif hasattr(data, "__arrow_c_stream__"):
        documents.add_stream(data, names)
    elif hasattr(data, "__arrow_c_array__"):
        documents.add_stream(_table_of_batch(data), names)
    else:
        documents.add_rows(_rows_of(data), names)
    return documents


def clean_batch(cleaner: Cleaner, data: Any, text: str, source: str, missing: str, threads: int | None) -> Any:
    """The same data with cleaned texts."""
    for name, value in (("text", text), ("source", source)):
        if not isinstance(value, str):
            raise DataTypeError(f"{name}: {type(value).__name__} is no name of a column; give a str")
    names, threads = (text, source), number_of("threads", threads, "all cores")

    def cleaned(texts: Iterable[Any], sources: Iterable[Any]) -> list[Any]:
        return cleaner._clean_list(_list(texts), _list(sources), names, missing, threads)

    def cleaned_rows(rows: list[Any]) -> list[dict[str, Any]]:
        _check_rows(rows)
        for number, row in enumerate(rows):
            if text not in row or source not in row:
                _check_columns(row, names, f"row {number}: ")
        texts = cleaned([row[text] for row in rows], [row[source] for row in rows])
        return [{**row, text: value} for row, value in zip(rows, texts, strict=True)]

    if isinstance(data, list):
        return cleaned_rows(data)
    if _has_splits(data):
        raise _no_split(data)
    if isinstance(data, Mapping):
        _check_columns(data, names)
        new = dict(data)
        new[text] = cleaned(data[text], data[source])
        return new
    if _is(data, "pandas", "DataFrame"):
        _check_columns(data.columns, names)
        frame = data.copy(deep=False)
        frame[text] = _like(data[text], cleaned(data[text], data[source]))
        return frame
    if _is(data, "polars", "DataFrame"):
        import polars

        _check_columns(data.columns, names)
        stream = cleaner._clean_stream(_only(data, data.columns, names), names, missing, threads)
        return data.with_columns(polars.DataFrame(stream.table()).get_column(text))
    if _is(data, "pyarrow", "Table"):
        import pyarrow

        stream = cleaner._clean_stream(_only(data, data.column_names, names), names, missing, threads)
        new = pyarrow.table(stream.table()).column(text)
        place = data.schema.get_field_index(text)
        return data.set_column(place, data.schema.field(place).with_type(new.type), new)
    if _is(data, "pyarrow", "RecordBatch"):
        import pyarrow

        table = clean_batch(cleaner, pyarrow.Table.from_batches([data]), text, source, missing, threads)
        return table.combine_chunks().to_batches()[0] if data.num_rows else data
    if _is(data, "pyarrow", "RecordBatchReader"):
        import pyarrow

        stream = cleaner._clean_stream(data, names, missing, threads)
        schema = pyarrow.table(stream.empty()).schema
        return pyarrow.RecordBatchReader.from_batches(schema, _batches(stream))
    if _is(data, "datasets", "Dataset"):
        _check_columns(data.column_names, names)
        return data.map(
            lambda texts, sources: {text: cleaned(texts, sources)}, batched=True, input_columns=[text, source]
        )
    if hasattr(data, "__arrow_c_stream__"):
        return cleaner._clean_stream(data, names, missing, threads).table()
    if hasattr(data, "__arrow_c_array__"):
        return cleaner._clean_stream(_table_of_batch(data), names, missing, threads).table()
    return cleaned_rows(list(_rows_of(data)))


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


def _check_rows(rows: Iterable[Any]) -> None:
    for number, row in enumerate(rows):
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
    known = set(columns)
    if names.id == DEFAULT_ID and names.id not in known:
        names = names._replace(id=None)
    if names.html is not None and names.html in known and names.text not in known:
        names = names._replace(text=None)
    _check_columns(columns, names)
    return names


def _add_columns(documents: Documents, data: Mapping[Any, Any], names: Names) -> None:
    names = _present(names, data)
    lists = {name: _list(data[name]) for name in names if name is not None}
    rows = len(lists[names.source])
    for name, values in lists.items():
        if len(values) != rows:
            raise DataError(
                f"column '{name}' has {len(values)} values and column '{names.source}' has {rows}; give as many"
            )

    def values_of(name: str | None) -> list[Any] | None:
        return None if name is None else lists[name]

    documents.add_columns(
        names, lists[names.source], values_of(names.text), values_of(names.html), values_of(names.id)
    )


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
    """A pandas column with the index and type of another one."""
    import pandas

    dtype = object if isinstance(column.dtype, pandas.CategoricalDtype) else column.dtype
    return pandas.Series(texts, index=column.index, dtype=dtype)


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
    return data.select(wanted)


def _table_of_batch(data: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches([pyarrow.record_batch(data)])


def _batches(stream: Any) -> Iterator[Any]:
    import pyarrow

    for table in stream:
        yield from pyarrow.table(table).to_batches()


def _rows_of(data: Any) -> Iterable[Any]:
    remedy = "give dicts, a dict of lists, a pandas or polars frame, an Arrow table or a Hugging Face data set"
    if _is(data, "polars", "LazyFrame"):
        raise DataTypeError("a LazyFrame has no rows yet; call its collect()")
    if isinstance(data, str | bytes | bytearray) or not isinstance(data, Iterable):
        raise DataTypeError(f"{type(data).__name__} is no data; {remedy}")
    return data


def _has_splits(data: Any) -> bool:
    return _is(data, "datasets", "DatasetDict") or _is(data, "datasets", "IterableDatasetDict")


def _no_split(data: Any) -> DataTypeError:
    return DataTypeError(f"{type(data).__name__} has several splits; give one of them: {', '.join(data)}")
