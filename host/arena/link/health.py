"""What people and the doctor are told of boards and ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import wire
from .board import Board
from .session import Session, State


@dataclass(frozen=True, slots=True)
class BoardHealth:
    """One board, or one port or name without a board. ``words`` says it all in a sentence or two.

    ``status`` holds the fields of the board's last STATUS by their names in ``wire``; ``levels`` is its
    bitmap of active inputs, ``None`` before the first. ``counts`` are of this port since it was opened.
    """

    name: str
    identity: str
    boot: str
    port: str | None
    state: State
    words: str
    firmware: str = ""
    protocol: str = ""
    reset: str = ""
    crash: str = ""
    rtt_us: int | None = None
    clock_us: float | None = None
    drift_ppm: float | None = None
    levels: int | None = None
    status: Mapping[str, Any] = field(default_factory=dict)
    status_at_us: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    console: tuple[str, ...] = ()


def of_session(session: Session, port: str, expected: Mapping[str, int], notes: list[str]) -> BoardHealth:
    """The health of whatever is on an open port."""
    board = session.board
    counts = {
        "frames": session.lines.frames,
        "broken": session.lines.broken,
        "lost": session.lost_frames,
        "again": session.again,
        "healed": session.healed,
    }
    console = tuple(session.console.tail())
    if board is None:
        words = f"{port} is open; no board has introduced itself there yet."
        if session.at_prompt:
            words = f"On {port} the Python prompt answers, not the arena's program: flash the board, or reset it."
        return BoardHealth("", "", "", port, session.state, words, counts=counts, console=console)
    return of_board(board, port, session.state, _words(session, board, port, expected, notes), session, counts, console)


def of_board(
    board: Board,
    port: str | None,
    state: State,
    words: str,
    session: Session | None = None,
    counts: Mapping[str, int] | None = None,
    console: tuple[str, ...] = (),
) -> BoardHealth:
    """The health of a board that is known, whether or not it is there."""
    clock = board.clock
    return BoardHealth(
        name=board.name,
        identity=board.identity,
        boot=board.boot,
        port=port,
        state=state,
        words=words,
        firmware=".".join(map(str, board.firmware)),
        protocol=".".join(map(str, board.protocol)),
        reset=board.reset,
        crash=board.crash,
        rtt_us=session.rtt_us if session else None,
        clock_us=clock.uncertain_us if clock.ready else None,
        drift_ppm=clock.drift_ppm if clock.ready else None,
        levels=board.status.get("levels"),
        status=dict(board.status),
        status_at_us=board.status_at_us,
        counts=counts or {},
        console=console,
    )


def _words(session: Session, board: Board, port: str, expected: Mapping[str, int], notes: list[str]) -> str:
    who = board.says()
    who = who[0].upper() + who[1:]
    if session.state is State.OLD:
        theirs, ours = board.protocol[0], wire.PROTOCOL[0]
        return (
            f"{who} on {port} speaks version {theirs} of the protocol, this program version {ours}: "
            f"nothing it says counts. {'Flash the board.' if theirs < ours else 'Update this program.'}"
        )
    if session.at_prompt:
        return f"{who} on {port} stands at the Python prompt: its program does not run. Reset it."
    if session.state is State.WAITING:
        return f"{who} on {port} has not said hello yet."
    if session.state is State.GONE:
        return f"{who} on {port} is silent. Check its power and cable, or press its reset button."
    if session.state is State.DOUBTFUL:
        return f"{who} on {port} has been silent for a moment; the clock is stopped." + (
            f" It is starting again: {session.console.cause}." if session.console.cause else ""
        )
    says = [f"{who} on {port} is live."]
    if not board.name:
        says = [f"{who} on {port} is telling what it is wired to."]
    digest = expected.get(board.name)
    if board.config == b"":
        says.append("It has no configuration: flash it with the rig file's.")
    elif digest is not None and digest != board.config_digest:
        says.append("Its configuration is not the rig file's: flash it, or start with the rig file it was made from.")
    elif expected and board.name and digest is None:
        says.append(f"The rig file has no board of that name, only {', '.join(sorted(expected))}.")
    if board.behind:
        says.append("It has started under an identity that was used before, so its edges do not count: reset it.")
    if board.crashed:
        says.append("It started again after an error in its program: the doctor shows it.")
    overflow = board.status.get("overflow", 0)
    if overflow:
        says.append(f"It has lost {overflow} edges for want of room.")
    return " ".join(says + notes)
