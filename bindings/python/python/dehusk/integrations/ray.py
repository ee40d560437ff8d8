"""Ray Data: mining and cleaning of data sets. Needs ray with its part ``data``."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from zlib import crc32

import pyarrow
import pyarrow.compute
import ray.data

from dehusk import compare
from dehusk._dehusk import Cleaner, Patterns, is_source
from dehusk._errors import DataError, UsageError
from dehusk._spread import (
    LARGEST,
    NAMED,
    PACK,
    Counts,
    Mined,
    Plan,
    as_names,
    candidates_of,
    cleaned,
    is_below,
    limit_of,
)
from dehusk.integrations._opened import Missing, Opened

__all__ = ["Counts", "Mined", "clean", "count", "mine"]


def mine(
    data: ray.data.Dataset,
    text: str = "text",
    source: str = "source",
    id: str | None = "id",
    *,
    html: str | None = None,
    reviewed: Patterns | str | PathLike[str] | None = None,
    pack: int = PACK,
    largest: int = LARGEST,
    strict: bool = False,
) -> Mined:
    """Learn the templates of each source. See `dehusk.spark.mine`: parameters and result are the same.

    The candidates of all groups are sent to the calling process, which compares them.
    """

    bytes_of, counts = _counted(data, text, source, html)
    if strict:
        counts.check()
    if counts.documents == 0:
        raise DataError("there is no document: no row has a text and a source")
    large = {name: size for name, size in bytes_of.items() if size > pack}
    plan = Plan.of(bytes_of.total() - sum(large.values()), large.items(), pack, largest)
    limits = {name: limit_of(share) for name, share in plan.own.items()}

    def grouped(table: pyarrow.Table) -> pyarrow.Table:
        given = _documents(table, text, source, id, html)
        sources, names = given["source"].to_pylist(), given["name"].to_pylist()
        kept = [is_below(name, limits.get(source)) for source, name in zip(sources, names, strict=True)]
        # No source has a name that begins with an underscore.
        groups = [name if name in plan.own else f"_{crc32(name.encode()) % plan.packs}" for name in sources]
        given = given.append_column("group", pyarrow.array(groups, pyarrow.string()))
        return given.drop_columns(["name"]).filter(pyarrow.array(kept, pyarrow.bool_()))

    def mined(table: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.Table.from_batches(candidates_of(table.to_batches()))

    found = data.map_batches(grouped, batch_format="pyarrow").groupby("group").map_groups(mined, batch_format="pyarrow")
    patterns = compare((row["candidates"] for row in found.iter_rows()), reviewed=reviewed)
    figures = (counts.documents, counts.skipped, counts.refused, counts.refused_sources)
    return Mined(patterns, *figures, plan.groups, plan.sampled)


def count(
    data: ray.data.Dataset,
    text: str = "text",
    source: str = "source",
    *,
    html: str | None = None,
    patterns: Patterns | str | PathLike[str] | None = None,
) -> Counts:
    """Count the rows that can be mined and cleaned, and the rows that cannot. See `dehusk.spark.count`."""
    known = patterns if patterns is None or isinstance(patterns, Patterns) else Patterns.load(patterns)
    return _counted(data, text, source, html, known)[1]


def clean(
    data: ray.data.Dataset,
    patterns: Cleaner | Patterns | str | PathLike[str],
    text: str = "text",
    source: str = "source",
    *,
    html: str | None = None,
    missing: Missing = "error",
    strict: bool = False,
) -> ray.data.Dataset:
    """Clean documents. Rows that cannot be cleaned are unchanged (`count` counts them), and so are all other columns.

    Parameters
    ----------
    data : Dataset
        The documents.
    patterns : Cleaner, Patterns or path
        The patterns, or a cleaner. A path is read by each worker.
    text, source : str
        The names of the columns.
    html, missing, strict
        As for `dehusk.spark.clean`.

    Returns
    -------
    Dataset
    """
    if missing not in ("error", "keep"):
        raise UsageError(f"missing is {missing!r}; give 'error' or 'keep'")
    opened = Opened(patterns)
    if strict:
        known = opened.cleaner.patterns
        counts = count(data, text, source, html=html, patterns=known)
        counts.check()
        if missing == "error":
            counts.check_patterns(known)
    return data.map_batches(
        _Cleaning,
        fn_constructor_args=(opened, text, source, html, missing),
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=1),
    )


class _Cleaning:
    """An actor that cleans. It reads the patterns once."""

    def __init__(self, opened: Opened, text: str, source: str, html: str | None, missing: Missing) -> None:
        self._opened, self._columns, self._missing = opened, (text, source, html), missing

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        text, source, html = self._columns
        _check_columns(table, text if html is None else html, source)
        texts = _texts(table, text).combine_chunks()
        pages = None if html is None else table[html].combine_chunks()
        new = cleaned(self._opened.cleaner, texts, table[source].combine_chunks(), pages, self._missing)
        if text not in table.column_names:
            return table.append_column(text, new)
        index = table.schema.get_field_index(text)
        return table.set_column(index, table.schema.field(index).with_type(new.type), new)


def _counted(
    data: ray.data.Dataset, text: str, source: str, html: str | None, patterns: Patterns | None = None
) -> tuple[Counter[str], Counts]:
    """The bytes of each source, and the counts of all rows."""

    def sizes(table: pyarrow.Table) -> pyarrow.Table:
        given = _documents(table, text, source, None, html)
        size = pyarrow.compute.binary_length(_content(given))
        counted = given.append_column("size", size.cast(pyarrow.int64())).group_by("source")
        return counted.aggregate([("size", "sum"), ("size", "count")])

    bytes_of, rows_of = Counter[str](), Counter[str]()
    for row in data.map_batches(sizes, batch_format="pyarrow").iter_rows():
        bytes_of[row["source"]] += row["size_sum"]
        rows_of[row["source"]] += row["size_count"]
    refused = {name: rows_of[name] for name in sorted(rows_of) if not is_source(name)}
    for name in refused:
        del bytes_of[name]
    unknown = {} if patterns is None else {name: rows_of[name] for name in sorted(bytes_of) if name not in patterns}
    documents, rows = rows_of.total() - sum(refused.values()), sum(refused.values())
    skipped = data.count() - documents - rows
    return bytes_of, Counts(documents, skipped, rows, _first(refused), sum(unknown.values()), _first(unknown))


def _first(sources: dict[str, int]) -> dict[str, int]:
    return dict(list(sources.items())[:NAMED])


def _check_columns(table: pyarrow.Table, *names: str) -> None:
    for name in names:
        if name not in table.column_names:
            raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, table.column_names))}")


def _texts(table: pyarrow.Table, text: str) -> pyarrow.ChunkedArray:
    if text in table.column_names:
        return table[text]
    return pyarrow.chunked_array([pyarrow.nulls(len(table), pyarrow.string())])


def _documents(table: pyarrow.Table, text: str, source: str, id: str | None, html: str | None) -> pyarrow.Table:
    """The rows that have a source, and a text or page. With the column ``name``, whose hashes decide about samples."""
    _check_columns(table, text if html is None else html, source, *([] if id is None or id == "id" else [id]))
    given = pyarrow.table({"text": _texts(table, text), "source": as_names(table[source])})
    if html is not None:
        given = given.append_column("html", table[html])
    content = _content(given)
    name = content
    if id is not None and id in table.column_names:
        name = pyarrow.compute.coalesce(table[id].cast(pyarrow.large_string()).cast(pyarrow.large_binary()), content)
    usable = pyarrow.compute.and_(content.is_valid(), given["source"].is_valid())
    return given.append_column("name", name).filter(usable)


def _content(given: pyarrow.Table) -> pyarrow.ChunkedArray:
    """The content that is read: the text, or else the page."""
    texts = given["text"].cast(pyarrow.large_binary())
    has_pages = "html" in given.column_names
    return pyarrow.compute.coalesce(texts, given["html"].cast(pyarrow.large_binary())) if has_pages else texts
