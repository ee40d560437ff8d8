"""The same documents give what the program gives, to the byte."""

from __future__ import annotations

import contextlib
import gc
import json
import subprocess
import sysconfig
import weakref
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from conftest import NEWS, documents_of, files_of

import dehusk


def test_mine_writes_the_files_of_the_program(patterns: dehusk.Patterns, run_folder: Path, tmp_path: Path) -> None:
    patterns.save(tmp_path / "patterns")
    assert files_of(tmp_path / "patterns") == files_of(run_folder / "patterns")


def test_texts_and_pages_together_are_mined_as_by_the_program(program: Path, tmp_path: Path) -> None:
    subprocess.run([program, "mine", NEWS, "-o", tmp_path / "patterns", "--quiet"], check=True)
    dehusk.mine(documents_of(NEWS) + documents_of(NEWS, "html"), html="html").save(tmp_path / "ours")
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "patterns")


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(news: list[dict[str, str]], patterns: dehusk.Patterns, threads: int) -> None:
    assert dehusk.mine(news, threads=threads) == patterns


def test_candidates_and_compare_are_mine(news: list[dict[str, str]], patterns: dehusk.Patterns) -> None:
    mined = {}
    for source in patterns.sources:
        part = [row for row in news if row["source"] == source]
        if part:
            mined |= dehusk.candidates(part)
    assert list(mined) == [source for source in patterns.sources if source != "_shared"]
    assert dehusk.compare(mined) == patterns
    assert dehusk.compare(list(reversed(mined.values()))) == patterns
    assert dehusk.candidates(news) == mined


def test_compare_takes_one_source_at_a_time(news: list[dict[str, str]], patterns: dehusk.Patterns, tmp_path: Path) -> None:
    mined = dehusk.candidates(news)
    alive: list[weakref.ref[bytearray]] = []

    class Data(bytearray):
        """Bytes that can be watched."""

    def one_by_one() -> Iterator[bytes]:
        for data in mined.values():
            gc.collect()
            # The generator's own variable, and nothing else.
            assert sum(reference() is not None for reference in alive) <= 1
            watched = Data(data)
            alive.append(weakref.ref(watched))
            yield watched

    assert dehusk.compare(one_by_one()) == patterns
    paths = [tmp_path / str(number) for number in range(len(mined))]
    for path, data in zip(paths, mined.values(), strict=True):
        path.write_bytes(data)
    assert dehusk.compare(paths) == dehusk.compare(map(str, paths)) == patterns
    assert dehusk.compare([paths[0], *list(mined.values())[1:]]) == patterns
    assert all(path.exists() for path in paths)


def test_candidates_are_files_of_the_program(
    program: Path, news: list[dict[str, str]], run_folder: Path, tmp_path: Path
) -> None:
    paths = []
    for index, data in enumerate(dehusk.candidates(news).values()):
        paths.append(tmp_path / str(index))
        paths[-1].write_bytes(data)
    subprocess.run([program, "combine", *paths, "-o", tmp_path / "patterns", "--quiet"], check=True)
    assert files_of(tmp_path / "patterns") == files_of(run_folder / "patterns")


def test_clean_is_the_clean_of_the_program(
    cleaner: dehusk.Cleaner, news: list[dict[str, str]], run_folder: Path
) -> None:
    for row in news:
        expected = (run_folder / "cleaned" / row["source"] / row["id"]).read_bytes().decode()
        assert cleaner.clean(row["text"], row["source"]) == expected, row["id"]


def test_spans_are_those_of_the_program(
    program: Path,
    cleaner: dehusk.Cleaner,
    news: list[dict[str, str]],
    corpus: Path,
    run_folder: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "spans"
    command = [program, "clean", corpus, "-p", run_folder / "patterns", "-o", out, "--spans", "--quiet"]
    subprocess.run(command, check=True)
    for row in news:
        line = json.loads((out / row["source"] / f"{row['id']}.jsonl").read_bytes().decode())
        spans = cleaner.spans(row["text"], row["source"])
        assert [[span.start, span.end, span.score] for span in spans] == line["attributes"]["dehusk"]


def test_options_are_those_of_the_program(
    program: Path,
    patterns: dehusk.Patterns,
    news: list[dict[str, str]],
    corpus: Path,
    run_folder: Path,
    tmp_path: Path,
) -> None:
    cases = [
        (["--recurrence-alone"], dehusk.Cleaner(patterns, learned=False)),
        (["--only", "accepted"], dehusk.Cleaner(patterns, only="accepted")),
        (["--max-removed", "0.6"], dehusk.Cleaner(patterns, max_removed=0.6)),
    ]
    for number, (flags, cleaner) in enumerate(cases):
        out = tmp_path / str(number)
        command = [program, "clean", corpus, "-p", run_folder / "patterns", "-o", out, "--quiet", *flags]
        subprocess.run(command, check=True)
        for row in news:
            expected = (out / row["source"] / row["id"]).read_bytes().decode()
            assert cleaner.clean(row["text"], row["source"]) == expected, (flags, row["id"])


@pytest.mark.parametrize("by", [None, "domain", "host", r"//(\w+)"])
def test_sources_of_addresses_are_those_of_the_program(program: Path, tmp_path: Path, by: str | None) -> None:
    hosts = ["www.News.BBC.co.uk:80", "a.b.example.com.", "anna:x@alice.github.io", "192.168.0.1", "[2001:DB8::1]", "новости.москва.рф"]
    urls = [f"https://{host}/{number}" for number, host in enumerate(hosts)]
    expected = set()
    for url in urls:
        with contextlib.suppress(dehusk.DataError):
            expected.add(dehusk.source_of(url) if by is None else dehusk.source_of(url, by))
    lines = [json.dumps({"id": url, "url": url, "text": f"A boat to {url}"}) for url in urls for _ in range(2)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), "utf-8")
    command = [program, "mine", tmp_path / "in.jsonl", "-o", tmp_path / "out", "--quiet"]
    command += [] if by is None else ["--source-by", by]
    assert subprocess.run(command, check=False).returncode in (0, 3)
    # Nothing recurs in them, so they have no files, and the index names them.
    assert set(dehusk.Patterns.load(tmp_path / "out").sources) - {"_shared"} == expected
    assert len(expected) >= 3


