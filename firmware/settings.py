"""What this board is wired to: ``board.json``, which the host makes from the rig file.

The host checks a rig in depth; here only what could harm the board or mislead the sampler.
"""

import json

MAX_CHANNELS = 40
MAX_GATES = 8  # counters in one status
MAX_PIXELS = 32  # one write of a strip keeps the sampler blind for 30 µs a pixel
ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR", "RGBW", "GRBW")
_RESERVED = (1, 3, 6, 7, 8, 9, 10, 11)  # the console and the flash memory
_OUTPUTS_TO = 33  # 34-39 are inputs only


class Settings:
    """Plain, checked values. ``Settings()`` is a board that nobody has set up yet."""

    def __init__(self) -> None:
        self.name = ""
        self.pins: "list[tuple[int, int]]" = []  # by channel: pin, active level
        self.pulls: "list[bool]" = []
        self.beams: "list[bool]" = []
        self.gates: "list[tuple[int, int, int]]" = []  # beam A, beam B or -1, counter unit or -1
        self.strips: "list[tuple[int, int, str, int, int]]" = []  # pin, pixels, order, brightness, mA
        self.settle_us = 5000  # a gate's counter is recorded when both beams have been clear for so long

    def counted(self) -> bool:
        """Whether hardware watches every beam, so that a pixel write blinds nothing."""
        counted = set()
        for a, b, counter in self.gates:
            if counter >= 0:
                counted.add(a)
                counted.add(b)
        return all(channel in counted for channel, beam in enumerate(self.beams) if beam)


def load(text: bytes) -> Settings:
    """The settings in a ``board.json``; ``ValueError`` is a sentence that says what is wrong where."""
    try:
        data = json.loads(text)
    except ValueError:
        raise ValueError("board.json is not JSON: write it again from the rig file")
    if not isinstance(data, dict):
        raise ValueError("board.json must hold one object, { ... }")
    settings = Settings()
    settings.name = str(data.get("name", ""))
    used: "dict[int, str]" = {}
    inputs = _list(data, "inputs")
    if len(inputs) > MAX_CHANNELS:
        raise ValueError("board.json has %d inputs; a board watches up to %d" % (len(inputs), MAX_CHANNELS))
    for channel, entry in enumerate(inputs):
        where = "inputs[%d]" % channel
        settings.pins.append((_pin(entry, where, used, 39), _number(entry, "active", where, 0, 1)))
        settings.pulls.append(entry.get("pull", "none") == "up")
        settings.beams.append(entry.get("kind", "beam") == "beam")
    gates = _list(data, "gates")
    if len(gates) > MAX_GATES:
        raise ValueError("board.json has %d gates; a board counts up to %d" % (len(gates), MAX_GATES))
    units = set()
    for index, entry in enumerate(gates):
        where = "gates[%d]" % index
        a = _number(entry, "a", where, 0, len(inputs) - 1)
        b = _number(entry, "b", where, -1, len(inputs) - 1)
        unit = _number(entry, "counter", where, -1, MAX_GATES - 1)
        if unit >= 0 and unit in units:
            raise ValueError("board.json %s: counter %d counts another gate already" % (where, unit))
        if unit >= 0 and b >= 0 and settings.pins[a][1] != settings.pins[b][1]:
            raise ValueError("board.json %s: both beams of a counted gate must be active at the same level" % where)
        units.add(unit)
        settings.gates.append((a, b, unit))
    for index, entry in enumerate(_list(data, "strips")):
        where = "strips[%d]" % index
        order = entry.get("order", "GRB")
        if order not in ORDERS:
            raise ValueError('board.json %s: order "%s" is not one of %s' % (where, order, ", ".join(ORDERS)))
        settings.strips.append(
            (
                _pin(entry, where, used, _OUTPUTS_TO),
                _number(entry, "pixels", where, 1, MAX_PIXELS),
                order,
                _number(entry, "brightness", where, 0, 255),
                _number(entry, "limit_ma", where, 50, 20000),
            )
        )
    settings.settle_us = _number(data, "settle_us", "settle", 2000, 1000000) if "settle_us" in data else 5000
    return settings


def _list(data: "dict[str, object]", key: str) -> "list[dict[str, object]]":
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise ValueError("board.json: %s must be a list, [ ... ]" % key)
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise ValueError("board.json: %s[%d] must be an object, { ... }" % (key, index))
    return entries


def _number(entry: "dict[str, object]", key: str, where: str, least: int, most: int) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or not least <= value <= most:
        raise ValueError("board.json %s: %s must be %d to %d, not %r" % (where, key, least, most, value))
    return value


def _pin(entry: "dict[str, object]", where: str, used: "dict[int, str]", most: int) -> int:
    pin = _number(entry, "pin", where, 0, most)
    if pin in _RESERVED:
        raise ValueError("board.json %s: pin %d belongs to the console or the flash memory" % (where, pin))
    if pin in used:
        raise ValueError("board.json %s: pin %d is %s already" % (where, pin, used[pin]))
    used[pin] = where
    return pin
