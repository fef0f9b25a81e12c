"""What a person needs to build a table, written from its rig file: ``hardware/README.md``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .checks import BEAM_MA, BOARD_MA, PIXEL_MA, beams, current_ma, pixels_ma
from .file import Board, Input, RigFile

PULL_UP_OHM = "10 kΩ"
FUSE_STEP_MA = 500
FUSE_MARGIN = 1.2  # a fuse should not be loaded fully

SERVICE = """## Putting it into service

1. Make `rig.toml` say what you built; `arena run` lists everything in it that cannot be.
2. Put the firmware on the boards, as the repository's README tells.
3. Pass a Mecha through every Door, from the first Box of its line above to the second. The log must say so. If it \
tells the other direction, swap the pins of beams A and B in `rig.toml`; if it tells a bounce, one beam is blind.
4. Drop a Mecha down every Hole and let the Launcher go once: one drop, one Launch.
5. Look at every Door's pixels: if another place lights, correct `places` of its strip."""


def papers(rig: RigFile) -> str:
    """The building instructions as Markdown, the same for the same rig file."""
    parts = [_head(rig), _layout(rig), _parts(rig), *(_board(rig, board) for board in rig.boards.values())]
    return "\n\n".join([*parts, _power(rig), _beams(rig), SERVICE]) + "\n"


def _head(rig: RigFile) -> str:
    if rig.origin == "house":
        kind = (
            "This is a *house* layout: the printed board's geometry is not public, so its Boxes, Doors and "
            "Holes are ours. Measure your own table, change `rig.toml`, and this page changes with it."
        )
    else:
        kind = "This describes its owner's table."
    return (
        f"# {rig.title}\n\n"
        "<!-- Made from rig.toml by arena.rig.papers; change that file, not this page. -->\n\n"
        f"How to wire the table that `rig.toml` describes. {kind}\n\n"
        f"In numbers: {len(rig.boxes)} Boxes, {len(rig.doors)} Doors, {len(rig.holes)} Holes, "
        f"{_many(len(rig.launchers), 'Launcher')}, {_many(len(rig.boards), 'board')}, "
        f"{sum(beams(board) for board in rig.boards.values())} beams, "
        f"{sum(strip.pixels for board in rig.boards.values() for strip in board.strips)} pixels."
    )


def _layout(rig: RigFile) -> str:
    boxes = [
        (box.name, box.label, box.level, "yes" if box.outer else "", _rect(box.rect_mm)) for box in rig.boxes.values()
    ]
    doors = [
        (
            door.name,
            f"{door.boxes[0]} – {door.boxes[1]}",
            door.level,
            _at(door.at_mm),
            f"{door.width_mm:g}",
            f"{door.boxes[0]} ({_side(door.axis)})",
            f"{door.spacing_mm:g}",
        )
        for door in rig.doors.values()
    ]
    holes = [(hole.name, hole.box, hole.below, _at(hole.at_mm), f"{hole.diameter_mm:g}") for hole in rig.holes.values()]
    depots = [(depot.piece, depot.box, _at(depot.at_mm)) for depot in rig.depots.values()]
    return "\n\n".join(
        [
            "## Layout",
            f"All lengths are in mm, from the south-west corner; x grows to the east, y to the north. "
            f"The table is {rig.size_mm[0]:g} × {rig.size_mm[1]:g}, its walls are {rig.wall_mm:g} thick, "
            f"and a Mecha is {rig.mecha_mm:g} wide where the beams cross it.",
            _table(("Box", "name", "level", "Launch Area", "from – to"), boxes),
            "Beam A of a Door is on the side of its first Box: a Mecha going from the first Box to the second "
            "breaks A before B.",
            _table(("Door", "from – to", "level", "middle", "width", "beam A on the side of", "A to B"), doors),
            _table(("Hole", "in", "falls into", "middle", "diameter"), holes),
            _table(("Depot", "in", "at"), depots),
        ]
    )


def _parts(rig: RigFile) -> str:
    """The bill of materials: counted, never estimated, except for wire."""
    boards = list(rig.boards.values())
    inputs = [each for board in boards for each in board.inputs]
    beam_count = sum(1 for each in inputs if each.kind == "beam")
    switches = [each for each in inputs if each.kind == "switch"]
    strips = [strip for board in boards for strip in board.strips]
    pixels = sum(strip.pixels for strip in strips)
    modules = {"esp32": "ESP32 DevKit with a WROOM-32 module", "esp32-wrover": "ESP32 DevKit with a WROVER module"}
    rows = [(sum(1 for board in boards if board.kind == kind), what) for kind, what in modules.items()]
    rows += [
        (beam_count, "break-beam pair, 3 mm, infrared emitter and open-collector receiver"),
        (beam_count, "tube of 10 mm, matt black inside, before an emitter"),
        (
            math.ceil(beam_count * 2 / 6),
            f"74HC14 (six Schmitt inverters; two in a row a beam, {PULL_UP_OHM} at the first): for cables over 30 cm",
        ),
        (sum(1 for each in inputs if each.pull == "none"), f"resistor {PULL_UP_OHM}, pull-up to 3.3 V"),
        (len(switches), "microswitch with a lever (" + ", ".join(each.place for each in switches) + ")"),
        (pixels, "WS2812B pixel on a strip, 5 V"),
        (len(strips), "74AHCT125 or similar, one gate used: 3.3 V to 5 V for the pixels' data"),
        (len(strips), "resistor 330 Ω in the pixels' data line"),
        (len(strips), "capacitor 1000 µF, 10 V, at the strip's first pixel"),
        *((1, f"supply 5 V, {board.supply_ma} mA or more, for board {board.name}") for board in boards),
        (len(boards), "USB cable with data lines"),
    ]
    return "## Bill of materials\n\n" + _table(
        ("pieces", "part"), [(str(count), what) for count, what in rows if count]
    )


