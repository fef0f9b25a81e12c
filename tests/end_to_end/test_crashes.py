"""``kill -9`` at any point: the daemon comes back at the same state and goes on."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.sim.player import play_game
from arena.store import Store
from arena.table import Story
from arena_process import Arena
from wired_table import WiredTable

ANIMALS = ("BBIT", "BUBO", "HOWLER", "SPIKE")
KILLS = 8


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[WiredTable]:
    with WiredTable(tmp_path / "boards") as table:
        yield table


def until(arena: Arena, what: Any, timeout_s: float = 15) -> dict[str, Any]:
    """The first page of which ``what`` is true."""
    end = time.monotonic() + timeout_s
    while not what(page := arena.first_page()):
        told = [line["text"] for line in page["log"][-5:]]
        assert time.monotonic() < end, (told, page["question"], page["boards"])
        time.sleep(0.1)
    return page


def passes(page: dict[str, Any]) -> list[str]:
    return [line["text"] for line in page["log"] if line["kind"] == "pass"]


def live(page: dict[str, Any]) -> bool:
    return not page["paused"]


def alone(arena: Arena) -> str:
    """The Active Mecha, alone in Box B3, so that nobody else can have passed."""
    page = until(arena, live)
    active: str = page["view"]["active"]["mecha"]
    for name in ANIMALS:
        if name != active:
            assert arena.tap(do="put", piece=name, box="B1")["ok"]
    return active


def test_a_kill_between_the_two_beams_of_a_door_loses_no_pass(wired: WiredTable, tmp_path: Path) -> None:
    with Arena(tmp_path / "data", *wired.ports) as arena:
        active = alone(arena)
        # 60 mm/s: A dark, B dark after 0.2 s, A clear after 0.5 s, B clear after 0.7 s
        wired.pass_door("D3", into="B5", speed_mm_s=60)
        time.sleep(0.3)
        arena.kill()
        time.sleep(0.5)
        arena.start()
        page = until(arena, passes)
        assert page["view"]["mechas"][active]["boxes"] == ["B5"]
        time.sleep(1)
        assert len(passes(arena.first_page())) == 1


def test_what_passes_while_the_daemon_is_away_is_counted_once_when_it_is_back(
    wired: WiredTable, tmp_path: Path
) -> None:
    with Arena(tmp_path / "data", *wired.ports) as arena:
        active = alone(arena)
        arena.kill()
        wired.pass_door("D3", into="B5")
        time.sleep(0.5)
        arena.start()
        page = until(arena, passes)
        assert page["view"]["mechas"][active]["boxes"] == ["B5"]
        before = page["view"]
        arena.kill()
        arena.start()
        page = until(arena, live)
        assert page["view"] == before
        assert len(passes(page)) == 1


def test_a_game_with_kills_all_along_is_played_to_its_end(tmp_path: Path) -> None:
    chance = random.Random(5)

    async def play() -> dict[str, Any]:
        game = asyncio.create_task(play_game(arena.page, arena.key, arena.toy, seed=5))
        port = arena.port
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(1, 6))
            if game.done():
                break
            await asyncio.to_thread(arena.kill)
            await asyncio.to_thread(arena.start, port)
        return (await game).to_json()

    with Arena(tmp_path / "data", "--sim") as arena:
        report = asyncio.run(play())
        (winner,) = report["winners"]
        assert report["scores"][winner] == 12
        shown = arena.first_page()["view"]
        arena.kill()
        game = IronForest()
        with Store(arena.data / "arena.sqlite", read_only=True) as store:
            game_id = store.latest_game()
            assert game_id is not None
            assert game.view(Story.of(game, store.entries(game_id)).state, "table") == shown
        arena.start()
        assert arena.first_page()["view"] == shown
    assert arena.trouble() == []


def test_a_second_start_is_refused_and_the_running_table_stays_as_it_was(tmp_path: Path) -> None:
    with Arena(tmp_path / "data", "--sim") as arena:
        until(arena, live)
        second = subprocess.run(
            [sys.executable, "-m", "arena", "run", "--sim", "--no-browser", "--data", str(tmp_path / "data")],
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert second.returncode == 2
        assert "Another arena" in second.stderr
        time.sleep(3)  # boards that are gone are missed after 2.5 s
        assert live(arena.first_page())
    assert arena.trouble() == []
