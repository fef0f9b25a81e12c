"""The main job: a game on simulated boards, played to its win by scripted flicks, as people see it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
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
    first: tuple[
        dict[str, Any], dict[str, list[list[int]]]
    ]  # the view and the toy table's lights before the first Flick
    view: dict[str, Any]  # as the daemon showed it at the end


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with Arena(tmp_path_factory.mktemp("game"), "--sim") as arena:
        while arena.first_page()["paused"]:
            time.sleep(0.1)
        time.sleep(1)  # the picture crosses the line in a few frames
        first = (arena.first_page()["view"], _toy_lights(arena))
        report = asyncio.run(play_game(arena.page, arena.key, arena.toy, SEED, setup={"seed": SEED}))
        yield Played(arena, report, first, arena.first_page()["view"])


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


def test_the_strips_show_every_marker_in_its_teams_colour_and_pattern(played: Played) -> None:
    """Animal Clans: all pixels green; Iron Force: every other pixel red; a place without a marker is dark."""
    view, lights = played.first
    markers = view["markers"]
    assert len(markers) == 14
    for place, pixels in lights.items():
        lit = [any(pixel) for pixel in pixels]
        colours = {"green" if green > red else "red" for red, green, _ in pixels if red or green}
        if markers.get(place) == ["animal_clans"]:
            assert (all(lit), colours) == (True, {"green"}), place
        elif markers.get(place) == ["iron_force"]:
            assert (sum(lit), colours) == (len(lit) / 2, {"red"}), place
        elif place.startswith(("D", "H")):
            assert not any(lit), place


def test_the_strips_show_the_winner_at_the_end(played: Played) -> None:
    (winner,) = played.report.winners
    doors = [pixels for place, pixels in _toy_lights(played.arena).items() if place.startswith("D")]
    lit = [pixel for pixels in doors for pixel in pixels if any(pixel)]
    assert lit
    assert all((green > red) == (winner == "animal_clans") for red, green, _ in lit)


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
    with urllib.request.urlopen(f"{arena.toy}api/lights", timeout=10) as answer:
        places: dict[str, list[list[int]]] = json.load(answer)["places"]
    return places
