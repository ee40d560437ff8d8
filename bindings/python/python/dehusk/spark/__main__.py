"""The Spark job: ``python -m dehusk.spark mine|clean|run INPUT OUT``. It can be given to ``spark-submit``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

import pyarrow.fs
from pyspark.sql import DataFrame, SparkSession

from dehusk import Error, Patterns
from dehusk._spread import LARGEST, PACK, Mined
from dehusk.spark import clean, count, mine


def main() -> None:
    """Run the job that the command line names."""
    arguments = _parser().parse_args()
    spark = SparkSession.builder.appName(f"dehusk {arguments.command}").getOrCreate()
    try:
        _run(arguments, spark)
    except Error as error:
        sys.exit(f"error: {error}")
    finally:
        spark.stop()


def _run(arguments: argparse.Namespace, spark: SparkSession) -> None:
    is_json = arguments.format == "json" or (arguments.format is None and ".json" in arguments.input)
    frame = spark.read.json(arguments.input) if is_json else spark.read.parquet(arguments.input)
    names = {"text": arguments.text, "source": arguments.source, "html": arguments.html}

    def mined() -> Mined:
        reviewed = None if arguments.reviewed is None else load(arguments.reviewed)
        limits = {"pack": arguments.pack, "largest": arguments.largest}
        return mine(frame, id=arguments.id, reviewed=reviewed, strict=arguments.strict, **names, **limits)

    def write(cleaned: DataFrame, out: str) -> None:
        cleaned.write.json(out) if is_json else cleaned.write.parquet(out)

    out = arguments.out.rstrip("/")
    match arguments.command:
        case "mine":
            result = mined()
            save(result.patterns, out)
            print(_figures(result))
        case "clean":
            counts = count(frame, **names)
            if arguments.strict:
                counts.check()
            write(clean(frame, load(arguments.patterns), **names), out)
            print(json.dumps(asdict(counts)))
        case "run":
            result = mined()
            save(result.patterns, f"{out}/patterns")
            print(_figures(result))
            write(clean(frame, result.patterns, **names), f"{out}/cleaned")


def _figures(mined: Mined) -> str:
    counts = {"documents": mined.documents, "skipped": mined.skipped, "refused": mined.refused}
    groups = {"refused_sources": mined.refused_sources, "groups": mined.groups}
    return json.dumps({**counts, **groups, "sources": len(mined.patterns), "sampled": mined.sampled})


def save(patterns: Patterns, folder: str) -> None:
    """Write pattern files to a folder, which can be the address of one, such as ``s3://bucket/patterns``."""
    if "://" not in folder:
        patterns.save(folder, overwrite=True)
        return
    files, path = pyarrow.fs.FileSystem.from_uri(folder)
    files.create_dir(path)
    for source, of in patterns.items():
        with files.open_output_stream(f"{path}/{source}.yaml") as file:
            file.write(of.to_yaml().encode())


def load(folder: str) -> Patterns:
    """Read pattern files from a folder, which can be the address of one."""
    if "://" not in folder:
        return Patterns.load(folder)
    files, path = pyarrow.fs.FileSystem.from_uri(folder)
    found = files.get_file_info(pyarrow.fs.FileSelector(path))
    texts = [files.open_input_stream(file.path).read().decode() for file in found if file.extension == "yaml"]
    return Patterns.from_yaml(texts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dehusk.spark", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in [("mine", "write pattern files"), ("clean", "write cleaned documents"), ("run", "mine, then clean")]:
        command = commands.add_parser(name, help=what)
        command.add_argument("input", metavar="INPUT", help="Parquet or JSONL: a file, a folder or a glob")
        command.add_argument("out", metavar="OUT", help="the folder for the results")
        command.add_argument("--format", choices=["parquet", "json"], help="by default json if INPUT has .json in its name")
        command.add_argument("--text", default="text", help="the column with texts")
        command.add_argument("--source", default="source", help="the column with the names of sources")
        command.add_argument("--html", help="the column with HTML pages, for rows without text")
        command.add_argument("--strict", action="store_true", help="stop if a source has a name that no file can have")
        if name == "clean":
            command.add_argument("-p", "--patterns", required=True, help="the folder with pattern files")
            continue
        command.add_argument("--id", default="id", help="the column with the names of documents")
        command.add_argument("--reviewed", help="a folder with pattern files that people decided on")
        command.add_argument("--pack", type=int, default=PACK, help="bytes of small sources that are mined together")
        command.add_argument("--largest", type=int, default=LARGEST, help="a source with more bytes is mined on a sample")
    return parser


if __name__ == "__main__":
    main()
