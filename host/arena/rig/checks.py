"""What a rig file's parts must be to one another: geometry, pins, counters, pixels, current."""

from __future__ import annotations

from collections.abc import Iterable

from ..words import PlaceId
from . import pins
from .file import Board, Box, Door, RigFile
from .reading import Problems, either, guess

PIXEL_MA = 60  # a WS2812 pixel, white, at full brightness
BOARD_MA = 150  # an ESP32 board without Wi-Fi, its USB bridge and regulator included
BEAM_MA = 20  # the emitter and receiver of one beam
TOUCH_MM = 1.0  # Boxes whose walls are nearer than this (and the wall's thickness) touch


def check_layout(rig: RigFile, problems: Problems) -> None:
    """Boxes, Doors, Holes and Depots on the table."""
    for kind, things, needed in (("boxes", rig.boxes, 2), ("doors", rig.doors, 1), ("boards", rig.boards, 1)):
        missing = any(line.startswith(f"{kind}: ") for line in problems.lines)  # said already
        if len(things) < needed and not missing:
            count = f"only {len(things)}" if things else "there is none"
            problems.add(kind, f"{count}; a table needs at least {needed}")
    if min(rig.size_mm) < 100 or max(rig.size_mm) > 5000:
        if rig.size_mm != (0, 0):
            problems.add("size_mm", f"{list(rig.size_mm)} is no table's size; write width and depth in mm, 100 to 5000")
        return
    _check_names(rig, problems)
    for box in rig.boxes.values():
        _check_box(rig, box, problems)
    for door in rig.doors.values():
        _check_door(rig, door, problems)
    for hole in rig.holes.values():
        key = f"holes.{hole.name}"
        above, below = _box(rig, f"{key}.box", hole.box, problems), _box(rig, f"{key}.below", hole.below, problems)
        if above and above.level != "upper":
            problems.add(
                f"{key}.box", f"{above.name} is on the Lower level; a Hole is in the floor of an Upper level Box"
            )
        elif above and not above.holds(hole.at_mm):
            problems.add(f"{key}.at_mm", f"{_point(hole.at_mm)} is not in {above.name}, which {_extent(above)}")
        if below and below.level != "lower":
            problems.add(f"{key}.below", f"{below.name} is on the Upper level; what falls arrives on the Lower level")
        elif below and not below.holds(hole.at_mm):
            there = [box.name for box in rig.boxes.values() if box.level == "lower" and box.holds(hole.at_mm)]
            problems.add(
                f"{key}.below",
                f"{below.name} is not under the Hole at {_point(hole.at_mm)}; "
                + (f'write below = "{there[0]}"' if there else "no Lower level Box is there: check at_mm"),
            )
    for depot in rig.depots.values():
        key = f"depots.{depot.piece}"
        home = _box(rig, f"{key}.box", depot.box, problems)
        if home and not home.holds(depot.at_mm):
            problems.add(f"{key}.at_mm", f"{_point(depot.at_mm)} is not in {home.name}, which {_extent(home)}")


def _check_names(rig: RigFile, problems: Problems) -> None:
    seen: dict[str, str] = {}
    kinds: list[tuple[str, Iterable[str]]] = [
        ("boxes", rig.boxes),
        ("doors", rig.doors),
        ("holes", rig.holes),
        ("launchers", rig.launchers),
        ("buttons", rig.buttons),
        ("boards", rig.boards),
    ]
    for kind, names in kinds:
        for name in names:
            if name in seen:
                problems.add(f"{kind}.{name}", f"the name is already used in {seen[name]}; every place needs its own")
            seen[name] = kind


def _box(rig: RigFile, key: str, name: PlaceId, problems: Problems) -> Box | None:
    box = rig.boxes.get(name)
    if box is None and name:
        known = list(rig.boxes)
        problems.add(key, f'there is no Box "{name}".{guess(name, known)} The Boxes are {", ".join(known)}')
    return box


def _point(at: tuple[float, float]) -> str:
    return f"({at[0]:g}, {at[1]:g})"


def _extent(box: Box) -> str:
    west, south, east, north = box.rect_mm
    return f"goes from ({west:g}, {south:g}) to ({east:g}, {north:g})"


