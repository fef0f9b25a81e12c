"""``make bench``: one line a figure, all of them in ``build/bench.json``.

Each figure: {"value", "unit", "aim", "better": "lower" | "higher"}. Names are stable.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "end_to_end"), str(HERE.parent / "firmware")]

from arena.sim.player import play_game  # noqa: E402
from arena_process import Arena  # noqa: E402  # the tests' own tools, found by the lines above
from echo import echo_p50_ms  # noqa: E402
from firmware_heap import smallest_kib  # noqa: E402
from latency import edge_to_light_ms  # noqa: E402
from lossless import lossless  # noqa: E402

BUILD = HERE.parents[1] / "build" / "bench.json"
SEED = 3


class Figures:
    def __init__(self) -> None:
        self.all: dict[str, dict[str, Any]] = {}

    def add(self, name: str, value: float, unit: str, aim: float | None, better: str) -> None:
        self.all[name] = {"value": round(value, 3), "unit": unit, "aim": aim, "better": better}
        told = "" if aim is None else f"(aim {aim:g}, {better} is better)"
        print(f"{name:<28} {value:>10.3f} {unit:<10} {told}", flush=True)


def main() -> None:
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        measure(figures, Path(folder))
    BUILD.parent.mkdir(exist_ok=True)
    BUILD.write_text(json.dumps(figures.all, indent=1) + "\n")


def measure(figures: Figures, folder: Path) -> None:
    echo = echo_p50_ms(folder)
    figures.add("echo_p50_ms", echo, "ms", None, "lower")

    took = edge_to_light_ms(folder / "latency")
    p50, p99 = statistics.median(took), statistics.quantiles(took, n=100)[98]
    figures.add("edge_to_light_p50_ms", p50, "ms", None, "lower")
    figures.add("edge_to_light_p99_ms", p99, "ms", 10, "lower")
    figures.add("edge_to_light_over_echo", p50 / echo, "ratio", 10, "lower")

    (folder / "lossless").mkdir()
    rate, lost = lossless(folder / "lossless")
    figures.add("edges_per_s_lossless", rate if not lost else 0, "1/s", 300, "higher")
    figures.add("edges_lost", lost, "edges", 0, "lower")

    with Arena(folder / "game", "--sim") as arena:
        report = asyncio.run(play_game(arena.page, arena.key, arena.toy, SEED, setup={"seed": SEED}))
    figures.add("taps_per_turn", report.taps / report.turns, "taps", 3, "lower")

    figures.add("firmware_heap_kib", smallest_kib(), "KiB", 64, "lower")


main()
