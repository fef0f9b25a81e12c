"""The shipped table: what its map, its boards' configuration and its pins must be."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from arena.rig import RigFile
from arena.rig.file import GATES
from arena.rig.loader import GATE_COUNTERS, MOST_PIXELS, ORDERS
from arena.rig.pins import FLASH, INPUT_ONLY, REPL, STRAPPING


def test_the_house_layout_says_that_it_is_one(house: RigFile) -> None:
    assert house.map()["origin"] == "house"


def test_it_has_the_boxes_doors_and_holes_that_the_scenario_needs(house: RigFile) -> None:
    table = house.map()
    levels = [box["level"] for box in table["boxes"].values()]
    assert (levels.count("lower"), levels.count("upper")) == (5, 2)
    doors = [door["level"] for door in table["doors"].values()]
    assert doors.count("lower") >= 7
    assert doors.count("upper") >= 4
    assert {name: (hole["box"], hole["below"]) for name, hole in table["holes"].items()} == {
        "H1": ("B6", "B4"),
        "H2": ("B7", "B2"),
    }
    assert table["launch_boxes"] == ["B1", "B2", "B3", "B4"]
    assert {piece: depot["box"] for piece, depot in table["depots"].items()} == dict.fromkeys(
        ["BBIT", "BUBO", "HOWLER", "SPIKE"], "B3"
    ) | dict.fromkeys(["SHI3LD", "DRON3", "CHAS3R", "WH33L"], "B7")


def test_every_box_can_be_reached_from_every_other(house: RigFile) -> None:
    ways = [door.boxes for door in house.doors.values()]
    ways += [(hole.box, hole.below) for hole in house.holes.values()]
    reached = {"B1"}
    for _ in house.boxes:
        reached |= {box for way in ways if reached & set(way) for box in way}
    assert reached == set(house.boxes)


def test_a_doors_first_box_lies_at_the_smaller_coordinate(house: RigFile) -> None:
    for door in house.doors.values():
        axis = "xy".index(door.axis)
        first, second = (house.boxes[name].rect_mm for name in door.boxes)
        assert first[axis] < second[axis]
        assert first[axis + 2] == second[axis] == door.at_mm[axis]


def test_map_and_board_configuration_are_plain_json(house: RigFile) -> None:
    assert json.loads(json.dumps(house.map())) == house.map()
    for board in house.boards:
        config = house.board_config(board)
        assert json.loads(json.dumps(config)) == config


def test_a_board_is_told_its_inputs_gates_and_strips(house: RigFile) -> None:
    config = house.board_config("upper")
    assert config["name"] == "upper"
    assert config["inputs"][0] == {"pin": 4, "active": 0, "pull": "up", "kind": "beam"}
    assert config["inputs"][10] == {"pin": 26, "active": 0, "pull": "up", "kind": "switch"}
    assert config["gates"][0] == {"a": 0, "b": 1, "counter": 0}
    assert config["gates"][4] == {"a": 8, "b": -1, "counter": 4}
    assert config["strips"] == [{"pin": 23, "pixels": 28, "order": "GRB", "brightness": 96, "limit_ma": 1500}]


def test_no_board_uses_a_pin_that_would_trouble_it(house: RigFile) -> None:
    for board in house.boards.values():
        pins = [each.pin for each in board.inputs] + [strip.pin for strip in board.strips]
        assert len(set(pins)) == len(pins)
        assert not set(pins) & (FLASH | REPL | set(STRAPPING))
        assert all(each.pull == "none" for each in board.inputs if each.pin in INPUT_ONLY)


def test_every_door_hole_and_launcher_has_light(house: RigFile) -> None:
    assert house.pixels().keys() == {*house.doors, *house.holes, *house.launchers}


def test_what_a_rig_file_may_say_a_board_takes() -> None:
    source = (Path(__file__).parents[2] / "firmware" / "settings.py").read_text(encoding="utf-8")
    told = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert set(ORDERS) <= set(told["ORDERS"])
    assert told["MAX_PIXELS"] >= MOST_PIXELS
    assert told["MAX_GATES"] == GATES == GATE_COUNTERS
