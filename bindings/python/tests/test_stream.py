"""Streams: documents as they come."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import dehusk

Rows = list[dict[str, str]]


def texts_of_program(program: Path, rows: Rows, folder: Path) -> list[str]:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "feed.jsonl").write_text(lines, "utf-8")
    command = [program, "stream", "feed.jsonl", "-s", "program.state", "-o", "out.jsonl", "--quiet"]
    subprocess.run(command, check=True, cwd=folder)
    return [json.loads(line)["text"] for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
@pytest.mark.parametrize("batch", [1, 40, 1000])
def test_a_stream_is_the_stream_of_the_program(program: Path, news: Rows, tmp_path: Path, batch: int) -> None:
    rows = news[:30]
    stream = dehusk.Stream(tmp_path / "ours.state")
    cleaned = list(stream.clean(rows, batch=batch))
    assert [row["text"] for row in cleaned] == texts_of_program(program, rows, tmp_path)
    assert [row["id"] for row in cleaned] == [row["id"] for row in rows]


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_a_stream_goes_on_where_it_stopped(news: Rows, tmp_path: Path) -> None:
    one = [row["text"] for row in dehusk.Stream(tmp_path / "one").clean(news)]
    two = [row["text"] for row in dehusk.Stream(tmp_path / "two").clean(news[:20])]
    two += [row["text"] for row in dehusk.Stream(tmp_path / "two").clean(news[20:])]
    assert one == two


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_learning_and_cleaning_apart(news: Rows, tmp_path: Path) -> None:
    stream = dehusk.Stream(tmp_path / "state")
    stream.learn(news)
    cleaned = list(stream.clean(news, learn=False))
    assert list(stream.clean(news, learn=False)) == cleaned
    assert sum(len(row["text"]) for row in cleaned) < sum(len(row["text"]) for row in news) * 0.6


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_pages_and_patterns(news: Rows, patterns: dehusk.Patterns, tmp_path: Path) -> None:
    stream = dehusk.Stream(tmp_path / "state", patterns)
    page = {"source": "tide", "html": "<nav><a href=/>Home</a></nav><article><p>A boat came in late.</p></article>"}
    assert [row["text"] for row in stream.clean([page], html="html")] == ["A boat came in late."]
    first = next(iter(stream.clean(news)))
    assert len(first["text"]) < len(news[0]["text"])


def test_documents_are_asked_for_when_they_are_needed(news: Rows, tmp_path: Path) -> None:
    asked: list[str] = []

    def feed() -> object:
        for row in news:
            asked.append(row["id"])
            yield row

    cleaned = dehusk.Stream(tmp_path / "state").clean(feed(), batch=3)  # type: ignore[arg-type]
    assert asked == []
    next(cleaned)
    assert len(asked) == 3


def test_misuse(tmp_path: Path) -> None:
    stream = dehusk.Stream(tmp_path / "state")
    with pytest.raises(dehusk.DataTypeError, match="str has no documents"):
        stream.clean("text")  # type: ignore[arg-type]
    with pytest.raises(dehusk.UsageError, match="batch is 0; give at least 1"):
        stream.clean([], batch=0)
    with pytest.raises(dehusk.DataError, match="row 0: there is no column 'source'"):
        list(stream.clean([{"text": "a"}]))
    with pytest.raises(dehusk.UsageError, match="does not exist"):
        list(dehusk.Stream(tmp_path / "none").clean([{"text": "a", "source": "a"}], learn=False))
    (tmp_path / "broken").write_text("nonsense", "utf-8")
    with pytest.raises(dehusk.FileError, match="broken"):
        list(dehusk.Stream(tmp_path / "broken").clean([{"text": "a", "source": "a"}]))
    assert list(stream.clean([])) == []
