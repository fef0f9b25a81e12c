"""What a person can get wrong in a rig file, and what they are told."""

from __future__ import annotations

import contextlib
import re

import pytest
from arena.rig import RigError, load_rig
from hypothesis import given, settings
from hypothesis import strategies as st

# (what is in the shipped file, what a person made of it, what they must be told)
MISTAKES = {
    "a typo in a key": ("outer = true", "outter = true", 'boxes.B1.outter: unknown key, a typo? Did you mean "outer"'),
    "a typo in a Door": ("spacing_mm = 12 }", "spacing = 12 }", "doors.D1.spacing: unknown key"),
    "a key where none belongs": ('title = "', 'colour = "red"\ntitle = "', "colour: unknown key"),
    "a pin used twice": ("pin = 13", "pin = 4", "pin 4 is already used for beam A of D1"),
    "a flash pin": ("pin = 13", "pin = 7", "pin 7 (beam B of D1) belongs to the flash memory"),
    "the serial line": ("pin = 13", "pin = 3", "pin 3 (beam B of D1) is the serial line"),
    "a strapping pin": ("pin = 13", "pin = 12", "pin 12 (beam B of D1) keeps the board from starting"),
    "another strapping pin": ("pin = 13", "pin = 0", "pin 0 (beam B of D1) keeps the board from starting"),
    "a pin that is not there": ("pin = 13", "pin = 24", "pin 24 (beam B of D1) is not on the board's header"),
    "a pin beyond all": ("pin = 13", "pin = 77", "77 is out of range; write a whole number from 0 to 39"),
    "a pull-up that is not there": ('pin = 34, pull = "none"', "pin = 34", "solder 10 kΩ to 3.3 V"),
    "ghost edges": (
        'pin = 34, pull = "none"',
        'pin = 36, pull = "none"',
        "pin 36 (beam A of D8) makes edges by itself",
    ),
    "pixels on an input": (
        "pin = 23\npixels = 32",
        "pin = 35\npixels = 32",
        "pin 35 (the pixels) can only be an input",
    ),
    "memory of a WROVER": (
        'kind = "esp32"  ',
        'kind = "esp32-wrover"  ',
        "pin 16 (beam B of D2) belongs to the extra memory",
    ),
    "an unknown chip": (
        'kind = "esp32"  ',
        'kind = "esp8266"  ',
        'expected "esp32" or "esp32-wrover", found "esp8266"',
    ),
    "a Door to nowhere": ('["B5", "B1"]', '["B5", "B9"]', 'doors.D1.boxes: there is no Box "B9"'),
    "a Door through no wall": ('["B5", "B1"]', '["B4", "B2"]', "doors.D1.boxes: B4 and B2 do not touch"),
    "a Door between levels": ('["B5", "B1"]', '["B5", "B6"]', "B5 and B6 are on different levels"),
    "a Door from a Box to itself": ('["B5", "B1"]', '["B5", "B5"]', "both sides are B5"),
    "a Door with three sides": ('["B5", "B1"]', '["B5", "B1", "B2"]', "doors.D1.boxes: expected 2 names"),
    "a Door written from the wrong side": ('["B5", "B1"]', '["B1", "B5"]', 'write boxes = ["B5", "B1"]'),
    "a Door along its wall": ('["B5", "B1"], axis = "y"', '["B5", "B1"], axis = "x"', 'is crossed along "y"'),
    "a Door beside its wall": ("at_mm = [350, 450]", "at_mm = [350, 400]", "is not on the wall, which is at y = 450"),
    "a Door through the corner": ("at_mm = [350, 450]", "at_mm = [440, 450]", "does not fit into the wall"),
    "beams too far apart": ("spacing_mm = 12", "spacing_mm = 40", "are never both dark for a Mecha of 30"),
    "a Hole over another Box": (
        'below = "B4"',
        'below = "B3"',
        'holes.H1.below: B3 is not under the Hole at (175, 350); write below = "B4"',
    ),
    "a Hole below nothing": ('below = "B4"', 'below = "B7"', "B7 is on the Upper level"),
    "a Hole in the Lower level": ('box = "B6", below', 'box = "B4", below', "B4 is on the Lower level"),
    "a Hole outside its Box": ("at_mm = [175, 350]", "at_mm = [500, 350]", "(500, 350) is not in B6"),
    "too little current": (
        "supply_ma = 2000",
        "supply_ma = 1000",
        "the supply gives 1000 mA, but the board, its 16 beams",
    ),
    "too bright": (
        "brightness = 96 ",
        "brightness = 255 ",
        "take 2390 mA; use a stronger supply or a lower brightness",
    ),
    "pixels of two places": ("D2 = [4, 4]", "D2 = [3, 4]", "places.D2: shares pixels with D1"),
    "pixels beyond the strip": ("H2 = [20, 4]", "H2 = [20, 14]", "pixels 20 to 33, but the strip has 28"),
    "half a pixel": ("D2 = [4, 4]", "D2 = [4.5, 4]", "places.D2: expected the first pixel (from 0)"),
    "pixels of nobody": (
        "D2 = [4, 4]",
        "D22 = [4, 4]",
        'there is no Door, Hole, Launcher or button of that name. Did you mean "D2"?',
    ),
    "a strip too long": ("pixels = 32", "pixels = 60", "60 on one strip keep the board from looking"),
    "a ninth counter": ('"D8"]   #', '"D8", "D1"]   #', "9 places, but the chip has 8 counters"),
    "a counter of another board": (
        'counters = ["D9"',
        'counters = ["D1"',
        "D1 is not a Door or Hole with beams on this board",
    ),
    "a counter for unlike beams": (
        "pin = 13 }",
        'pin = 13, active = "high" }',
        "boards.lower.counters: the beams of D1 are active at different levels",
    ),
    "an input of nobody": (
        'place = "D1", beam = "A"',
        'place = "D21", beam = "A"',
        'there is no Door, Hole, Launcher or button "D21"',
    ),
    "a Door's third beam": ('place = "D1", beam = "B"', 'place = "D1", beam = "C"', 'D1 is a Door: write beam = "A"'),
    "a beam connected twice": (
        'place = "D1", beam = "B"',
        'place = "D1", beam = "A"',
        "beam A of D1 is already connected at boards.lower.inputs[1]",
    ),
    "a beam not connected": (
        '  { place = "D1", beam = "B", pin = 13 },\n',
        "",
        "doors.D1: beam B is connected to no board",
    ),
    "a Hole not connected": ('  { place = "H1", pin = 22 },\n', "", "holes.H1: is connected to no board"),
    "a Launcher not connected": ('  { place = "L1", pin = 26 },\n', "", "launchers.L1: is connected to no board"),
    "a Hole with beam A": (
        'place = "H1", pin',
        'place = "H1", beam = "A", pin',
        "H1 is a Hole with one input: leave beam out",
    ),
    "a number in quotes": (
        "width_mm = 60",
        'width_mm = "60"',
        'doors.D1.width_mm: expected a number from 10 to 300, found "60"',
    ),
    "a truth in quotes": (
        "outer = true",
        'outer = "yes"',
        'boxes.B1.outer: expected true or false (without quotes), found "yes"',
    ),
    "a number for a name": ('label = "North"', "label = 7", "boxes.B1.label: expected a text in quotes, found 7"),
    "a box with three corners": ("[0, 450, 450, 700]", "[0, 450, 450]", "boxes.B1.rect_mm: expected 4 numbers"),
    "a box turned inside out": ("[0, 450, 450, 700]", "[450, 700, 0, 450]", "expected west, south, east, north"),
    "a box beyond the table": ("[0, 450, 450, 700]", "[0, 450, 450, 900]", "beyond the table of 700 × 700"),
    "two boxes on each other": ("[0, 450, 450, 700]", "[0, 400, 450, 700]", "lie on each other"),
    "a level between": ('level = "lower"', 'level = "middle"', 'expected "lower" or "upper", found "middle"'),
    "a Depot in the wrong Box": (
        "at_mm = [340, 45]",
        "at_mm = [340, 600]",
        "depots.BBIT.at_mm: (340, 600) is not in B3",
    ),
    "a piece with two Depots": (
        "[depots]",
        '[depots]\nBBIT = { box = "B7", at_mm = [560, 190] }',
        "line 78, column 41: this name is given twice",
    ),
    "a name used twice": (
        "[launchers]",
        '[launchers]\nD1 = { label = "?" }',
        "launchers.D1: the name is already used in doors",
    ),
    "nothing where much is needed": ("", None, "boxes: is missing; write [boxes.B1]"),
    "an open quote": (
        'label = "North"',
        'label = "North',
        "line 17, column 15: a text must end with a quote on its line",
    ),
    "an open bracket": (
        "size_mm = [700, 700]",
        "size_mm = [700, 700",
        "needs a comma between its values and ] at its end",
    ),
    "a bad identity": (
        "supply_ma = 2000",
        'identity = "lower one"\nsupply_ma = 2000',
        "boards.lower.identity: expected hex digits",
    ),
    "colours in no order": ('order = "GRB"', 'order = "RGV"', "boards.lower.strips[1].order: expected"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_key_and_what_to_write(shipped: str, mistake: str) -> None:
    right, wrong, said = MISTAKES[mistake]
    text = "" if wrong is None else shipped.replace(right, wrong, 1)
    assert text != shipped
    with pytest.raises(RigError) as caught:
        load_rig(text, "my table.toml")
    assert said in str(caught.value)
    assert str(caught.value).startswith("The rig file my table.toml needs ")
    assert not re.search(r"Traceback|NoneType|<class|object at", str(caught.value))


def test_all_mistakes_are_told_at_once(shipped: str) -> None:
    text = (
        shipped.replace("pin = 13", "pin = 7", 1).replace('below = "B4"', 'below = "B3"').replace("outer", "outter", 1)
    )
    with pytest.raises(RigError) as caught:
        load_rig(text)
    assert len(caught.value.problems) == 3


def test_a_pin_to_use_instead_is_free_and_right(shipped: str) -> None:
    with pytest.raises(RigError) as caught:
        load_rig(shipped.replace("pin = 22 }", "pin = 6 }"))
    said = next(line for line in caught.value.problems if "beam of H1" in line)
    instead = re.findall(r"\d+", said.split("use ")[1])
    assert instead
    load_rig(shipped.replace('"H1", pin = 22', f'"H1", pin = {instead[0]}'))


def test_too_few_things_are_counted_for_the_owner() -> None:
    with pytest.raises(RigError) as caught:
        load_rig('title = "x"\norigin = "house"\nsize_mm = [400, 200]\n[boxes.B1]\nlevel = "lower"\n[doors]\n[boards]')
    said = str(caught.value)
    assert "boxes: only 1; a table needs at least 2" in said
    assert "doors: there is none; a table needs at least 1" in said
    assert "boards: there is none; a table needs at least 1" in said


def test_two_boxes_a_door_and_a_button_are_enough() -> None:
    rig = load_rig(
        """
        title = "Small"
        origin = "owner"
        size_mm = [400, 200]
        [boxes.LEFT]
        level = "lower"
        rect_mm = [0, 0, 200, 200]
        [boxes.RIGHT]
        level = "lower"
        rect_mm = [200, 0, 400, 200]
        [doors.D1]
        boxes = ["LEFT", "RIGHT"]
        at_mm = [200, 100]
        axis = "x"
        [buttons.UNDO]
        [boards.only]
        kind = "esp32"
        supply_ma = 500
        inputs = [
            { place = "D1", beam = "A", pin = 4 },
            { place = "D1", beam = "B", pin = 13, active = "high" },
            { place = "UNDO", pin = 14 },
        ]
        """
    )
    assert rig.map()["buttons"] == {"UNDO": {"label": "UNDO"}}
    assert rig.pixels() == {}
    assert rig.board_config("only")["inputs"][1]["active"] == 1
    assert rig.board_config("only")["gates"] == [{"a": 0, "b": 1, "counter": -1}]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_is_done_to_the_file_there_is_never_a_stack_trace(shipped: str, data: st.DataObject) -> None:
    lines = shipped.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        words = re.split(r"(\s+|[=,\[\]{}])", lines[at])
        word = data.draw(st.integers(0, len(words) - 1))
        junk = [
            "",
            "0",
            "-1",
            "1e400",
            "nan",
            "9999999999",
            '"x"',
            "true",
            "[]",
            "{}",
            "=",
            "D1",
            '"',
            "1979-05-27",
            "inf",
        ]
        words[word] = data.draw(st.sampled_from(junk))
        lines[at] = "".join(words)
    with contextlib.suppress(RigError):
        load_rig("\n".join(lines))
