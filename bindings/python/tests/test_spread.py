"""Engines that spread work over machines give what the program gives, to the byte."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import files_of
from engines import engine

import dehusk

Rows = list[dict[str, Any]]
# The engines use what Python deprecates, and leave files open.
pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = "ferry quay harbour storm council bakery choir bridge lamp winter market letter river boat road fish wind night".split()


def invented(number: int) -> Rows:
    """A source with a menu, a byline and a footer. Some are too small to be mined, and some share their footer."""
    chance = random.Random(number)
    name, count = f"site-{number:02d}.example", 3 if number % 7 == 0 else 8 + number
    menu = " | ".join(chance.sample(WORDS, 5)).title()
    footer = f"© {2000 + number % 3} Coast Media {number % 3}. All rights reserved."
    rows = []
    for index in range(count):
        story = " ".join(
            " ".join(chance.choices(WORDS, k=chance.randint(6, 14))).capitalize() + "." for _ in range(chance.randint(3, 9))
        )
        byline = f"Published {chance.randint(1, 28)} March 20{chance.randint(10, 24)} by {chance.choice(WORDS).title()} Smith"
        rows.append({"id": f"{name}/{index}", "source": name, "text": f"{menu}\n{byline}\n{story}\nShare this page\n{footer}\n"})
    return rows


@pytest.fixture(scope="session")
def rows(news: Rows) -> Rows:
    many = [row for number in range(20) for row in invented(number)] + news
    random.Random(7).shuffle(many)
    return many


@pytest.fixture(scope="session")
def jsonl(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("input")
    for part in range(3):
        lines = (json.dumps(row) + "\n" for row in rows[part::3])
        (folder / f"{part}.jsonl").write_text("".join(lines), "utf-8")
    return folder


@pytest.fixture(scope="session")
def mined(rows: Rows) -> dehusk.Patterns:
    return dehusk.mine(rows)


def as_saved(patterns: dehusk.Patterns) -> dict[str, list[str]]:
    """The patterns as YAML without histograms: the index of sources without patterns does not keep these."""
    yaml = {source: patterns[source].to_yaml().splitlines() for source in patterns}
    return {source: [line for line in lines if not line.startswith("histogram:")] for source, lines in yaml.items()}


def texts_of(rows: Rows) -> dict[tuple[str, str], str | None]:
    return {(row["source"], row["id"]): row["text"] for row in rows}


@pytest.fixture(scope="session")
def cleaned(rows: Rows, mined: dehusk.Patterns) -> dict[tuple[str, str], str | None]:
    return texts_of(dehusk.Cleaner(mined).clean_batch(rows))


def read(folder: Path, pattern: str) -> Rows:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text("utf-8").splitlines()]


def test_the_program(program: Path, jsonl: Path, mined: dehusk.Patterns, cleaned: Any, tmp_path: Path) -> None:
    subprocess.run([program, "run", jsonl, "-o", tmp_path, "--source-by", "key", "--quiet"], check=True)
    mined.save(tmp_path / "ours")
    assert files_of(tmp_path / "patterns") == files_of(tmp_path / "ours")
    assert texts_of(read(tmp_path / "cleaned", "*.jsonl")) == cleaned


# Rows that no document can be made of: without text, without source, with sources that no file can be named after.
ODD: Rows = [
    {"id": "a", "text": None, "source": "tide.example"},
    {"id": "b", "text": "A text", "source": None},
    {"id": "c", "text": None, "source": None},
    {"id": "d", "text": "A text", "source": "a/b"},
    {"id": "e", "text": "Another text", "source": "a/b"},
    # The names of groups of Ray begin so.
    {"id": "f", "text": "A text", "source": "_0"},
]
STRICT = r"3 rows have a source whose name no file can have .*: '_0' \(1\), 'a/b' \(2\); rename the sources"


def has_counts_of_odd_rows(counts: Any, rows: Rows) -> bool:
    found = (counts.documents, counts.skipped, counts.refused, counts.refused_sources)
    return found == (len(rows), 3, 3, {"_0": 1, "a/b": 2})


# What is sent as bytes is in another encoding, which the page declares.
LATIN = "iso-8859-1"


def page_of(row: dict[str, Any]) -> str:
    lines = [f"<p>{line} – café</p>" if number == 2 else f"<div>{line}</div>" for number, line in enumerate(row["text"].splitlines())]
    meta = f"<meta charset={LATIN}>"
    return f"<html><head>{meta}<title>{row['id']}</title></head><body>{''.join(lines)}</body></html>".replace("–", "&ndash;")


@pytest.fixture(scope="session")
def pages(rows: Rows) -> Rows:
    """Pages, but for some rows that have a text."""
    invented = [row for row in rows if row["source"].startswith("site-")]
    return [
        {**row, "html": None} if number % 9 == 0 else {**row, "text": None, "html": page_of(row)}
        for number, row in enumerate(invented)
    ]


@pytest.fixture(scope="session")
def of_program(program: Path, pages: Rows, tmp_path_factory: pytest.TempPathFactory) -> tuple[dehusk.Patterns, Any]:
    """The patterns of pages, and their cleaned texts, as the program mines and cleans them in several processes."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pages), "utf-8")
    for command in (
        ["mine", folder / "in.jsonl", "--candidates", folder / "candidates", "--source-by", "key"],
        ["combine", folder / "candidates", "-o", folder / "patterns"],
        ["clean", folder / "in.jsonl", "-p", folder / "patterns", "-o", folder / "out", "--source-by", "key"],
    ):
        subprocess.run([program, *command, "--quiet"], check=True)
    return dehusk.Patterns.load(folder / "patterns"), texts_of(read(folder / "out", "*.jsonl"))


