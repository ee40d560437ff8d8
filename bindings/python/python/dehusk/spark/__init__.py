"""dehusk on Spark: mining and cleaning of data frames. Needs pyspark 4.1 or later, and pyarrow.

``python -m dehusk.spark`` is a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal

import pyarrow
from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StringType

from dehusk import compare
from dehusk._dehusk import Cleaner, Patterns, is_source
from dehusk._errors import DataError, UsageError
from dehusk._kept import PatternFolder, load
from dehusk._spread import LARGEST, NAMED, PACK, Counts, Mined, Plan, candidates_of, cleaned, limit_of

__all__ = ["Counts", "Mined", "PatternFolder", "clean", "count", "mine"]

# Maximum number of tasks: each costs some memory of the driver. A task can mine several groups, one after another.
MOST_TASKS = 10_000
# Number of pattern files in a batch.
FILES = 256


def mine(
    frame: DataFrame,
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
    """Learn the templates of each source.

    The patterns are the same as from `dehusk.mine`, except for sources that are mined on a sample.

    Parameters
    ----------
    frame : DataFrame
        The documents. It is read twice: to count bytes, and to mine.
    text, source : str
        The names of the columns with texts, and with the names of their sources.
    id : str or None
        The name of the column with the names of documents. These names decide which documents are in a sample; without
        the column, the texts do.
    html : str or None
        The name of a column with HTML pages, as strings or bytes. A page is read if its row has no text. The column of
        texts may then be missing.
    reviewed : Patterns, path or None
        Patterns that people decided on, or their folder. The decisions are kept.
    pack : int
        Bytes of text of small sources that are mined as a group.
    largest : int
        A source with more bytes of text is mined on a sample of about this size. All bytes of a page count.
    strict : bool
        Whether a source with a name that no file can have stops the work. If not, its rows are left out, and counted.

    Returns
    -------
    Mined
    """
    frame = _documents(frame, text, source, id, html)
    plan, counts = _plan(frame, pack, largest)
    if strict:
        counts.check()
    if counts.documents == 0:
        raise DataError("there is no document: no row has a text and a source")
    known = _loaded(reviewed)
    mined = _grouped(frame, plan).applyInArrow(_mined, "source string, candidates binary")

    def compared(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        found = (value.as_py() for batch in batches for value in batch.column("candidates"))
        files = compare(found, reviewed=known)._packed()
        for start in range(0, len(files), FILES):
            names, packed = zip(*files[start : start + FILES], strict=True)
            yield pyarrow.record_batch({"source": names, "packed": packed})

    files = mined.repartition(1).mapInArrow(compared, "source string, packed binary").collect()
    patterns = Patterns._of_packed([(file.source, bytes(file.packed)) for file in files])
    found = (counts.documents, counts.skipped, counts.refused, counts.refused_sources)
    return Mined(patterns, *found, plan.groups, plan.sampled)


def count(
    frame: DataFrame,
    text: str = "text",
    source: str = "source",
    *,
    html: str | None = None,
    patterns: Patterns | str | PathLike[str] | None = None,
) -> Counts:
    """Count the rows that can be mined and cleaned, and the rows that cannot. Reads the frame once.

    Parameters
    ----------
    frame, text, source, html
        As for `mine`, whose result has the same figures.
    patterns : Patterns, path or None
        If given, documents whose source has no patterns are counted, too.

    Returns
    -------
    Counts
    """
    return _plan(_documents(frame, text, source, None, html), PACK, LARGEST, _loaded(patterns))[1]


def clean(
    frame: DataFrame,
    patterns: Patterns | str | PathLike[str],
    text: str = "text",
    source: str = "source",
    *,
    html: str | None = None,
    missing: Literal["error", "keep"] = "error",
    strict: bool = False,
    learned: bool = True,
    only: Literal["accepted"] | None = None,
    max_removed: float | None = None,
) -> DataFrame:
    """Clean documents where they are, without a shuffle. Only texts, pages and names of sources are sent through Python.

    Parameters
    ----------
    frame : DataFrame
        The documents. Rows that cannot be cleaned are unchanged (`count` counts them), and so are all other columns.
    patterns : Patterns or path
        The patterns, or their folder on the driver. They are sent to each executor once.
    text, source : str
        The names of the columns, as for `mine`.
    html : str or None
        The name of a column with HTML pages, as for `mine`. A row without text gets the cleaned text of its page.
    missing : "error" or "keep"
        What happens to a document whose source has no patterns: it fails the task that meets it, or only shared patterns (and the
        structure of pages) apply.
    strict : bool
        Whether to stop before any work if a source has a name that no file can have, or if ``missing`` is ``"error"``
        and a source has no patterns. The frame is read once more for that.
    learned, only, max_removed
        As for `dehusk.Cleaner`.

    Returns
    -------
    DataFrame
        The same columns, and a column of texts if there was none.
    """
    if missing not in ("error", "keep"):
        raise UsageError(f"missing is {missing!r}; give 'error' or 'keep'")
    _check_columns(frame, text if html is None else html, source)
    known = _loaded(patterns)
    if strict:
        counts = count(frame, text, source, html=html, patterns=known)
        counts.check()
        if missing == "error":
            counts.check_patterns(known)
    shared = frame.sparkSession.sparkContext.broadcast(known)

    def clean_batches(batches: Iterator[tuple[pyarrow.Array, ...]]) -> Iterator[pyarrow.Array]:
        # The cleaner keeps the compiled patterns of each source, and lives as long as this task.
        cleaner = Cleaner(shared.value, learned=learned, only=only, max_removed=max_removed)
        for texts, sources, *pages in batches:
            yield cleaned(cleaner, texts, sources, pages[0] if pages else None, missing)

    is_there = text in frame.columns
    texts = _named(text) if is_there else F.lit(None).cast("string")
    pages = [] if html is None else [F.when(texts.isNull(), _named(html))]
    new = arrow_udf(clean_batches, StringType())(texts, _named(source).cast("string"), *pages)
    if not is_there:
        return frame.select("*", new.alias(text))
    return frame.withColumn(text, new.alias(text, metadata=frame.schema[text].metadata))


def _loaded(patterns: Patterns | str | PathLike[str] | None) -> Any:
    return patterns if patterns is None or isinstance(patterns, Patterns) else load(patterns)


def _mined(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    return candidates_of(batches)


def _check_columns(frame: DataFrame, *names: str) -> None:
    for name in names:
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, frame.columns))}")


def _named(name: str) -> Column:
    return F.col("`{}`".format(name.replace("`", "``")))


def _documents(frame: DataFrame, text: str, source: str, id: str | None, html: str | None) -> DataFrame:
    """The columns that mining needs. The source is null for documents without text and page."""
    _check_columns(frame, text if html is None else html, source)
    if id is not None and id != "id":
        _check_columns(frame, id)
    texts = _named(text) if text in frame.columns else F.lit(None).cast("string")
    pages = F.lit(None).cast("binary") if html is None else F.when(texts.isNull(), _named(html))
    content = F.coalesce(texts.cast("binary"), pages.cast("binary"))
    has_names = id is not None and id in frame.columns
    name = F.coalesce(_named(id).cast("string").cast("binary"), content) if id is not None and has_names else content
    return frame.select(
        texts.alias("text"),
        *([] if html is None else [pages.alias("html")]),
        # Sources that are names of partitions can be numbers.
        F.when(content.isNotNull(), _named(source).cast("string")).alias("source"),
        F.octet_length(content).cast("long").alias("size"),
        F.sha2(name, 256).alias("hash"),
    )


def _plan(frame: DataFrame, pack: int, largest: int, patterns: Patterns | None = None) -> tuple[Plan, Counts]:
    shared = None if patterns is None else frame.sparkSession.sparkContext.broadcast(patterns)

    def judged(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            names = batch.column("source").to_pylist()
            usable = [name is not None and is_source(name) for name in names]
            known = [name is None or shared is None or name in shared.value for name in names]
            yield batch.append_column("is_source", pyarrow.array(usable, pyarrow.bool_())).append_column(
                "is_known", pyarrow.array(known, pyarrow.bool_())
            )

    sizes = frame.groupBy("source").agg(F.sum("size").alias("size"), F.count("*").alias("documents"))
    sizes = sizes.mapInArrow(judged, "source string, size long, documents long, is_source boolean, is_known boolean")
    is_large = F.col("size") > pack
    is_refused = F.col("source").isNotNull() & ~F.col("is_source")
    is_unknown = F.col("is_source") & ~F.col("is_known")

    def first(which: Column) -> Column:
        return F.slice(F.sort_array(F.collect_list(F.when(which, F.struct("source", "documents")))), 1, NAMED)

    # All figures are in one row, so that the documents are read only once.
    [counted] = sizes.agg(
        F.sum(F.when(F.col("is_source") & ~is_large, F.col("size"))).alias("small"),
        F.sum(F.when(F.col("is_source"), F.col("documents"))).alias("documents"),
        F.sum(F.when(F.col("source").isNull(), F.col("documents"))).alias("skipped"),
        F.sum(F.when(is_refused, F.col("documents"))).alias("refused"),
        F.sum(F.when(is_unknown, F.col("documents"))).alias("unknown"),
        first(is_refused).alias("refused_sources"),
        first(is_unknown).alias("unknown_sources"),
        F.collect_list(F.when(F.col("is_source") & is_large, F.struct("source", "size"))).alias("large"),
    ).collect()
    plan = Plan.of(counted.small or 0, ((row.source, row.size) for row in counted.large), pack, largest)
    refused, unknown = (
        {row.source: row.documents for row in rows} for rows in (counted.refused_sources, counted.unknown_sources)
    )
    figures = (counted.documents or 0, counted.skipped or 0, counted.refused or 0, refused, counted.unknown or 0, unknown)
    return plan, Counts(*figures)


def _grouped(frame: DataFrame, plan: Plan) -> GroupedData:
    """The documents that are mined, by group."""
    rows = [(source, limit_of(share)) for source, share in plan.own.items()]
    own = frame.sparkSession.createDataFrame(rows, "source string, limit string").withColumn("own", F.col("source"))
    frame = frame.where(F.col("source").isNotNull()).join(F.broadcast(own), "source", "left")
    frame = frame.where(F.col("limit").isNull() | (F.col("hash") < F.col("limit")))
    pack = F.when(F.col("own").isNull(), F.pmod(F.xxhash64("source"), F.lit(plan.packs)))
    frame = frame.drop("size", "hash", "limit").withColumn("pack", pack)
    return frame.repartition(min(plan.groups, MOST_TASKS), "own", "pack").groupBy("own", "pack")
