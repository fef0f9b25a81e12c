"""Frames and messages between a board and the host; the same file runs on both ends.

Written in the Python that MicroPython also speaks. Knows bytes only: no ports, no clocks.

A frame is one line of text: ``~``, base64 of (header, body, CRC-32), newline; at most 84 raw bytes
or 114 characters. A line that does not begin with ``~`` is console text (boot messages, tracebacks).
The CRC is seeded with the session's number, so that bytes left over from an earlier session fail
it; the three messages that begin a session are seeded with 0.

Header, 8 bytes, little-endian: type, flags, sequence (one count per direction), acknowledgement.
From the board, the acknowledgement is the last host sequence that it has dealt with or knows lost;
from the host, the number of the first edge that it does *not* yet hold durably.
"""

from binascii import a2b_base64, b2a_base64, crc32
from struct import calcsize, pack, unpack

PROTOCOL = (1, 0)  # a different major number: no scoring, flash first

MAX_RAW = 84
MAX_BODY = 72  # MAX_RAW - header - CRC
MAX_LINE = 114
MAX_CONSOLE = 240  # longer console lines are cut into pieces of this size
WINDOW = 192  # host bytes under way, of the 260 that the board's input ring holds

# Session messages (CRC seeded with 0)
WHO = 1
BEACON = 2
HELLO = 3
# Within a session
WELCOME = 4
EDGES = 5
ACK = 6
PIXELS = 7
REFLEX = 8
STATUS = 9
PING = 10
PONG = 11
READ = 12
TEXT = 13
RELEASE = 14
BYE = 15

# What the fields mean where their names do not say it all:
#   WELCOME first, next: the oldest edge held and the number of the next one; config, dictionary: digests of the
#     board's files; ring: edges it holds; crashed: READ CRASH tells why. A board counts its sequence on over sessions.
#   PIXELS are RGB from pixel `first` of a strip on; one older than the newest `version` of the session is ignored.
#   REFLEX sets how each channel that it names answers by itself, no pixels take it back, an empty one clears all.
#   STATUS gates: eight 16-bit totals; pixels: `digest` of the picture on the strips; high: most edges ever held;
#     errors, resends, overflow: since the start; gap_us, collect_us: the worst since the status before.
#   RELEASE: for so many seconds (at most 1000) a bare Ctrl-C leaves to the REPL; 0 takes it back.
# type: (name, who sends it, format of the fixed part, its fields, bytes of one repeated item or 0)
MESSAGES = {
    WHO: ("who", "host", "", "", 0),
    BEACON: ("beacon", "board", "<BBB3s4s8s", "major minor reset firmware boot board", 0),
    HELLO: ("hello", "host", "<BB4sII", "major minor boot session wanted", 0),
    WELCOME: (
        "welcome",
        "board",
        "<BBBB3s4s8sIIIIHHII",
        "major minor reset crashed firmware boot board first next config dictionary window ring heap uptime_ms",
        0,
    ),
    EDGES: ("edges", "board", "<IH", "first wraps", 8),
    ACK: ("ack", "both", "", "", 0),
    PIXELS: ("pixels", "host", "<IBB", "version strip first", 3),
    REFLEX: ("reflex", "host", "", "", 9),
    STATUS: (
        "status",
        "board",
        "<Q16sIIHHHIIIII",
        "levels gates pixels config high errors resends overflow gap_us collect_us heap uptime_ms",
        0,
    ),
    PING: ("ping", "host", "<I", "token", 0),
    PONG: ("pong", "board", "<IIH", "token clock wraps", 0),
    READ: ("read", "host", "<BH", "file offset", 0),
    TEXT: ("text", "board", "<BHH", "file offset total", 1),
    RELEASE: ("release", "host", "<H", "seconds", 0),
    BYE: ("bye", "host", "", "", 0),
}

# Flags
GAP = 1  # EDGES: the numbers just before `first` were lost on the board (its ring overflowed)
LOSS = 2  # from the board: a host frame before `ack` was lost; send absolute states again
AGAIN = 4  # from the host: an edge frame was lost; send from `ack` on at once

# An edge, 8 bytes: ticks_us at which it was seen (30 bits), how late it may have been seen in µs
# (saturates), channel, level. All edges of one frame have consecutive numbers and the same `wraps`.
EDGE = "<IHBB"
EDGES_PER_FRAME = 8
COUNTER = 0x80  # set in `channel`: gate (channel & 0x7F), and `late` holds its 16-bit counter
TICKS = 1 << 30  # time.ticks_us() of the ESP32 port wraps here; a board counts the wraps

# A reflex, 9 bytes: channel, strip, first pixel, pixels, red, green, blue, milliseconds
REFLEX_ENTRY = "<BBBBBBBH"

# Files that READ can ask for
DICTIONARY = 0
CONFIG = 1
CRASH = 2

RESETS = ("unknown", "power on", "reset button", "watchdog", "deep sleep", "soft reset")


