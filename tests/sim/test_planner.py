"""Looking ahead: a scripted player finds movements that bring it on, and always the same ones."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from arena.rig import load_rig
from arena.sim.physics import Physics
from arena.sim.planner import Plan, Planner, make

RIG_FILE = Path(__file__).parents[2] / "hardware" / "rig.toml"


@pytest.fixture(scope="module")
def house() -> dict[str, Any]:
    return load_rig(RIG_FILE.read_text(encoding="utf-8"), RIG_FILE.name).map()


def choose(table: Physics, piece: str, goals: set[str], seed: int = 1) -> Plan:
    return Planner(table.layout, random.Random(seed)).choose(table, piece, goals)


def test_it_flicks_through_a_marked_door_that_lies_before_it(house: dict[str, Any]) -> None:
    table = Physics(house)
    table.place("BUBO", "B5")
    flight = make(table, choose(table, "BUBO", {"D1", "D7"}))
    assert "D1" in {passed.place for passed in flight.passes}


def test_it_drops_through_a_marked_hole(house: dict[str, Any]) -> None:
    table = Physics(house)
    table.place("WH33L", None, at_mm=(450, 350), level="upper")
    flight = make(table, choose(table, "WH33L", {"H2"}))
    assert next(passed.place for passed in flight.passes if passed.piece == "WH33L") == "H2"


def test_it_launches_when_only_upper_markers_are_left(house: dict[str, Any]) -> None:
    table = Physics(house)
    assert choose(table, "BUBO", {"H1", "D9"}).kind == "launch"
    assert choose(table, "BUBO", {"D7"}).kind == "flick"


def test_the_same_seed_chooses_the_same_movement(house: dict[str, Any]) -> None:
    table = Physics(house, seed=4)
    assert choose(table, "BUBO", {"D7"}) == choose(table, "BUBO", {"D7"})
    assert choose(table, "BUBO", {"D7"}) != choose(table, "BUBO", {"D7"}, seed=2)


def test_two_players_collect_markers_in_a_modest_number_of_flicks(house: dict[str, Any]) -> None:
    table, chance = Physics(house, seed=2), random.Random(2)
    planner = Planner(table.layout, chance)
    teams = [["BBIT", "BUBO", "HOWLER", "SPIKE"], ["SHI3LD", "DRON3", "CHAS3R", "WH33L"]]
    goals = [{"D2", "D5", "D9", "D10", "D12", "H1", "H2"}, {"D1", "D2", "D3", "D4", "D5", "D6", "D7"}]
    score, moves = [0, 0], 0
    while max(score) < 4 and moves < 40:
        team = (moves // 2) % 2
        piece = chance.choice(teams[team])
        flight = make(table, planner.choose(table, piece, goals[team], candidates=24))
        for lost in flight.outside:
            table.place(lost, "depot")
        taken = {passed.place for passed in flight.passes if passed.piece == piece} & goals[team]
        goals[team] -= taken
        score[team] += len(taken)
        moves += 1
    assert max(score) >= 4
