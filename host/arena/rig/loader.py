"""From a rig file's text to a checked ``RigFile``, or to every problem that it has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from ..words import OUTSIDE, PlaceId
from . import pins
from .checks import check_boards, check_layout
from .file import Board, Box, Depot, Door, Gate, Hole, Input, RigFile, Strip
from .reading import Problems, RigError, Section, guess, shown

GATE_COUNTERS = 8  # units of an ESP32
MOST_PIXELS = 32  # a longer chain keeps the board from looking for over a millisecond
ORDERS = ("GRB", "RGB", "RBG", "GBR", "BRG")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")
IDENTITY = re.compile(r"([0-9a-f]{2}){1,8}")

# What TOML's parser says of the commonest mistakes, in words for people
SYNTAX = {
    "Cannot overwrite a value": "this name is given twice; a place or a piece stands once",
    "Cannot declare": "this table is given twice; a place or a piece stands once",
    "Duplicate inline table key": "this key is given twice",
    "Illegal character '\\n'": "a text must end with a quote on its line",
    "Expected '=' after a key": "a key needs = and a value",
    "Invalid value": "a value is missing, or a text is not in quotes",
    "Unclosed array": "the list before this needs a comma between its values and ] at its end",
}


def load_rig(text: str, name: str = "rig.toml") -> RigFile:
    """The rig file in ``text``; ``name`` is what problems call it. ``RigError`` lists all of them."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise RigError(name, [_syntax(text, str(problem))]) from None
    problems = Problems()
    rig = _read(Section(problems, "", data), name)
    check_layout(rig, problems)
    check_boards(rig, problems)
    if problems.lines:
        raise RigError(name, problems.lines)
    return rig


def _syntax(text: str, problem: str) -> str:
    """TOML's complaint with the line itself, since a number alone sends people counting."""
    found = re.search(r"\(at line (\d+), column (\d+)\)", problem)
    lines = text.splitlines()
    if found and int(found[1]) <= len(lines):
        number, column = int(found[1]), int(found[2])
        complaint = problem[: found.start()].strip()
        what = next((say for begin, say in SYNTAX.items() if complaint.startswith(begin)), f"not TOML ({complaint})")
        line = lines[number - 1].strip()
        return f"line {number}, column {column}: {what}; the line is: {line or '(empty)'}"
    return f"end of the file: not TOML ({problem.split(' (at')[0]}); is a quote or a bracket still open?"


def _read(top: Section, name: str) -> RigFile:
    title = top.text("title", example='"My table"')
    origin = top.text("origin", choices=("house", "owner"))
    size = top.numbers("size_mm", 2, "[700, 700]") or (0, 0)
    wall_mm = top.number("wall_mm", 0.5, 30, 4)
    mecha_mm = top.number("mecha_mm", 5, 100, 30)
    boxes = {each: _box(each, row) for each, row in _named(top, "boxes", "B1")}
    doors = {each: _door(each, row, boxes) for each, row in _named(top, "doors", "D1")}
    holes = {each: _hole(each, row) for each, row in _named(top, "holes", "H1", needed=False)}
    launchers = {each: _label(each, row) for each, row in _named(top, "launchers", "L1", needed=False)}
    buttons = {each: _label(each, row) for each, row in _named(top, "buttons", "UNDO", needed=False)}
    depots = {each: _depot(each, row) for each, row in _named(top, "depots", "BUBO", needed=False)}
    places = dict.fromkeys(doors, "door") | dict.fromkeys(holes, "hole")
    places |= dict.fromkeys(launchers, "launcher") | dict.fromkeys(buttons, "button")
    boards = {each: _board(each, row, places) for each, row in _named(top, "boards", "lower")}
    top.end()
    return RigFile(
        name=name,
        title=title,
        origin=origin,
        size_mm=(size[0], size[1]),
        wall_mm=wall_mm,
        mecha_mm=mecha_mm,
        boxes=boxes,
        doors=doors,
        holes=holes,
        launchers=launchers,
        buttons=buttons,
        depots=depots,
        boards=boards,
    )


def _named(top: Section, key: str, example: str, needed: bool = True) -> list[tuple[str, Section]]:
    rows = list(top.tables(key, example, needed))
    for name, row in rows:
        if not NAME.fullmatch(name) or name in (OUTSIDE, "table"):
            row.problems.add(
                row.path, f'"{name}" cannot be a name; write up to 16 letters and digits, such as {example}'
            )
    return rows


def _box(name: str, row: Section) -> Box:
    rect = row.numbers("rect_mm", 4, "[0, 450, 450, 700] (west, south, east, north)") or (0, 0, 0, 0)
    box = Box(
        name=name,
        level=row.text("level", choices=("lower", "upper")),
        outer=row.flag("outer", False),
        rect_mm=(rect[0], rect[1], rect[2], rect[3]),
        label=row.text("label", name),
    )
    row.end()
    return box


def _door(name: str, row: Section, boxes: Mapping[PlaceId, Box]) -> Door:
    pair = row.texts("boxes", '["B1", "B5"]', 2) or ["", ""]
    at = row.numbers("at_mm", 2, "[350, 450]") or (0, 0)
    door = Door(
        name=name,
        level=boxes[pair[0]].level if pair[0] in boxes else "lower",
        boxes=(pair[0], pair[1]),
        at_mm=(at[0], at[1]),
        width_mm=row.number("width_mm", 10, 300, 60),
        axis=row.text("axis", choices=("x", "y")),
        spacing_mm=row.number("spacing_mm", 2, 60, 12),
    )
    row.end()
    return door


