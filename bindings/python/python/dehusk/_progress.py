"""What `progress=True` shows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Progress", "shown"]

Progress = Callable[[int, int | None, str], object]


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """The function to call with the progress. `True` shows it on standard error: a bar of tqdm if it is installed."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _Lines()
        else:
            bars = _Bars(tqdm)
            try:
                yield bars
            finally:
                bars.close()


class _Bars:
    """A bar for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._stage = tqdm, ""
        self._bar: Any = None

    def __call__(self, done: int, total: int | None, stage: str) -> None:
        if self._bar is None or stage != self._stage:
            if self._bar is not None and self._bar.total:
                # The stage has ended since its progress was last told.
                self._bar.update(self._bar.total - self._bar.n)
            self.close()
            self._stage, self._bar = stage, self._tqdm(total=total, desc=stage, unit_scale=True)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Lines:
    """A line for each stage, and for each tenth of it."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, done: int, total: int | None, stage: str) -> None:
        line = f"{stage}: {100 * done // total // 10 * 10} %" if total else stage
        if line != self._last:
            print(line, file=sys.stderr, flush=True)
        self._last = line
