"""The simulation as it runs: real time, real firmware, real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena.rig import load_rig
from arena.sim.board import VirtualBoard
from arena.sim.process import firmware_files, identity_of
from arena.sim.toy import ToyTable, now_us

REPOSITORY = Path(__file__).parents[2]
RIG_FILE = REPOSITORY / "hardware" / "rig.toml"


def test_a_flick_reaches_the_boards_pins_with_true_widths(tmp_path: Path) -> None:
    rig = load_rig(RIG_FILE.read_text(encoding="utf-8"), RIG_FILE.name)
    applied: list[tuple[int, int, int]] = []
    board = VirtualBoard(
        "lower",
        firmware_files(rig, "lower", REPOSITORY / "firmware"),
        identity_of(rig, "lower"),
        tmp_path / "port",
        on_applied=lambda at_us, applied_us, pin, level, seen: applied.append((applied_us, pin, level)),
    )
    with board:
        toy = ToyTable(rig, {"lower": board}, seed=1)
        toy.place("BUBO", "B5", None, "lower")
        began_us = now_us()
        toy.flick("BUBO", 1.5708, 2.0)
        time.sleep(toy.ends_in_s() + 0.3)
    changes = [each for each in applied if each[0] > began_us]
    assert [(pin, level) for _, pin, level in changes[:4]] == [(4, 0), (13, 0), (4, 1), (13, 1)]  # D1: A, B, A, B
    (a_dark, *_), _, (a_clear, *_), _ = changes[:4]
    assert a_clear - a_dark == pytest.approx(15_600, abs=1_000)  # 30 mm at 1.9 m/s


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[dict[str, Any]]:
    process = start(tmp_path)
    try:
        yield {"process": process, "data": tmp_path, **json.loads(process.stdout.readline())}  # type: ignore[union-attr]
    finally:
        process.terminate()
        process.wait(10)


def start(data: Path) -> subprocess.Popen[str]:
    code = "import sys; from arena.sim.process import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--rig", str(RIG_FILE), "--data", str(data)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def children_of(pid: int) -> set[int]:
    """All processes that descend from one, as the kernel's table has them."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(a): int(b) for a, b in (line.split() for line in table.splitlines())}
    found, new = set(), {pid}
    while new:
        new = {each for each, parent in parents.items() if parent in new} - found
        found |= new
    return found


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_says_where_it_is_and_leaves_nothing_behind_when_told_to_end(simulation: dict[str, Any]) -> None:
    process, data = simulation["process"], simulation["data"]
    assert json.loads((data / "sim.json").read_text())["pid"] == process.pid
    assert set(simulation["ports"]) == {"lower", "upper"}
    assert all(Path(port).exists() for port in simulation["ports"].values())
    with urllib.request.urlopen(simulation["toy"] + "api/lights", timeout=5) as answer:
        assert len(json.load(answer)["places"]["D1"]) == 4
    second = start(data)
    _, words = second.communicate(timeout=20)
    assert second.returncode == 2
    assert "already runs" in words
    assert "Traceback" not in words
    family = children_of(process.pid)
    assert len(family) >= 2
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    time.sleep(0.3)
    assert not [pid for pid in family if runs(pid)]
    assert not (data / "sim.json").exists()


def test_a_rig_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    code = "import sys; from arena.sim.process import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--rig", str(tmp_path / "none.toml"), "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert "none.toml" in done.stderr
    assert "Traceback" not in done.stderr
