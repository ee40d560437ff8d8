"""What functions return: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

__all__ = ["Content", "Pattern", "Span", "Status"]

Status = Literal["proposed", "accepted", "rejected"]


class Content(TypedDict):
    """A dict with the content of a page, and what the page says about itself. A missing value is None."""

    title: str | None
    author: str | None
    date: str | None
    language: str | None
    site_name: str | None
    url: str | None
    description: str | None
    image: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text that is removed.

    Attributes
    ----------
    start, end : int
        Its place in the text: ``text[start:end]``.
    score : float
        The probability that it is boilerplate, from 0 to 1.
    patterns : tuple of str
        The ids of the patterns that explain it. Empty if no pattern explains it.
    """

    start: int
    end: int
    score: float
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A block or a template of a source, as in a pattern file.

    Attributes
    ----------
    id : str
        A hash of the template. Mining again gives the same id.
    form : str
        How it matches: ``"rows"`` is a block, and ``"regex"`` matches other text. ``"content"`` and ``"drop"`` are CSS selectors of elements of pages:
        ``"content"`` removes all text outside of the elements, ``"drop"`` the text in them.
    regex : str
        The regular expression, in the dialect of Python's `re`. For a selector, the CSS selector.
    text : str or None
        The template in words, such as ``"Published {date}"``, or the rows of a block with `` / `` between them. `None` for
        selectors.
    status : Status
        ``"proposed"``, ``"accepted"`` or ``"rejected"``. `SourcePatterns` has the methods that change it.
    documents : int
        Number of documents that have it. Near-duplicates are counted once.
    among : int
        Number of documents that count, of its source; if it is shared, of all sources that have it.
    occurrences : int
        How often it occurs.
    sources : int or None
        Number of sources that have it, if it is shared.
    example : str
        A text that it matches.
    ends_after : int or None
        If given, the template ends articles that have at least this many words.
    note : str
        What a person wrote about it.
    """

    id: str
    form: str
    regex: str
    text: str | None
    status: Status
    documents: int
    among: int
    occurrences: int
    sources: int | None
    example: str
    ends_after: int | None
    note: str

    @property
    def share(self) -> float:
        """The share of the documents that have it, from 0 to 1."""
        return min(self.documents / self.among, 1.0) if self.among else 0.0


for _class in (Pattern, Span):
    _class.__module__ = "dehusk"