def dictionary():  # type: ignore[no-untyped-def]  # MicroPython has no typing; a plain dict of dicts
    """What the board's ``dictionary.json`` says of the protocol, for tools that meet other versions."""
    messages = {}
    for kind, (name, sender, layout, fields, item) in MESSAGES.items():
        messages[name] = {"type": kind, "from": sender, "format": layout, "fields": fields.split(), "item": item}
    return {"protocol": list(PROTOCOL), "edge": EDGE, "reflex": REFLEX_ENTRY, "messages": messages}


def digest(data: "bytes | bytearray", before: int = 0) -> int:
    """CRC-32 of files and pictures; ``before`` is the digest of what stands in front of ``data``.

    A board's picture is the RGB bytes that the host asked for, strip after strip.
    """
    return crc32(data, before) & 0xFFFFFFFF


def seed_of(kind: int, session: int) -> int:
    return session if kind > HELLO else 0


def encode(kind: int, body: bytes, sequence: int, ack: int, session: int, flags: int = 0) -> bytes:
    """One frame as a line. ``ValueError`` where the body is over ``MAX_BODY`` bytes."""
    if len(body) > MAX_BODY:
        raise ValueError("a body of %d bytes is over the %d of a frame" % (len(body), MAX_BODY))
    raw = pack("<BBHI", kind, flags, sequence & 0xFFFF, ack & 0xFFFFFFFF) + body
    return b"~" + b2a_base64(raw + pack("<I", crc32(raw, seed_of(kind, session)) & 0xFFFFFFFF))


def decode(line: bytes, session: int) -> "tuple[int, int, int, int, bytes] | None":
    """(type, flags, sequence, acknowledgement, body) of a line that begins with ``~``.

    ``None`` where anything is wrong with it: length, alphabet, check, unknown type, body's size.
    """
    if len(line) >= MAX_LINE or line[:1] != b"~":
        return None
    try:
        raw = a2b_base64(line[1:])
    except ValueError:
        return None
    # Decoders skip letters outside the alphabet, each in its own way: only what we would write counts
    if len(raw) < 12 or b2a_base64(raw)[:-1] != line[1:]:
        return None
    kind, flags, sequence, ack = unpack("<BBHI", raw[:8])
    (check,) = unpack("<I", raw[-4:])
    if check != crc32(raw[:-4], seed_of(kind, session)) & 0xFFFFFFFF:
        return None
    body = raw[8:-4]
    message = MESSAGES.get(kind)
    if message is None:
        return None
    rest = len(body) - calcsize(message[2] or "<")
    item = message[4]
    if rest < 0 or (rest % item if item else rest):
        return None
    return kind, flags, sequence, ack, body


def fixed(kind: int, body: bytes):  # type: ignore[no-untyped-def]  # a tuple whose types the format says
    """The fixed part of a message, as a tuple in the order of its fields."""
    layout = MESSAGES[kind][2]
    return unpack(layout, body[: calcsize(layout)]) if layout else ()


def tail(kind: int, body: bytes) -> bytes:
    """The repeated items that follow the fixed part."""
    return body[calcsize(MESSAGES[kind][2] or "<") :]


class Lines:
    """Cuts a byte stream into frames and console text, whatever arrives.

    Holds at most ``MAX_CONSOLE`` bytes. ``session`` is the CRC's seed; set it when one begins.
    """

    def __init__(self) -> None:
        self.session = 0
        self.frames = 0
        self.broken = 0  # lines that began as a frame and failed its check
        self._line = bytearray()

    def feed(self, data: bytes):  # type: ignore[no-untyped-def]  # list of frames (tuples) and console text (bytes)
        """What the bytes complete: a decoded frame as a tuple, a console line as ``bytes``."""
        found = []
        for piece in data.split(b"\n"):
            # Every piece but the last ended in a newline
            found.append(piece)
        out: list[object] = []
        last = len(found) - 1
        for index, piece in enumerate(found):
            while piece:
                # A '~' begins a frame wherever it stands: half a line may precede it
                start = piece.find(b"~", 1 if not self._line else 0)
                part = piece if start < 0 else piece[:start]
                piece = b"" if start < 0 else piece[start:]
                while part:
                    room = MAX_CONSOLE - len(self._line)
                    self._line += part[:room]
                    part = part[room:]
                    if len(self._line) >= MAX_CONSOLE:
                        self._end(out)
                if piece and self._line:
                    self._end(out)
            if index < last:
                self._end(out)
        return out

    def _end(self, out: "list[object]") -> None:
        line = bytes(self._line)
        self._line = bytearray()
        if line[:1] == b"~":
            frame = decode(line[:-1] if line[-1:] == b"\r" else line, self.session)
            if frame is None:
                self.broken += 1
                out.append(line)
            else:
                self.frames += 1
                out.append(frame)
        else:
            line = line.strip()
            if line:
                out.append(line)
