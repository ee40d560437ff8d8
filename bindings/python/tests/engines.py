"""Finds the engines that the tests of integrations need."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def engine(module: str) -> Any:
    """The module of an engine. Without it the tests are skipped.

    ``DEHUSK_ENGINES`` names engines whose tests must not be skipped, such as ``datasets,datatrove``. ``required`` stands for all.
    """
    named = os.environ.get("DEHUSK_ENGINES", "").split(",")
    if "required" in named or module.split(".")[0] in named:
        return importlib.import_module(module)
    return pytest.importorskip(module)
