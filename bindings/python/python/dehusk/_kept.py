"""A folder of pattern files that are mined again."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from dehusk._dehusk import Patterns
from dehusk._errors import UsageError

if TYPE_CHECKING:
    import pyarrow.fs

__all__ = ["PatternFolder", "load"]


class PatternFolder:
    """A folder for pattern files. Decisions in existing files are kept, as ``dehusk mine`` does.

    Parameters
    ----------
    folder : path or address
        A folder, or an address that pyarrow knows, such as ``s3://bucket/patterns``. Existing files are read now, so
        that an unusable file stops the work before it begins.
    reviewed : Patterns, path or None
        Patterns that people decided on. It is an error if the folder has different patterns.

    Attributes
    ----------
    reviewed : Patterns or None
        The value for the parameter `reviewed` of `mine` and `compare`.
    """

    def __init__(self, folder: str | PathLike[str], reviewed: Patterns | str | PathLike[str] | None = None) -> None:
        self._folder = fspath(folder)
        self._before = _load_if_any(self._folder)
        given = reviewed if isinstance(reviewed, Patterns | None) else load(fspath(reviewed))
        if given is not None and self._before is not None and given != self._before:
            raise UsageError(
                f"{self._folder} has pattern files, and their decisions are kept: leave the reviewed ones out, or name another folder"
            )
        self.reviewed = given if self._before is None else self._before

    def save(self, patterns: Patterns) -> None:
        """Write a pattern file for each source. Decisions that were made in the meantime are kept, too.

        Parameters
        ----------
        patterns : Patterns
            The mined patterns.
        """
        before = Patterns.from_yaml([]) if self._before is None else self._before
        if not _is_address(self._folder):
            patterns._merge_into(self._folder, before)
            return
        now = _load_if_any(self._folder)
        files, path = _opened(self._folder)
        files.create_dir(path)
        merged = patterns if now is None else patterns._with_decisions(before, now)
        for name, text in merged._texts():
            with files.open_output_stream(f"{path}/{name}") as file:
                file.write(text.encode())


def load(folder: str | PathLike[str]) -> Patterns:
    """Read pattern files from a folder, given as a path or an address."""
    if not _is_address(fspath(folder)):
        return Patterns.load(folder)
    return Patterns._of_texts(_texts(fspath(folder)))


def _load_if_any(folder: str) -> Patterns | None:
    if not _is_address(folder):
        return Patterns._load_if_any(folder)
    texts = _texts(folder)
    return Patterns._of_texts(texts) if texts else None


def _is_address(folder: str) -> bool:
    return "://" in folder


def _opened(address: str) -> tuple[pyarrow.fs.FileSystem, str]:
    import pyarrow.fs

    # Hadoop and pyarrow have different names for S3.
    return pyarrow.fs.FileSystem.from_uri(address.replace("s3a://", "s3://", 1))  # type: ignore[no-any-return]


def _texts(address: str) -> list[tuple[str, str]]:
    import pyarrow.fs

    files, path = _opened(address)
    found: list[Any] = files.get_file_info(pyarrow.fs.FileSelector(path, allow_not_found=True))
    return [(file.base_name, files.open_input_stream(file.path).read().decode()) for file in found if file.extension == "yaml"]
