"""Measures the Python package beside the library. See "Python" in crates/lab/results/performance.md.

    python benches/clean_batch.py LIBRARY

LIBRARY is the example `library` of this package: `cargo build --release -p dehusk-python --example library`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow

import dehusk

ROOT = Path(__file__).parents[3]
BYTES = 100_000_000
REPEATS = 5


def news() -> list[dict[str, str]]:
    paths = sorted((ROOT / "corpora" / "news").glob("*/*.txt"))
    return [{"source": path.parent.name, "text": path.read_bytes().decode()} for path in paths]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def batches(rows: list[dict[str, str]], size: int) -> Iterator[pyarrow.RecordBatch]:
    batch = pyarrow.RecordBatch.from_pylist(rows)
    for _ in range(size // batch.nbytes + 1):
        yield batch


def import_time() -> float:
    code = "import time; start = time.perf_counter(); import dehusk; print(time.perf_counter() - start)"
    command = [sys.executable, "-c", code]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(REPEATS))


def memory_of_stream(patterns: Path) -> float:
    """The peak memory in MB of a process that cleans a stream of 2 GB."""
    command = [sys.executable, __file__, "--stream", str(patterns), "2000000000"]
    return float(subprocess.run(command, capture_output=True, check=True).stdout)


def clean_stream(patterns: str, size: str) -> None:
    rows = news()
    rows = rows * (1_000_000 // sum(len(row["text"]) for row in rows) + 1)
    reader = pyarrow.RecordBatchReader.from_batches(
        pyarrow.RecordBatch.from_pylist(rows).schema, batches(rows, int(size))
    )
    for _ in dehusk.Cleaner(patterns).clean_batch(reader):
        pass
    # Not `getrusage`: it also counts the process that started this one.
    status = Path("/proc/self/status").read_text().splitlines()
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1000)


def main(library: str) -> None:
    warnings.simplefilter("ignore")
    rows = news()
    patterns = dehusk.mine(rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        patterns.save(folder / "patterns")
        size = sum(len(row["text"].encode()) for row in rows)
        many = rows * (BYTES // size + 1)
        megabytes = size * (BYTES // size + 1) / 1e6
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many), "utf-8")
        table, cleaner = pyarrow.Table.from_pylist(many), dehusk.Cleaner(patterns)

        def of_library(threads: int) -> float:
            command = [library, folder / "rows.jsonl", folder / "patterns", str(threads)]
            return float(subprocess.run(command, capture_output=True, check=True).stdout.split()[0])

        cleaner.clean_batch(table.slice(0, len(rows)))
        speed = {}
        for threads in (1, 2):
            # In turns, so that what else the machine does hits both.
            pairs = [
                (of_library(threads), seconds(lambda: cleaner.clean_batch(table, threads=threads)))
                for _ in range(REPEATS)
            ]
            alone, ours = (min(times) for times in zip(*pairs, strict=True))
            speed[threads] = ours
            print(
                f"clean_batch, {threads} thread(s): {megabytes / ours:.1f} MB/s; library: {megabytes / alone:.1f} MB/s; "
                f"share: {alone / ours:.2f}"
            )
        print(f"clean_batch, 2 threads instead of 1: {speed[1] / speed[2]:.2f} times as fast")

        text = max(rows, key=lambda row: len(row["text"]) <= 5200 and len(row["text"]))
        one = [text] * 2000
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in one), "utf-8")
        calls = [
            (of_library(1), seconds(lambda: [cleaner.clean(row["text"], row["source"]) for row in one]))
            for _ in range(REPEATS * 2)
        ]
        alone, ours = (min(times) / len(one) * 1e6 for times in zip(*calls, strict=True))
        length = len(text["text"].encode())
        print(f"clean of {length} bytes: {ours:.1f} us a call; library: {alone:.1f} us; more: {ours - alone:.1f} us")
        print(f"import: {import_time() * 1000:.0f} ms")
        print(f"peak memory, a stream of 2 GB: {memory_of_stream(folder / 'patterns'):.0f} MB")


if __name__ == "__main__":
    if sys.argv[1] == "--stream":
        clean_stream(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
