"""Spans for Dolma are those of the program. Dolma wants older versions of what others need, so these tests run apart."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engines import engine

import dehusk

Rows = list[dict[str, str]]
# Dolma leaves files open.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def types() -> Any:
    return engine("dolma.core.data_types")


def test_a_document_gets_its_spans(types: Any, news: Rows, cleaner: dehusk.Cleaner) -> None:
    from dehusk.integrations.dolma import Tagger

    for row in news:
        document = types.DocumentWithMetadata("crawl", row["id"], row["text"], metadata={"site": row["source"]})
        result = Tagger(cleaner, source="site").predict(document)
        assert result.doc is document
        expected = cleaner.spans(row["text"], row["source"])
        assert [(span.start, span.end, span.score) for span in result.spans] == [
            (span.start, span.end, span.score) for span in expected
        ]
        assert {span.type for span in result.spans} <= {"boilerplate"}


def test_what_is_missing_is_named(types: Any, cleaner: dehusk.Cleaner, monkeypatch: pytest.MonkeyPatch) -> None:
    from dehusk.integrations.dolma import Tagger

    monkeypatch.delenv("DEHUSK_PATTERNS", raising=False)
    with pytest.raises(dehusk.UsageError, match="set DEHUSK_PATTERNS"):
        Tagger()
    with pytest.raises(dehusk.DataError, match=r"document '7' has no metadata\.site"):
        Tagger(cleaner, source="site").predict(types.DocumentWithMetadata("crawl", "7", "text"))


def test_a_source_without_patterns_is_an_error_or_stays(
    types: Any, cleaner: dehusk.Cleaner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dehusk.integrations.dolma import Tagger

    document = types.DocumentWithMetadata("nobody.example", "7", "A boat.")
    with pytest.raises(dehusk.DataError, match="there are no patterns for source 'nobody.example'"):
        Tagger(cleaner).predict(document)
    assert Tagger(cleaner, missing="keep").predict(document).spans == []
    monkeypatch.setenv("DEHUSK_MISSING", "keep")
    assert Tagger(cleaner).predict(document).spans == []


def test_dolma_tag(types: Any, news: Rows, patterns: dehusk.Patterns, cleaner: dehusk.Cleaner, tmp_path: Path) -> None:
    patterns.save(tmp_path / "patterns")
    (tmp_path / "documents").mkdir()
    with gzip.open(tmp_path / "documents" / "news.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in news)
    module = "dehusk.integrations.dolma"
    command = [Path(sys.executable).with_name("dolma"), "tag", "--tagger_modules", module, "--taggers", "dehusk"]
    command += ["--documents", tmp_path / "documents" / "*.gz", "--processes", "1"]
    environment = {"DEHUSK_PATTERNS": str(tmp_path / "patterns"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    with gzip.open(tmp_path / "attributes" / "dehusk" / "news.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    assert [line["id"] for line in lines] == [row["id"] for row in news]
    for line, row in zip(lines, news, strict=True):
        [spans] = line["attributes"].values()
        expected = cleaner.spans(row["text"], row["source"])
        assert spans == [[span.start, span.end, round(span.score, 5)] for span in expected]
