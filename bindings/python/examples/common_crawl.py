"""Mines and cleans pages of a Common Crawl on Spark: chosen by the columnar index, fetched by range, with the registered domain as source.

Usage: spark-submit common_crawl.py CRAWL OUT, such as CC-MAIN-2025-05 s3a://bucket/out

A test (tests/test_common_crawl.py) runs it on a small crawl on disk.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator

import pyarrow
import pyarrow.fs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from dehusk.spark import Mined, PatternFolder, clean, mine

# Spark and pyarrow have different names for S3.
INDEX = "s3a://commoncrawl/cc-index/table/cc-main/warc"
RECORDS = "s3://commoncrawl"
# Pages in memory at once.
PAGES = 64


def choose(index: DataFrame, crawl: str, language: str = "eng", least: int = 20) -> DataFrame:
    """The records to fetch: HTML pages in this language, of domains with at least so many of them."""
    chosen = index.where((F.col("crawl") == crawl) & (F.col("subset") == "warc") & (F.col("fetch_status") == 200))
    chosen = chosen.where((F.col("content_languages") == language) & (F.col("content_mime_detected") == "text/html"))
    source = F.col("url_host_registered_domain").alias("source")
    chosen = chosen.select("url", source, "warc_filename", "warc_record_offset", "warc_record_length")
    # A source needs 5 documents; more are better.
    large = chosen.groupBy("source").count().where(F.col("count") >= least).select("source")
    return chosen.join(large, "source")


def fetch(chosen: DataFrame, records: str = RECORDS) -> DataFrame:
    """The pages of records, as bytes. `records` is the address of the folder that the names of WARC files begin in."""

    def fetched(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        files, root = pyarrow.fs.FileSystem.from_uri(records)
        for batch in batches:
            for start in range(0, batch.num_rows, PAGES):
                rows = batch.slice(start, PAGES).to_pylist()
                pages = []
                for row in rows:
                    with files.open_input_file(f"{root}/{row['warc_filename']}") as file:
                        pages.append(page_of(file.read_at(row["warc_record_length"], row["warc_record_offset"])))
                yield pyarrow.record_batch(
                    {
                        "url": [row["url"] for row in rows],
                        "source": [row["source"] for row in rows],
                        "html": pyarrow.array(pages, pyarrow.binary()),
                    }
                )

    # Requests take long, and the rows of the index are few and small.
    spread = chosen.repartition("warc_filename", "warc_record_offset")
    return spread.mapInArrow(fetched, "url string, source string, html binary")


def page_of(record: bytes) -> bytes:
    """The page of a compressed response record. Common Crawl stores bodies without their transfer and content encoding."""
    _warc, _http, body = gzip.decompress(record).split(b"\r\n\r\n", 2)
    return body.removesuffix(b"\r\n\r\n")


def run(spark: SparkSession, crawl: str, out: str, index: str = INDEX, records: str = RECORDS) -> Mined:
    """Writes ``pages``, ``patterns`` and ``cleaned`` to the folder `out`."""
    patterns = PatternFolder(f"{out}/patterns")
    # Fetched once: mining reads the pages twice, and cleaning once more.
    fetch(choose(spark.read.parquet(index), crawl), records).write.parquet(f"{out}/pages")
    pages = spark.read.parquet(f"{out}/pages")
    mined = mine(pages, id="url", html="html", reviewed=patterns.reviewed)
    patterns.save(mined.patterns)
    # A domain may have no page in the sample that was mined.
    clean(pages, mined.patterns, html="html", missing="keep").drop("html").write.parquet(f"{out}/cleaned")
    return mined


if __name__ == "__main__":
    session = SparkSession.builder.appName("dehusk Common Crawl").getOrCreate()
    print(run(session, *sys.argv[1:3]))
