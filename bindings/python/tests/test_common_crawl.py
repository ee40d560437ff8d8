"""The example for Common Crawl, on a small crawl on disk with an index and WARC files as Common Crawl has them."""

from __future__ import annotations

import gzip
import importlib.util
import random
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from conftest import ROOT

import dehusk

# Spark uses what Python deprecates.
pytestmark = pytest.mark.filterwarnings("ignore")

CRAWL = "CC-MAIN-2025-05"
WORDS = "ferry quay harbour storm council bakery choir bridge lamp winter market letter river boat road fish wind".split()


def page(host: str, number: int) -> bytes:
    chance = random.Random(f"{host} {number}")
    story = ". ".join(" ".join(chance.choices(WORDS, k=12)).capitalize() for _ in range(6))
    return (
        f"<html><head><meta charset=iso-8859-1></head><body><nav><a href=/>{host}</a> <a href=/s>Café</a></nav>"
        f"<h1>Story {number}</h1><p>{story}.</p><footer>Share this page. © Coast Media</footer></body></html>"
    ).encode("iso-8859-1")


def record(url: str, body: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Crawler-Content-Encoding: gzip\r\n\r\n" + body
    header = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(http)}\r\n\r\n"
    return gzip.compress(header.encode() + http + b"\r\n\r\n")


def crawl(folder: Path) -> list[dict[str, Any]]:
    """Writes a crawl. Returns the pages that are to be chosen."""
    rows, chosen = [], []
    files: dict[str, bytearray] = {f"crawl-data/{CRAWL}/segments/{number}/warc/0.warc.gz": bytearray() for number in range(3)}
    hosts = {"news.tide.co.uk": 30, "www.bay.example": 25, "blog.tide.co.uk": 4, "few.example": 19}
    for host, count in hosts.items():
        domain = ".".join(host.split(".")[1:]) if host != "few.example" else host
        for number in range(count):
            url, body = f"https://{host}/{number}", page(host, number)
            name = random.Random(url).choice(list(files))
            part = record(url, body)
            row = {
                "url": url,
                "url_host_registered_domain": domain,
                "fetch_status": 200,
                "content_languages": "eng",
                "content_mime_detected": "text/html",
                "warc_filename": name,
                "warc_record_offset": len(files[name]),
                "warc_record_length": len(part),
            }
            files[name] += part
            rows.append(row)
            # What is in the index and is not chosen.
            other = {"fetch_status": 404, "content_languages": "deu", "content_mime_detected": "application/pdf"}
            rows += [{**row, key: value, "url": f"{url}?{key}"} for key, value in other.items()]
            if domain != "few.example":
                chosen.append({"id": url, "source": domain, "html": body.decode("iso-8859-1")})
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(data)
    for subset in ("warc", "crawldiagnostics"):
        part = folder / "index" / f"crawl={CRAWL}" / f"subset={subset}"
        part.mkdir(parents=True)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), part / "part-0.parquet")
    return chosen


def test_the_example(spark: Any, tmp_path: Path) -> None:
    path = ROOT / "bindings" / "python" / "examples" / "common_crawl.py"
    spec = importlib.util.spec_from_file_location("common_crawl", path)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    chosen = crawl(tmp_path)
    mined = example.run(spark, CRAWL, f"{tmp_path}/out", f"{tmp_path}/index", f"file://{tmp_path}")
    expected = dehusk.compare(dehusk.candidates(chosen, html="html"))
    assert mined.patterns == dehusk.Patterns.load(tmp_path / "out" / "patterns") == expected
    assert mined.patterns.sources[-2:] == ["bay.example", "tide.co.uk"]
    cleaner = dehusk.Cleaner(expected)
    cleaned = {row.url: row.text for row in spark.read.parquet(f"{tmp_path}/out/cleaned").collect()}
    assert cleaned == {row["id"]: cleaner.clean_page(row["html"], row["source"]) for row in chosen}
    assert "Share this page" not in "".join(cleaned.values())
