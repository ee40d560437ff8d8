"""Mining and cleaning spread over machines: what Spark and Ray share. Needs pyarrow.

Bytes are counted first. Small sources are put together into packs, so that a million of them are not a million groups. A source
that is larger than a pack is a group of its own. One that is too large for a task is mined on a sample: documents whose hashed
name is below a limit, which every machine finds alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from math import ceil
from typing import TypeVar

import pyarrow
import pyarrow.compute

from dehusk import candidates
from dehusk._dehusk import Cleaner, Patterns
from dehusk._errors import DataError, UsageError

__all__ = ["LARGEST", "PACK", "Mined", "Plan", "candidates_of", "cleaned"]

# Bytes of text of small sources that are mined one after another.
PACK = 64 << 20
# Bytes of text of a source that a task mines. It needs some 9 times as much memory.
LARGEST = 256 << 20

_Rows = TypeVar("_Rows", pyarrow.RecordBatch, pyarrow.Table)


@dataclass(frozen=True)
class Mined:
    """What mining many sources gave.

    Attributes
    ----------
    patterns : Patterns
        The patterns of all sources.
    documents : int
        Number of documents.
    skipped : int
        Number of rows without text or source. They were not mined.
    groups : int
        Number of groups that were mined: packs of small sources, and large sources.
    sampled : dict of float
        The sources that were mined on a sample, and which share of their documents it is.
    """

    patterns: Patterns
    documents: int
    skipped: int
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
        The sources that are mined apart, and the share of their documents that is.
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
    """A document is in the sample if its hash, in hexadecimal digits, comes before this. `None` if all are."""
    return f"{int(share * 2**64):016x}" if share < 1 else None


def is_below(name: str, limit: str | None) -> bool:
    """Whether a document of this name is in the sample."""
    return limit is None or sha256(name.encode()).hexdigest() < limit


def candidates_of(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Mine the sources of a group, with the columns ``text`` and ``source``."""
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        return
    selected = (batch.select(["text", "source"]) for batch in chain([first], batches))
    reader = pyarrow.RecordBatchReader.from_batches(first.select(["text", "source"]).schema, selected)
    # Names of documents change no pattern. Each task has one core.
    for source, found in candidates(reader, id=None, threads=1).items():
        yield pyarrow.record_batch({"source": [source], "candidates": pyarrow.array([found], pyarrow.binary())})


def cleaned(cleaner: Cleaner, rows: _Rows, text: str, source: str) -> _Rows:
    """The same rows with cleaned texts. Rows without text or source stay as they are."""
    for name in (text, source):
        if name not in rows.schema.names:
            raise DataError(f"there is no column '{name}'; the columns are: {', '.join(map(repr, rows.schema.names))}")
    index = rows.schema.get_field_index(text)
    texts, sources = rows.column(index), rows.column(source)
    if isinstance(rows, pyarrow.Table):
        texts, sources = texts.combine_chunks(), sources.combine_chunks()
    usable = pyarrow.compute.and_(texts.is_valid(), sources.is_valid())
    pairs = pyarrow.record_batch([texts, sources], [text, source]).filter(usable)
    new = cleaner.clean_batch(pairs, text, source, threads=1).column(0)
    return rows.set_column(index, rows.schema.field(index), pyarrow.compute.replace_with_mask(texts, usable, new))
