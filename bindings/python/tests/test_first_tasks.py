"""The tasks in Python of docs/first-tasks.md run as they are written there."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from engines import engine

NEWS = ROOT / "corpora" / "news"


def block(task: str, language: str) -> str:
    sections = (ROOT / "docs" / "first-tasks.md").read_text(encoding="utf-8").split("\n## ")
    section = next(section for section in sections if section.startswith(f"{task}\n"))
    return section.split(f"```{language}\n")[1].split("\n```")[0]


@pytest.fixture
def articles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    monkeypatch.chdir(tmp_path)
    files = sorted(NEWS.glob("*/*.txt"))
    rows = [{"link": f"https://{file.parent.name}/{file.name}", "body": file.read_text("utf-8")} for file in files]
    with open("articles.csv", "w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, ["link", "body"])
        writer.writeheader()
        writer.writerows(rows)
    lines = [{"id": row["link"], "source": row["link"].split("/")[2], "text": row["body"]} for row in rows]
    Path("documents.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return rows


def assert_cleaned(texts: list[str], rows: list[dict[str, str]]) -> None:
    assert len(texts) == len(rows)
    before = sum(len(row["body"]) for row in rows)
    assert 0.3 * before < sum(map(len, texts)) < 0.6 * before


def ran(task: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(block(task, "python"), names)
    return names


def test_pandas(articles: list[dict[str, str]]) -> None:
    engine("pandas")
    assert_cleaned(list(ran("pandas")["cleaned"]["body"]), articles)


def test_hugging_face(articles: list[dict[str, str]]) -> None:
    engine("datasets")
    assert_cleaned(list(ran("A Hugging Face data set")["cleaned"]["body"]), articles)


def test_spark(articles: list[dict[str, str]]) -> None:
    engine("pyspark")
    python, *command = shlex.split(block("Spark", "sh"))
    assert python == "python"
    # As in an environment that is activated.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment)
    lines = [line for file in Path("out/cleaned").glob("part-*") for line in file.read_text("utf-8").splitlines()]
    assert_cleaned([json.loads(line)["text"] for line in lines], articles)
