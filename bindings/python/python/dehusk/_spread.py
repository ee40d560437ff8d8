"""Mining and cleaning spread over machines: what Spark and Ray share. Needs pyarrow.

Bytes are counted first. Small sources are put together into packs, so that a million sources are not a million groups.
A source that is larger than a pack is a group of its own. A source that is too large for a task is mined on a sample:
the documents whose hashed name is below a limit, so that every machine finds the same sample alone.

A row that cannot be used does not stop the work: it is counted, and comes out unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from math import ceil
from typing import Literal

import pyarrow
import pyarrow.compute

from dehusk import candidates
from dehusk._dehusk import Cleaner, Patterns, decode_page, is_source
from dehusk._errors import DataError, UsageError

__all__ = ["LARGEST", "NAMED", "PACK", "Counts", "Mined", "Plan", "candidates_of", "cleaned"]

# Bytes of text in a pack of small sources, which one task mines.
PACK = 64 << 20
# Maximum number of bytes of text of a source that a task mines. The task needs some 9 times as much memory.
LARGEST = 256 << 20

# Maximum number of names of sources in a result.
NAMED = 100

@dataclass(frozen=True)
class Counts:
    """Counts of usable and unusable rows.

    Attributes
    ----------
    documents : int
        Number of documents: rows that are mined and cleaned.
    skipped : int
        Number of rows without text or source. They are not mined, and come out unchanged.
    refused : int
        Number of rows whose source has a name that no file can have, such as ``a/b``. They come out unchanged, too.
    refused_sources : dict of int
        The names of these sources, each with the number of its rows: at most the first 100.
    unknown : int
        Number of documents whose source has no patterns. 0 if they were counted without patterns.
    unknown_sources : dict of int
        The names of the sources without patterns, each with the number of its documents: at most the first 100.
    """

    documents: int
    skipped: int
    refused: int = 0
    refused_sources: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    unknown_sources: dict[str, int] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse rows whose source has a name that no file can have."""
        if self.refused:
            raise DataError(
                f"{self.refused} rows have a source whose name no file can have (with the number of rows): "
                f"{_named(self.refused_sources)}; rename the sources (source_of names them by address), or leave out strict"
            )

    def check_patterns(self, patterns: Patterns) -> None:
        """Refuse documents whose source has no patterns. The message names the sources that may be meant."""
        if self.unknown:
            similar = ((name, patterns._similar(name)) for name in self.unknown_sources)
            meant = ", ".join(f"{known!r} instead of {name!r}" for name, known in similar if known is not None)
            raise DataError(
                f"{self.unknown} documents have a source without patterns (with their number): {_named(self.unknown_sources)}"
                f"{f' (did you mean {meant}?)' if meant else ''}; mine them, or give missing='keep' (--missing keep), and only "
                "shared patterns apply"
            )


def _named(sources: dict[str, int]) -> str:
    return ", ".join(f"{name!r} ({rows})" for name, rows in sources.items())


@dataclass(frozen=True)
class Mined:
    """The result of mining many sources.

    Attributes
    ----------
    patterns : Patterns
        The patterns of all sources.
    documents, skipped, refused, refused_sources
        As in `Counts`.
    groups : int
        Number of groups that were mined: packs of small sources, and large sources.
    sampled : dict of float
        The sources that were mined on a sample, each with the share of its documents in the sample.
    """

    patterns: Patterns
    documents: int
    skipped: int
    refused: int
    refused_sources: dict[str, int]
    groups: int
    sampled: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """How sources are mined.

    Attributes
    ----------
    packs : int
        Number of packs of small sources.
    own : dict of float
        The large sources, each a group of its own, with the share of its documents that is mined.
    """

    packs: int
    own: dict[str, float]

    @classmethod
    def of(cls, small: int, large: Iterable[tuple[str, int]], pack: int, largest: int) -> Plan:
        """The plan for `small` bytes of small sources, and for `large` sources with their bytes."""
        if pack < 1 or largest < pack:
            raise UsageError(f"pack is {pack} and largest is {largest}; give 1 <= pack <= largest")
        shares = {source: min(largest / size, 1.0) for source, size in large}
        # A group of sources without any text is a pack, too.
        return cls(max(ceil(small / pack), 1), shares)

    @property
    def groups(self) -> int:
        """Number of groups."""
        return self.packs + len(self.own)

    @property
    def sampled(self) -> dict[str, float]:
        """The sources that are mined on a sample."""
        return {source: share for source, share in self.own.items() if share < 1}


