"""The same file gives the same answers on the board's interpreter as on the host's."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from arena import wire

MICROPYTHON = Path(sys.executable).parent / "micropython"
ROOM = Path(wire.__file__).parent

SCRIPT = """
import json, sys
import wire
case = json.loads(sys.stdin.readline())
out = {"frames": [], "fed": [], "dictionary": wire.dictionary(), "digest": wire.digest(b"arena", 7)}
for kind, body, sequence, ack, session, flags in case["encode"]:
    out["frames"].append(wire.encode(kind, bytes(body), sequence, ack, session, flags).decode())
lines = wire.Lines()
lines.session = case["session"]
for piece in case["feed"]:
    for found in lines.feed(bytes(piece)):
        out["fed"].append(list(found) if isinstance(found, bytes) else list(found[:4]) + [list(found[4])])
out["counts"] = [lines.frames, lines.broken]
print(json.dumps(out))
"""


def answers(case: dict[str, object]) -> dict[str, object]:
    """What CPython says to the same case."""
    space: dict[str, object] = {}
    captured: list[str] = []
    code = SCRIPT.replace("import wire\n", "from arena import wire\n").replace("print(json", "captured.append(json")
    code = code.replace("sys.stdin.readline()", "case_text")
    space.update(captured=captured, case_text=json.dumps(case))
    exec(code, space)
    answer: dict[str, object] = json.loads(captured[0])
    return answer


def test_encoding_and_cutting_agree_on_both_interpreters() -> None:
    chance = random.Random(7)
    session = 0xFEDCBA98
    encode: list[list[object]] = []
    stream = b""
    for kind, (_, _, layout, _, item) in wire.MESSAGES.items():
        for _ in range(3):
            size = wire.calcsize(layout or "<")
            size += item * chance.randint(0, (wire.MAX_BODY - size) // item) if item else 0
            body = chance.randbytes(size)
            frame = [kind, list(body), chance.randrange(65536), chance.randrange(2**32), session, chance.randrange(8)]
            encode.append(frame)
            line = bytearray(wire.encode(kind, body, *frame[2:]))  # type: ignore[arg-type]  # ints, as listed above
            if chance.random() < 0.3:  # inside
                line.insert(chance.randrange(len(line)), chance.randrange(256))
            if chance.random() < 0.2:
                line = line[: chance.randrange(len(line))]
            stream += chance.randbytes(chance.choice([0, 0, 3, 300])) + bytes(line)
    stream += b"~AAAA=AA\n~====\n~A\n~" + b"A" * 300 + b"\n"
    feed = []
    while stream:
        size = chance.randint(1, 50)
        feed.append(list(stream[:size]))
        stream = stream[size:]
    case: dict[str, object] = {"encode": encode, "session": session, "feed": feed}
    ran = subprocess.run(
        [str(MICROPYTHON), "-c", SCRIPT],
        input=json.dumps(case) + "\n",
        capture_output=True,
        text=True,
        check=False,
        env={"MICROPYPATH": str(ROOM)},
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    board = json.loads(ran.stdout)
    host = answers(case)
    assert board == host
    assert board["counts"][0] > 20
    assert board["counts"][1] > 5
