"""Every kind of data gives the same patterns, and comes back as what it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from datasets import Dataset, DatasetDict

import dehusk

Rows = list[dict[str, str]]


class Capsule:
    """A table of some other library: all that is known of it is its Arrow stream."""

    def __init__(self, table: pyarrow.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def columns_of(rows: Rows) -> dict[str, list[str]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def generator(rows: Rows) -> Iterator[dict[str, str]]:
    yield from rows


def as_type(rows: Rows, kind: pyarrow.DataType) -> pyarrow.Table:
    names = list(rows[0])
    return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema([(name, kind) for name in names]))


def in_dictionary(rows: Rows) -> pyarrow.Table:
    table = pyarrow.Table.from_pylist(rows)
    index = table.schema.get_field_index("source")
    return table.set_column(index, "source", table.column("source").dictionary_encode())


KINDS: dict[str, Any] = {
    "dicts": lambda rows: rows,
    "generator": generator,
    "columns": columns_of,
    "arrays": lambda rows: {name: numpy.array(values) for name, values in columns_of(rows).items()},
    "pandas": pandas.DataFrame,
    "pandas-index": lambda rows: pandas.DataFrame(rows, index=range(7, 7 + len(rows))),
    "pandas-object": lambda rows: pandas.DataFrame(rows).astype(object),
    "pandas-category": lambda rows: pandas.DataFrame(rows).astype({"source": "category"}),
    "polars": polars.DataFrame,
    "lazy": polars.LazyFrame,
    "polars-category": lambda rows: polars.DataFrame(rows).with_columns(polars.col("source").cast(polars.Categorical)),
    "table": pyarrow.Table.from_pylist,
    "large-string": lambda rows: as_type(rows, pyarrow.large_string()),
    "string-view": lambda rows: as_type(rows, pyarrow.string_view()),
    "dictionary": in_dictionary,
    "chunks": lambda rows: pyarrow.concat_tables([pyarrow.Table.from_pylist(rows[:7]), pyarrow.Table.from_pylist(rows[7:])]),
    "batch": lambda rows: pyarrow.RecordBatch.from_pylist(rows),
    "reader": lambda rows: pyarrow.Table.from_pylist(rows).to_reader(max_chunksize=9),
    "capsule": lambda rows: Capsule(pyarrow.Table.from_pylist(rows)),
    "dataset": Dataset.from_list,
}


def texts_of(data: Any) -> list[str]:
    if isinstance(data, polars.LazyFrame):
        data = data.collect()
    if isinstance(data, list | Iterator) and not isinstance(data, pyarrow.RecordBatchReader):
        return [row["text"] for row in data]
    if isinstance(data, dehusk.Table):
        data = pyarrow.table(data)
    if isinstance(data, pyarrow.RecordBatchReader):
        data = data.read_all()
    values = data["text"]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


@pytest.mark.parametrize("kind", KINDS)
def test_mining_takes_it(kind: str, news: Rows, patterns: dehusk.Patterns) -> None:
    assert dehusk.mine(KINDS[kind](news)) == patterns


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("generator", "capsule")])
def test_a_batch_comes_back_as_what_it_was(kind: str, news: Rows, cleaner: dehusk.Cleaner) -> None:
    rows = [{"other": str(number), **row} for number, row in enumerate(news)]
    data = KINDS[kind](rows)
    cleaned = cleaner.clean_batch(data)
    assert type(cleaned) is type(data)
    assert texts_of(cleaned) == [cleaner.clean(row["text"], row["source"]) for row in rows]
    if not isinstance(data, list | dict | pyarrow.RecordBatchReader):
        assert texts_of(data) == [row["text"] for row in rows], "the data itself does not change"
    if isinstance(data, pyarrow.Table | pyarrow.RecordBatch):
        assert cleaned.schema == data.schema
        assert cleaned.column("other").to_pylist() == data.column("other").to_pylist()
    if isinstance(data, pandas.DataFrame):
        assert (cleaned.index == data.index).all() and (cleaned.dtypes == data.dtypes).all()
    if isinstance(data, polars.DataFrame):
        assert cleaned.drop("text").equals(data.drop("text")) and cleaned.schema == data.schema


@pytest.mark.parametrize("has_ids", [False, True])
def test_mining_takes_what_only_has_an_arrow_stream(news: Rows, patterns: dehusk.Patterns, has_ids: bool) -> None:
    given = pyarrow.Table.from_pylist(news)
    capsule = Capsule(given if has_ids else given.drop_columns(["id"]))
    assert dehusk.mine(capsule) == patterns
    # Our own tables are such objects.
    table = dehusk.Cleaner(dehusk.Patterns.from_yaml([])).clean_batch(capsule, missing="keep")
    assert isinstance(table, dehusk.Table) and dehusk.mine(table) == patterns
    with pytest.raises(dehusk.DataError, match="there is no column 'body'; the columns are: "):
        dehusk.mine(capsule, text="body")
    with pytest.raises(dehusk.DataError, match="there is no column 'number'"):
        dehusk.mine(capsule, id="number")


def test_rows_of_a_generator_and_of_a_capsule(news: Rows, cleaner: dehusk.Cleaner) -> None:
    expected = [cleaner.clean(row["text"], row["source"]) for row in news]
    assert texts_of(cleaner.clean_batch(generator(news))) == expected
    table = cleaner.clean_batch(Capsule(pyarrow.Table.from_pylist(news)))
    assert isinstance(table, dehusk.Table) and texts_of(table) == expected
    assert texts_of(polars.DataFrame(table)) == expected
    assert len(table) == len(news) and table.column_names == ["id", "source", "text"]


def test_metadata_and_unknown_types_stay(news: Rows, cleaner: dehusk.Cleaner) -> None:
    table = pyarrow.Table.from_pylist(news).append_column("when", pyarrow.array([1] * len(news), pyarrow.duration("s")))
    field = pyarrow.field("text", pyarrow.string(), metadata={"of": "a column"})
    table = table.cast(table.schema.set(table.schema.get_field_index("text"), field)).replace_schema_metadata({"of": "a table"})
    cleaned = cleaner.clean_batch(table)
    assert cleaned.schema.equals(table.schema, check_metadata=True)
    assert cleaned.column("when").equals(table.column("when"))


def test_other_names_of_columns(news: Rows, patterns: dehusk.Patterns, cleaner: dehusk.Cleaner) -> None:
    rows = [{"Body": row["text"], "Site": row["source"], "Number": number} for number, row in enumerate(news)]
    names: dict[str, Any] = {"text": "Body", "source": "Site", "id": "Number"}
    for data in (rows, pandas.DataFrame(rows), polars.DataFrame(rows), pyarrow.Table.from_pylist(rows)):
        assert dehusk.mine(data, **names) == patterns
    cleaned = cleaner.clean_batch(rows, text="Body", source="Site")
    assert cleaned[3]["Body"] == cleaner.clean(news[3]["text"], news[3]["source"])


def test_nothing_to_clean_is_cleaned(cleaner: dehusk.Cleaner) -> None:
    schema = pyarrow.schema([("text", pyarrow.string()), ("source", pyarrow.string())])
    empty = schema.empty_table()
    assert cleaner.clean_batch([]) == []
    assert cleaner.clean_batch({"text": [], "source": []}) == {"text": [], "source": []}
    assert cleaner.clean_batch(empty) == empty
    assert cleaner.clean_batch(empty.to_reader()).read_all() == empty
    assert cleaner.clean_batch(polars.DataFrame(empty)).equals(polars.DataFrame(empty))
    assert len(cleaner.clean_batch(pandas.DataFrame({"text": [], "source": []}, dtype=str))) == 0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_no_text(news: Rows, cleaner: dehusk.Cleaner, threads: int) -> None:
    data = pyarrow.Table.from_pylist(news * 20)
    assert cleaner.clean_batch(data, threads=threads) == cleaner.clean_batch(data)


def test_a_stream_is_cleaned_while_it_is_read(news: Rows, cleaner: dehusk.Cleaner) -> None:
    schema, asked = pyarrow.Table.from_pylist(news).schema, []

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for number in range(5):
            asked.append(number)
            yield pyarrow.RecordBatch.from_pylist(news)

    cleaned = cleaner.clean_batch(pyarrow.RecordBatchReader.from_batches(schema, batches()))
    assert asked == []
    cleaned.read_next_batch()
    assert asked == [0]
    assert cleaned.read_all().num_rows == 4 * len(news)


def test_a_dictionary_of_texts_becomes_strings(news: Rows, cleaner: dehusk.Cleaner) -> None:
    table = pyarrow.Table.from_pylist(news)
    index = table.schema.get_field_index("text")
    cleaned = cleaner.clean_batch(table.set_column(index, "text", table.column("text").dictionary_encode()))
    assert cleaned.schema.field("text").type == pyarrow.large_string()
    assert texts_of(cleaned) == texts_of(cleaner.clean_batch(table))


def test_splits_are_named(news: Rows, cleaner: dehusk.Cleaner) -> None:
    splits = DatasetDict({"train": Dataset.from_list(news)})
    with pytest.raises(dehusk.DataTypeError, match="DatasetDict has several splits; give one of them: train"):
        dehusk.mine(splits)
    with pytest.raises(dehusk.DataTypeError, match="give one of them: train"):
        cleaner.clean_batch(splits)


def test_rows_without_text_or_source_can_stay(news: Rows, cleaner: dehusk.Cleaner) -> None:
    texts = [*(row["text"] for row in news[:3]), None, news[3]["text"]]
    sources = [*(row["source"] for row in news[:3]), "tide", None]
    expected = [*(cleaner.clean(row["text"], row["source"]) for row in news[:3]), None, news[3]["text"]]
    given: Any = {"text": texts, "source": sources, "n": [1, 2, 3, 4, 5]}
    table = pyarrow.table(given)
    assert cleaner.clean_batch(given, missing="keep") == {**given, "text": expected}
    assert cleaner.clean_batch(table.to_pylist(), missing="keep") == table.set_column(0, "text", [expected]).to_pylist()
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        cleaned = cleaner.clean_batch(table.set_column(0, "text", [pyarrow.array(texts, kind)]), missing="keep")
        assert cleaned["text"].to_pylist() == expected and cleaned.schema.field("text").type == kind
    assert cleaner.clean_batch(table.to_batches()[0], missing="keep")["text"].to_pylist() == expected
    assert cleaner.clean_batch(table.to_reader(2), missing="keep").read_all()["text"].to_pylist() == expected
    assert cleaner.clean_batch(polars.DataFrame(given), missing="keep")["text"].to_list() == expected
    for dtype in ("object", "str", "string"):
        frame = pandas.DataFrame(given).astype({"text": dtype, "source": dtype})
        cleaned = cleaner.clean_batch(frame, missing="keep")["text"]
        assert cleaned.dtype == frame["text"].dtype
        assert [None if pandas.isna(text) else text for text in cleaned] == expected
    assert list(cleaner.clean_batch(Dataset.from_dict(given), missing="keep")["text"]) == expected
    known = table.set_column(1, "source", [[news[0]["source"]] * 5])
    with pytest.raises(dehusk.DataError, match="row 3, column 'text': there is no text"):
        cleaner.clean_batch(known)
    with pytest.raises(dehusk.UsageError, match="missing is \"drop\"; give 'error' or 'keep'"):
        cleaner.clean_batch(given, missing="drop")  # type: ignore[arg-type]


def test_a_source_without_patterns_is_an_error_or_stays(news: Rows, cleaner: dehusk.Cleaner) -> None:
    rows = [news[0], {**news[1], "source": f"www.{news[1]['source']}"}, {**news[2], "source": "nobody"}]
    expected = [cleaner.clean(news[0]["text"], news[0]["source"]), *(row["text"] for row in rows[1:])]
    message = rf"row 1: there are no patterns for source '{rows[1]['source']}' \(did you mean '{news[1]['source']}'\?\); mine it, or"
    for kind in ("dicts", "columns", "pandas", "polars", "table", "batch", "capsule", "generator", "dataset"):
        with pytest.raises(dehusk.DataError, match=message):
            texts_of(cleaner.clean_batch(KINDS[kind](rows)))
        assert texts_of(cleaner.clean_batch(KINDS[kind](rows), missing="keep")) == expected
    with pytest.raises(dehusk.DataError, match=message):
        cleaner.clean_batch(KINDS["reader"](rows)).read_all()