def _check_box(rig: RigFile, box: Box, problems: Problems) -> None:
    key = f"boxes.{box.name}"
    west, south, east, north = box.rect_mm
    if (west, south, east, north) == (0, 0, 0, 0):
        return  # already reported as missing
    if east - west < rig.mecha_mm or north - south < rig.mecha_mm:
        problems.add(f"{key}.rect_mm", "expected west, south, east, north with room for a Mecha between them")
    elif west < 0 or south < 0 or east > rig.size_mm[0] or north > rig.size_mm[1]:
        problems.add(
            f"{key}.rect_mm", f"{box.name} {_extent(box)}, beyond the table of {rig.size_mm[0]:g} × {rig.size_mm[1]:g}"
        )
    for other in rig.boxes.values():
        if other.name <= box.name or other.level != box.level:
            continue
        across = min(east, other.rect_mm[2]) - max(west, other.rect_mm[0])
        along = min(north, other.rect_mm[3]) - max(south, other.rect_mm[1])
        if min(across, along) > rig.wall_mm + TOUCH_MM:
            problems.add(f"boxes.{other.name}.rect_mm", f"{other.name} and {box.name} lie on each other")


def _check_door(rig: RigFile, door: Door, problems: Problems) -> None:
    key = f"doors.{door.name}"
    first, second = (_box(rig, f"{key}.boxes", name, problems) for name in door.boxes)
    if first is None or second is None:
        return
    if first is second:
        problems.add(f"{key}.boxes", f"both sides are {first.name}; write the two Boxes that the Door connects")
        return
    if first.level != second.level:
        problems.add(f"{key}.boxes", f"{first.name} and {second.name} are on different levels; a Door stays on one")
        return
    axis = 0 if door.axis == "x" else 1
    gaps = [second.rect_mm[each] - first.rect_mm[each + 2] for each in (0, 1)]
    back = [first.rect_mm[each] - second.rect_mm[each + 2] for each in (0, 1)]
    near = rig.wall_mm + TOUCH_MM
    touching = [each for each in (0, 1) if min(abs(gaps[each]), abs(back[each])) <= near]
    overlap = [
        min(first.rect_mm[each + 2], second.rect_mm[each + 2]) - max(first.rect_mm[each], second.rect_mm[each])
        for each in (0, 1)
    ]
    walls = [each for each in touching if overlap[1 - each] > 0]
    if not walls:
        problems.add(f"{key}.boxes", f"{first.name} and {second.name} do not touch, so no Door can connect them")
        return
    if axis not in walls:
        right = "xy"[walls[0]]
        problems.add(f"{key}.axis", f'the wall between {first.name} and {second.name} is crossed along "{right}"')
        return
    if abs(back[axis]) <= near and abs(gaps[axis]) > near:
        side = ("west", "south")[axis]
        problems.add(
            f"{key}.boxes",
            f'write boxes = ["{second.name}", "{first.name}"]: the one further {side} comes first, '
            "and beam A is on its side",
        )
        return
    wall_at = (first.rect_mm[axis + 2] + second.rect_mm[axis]) / 2
    if abs(door.at_mm[axis] - wall_at) > near:
        problems.add(f"{key}.at_mm", f"{_point(door.at_mm)} is not on the wall, which is at {door.axis} = {wall_at:g}")
    other = 1 - axis
    low = max(first.rect_mm[other], second.rect_mm[other])
    high = min(first.rect_mm[other + 2], second.rect_mm[other + 2])
    if door.at_mm[other] - door.width_mm / 2 < low or door.at_mm[other] + door.width_mm / 2 > high:
        name = "xy"[other]
        problems.add(
            f"{key}.at_mm",
            f"a Door {door.width_mm:g} wide at {_point(door.at_mm)} does not fit into the wall, "
            f"which goes from {name} = {low:g} to {high:g}",
        )
    if door.spacing_mm >= rig.mecha_mm:
        problems.add(
            f"{key}.spacing_mm",
            f"beams {door.spacing_mm:g} apart are never both dark for a Mecha of {rig.mecha_mm:g}; "
            f"put them closer than {rig.mecha_mm:g}, 12 is good",
        )