def _hole(name: str, row: Section) -> Hole:
    at = row.numbers("at_mm", 2, "[175, 350]") or (0, 0)
    hole = Hole(
        name=name,
        box=row.text("box", example='"B6"'),
        below=row.text("below", example='"B4"'),
        at_mm=(at[0], at[1]),
        diameter_mm=row.number("diameter_mm", 10, 200, 45),
    )
    row.end()
    return hole


def _depot(piece: str, row: Section) -> Depot:
    at = row.numbers("at_mm", 2, "[340, 45]") or (0, 0)
    depot = Depot(piece, row.text("box", example='"B3"'), (at[0], at[1]))
    row.end()
    return depot


def _label(name: str, row: Section) -> str:
    label = row.text("label", name)
    row.end()
    return label


def _board(name: str, row: Section, places: Mapping[PlaceId, str]) -> Board:
    kind = row.text("kind", choices=pins.KINDS)
    identity = row.text("identity", "").lower().replace(":", "")
    if identity and not IDENTITY.fullmatch(identity):
        row.bad("identity", f'expected hex digits such as "a4cf12ab34cd", found "{identity}"; leave it out to be asked')
    supply_ma = row.whole("supply_ma", 100, 20_000)
    inputs = _inputs(row, places)
    gates = _gates(row, inputs, places)
    strips = tuple(_strip(index, each, places) for index, each in enumerate(row.rows("strips", "", needed=False)))
    row.end()
    return Board(name, kind, identity, supply_ma, inputs, gates, strips)


def _inputs(row: Section, places: Mapping[PlaceId, str]) -> tuple[Input, ...]:
    inputs = []
    for channel, each in enumerate(row.rows("inputs", '{ place = "D1", beam = "A", pin = 4 }')):
        place = each.text("place", example='"D1"')
        kind = places.get(place, "")
        if not kind and each.has("place"):
            each.bad("place", f"there is no Door, Hole, Launcher or button {shown(place)}.{guess(place, list(places))}")
        beam = each.text("beam", "")
        if kind == "door" and beam not in ("A", "B"):
            each.bad("beam", f'{place} is a Door: write beam = "A" (on the first Box\'s side) or beam = "B"')
        elif kind and kind != "door" and beam:
            each.bad("beam", f"{place} is a {kind.capitalize()} with one input: leave beam out")
        active = each.text("active", "low", choices=("low", "high"))
        inputs.append(
            Input(
                place=place,
                beam=beam,
                channel=channel,
                pin=each.whole("pin", 0, 39),
                active=1 if active == "high" else 0,
                pull=each.text("pull", "up", choices=("up", "none")),
                kind="switch" if kind in ("launcher", "button") else "beam",
            )
        )
        each.end()
    return tuple(inputs)


def _gates(row: Section, inputs: tuple[Input, ...], places: Mapping[PlaceId, str]) -> tuple[Gate, ...]:
    """Places with a counter first, in the order of their units, then the others of this board."""
    channels: dict[PlaceId, dict[str, int]] = {}
    for each in inputs:
        if places.get(each.place) in ("door", "hole"):
            channels.setdefault(each.place, {}).setdefault(each.beam, each.channel)
    counters = row.texts("counters", '["D1", "D2"]') or []
    if len(counters) > GATE_COUNTERS:
        row.bad("counters", f"{len(counters)} places, but the chip has {GATE_COUNTERS} counters: leave the others out")
    counted = []
    for place in counters:
        if place in counted:
            row.bad("counters", f"{place} is named twice")
        elif place not in channels:
            row.bad(
                "counters", f"{place} is not a Door or Hole with beams on this board.{guess(place, list(channels))}"
            )
        else:
            counted.append(place)
    order = counted + [place for place in channels if place not in counted]
    return tuple(
        Gate(
            place=place,
            index=index,
            a=channels[place].get("A", channels[place].get("", -1)),
            b=channels[place].get("B", -1),
            counter=index if place in counted else -1,
        )
        for index, place in enumerate(order)
    )


def _strip(index: int, row: Section, places: Mapping[PlaceId, str]) -> Strip:
    pixels = row.whole("pixels", 1, 1000)
    if pixels > MOST_PIXELS:
        row.bad(
            "pixels",
            f"{pixels} on one strip keep the board from looking at its beams for too long; "
            f"use strips of {MOST_PIXELS} or fewer, each on its own pin",
        )
    spans: dict[PlaceId, tuple[int, int]] = {}
    given = Section(row.problems, row.key("places"), row.raw("places") or {}, "a table such as { D1 = [0, 4] }")
    for place in given.data:
        span = given.numbers(place, 2, "[0, 4] (first pixel, how many)")
        if place not in places:
            given.bad(place, f"there is no Door, Hole, Launcher or button of that name.{guess(place, list(places))}")
        elif span is not None:
            first, count = span
            if first != int(first) or count != int(count) or first < 0 or count < 1:
                given.bad(place, f"expected the first pixel (from 0) and how many (from 1), found {shown(list(span))}")
            else:
                spans[place] = (int(first), int(count))
    strip = Strip(
        index=index,
        pin=row.whole("pin", 0, 39),
        pixels=pixels,
        order=row.text("order", "GRB", choices=ORDERS),
        brightness=row.whole("brightness", 1, 255, 96),
        limit_ma=row.whole("limit_ma", 50, 20_000, 1500),
        places=spans,
    )
    row.end()
    return strip
