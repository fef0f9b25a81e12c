"""Games of Iron Forest on the shipped house table, small helpers for telling what happens in them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.games.iron_forest.state import State
from arena.rig import load_rig

RIG = Path(__file__).parents[3] / "hardware" / "rig.toml"
CONTENT = resources.files("arena.games.iron_forest") / "content"
TEAMS = {2: ["animal_clans", "iron_force"], 3: ["animal_clans", "iron_force", "iron_force"]}
TEAMS[4] = ["animal_clans", "iron_force", "animal_clans", "iron_force"]
NAMES = ["Ann", "Ida", "Bob", "Max"]


@pytest.fixture(scope="session")
def house_map() -> dict[str, Any]:
    return load_rig(RIG.read_text(), "rig.toml").map()


@pytest.fixture(scope="session")
def make_setup(house_map: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    def make(players: int = 2, seed: int = 7, first: str = "animal_clans", **options: bool) -> dict[str, Any]:
        return {
            "seed": seed,
            "players": [
                {"name": NAMES[nth], "seat": f"P{nth + 1}", "team": team} for nth, team in enumerate(TEAMS[players])
            ],
            "first": first,
            "map": house_map,
            "scenario": (CONTENT / "establishing_a_network.toml").read_text(),
            "power_ups": (CONTENT / "power_ups.toml").read_text(),
            "options": options,
        }

    return make


@pytest.fixture(scope="session")
def game() -> IronForest:
    return IronForest()


@pytest.fixture
def begin(game: IronForest, make_setup: Callable[..., dict[str, Any]]) -> Callable[..., State]:
    def new(players: int = 2, **wishes: Any) -> State:
        return game.new(make_setup(players, **wishes))

    return new