def limit_of(share: float) -> str | None:
    """The hexadecimal limit for hashes: a document below it is in the sample. `None` if all documents are."""
    return f"{int(share * 2**64):016x}" if share < 1 else None


def is_below(name: bytes, limit: str | None) -> bool:
    """Whether a document of this name is in the sample."""
    return limit is None or sha256(name).hexdigest() < limit


def candidates_of(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Mine the sources of a group. The columns are ``text``, ``source`` and perhaps ``html``, for rows without text."""
    usable = (batch for batch in map(_usable, batches) if batch.num_rows)
    first = next(usable, None)
    if first is None:
        return
    html = "html" if "html" in first.schema.names else None
    reader = pyarrow.RecordBatchReader.from_batches(first.schema, chain([first], usable))
    # The names of documents do not influence patterns, so `id` is None. Each task has one core.
    for source, found in candidates(reader, id=None, html=html, threads=1).items():
        yield pyarrow.record_batch({"source": [source], "candidates": pyarrow.array([found], pyarrow.binary())})


def cleaned(
    cleaner: Cleaner,
    texts: pyarrow.Array,
    sources: pyarrow.Array,
    pages: pyarrow.Array | None = None,
    missing: Literal["error", "keep"] = "error",
) -> pyarrow.Array:
    """The cleaned texts. A row without text gets that of its page. Texts that cannot be cleaned are unchanged."""
    sources = _known(as_names(sources))
    if missing == "error":
        for name in sources.filter(texts.is_valid()).unique().drop_null().to_pylist():
            cleaner.spans("", name)
    pairs = pyarrow.record_batch([texts, sources], ["text", "source"])
    new = cleaner.clean_batch(pairs, missing="keep", threads=1).column(0)
    if pages is None:
        return new
    found = (
        None if page is None or name is None else cleaner.clean_page(page, name, missing=missing)
        for page, name in zip(_pages(pages, texts), sources.to_pylist(), strict=True)
    )
    return pyarrow.compute.coalesce(new, pyarrow.array(found, new.type))


def as_names(sources: pyarrow.Array | pyarrow.ChunkedArray) -> pyarrow.Array | pyarrow.ChunkedArray:
    """The names of sources. Numbers are names, too: engines read names of partitions as numbers."""
    return sources.cast(pyarrow.string()) if pyarrow.types.is_integer(sources.type) else sources


def _usable(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The rows that can be mined, with pages as strings."""
    batch = batch.select([name for name in ("text", "source", "html") if name in batch.schema.names])
    usable = _known(batch.column("source")).is_valid()
    if "html" in batch.schema.names:
        pages = pyarrow.array(_pages(batch.column("html"), batch.column("text")), pyarrow.large_string())
        batch = batch.set_column(2, "html", pages)
        usable = pyarrow.compute.and_(usable, pyarrow.compute.or_(batch.column("text").is_valid(), pages.is_valid()))
    return batch.filter(usable)


def _known(sources: pyarrow.Array) -> pyarrow.Array:
    """The sources, with null in place of names that no file can have."""
    refused = [name for name in sources.unique().to_pylist() if name is not None and not is_source(name)]
    if not refused:
        return sources
    is_refused = pyarrow.compute.is_in(sources, pyarrow.array(refused, sources.type))
    return pyarrow.compute.if_else(is_refused, pyarrow.scalar(None, sources.type), sources)


def _pages(pages: pyarrow.Array, texts: pyarrow.Array) -> Iterator[str | None]:
    """The pages of rows without text, decoded as in the program. `None` for rows with text, and if bytes are no text."""
    for page, has_text in zip(pages, texts.is_valid(), strict=True):
        value = None if has_text.as_py() else page.as_py()
        if isinstance(value, bytes):
            try:
                value = decode_page(value)
            except DataError:
                value = None
        yield value
