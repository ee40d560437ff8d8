"""The Spark job: ``python -m dehusk.spark mine|clean|run INPUT OUT``. It can be given to ``spark-submit``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from dehusk._errors import DataError, Error, UsageError
from dehusk._kept import PatternFolder, load
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
    try:
        frame = spark.read.json(arguments.input) if is_json else spark.read.parquet(arguments.input)
    except AnalysisException as error:
        # Other lines are of no help, such as those of a plan.
        raise DataError(f"{arguments.input!r} cannot be read: {str(error).splitlines()[0]}") from None
    names = {"text": arguments.text, "source": arguments.source, "html": arguments.html}
    out = arguments.out.rstrip("/")

    def mined(folder: PatternFolder) -> Mined:
        limits = {"pack": arguments.pack, "largest": arguments.largest}
        result = mine(frame, id=arguments.id, reviewed=folder.reviewed, strict=arguments.strict, **names, **limits)
        folder.save(result.patterns)
        print(_figures(result))
        return result

    def write(cleaned: DataFrame, out: str) -> None:
        writer = cleaned.write.mode(arguments.mode)
        writer.json(out) if is_json else writer.parquet(out)

    # Problems that would stop the job only at its end are looked for before it begins.
    match arguments.command:
        case "mine":
            mined(PatternFolder(out, arguments.reviewed))
        case "clean":
            _check_output(frame, out, arguments.mode, spark)
            patterns = load(arguments.patterns)
            counts = count(frame, patterns=patterns, **names)
            if arguments.strict:
                counts.check()
            if arguments.missing == "error":
                counts.check_patterns(patterns)
            write(clean(frame, patterns, missing="keep", **names), out)
            print(json.dumps(asdict(counts)))
        case "run":
            _check_output(frame, f"{out}/cleaned", arguments.mode, spark)
            result = mined(PatternFolder(f"{out}/patterns", arguments.reviewed))
            # "keep": a source has no patterns if no document of it was in the mined sample.
            write(clean(frame, result.patterns, missing="keep", **names), f"{out}/cleaned")


def _check_output(frame: DataFrame, out: str, mode: str, spark: SparkSession) -> None:
    """Refuse an output that exists, or that contains the input. Spark itself refuses it only after all work."""
    path = spark._jvm.org.apache.hadoop.fs.Path(out)
    files = path.getFileSystem(spark._jsc.hadoopConfiguration())
    if mode == "error" and files.exists(path):
        raise UsageError(f"{out!r} already exists: name another folder, or give --mode overwrite or --mode append")
    inside = files.makeQualified(path).toUri().toString().rstrip("/") + "/"
    if any(_is_inside(file, inside) for file in frame.inputFiles()):
        raise UsageError(f"{out!r} is read: name another folder for the cleaned documents")


def _is_inside(file: str, folder: str) -> bool:
    # Java writes file:/a, and Spark file:///a.
    return file.replace(":///", ":/", 1).startswith(folder.replace(":///", ":/", 1))


def _figures(mined: Mined) -> str:
    counts = {"documents": mined.documents, "skipped": mined.skipped, "refused": mined.refused}
    groups = {"refused_sources": mined.refused_sources, "groups": mined.groups}
    return json.dumps({**counts, **groups, "sources": len(mined.patterns), "sampled": mined.sampled})


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
        if name != "mine":
            modes = "what happens if there are cleaned documents already; decisions in pattern files are always kept"
            command.add_argument("--mode", choices=["error", "overwrite", "append"], default="error", help=modes)
        if name == "clean":
            what = "what happens to documents whose source has no patterns: keep cleans them by shared patterns only"
            command.add_argument("--missing", choices=["error", "keep"], default="error", help=what)
            command.add_argument("-p", "--patterns", required=True, help="the folder with pattern files")
            continue
        command.add_argument("--id", default="id", help="the column with the names of documents")
        command.add_argument("--reviewed", help="a folder with pattern files that people decided on, if OUT has none")
        command.add_argument("--pack", type=int, default=PACK, help="bytes of small sources that are mined together")
        command.add_argument("--largest", type=int, default=LARGEST, help="a source with more bytes is mined on a sample")
    return parser


if __name__ == "__main__":
    main()
