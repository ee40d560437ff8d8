"""Misuse: the exception says row, column and remedy."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import dehusk

SURROGATE = "a \ud800 lone surrogate"


def rows(**changed: Any) -> list[dict[str, Any]]:
    """Three rows. The third one is changed."""
    good = [{"text": f"Text {number}.", "source": "tide"} for number in range(3)]
    good[2].update(changed)
    return good


@pytest.fixture(scope="module")
def cleaner(patterns: dehusk.Patterns) -> dehusk.Cleaner:
    """A cleaner that also knows the sources of the rows here."""
    good = [patterns[source].to_yaml() for source in patterns]
    mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
    known = [f"{{dehusk: 1, source: {source}, mined: {mined}, patterns: []}}" for source in ("tide", "a", "b", "c")]
    return dehusk.Cleaner(dehusk.Patterns.from_yaml(good + known))


CASES: list[tuple[Any, type[Exception], str]] = [
    (None, TypeError, "NoneType is no data; give texts, dicts, a dict of lists"),
    ("text", TypeError, "str is no data; give texts, dicts"),
    (b"text", TypeError, "bytes is no data"),
    (7, TypeError, "int is no data"),
    ([], ValueError, "there is no document: the data has no rows"),
    ({"text": [], "source": []}, ValueError, "the data has no rows"),
    (pandas.DataFrame({"text": [], "source": []}), ValueError, "the data has no rows"),
    (pyarrow.table({"text": pyarrow.array([], "string"), "source": pyarrow.array([], "string")}), ValueError, "no rows"),
    ([1, 2], TypeError, "row 0: int is no row; give a dict with a key for each column"),
    ([{"text": "a", "source": "a"}, "text"], TypeError, "row 1: str is no row"),
    (["text", {"text": "a", "source": "a"}], TypeError, "row 1, column 'text': dict is no text; give a str"),
    ([{"text": "a"}], ValueError, "row 0: there is no column 'source'; name the column that you have"),
    ([{"source": "a"}], ValueError, "row 0: there is no column 'text'; name the column that you have"),
    (rows(text=None), TypeError, "row 2, column 'text': there is no text (None); drop this row, or fill it with ''"),
    (rows(text=float("nan")), TypeError, "row 2, column 'text': there is no text"),
    (rows(text=b"bytes"), TypeError, "row 2, column 'text': bytes is no text; give a str"),
    (rows(text=5), TypeError, "row 2, column 'text': int is no text; give a str"),
    (rows(source=5), TypeError, "row 2, column 'source': int is no text; give a str"),
    (rows(source=None), TypeError, "row 2, column 'source': there is no text"),
    (rows(text=SURROGATE), ValueError, "row 2, column 'text': it has a lone surrogate"),
    (rows(source="../etc"), ValueError, "row 2, column 'source': source \"../etc\""),
    (rows(source="a/b"), ValueError, "row 2, column 'source': source \"a/b\""),
    (rows(source=""), ValueError, "row 2, column 'source': source \"\""),
    (rows(source="_shared"), ValueError, "row 2, column 'source'"),
    ({"text": ["a"]}, ValueError, "there is no column 'source'; the columns are: 'text'"),
    ({"text": ["a"], "source": ["a", "b"]}, ValueError, "column 'text' has 1 values and column 'source' has 2"),
    ({"text": "abc", "source": ["a", "b", "c"]}, TypeError, "a str is no column; give a list of str"),
    ({"text": 5, "source": ["a"]}, TypeError, "int is no column; give a list of str"),
    (pandas.DataFrame({"Text": ["a"]}), ValueError, "there is no column 'text'; the columns are: 'Text'"),
    (pandas.DataFrame(rows(text=None)), TypeError, "row 2, column 'text'"),
    (pandas.DataFrame(rows(text=5)), TypeError, "row 2, column 'text': int is no text"),
    (polars.DataFrame({"Text": ["a"], "source": ["a"]}), ValueError, "there is no column 'text'"),
    (polars.DataFrame(rows(text=None)), TypeError, "row 2, column 'text': there is no text (None)"),
    (polars.DataFrame({"text": [1], "source": ["a"]}), TypeError, "column 'text' has values of type Int64, and no strings"),
    (pyarrow.Table.from_pylist(rows(text=None)), TypeError, "row 2, column 'text': there is no text (None)"),
    (pyarrow.Table.from_pylist(rows(source="a/b")), ValueError, "row 2, column 'source': source \"a/b\""),
    (pyarrow.table({"text": [[1]], "source": ["a"]}), TypeError, "column 'text' has values of type List"),
    (pyarrow.table([["a"], ["b"], ["c"]], names=["text", "text", "source"]), ValueError, "several columns 'text'"),
    (pyarrow.table({"text": [None], "source": ["a"]}), TypeError, "row 0, column 'text': there is no text (None)"),
]


@pytest.mark.parametrize(("data", "kind", "message"), CASES, ids=range(len(CASES)))
def test_data_that_cannot_be_used(data: Any, kind: type[Exception], message: str, cleaner: dehusk.Cleaner) -> None:
    with pytest.raises(dehusk.DataError) as mined:
        dehusk.mine(data)
    assert message in str(mined.value) and isinstance(mined.value, kind), mined.value
    if "no rows" in message:
        return
    with pytest.raises(dehusk.DataError) as cleaned:
        cleaner.clean_batch(data)
    assert isinstance(cleaned.value, kind), cleaned.value
    if "there is no column" not in message:
        assert message in str(cleaned.value), cleaned.value


def test_rows_are_numbered_over_all_batches(cleaner: dehusk.Cleaner) -> None:
    good = pyarrow.Table.from_pylist([{"text": "a", "source": "tide"}] * 10)
    table = pyarrow.concat_tables([good, pyarrow.Table.from_pylist(rows(text=None))])
    for data in (table, table.to_reader(max_chunksize=4)):
        with pytest.raises(dehusk.DataError, match="row 12, column 'text'"):
            dehusk.mine(data)
    with pytest.raises(dehusk.DataError, match="row 12, column 'text'"):
        cleaner.clean_batch(table)
    with pytest.raises(dehusk.DataError, match="row 12, column 'text'"):
        cleaner.clean_batch(table.to_reader(max_chunksize=4)).read_all()


def test_bytes_that_are_no_text(cleaner: dehusk.Cleaner) -> None:
    broken = pyarrow.array([b"\xff\xfe\xfd"]).cast(pyarrow.binary()).view(pyarrow.string())
    table = pyarrow.table({"text": broken, "source": ["tide"]})
    with pytest.raises(dehusk.DataError, match="column 'text' is damaged"):
        dehusk.mine(table)
    with pytest.raises(dehusk.DataError, match="column 'text' is damaged"):
        cleaner.clean_batch(table)


def test_a_generator_that_fails() -> None:
    def broken() -> Any:
        yield {"text": "a", "source": "a"}
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        dehusk.mine(broken())


def test_names_of_columns_that_are_no_names(cleaner: dehusk.Cleaner) -> None:
    with pytest.raises(dehusk.DataTypeError, match="text: int is no name of a column; give a str"):
        dehusk.mine(rows(), text=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        cleaner.clean_batch(rows(), text=5)  # type: ignore[arg-type]
    with pytest.raises(dehusk.DataError, match="there is no column 'number'"):
        dehusk.mine(pandas.DataFrame(rows()), id="number")


def test_arguments_that_mean_nothing(patterns: dehusk.Patterns, cleaner: dehusk.Cleaner, tmp_path: Path) -> None:
    with pytest.raises(dehusk.UsageError, match="only is \"rejected\"; give 'accepted', or None for all"):
        dehusk.Cleaner(patterns, only="rejected")  # type: ignore[arg-type]
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(dehusk.UsageError, match="max_removed is a share; give a number from 0 to 1"):
            dehusk.Cleaner(patterns, max_removed=share)
    with pytest.raises(dehusk.DataTypeError, match="patterns: int is neither Patterns nor the path"):
        dehusk.Cleaner(5)  # type: ignore[arg-type]
    for call in (
        lambda **limits: dehusk.mine(rows(), **limits),
        lambda **limits: dehusk.candidates(rows(), **limits),
        lambda **limits: dehusk.compare([b""], **limits),
        lambda **limits: dehusk.mine_corpus(tmp_path, tmp_path / "out", **limits),
        lambda **limits: cleaner.clean_batch(rows(), missing="keep", **limits),
    ):
        for number in (0, -1, -(10**30)):
            with pytest.raises(dehusk.UsageError, match=f"threads is {number}; give at least 1, or None for all cores"):
                call(threads=number)
        for number in (10**9, 10**30):
            with pytest.raises(dehusk.UsageError, match=r"threads: \d+ threads are too many: .*; give at most \d+"):
                call(threads=number)
        for wrong in ("2", 1.5, b"2"):
            with pytest.raises(dehusk.DataTypeError, match="threads: .* is no whole number; give an int"):
                call(threads=wrong)
    with pytest.raises(dehusk.UsageError, match="memory is -1; give at least 1"):
        dehusk.mine(rows(), memory=-1)
    with pytest.raises(dehusk.UsageError, match="output is \"pdf\"; give 'text', 'html' or 'markdown'"):
        cleaner.clean_page("<p>", "tide", "pdf")  # type: ignore[arg-type]
    with pytest.raises(dehusk.UsageError, match="format is \"pdf\"; give 'text', 'html', 'markdown' or 'json'"):
        dehusk.extract("<p>", format="pdf")  # type: ignore[call-overload]
    with pytest.raises(dehusk.UsageError, match="favor is \"speed\"; give 'precision' or 'recall', or None for both"):
        dehusk.extract("<p>", favor="speed")  # type: ignore[call-overload]
    with pytest.raises(dehusk.UsageError, match="comments is \"all\"; give 'keep', 'drop' or 'auto'"):
        dehusk.extract("<p>", comments="all")  # type: ignore[call-overload]
    with pytest.raises(dehusk.UsageError, match="paths is empty"):
        dehusk.mine_corpus([], tmp_path / "out")
    with pytest.raises(dehusk.DataTypeError, match=r"paths\[1\]: int is no path"):
        dehusk.mine_corpus([tmp_path, 5], tmp_path / "out")  # type: ignore[list-item]
    with pytest.raises(dehusk.UsageError, match="html is \"pdf\""):
        dehusk.mine_corpus(tmp_path, tmp_path / "out", html="pdf")  # type: ignore[arg-type]
    with pytest.raises(dehusk.UsageError, match="standard input belongs to Python"):
        dehusk.mine_corpus("-", tmp_path / "out")


@pytest.mark.parametrize("call", ["clean", "spans", "clean_page"])
def test_texts_that_are_none(call: str, cleaner: dehusk.Cleaner) -> None:
    method = getattr(cleaner, call)
    for wrong in (None, 5, b"bytes", ["a"]):
        kind = type(wrong).__name__
        if not (call == "clean_page" and isinstance(wrong, bytes)):
            with pytest.raises(dehusk.DataTypeError, match=f": {kind} is no text; give a str") as raised:
                method(wrong, "tide")
            assert isinstance(raised.value, TypeError)
        with pytest.raises(dehusk.DataTypeError, match=f"source: {kind} is no text; give a str"):
            method("text", wrong)
    with pytest.raises(dehusk.DataError, match="lone surrogate"):
        method(SURROGATE, "tide")
    with pytest.raises(dehusk.DataError, match="source: it has a lone surrogate"):
        method("text", SURROGATE)
    with pytest.raises(dehusk.DataError, match=r'source "a/b": '):
        method("text", "a/b")


def test_pattern_folders_that_cannot_be_used(patterns: dehusk.Patterns, tmp_path: Path) -> None:
    with pytest.raises(dehusk.PatternError, match="cannot read the pattern folder .*nowhere"):
        dehusk.Patterns.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(dehusk.PatternError, match="no pattern files"):
        dehusk.Patterns.load(tmp_path / "empty")
    patterns.save(tmp_path / "new")
    path = tmp_path / "new" / "tideline-wire.example.yaml"
    path.write_text(path.read_text("utf-8").replace("dehusk: 1", "dehusk: 9"), "utf-8")
    with pytest.raises(dehusk.PatternError, match=r"tideline-wire.example.yaml:\d+: version 9"):
        dehusk.Patterns.load(tmp_path / "new")
    with pytest.raises(dehusk.PatternError, match="version 9"):
        dehusk.Cleaner(tmp_path / "new")
    with pytest.raises(dehusk.PatternError, match=r"files\[0\]"):
        dehusk.Patterns.from_yaml(["what: is this"])
    yaml = patterns["tideline-wire.example"].to_yaml()
    with pytest.raises(dehusk.PatternError, match=r"files\[1\]: there is another file for source"):
        dehusk.Patterns.from_yaml([yaml, yaml])


def test_patterns_that_another_version_pickled(patterns: dehusk.Patterns) -> None:
    good = patterns["tideline-wire.example"].to_yaml()
    broken = pyarrow.Codec("zstd").compress(good.replace("dehusk: 1", "dehusk: 9").encode(), asbytes=True)
    loaded = dehusk.Patterns._of_packed([("tide.example", broken), ("bay.example", b"nonsense"), *patterns._packed()])
    # Each source is parsed when it is asked for.
    assert loaded["tideline-wire.example"].patterns == patterns["tideline-wire.example"].patterns
    cleaner = dehusk.Cleaner(loaded)
    assert cleaner.clean("A boat.", "nobody.example", missing="keep") == "A boat."
    with pytest.raises(dehusk.PatternError, match=r"tide.example.yaml:1: version 9"):
        loaded["tide.example"].patterns
    with pytest.raises(dehusk.PatternError, match=r"tide.example.yaml:1: version 9"):
        cleaner.clean("A boat.", "tide.example")
    with pytest.raises(dehusk.PatternError, match="source 'bay.example' are damaged .*: load them again"):
        cleaner.clean("A boat.", "bay.example")


def test_addresses_that_name_no_source() -> None:
    for url, by, message in [
        ("example.com/a", "domain", "url: \"example.com/a\" has no host that could name the source"),
        ("https:///a", "host", "has no host"),
        ("https://example.com/a", "users/([a-z]+)", "finds nothing in \"https://example.com/a\""),
        ("https://example.com/a", "com/a", "the source name \"com/a\" contains '/'"),
        ("https://_x.example/a", "host", "begins with an underscore"),
        (SURROGATE, "host", "url: it has a lone surrogate"),
    ]:
        with pytest.raises(dehusk.DataError) as raised:
            dehusk.source_of(url, by)
        assert message in str(raised.value)
    for by in ("key", "folder", "auto"):
        with pytest.raises(dehusk.UsageError, match=f"by is \"{by}\", and an address has no such name; give 'host'"):
            dehusk.source_of("https://example.com/a", by)
    with pytest.raises(dehusk.UsageError, match="(?s)by: .*unclosed group"):
        dehusk.source_of("https://example.com/a", "(a")
    for wrong in (None, b"https://example.com/a"):
        with pytest.raises(dehusk.DataTypeError, match="url: .* is no text; give a str"):
            dehusk.source_of(wrong)  # type: ignore[arg-type]


def test_other_files_are_not_replaced(patterns: dehusk.Patterns, tmp_path: Path) -> None:
    patterns.save(tmp_path)
    patterns.save(tmp_path)
    path = tmp_path / "tideline-wire.example.yaml"
    path.write_text("# mine\n", "utf-8")
    with pytest.raises(dehusk.UsageError, match="already exists, and is different: name another folder, or add overwrite"):
        patterns.save(tmp_path)
    patterns.save(tmp_path, overwrite=True)
    assert dehusk.Patterns.load(tmp_path) == patterns


def test_a_source_without_patterns(patterns: dehusk.Patterns, cleaner: dehusk.Cleaner) -> None:
    with pytest.raises(KeyError, match="there are no patterns for source 'nobody'"):
        patterns["nobody"]
    assert patterns.get("nobody") is None and patterns.get("nobody", 5) == 5
    page = "<nav><a href=/>Home</a></nav><article><p>A boat came in late on the quay.</p></article>"
    for call in (cleaner.clean, cleaner.spans, cleaner.clean_page):
        for source, meant in [
            ("nobody.example", ""),
            ("news.tideline-wire.example", r" \(did you mean 'tideline-wire.example'\?\)"),
            ("tideline-wir.example", r" \(did you mean 'tideline-wire.example'\?\)"),
        ]:
            message = f"there are no patterns for source '{source}'{meant}; mine it, or give missing='keep'"
            with pytest.raises(dehusk.DataError, match=message):
                call(page, source)
        with pytest.raises(dehusk.UsageError, match="missing is \"drop\"; give 'error' or 'keep'"):
            call(page, "nobody.example", missing="drop")  # type: ignore[arg-type]
    assert cleaner.clean("A boat.", "nobody.example", missing="keep") == "A boat."
    assert cleaner.spans("A boat.", "nobody.example", missing="keep") == []
    assert cleaner.clean_page(page, "nobody.example", missing="keep") == "A boat came in late on the quay."


def test_pages_as_bytes(cleaner: dehusk.Cleaner) -> None:
    page = "<meta charset=iso-8859-1><article><p>A boat came in late at the café.</p></article>".encode("iso-8859-1")
    assert dehusk.extract(page) == "A boat came in late at the café."
    assert cleaner.clean_page(page, "tideline-wire.example") == "A boat came in late at the café."
    for wrong in (None, 5, ["<p>"]):
        with pytest.raises(dehusk.DataTypeError, match="html: .* is no text; give a str or bytes"):
            dehusk.extract(wrong)  # type: ignore[call-overload]
        with pytest.raises(dehusk.DataTypeError, match="html: .* is no text; give a str or bytes"):
            dehusk.extract(wrong, metadata=True)  # type: ignore[call-overload]
    with pytest.raises(dehusk.DataError, match="html: the page "):
        dehusk.extract(b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 8)


def test_paths_and_patterns_that_are_none(tmp_path: Path, patterns: dehusk.Patterns) -> None:
    for call in (
        lambda wrong: dehusk.Patterns.load(wrong),
        lambda wrong: dehusk.Patterns.from_yaml(wrong),
        lambda wrong: dehusk.Stream(wrong),
        lambda wrong: dehusk.mine_corpus(tmp_path, wrong),
        lambda wrong: dehusk.mine_corpus(wrong, tmp_path / "out"),
        lambda wrong: dehusk.Cleaner(wrong),
    ):
        for wrong in (None, 5):
            with pytest.raises(dehusk.DataTypeError):
                call(wrong)
    with pytest.raises(dehusk.DataTypeError, match="folder: int is no path"):
        patterns.save(5)  # type: ignore[arg-type]
    with pytest.raises(dehusk.DataTypeError, match="patterns: int is neither Patterns nor the path"):
        dehusk.mine(rows(), reviewed=5)  # type: ignore[arg-type]


def test_a_corpus_that_is_not_there(patterns: dehusk.Patterns, tmp_path: Path) -> None:
    for call in (
        lambda: dehusk.mine_corpus(tmp_path / "nowhere", tmp_path / "out"),
        lambda: dehusk.clean_corpus(tmp_path / "nowhere", tmp_path / "out", patterns),
        lambda: dehusk.run_corpus(tmp_path / "nowhere", tmp_path / "out"),
    ):
        with pytest.raises(OSError, match="cannot find") as raised:
            call()
        assert isinstance(raised.value, dehusk.FileError)


def test_candidates_that_are_none() -> None:
    with pytest.raises(dehusk.DataError, match="no candidates to compare"):
        dehusk.compare([])
    with pytest.raises(dehusk.DataTypeError, match="candidates: bytes is no list"):
        dehusk.compare(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(dehusk.DataTypeError, match=r"candidates\[0\]: int is not what candidates\(\) returned; give bytes, or paths"):
        dehusk.compare([5])  # type: ignore[list-item]
    with pytest.raises(dehusk.DataTypeError, match="candidates: str is no list"):
        dehusk.compare("mined/tide")
    with pytest.raises(dehusk.FileError, match="cannot use \"nowhere/tide\""):
        dehusk.compare(["nowhere/tide"])
    with pytest.raises(dehusk.FileError, match=r"candidates\[0\].*dehusk did not write"):
        dehusk.compare([b"nonsense"])


def test_damaged_and_repeated_candidates(news: list[dict[str, str]]) -> None:
    mined = next(iter(dehusk.candidates(news[:20]).values()))
    with pytest.raises(dehusk.FileError, match=r"candidates\[0\]"):
        dehusk.compare([mined[:-20]])
    with pytest.raises(dehusk.UsageError, match=r"candidates\[0\].*candidates\[1\]"):
        dehusk.compare([mined, mined])


def test_too_little_memory(news: list[dict[str, str]]) -> None:
    with pytest.raises(dehusk.OutOfMemoryError, match="may need") as raised:
        dehusk.mine(news, memory=1000)
    assert isinstance(raised.value, MemoryError)


def test_exceptions_can_be_pickled() -> None:
    for kind in (dehusk.DataError, dehusk.DataTypeError, dehusk.UsageError, dehusk.PatternError, dehusk.FileError):
        error = pickle.loads(pickle.dumps(kind("message")))
        assert type(error) is kind and str(error) == "message" and kind.__module__ == "dehusk"


def test_a_small_source_is_a_warning() -> None:
    with pytest.warns(dehusk.DehuskWarning, match="source 'tide' is too small to mine"):
        assert dehusk.mine(rows()).sources == ["tide"]


def test_a_regex_that_gives_up_names_its_pattern() -> None:
    yaml = (
        "dehusk: 1\nsource: tide\nmined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}\npatterns:\n"
        "  - {id: slow, regex: '((a*)*)*\\1b', example: aab}\n"
    )
    cleaner, text = dehusk.Cleaner(dehusk.Patterns.from_yaml([yaml])), "a" * 5000
    with pytest.raises(dehusk.PatternError, match="pattern slow: .*make the regex simpler"):
        cleaner.clean(text, "tide")
    with pytest.raises(dehusk.PatternError, match="row 1: pattern slow"):
        cleaner.clean_batch({"text": ["b", text], "source": ["tide", "tide"]})
