"""Times the program, the wheel, Spark and Ray on the same documents, and compares what they give.

    python benches/engines.py --program target/release/dehusk --sources 200 --documents 100 --engines program wheel spark ray

The documents are invented: 4 KB of words each, with a menu, a byline and a footer of its source.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import dehusk

SYLLABLES = [a + b for a in "ba de fi go ku la mo ne pi ra so tu vi ze".split() for b in "n r st l sh ck nd m t x".split()]
WORDS = [a + b for a in SYLLABLES for b in SYLLABLES]
# Zipf's law, as in real text.
WEIGHTS = list(accumulate(1 / (rank + 3) for rank in range(len(WORDS))))

Texts = dict[str, str]


def write(path: Path, sources: int, documents: int) -> int:
    """Write the documents. Returns the bytes of their texts."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(sources):
            chance = random.Random(number)
            menu = " | ".join(chance.sample(WORDS, 12)).title()
            for index in range(documents):
                lines = [menu, f"Published {chance.randint(1, 28)} March 20{chance.randint(10, 24)}"]
                lines += [" ".join(chance.choices(WORDS, cum_weights=WEIGHTS, k=40)).capitalize() + "." for _ in range(14)]
                lines += ["Share this page", f"© {number} Media. All rights reserved."]
                text = "\n".join(lines)
                size += len(text.encode())
                file.write(json.dumps({"id": f"{number}/{index}", "source": f"site-{number}", "text": text}) + "\n")
    return size


def read(path: Path) -> list[Any]:
    """The rows of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def of_program(given: Path, folder: Path, program: str) -> tuple[dehusk.Patterns, Texts]:
    """What the program gives."""
    subprocess.run([program, "run", given, "-o", folder, "--source-by", "key", "--quiet"], check=True)
    texts = {row["id"]: row["text"] for row in read(folder / "cleaned" / given.name)}
    return dehusk.Patterns.load(folder / "patterns"), texts


def of_wheel(given: Path, folder: Path, program: str) -> tuple[dehusk.Patterns, Texts]:
    """What the wheel gives in this process."""
    rows = read(given)
    patterns = dehusk.mine(rows)
    return patterns, {row["id"]: row["text"] for row in dehusk.Cleaner(patterns).clean_batch(rows)}


def of_spark(given: Path, folder: Path, program: str) -> tuple[dehusk.Patterns, Texts]:
    """What Spark gives, on 2 cores of this machine."""
    from pyspark.sql import SparkSession

    from dehusk.spark import clean, mine

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.schema("id string, source string, text string").json(str(given))
    result = mine(frame, pack=4 << 20)
    texts = {row.id: row.text for row in clean(frame, result.patterns).collect()}
    spark.stop()
    return result.patterns, texts


def of_ray(given: Path, folder: Path, program: str) -> tuple[dehusk.Patterns, Texts]:
    """What Ray gives, on 2 cores of this machine."""
    import ray

    from dehusk.integrations.ray import clean, mine

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    data = ray.data.read_json(str(given))
    result = mine(data, pack=4 << 20)
    texts = {row["id"]: row["text"] for row in clean(data, result.patterns).iter_rows()}
    ray.shutdown()
    return result.patterns, texts


ENGINES: dict[str, Callable[[Path, Path, str], tuple[dehusk.Patterns, Texts]]] = {
    "program": of_program,
    "wheel": of_wheel,
    "spark": of_spark,
    "ray": of_ray,
}


def main() -> None:
    """Time the engines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="dehusk")
    parser.add_argument("--sources", type=int, default=200)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "documents.jsonl"
        size = write(given, arguments.sources, arguments.documents)
        print(f"{size / 1e6:.1f} MB in {arguments.sources * arguments.documents} documents", flush=True)
        first = None
        for name in arguments.engines:
            start = time.perf_counter()
            result = ENGINES[name](given, Path(folder) / name, arguments.program)
            seconds = time.perf_counter() - start
            first = first or result
            verdict = "the same" if result == first else "DIFFERENT"
            print(f"{name:8} {seconds:7.1f} s  {size / 1e6 / seconds:6.1f} MB/s  {verdict}", flush=True)
        used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(f"peak of a process: {max(used) / 1024:.0f} MB")


if __name__ == "__main__":
    main()
