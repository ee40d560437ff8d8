"""Engines that spread work over machines give what the program gives, to the byte."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import files_of
from engines import engine

import dehusk

Rows = list[dict[str, Any]]
# The engines use what Python deprecates, and leave files open.
pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = "ferry quay harbour storm council bakery choir bridge lamp winter market letter river boat road fish wind night".split()


def invented(number: int) -> Rows:
    """A source with a menu, a byline and a footer. Some are too small to be mined, and some share their footer."""
    chance = random.Random(number)
    name, count = f"site-{number:02d}.example", 3 if number % 7 == 0 else 8 + number
    menu = " | ".join(chance.sample(WORDS, 5)).title()
    footer = f"© {2000 + number % 3} Coast Media {number % 3}. All rights reserved."
    rows = []
    for index in range(count):
        story = " ".join(
            " ".join(chance.choices(WORDS, k=chance.randint(6, 14))).capitalize() + "." for _ in range(chance.randint(3, 9))
        )
        byline = f"Published {chance.randint(1, 28)} March 20{chance.randint(10, 24)} by {chance.choice(WORDS).title()} Smith"
        rows.append({"id": f"{name}/{index}", "source": name, "text": f"{menu}\n{byline}\n{story}\nShare this page\n{footer}\n"})
    return rows


@pytest.fixture(scope="session")
def rows(news: Rows) -> Rows:
    many = [row for number in range(20) for row in invented(number)] + news
    random.Random(7).shuffle(many)
    return many


@pytest.fixture(scope="session")
def jsonl(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("input")
    for part in range(3):
        lines = (json.dumps(row) + "\n" for row in rows[part::3])
        (folder / f"{part}.jsonl").write_text("".join(lines), "utf-8")
    return folder


@pytest.fixture(scope="session")
def mined(rows: Rows) -> dehusk.Patterns:
    return dehusk.mine(rows)


def texts_of(rows: Rows) -> dict[tuple[str, str], str | None]:
    return {(row["source"], row["id"]): row["text"] for row in rows}


@pytest.fixture(scope="session")
def cleaned(rows: Rows, mined: dehusk.Patterns) -> dict[tuple[str, str], str | None]:
    return texts_of(dehusk.Cleaner(mined).clean_batch(rows))


def read(folder: Path, pattern: str) -> Rows:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text("utf-8").splitlines()]


def test_the_program(program: Path, jsonl: Path, mined: dehusk.Patterns, cleaned: Any, tmp_path: Path) -> None:
    subprocess.run([program, "run", jsonl, "-o", tmp_path, "--source-by", "key", "--quiet"], check=True)
    mined.save(tmp_path / "ours")
    assert files_of(tmp_path / "patterns") == files_of(tmp_path / "ours")
    assert texts_of(read(tmp_path / "cleaned", "*.jsonl")) == cleaned


# Spark


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = engine("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def test_spark(spark: Any, jsonl: Path, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.spark import clean, mine

    frame = spark.read.json(str(jsonl))
    # Packs of some sources, and sources of their own.
    result = mine(frame, pack=20_000)
    assert result.patterns == mined
    assert result.documents == len(cleaned)
    assert 5 < result.groups < 26
    assert (result.skipped, result.sampled) == (0, {})
    after = clean(frame, result.patterns)
    assert after.schema == frame.schema
    assert texts_of([row.asDict() for row in after.collect()]) == cleaned


def test_spark_leaves_what_has_no_text_or_no_source(spark: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.spark import clean, mine

    odd = [("a", None, "tide", 1), ("b", "A text", None, None), ("c", None, None, 3)]
    given = [(row["id"], row["text"], row["source"], 7) for row in rows] + odd
    frame = spark.createDataFrame(given, "`my id` string, body string, site string, year int")
    result = mine(frame, text="body", source="site", id="my id")
    assert (result.patterns, result.skipped, result.groups) == (mined, 3, 1)
    after = [tuple(row) for row in clean(frame, mined, text="body", source="site").collect()]
    expected = [(id, cleaned.get((site, id), body), site, year) for id, body, site, year in given]
    assert sorted(after, key=str) == sorted(expected, key=str)
    with pytest.raises(dehusk.DataError, match="no column 'text'; the columns are: 'my id', 'body'"):
        mine(frame)


def sample_of(rows: Rows, largest: int) -> tuple[Rows, dict[str, float]]:
    """The documents that are mined if sources are as large, and the shares of the sources that are mined in part."""
    from dehusk._spread import is_below, limit_of

    sizes = Counter[str]()
    for row in rows:
        sizes[row["source"]] += len(row["text"].encode())
    shares = {source: largest / size for source, size in sizes.items() if size > largest}
    kept = [row for row in rows if is_below(row["id"], limit_of(shares.get(row["source"], 1.0)))]
    assert 0 < len(shares) < 6
    assert len(kept) < len(rows)
    return kept, shares


def test_spark_samples_what_is_too_large(spark: Any, rows: Rows) -> None:
    from dehusk.spark import mine

    largest = 30_000
    kept, shares = sample_of(rows, largest)
    result = mine(spark.createDataFrame(rows).repartition(5), pack=20_000, largest=largest)
    assert result.sampled == shares
    assert result.patterns == dehusk.mine(kept)


@pytest.mark.parametrize("format", ["json", "parquet"])
def test_the_spark_job(spark: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any, tmp_path: Path, format: str) -> None:
    from dehusk.spark import __main__ as job

    given = tmp_path / f"given.{format}"
    getattr(spark.createDataFrame(rows).write, format)(str(given))
    for command in (f"run {given} {tmp_path}/out", f"clean {given} {tmp_path}/again -p file://{tmp_path}/out/patterns"):
        job._run(job._parser().parse_args(command.split()), spark)
    assert dehusk.Patterns.load(tmp_path / "out" / "patterns") == mined
    for folder in (tmp_path / "out" / "cleaned", tmp_path / "again"):
        after = [row.asDict() for row in getattr(spark.read, format)(str(folder)).collect()]
        assert texts_of(after) == cleaned
    assert job.load(f"file://{tmp_path}/out/patterns") == mined
    job.save(mined, f"file://{tmp_path}/uri")
    assert files_of(tmp_path / "uri") == files_of(tmp_path / "out" / "patterns")


# Ray


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    module = engine("ray")
    engine("ray.data")
    module.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield module
    module.shutdown()


def test_ray(ray: Any, jsonl: Path, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.integrations.ray import clean, mine

    data = ray.data.read_json([str(path) for path in jsonl.iterdir()])
    result = mine(data, pack=20_000)
    assert result.patterns == mined
    assert (result.documents, result.skipped, result.sampled) == (len(cleaned), 0, {})
    assert texts_of(clean(data, mined).take_all()) == cleaned


def test_ray_samples_as_spark_does(ray: Any, rows: Rows) -> None:
    from dehusk.integrations.ray import clean, mine

    largest = 30_000
    kept, shares = sample_of(rows, largest)
    data = ray.data.from_items([*rows, {"id": "a", "text": None, "source": "tide"}])
    result = mine(data, pack=20_000, largest=largest)
    assert (result.sampled, result.skipped) == (shares, 1)
    assert result.patterns == dehusk.mine(kept)
    assert {"id": "a", "text": None, "source": "tide"} in clean(data, result.patterns).take_all()
