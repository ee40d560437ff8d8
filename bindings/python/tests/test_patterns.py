"""Deciding on patterns in memory, and saving the decisions."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from conftest import files_of

import dehusk

TIDE = "tideline-wire.example"
LEDGER = "harbor-ledger.example"


@pytest.fixture
def folder(patterns: dehusk.Patterns, tmp_path: Path) -> Path:
    patterns.save(tmp_path / "patterns")
    return tmp_path / "patterns"


def statuses(patterns: dehusk.Patterns, source: str = TIDE) -> dict[str, dehusk.Status]:
    return {pattern.id: pattern.status for pattern in patterns[source].patterns}


def test_each_decision_is_seen_by_all_that_share_the_patterns(folder: Path) -> None:
    patterns = dehusk.Patterns.load(folder)
    mine, theirs = patterns[TIDE], patterns[TIDE]
    first, second = list(statuses(patterns))[:2]
    assert theirs.patterns[0].status == "proposed"
    mine.accept(first, second)
    assert (statuses(patterns)[first], statuses(patterns)[second]) == ("accepted", "accepted")
    mine.reject(second)
    assert {pattern.id: pattern.status for pattern in theirs.patterns} == statuses(patterns)
    assert statuses(patterns)[second] == "rejected"
    mine.propose(first, second)
    assert patterns == dehusk.Patterns.load(folder)


def test_a_cleaner_uses_the_decisions_that_were_made_before_it(news: list[dict[str, str]], folder: Path) -> None:
    patterns = dehusk.Patterns.load(folder)
    text = next(row["text"] for row in news if row["source"] == TIDE)
    before = dehusk.Cleaner(patterns, only="accepted")
    assert before.clean(text, TIDE) == text
    patterns[TIDE].accept(*statuses(patterns))
    after = dehusk.Cleaner(patterns, only="accepted").clean(text, TIDE)
    assert len(after) < len(text)
    assert before.clean(text, TIDE) == text, "a cleaner does not change"
    assert set(statuses(before.patterns).values()) == {"proposed"}
    patterns[TIDE].reject(*statuses(patterns))
    assert dehusk.Cleaner(patterns, only="accepted").clean(text, TIDE) == text


def test_an_unknown_id_changes_nothing(folder: Path) -> None:
    patterns = dehusk.Patterns.load(folder)
    first = next(iter(statuses(patterns)))
    with pytest.raises(dehusk.UsageError, match=f"source '{TIDE}' has no pattern \"nothing\"; give the id of one"):
        patterns[TIDE].accept(first, "nothing")
    assert patterns == dehusk.Patterns.load(folder)


def test_save_changes_only_the_decided_lines_of_decided_files(folder: Path) -> None:
    path = folder / f"{TIDE}.yaml"
    path.write_text("# ours\n" + path.read_text("utf-8"), "utf-8")
    (folder / f"{LEDGER}.yaml").write_text("# not canonical:   kept\n\n" + (folder / f"{LEDGER}.yaml").read_text("utf-8"), "utf-8")
    before, times = files_of(folder), {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    patterns = dehusk.Patterns.load(folder)
    decided = list(statuses(patterns))[1]
    patterns[TIDE].accept(decided)
    assert files_of(folder) == before, "only save() writes"
    patterns.save()
    after = files_of(folder)
    assert {name for name in after if after[name] != before.get(name)} == {f"{TIDE}.yaml"}
    lines = zip(before[f"{TIDE}.yaml"].splitlines(), after[f"{TIDE}.yaml"].splitlines(), strict=True)
    changed = [(old, new) for old, new in lines if old != new]
    assert changed == [(b"    status: proposed", b"    status: accepted")]
    assert {name.name for name, time in times.items() if name.stat().st_mtime_ns != time} == {f"{TIDE}.yaml"}
    assert dehusk.Patterns.load(folder) == patterns

    patterns[TIDE].propose(decided)
    patterns.save(folder)
    assert files_of(folder) == before, "a decision can be taken back, and the folder can be named"


def test_one_file_is_saved_in_place(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(folder)
    patterns = dehusk.Patterns.load(f"{TIDE}.yaml")
    monkeypatch.chdir(tmp_path)
    patterns[TIDE].reject(next(iter(statuses(patterns))))
    patterns.save()
    assert dehusk.Patterns.load(folder / f"{TIDE}.yaml") == patterns
    assert "rejected" in statuses(dehusk.Patterns.load(folder)).values()


@pytest.mark.parametrize("change", ["note: ''", "status: proposed", "removed"])
def test_what_someone_else_wrote_is_not_replaced(folder: Path, change: str) -> None:
    patterns = dehusk.Patterns.load(folder)
    for source in (LEDGER, TIDE):
        patterns[source].accept(*statuses(patterns, source))
    path = folder / f"{TIDE}.yaml"
    if change == "removed":
        path.unlink()
    else:
        theirs = {"note: ''": "note: 'theirs'", "status: proposed": "status: rejected"}[change]
        path.write_text(path.read_text("utf-8").replace(change, theirs, 1), "utf-8")
    now = files_of(folder)
    with pytest.raises(dehusk.PatternError, match=f"{TIDE}.yaml\" was changed after it was loaded; load the patterns again"):
        patterns.save()
    assert files_of(folder) == now, "the other file is not written either"


def test_files_without_decisions_may_change(folder: Path) -> None:
    patterns = dehusk.Patterns.load(folder)
    patterns[TIDE].accept(*statuses(patterns))
    path = folder / f"{LEDGER}.yaml"
    theirs = path.read_text("utf-8").replace("note: ''", "note: 'theirs'", 1)
    path.write_text(theirs, "utf-8")
    patterns.save()
    assert path.read_text("utf-8") == theirs
    patterns[TIDE].reject(*statuses(patterns))
    patterns.save()
    assert set(statuses(dehusk.Patterns.load(folder)).values()) == {"rejected"}


def test_patterns_in_memory_have_no_place_of_their_own(patterns: dehusk.Patterns, folder: Path, tmp_path: Path) -> None:
    loaded = dehusk.Patterns.load(folder)
    loaded[TIDE].accept(*statuses(loaded))
    pickled: dehusk.Patterns = pickle.loads(pickle.dumps(loaded))
    assert pickled == loaded
    for unplaced in (patterns, pickled, copy.copy(loaded), dehusk.Cleaner(loaded).patterns):
        with pytest.raises(dehusk.UsageError, match=r"were not loaded from a folder; give save\(\) the folder for them"):
            unplaced.save()
    loaded.save(tmp_path / "other")
    assert dehusk.Patterns.load(tmp_path / "other") == loaded
    assert dehusk.Patterns.load(folder) == patterns