def as_bytes(rows: Rows) -> Rows:
    return [{**row, "html": None if row["html"] is None else row["html"].encode(LATIN)} for row in rows]


# Spark


def test_spark(spark: Any, jsonl: Path, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.spark import clean, mine

    frame = spark.read.json(str(jsonl))
    # Packs of some sources, and sources of their own.
    result = mine(frame, pack=20_000)
    assert result.patterns == mined
    assert result.documents == len(cleaned)
    assert 5 < result.groups < 26
    assert (result.skipped, result.sampled) == (0, {})
    after = clean(frame, result.patterns)
    assert after.schema == frame.schema
    assert texts_of([row.asDict() for row in after.collect()]) == cleaned


def test_spark_leaves_what_has_no_text_or_no_source(spark: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.spark import clean, mine

    odd = [("a", None, "tide", 1), ("b", "A text", None, None), ("c", None, None, 3)]
    given = [(row["id"], row["text"], row["source"], 7) for row in rows] + odd
    frame = spark.createDataFrame(given, "`my id` string, body string, site string, year int")
    result = mine(frame, text="body", source="site", id="my id")
    assert (result.patterns, result.skipped, result.groups) == (mined, 3, 1)
    after = [tuple(row) for row in clean(frame, mined, text="body", source="site").collect()]
    expected = [(id, cleaned.get((site, id), body), site, year) for id, body, site, year in given]
    assert sorted(after, key=str) == sorted(expected, key=str)
    with pytest.raises(dehusk.DataError, match="no column 'text'; the columns are: 'my id', 'body'"):
        mine(frame)


def sample_of(rows: Rows, largest: int) -> tuple[Rows, dict[str, float]]:
    """The documents that are mined if sources are as large, and the shares of the sources that are mined in part."""
    from dehusk._spread import is_below, limit_of

    sizes = Counter[str]()
    for row in rows:
        sizes[row["source"]] += len(row["text"].encode())
    shares = {source: largest / size for source, size in sizes.items() if size > largest}
    kept = [row for row in rows if is_below(row["id"].encode(), limit_of(shares.get(row["source"], 1.0)))]
    assert 0 < len(shares) < 6
    assert len(kept) < len(rows)
    return kept, shares


def test_spark_samples_what_is_too_large(spark: Any, rows: Rows) -> None:
    from dehusk.spark import mine

    largest = 30_000
    kept, shares = sample_of(rows, largest)
    result = mine(spark.createDataFrame(rows).repartition(5), pack=20_000, largest=largest)
    assert result.sampled == shares
    assert result.patterns == dehusk.mine(kept)


def test_spark_counts_what_cannot_be_used(spark: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.spark import clean, count, mine

    frame = spark.createDataFrame([*rows, *ODD], "id string, text string, source string")
    result = mine(frame, pack=20_000)
    assert result.patterns == mined and has_counts_of_odd_rows(result, rows)
    assert has_counts_of_odd_rows(count(frame), rows)
    assert texts_of([row.asDict() for row in clean(frame, mined).collect()]) == {**cleaned, **texts_of(ODD)}
    for strict in (lambda: mine(frame, strict=True), lambda: clean(frame, mined, strict=True)):
        with pytest.raises(dehusk.DataError, match=STRICT):
            strict()


@pytest.mark.parametrize("kind", ["string", "binary"])
def test_spark_reads_pages(spark: Any, pages: Rows, of_program: Any, kind: str) -> None:
    from dehusk.spark import clean, mine

    patterns, texts = of_program
    given = as_bytes(pages) if kind == "binary" else pages
    frame = spark.createDataFrame(given, f"id string, source string, text string, html {kind}")
    assert as_saved(mine(frame, html="html", pack=20_000).patterns) == as_saved(patterns)
    after = [row.asDict() for row in clean(frame, patterns, html="html").collect()]
    assert texts_of(after) == texts
    assert {(row["id"], row["html"]) for row in after} == {(row["id"], row["html"]) for row in given}
    # Without a column of texts there is one afterwards.
    frame = frame.where("text is null").drop("text")
    after = [row.asDict() for row in clean(frame, patterns, html="html").collect()]
    assert texts_of(after) == {key: texts[key] for key in texts_of(after)}


def test_bytes_that_are_no_page(spark: Any, mined: dehusk.Patterns) -> None:
    from dehusk.spark import clean

    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 8
    frame = spark.createDataFrame([("tide.example", picture)], "source string, html binary")
    assert clean(frame, mined, html="html").collect()[0].text is None


@pytest.mark.parametrize("format", ["json", "parquet"])
def test_the_spark_job(spark: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any, tmp_path: Path, format: str, capsys: Any) -> None:
    given = tmp_path / f"given.{format}"
    frame = spark.createDataFrame([*rows, *ODD], "id string, text string, source string")
    getattr(frame.write, format)(str(given))
    for command in (f"run {given} {tmp_path}/out", f"clean {given} {tmp_path}/again -p file://{tmp_path}/out/patterns"):
        run_job(spark, command)
    assert as_saved(dehusk.Patterns.load(tmp_path / "out" / "patterns")) == as_saved(mined)
    for folder in (tmp_path / "out" / "cleaned", tmp_path / "again"):
        after = [row.asDict() for row in getattr(spark.read, format)(str(folder)).collect()]
        assert texts_of(after) == {**cleaned, **texts_of(ODD)}
    run, clean = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    counts = {"documents": len(rows), "skipped": 3, "refused": 3, "refused_sources": {"_0": 1, "a/b": 2}}
    assert clean == {**counts, "unknown": 0, "unknown_sources": {}}
    assert run == {**counts, "groups": 1, "sources": len(mined), "sampled": {}}
    with pytest.raises(dehusk.DataError, match=STRICT):
        run_job(spark, f"run {given} {tmp_path}/strict --strict")
    assert not (tmp_path / "strict").exists()


def run_job(spark: Any, command: str) -> None:
    from dehusk.spark import __main__ as job

    job._run(job._parser().parse_args(command.split()), spark)


def decisions_of(folder: Path) -> dict[str, int]:
    """The number of rejected patterns in each pattern file."""
    found = {path.name: path.read_text("utf-8").count("status: rejected") for path in folder.glob("*.yaml")}
    return {name: count for name, count in found.items() if count}


def reject_one(folder: Path, source: str) -> None:
    path = folder / f"{source}.yaml"
    path.write_text(path.read_text("utf-8").replace("status: proposed", "status: rejected", 1), "utf-8")
    assert decisions_of(folder)[path.name] == 1


def test_the_spark_job_keeps_decisions_and_looks_at_its_outputs_first(
    spark: Any, rows: Rows, program: Path, tmp_path: Path
) -> None:
    given, out = tmp_path / "given.json", tmp_path / "out"
    spark.createDataFrame(rows, "id string, text string, source string").write.json(str(given))
    run_job(spark, f"run {given} {out}")
    reject_one(out / "patterns", "site-09.example")
    before = files_of(out)
    with pytest.raises(dehusk.UsageError, match="out/cleaned' already exists: name another folder, or give --mode overwrite"):
        run_job(spark, f"run {given} {out}")
    with pytest.raises(dehusk.UsageError, match="out/cleaned' already exists"):
        run_job(spark, f"clean {given} {out}/cleaned -p {out}/patterns")
    assert files_of(out) == before
    with pytest.raises(dehusk.DataError, match="/missing.json' cannot be read: .*Path does not exist"):
        run_job(spark, f"run {tmp_path}/missing.json {tmp_path}/other")
    lines = len(read(out / "cleaned", "*.json"))
    # What the program makes of the same documents and decisions.
    (tmp_path / "given.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    dehusk.Patterns.load(out / "patterns").save(tmp_path / "program")
    subprocess.run([program, "mine", tmp_path / "given.jsonl", "-o", tmp_path / "program", "--quiet"], check=True)
    for mode, times in [("overwrite", 1), ("append", 2)]:
        run_job(spark, f"run {given} {out} --mode {mode}")
        assert files_of(out / "patterns") == files_of(tmp_path / "program")
        assert decisions_of(out / "patterns") == {"site-09.example.yaml": 1}
        assert len(read(out / "cleaned", "*.json")) == times * lines
    # Mining alone keeps decisions, too, and so does a folder that is named by its address.
    for folder in (f"{out}/patterns", f"file://{out}/patterns"):
        run_job(spark, f"mine {given} {folder}")
        assert files_of(out / "patterns") == files_of(tmp_path / "program")
    for folder in (f"{tmp_path}/new", f"file://{tmp_path}/address"):
        run_job(spark, f"mine {given} {folder} --reviewed {out}/patterns")
    assert files_of(tmp_path / "new") == files_of(tmp_path / "address") == files_of(tmp_path / "program")
    reject_one(tmp_path / "new", "site-10.example")
    with pytest.raises(dehusk.UsageError, match="has pattern files, and their decisions are kept: leave the reviewed ones out"):
        run_job(spark, f"mine {given} {tmp_path}/new --reviewed {out}/patterns")
    with pytest.raises(dehusk.UsageError, match="given.json' is read: name another folder"):
        run_job(spark, f"clean {given} {given} -p {out}/patterns --mode overwrite")
    (tmp_path / "new" / "site-11.example.yaml").write_text("nonsense", "utf-8")
    with pytest.raises(dehusk.PatternError, match="site-11.example.yaml"):
        run_job(spark, f"mine {given} {tmp_path}/new")


@pytest.mark.parametrize("address", ["", "file://"])
def test_decisions_that_are_made_while_patterns_are_mined_are_kept(
    mined: dehusk.Patterns, tmp_path: Path, address: str
) -> None:
    from dehusk._kept import PatternFolder

    mined.save(tmp_path)
    folder = PatternFolder(f"{address}{tmp_path}")
    assert as_saved(folder.reviewed) == as_saved(mined)
    reject_one(tmp_path, "site-09.example")
    folder.save(mined)
    assert decisions_of(tmp_path) == {"site-09.example.yaml": 1}


def test_the_spark_job_names_sources_without_patterns(
    spark: Any, rows: Rows, mined: dehusk.Patterns, tmp_path: Path, capsys: Any
) -> None:
    from dehusk.spark import clean, count

    renamed = [{**row, "source": f"www.{row['source']}"} if row["source"] == "site-09.example" else row for row in rows]
    number = sum(row["source"] == "www.site-09.example" for row in renamed)
    given, frame = tmp_path / "given.parquet", spark.createDataFrame(renamed, "id string, text string, source string")
    frame.write.parquet(str(given))
    mined.save(tmp_path / "patterns")
    message = (
        rf"{number} documents have a source without patterns \(with their number\): 'www.site-09.example' \({number}\) "
        r"\(did you mean 'site-09.example' instead of 'www.site-09.example'\?\); mine them, or give missing='keep'"
    )
    with pytest.raises(dehusk.DataError, match=message):
        run_job(spark, f"clean {given} {tmp_path}/out -p {tmp_path}/patterns")
    assert not (tmp_path / "out").exists()
    with pytest.raises(dehusk.DataError, match=message):
        clean(frame, mined, strict=True)
    with pytest.raises(Exception, match="there are no patterns for source 'www.site-09.example'"):
        clean(frame, mined).collect()
    run_job(spark, f"clean {given} {tmp_path}/out -p {tmp_path}/patterns --missing keep")
    counts = json.loads(capsys.readouterr().out)
    assert (counts["documents"], counts["unknown"], counts["unknown_sources"]) == (len(rows), number, {"www.site-09.example": number})
    assert count(frame, patterns=mined).unknown == number and count(frame).unknown == 0
    after = texts_of([row.asDict() for row in spark.read.parquet(str(tmp_path / "out")).collect()])
    assert after == texts_of(dehusk.Cleaner(mined).clean_batch(renamed, missing="keep"))


def test_spark_sends_only_what_it_needs_through_python(spark: Any, news: Rows, tmp_path: Path) -> None:
    from dehusk.spark import clean, mine

    texts = [row["text"] for row in news if row["source"] == "tideline-wire.example"]
    given = [(number, text, 2024) for number, text in enumerate(texts)]
    frame = spark.createDataFrame(given, "id long, `my.text` string, `the.year` int")
    # Python cannot be sent an interval of months. Names of partitions are read as numbers.
    frame = frame.selectExpr("*", "make_ym_interval(1, id) AS `an interval`")
    frame.write.partitionBy("the.year").parquet(str(tmp_path / "given"))
    names = {"text": "my.text", "source": "the.year"}
    frame = spark.read.parquet(str(tmp_path / "given"))
    result = mine(frame, **names)
    expected = dehusk.mine({"text": texts, "source": ["2024"] * len(texts)})
    assert result.patterns == expected
    after = clean(frame, result.patterns, **names)
    assert after.schema == frame.schema
    after.write.parquet(str(tmp_path / "cleaned"))
    cleaned = spark.read.parquet(str(tmp_path / "cleaned")).selectExpr("id", "`my.text` AS text", "string(`an interval`) AS age").collect()
    cleaner = dehusk.Cleaner(expected)
    assert {(row.id, row.text) for row in cleaned} == {(id, cleaner.clean(text, "2024")) for id, text, _ in given}
    assert len({row.age for row in cleaned}) == len(given)
    run_job(spark, f"run {tmp_path}/given {tmp_path}/out --text my.text --source the.year")
    assert dehusk.Patterns.load(tmp_path / "out" / "patterns") == expected


# Ray


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    module = engine("ray")
    engine("ray.data")
    module.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield module
    module.shutdown()


def test_ray(ray: Any, jsonl: Path, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.integrations.ray import clean, mine

    data = ray.data.read_json([str(path) for path in jsonl.iterdir()])
    result = mine(data, pack=20_000)
    assert result.patterns == mined
    assert (result.documents, result.skipped, result.sampled) == (len(cleaned), 0, {})
    assert texts_of(clean(data, mined).take_all()) == cleaned


def test_ray_counts_what_cannot_be_used(ray: Any, rows: Rows, mined: dehusk.Patterns, cleaned: Any) -> None:
    from dehusk.integrations.ray import clean, count, mine

    data = ray.data.from_items([*rows, *ODD])
    result = mine(data, pack=20_000)
    assert result.patterns == mined and has_counts_of_odd_rows(result, rows)
    assert has_counts_of_odd_rows(count(data), rows)
    assert texts_of(clean(data, mined).take_all()) == {**cleaned, **texts_of(ODD)}
    for strict in (lambda: mine(data, strict=True), lambda: clean(data, mined, strict=True)):
        with pytest.raises(dehusk.DataError, match=STRICT):
            strict()


def test_ray_reads_pages(ray: Any, pages: Rows, of_program: Any) -> None:
    from dehusk.integrations.ray import clean, mine

    patterns, texts = of_program
    data = ray.data.from_items(as_bytes(pages))
    assert as_saved(mine(data, html="html", pack=20_000).patterns) == as_saved(patterns)
    assert texts_of(clean(data, patterns, html="html").take_all()) == texts


def test_ray_names_sources_without_patterns(ray: Any, rows: Rows, mined: dehusk.Patterns) -> None:
    from dehusk.integrations.ray import clean, count

    given = [*rows[:20], {"id": "a", "text": "A text.", "source": "site-9.example"}]
    data = ray.data.from_items(given)
    found = count(data, patterns=mined)
    assert (found.unknown, found.unknown_sources) == (1, {"site-9.example": 1})
    with pytest.raises(dehusk.DataError, match="1 documents have a source without patterns .*'site-9.example'"):
        clean(data, mined, strict=True)
    with pytest.raises(Exception, match="there are no patterns for source 'site-9.example'"):
        clean(data, mined).take_all()
    after = clean(data, mined, missing="keep").take_all()
    assert texts_of(after) == texts_of(dehusk.Cleaner(mined).clean_batch(given, missing="keep"))


def test_ray_takes_numbers_as_names_of_sources(ray: Any, news: Rows) -> None:
    from dehusk.integrations.ray import clean, mine

    texts = [row["text"] for row in news if row["source"] == "tideline-wire.example"]
    data = ray.data.from_items([{"my.text": text, "year": 2024} for text in texts])
    expected = dehusk.mine({"text": texts, "source": ["2024"] * len(texts)})
    result = mine(data, text="my.text", source="year")
    assert result.patterns == expected
    cleaned = clean(data, result.patterns, text="my.text", source="year").take_all()
    assert {row["my.text"] for row in cleaned} == {dehusk.Cleaner(expected).clean(text, "2024") for text in texts}
    assert {row["year"] for row in cleaned} == {2024}


def test_ray_samples_as_spark_does(ray: Any, rows: Rows) -> None:
    from dehusk.integrations.ray import clean, mine

    largest = 30_000
    kept, shares = sample_of(rows, largest)
    data = ray.data.from_items([*rows, {"id": "a", "text": None, "source": "tide"}])
    result = mine(data, pack=20_000, largest=largest)
    assert (result.sampled, result.skipped) == (shares, 1)
    assert result.patterns == dehusk.mine(kept)
    assert {"id": "a", "text": None, "source": "tide"} in clean(data, result.patterns).take_all()
