from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Literal, Protocol, TypeVar, final, overload

from dehusk._corpora import Cleaning, Figures, Limits, Mining, Reading
from dehusk._data import Names
from dehusk._progress import Progress
from dehusk._stream import Streaming
from dehusk._types import Content, Pattern, Span

_T = TypeVar("_T")
_Missing = Literal["error", "keep"]

class _Stream(Protocol):
    """An object with an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...

class _Frame(_Stream, Protocol):
    """A frame of pandas or polars, a table or a record batch of pyarrow."""

    @property
    def columns(self) -> Any: ...

class _Reader(_Stream, Protocol):
    """A record batch reader of pyarrow."""

    def read_next_batch(self) -> Any: ...

class _Lazy(Protocol):
    """A lazy frame of polars."""

    def collect_schema(self) -> Any: ...
    def map_batches(self, function: Any, /) -> Any: ...

class _Dataset(Protocol):
    """A data set of Hugging Face."""

    @property
    def column_names(self) -> Any: ...
    @property
    def features(self) -> Any: ...
    def map(self, function: Any, /) -> Any: ...

class _Series(Protocol):
    """A series of pandas or polars."""

    def to_frame(self) -> Any: ...
    def to_list(self) -> Any: ...

_SameKind = TypeVar("_SameKind", bound=_Frame | _Series | _Lazy | _Reader | _Dataset)

__all__ = [
    "Candidates",
    "CleanedBatches",
    "Cleaner",
    "Documents",
    "Naming",
    "Patterns",
    "SourcePatterns",
    "Table",
    "__version__",
    "candidates",
    "clean_corpus",
    "compare",
    "decode_page",
    "extract",
    "is_source",
    "mine",
    "mine_corpus",
    "program",
    "run_corpus",
    "source_of",
    "stream",
]

__version__: str

@final
class Table:
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class SourcePatterns:
    @property
    def source(self) -> str: ...
    @property
    def patterns(self) -> list[Pattern]: ...
    @property
    def evidence(self) -> list[Pattern]: ...
    @property
    def documents(self) -> int: ...
    @property
    def cutoff(self) -> float: ...
    @property
    def removed(self) -> float | None: ...
    @property
    def unusual(self) -> str | None: ...
    def accept(self, *ids: str) -> None: ...
    def reject(self, *ids: str) -> None: ...
    def propose(self, *ids: str) -> None: ...
    def to_yaml(self) -> str: ...

@final
class Patterns:
    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Patterns: ...
    @classmethod
    def from_yaml(cls, files: list[str]) -> Patterns: ...
    @classmethod
    def _of_packed(cls, files: list[tuple[str, bytes]]) -> Patterns: ...
    @classmethod
    def _load_if_any(cls, folder: str) -> Patterns | None: ...
    @classmethod
    def _of_texts(cls, texts: list[tuple[str, str]]) -> Patterns: ...
    def _texts(self) -> list[tuple[str, str]]: ...
    def _merge_into(self, folder: str, before: Patterns) -> None: ...
    def _with_decisions(self, before: Patterns, now: Patterns) -> Patterns: ...
    def _similar(self, source: str) -> str | None: ...
    def _packed(self) -> list[tuple[str, bytes]]: ...
    def save(self, folder: str | PathLike[str] | None = None, *, overwrite: bool = False) -> None: ...
    @property
    def sources(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[SourcePatterns]: ...
    def items(self) -> list[tuple[str, SourcePatterns]]: ...
    @overload
    def get(self, source: str, default: None = None) -> SourcePatterns | None: ...
    @overload
    def get(self, source: str, default: _T) -> SourcePatterns | _T: ...
    def __getitem__(self, source: str, /) -> SourcePatterns: ...
    def __contains__(self, source: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Cleaner:
    def __new__(
        cls,
        patterns: Patterns | str | PathLike[str],
        learned: bool = True,
        only: Literal["accepted"] | None = None,
        max_removed: float | None = None,
    ) -> Cleaner: ...
    @property
    def patterns(self) -> Patterns: ...
    def clean(self, text: str, source: str, *, missing: _Missing = "error") -> str: ...
    def spans(self, text: str, source: str, *, missing: _Missing = "error") -> list[Span]: ...
    def clean_page(
        self,
        html: str | bytes,
        source: str,
        output: Literal["text", "html", "markdown"] = "text",
        *,
        url: str | None = None,
        missing: _Missing = "error",
    ) -> str: ...
    @overload
    def clean_batch(
        self,
        data: Mapping[str, Any],
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> dict[str, Any]: ...
    @overload
    def clean_batch(  # type: ignore[overload-overlap]  # a frame has a stream, too
        self,
        data: _SameKind,
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> _SameKind: ...
    @overload
    def clean_batch(
        self,
        data: _Stream,
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> Table: ...
    @overload
    def clean_batch(
        self,
        data: Iterator[str],
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> Iterator[str]: ...
    @overload
    def clean_batch(  # type: ignore[overload-overlap]  # an iterator is iterable, too
        self,
        data: Iterator[Mapping[str, Any]],
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> Iterator[dict[str, Any]]: ...
    @overload
    def clean_batch(
        self,
        data: list[str] | tuple[str, ...],
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> list[str]: ...
    @overload
    def clean_batch(
        self,
        data: Iterable[Mapping[str, Any]],
        text: str = "text",
        source: str | None = "source",
        url: str | None = "url",
        *,
        name: str | None = None,
        missing: _Missing = "error",
        threads: int | None = None,
    ) -> list[dict[str, Any]]: ...
    def _clean_list(
        self,
        texts: list[Any],
        sources: list[Any] | None,
        names: tuple[str, Naming],
        first: int,
        missing: str,
        threads: int | None,
    ) -> list[Any]: ...
    def _clean_stream(
        self, stream: object, names: tuple[str, Naming], missing: str, threads: int | None
    ) -> CleanedBatches: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class CleanedBatches:
    def __iter__(self) -> CleanedBatches: ...
    def __next__(self) -> Table: ...
    def empty(self) -> Table: ...
    def table(self) -> Table: ...

@final
class Documents:
    def __new__(cls) -> Documents: ...
    def add_rows(self, rows: object, names: Names) -> None: ...
    def add_columns(
        self,
        names: Names,
        rows: int,
        sources: list[Any] | None = None,
        texts: list[Any] | None = None,
        htmls: list[Any] | None = None,
        ids: list[Any] | None = None,
    ) -> None: ...
    def add_stream(self, stream: object, names: Names) -> None: ...
    def __len__(self) -> int: ...

@final
class Naming:
    def __new__(cls, source: str | None, url: str | None, name: str | None, otherwise: str | None = None) -> Naming: ...
    def among(self, columns: list[Any]) -> Naming: ...
    def of_texts(self) -> Naming: ...
    @property
    def column(self) -> str | None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Candidates:
    def __new__(cls) -> Candidates: ...
    def add(self, bytes: bytes) -> None: ...
    def add_file(self, path: str | PathLike[str]) -> None: ...

def decode_page(page: bytes) -> str: ...
def is_source(name: str) -> bool: ...
def source_of(url: str, by: Literal["host", "domain"] | str = "host") -> str: ...
@overload
def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    format: Literal["text", "html", "markdown"] = "text",
    favor: Literal["precision", "recall"] | None = None,
    comments: Literal["keep", "drop", "auto"] = "auto",
    metadata: Literal[False] = False,
) -> str: ...
@overload
def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    format: Literal["text", "html", "markdown"] = "text",
    favor: Literal["precision", "recall"] | None = None,
    comments: Literal["keep", "drop", "auto"] = "auto",
    metadata: Literal[True],
) -> Content: ...
@overload
def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    format: Literal["json"],
    favor: Literal["precision", "recall"] | None = None,
    comments: Literal["keep", "drop", "auto"] = "auto",
    metadata: bool = False,
) -> Content: ...
def mine(
    documents: Documents,
    reviewed: Patterns | str | PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Patterns: ...
def candidates(
    documents: Documents,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> dict[str, bytes]: ...
def compare(
    candidates: Candidates,
    reviewed: Patterns | str | PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Patterns: ...
def mine_corpus(
    paths: list[str],
    out: str | PathLike[str],
    reading: Reading,
    mining: Mining,
    limits: Limits,
    progress: Progress | None,
) -> Figures: ...
def clean_corpus(
    paths: list[str],
    out: str | PathLike[str],
    patterns: Patterns | str | PathLike[str],
    reading: Reading,
    cleaning: Cleaning,
    limits: Limits,
    progress: Progress | None,
) -> Figures: ...
def run_corpus(
    paths: list[str],
    out: str | PathLike[str],
    reading: Reading,
    mining: Mining,
    cleaning: Cleaning,
    limits: Limits,
    progress: Progress | None,
) -> Figures: ...
def program(arguments: list[str]) -> int: ...
def stream(
    state: str, documents: Documents, patterns: Patterns | None, how: Streaming
) -> list[str | None]: ...
