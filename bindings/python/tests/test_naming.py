"""How sources are named: by a column, by addresses, or as one; in the same way everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from datasets import Dataset
from test_data import Capsule, texts_of

import dehusk

Rows = list[dict[str, str]]

KINDS: dict[str, Callable[[Rows], Any]] = {
    "dicts": lambda rows: rows,
    "generator": iter,
    "columns": lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "lazy": polars.LazyFrame,
    "table": pyarrow.Table.from_pylist,
    "reader": lambda rows: pyarrow.Table.from_pylist(rows).to_reader(max_chunksize=9),
    "capsule": lambda rows: Capsule(pyarrow.Table.from_pylist(rows)),
    "dataset": Dataset.from_list,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["url", "link"])
def test_addresses_name_sources(kind: str, column: str, news: Rows, patterns: dehusk.Patterns, cleaner: dehusk.Cleaner) -> None:
    rows = [{"text": row["text"], column: f"https://www.{row['source']}/{row['id']}"} for row in news]
    expected = [cleaner.clean(row["text"], row["source"]) for row in news]
    how: dict[str, Any] = {} if column == "url" else {"url": column}
    assert dehusk.mine(KINDS[kind](rows), **how) == patterns
    assert dehusk.compare(dehusk.candidates(KINDS[kind](rows), **how)) == patterns
    assert texts_of(cleaner.clean_batch(KINDS[kind](rows), **how)) == expected
    if kind not in ("reader", "capsule"):
        assert texts_of(dehusk.clean(KINDS[kind](rows), **how)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_sources_comes_before_addresses_unless_it_is_not_read(
    kind: str, news: Rows, patterns: dehusk.Patterns
) -> None:
    rows = [{"text": row["text"], "source": row["source"], "url": "https://other.example/"} for row in news]
    assert dehusk.mine(KINDS[kind](rows)) == patterns
    assert dehusk.mine(KINDS[kind](rows), source=None).sources == ["other.example"]


@pytest.mark.parametrize("kind", KINDS)
def test_one_name_for_all(kind: str, news: Rows) -> None:
    rows = [{"text": row["text"], "source": "never read", "url": "never read"} for row in news]
    tide = dehusk.mine(KINDS[kind](rows), name="tide")
    assert [source for source in tide if source != "_shared"] == ["tide"]
    cleaner = dehusk.Cleaner(tide)
    expected = [cleaner.clean(row["text"], "tide") for row in news]
    assert texts_of(cleaner.clean_batch(KINDS[kind](rows), name="tide")) == expected
    if kind not in ("reader", "capsule"):
        assert texts_of(dehusk.clean(KINDS[kind](rows), name="tide")) == expected


def test_texts_are_of_one_source(news: Rows) -> None:
    texts = [row["text"] for row in news]
    for how, name in (({}, "texts"), ({"name": "tide"}, "tide")):
        patterns = dehusk.mine(texts, **how)
        assert patterns == dehusk.mine(iter(texts), **how) == dehusk.compare(dehusk.candidates(tuple(texts), **how))
        cleaner = dehusk.Cleaner(patterns)
        expected = [cleaner.clean(text, name) for text in texts]
        assert cleaner.clean_batch(texts, **how) == list(cleaner.clean_batch(iter(texts), **how)) == expected
        assert dehusk.clean(texts, **how) == expected


def all_verbs(data: Any, cleaner: dehusk.Cleaner, **how: Any) -> list[Callable[[], Any]]:
    verbs = (dehusk.mine, dehusk.candidates, cleaner.clean_batch, dehusk.clean)
    return [lambda verb=verb: verb(data, **how) for verb in verbs]


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"source": "site"}, dehusk.DataError, "there is no column 'site'"),
        ({"source": None, "url": "link"}, dehusk.DataError, "there is no column 'link'"),
        ({"name": "a/b"}, dehusk.DataError, "name: source \"a/b\""),
        ({}, dehusk.DataError, "row 1, column 'url': \"nowhere\" has no host"),
    ],
)
def test_what_names_no_source_is_named(
    how: dict[str, Any], error: type[Exception], message: str, cleaner: dehusk.Cleaner
) -> None:
    data = {"text": ["a", "b"], "url": ["https://tideline-wire.example/", "nowhere"]}
    rows = [{name: values[number] for name, values in data.items()} for number in range(2)]
    for kind in (data, rows, polars.DataFrame(data), pyarrow.table(data)):
        for call in all_verbs(kind, cleaner, **how):
            with pytest.raises(error) as raised:
                call()
            assert message in str(raised.value)


def test_no_column_at_all_is_one_source_only_for_clean(cleaner: dehusk.Cleaner, news: Rows) -> None:
    texts = [{"text": row["text"]} for row in news]
    *others, clean = all_verbs(texts, cleaner, source=None, url=None)
    for call in others:
        with pytest.raises(dehusk.UsageError, match="source, url and name are None; give one of them"):
            call()
    assert clean() == dehusk.clean(texts) == dehusk.clean(texts, name="texts")
