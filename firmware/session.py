"""The board's half of the protocol: lines in, frames out, and nothing else.

Until a host says hello, a beacon every half second. In a session every edge is sent at once and
again until the host holds it; everything the host asks is answered. It touches no pin and no port: the superloop
gives it lines and the clock (``ticks_us`` cut to 30 bits) and takes frames one at a time.
"""

from struct import calcsize, pack, unpack

import strips
import wire
from clock import MASK
from files import Files
from gates import Gates
from sampler import Sampler

FIRMWARE = (1, 0, 0)

BEACON_US = 500000
STATUS_US = 1000000
GONE_US = 4000000  # without a valid host frame the link is gone
RESEND_US = 60000  # first wait for an acknowledgement; doubles ...
RESEND_MAX_US = 1000000  # ... up to this
ANSWER_BYTES = 64  # host bytes that may stay unanswered
EDGES_IN_A_ROW = 6
READS = 4  # READ questions that may wait
RELEASE_S = 1000  # the clock tells durations up to 17 minutes
TEXT_BYTES = wire.MAX_BODY - 5

_REFLEX_BYTES = calcsize(wire.REFLEX_ENTRY)


class Session:
    """One board's side of the line, over all sessions of one boot."""

    def __init__(
        self,
        sampler: Sampler,
        gates: Gates,
        picture: strips.Strips,
        files: Files,
        boot: bytes,
        board: bytes,
        reset: int,
        now: int,
    ) -> None:
        self.live = False
        self.introduced = False  # a host has been told of the last crash
        self.release_us = 0  # how long a bare Ctrl-C still leaves to the REPL
        self.gap_us = 0  # worst since the last status, as the superloop measures it
        self.collect_us = 0
        self.heap = 0
        self.errors = 0
        self._sampler = sampler
        self._gates = gates
        self._strips = picture
        self._files = files
        self._identity = (bytes(FIRMWARE), boot, board)
        self._reset = reset
        self._session = 0
        self._sequence = 0
        self._expected = 0  # next host sequence
        self._loss = False
        self._answer = False
        self._unanswered = 0
        self._acked = 0  # first edge that the host lacks
        self._sent = 0  # next edge to send
        self._top = 0  # all below it have been sent at least once
        self._row = 0  # edge frames since anything else was sent
        self._allowed = 0  # edges that may be under way
        self._wait_us = RESEND_US
        self._waiting_since = now
        self._resends = 0
        self._high = 0
        self._version = 0
        self._welcome = False
        self._beacon = True
        self._status = False
        self._ping: "int | None" = None
        self._reads: "list[tuple[int, int]]" = []
        self._beacon_at = now
        self._status_at = now
        self._heard_at = now
        self._release_at = now
        self._began = (sampler.wraps, now)

    # What the host says

    def receive(self, line: bytes, now: int) -> None:
        """One line that begins as a frame."""
        frame = wire.decode(line, self._session)
        if frame is None:
            self.errors += 1
            return
        kind, flags, sequence, ack, body = frame
        if kind == wire.WHO:
            self._beacon = True
            return
        if kind == wire.HELLO:
            self._hello(sequence, body, now)
            return
        if not self.live or wire.MESSAGES[kind][1] == "board":
            self.errors += 1
            return
        self._heard_at = now
        self._unanswered += len(line) + 1
        skipped = (sequence - self._expected) & 0xFFFF
        if skipped >= 0x8000:
            return  # older than what was dealt with
        if skipped:
            self._loss = True
            self._answer = True
        self._expected = (sequence + 1) & 0xFFFF
        self._acknowledged(ack, flags, now)
        if kind == wire.PIXELS:
            self._answer = True
            version, strip, first = wire.fixed(kind, body)
            if (version - self._version) & 0xFFFFFFFF < 0x80000000:
                self._version = version
                if not self._strips.picture(strip, first, memoryview(body)[6:]):
                    self.errors += 1
        elif kind == wire.REFLEX:
            self._answer = True
            if not body:
                self._strips.clear_reflexes()
            for at in range(0, len(body), _REFLEX_BYTES):
                if not self._strips.set_reflex(*unpack(wire.REFLEX_ENTRY, body[at : at + _REFLEX_BYTES])):
                    self.errors += 1
        elif kind == wire.PING:
            (self._ping,) = wire.fixed(kind, body)
        elif kind == wire.READ:
            if len(self._reads) < READS:
                self._reads.append(wire.fixed(kind, body))
            self._answer = True
        elif kind == wire.RELEASE:
            (seconds,) = wire.fixed(kind, body)
            self.release_us = min(seconds, RELEASE_S) * 1000000
            self._release_at = now
            self._answer = True
            self._strips.show(strips.MAINTENANCE if seconds else strips.PICTURE)
        elif kind == wire.BYE:
            self._end()

    def _hello(self, sequence: int, body: bytes, now: int) -> None:
        _, _, boot, session, wanted = wire.fixed(wire.HELLO, body)
        if boot != self._identity[1] or not session:
            self._beacon = True  # meant for an earlier start of this board
            return
        self._session = session
        self.live = True
        self._heard_at = now
        self._expected = (sequence + 1) & 0xFFFF
        self._unanswered = 0
        self._loss = self._answer = self._beacon = False
        self._ping = None
        self._reads = []
        self._version = 0
        self.release_us = 0
        self._welcome = True
        self._status = True
        self._status_at = now
        wanted = min(wanted, self._sampler.next)
        self._acked = self._top = wanted
        self._sampler.forget(wanted)
        self._sent = max(wanted, self._sampler.oldest)
        self._restart(now)
        self._strips.clear_reflexes()
        self._strips.show(strips.PICTURE)

    def _acknowledged(self, ack: int, flags: int, now: int) -> None:
        if self._acked < ack <= self._top:
            self._acked = ack
            self._sent = max(self._sent, ack)
            self._sampler.forget(ack)
            self._allowed = min(2 * self._allowed, self._sampler.room)
            self._wait_us = RESEND_US
            self._waiting_since = now
        if flags & wire.AGAIN:
            self._resends += self._sent > self._acked
            self._sent = max(self._acked, self._sampler.oldest)
            self._waiting_since = now
            self._answer = True

    def _restart(self, now: int) -> None:
        self._allowed = 4 * wire.EDGES_PER_FRAME
        self._wait_us = RESEND_US
        self._waiting_since = now

    def _end(self) -> None:
        self.live = False
        self._session = 0
        self._beacon = True
        self._strips.show(strips.WAITING if not self.release_us else strips.MAINTENANCE)

    # What the board says

    def may_interrupt(self) -> bool:
        """Whether a bare Ctrl-C may leave to the REPL now."""
        return not self.live or self.release_us > 0

    def tick(self, now: int) -> None:
        """What time alone brings: status, resending, a link that is gone, an end of the release."""
        if self.release_us and (now - self._release_at) & MASK >= self.release_us:
            self.release_us = 0
            self._strips.show(strips.PICTURE if self.live else strips.WAITING)
        if not self.live:
            if (now - self._beacon_at) & MASK >= BEACON_US:
                self._beacon = True
            return
        if (now - self._heard_at) & MASK >= GONE_US:
            self._end()
            return
        if (now - self._status_at) & MASK >= STATUS_US:
            self._status_at = now
            self._status = True
        held = self._sampler.next - self._sampler.oldest
        if held > self._high:
            self._high = held
        if self._sent <= self._acked:
            self._waiting_since = now
        elif (now - self._waiting_since) & MASK >= self._wait_us:
            # Oldest first, one frame until something comes back: a slow host is not flooded
            self._resends += 1
            self._sent = max(self._acked, self._sampler.oldest)
            self._allowed = wire.EDGES_PER_FRAME
            self._wait_us = min(2 * self._wait_us, RESEND_MAX_US)
            self._waiting_since = now

    def frame(self, now: int) -> "bytes | None":
        """The next frame to write, the most urgent first."""
        if self._beacon:
            self._beacon = False
            self._beacon_at = now
            firmware, boot, board = self._identity
            major, minor = wire.PROTOCOL
            return self._seal(
                wire.BEACON, pack(wire.MESSAGES[wire.BEACON][2], major, minor, self._reset, firmware, boot, board)
            )
        if not self.live:
            return None
        if self._welcome:
            self._welcome = False
            self.introduced = True
            return self._seal(wire.WELCOME, self._welcome_body(now))
        oldest = self._sampler.oldest
        if self._sent < oldest:
            self._sent = oldest
        if self._sent < self._sampler.next and self._sent - max(self._acked, oldest) < self._allowed:
            self._row += 1
            if self._row % EDGES_IN_A_ROW:  # now and then something else gets its turn
                return self._edges(oldest, now)
        if self._ping is not None:
            token, self._ping = self._ping, None
            return self._seal(wire.PONG, pack("<IIH", token, now, self._sampler.wraps))
        if self._reads:
            kind, offset = self._reads.pop(0)
            piece = self._files.piece(kind, offset, TEXT_BYTES)
            return self._seal(wire.TEXT, pack("<BHH", kind, offset, self._files.size(kind)) + piece)
        if self._status:
            self._status = False
            return self._seal(wire.STATUS, self._status_body(now))
        if self._answer or self._unanswered > ANSWER_BYTES:
            return self._seal(wire.ACK, b"")
        return None

    def _edges(self, oldest: int, now: int) -> bytes:
        first = self._sent
        wraps, edges = self._sampler.held(first)
        if first == max(self._acked, oldest):
            self._waiting_since = now
        self._sent = first + len(edges) // 8
        self._top = max(self._top, self._sent)
        return self._seal(
            wire.EDGES, pack("<IH", first, wraps) + bytes(edges), wire.GAP if first == oldest > self._acked else 0
        )

    def _seal(self, kind: int, body: bytes, flags: int = 0) -> bytes:
        if self._loss and kind > wire.WELCOME:
            flags |= wire.LOSS
            self._loss = False
        self._answer = False
        self._unanswered = 0
        sequence = self._sequence
        self._sequence = (sequence + 1) & 0xFFFF
        return wire.encode(kind, body, sequence, (self._expected - 1) & 0xFFFF, self._session, flags)

    def _uptime_ms(self, now: int) -> int:
        wraps, begin = self._began
        elapsed_us = ((self._sampler.wraps - wraps) & 0xFFFF) * wire.TICKS + now - begin
        return elapsed_us // 1000 & 0xFFFFFFFF

    def _welcome_body(self, now: int) -> bytes:
        firmware, boot, board = self._identity
        major, minor = wire.PROTOCOL
        return pack(
            wire.MESSAGES[wire.WELCOME][2],
            major,
            minor,
            self._reset,
            int(bool(self._files.crash)),
            firmware,
            boot,
            board,
            self._sampler.oldest,
            self._sampler.next,
            self._files.digests[wire.CONFIG],
            self._files.digests[wire.DICTIONARY],
            wire.WINDOW,
            self._sampler.room,
            self.heap,
            self._uptime_ms(now),
        )

    def _status_body(self, now: int) -> bytes:
        body = pack(
            wire.MESSAGES[wire.STATUS][2],
            self._sampler.bitmap(),
            bytes(self._gates.totals),
            self._strips.digest,
            self._files.digests[wire.CONFIG],
            min(self._high, 0xFFFF),
            min(self.errors, 0xFFFF),
            min(self._resends, 0xFFFF),
            self._sampler.overflow,
            self._sampler.worst_gap(),
            self.collect_us,
            self.heap,
            self._uptime_ms(now),
        )
        self.collect_us = 0
        return body
