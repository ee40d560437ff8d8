"""datatrove: pipeline steps that mine and clean.

One task mines with `Mine`. Many tasks mine in three pipelines, like datatrove's own deduplication: `Partition` brings
the documents of each source together, `MinePartitions` mines each source alone, and `Compare` compares all sources, in
one task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any
from zlib import crc32

from datatrove.data import Document
from datatrove.io import DataFolderLike, get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.typeshelper import StatHints

from dehusk import _dehusk, candidates, compare
from dehusk._data import Names, naming_of
from dehusk._dehusk import Documents, Patterns
from dehusk._errors import DataError, UsageError
from dehusk._kept import PatternFolder
from dehusk.integrations._opened import Missing, Opened, PatternsLike

__all__ = ["Clean", "Compare", "Mine", "MinePartitions", "Partition"]

SourceOf = str | Callable[[Document], str]


class _OfSources(PipelineStep):  # type: ignore[misc]  # datatrove has no types
    def __init__(self, source: SourceOf) -> None:
        super().__init__()
        self._source = source

    def _source_of(self, document: Document) -> str:
        if callable(self._source):
            return self._source(document)
        found = document.metadata.get(self._source)
        if not isinstance(found, str):
            raise DataError(
                f"document '{document.id}' has no metadata '{self._source}'; name the key with the source, or give a function"
            )
        return found

    def _row(self, document: Document) -> dict[str, str]:
        return {"id": document.id, "source": self._source_of(document), "text": document.text}


class Clean(_OfSources):
    """Cleans documents.

    Parameters
    ----------
    patterns : Cleaner, Patterns or path
        The patterns, or a cleaner. A path is read in each task.
    source : str or callable
        The key of the metadata with the name of the source, or a function that finds it in a document.
    missing : "error" or "keep"
        What happens to a document whose source has no patterns: it is an error, or only shared patterns apply.
    """

    type = "✂️ - FORMAT"
    name = "🌾 dehusk"

    def __init__(
        self, patterns: PatternsLike, source: SourceOf = "source", *, missing: Missing = "error"
    ) -> None:
        super().__init__(source)
        self._opened, self._missing = Opened(patterns), missing

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Clean each document."""
        for document in data or ():
            self.stat_update(StatHints.total)
            with self.track_time():
                before = document.text
                document.text = self._opened.cleaner.clean(before, self._source_of(document), missing=self._missing)
            self.stat_update("chars_in", value=len(before))
            self.stat_update("chars_out", value=len(document.text))
            if document.text != before:
                self.stat_update("emptied" if before.strip() and not document.text.strip() else "changed")
            yield document


class Mine(_OfSources):
    """Mines all documents in one task, and passes them on.

    Parameters
    ----------
    patterns : path
        The folder for the pattern files. The files are written after the last document. Decisions in existing files are
        kept.
    source : str or callable
        As for `Clean`.
    reviewed : Patterns, path or None
        Patterns that people decided on, if the folder has none. The decisions are kept.
    """

    type = "🌾 - MINE"
    name = "dehusk"

    def __init__(
        self, patterns: str | PathLike[str], source: SourceOf = "source", reviewed: Patterns | str | PathLike[str] | None = None
    ) -> None:
        super().__init__(source)
        self._patterns, self._reviewed = patterns, reviewed

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Mine the documents."""
        if world_size != 1:
            raise UsageError(f"there are {world_size} tasks, and each has a part of a source; use Partition first")
        folder = PatternFolder(self._patterns, self._reviewed)
        documents, names = Documents(), Names("text", naming_of("source", None, None), "id", None)
        for document in data or ():
            self.stat_update(StatHints.total)
            documents.add_rows([self._row(document)], names)
            yield document
        with self.track_time("task"):
            patterns = _dehusk.mine(documents, folder.reviewed)
            folder.save(patterns)
        self.stat_update("sources", value=len(patterns), unit="task")


class Partition(_OfSources):
    """Brings the documents of each source together: the first pipeline of mining with many tasks.

    Parameters
    ----------
    folder : path
        The folder for parts, and later for candidates. The folder can be remote.
    parts : int
        Number of parts. Each source is in one part. `MinePartitions` can use as many tasks.
    source : str or callable
        As for `Clean`.
    """

    type = "🌾 - MINE 1"
    name = "dehusk partition"

    def __init__(self, folder: DataFolderLike, parts: int, source: SourceOf = "source") -> None:
        super().__init__(source)
        if parts < 1:
            raise UsageError(f"parts is {parts}; give at least 1")
        self._folder, self._parts = get_datafolder(folder), parts

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write each document to the part of its source, and pass it on."""
        with self._folder.get_output_file_manager(mode="wt") as files:
            for document in data or ():
                self.stat_update(StatHints.total)
                with self.track_time():
                    row = self._row(document)
                    part = crc32(row["source"].encode()) % self._parts
                    files.write(f"parts/{part:05d}/{rank:05d}.jsonl.gz", json.dumps(row) + "\n")
                yield document


class MinePartitions(PipelineStep):  # type: ignore[misc]
    """Mines each source alone: the second pipeline, with as many tasks as there are parts, or fewer.

    Parameters
    ----------
    folder : path
        The folder of `Partition`.
    """

    type = "🌾 - MINE 2"
    name = "dehusk mine"

    def __init__(self, folder: DataFolderLike) -> None:
        super().__init__()
        self._folder = get_datafolder(folder)

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write the candidates of each source."""
        files = self._folder.list_files("parts")
        for part in sorted({path.split("/")[-2] for path in files})[rank::world_size]:
            with self.track_time("part"):
                mined = candidates(self._rows([path for path in files if path.split("/")[-2] == part]), threads=1)
            for source, found in mined.items():
                self.stat_update("sources")
                with self._folder.open(f"candidates/{source}", "wb") as file:
                    file.write(found)
        yield from data or ()

    def _rows(self, paths: list[str]) -> Iterator[dict[str, str]]:
        for path in paths:
            with self._folder.open(path, "rt", compression="gzip") as lines:
                for line in lines:
                    self.stat_update(StatHints.total)
                    yield json.loads(line)


class Compare(PipelineStep):  # type: ignore[misc]
    """Compares all sources, and writes their patterns: the third pipeline, with one task.

    Parameters
    ----------
    folder : path
        The folder of `Partition`.
    patterns : path
        The folder for the pattern files. Decisions in existing files are kept.
    reviewed : Patterns or None
        As for `Mine`.
    """

    type = "🌾 - MINE 3"
    name = "dehusk compare"

    def __init__(
        self, folder: DataFolderLike, patterns: str | PathLike[str], reviewed: Patterns | str | PathLike[str] | None = None
    ) -> None:
        super().__init__()
        self._folder, self._patterns, self._reviewed = get_datafolder(folder), patterns, reviewed

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write the patterns."""
        if world_size != 1:
            raise UsageError(f"there are {world_size} tasks; all sources are compared in 1")
        with self.track_time("task"):
            found = (self._folder.cat_file(path) for path in self._folder.list_files("candidates"))
            folder = PatternFolder(self._patterns, self._reviewed)
            patterns = compare(found, reviewed=folder.reviewed)
            folder.save(patterns)
        self.stat_update("sources", value=len(patterns), unit="task")
        yield from data or ()
