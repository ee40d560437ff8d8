"""Nothing crashes the interpreter, and nothing leaks."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import dehusk

# The whole test is one process of its own, so that a crash is a failure of this test and not of all.
CALLS = int(os.environ.get("DEHUSK_RANDOM_CALLS", "10000"))

TEXTS = ["", " ", "\n", "\0", "A boat.", "Share this\nA boat came in late.", "\ud800", "a\u0301\u200d\U0001f468", "x" * 5000, "\r\n\x85\u2028"]
PAGES = ["<script type=application/ld+json>[{\"@type\":\"Article\",\"author\":[{}]}]", "<time datetime=2024-03-1é>", "", "<p>", "<p>A boat", "</", "<!--", "<script>x", "<table><tr><td>a", "<div " * 50, "<b>" * 2000, "&#xd800;&#0;", "<p hidden>x"]
URLS = ["https://tide.example/a", "", "//", "http://[", "\ud800"]
SOURCES = ["tide", "gazette", "", ".", "..", "a/b", "_shared", "CON", "\ud800", "x" * 300, "тайд"]
ODD: list[Any] = [None, 5, -1, 1.5, float("nan"), b"bytes", [], {}, (), object(), Ellipsis, True, "x", range(3), lambda: 1, type]


def values(chance: random.Random, usual: list[str]) -> Any:
    return chance.choice(usual) if chance.random() < 0.85 else chance.choice(ODD)


def data_of(chance: random.Random) -> Any:
    count = chance.randrange(5)
    texts = [values(chance, TEXTS) for _ in range(count)]
    sources = [values(chance, SOURCES) for _ in range(chance.choice([count, count, count, count + 1]))]
    rows = [{"text": text, "source": source} for text, source in zip(texts, sources, strict=False)]
    kind = chance.randrange(9)
    try:
        match kind:
            case 0:
                return rows
            case 1:
                return {"text": texts, "source": sources}
            case 2:
                return pandas.DataFrame(rows)
            case 3:
                return polars.DataFrame(rows, strict=False)
            case 4:
                return pyarrow.Table.from_pylist(rows)
            case 5:
                return pyarrow.Table.from_pylist(rows).to_reader(max_chunksize=1)
            case 6:
                return pyarrow.array([{"text": "a", "source": "tide"}])
            case 7:
                return (row for row in rows)
            case _:
                return chance.choice(ODD)
    except Exception:
        return rows


def one_call(chance: random.Random, cleaners: list[dehusk.Cleaner], patterns: dehusk.Patterns) -> None:
    cleaner = chance.choice(cleaners)
    text, page, source = values(chance, TEXTS), values(chance, PAGES), values(chance, SOURCES)
    output = values(chance, ["text", "html", "markdown", "json"])
    kind = chance.randrange(100)
    if kind < 25:
        cleaner.clean(text, source)
    elif kind < 40:
        cleaner.spans(text, source)
    elif kind < 55:
        cleaner.clean_page(page, source, output)
    elif kind < 65:
        metadata = chance.choice([True, False])
        dehusk.extract(page, values(chance, URLS), format=output, metadata=metadata)
    elif kind < 85:
        threads = chance.choice([1, 2, None, 0, -1, "x"])
        cleaned = cleaner.clean_batch(data_of(chance), threads=threads)  # type: ignore[arg-type]
        if isinstance(cleaned, pyarrow.RecordBatchReader):
            cleaned.read_all()
    elif kind < 88:
        dehusk.mine(data_of(chance), threads=chance.choice([1, 2]))
    elif kind < 90:
        mined = dehusk.candidates(data_of(chance), threads=1)
        dehusk.compare(chance.choice([mined, list(mined.values()), [b"x"], 5, "x"]), threads=1)  # type: ignore[arg-type]
    elif kind < 94:
        patterns.get(source)
        patterns[source]
    elif kind < 97:
        dehusk.Cleaner(chance.choice([patterns, *ODD]), chance.choice(ODD), chance.choice(ODD), chance.choice(ODD))
    else:
        dehusk.Patterns.from_yaml(chance.choice([[text], text, ODD, [patterns["tide"].to_yaml()[: chance.randrange(900)]]]))


def mined() -> dehusk.Patterns:
    story = "{0} came in late on Tuesday, and nobody on the quay of {0} Harbour knew why it had been so slow."
    texts = ["The Tide | Home\n\n" + story.format(ship) + "\nShare this\n" for ship in ["Ann", "Bo", "Cy", "Di", "Ed"]]
    return dehusk.mine({"text": texts, "source": ["tide"] * 5})


def random_calls(seed: int, calls: int) -> None:
    warnings.simplefilter("ignore")
    chance, patterns = random.Random(seed), mined()
    cleaners = [dehusk.Cleaner(patterns), dehusk.Cleaner(patterns, learned=False, max_removed=0.3)]
    done = 0
    for _ in range(calls):
        try:
            one_call(chance, cleaners, patterns)
            done += 1
        except (dehusk.Error, TypeError, ValueError, KeyError, OverflowError, NotImplementedError):
            pass
        except BaseException as error:
            # What other libraries say of their own data is no matter of ours; a panic is.
            assert type(error).__module__.split(".")[0] in ("pyarrow", "polars", "pandas"), repr(error)
            assert "anic" not in type(error).__name__, repr(error)
    assert done > calls // 10
    print("survived", done)


def test_random_calls_end_in_results_or_exceptions() -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_robust; test_robust.random_calls(7, {CALLS})"
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "panicked" not in done.stderr, done.stderr[-4000:]
    assert done.stdout.startswith("survived")


def memory_in_use() -> int:
    """Bytes of memory of this process that are its own."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


def leak_of(call: Any, count: int) -> int:
    for _ in range(count // 10):
        call()
    gc.collect()
    before = memory_in_use()
    for _ in range(count):
        call()
    gc.collect()
    return memory_in_use() - before


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of the process is not known here")
@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_many_calls_leak_nothing(tmp_path: Path) -> None:
    cleaner = dehusk.Cleaner(mined())
    text, source = "The Tide | Home\nA boat came in late.\nShare this\n", "tide"
    table = pyarrow.table({"text": [text] * 10, "source": [source] * 10})
    rows = [{"text": text, "source": source}] * 10

    def refused(call: Any) -> None:
        with pytest.raises(dehusk.Error):
            call()

    # 1 MB is 10 bytes for each of 100,000 calls: less than any object.
    assert leak_of(lambda: cleaner.clean(text, source), 100_000) < 1 << 20
    assert leak_of(lambda: cleaner.spans(text, source), 20_000) < 1 << 20
    assert leak_of(lambda: refused(lambda: cleaner.clean("\ud800", source)), 20_000) < 1 << 20
    assert leak_of(lambda: cleaner.clean_page("<p>A boat<p>Share this", source), 5_000) < 1 << 20
    assert leak_of(lambda: cleaner.clean_batch(rows, threads=1), 1_000) < 1 << 20
    assert leak_of(lambda: cleaner.clean_batch(table, threads=2), 1_000) < 2 << 20


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_references_are_given_back() -> None:
    cleaner = dehusk.Cleaner(mined())
    text, source = "A boat came in late on a day that nobody remembers.", "tide"
    rows = [{"text": text, "source": source}]
    before = [sys.getrefcount(value) for value in (text, source, rows, None)]
    for _ in range(1000):
        cleaner.clean(text, source)
        cleaner.spans(text, source)
        cleaner.clean_batch(rows)
    after = [sys.getrefcount(value) for value in (text, source, rows, None)]
    assert all(now - then < 20 for then, now in zip(before, after, strict=True)), (before, after)
