"""The race at a table, with a real store in a temporary folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from race_table import RaceTable


@pytest.fixture
def race(tmp_path: Path) -> Iterator[RaceTable]:
    race = RaceTable(tmp_path / "arena.sqlite")
    race.table.begin({"seed": 7})
    yield race
    race.close()
