"""``kill -9`` between, or in, any two calls loses nothing that was returned."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from arena.store import Store

WRITER = Path(__file__).with_name("writer.py")


def test_a_process_killed_at_any_moment_loses_nothing_that_it_was_told(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    chance = random.Random(9)
    promised_edge, promised_entry = -1, 0
    for _ in range(8):
        writer = subprocess.Popen([sys.executable, WRITER, path], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stdout.readline().startswith("ready")
        time.sleep(chance.uniform(0, 0.06))
        writer.kill()
        said = writer.stdout.read()
        writer.wait()
        writer.stdout.close()
        for line in said.splitlines(keepends=True):
            if line.endswith("\n"):
                what, number = line.split()
                if what == "edge":
                    promised_edge = int(number)
                else:
                    promised_entry = int(number)
        with Store(path) as store:
            following = store.next_edge("0badcafe")
            entries = store.entries("g")
            assert promised_edge < following <= promised_edge + 2
            assert promised_entry <= len(entries) <= promised_entry + 1
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
            assert store.last_edge_row() == following
            promised_edge, promised_entry = following - 1, len(entries)
    assert promised_entry > 0
