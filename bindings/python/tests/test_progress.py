"""What `progress=True` shows."""

from __future__ import annotations

import sys

import pytest

import dehusk
from dehusk import _progress

Rows = list[dict[str, str]]


def test_a_bar_for_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    with _progress.shown(True) as show:
        assert show is not None
        for done, total, stage in [(0, 4, "mining"), (1, 4, "mining"), (0, 2, "choosing patterns"), (2, 2, "choosing patterns")]:
            show(done, total, stage)
    shown = capsys.readouterr()
    assert "mining: 100%" in shown.err and "choosing patterns: 100%" in shown.err and shown.out == ""


def test_bars_of_a_run(news: Rows, patterns: dehusk.Patterns, capsys: pytest.CaptureFixture[str]) -> None:
    # A stage that is over before its progress is told has no bar.
    assert dehusk.mine(news, progress=True) == patterns
    shown = capsys.readouterr()
    assert "100%" in shown.err and shown.out == ""
    dehusk.clean(news, progress=True)
    assert "100%" in capsys.readouterr().err


def test_lines_without_tqdm(
    news: Rows, patterns: dehusk.Patterns, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    assert dehusk.mine(news, progress=True) == patterns
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert lines and len(lines) == len(set(lines)) and shown.out == ""
    assert all(line.split(": ")[1].endswith("0 %") for line in lines if ": " in line)
    assert "choosing patterns: 100 %" in lines


@pytest.mark.parametrize("progress", [False, None])
def test_nothing(news: Rows, progress: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    dehusk.mine(news, progress=progress)
    assert capsys.readouterr().err == ""
