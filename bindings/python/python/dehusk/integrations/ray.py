"""Ray Data: mining and cleaning of data sets. Needs ray with its part ``data``."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from zlib import crc32

import pyarrow
import pyarrow.compute
import ray.data

from dehusk import compare
from dehusk._dehusk import Cleaner, Patterns
from dehusk._errors import DataError
from dehusk._spread import LARGEST, PACK, Mined, Plan, candidates_of, cleaned, is_below, limit_of
from dehusk.integrations._opened import Opened

__all__ = ["Mined", "clean", "mine"]


def mine(
    data: ray.data.Dataset,
    text: str = "text",
    source: str = "source",
    id: str | None = "id",
    *,
    reviewed: Patterns | None = None,
    pack: int = PACK,
    largest: int = LARGEST,
) -> Mined:
    """Learn the templates of each source. See `dehusk.spark.mine`: parameters and result are the same.

    Candidates come to the calling process, which compares them.
    """

    def sizes(table: pyarrow.Table) -> pyarrow.Table:
        given = _documents(table, text, source, None)
        size = pyarrow.compute.binary_length(given["text"].cast(pyarrow.large_binary()))
        counted = given.append_column("size", size.cast(pyarrow.int64())).group_by("source")
        return counted.aggregate([("size", "sum"), ("size", "count")])

    bytes_of: Counter[str] = Counter()
    documents = 0
    for row in data.map_batches(sizes, batch_format="pyarrow").iter_rows():
        bytes_of[row["source"]] += row["size_sum"]
        documents += row["size_count"]
    if documents == 0:
        raise DataError("there is no document: no row has a text and a source")
    large = {name: size for name, size in bytes_of.items() if size > pack}
    plan = Plan.of(bytes_of.total() - sum(large.values()), large.items(), pack, largest)
    limits = {name: limit_of(share) for name, share in plan.own.items()}

    def grouped(table: pyarrow.Table) -> pyarrow.Table:
        given = _documents(table, text, source, id)
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
    return Mined(patterns, documents, data.count() - documents, plan.groups, plan.sampled)


def clean(
    data: ray.data.Dataset,
    patterns: Cleaner | Patterns | str | PathLike[str],
    text: str = "text",
    source: str = "source",
) -> ray.data.Dataset:
    """Clean documents. Rows without text or source stay as they are, and so do all other columns.

    Parameters
    ----------
    data : Dataset
        The documents.
    patterns : Cleaner, Patterns or path
        The patterns, or what cleans. A path is read by each worker.
    text, source : str
        The names of the columns.

    Returns
    -------
    Dataset
    """
    return data.map_batches(
        _Cleaning,
        fn_constructor_args=(Opened(patterns), text, source),
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=1),
    )


class _Cleaning:
    """An actor that cleans. It reads the patterns once."""

    def __init__(self, opened: Opened, text: str, source: str) -> None:
        self._opened, self._text, self._source = opened, text, source

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        return cleaned(self._opened.cleaner, table, self._text, self._source)


def _documents(table: pyarrow.Table, text: str, source: str, id: str | None) -> pyarrow.Table:
    """The rows with text and source, and the names that samples are taken by."""
    for name in (text, source, *([] if id in (None, "id") else [id])):
        if name not in table.column_names:
            raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, table.column_names))}")
    name = table[text]
    if id is not None and id in table.column_names:
        name = pyarrow.compute.coalesce(table[id].cast(pyarrow.large_string()), name.cast(pyarrow.large_string()))
    given = pyarrow.table({"text": table[text], "source": table[source], "name": name})
    return given.filter(pyarrow.compute.and_(given["text"].is_valid(), given["source"].is_valid()))
