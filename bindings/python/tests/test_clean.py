"""Mining and cleaning in one call."""

from __future__ import annotations

from typing import Any

import datasets
import pandas
import polars
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
    assert dehusk.clean(iter(TEXTS), name="tide") == STORIES
    assert dehusk.clean([]) == []


def test_rows_keep_their_other_columns() -> None:
    assert dehusk.clean(iter(ROWS)) == [{"n": n, "text": story} for n, story in enumerate(STORIES)]
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


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("The Tide", "a str is no list of documents; give a list with it"),
        (7, "int is no kind of data that can be cleaned; give a list of str or dicts"),
        ([{"text": "a"}, 7], "row 1: int is no row; give a dict with a key for each column"),
        ({"body": ["a"]}, "there is no column 'text'; the columns are: 'body'"),
        ([{"text": "a"}, {"body": "b"}], "row 1: there is no column 'text'"),
    ],
)
def test_what_cannot_be_cleaned_is_named(data: Any, message: str) -> None:
    with pytest.raises(dehusk.Error, match=message):
        dehusk.clean(data)
