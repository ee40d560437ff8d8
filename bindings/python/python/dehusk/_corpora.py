"""Whole corpora: files in, files out, as the program does it."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, NamedTuple, TypedDict

from dehusk import _dehusk
from dehusk._data import limits_of, number_of, path_of
from dehusk._dehusk import Patterns
from dehusk._errors import DataTypeError, UsageError
from dehusk._progress import Progress, shown

__all__ = ["Figures", "clean_corpus", "mine_corpus", "run_corpus"]

Path = str | PathLike[str]
Html = Literal["text", "page", "markdown", "markup"]


class Figures(TypedDict, total=False):
    """The figures of a run, or of a source. Figures that do not apply are absent."""

    documents: int
    skipped: int
    near_duplicates: int
    patterns: int
    cutoff: float
    bytes_in: int
    bytes_out: int
    emptied: int
    kept_whole: int
    has_changed: bool
    sources: dict[str, Figures]


class Reading(NamedTuple):
    """How files are read."""

    html: str
    source: str | None
    source_by: str
    text_key: str
    html_key: str
    source_key: str
    url_key: str
    id_key: str
    follow_links: bool
    max_document: int | None


class Limits(NamedTuple):
    """The limits of threads and memory."""

    threads: int | None
    memory: int | None


class Mining(NamedTuple):
    """How sources are mined."""

    sample: bool
    all_patterns: bool
    prune: bool


class Cleaning(NamedTuple):
    """How documents are cleaned and written."""

    learned: bool
    only: str | None
    max_removed: float | None
    replacement: str | None
    spans: str | None
    on_error: str
    resume: bool
    verify: bool
    report: Path | None
    prune: bool
    force: bool


def mine_corpus(
    paths: Path | Iterable[Path],
    out: Path,
    *,
    html: Html = "text",
    source: str | None = None,
    source_by: str = "auto",
    text_key: str = "text",
    html_key: str = "html",
    source_key: str = "source",
    url_key: str = "url",
    id_key: str = "id",
    follow_links: bool = False,
    max_document: int | None = None,
    sample: bool = False,
    all_patterns: bool = False,
    prune: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Figures:
    """Mine files, and write a pattern file for each source: ``dehusk mine``.

    Parameters
    ----------
    paths : path or iterable of paths
        Folders with a folder for each source, JSONL, WARC or Parquet files, single documents, or globs.
    out : path
        The folder for the pattern files. Decisions in existing files are kept.
    html, source, source_by, text_key, html_key, source_key, url_key, id_key, follow_links, max_document
        How files are read: the flags of the program of the same names.
    sample, all_patterns, prune
        How sources are mined: the flags of the program of the same names.
    threads, memory, progress
        As for `mine`.

    Returns
    -------
    dict
        ``documents``, ``skipped`` and ``sources``. Each of the ``sources`` has ``documents``, ``near_duplicates``,
        ``patterns`` and ``cutoff``.
    """
    largest = number_of("max_document", max_document, "2 GB")
    reading = Reading(
        html, source, source_by, text_key, html_key, source_key, url_key, id_key, follow_links, largest
    )
    mining, limits = Mining(sample, all_patterns, prune), Limits(*limits_of(threads, memory))
    with shown(progress) as progress:
        return _dehusk.mine_corpus(_listed(paths), path_of("out", out), reading, mining, limits, progress)


def clean_corpus(
    paths: Path | Iterable[Path],
    out: Path,
    patterns: Patterns | Path,
    *,
    html: Html = "text",
    source: str | None = None,
    source_by: str = "auto",
    text_key: str = "text",
    html_key: str = "html",
    source_key: str = "source",
    url_key: str = "url",
    id_key: str = "id",
    follow_links: bool = False,
    max_document: int | None = None,
    learned: bool = True,
    only: Literal["accepted"] | None = None,
    max_removed: float | None = None,
    replacement: str | None = None,
    spans: Literal["codepoints", "bytes"] | None = None,
    on_error: Literal["skip", "copy"] = "skip",
    resume: bool = False,
    verify: bool = False,
    report: Path | None = None,
    prune: bool = False,
    force: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Figures:
    """Clean files: ``dehusk clean``.

    Parameters
    ----------
    paths : path or iterable of paths
        As for `mine_corpus`.
    out : path
        The folder for the cleaned files. They have the structure, names and compression of the input.
    patterns : Patterns or path
        The patterns, or their folder.
    html, source, source_by, text_key, html_key, source_key, url_key, id_key, follow_links, max_document
        How files are read, and pages written: the flags of the program of the same names.
    learned, only, max_removed
        As for `Cleaner`.
    replacement, spans, on_error, resume, verify, report, prune, force
        How documents are written: the flags of the program of the same names. `spans` is the unit of positions.
    threads, memory, progress
        As for `mine`.

    Returns
    -------
    dict
        ``documents``, ``skipped``, ``bytes_in``, ``bytes_out``, ``emptied``, ``kept_whole`` and ``sources``. Each of
        the ``sources`` has the same figures except ``skipped``, and ``has_changed``: whether it changed since it was
        mined.
    """
    largest = number_of("max_document", max_document, "2 GB")
    reading = Reading(
        html, source, source_by, text_key, html_key, source_key, url_key, id_key, follow_links, largest
    )
    cleaning = Cleaning(
        learned, only, max_removed, replacement, spans, on_error, resume, verify, report, prune, force
    )
    limits = Limits(*limits_of(threads, memory))
    with shown(progress) as progress:
        return _dehusk.clean_corpus(_listed(paths), path_of("out", out), patterns, reading, cleaning, limits, progress)


def run_corpus(
    paths: Path | Iterable[Path],
    out: Path,
    *,
    html: Html = "text",
    source: str | None = None,
    source_by: str = "auto",
    text_key: str = "text",
    html_key: str = "html",
    source_key: str = "source",
    url_key: str = "url",
    id_key: str = "id",
    follow_links: bool = False,
    max_document: int | None = None,
    sample: bool = False,
    all_patterns: bool = False,
    learned: bool = True,
    only: Literal["accepted"] | None = None,
    max_removed: float | None = None,
    replacement: str | None = None,
    spans: Literal["codepoints", "bytes"] | None = None,
    on_error: Literal["skip", "copy"] = "skip",
    resume: bool = False,
    verify: bool = False,
    report: Path | None = None,
    prune: bool = False,
    force: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Figures:
    """Mine files, then clean them: ``dehusk run``.

    Writes ``out/patterns`` and ``out/cleaned``. The parameters and figures are those of `mine_corpus` and
    `clean_corpus`.
    """
    largest = number_of("max_document", max_document, "2 GB")
    reading = Reading(
        html, source, source_by, text_key, html_key, source_key, url_key, id_key, follow_links, largest
    )
    mining, limits = Mining(sample, all_patterns, prune), Limits(*limits_of(threads, memory))
    cleaning = Cleaning(
        learned, only, max_removed, replacement, spans, on_error, resume, verify, report, prune, force
    )
    with shown(progress) as progress:
        return _dehusk.run_corpus(_listed(paths), path_of("out", out), reading, mining, cleaning, limits, progress)


def _listed(paths: Any) -> list[str]:
    if isinstance(paths, bytes) or not isinstance(paths, str | PathLike | Iterable):
        raise DataTypeError(f"paths: {type(paths).__name__} is no path, and no list of them")
    listed = [paths] if isinstance(paths, str | PathLike) else list(paths)
    if not listed:
        raise UsageError("paths is empty; give at least 1 path")
    return [path_of(f"paths[{number}]", path) for number, path in enumerate(listed)]
