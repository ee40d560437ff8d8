"""Mining and cleaning in one call."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import polars.testing
import pyarrow
import pytest

import dehusk

STORIES = [
    "The ferry came in late on Tuesday, and nobody on the quay knew why the crossing had taken so long.",
    "A choir of forty farmers won the cup in Ulm last night, with three songs that their baker had written.",
    "Forecasters expect heavy rain for most of this week, so both bridges over our river are closed to lorries.",
    "Mayor Lindqvist resigned again yesterday, by a letter which she left under a door of her own town hall.",
    "Twelve years after it burned down, Holm's old bakery opens on Saturday with new owners and one old oven.",
]
TEXTS = [f"The Tide | Home | Sport\n\n{story}\n\nShare this page" for story in STORIES]
COLUMNS = {"n": [0, 1, 2, 3, 4], "text": TEXTS, "url": [f"https://www.tide.example/{n}" for n in range(5)]}
ROWS = [{"n": n, "text": text} for n, text in enumerate(TEXTS)]


def test_texts() -> None:
    assert dehusk.clean(TEXTS) == STORIES
    assert list(dehusk.clean(iter(TEXTS), name="tide")) == STORIES
    assert dehusk.clean(tuple(TEXTS)) == STORIES
    assert dehusk.clean([]) == []
    labels = list("abcde")
    series = dehusk.clean(pandas.Series(TEXTS, labels, name="body"))
    pandas.testing.assert_series_equal(series, pandas.Series(STORIES, labels, name="body"))
    polars.testing.assert_series_equal(dehusk.clean(polars.Series("body", TEXTS)), polars.Series("body", STORIES))


def test_columns_without_values_can_be_there() -> None:
    frame = polars.DataFrame({"text": TEXTS, "other": [None] * len(TEXTS)})
    assert dehusk.clean(frame).equals(frame.with_columns(text=polars.Series(STORIES)))
    with pytest.raises(dehusk.DataTypeError, match=r"^row 0, column 'url': there is no text \(None\)"):
        dehusk.clean(frame.rename({"other": "url"}))


def test_rows_keep_their_other_columns() -> None:
    assert dehusk.clean(ROWS) == list(dehusk.clean(iter(ROWS))) == [{"n": n, "text": story} for n, story in enumerate(STORIES)]
    with_body = [{"body": text, "source": "tide"} for text in TEXTS]
    assert dehusk.clean(with_body, "body") == [{"body": story, "source": "tide"} for story in STORIES]


@pytest.mark.parametrize("kind", [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table, datasets.Dataset.from_dict])
def test_data_comes_back_as_it_came(kind: Any) -> None:
    data = kind(COLUMNS)
    cleaned = dehusk.clean(data)
    assert type(cleaned) is type(data)
    columns = cleaned.to_dict("list") if isinstance(data, pandas.DataFrame) else cleaned
    columns = columns.to_pydict() if hasattr(columns, "to_pydict") else columns
    columns = cleaned.to_dict() if isinstance(data, datasets.Dataset) else columns
    assert {name: list(columns[name]) for name in COLUMNS} == {**COLUMNS, "text": STORIES}
    assert len(cleaned.columns if hasattr(cleaned, "columns") else COLUMNS) == len(COLUMNS)


def test_sources_are_the_hosts_of_addresses() -> None:
    # Each host has too few documents to be mined.
    urls = [f"https://{n % 3}.example/" for n in range(5)]
    rows = [{"text": text, "url": url} for text, url in zip(TEXTS, urls, strict=True)]
    with pytest.warns(dehusk.DehuskWarning, match="is too small to mine"):
        assert dehusk.clean(rows)[0]["text"] == TEXTS[0]


def test_warnings_of_one_kind_are_few() -> None:
    rows = [{"text": text, "url": f"https://{n}.example/"} for n, text in enumerate(TEXTS * 3)]
    with pytest.warns(dehusk.DehuskWarning) as told:
        dehusk.clean(rows)
    of_small = [str(warning.message) for warning in told if "too small to mine" in str(warning.message)]
    assert len(of_small) == 4
    assert of_small[3] == f"and {len(rows) - 3} more warnings that a source is too small to mine"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("The Tide", "str is no data; give texts, dicts"),
        (7, "int is no data; give texts, dicts"),
        (pyarrow.table(COLUMNS).to_reader(), r"RecordBatchReader may be readable only once, and clean\(\) reads twice"),
        ([{"text": "a"}, 7], "row 1: int is no row; give a dict with a key for each column"),
        ({"body": ["a"]}, "there is no column 'text'; the columns are: 'body'"),
        ([{"text": "a"}, {"body": "b"}], "row 1: there is no column 'text'"),
    ],
)
def test_what_cannot_be_cleaned_is_named(data: Any, message: str) -> None:
    with pytest.raises(dehusk.Error, match=message):
        dehusk.clean(data)


def test_a_generator_is_cleaned_while_it_is_asked() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(3000):
            taken.append(number)
            yield {"n": number, "text": TEXTS[number % 5]}

    cleaned = dehusk.clean(rows())
    assert len(taken) == 3000, "all documents are learned from"
    assert [row["n"] for row in cleaned] == taken

    taken.clear()
    cleaner = dehusk.Cleaner(dehusk.mine(TEXTS))
    cleaned = cleaner.clean_batch(rows(), name="texts")
    assert taken == []
    assert next(cleaned) == {"n": 0, "text": STORIES[0]}
    assert len(taken) < 3000
    assert [row["n"] for row in cleaned] == list(range(1, 3000))


def test_a_wrong_row_of_a_generator_is_named_by_its_number() -> None:
    cleaner = dehusk.Cleaner(dehusk.mine(TEXTS))
    for wrong, message in ((7, "row 2500: int is no row"), ({"text": None}, "row 2500, column 'text': there is no text")):
        rows: Iterator[Any] = chain(({"text": TEXTS[0]} for _ in range(2500)), [wrong])
        with pytest.raises(dehusk.DataError, match=message):
            list(cleaner.clean_batch(rows, name="texts"))


def test_a_lazy_frame_stays_lazy(tmp_path: Path) -> None:
    runs: list[int] = []

    def note(frame: polars.DataFrame) -> polars.DataFrame:
        runs.append(len(frame))
        return frame

    lazy = polars.LazyFrame(COLUMNS).map_batches(note, streamable=True)
    cleaner = dehusk.Cleaner(dehusk.mine(lazy))
    assert sum(runs) == 5
    cleaned = cleaner.clean_batch(lazy)
    assert isinstance(cleaned, polars.LazyFrame) and cleaned.collect_schema() == lazy.collect_schema()
    assert sum(runs) == 5
    assert cleaned.collect()["text"].to_list() == STORIES
    cleaned.sink_parquet(tmp_path / "cleaned.parquet")
    assert polars.read_parquet(tmp_path / "cleaned.parquet").equals(polars.DataFrame({**COLUMNS, "text": STORIES}))
    assert cleaned.filter(polars.col("n") == 3).select("text").collect()["text"].to_list() == [STORIES[3]]
    runs.clear()
    both = dehusk.clean(lazy)
    assert sum(runs) == 5
    assert both.collect()["text"].to_list() == STORIES


def test_a_lazy_frame_of_categories_becomes_one_of_strings() -> None:
    lazy = polars.LazyFrame(COLUMNS).with_columns(polars.col("text").cast(polars.Categorical))
    cleaned = dehusk.clean(lazy)
    assert cleaned.collect_schema()["text"] == polars.String
    assert cleaned.collect()["text"].to_list() == STORIES