def _board(rig: RigFile, board: Board) -> str:
    gates = {gate.place: gate for gate in board.gates}
    rows = []
    for each in board.inputs:
        gate = gates.get(each.place)
        counter = f"{gate.counter}" if gate is not None and gate.counter >= 0 else ""
        rows.append((each.pin, (f"GPIO {each.pin}", f"input {each.channel}", _what(each), _wire(each), counter)))
    for strip in board.strips:
        what = f"data of {strip.pixels} pixels ({strip.order})"
        wire = "through the level shifter and 330 Ω to the first pixel's DIN"
        rows.append((strip.pin, (f"GPIO {strip.pin}", f"strip {strip.index}", what, wire, "")))
    rows.sort(key=lambda row: row[0])
    places = [
        (place, str(strip.index), f"{first} – {first + count - 1}" if count > 1 else str(first))
        for strip in board.strips
        for place, (first, count) in strip.places.items()
    ]
    identity = f"It is the board with the identity `{board.identity}`." if board.identity else ""
    return "\n\n".join(
        part
        for part in (
            f"## Board {board.name}",
            identity,
            "An input's number is its channel on the wire; a counter is the chip's pulse counter that watches it.",
            _table(("pin", "is", "for", "wiring", "counter"), [row for _, row in rows]),
            _table(("place", "strip", "pixels"), places),
        )
        if part
    )


def _power(rig: RigFile) -> str:
    rows = []
    for board in rig.boards.values():
        need = current_ma(board)
        fuse = math.ceil(need * FUSE_MARGIN / FUSE_STEP_MA) * FUSE_STEP_MA
        rows.append(
            (
                board.name,
                str(BOARD_MA),
                f"{beams(board)} × {BEAM_MA} = {beams(board) * BEAM_MA}",
                f"{sum(strip.pixels for strip in board.strips)} pixels = {pixels_ma(board)}",
                f"**{need}**",
                str(board.supply_ma),
                str(board.supply_ma - need),
                str(fuse),
            )
        )
    dimmed = ", ".join(
        f"{strip.brightness} of 255 on {board.name}" for board in rig.boards.values() for strip in board.strips
    )
    return (
        "## Power\n\n"
        f"In mA, the most that can happen: every pixel white ({PIXEL_MA} mA at full brightness; it is limited to "
        f"{dimmed}). The 5 V supply feeds pixels and beams, the USB cable feeds the board. Connect the grounds of "
        "supply, board, beams and pixels; never join the supply's 5 V to the board's 5 V pin while USB is plugged in, "
        "unless a Schottky diode sits in between.\n\n"
        + _table(("board", "itself", "beams", "pixels", "together", "supply", "to spare", "fuse"), rows)
    )


def _beams(rig: RigFile) -> str:
    spacings = sorted({door.spacing_mm for door in rig.doors.values()})
    apart = " or ".join(f"{each:g}" for each in spacings)
    return (
        "## Building the beams\n\n"
        f"- The two beams of a Door lie {apart} mm apart, closer than a Mecha is wide, so that it covers both for a "
        "moment: only then can a complete pass be told from a bounce.\n"
        "- Set them low, 8 to 12 mm above the floor, so that a Mecha's widest part breaks them.\n"
        "- Put a matt black tube of 10 mm before each emitter and let neighbouring Doors shine in opposite "
        "directions, so that no receiver sees another's light.\n"
        "- Twist each receiver's wire with ground; over 30 cm, use shielded cable and the Schmitt inverters.\n"
        "- An input is active when its pin is "
        + _active(rig)
        + "; a receiver with an open collector pulls its pin low when its beam is dark."
    )


def _active(rig: RigFile) -> str:
    levels = {each.active for board in rig.boards.values() for each in board.inputs}
    return {frozenset({0}): "low", frozenset({1}): "high"}.get(frozenset(levels), "at the level given in `rig.toml`")


def _what(each: Input) -> str:
    return each.says().removeprefix("the ")


def _wire(each: Input) -> str:
    if each.kind == "switch":
        return (
            "switch to " + ("ground" if each.active == 0 else "3.3 V") + ("" if each.pull == "up" else ", own resistor")
        )
    if each.pull == "none":
        return f"receiver's output, and {PULL_UP_OHM} to 3.3 V (this pin has no pull-up)"
    return "receiver's output"


def _side(axis: str) -> str:
    return "west" if axis == "x" else "south"


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:g}, {point[1]:g}"


def _rect(rect: tuple[float, float, float, float]) -> str:
    return f"{rect[0]:g}, {rect[1]:g} – {rect[2]:g}, {rect[3]:g}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