LINKS = "".join(f"<li><a href=/{number}>Section {number}</a></li>" for number in range(12))


def page(number: int) -> str:
    story = f"<p>The ferry number {number} came in late on Tuesday, and nobody on the quay knew why it took so long.</p>"
    return (
        f"<html><head><title>Ferry {number}</title></head><body><nav><ul>{LINKS}</ul></nav><article><h1>Ferry {number} late"
        f"</h1>{story * (number + 3)}</article><div class=share>Share this page</div><footer>Terms of use</footer></body></html>"
    )


PAGES = [{"id": f"{number}.html", "source": "ferry", "html": page(number)} for number in range(8)]


def write_pages(folder: Path) -> Path:
    (folder / "ferry").mkdir(parents=True)
    for row in PAGES:
        (folder / "ferry" / row["id"]).write_text(row["html"], "utf-8")
    return folder


@pytest.mark.filterwarnings("ignore::dehusk.DehuskWarning")
def test_pages_are_mined_and_cleaned_as_by_the_program(program: Path, tmp_path: Path) -> None:
    corpus = write_pages(tmp_path / "corpus")
    subprocess.run([program, "mine", corpus, "-o", tmp_path / "patterns", "--quiet"], check=True)
    patterns = dehusk.mine(PAGES, html="html")
    patterns.save(tmp_path / "ours")
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "patterns")
    assert dehusk.mine(pyarrow.Table.from_pylist(PAGES), html="html") == patterns
    cleaner = dehusk.Cleaner(patterns)
    for name, output, ending in [("text", "text", "txt"), ("page", "html", "html"), ("markdown", "markdown", "md")]:
        out = tmp_path / name
        command = [program, "clean", corpus, "-p", tmp_path / "patterns", "-o", out, "--html", name, "--quiet"]
        subprocess.run(command, check=True)
        for row in PAGES:
            expected = (out / "ferry" / row["id"]).with_suffix(f".{ending}").read_bytes().decode()
            assert cleaner.clean_page(row["html"], "ferry", output) == expected, (output, row["id"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("format", "ending"), [("text", "txt"), ("html", "html"), ("markdown", "md")])
def test_extract_is_the_extract_of_the_program(program: Path, tmp_path: Path, format: str, ending: str) -> None:
    corpus, out = write_pages(tmp_path / "corpus"), tmp_path / "out"
    subprocess.run([program, "extract", corpus, "-o", out, "--format", format, "--quiet"], check=True)
    for row in PAGES:
        expected = (out / "ferry" / row["id"]).with_suffix(f".{ending}").read_bytes().decode()
        assert dehusk.extract(row["html"], format=format) == expected  # type: ignore[call-overload]
        content = dehusk.extract(row["html"], format=format, metadata=True)  # type: ignore[call-overload]
        assert (content["text"], content["title"]) == (expected, f"Ferry {row['id'][0]}")


HEAD = (
    '<html lang=en><meta property="article:published_time" content="2024-03-14"><meta name=author content="Ada Reyl">'
    '<meta property="og:image" content="/ferry.jpg"><link rel=canonical href="https://tide.example/ferry">'
)


def test_metadata_is_that_of_the_program(program: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(HEAD + page(5), "utf-8")
    command = [program, "extract", tmp_path / "page.html", "--format", "json"]
    expected = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert expected == {
        "title": "Ferry 5",
        "author": "Ada Reyl",
        "date": "2024-03-14",
        "language": "en",
        "site_name": None,
        "url": "https://tide.example/ferry",
        "description": None,
        "image": "https://tide.example/ferry.jpg",
        "text": dehusk.extract(HEAD + page(5)),
    }
    for given in (HEAD + page(5), (HEAD + page(5)).encode()):
        content = dehusk.extract(given, format="json")
        assert (content, list(content)) == (expected, list(expected))
        assert dehusk.extract(given, metadata=True) == expected
        # The address that is known comes first.
        known = dehusk.extract(given, "https://other.example/a/b", metadata=True)
        assert (known["url"], known["image"]) == ("https://other.example/a/b", "https://other.example/ferry.jpg")
        assert dehusk.extract(given, url="https://tide.example/", metadata=True)["url"] == "https://tide.example/"


def test_a_wheel_brings_the_program(program: Path, tmp_path: Path) -> None:
    ours = Path(sysconfig.get_path("scripts")) / "dehusk"
    for arguments, status in (["--version"], 0), (["mine", NEWS, "-o", tmp_path / "p", "--quiet"], 0), (["mien"], 2):
        ran = [subprocess.run([it, *arguments], capture_output=True, text=True, check=False) for it in (ours, program)]
        assert ran[0].returncode == ran[1].returncode == status
        assert (ran[0].stdout, ran[0].stderr) == (ran[1].stdout, ran[1].stderr)
