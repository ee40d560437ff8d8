"""dehusk on Spark: mining and cleaning of data frames. Needs pyspark 4.1 or later, and pyarrow.

``python -m dehusk.spark`` is a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Literal

import pyarrow
from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as F

from dehusk import compare
from dehusk._dehusk import Cleaner, Patterns
from dehusk._errors import DataError
from dehusk._spread import LARGEST, PACK, Mined, Plan, candidates_of, cleaned, limit_of

__all__ = ["Mined", "clean", "mine"]

# Tasks cost Spark some memory of the driver each. A task can mine several groups, one after another.
MOST_TASKS = 10_000
# Pattern files in a batch.
FILES = 256


def mine(
    frame: DataFrame,
    text: str = "text",
    source: str = "source",
    id: str | None = "id",
    *,
    reviewed: Patterns | None = None,
    pack: int = PACK,
    largest: int = LARGEST,
) -> Mined:
    """Learn the templates of each source.

    The patterns are those of `dehusk.mine` for the same documents, except those of sources that are mined on a sample.

    Parameters
    ----------
    frame : DataFrame
        The documents. It is read twice: to count bytes, and to mine.
    text, source : str
        The names of the columns with texts, and with the names of their sources.
    id : str or None
        The name of the column with the names of documents. They decide which documents are in a sample; without them the texts
        do.
    reviewed : Patterns or None
        Patterns that people decided on. Their decisions stay.
    pack : int
        Bytes of text of small sources that are mined as a group.
    largest : int
        A source with more bytes of text is mined on a sample of about as many bytes.

    Returns
    -------
    Mined
    """
    frame = _documents(frame, text, source, id)
    plan, documents, skipped = _plan(frame, pack, largest)
    if documents == 0:
        raise DataError("there is no document: no row has a text and a source")
    mined = _grouped(frame, plan).applyInArrow(_mined, "source string, candidates binary")

    def compared(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        found = (value.as_py() for batch in batches for value in batch.column("candidates"))
        files = [(name, of.to_yaml()) for name, of in compare(found, reviewed=reviewed).items()]
        for start in range(0, len(files), FILES):
            names, texts = zip(*files[start : start + FILES], strict=True)
            yield pyarrow.record_batch({"source": names, "yaml": texts})

    files = mined.repartition(1).mapInArrow(compared, "source string, yaml string").collect()
    patterns = Patterns.from_yaml([file.yaml for file in files])
    return Mined(patterns, documents, skipped, plan.groups, plan.sampled)


def clean(
    frame: DataFrame,
    patterns: Patterns | str | PathLike[str],
    text: str = "text",
    source: str = "source",
    *,
    shape: bool = True,
    only: Literal["accepted"] | None = None,
    max_removed: float | None = None,
) -> DataFrame:
    """Clean documents where they are, without a shuffle.

    Parameters
    ----------
    frame : DataFrame
        The documents. Rows without text or source stay as they are, and so do all other columns.
    patterns : Patterns or path
        The patterns, or their folder on the driver. They are sent to each executor once.
    text, source : str
        The names of the columns, as for `mine`.
    shape, only, max_removed
        As for `dehusk.Cleaner`.

    Returns
    -------
    DataFrame
        The same columns.
    """
    _check_columns(frame, text, source)
    known = patterns if isinstance(patterns, Patterns) else Patterns.load(patterns)
    shared = frame.sparkSession.sparkContext.broadcast(known)

    def clean_batches(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        # What is compiled for a source is kept as long as the cleaner: for this task.
        cleaner = Cleaner(shared.value, shape=shape, only=only, max_removed=max_removed)
        return (cleaned(cleaner, batch, text, source) for batch in batches)

    return frame.mapInArrow(clean_batches, frame.schema)


def _mined(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    return candidates_of(batches)


def _check_columns(frame: DataFrame, *names: str) -> None:
    for name in names:
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, frame.columns))}")


def _named(name: str) -> Column:
    return F.col("`{}`".format(name.replace("`", "``")))


def _documents(frame: DataFrame, text: str, source: str, id: str | None) -> DataFrame:
    """What mining needs of the documents. The source of those that cannot be mined is null."""
    _check_columns(frame, text, source)
    if id is not None and id != "id":
        _check_columns(frame, id)
    has_names = id is not None and id in frame.columns
    name = F.coalesce(_named(id).cast("string"), _named(text)) if id is not None and has_names else _named(text)
    is_usable = _named(text).isNotNull() & _named(source).isNotNull()
    return frame.select(
        _named(text).alias("text"),
        F.when(is_usable, _named(source)).alias("source"),
        F.octet_length(_named(text)).cast("long").alias("size"),
        F.sha2(name, 256).alias("hash"),
    )


def _plan(frame: DataFrame, pack: int, largest: int) -> tuple[Plan, int, int]:
    """The plan, the number of documents, and that of the rows that cannot be mined."""
    sizes = frame.groupBy("source").agg(F.sum("size").alias("size"), F.count("*").alias("documents"))
    is_document, is_large = F.col("source").isNotNull(), F.col("size") > pack
    # One row, so the documents are read once.
    [counted] = sizes.agg(
        F.sum(F.when(is_document & ~is_large, F.col("size"))).alias("small"),
        F.sum(F.when(is_document, F.col("documents"))).alias("documents"),
        F.sum(F.when(~is_document, F.col("documents"))).alias("skipped"),
        F.collect_list(F.when(is_document & is_large, F.struct("source", "size"))).alias("large"),
    ).collect()
    plan = Plan.of(counted.small or 0, ((row.source, row.size) for row in counted.large), pack, largest)
    return plan, counted.documents or 0, counted.skipped or 0


def _grouped(frame: DataFrame, plan: Plan) -> GroupedData:
    """The documents that are mined, by group."""
    rows = [(source, limit_of(share)) for source, share in plan.own.items()]
    own = frame.sparkSession.createDataFrame(rows, "source string, limit string").withColumn("own", F.col("source"))
    frame = frame.where(F.col("source").isNotNull()).join(F.broadcast(own), "source", "left")
    frame = frame.where(F.col("limit").isNull() | (F.col("hash") < F.col("limit")))
    pack = F.when(F.col("own").isNull(), F.pmod(F.xxhash64("source"), F.lit(plan.packs)))
    frame = frame.select("text", "source", "own", pack.alias("pack"))
    return frame.repartition(min(plan.groups, MOST_TASKS), "own", "pack").groupBy("own", "pack")
