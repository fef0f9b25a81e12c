"""What this board is wired to: ``board.json``, which the host makes from the rig file.

The host checks a rig in depth; here only what could harm the board or mislead the sampler. The
program lets go of this module when it has read the file.
"""

import json

from wiring import Wiring

MAX_CHANNELS = 40
MAX_GATES = 8  # counters in one status
MAX_PIXELS = 32  # one write of a strip keeps the sampler blind for 30 µs a pixel
ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR", "RGBW", "GRBW")
_RESERVED = (1, 3, 6, 7, 8, 9, 10, 11)  # the console and the flash memory
_OUTPUTS_TO = 33  # 34-39 are inputs only


def read() -> "tuple[Wiring, str]":
    """What ``board.json`` says; or a board without anything, and the sentence on what is wrong."""
    try:
        with open("board.json", "rb") as file:
            return load(file.read()), ""
    except OSError:
        return Wiring(), ""  # nobody has set this board up yet
    except ValueError as fault:
        return Wiring(), str(fault)


def load(text: bytes) -> Wiring:
    """The settings in a ``board.json``; ``ValueError`` is a sentence that says what is wrong where."""
    try:
        data = json.loads(text)
    except ValueError:
        raise ValueError("board.json is not JSON: write it again from the rig file")
    if not isinstance(data, dict):
        raise ValueError("board.json must hold one object, { ... }")
    wiring = Wiring()
    wiring.name = str(data.get("name", ""))
    used: "dict[int, str]" = {}
    inputs = _list(data, "inputs")
    if len(inputs) > MAX_CHANNELS:
        raise ValueError("board.json has %d inputs; a board watches up to %d" % (len(inputs), MAX_CHANNELS))
    for channel, entry in enumerate(inputs):
        where = "inputs[%d]" % channel
        wiring.pins.append((_pin(entry, where, used, 39), _number(entry, "active", where, 0, 1)))
        wiring.pulls.append(entry.get("pull", "none") == "up")
        wiring.beams.append(entry.get("kind", "beam") == "beam")
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
        if unit >= 0 and b >= 0 and wiring.pins[a][1] != wiring.pins[b][1]:
            raise ValueError("board.json %s: both beams of a counted gate must be active at the same level" % where)
        units.add(unit)
        wiring.gates.append((a, b, unit))
    for index, entry in enumerate(_list(data, "strips")):
        where = "strips[%d]" % index
        order = entry.get("order", "GRB")
        if order not in ORDERS:
            raise ValueError('board.json %s: order "%s" is not one of %s' % (where, order, ", ".join(ORDERS)))
        wiring.strips.append(
            (
                _pin(entry, where, used, _OUTPUTS_TO),
                _number(entry, "pixels", where, 1, MAX_PIXELS),
                order,
                _number(entry, "brightness", where, 0, 255),
                _number(entry, "limit_ma", where, 50, 20000),
            )
        )
    wiring.settle_us = _number(data, "settle_us", "settle", 2000, 1000000) if "settle_us" in data else 5000
    return wiring


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
