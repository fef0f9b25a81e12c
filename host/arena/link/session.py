"""The host's half of the protocol with whatever is on one port: bytes in, bytes and edges out.

Sans-IO: ``now_us`` (table clock) is an argument, ports and timers are the caller's. Whatever comes
in, nothing is raised and nothing grows: every buffer here has a bound. What ``keep`` raises passes.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, MutableMapping
from enum import StrEnum
from struct import pack, unpack
from typing import Any

from .. import wire
from ..words import Edge, Gap
from .board import Board
from .clock import BoardClock
from .console import Console, Told
from .files import Files
from .intake import Intake
from .pings import Pings
from .window import Sent, Window

WHO_FIRST_US = 250_000  # between questions at first, then ...
WHO_LATER_US = 1_000_000
WHO_FIRST = 8  # so many
WHO_PLAIN = 2  # after so many, a raw REPL that somebody left behind is taken into account
HELLO_US = 300_000  # without a welcome, ask again; doubles ...
HELLO_MOST_US = 2_400_000  # ... up to this
AGAIN_US = 30_000  # the board is asked to send edges again at most so often
DOUBTFUL_US = 2_500_000
GONE_US = 4_000_000
HEAL_US = 500_000  # the board paints what it acknowledged within this time, beams permitting
RESTART_US = 2_000_000  # a board at the Python prompt is left there for so long


class State(StrEnum):
    """What people are told of a port or board."""

    WAITING = "waiting"  # nobody has said hello yet
    LIVE = "live"
    DOUBTFUL = "doubtful"  # silent for 2.5 s, or starting again
    GONE = "gone"  # silent for 4 s, or unplugged
    OLD = "old firmware"  # another major version of the protocol: no edges are believed
    RELEASED = "released"  # the port is somebody else's for now


class _Phase(StrEnum):
    ASKING = "asking"
    GREETING = "greeting"
    SESSION = "session"
    OLD = "old"


class Session:
    """One port, from its opening to its closing.

    ``board_of`` gives the lasting record of an identity; ``name_of`` decides what a board is called
    (identity, name in its configuration; empty while that is unknown). ``wanted`` says which edge of
    a boot is lacking, ``keep`` makes edges durable; only when it has returned are they acknowledged.
    ``memory`` keeps small JSON values over restarts: configurations and dictionaries by digest, the
    last boot of each board. ``number`` gives a session's number, 32 random bits.
    """

    def __init__(
        self,
        *,
        board_of: Callable[[str], Board],
        name_of: Callable[[str, str], str],
        wanted: Callable[[str], int],
        keep: Callable[[list[Edge], list[Gap]], None],
        memory: MutableMapping[str, Any],
        number: Callable[[], int],
        now_us: int,
    ) -> None:
        self._board_of = board_of
        self._name_of = name_of
        self._wanted = wanted
        self._memory = memory
        self._number = number
        self.board: Board | None = None
        self.console = Console()
        self.lines = wire.Lines()
        self.lost_frames = 0  # of the board's, by their sequence numbers
        self.again = 0  # how often the board was asked to send edges again
        self.healed = 0  # how often pixels were sent again because the board showed others
        self.at_prompt = False
        self.released = False  # the board has acknowledged the last ``release``
        self.changed = True  # something that people are told of; whoever tells them sets it back
        self.state = State.WAITING
        self._phase = _Phase.ASKING
        self._out: deque[bytes] = deque(maxlen=4)  # frames outside the window
        self._who_at_us = now_us
        self._asked = 0
        self._heard_us = now_us
        self._hello_at_us = now_us
        self._hello_us = HELLO_US
        self._greeted = ""  # the boot that was said hello to
        self._session = 0
        self._window = Window()
        self._board_sequence = 0
        self._beacons = 0  # since the board's last frame within the session
        self._intake = Intake(keep, memory)
        self._acknowledge = False
        self._ask_again = False
        self._again_at_us = now_us - AGAIN_US
        self._pings = Pings()
        self._files = Files()
        self._reflexes_sent = 0
        self._release_seconds: int | None = None
        self._release_due = False
        self._version = 0
        self._painted_us = now_us
        self._prompt_at_us: int | None = None
        self._restarted = False

    # For the caller

    @property
    def live(self) -> bool:
        """Whether a session stands, be it doubtful."""
        return self._phase is _Phase.SESSION

    @property
    def next_tick_us(self) -> int:
        """When ``to_send`` has something to say by itself."""
        if self._phase is _Phase.ASKING:
            times = [self._who_at_us]
        elif self._phase is _Phase.GREETING:
            times = [self._hello_at_us + self._hello_us]
        elif self._phase is _Phase.OLD:
            times = [self._heard_us + GONE_US]
        else:
            times = [self._heard_us + (DOUBTFUL_US if self.state is State.LIVE else GONE_US)]
            # What the window has no room for goes out when the board's next frame makes room
            if self._window.room() >= 4:
                times.append(self._pings.due_us)
            if self._ask_again and self._window.room_for_ack():
                times.append(self._again_at_us + AGAIN_US)
            due_us = [self._window.due_us()]
            if self._window.room() >= 3:
                due_us.append(self._files.due_us())
            times += [at_us for at_us in due_us if at_us is not None]
        if self._prompt_at_us is not None:
            times.append(self._prompt_at_us + RESTART_US)
        return min(times)

    def receive(self, data: bytes, now_us: int) -> None:
        """Take what came in. Calls ``keep`` once at its end, with all new edges, where there are any."""
        for item in self.lines.feed(data):
            if isinstance(item, bytes):
                self._line(item, now_us)
            else:
                self._frame(item, now_us)
        self._acknowledge = self._intake.deliver() or self._acknowledge
        self._judge(now_us)

    def to_send(self, now_us: int) -> bytes:
        """Everything that may go out now; the caller writes all of it, in order."""
        self._tick(now_us)
        out = list(self._out)
        self._out.clear()
        if self._phase is _Phase.SESSION and self.board is not None:
            out += self._session_frames(self.board, now_us)
        return b"".join(out)

    def release(self, seconds: int) -> None:
        """Announce that the REPL will be wanted for so long; ``released`` once the board knows."""
        self._release_seconds = max(0, min(seconds, 0xFFFF))
        self._release_due = self.live
        self.released = not self.live

    def bye(self) -> bytes:
        """The last frame of a session; nothing where there is none."""
        if not self.live:
            return b""
        self._phase = _Phase.ASKING
        return wire.encode(wire.BYE, b"", self._window.next(), self._intake.kept, self._session)

    @property
    def rtt_us(self) -> int | None:
        """The latest round trip."""
        return self._pings.rtt_us

    def sync_reflexes(self) -> None:
        """The board's reflex table has changed: send it anew."""
        self._reflexes_sent = 0

    # What comes in

    def _line(self, line: bytes, now_us: int) -> None:
        if line.startswith(b"~"):  # failed its check; it may have been edges, and may hide a banner in its end
            self._want_again()
        told = self.console.add(line)
        if told is Told.PROMPT:
            self._prompt(now_us)
        elif told is Told.RESET:
            self._start_over(now_us)
            self._prompt_at_us = None
            self.at_prompt = False
        elif told is Told.CRASH and self._phase is not _Phase.ASKING:
            self._start_over(now_us)

    def _frame(self, frame: tuple[int, int, int, int, bytes], now_us: int) -> None:
        kind, flags, sequence, ack, body = frame
        if wire.MESSAGES[kind][1] == "host":
            self._prompt(now_us)  # our own words come back: a prompt echoes them
        elif kind == wire.BEACON:
            self._beacon(sequence, body, now_us)
        elif kind == wire.WELCOME:
            self._welcome(sequence, ack, body, now_us)
        elif self._phase is _Phase.SESSION and self.board is not None:
            self._heard_us = now_us
            self._beacons = 0
            missed = sequence != (self._board_sequence + 1) & 0xFFFF
            self._board_sequence = sequence
            if missed:
                self.lost_frames += 1
                self._want_again()
            # A frame of the board's that was lost may have been the one that told of a loss
            self._done(self._window.settle(ack), lost=bool(flags & wire.LOSS) or missed)
            if kind == wire.EDGES:
                self._edges(self.board, flags, body, now_us)
            elif kind == wire.PONG:
                self._pings.answer(self.board.clock, body, now_us)
                self._intake.take_held(self.board, now_us)
            elif kind == wire.TEXT:
                self._text(self.board, body, now_us)
            elif kind == wire.STATUS:
                self._status(self.board, body, now_us)

    def _beacon(self, sequence: int, body: bytes, now_us: int) -> None:
        major, minor, _, firmware, boot, identity = wire.fixed(wire.BEACON, body)
        self._heard_us = now_us
        self._asked = 0
        self.at_prompt = False
        self._prompt_at_us = None
        board = self._board(identity.hex())
        board.protocol = major, minor
        board.firmware = tuple(firmware)
        if major != wire.PROTOCOL[0]:
            self._phase = _Phase.OLD
            return
        if boot.hex() == self._greeted:
            if self._phase is _Phase.GREETING:
                return  # the answer to an earlier question
            if self._phase is _Phase.SESSION:
                self._board_sequence = sequence
                self._beacons += 1
                if self._beacons < 2:
                    return  # one may be an answer too; a board without a session goes on beaconing
        self._intake.deliver()
        self._hello(boot, now_us)

    def _hello(self, boot: bytes, now_us: int) -> None:
        self._phase = _Phase.GREETING
        self._greeted = boot.hex()
        self._hello_at_us = now_us
        self._session = self.lines.session = self._number() & 0xFFFFFFFF or 1
        self._intake.begin(self._wanted(self._greeted))
        self._acknowledge = self._ask_again = False
        self._pings.begin()
        self._files.clear()
        self._reflexes_sent = 0
        self._release_due = False
        self._version = 0
        sequence = self._window.begin()
        body = pack(wire.MESSAGES[wire.HELLO][2], *wire.PROTOCOL, boot, self._session, self._intake.kept)
        self._out.append(wire.encode(wire.HELLO, body, sequence, self._intake.kept, self._session))
        # The first ping rides along, so that the clock is known when the first edges come
        self._out.append(self._seal(wire.PING, self._pings.question(now_us, False), now_us))

    def _welcome(self, sequence: int, ack: int, body: bytes, now_us: int) -> None:
        names = wire.MESSAGES[wire.WELCOME][3].split()
        told = dict(zip(names, wire.fixed(wire.WELCOME, body), strict=True))
        if told["boot"].hex() != self._greeted or told["major"] != wire.PROTOCOL[0]:
            return
        self._heard_us = now_us
        self._phase = _Phase.SESSION
        self._hello_us = HELLO_US
        self._board_sequence = sequence
        self._beacons = 0
        self._done(self._window.settle(ack), lost=False)
        board = self._board(told["board"].hex())
        if board.boot != self._greeted:
            board.boot = self._greeted
            board.clock = BoardClock()
        board.welcome(told, self.console.cause)
        board.behind = told["next"] < self._intake.kept
        self.console.cause = ""
        board.pixels.forget()
        self._files.clear()
        config = self._memory.get(f"config:{board.config_digest:08x}")
        if isinstance(config, str):
            self._name(board, board.take_config(config.encode()), now_us)
        else:
            self._files.want(wire.CONFIG)
            self._name(board, None, now_us)
        if board.crashed:
            self._files.want(wire.CRASH)
        if self._memory.get(f"dictionary:{board.dictionary_digest:08x}") is None:
            self._files.want(wire.DICTIONARY)
        self.changed = True

    def _name(self, board: Board, in_config: str | None, now_us: int) -> None:
        """Settle what the board is called, as far as it is known; tell of a restart once it is."""
        name = self._name_of(board.identity, in_config or "")
        if not name:
            if in_config is None:
                return
            name = board.identity
        board.name = name
        self.changed = True
        self._intake.introduce(board)
        self._intake.take_held(board, now_us)

    def _edges(self, board: Board, flags: int, body: bytes, now_us: int) -> None:
        if self._intake.take(board, flags, body, now_us):
            self._acknowledge = (
                self._acknowledge or board.clock.ready
            )  # also what is held already: our acknowledgement was lost
            self._ask_again = False
        else:
            self._want_again()

    def _text(self, board: Board, body: bytes, now_us: int) -> None:
        whole = self._files.take(body)
        if whole is None:
            return
        file, text = whole
        if file == wire.CRASH:
            board.crash = text.decode("utf-8", "replace")
            self.changed = True
        elif file == wire.CONFIG:
            if text and wire.digest(text) == board.config_digest:
                self._memory[f"config:{board.config_digest:08x}"] = text.decode("utf-8", "replace")
            self._name(board, board.take_config(text), now_us)
        elif file == wire.DICTIONARY and wire.digest(text) == board.dictionary_digest:
            try:
                known = json.loads(text)
            except (ValueError, RecursionError):
                known = {}
            self._memory[f"dictionary:{board.dictionary_digest:08x}"] = known

    def _status(self, board: Board, body: bytes, now_us: int) -> None:
        names = wire.MESSAGES[wire.STATUS][3].split()
        status = dict(zip(names, wire.fixed(wire.STATUS, body), strict=True))
        status["gates"] = list(unpack("<8h", status["gates"]))
        self.changed = self.changed or board.status.get("levels") != status["levels"]
        board.status = status
        board.status_at_us = now_us
        board.config_digest = status["config"]
        # Before its configuration is read nobody knows how many pixels it has; released, it shows that it is
        known = board.config is not None and self._release_seconds is None
        if (
            known
            and now_us - self._painted_us >= HEAL_US
            and board.pixels.settled
            and status["pixels"] != board.pixels.digest()
        ):
            board.pixels.forget()
            self.healed += 1

    # Bookkeeping

    def _board(self, identity: str) -> Board:
        if self.board is None or self.board.identity != identity:
            self.board = self._board_of(identity)
            self.changed = True
        return self.board

    def _want_again(self) -> None:
        self._ask_again = self._phase is _Phase.SESSION

    def _prompt(self, now_us: int) -> None:
        self.changed = self.changed or not self.at_prompt
        self.at_prompt = True
        if self._prompt_at_us is None and not self._restarted:
            self._prompt_at_us = now_us
        if self._phase is not _Phase.ASKING:
            self._phase = _Phase.ASKING
            self._who_at_us = now_us + WHO_LATER_US

    def _start_over(self, now_us: int) -> None:
        """The session is over: ask who is there."""
        self._phase = _Phase.ASKING
        self._asked = 0
        self._who_at_us = now_us
        self.changed = True

    def _done(self, frames: list[Sent], lost: bool) -> None:
        """The board has dealt with these frames, or not all of them arrived."""
        for sequence, kind in frames:
            if kind == wire.PIXELS and self.board is not None:
                self.board.pixels.answered(sequence, lost)
            elif kind == wire.REFLEX and lost:
                self._reflexes_sent = 0
            elif kind == wire.READ and lost:
                self._files.lost()
            elif kind == wire.RELEASE:
                self._release_due = lost
                self.released = not lost

    def _judge(self, now_us: int) -> None:
        silent_us = now_us - self._heard_us
        state = self.state
        if self._phase is _Phase.OLD:
            state = State.OLD
        elif self._phase is _Phase.SESSION:
            state = State.LIVE if silent_us < DOUBTFUL_US else State.DOUBTFUL
        elif state is State.OLD:
            state = State.WAITING
        elif state in (State.LIVE, State.DOUBTFUL):  # between two sessions: starting again takes seconds
            state = State.DOUBTFUL if silent_us < GONE_US else State.GONE
        if state is not self.state:
            self.state = state
            self.changed = True

    # What goes out

    def _tick(self, now_us: int) -> None:
        if self._phase in (_Phase.SESSION, _Phase.OLD) and now_us - self._heard_us >= GONE_US:
            self._start_over(now_us)
        if self._phase is _Phase.GREETING and now_us - self._hello_at_us >= self._hello_us:
            self._hello_us = min(2 * self._hello_us, HELLO_MOST_US)
            self._phase = _Phase.ASKING
            self._who_at_us = now_us
        if self._phase is _Phase.ASKING and now_us >= self._who_at_us:
            # The newline ends whatever half line stands in the board's input; 0x02 leaves a raw REPL
            before = b"\n" if self._asked < WHO_PLAIN else b"\r\x02\n"
            self._out.append(before + wire.encode(wire.WHO, b"", 0, 0, 0))
            self._asked += 1
            self._who_at_us = now_us + (WHO_FIRST_US if self._asked < WHO_FIRST else WHO_LATER_US)
        if self._prompt_at_us is not None and now_us - self._prompt_at_us >= RESTART_US:
            # The port is ours alone, so nobody works at that prompt: start the program, once
            self._prompt_at_us = None
            self._restarted = True
            self._out.append(b"\r\x02\x04")
        if self._phase is _Phase.SESSION:
            self._done(self._window.give_up(now_us), lost=True)
        self._judge(now_us)

    def _session_frames(self, board: Board, now_us: int) -> list[bytes]:
        """What the window has room for, light first; an acknowledgement rides in every frame."""
        out: list[bytes] = []
        window = self._window
        while (run := board.pixels.next_run((window.room() - 6) // 3)) is not None:
            strip, first, colours = run
            self._version += 1
            out.append(self._seal(wire.PIXELS, pack("<IBB", self._version, strip, first) + colours, now_us))
            board.pixels.under_way(window.sequence, strip, first, colours)
            self._painted_us = now_us
        if now_us >= self._pings.due_us and window.room() >= 4:
            out.append(self._seal(wire.PING, self._pings.question(now_us, board.clock.ready), now_us))
        if self._release_due and self._release_seconds is not None and window.room() >= 2:
            out.append(self._seal(wire.RELEASE, pack("<H", self._release_seconds), now_us))
            self._release_due = False
        while self._reflexes_sent < len(board.reflexes) and window.room() >= len(board.reflexes[self._reflexes_sent]):
            out.append(self._seal(wire.REFLEX, board.reflexes[self._reflexes_sent], now_us))
            self._reflexes_sent += 1
        if window.room() >= 3:
            question = self._files.question(now_us)
            if question is not None:
                out.append(self._seal(wire.READ, question, now_us))
        again = self._ask_again and now_us - self._again_at_us >= AGAIN_US
        if (again or (self._acknowledge and not out)) and window.room_for_ack():
            out.append(self._seal(wire.ACK, b"", now_us, wire.AGAIN if again else 0))
            if again:
                self._ask_again = False
                self._again_at_us = now_us
                self.again += 1
        self._acknowledge = self._acknowledge and not out
        return out

    def _seal(self, kind: int, body: bytes, now_us: int, flags: int = 0) -> bytes:
        frame = wire.encode(kind, body, self._window.next(), self._intake.kept, self._session, flags)
        self._window.sent(kind, len(frame), now_us)
        return frame