def check_boards(rig: RigFile, problems: Problems) -> None:
    """Pins, beams, pixels and current of every board, and that each place has its inputs."""
    where: dict[tuple[PlaceId, str], str] = {}
    lit: dict[PlaceId, str] = {}
    identities: dict[str, str] = {}
    for board in rig.boards.values():
        key = f"boards.{board.name}"
        if board.identity and identities.setdefault(board.identity, board.name) != board.name:
            problems.add(f"{key}.identity", f"{identities[board.identity]} has the same; each board has its own")
        _check_pins(board, problems)
        _check_strips(board, lit, problems)
        for each in board.inputs:
            at = where.setdefault((each.place, each.beam), key)
            mine = f"{key}.inputs[{each.channel + 1}]"
            if at == key:
                where[each.place, each.beam] = mine
            elif each.place:
                problems.add(mine, f"{each.says()} is already connected at {at}")
        for gate in board.gates:
            if gate.counter >= 0 and gate.b >= 0 and board.inputs[gate.a].active != board.inputs[gate.b].active:
                problems.add(
                    f"{key}.counters",
                    f"the beams of {gate.place} are active at different levels, which a counter cannot follow; "
                    "wire both alike, or leave the Door out of counters",
                )
        need = current_ma(board)
        if need > board.supply_ma:
            problems.add(
                f"{key}.supply_ma",
                f"the supply gives {board.supply_ma} mA, but the board, its {beams(board)} beams and all pixels "
                f"in white at this brightness take {need} mA; use a stronger supply or a lower brightness",
            )
    _check_every_place_has_inputs(rig, where, problems)


def _check_every_place_has_inputs(rig: RigFile, where: dict[tuple[PlaceId, str], str], problems: Problems) -> None:
    boards = list(rig.boards) or ["lower"]
    for door in rig.doors:
        ends = {beam: where[door, beam].split(".inputs")[0] for beam in "AB" if (door, beam) in where}
        for beam in "AB":
            if beam not in ends:
                problems.add(
                    f"doors.{door}",
                    f"beam {beam} is connected to no board; add "
                    f'{{ place = "{door}", beam = "{beam}", pin = … }} to boards.{boards[0]}.inputs',
                )
        if len(set(ends.values())) > 1:
            problems.add(f"doors.{door}", "beams A and B are on different boards, whose clocks differ; use one board")
    singles = [("holes", rig.holes), ("launchers", rig.launchers), ("buttons", rig.buttons)]
    for kind, names in singles:
        for name in names:
            if (name, "") not in where:
                problems.add(
                    f"{kind}.{name}",
                    f'is connected to no board; add {{ place = "{name}", pin = … }} to boards.{boards[-1]}.inputs',
                )


def _check_pins(board: Board, problems: Problems) -> None:
    key = f"boards.{board.name}"
    used: dict[int, str] = {}
    taken = {each.pin for each in board.inputs} | {strip.pin for strip in board.strips}
    uses = [(f"{key}.inputs[{each.channel + 1}].pin", each.pin, each.says(), each.pull, False) for each in board.inputs]
    uses += [(f"{key}.strips[{each.index + 1}].pin", each.pin, "the pixels", "none", True) for each in board.strips]
    for at, pin, who, pull, output in uses:
        others = pins.free(taken, board.kind, output, pull)
        instead = f"; use {either([str(other) for other in others[:4]])}" if others else "; use another board"
        if pin in used:
            problems.add(at, f"pin {pin} is already used for {used[pin]}, and here for {who}{instead}")
        used.setdefault(pin, who)
        if trouble := pins.trouble(pin, board.kind, output, pull):
            hint = "" if "pull =" in trouble else instead
            problems.add(at, f"pin {pin} ({who}) {trouble}{hint}")


def _check_strips(board: Board, lit: dict[PlaceId, str], problems: Problems) -> None:
    for strip in board.strips:
        key = f"boards.{board.name}.strips[{strip.index + 1}].places"
        owner: dict[int, PlaceId] = {}
        for place, (first, count) in strip.places.items():
            if place in lit:
                problems.add(
                    f"{key}.{place}", f"{place} already has pixels at {lit[place]}; a place has one run of them"
                )
            lit.setdefault(place, f"{key}.{place}")
            if first + count > strip.pixels:
                problems.add(
                    f"{key}.{place}",
                    f"pixels {first} to {first + count - 1}, but the strip has {strip.pixels}, numbered from 0 "
                    f"to {strip.pixels - 1}",
                )
            clash = sorted({owner[pixel] for pixel in range(first, first + min(count, 1000)) if pixel in owner})
            if clash:
                problems.add(
                    f"{key}.{place}", f"shares pixels with {', '.join(clash)}; each pixel belongs to one place"
                )
            for pixel in range(first, first + min(count, 1000)):
                owner.setdefault(pixel, place)


def beams(board: Board) -> int:
    return sum(1 for each in board.inputs if each.kind == "beam")


def pixels_ma(board: Board) -> int:
    """The most that a board's pixels can take: all white at the set brightness."""
    return round(sum(strip.pixels * PIXEL_MA * strip.brightness / 255 for strip in board.strips))


def current_ma(board: Board) -> int:
    """The most that a board can take from its supply: itself, its beams and all pixels in white."""
    return BOARD_MA + BEAM_MA * beams(board) + pixels_ma(board)
