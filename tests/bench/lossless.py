"""How many edges a second come through a serial line of 115,200 baud, none lost, none twice."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from pathlib import Path

from arena.link import Link, State
from arena.sim.board import VirtualBoard
from arena.sim.process import firmware_files, identity_of
from arena.store import Store
from arena.words import Edge, Gap
from wired_table import REPOSITORY, load_house_rig

SECONDS = 60
RATE = 600  # edges a second that the beams make
BAUD = 115_200
DRAIN_S = 5
AHEAD_S = 0.5


def lossless(folder: Path, seconds: float = SECONDS, rate: int = RATE) -> tuple[float, int]:
    """(edges a second, edges lost or counted twice). Beams only: gate counters send records of their own."""
    return asyncio.run(_play(folder, seconds, rate))


async def _play(folder: Path, seconds: float, rate: int) -> tuple[float, int]:
    rig = load_house_rig()
    config = rig.board_config("lower")
    files = firmware_files(rig, "lower", REPOSITORY / "firmware")
    files["board.json"] = json.dumps({**config, "gates": []}).encode()
    pins = [(each["pin"], each["active"]) for each in config["inputs"]]
    kept: Counter[int] = Counter()
    gaps: list[Gap] = []
    last_us = 0

    def clock() -> int:
        return time.monotonic_ns() // 1000

    with (
        VirtualBoard("lower", files, identity_of(rig, "lower"), folder / "port", BAUD) as board,
        Store(folder / "edges.sqlite") as store,
    ):

        def keep(edges: list[Edge], lost: list[Gap]) -> None:
            nonlocal last_us
            for edge in store.add_edges(edges, lost):
                kept[edge.id.number] += 1
            gaps.extend(lost)
            last_us = clock()

        link = Link(
            ports=[str(board.port)],
            names={},
            clock=clock,
            keep=keep,
            wanted=store.next_edge,
            on_change=lambda: None,
        )
        serving = asyncio.create_task(link.run())
        while not any(health.state is State.LIVE for health in link.boards()):
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        made, began_us = 0, clock() + 100_000
        step_us = 1_000_000 // rate
        while made < seconds * rate:
            # One beam after the other goes dark, then one after the other clear again; written a little ahead
            until_us = clock() + int(AHEAD_S * 1e6)
            events = []
            while made < seconds * rate and began_us + made * step_us < until_us:
                pin, active = pins[made % len(pins)]
                dark = made // len(pins) % 2 == 0
                at_us = began_us + made * step_us
                events.append((at_us, pin, active if dark else 1 - active))
                made += 1
            board.feed(events)
            await asyncio.sleep(AHEAD_S / 4)
        deadline = time.monotonic() + DRAIN_S + AHEAD_S
        while sum(kept.values()) < made and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        await link.close()
        await serving
    wrong = abs(made - len(kept)) + sum(count - 1 for count in kept.values()) + len(gaps)
    return len(kept) / ((last_us - began_us) / 1e6), wrong
