"""The examples of the documentation run, and its types are those of the code."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import dehusk
from dehusk import _corpora, _dehusk, _stream


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
@pytest.mark.parametrize("module", [dehusk, _dehusk, _corpora, _stream])
def test_examples_of_docstrings(module: ModuleType) -> None:
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    named = {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}
    tests = [test for test in finder.find(module, module.__name__) if test.examples]
    if module is _dehusk:
        # What is written in Rust is not found through its module.
        for name, value in named.items():
            members = [value, *vars(value).values()] if isinstance(value, type) else [value]
            tests += [test for member in members for test in finder.find(member, name, module=False) if test.examples]
        assert len(tests) >= 5
    for test in tests:
        runner.run(test)
    assert runner.failures == 0


def test_every_public_name_has_a_docstring() -> None:
    for name in dehusk.__all__:
        value = getattr(dehusk, name)
        assert name in ("__version__", "Figures", "Status") or value.__doc__, name
        if isinstance(value, type) and value.__module__ == "dehusk":
            for member, of in vars(value).items():
                assert member.startswith("_") or getattr(of, "__doc__", None) or not callable(of), (name, member)


def test_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failures, tests = doctest.testfile(
        str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert tests > 10 and failures == 0


CONFIG = str(ROOT / "bindings" / "python" / "pyproject.toml")


def test_stubs_are_those_of_the_module() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "dehusk._dehusk"]
    command += ["--mypy-config-file", CONFIG, "--ignore-disjoint-bases"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_hold() -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", CONFIG, "-p", "dehusk"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


TYPED = """
from collections.abc import Iterator
from typing import Any, Literal, assert_type
import dehusk, polars, pyarrow

class Capsule:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def rows() -> Iterator[dict[str, str]]: ...

def check(cleaner: dehusk.Cleaner, lazy: polars.LazyFrame, frame: polars.DataFrame, capsule: Capsule, table: dehusk.Table) -> None:
    assert_type(cleaner.clean_batch(rows()), Iterator[dict[str, Any]])
    assert_type(cleaner.clean_batch(["a"], name="b"), list[str])
    assert_type(cleaner.clean_batch(iter(["a"])), Iterator[str])
    assert_type(cleaner.clean_batch([{"text": "a", "source": "b"}]), list[dict[str, Any]])
    assert_type(cleaner.clean_batch({"text": ["a"], "source": ["b"]}), dict[str, Any])
    assert_type(cleaner.clean_batch(frame), polars.DataFrame)
    assert_type(cleaner.clean_batch(capsule), dehusk.Table)
    assert_type(cleaner.clean_batch(table), dehusk.Table)
    assert_type(cleaner.clean_batch(lazy), polars.LazyFrame)
    assert_type(cleaner.clean_batch(frame["text"], name="a"), polars.Series)
    assert_type(cleaner.patterns["a"].patterns[0].status, Literal["proposed", "accepted", "rejected"])
    cleaner.clean_batch("text")  # type: ignore[arg-type]
    cleaner.clean_batch(b"text")  # type: ignore[arg-type]
    cleaner.clean_batch(None)  # type: ignore[call-overload]
    cleaner.clean(None, "tide")  # type: ignore[arg-type]
    dehusk.mine(capsule, reviewed="patterns")
    assert_type(dehusk.extract(b"<p>"), str)
    assert_type(dehusk.extract("<p>", "https://a.example", format="markdown"), str)
    assert_type(dehusk.extract("<p>", metadata=True), dehusk.Content)
    assert_type(dehusk.extract("<p>", format="json")["author"], str | None)
"""


def test_types_say_what_comes_back_and_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED, "utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", CONFIG, "--disable-error-code", "empty-body", tmp_path / "typed.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
