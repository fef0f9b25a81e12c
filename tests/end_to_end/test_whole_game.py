"""The main job: a game on simulated boards, played to its win by scripted flicks, as people see it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.sim.player import Report, play_game
from arena.store import Store
from arena.table import Story
from arena_process import Arena
from playwright.sync_api import Browser, sync_playwright

SEED = 3
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
TEAMS = {"animal_clans": "Animal Clans", "iron_force": "Iron Force"}


@dataclass
class Played:
    arena: Arena
    report: Report
    view: dict[str, Any]  # as the daemon showed it at the end


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with Arena(tmp_path_factory.mktemp("game"), "--sim") as arena:
        report = asyncio.run(play_game(arena.page, arena.key, arena.toy, SEED))
        yield Played(arena, report, arena.first_page()["view"])


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


def test_a_scripted_game_is_won_at_twelve_markers(played: Played) -> None:
    (winner,) = played.report.winners
    assert played.report.scores[winner] == 12
    assert all(score < 12 for team, score in played.report.scores.items() if team != winner)


def test_every_pass_was_scored_as_the_toy_table_saw_it(played: Played) -> None:
    assert played.report.disputed == []
    assert played.report.refused == []


def test_the_page_shows_the_winner_and_the_score(played: Played, chromium: Browser) -> None:
    page = chromium.new_page()
    page.goto(f"{played.arena.page}#key={played.arena.key}")
    (winner,) = played.report.winners
    page.get_by_text(f"{TEAMS[winner]} has removed 12 Objective markers").first.wait_for()
    shown = page.locator("body").inner_text()
    for team, score in played.report.scores.items():
        assert TEAMS[team] in shown
        assert str(score) in shown


def test_the_strips_show_the_markers_that_are_left(played: Played) -> None:
    """Each Door or Hole with a marker is lit in its team's colour; one without is dark."""
    lights = _toy_lights(played.arena)
    left = played.view["markers"]
    assert left, "the loser has markers left"
    for place, pixels in lights.items():
        lit = [pixel for pixel in pixels if any(pixel)]
        if place in left:
            reds = any(red > green for red, green, _ in lit)
            greens = any(green > red for red, green, _ in lit)
            assert (greens, reds) == ("animal_clans" in left[place], "iron_force" in left[place]), place
        elif place.startswith(("D", "H")):
            assert not lit, place


def test_the_journal_folds_to_the_state_that_was_shown(played: Played) -> None:
    game = IronForest()
    with Store(played.arena.data / "arena.sqlite", read_only=True) as store:
        game_id = store.latest_game()
        assert game_id is not None
        story = Story.of(game, store.entries(game_id))
    assert game.view(story.state, "table") == played.view


def test_a_recorded_edge_log_is_decided_again_to_the_same_passes(played: Played, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    arena(["record", str(log), "--data", str(played.arena.data)])
    said = arena(["replay", str(log)])
    assert "the same and the same end" in said
    assert int(said.split()[0]) >= 12


def test_the_daemon_printed_nothing_that_an_owner_should_not_see(played: Played) -> None:
    assert played.arena.trouble() == []


def arena(arguments: list[str]) -> str:
    done = subprocess.run([sys.executable, "-m", "arena", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _toy_lights(arena: Arena) -> dict[str, list[list[int]]]:
    import json
    import urllib.request

    with urllib.request.urlopen(f"{arena.toy}api/lights", timeout=10) as answer:
        places: dict[str, list[list[int]]] = json.load(answer)["places"]
    return places
