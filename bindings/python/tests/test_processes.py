"""Other threads and processes: fork, forkserver, spawn; Ctrl-C; progress."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import dehusk

Rows = list[dict[str, str]]


def clean_all(cleaner: dehusk.Cleaner, rows: Rows) -> list[str]:
    return [row["text"] for row in cleaner.clean_batch(rows)]


def mine_all(rows: Rows) -> dehusk.Patterns:
    return dehusk.mine(rows)


def mine_parts(rows: Rows) -> dehusk.Patterns:
    return dehusk.compare(dehusk.candidates(rows))


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_children_do_what_their_parent_did(
    method: str, news: Rows, patterns: dehusk.Patterns, cleaner: dehusk.Cleaner
) -> None:
    # The parent has used its pools, and rayon's, before it forks.
    expected = clean_all(cleaner, news)
    assert mine_all(news) == patterns
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        cleaned = [pool.submit(clean_all, cleaner, news) for _ in range(2)]
        mined, compared = pool.submit(mine_all, news), pool.submit(mine_parts, news)
        assert [future.result(120) for future in cleaned] == [expected] * 2
        assert mined.result(120) == patterns
        assert compared.result(120) == patterns


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_grandchild_works_too(news: Rows, cleaner: dehusk.Cleaner, patterns: dehusk.Patterns) -> None:
    expected = clean_all(cleaner, news)

    def in_child(work: Any) -> int:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = work()
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def once() -> int:
        return 0 if clean_all(cleaner, news) == expected and mine_all(news) == patterns else 1

    assert in_child(lambda: once() or in_child(once)) == 0


def test_threads_share_a_cleaner(news: Rows, cleaner: dehusk.Cleaner) -> None:
    expected = clean_all(cleaner, news)

    def one_by_one(_: int) -> list[str]:
        return [cleaner.clean(row["text"], row["source"]) for row in news]

    with ThreadPoolExecutor(8) as pool:
        assert all(cleaned == expected for cleaned in pool.map(one_by_one, range(16)))


def test_pickles_are_the_same_every_time(patterns: dehusk.Patterns) -> None:
    for learned, only, max_removed in [(True, None, None), (False, "accepted", 0.5)]:
        cleaner = dehusk.Cleaner(patterns, learned, only, max_removed)  # type: ignore[arg-type]
        for value in (patterns, cleaner):
            data = pickle.dumps(value)
            assert pickle.dumps(pickle.loads(data)) == data
            assert pickle.dumps(value) == data
        again = pickle.loads(pickle.dumps(cleaner))
        assert again.patterns == patterns
        source = patterns.sources[0]
        assert again.clean("Share this", source) == cleaner.clean("Share this", source)


PROGRAM = """
import signal, sys, time, warnings
import dehusk
sys.path.insert(0, {tests!r})
from conftest import NEWS, documents_of
warnings.simplefilter("ignore")
news = documents_of(NEWS)
cleaner = dehusk.Cleaner(dehusk.mine(news[:25]))
text = "".join(row["text"] for row in news)
rows = [dict(row, text=f"{{row['text']}} {{number}}") for number in range({copies}) for row in news]
calls = {{
    "mine": lambda: dehusk.mine(rows),
    "batch": lambda: cleaner.clean_batch(rows * 20, missing="keep", threads=1),
    "text": lambda: cleaner.clean(text * 400, news[0]["source"]),
    "regex": lambda: slow.clean(("x" * 8 + "\\n") * 1000, "tide"),
    "page": lambda: cleaner.clean_page("<p>" + text.replace("\\n", "<p>") * 200, news[0]["source"]),
}}
mined = "{{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}"
slow = "{{{{id: slow{{0}}, status: accepted, regex: '(?:(x+)(x+))+\\\\1y{{{{{{0}}}}}}', example: xxxy}}}}"
many = ", ".join(slow.format(number) for number in range(1, 600))
slow = dehusk.Cleaner(dehusk.Patterns.from_yaml([f"{{{{dehusk: 1, source: tide, mined: {{mined}}, patterns: [{{many}}]}}}}"]))
call = calls[{name!r}]
print("ready", flush=True)
try:
    while True:
        call()
except KeyboardInterrupt:
    print("stopped", time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("name", ["mine", "batch", "text", "regex", "page"])
def test_ctrl_c_is_heard(name: str) -> None:
    code = PROGRAM.format(tests=str(Path(__file__).parent), name=name, copies=300)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline().split()
    process.communicate(timeout=60)
    assert answer[0] == "stopped", answer
    # It takes a fraction of a second, but a machine may be busy.
    assert float(answer[1]) - sent < 10.0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the threads of the process are not known here")
def test_threads_are_few_and_shared(news: Rows, cleaner: dehusk.Cleaner) -> None:
    code = (
        "import os, sys, warnings; warnings.simplefilter('ignore'); sys.path.insert(0, sys.argv[1]);"
        "from conftest import NEWS, documents_of; import dehusk;"
        "rows = documents_of(NEWS)[:40]; cleaner = dehusk.Cleaner(dehusk.mine(rows));"
        "count = lambda: len(os.listdir('/proc/self/task'));"
        "cleaner.clean_batch(rows[:1]); before = count();"
        "[cleaner.clean_batch(rows * 20, threads=threads) for threads in range(1, 9)];"
        # What ends may take a moment to go.
        "import time; time.sleep(0.5); print(count() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, Path(__file__).parent], check=True, capture_output=True, text=True)
    assert int(done.stdout) <= 0


def test_few_rows_are_cleaned_by_the_thread_that_calls(news: Rows, cleaner: dehusk.Cleaner) -> None:
    def clean() -> None:
        for _ in range(200):
            cleaner.clean_batch(news[:1])

    clean()
    process, thread = time.process_time(), time.thread_time()
    clean()
    process, thread = time.process_time() - process, time.thread_time() - thread
    # To start a thread for a row took longer than to clean it.
    assert process - thread < process / 2


def test_the_lock_of_the_interpreter_is_given_up(news: Rows) -> None:
    ticks, stop = [], threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    dehusk.mine(news)
    took = time.monotonic() - start
    stop.set()
    thread.join()
    during = [tick for tick in ticks if start <= tick <= start + took]
    assert len(during) > took / 0.005 / 10


def test_progress_is_told(news: Rows) -> None:
    told: list[tuple[int, int | None, str]] = []
    dehusk.mine(news, progress=lambda done, total, what: told.append((done, total, what)))
    assert told and {what for _, _, what in told} <= {"mining", "testing", "choosing patterns", "reading"}
    for done, total, _ in told:
        assert total is None or 0 <= done <= total


def test_progress_that_fails_stops_the_run(news: Rows) -> None:
    def fail(done: int, total: int | None, what: str) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        dehusk.mine(news, progress=fail)


def test_nothing_is_left_in_the_folder_for_temporary_files(news: Rows, tmp_path: Path) -> None:
    code = (
        "import sys, warnings; warnings.simplefilter('ignore'); sys.path.insert(0, sys.argv[1]);"
        "from conftest import NEWS, documents_of; import dehusk;"
        "news = documents_of(NEWS)[:10]; dehusk.compare(dehusk.candidates(news)); dehusk.mine(news)\n"
        "try: dehusk.mine(news + [{}])\n"
        "except dehusk.DataError: pass\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, Path(__file__).parent], check=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert list(tmp_path.iterdir()) == []
