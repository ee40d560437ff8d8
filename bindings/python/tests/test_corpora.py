"""Files in, files out: the same files as those of the program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import NEWS, files_of

import dehusk


def test_run_writes_the_files_of_the_program(
    news: list[dict[str, str]], corpus: Path, run_folder: Path, tmp_path: Path
) -> None:
    figures = dehusk.run_corpus(corpus, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(run_folder)
    assert figures["documents"] == len(news) and figures["skipped"] == 0
    assert figures["bytes_out"] < figures["bytes_in"]
    source = figures["sources"]["tideline-wire.example"]
    assert source["patterns"] > 0 and source["documents"] > 20 and source["has_changed"] is False


def test_mine_then_clean_is_run(corpus: Path, run_folder: Path, patterns: dehusk.Patterns, tmp_path: Path) -> None:
    mined = dehusk.mine_corpus([corpus], str(tmp_path / "patterns"), threads=1)
    assert files_of(tmp_path / "patterns") == files_of(run_folder / "patterns")
    for number, given in enumerate([patterns, tmp_path / "patterns", str(tmp_path / "patterns")]):
        out = tmp_path / str(number)
        cleaned = dehusk.clean_corpus(corpus, out, given, threads=2)
        assert files_of(out) == files_of(run_folder / "cleaned")
        assert cleaned["documents"] == mined["documents"]


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
@pytest.mark.parametrize("html", ["page", "markdown", "markup"])
def test_pages_are_written_as_the_program_does(program: Path, tmp_path: Path, html: str) -> None:
    pages = NEWS / "orchard-courier.example"
    command = [program, "run", pages, "-o", tmp_path / "program", "--html", html, "--quiet"]
    subprocess.run(command, check=True)
    dehusk.run_corpus(pages, tmp_path / "ours", html=html)  # type: ignore[arg-type]
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "program")


def test_jsonl_with_other_keys(news: list[dict[str, str]], patterns: dehusk.Patterns, tmp_path: Path) -> None:
    rows = [{"body": row["text"], "site": row["source"], "kept": number} for number, row in enumerate(news)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    dehusk.mine_corpus(tmp_path / "in.jsonl", tmp_path / "patterns", text_key="body", source_key="site")
    assert dehusk.Patterns.load(tmp_path / "patterns") == patterns
    figures = dehusk.clean_corpus(
        tmp_path / "in.jsonl", tmp_path / "out", patterns, text_key="body", source_key="site", spans="codepoints"
    )
    assert figures["documents"] == len(rows)


@pytest.mark.filterwarnings("ignore:there is no pattern file:dehusk.DehuskWarning")
def test_what_is_left_out_is_a_warning(patterns: dehusk.Patterns, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"source": "tide", "text": "A boat."}\nnonsense\n', "utf-8")
    with pytest.warns(dehusk.DehuskWarning, match=r"in.jsonl:2: left out: "):
        figures = dehusk.clean_corpus(tmp_path / "in.jsonl", tmp_path / "out", patterns, source_by="key")
    assert figures["documents"] == 1 and figures["skipped"] == 1


def test_decisions_stay(news: list[dict[str, str]], patterns: dehusk.Patterns, tmp_path: Path) -> None:
    source = "tideline-wire.example"
    rejected = patterns[source].patterns[0].id
    patterns.save(tmp_path)
    path = tmp_path / f"{source}.yaml"
    yaml = path.read_text("utf-8")
    at = yaml.index(f"id: {rejected}") if f"id: {rejected}" in yaml else yaml.index(rejected)
    path.write_text(yaml[:at] + yaml[at:].replace("status: proposed", "status: rejected", 1), "utf-8")
    reviewed = dehusk.Patterns.load(tmp_path)
    assert {pattern.id: pattern.status for pattern in reviewed[source].patterns}[rejected] == "rejected"
    for again in (
        dehusk.mine(news, reviewed=reviewed),
        dehusk.compare(dehusk.candidates(news), reviewed=reviewed),
    ):
        assert {pattern.id: pattern.status for pattern in again[source].patterns}[rejected] == "rejected"
