"""What the tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import engine

import dehusk

ROOT = Path(__file__).parents[3]
NEWS = ROOT / "corpora" / "news"


def documents_of(folder: Path, kind: str = "txt") -> list[dict[str, str]]:
    """The documents of a folder with a folder for each source, in the order of their names."""
    paths, column = sorted(folder.glob(f"*/*.{kind}")), "text" if kind == "txt" else kind
    return [{"id": path.name, "source": path.parent.name, column: path.read_bytes().decode()} for path in paths]


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder that are not hidden."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


@pytest.fixture(scope="session")
def news() -> list[dict[str, str]]:
    """The texts of two sites: enough for all that happens, and quickly mined."""
    return [row for row in documents_of(NEWS) if row["source"] in ("harbor-ledger.example", "tideline-wire.example")]


@pytest.fixture(scope="session")
def patterns(news: list[dict[str, str]]) -> dehusk.Patterns:
    return dehusk.mine(news)


@pytest.fixture(scope="session")
def cleaner(patterns: dehusk.Patterns) -> dehusk.Cleaner:
    return dehusk.Cleaner(patterns)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program `dehusk`, built from the same sources."""
    named = os.environ.get("DEHUSK_PROGRAM")
    if named is None:
        if os.environ.get("DEHUSK_PYTHON") == "required":
            pytest.fail("DEHUSK_PROGRAM does not name the program")
        pytest.skip("DEHUSK_PROGRAM does not name the program")
    return Path(named)


@pytest.fixture(scope="session")
def corpus(news: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts of the news as files, without its pages."""
    folder = tmp_path_factory.mktemp("news")
    for row in news:
        (folder / row["source"]).mkdir(exist_ok=True)
        (folder / row["source"] / row["id"]).write_bytes(row["text"].encode())
    return folder


@pytest.fixture(scope="session")
def run_folder(program: Path, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `dehusk run` makes of the texts of the news."""
    folder = tmp_path_factory.mktemp("run") / "out"
    subprocess.run([program, "run", corpus, "-o", folder, "--quiet"], check=True)
    return folder


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark session for all tests."""
    sql = engine("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()
