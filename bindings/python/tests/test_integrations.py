"""What engines get is what the cleaner gives."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest
from engines import engine

import dehusk
from dehusk.integrations.nemo import Clean as CleanFields

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def cleaned(news: Rows, cleaner: dehusk.Cleaner) -> list[str]:
    return [row["text"] for row in cleaner.clean_batch(news)]


@pytest.fixture(scope="session")
def folder(patterns: dehusk.Patterns, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patterns")
    patterns.save(folder)
    return folder


def test_no_engine_is_imported_before_it_is_used() -> None:
    engines = "{'datatrove', 'datasets', 'dolma', 'pyspark', 'ray', 'pyarrow'}"
    code = f"import dehusk, dehusk.integrations, sys; assert not {engines} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# Hugging Face datasets


@pytest.mark.parametrize("is_stream", [False, True])
def test_datasets(news: Rows, folder: Path, cleaned: list[str], is_stream: bool) -> None:
    datasets = engine("datasets")
    from dehusk.integrations.datasets import Clean

    data = datasets.Dataset.from_list(news)
    data = data.to_iterable_dataset(num_shards=3) if is_stream else data
    result = data.map(Clean(folder), batched=True, batch_size=17)
    assert list(result) == [{**row, "text": text} for row, text in zip(news, cleaned, strict=True)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_datasets_in_processes(news: Rows, patterns: dehusk.Patterns, cleaned: list[str]) -> None:
    datasets = engine("datasets")
    from dehusk.integrations.datasets import Clean

    data = datasets.Dataset.from_list(news).rename_columns({"text": "content", "source": "site"})
    result = data.map(Clean(patterns, text="content", source="site"), batched=True, num_proc=2)
    assert result["content"] == cleaned
    with pytest.raises(dehusk.DataError, match="no column 'text'; the columns are: 'id', 'site', 'content'"):
        Clean(patterns)({"id": [], "site": [], "content": []})


def test_datasets_finds_what_it_made_before(news: Rows, patterns: dehusk.Patterns) -> None:
    fingerprint = engine("datasets.fingerprint")
    from dehusk.integrations.datasets import Clean

    clean = Clean(patterns)
    before = fingerprint.Hasher.hash(clean)
    clean({name: [row[name] for row in news[:3]] for name in ("text", "source")})
    assert fingerprint.Hasher.hash(clean) == before == fingerprint.Hasher.hash(Clean(patterns))


# datatrove


def documents(news: Rows) -> list[Any]:
    data = engine("datatrove.data")
    return [data.Document(row["text"], row["id"], metadata={"source": row["source"]}) for row in news]


def test_datatrove_cleans(news: Rows, folder: Path, cleaned: list[str]) -> None:
    given = documents(news)
    from dehusk.integrations.datatrove import Clean

    step = pickle.loads(pickle.dumps(Clean(folder)))
    result = list(step.run(given))
    assert [document.text for document in result] == cleaned
    assert [document.id for document in result] == [row["id"] for row in news]
    expected = {
        "total": len(news),
        "chars_in": sum(len(row["text"]) for row in news),
        "chars_out": sum(map(len, cleaned)),
        "changed": sum(row["text"] != text for row, text in zip(news, cleaned, strict=True)),
    }
    assert {name: step.stats[name].total for name in expected} == expected


def test_datatrove_sources_come_from_a_function(news: Rows, folder: Path, cleaned: list[str]) -> None:
    data = engine("datatrove.data")
    from dehusk.integrations.datatrove import Clean

    given = [data.Document(row["text"], f"{row['source']}/{row['id']}") for row in news]
    step = Clean(folder, source=lambda document: document.id.split("/")[0])
    assert [document.text for document in step(copy.deepcopy(given))] == cleaned
    with pytest.raises(dehusk.DataError, match="has no metadata 'source'"):
        list(Clean(folder).run(given))


def test_datatrove_mines_in_one_task(news: Rows, patterns: dehusk.Patterns, tmp_path: Path) -> None:
    given = documents(news)
    from dehusk.integrations.datatrove import Mine

    assert [document.text for document in Mine(tmp_path).run(given)] == [row["text"] for row in news]
    assert dehusk.Patterns.load(tmp_path) == patterns
    with pytest.raises(dehusk.UsageError, match="use Partition first"):
        list(Mine(tmp_path).run(given, 0, 2))


def test_datatrove_mines_in_many_tasks(news: Rows, patterns: dehusk.Patterns, tmp_path: Path) -> None:
    given = documents(news)
    local = engine("datatrove.executor.local").LocalPipelineExecutor
    from dehusk.integrations.datatrove import Compare, MinePartitions, Partition

    def run(name: str, steps: list[Any], tasks: int) -> None:
        local(steps, tasks=tasks, workers=1, logging_dir=str(tmp_path / name)).run()

    work = str(tmp_path / "work")
    run("1", [lambda data, rank, size: given[rank::size], Partition(work, 4)], 3)
    run("2", [MinePartitions(work)], 2)
    run("3", [Compare(work, tmp_path / "patterns")], 1)
    assert dehusk.Patterns.load(tmp_path / "patterns") == patterns


def test_datatrove_keeps_decisions(news: Rows, patterns: dehusk.Patterns, tmp_path: Path) -> None:
    given = documents(news)
    from dehusk.integrations.datatrove import Mine

    patterns.save(tmp_path)
    path = tmp_path / f"{news[0]['source']}.yaml"
    path.write_text(path.read_text("utf-8").replace("status: proposed", "status: rejected", 1), "utf-8")
    list(Mine(tmp_path).run(given))
    assert path.read_text("utf-8").count("status: rejected") == 1
    with pytest.raises(dehusk.UsageError, match="their decisions are kept: leave the reviewed ones out"):
        list(Mine(tmp_path, reviewed=patterns).run(given))


# Sources without patterns


def test_a_source_without_patterns_is_an_error_everywhere(patterns: dehusk.Patterns) -> None:
    engine("datatrove")
    from dehusk.integrations import datasets, datatrove

    row = {"text": "A boat.", "source": "nobody.example"}
    [document] = documents([{**row, "id": "1"}])
    batch = {name: [value] for name, value in row.items()}
    for missing in ("error", "keep"):
        how: Any = {"missing": missing}
        calls = {
            "datasets": lambda how=how: datasets.Clean(patterns, **how)(batch)["text"],
            "datatrove": lambda how=how: [cleaned.text for cleaned in datatrove.Clean(patterns, **how).run([document])],
            "nemo": lambda how=how: [CleanFields(patterns, **how)(**row)],
        }
        for call in calls.values():
            if missing == "keep":
                assert call() == ["A boat."]
            else:
                with pytest.raises(dehusk.DataError, match="there are no patterns for source 'nobody.example'; mine it, or give"):
                    call()


# NeMo Curator


class Modify:
    """What the stage `Modify` of NeMo Curator does with a function of several fields."""

    def __init__(self, modifier_fn: Any, input_fields: list[list[str]], output_fields: str) -> None:
        self.name = modifier_fn.__name__
        self.modifier_fn, self.input_fields, self.output_fields = modifier_fn, input_fields, output_fields

    def process(self, frame: pandas.DataFrame) -> pandas.DataFrame:
        [columns] = self.input_fields
        frame[self.output_fields] = [self.modifier_fn(**record) for record in frame[columns].to_dict("records")]
        return frame


def test_nemo(news: Rows, folder: Path, cleaned: list[str]) -> None:
    stage = pickle.loads(pickle.dumps(Modify(CleanFields(folder), [["text", "source"]], "text")))
    assert stage.name == "dehusk"
    assert list(stage.process(pandas.DataFrame(news))["text"]) == cleaned
    stage = Modify(CleanFields(folder, text="raw", source="domain"), [["raw", "domain"]], "raw")
    assert list(stage.process(pandas.DataFrame(news).rename(columns={"text": "raw", "source": "domain"}))["raw"]) == cleaned
    with pytest.raises(dehusk.DataError, match="no field 'source'; name it in input_fields"):
        CleanFields(folder)(text="Ships are late.")


def test_what_are_no_patterns_is_refused() -> None:
    with pytest.raises(dehusk.DataTypeError, match="patterns: int is neither"):
        CleanFields(1)  # type: ignore[arg-type]
