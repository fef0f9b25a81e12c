"""The building instructions are what the rig file says."""

from __future__ import annotations

from pathlib import Path

from arena.rig import RigFile, load_rig
from arena.rig.papers import papers

COMMITTED = Path(__file__).parents[2] / "hardware" / "README.md"


def test_the_committed_instructions_are_made_from_the_rig_file(house: RigFile) -> None:
    assert COMMITTED.read_text(encoding="utf-8") == papers(house), (
        "hardware/README.md is out of date; write papers(load_rig(…)) of arena.rig.papers into it"
    )


def test_they_say_that_the_layout_is_a_house_layout(house: RigFile) -> None:
    assert "*house* layout" in papers(house)


def test_an_owner_s_table_is_not_called_a_house_layout(shipped: str) -> None:
    mine = papers(load_rig(shipped.replace('origin = "house"', 'origin = "owner"')))
    assert "house" not in mine.removeprefix("# House layout of Iron Forest")


def test_every_input_and_every_place_with_pixels_is_listed(house: RigFile) -> None:
    text = papers(house)
    for board in house.boards.values():
        part = text.split(f"## Board {board.name}")[1].split("\n## ")[0]
        for each in board.inputs:
            assert f"| GPIO {each.pin} | input {each.channel} | {each.says().removeprefix('the ')} |" in part
        for strip in board.strips:
            for place in strip.places:
                assert f"| {place} |" in part


def test_the_budget_follows_the_brightness(shipped: str) -> None:
    dim = papers(load_rig(shipped.replace("brightness = 96", "brightness = 10")))
    assert "**545**" in dim  # 150 + 16 × 20 + 32 × 60 × 10 / 255
