"""The contract that every game at the table keeps.

A game is pure: no clock, no I/O, no asyncio, no global random. Time reaches it only inside a
command; every random choice comes from the generator inside its state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ..words import Candidate, Command, Cue, Expectation, PlaceId, Seat, Sighting


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, for the log, the lights and the speaker.

    ``kind`` is stable and machine-readable, ``text`` a sentence for people. ``seats`` is who may
    see it; empty means everybody.
    """

    kind: str
    text: str
    place: PlaceId | None = None
    piece: str | None = None
    seats: tuple[Seat, ...] = ()


class Illegal(Exception):
    """A command that the rules refuse: the rulebook section, and the reason in plain words."""

    def __init__(self, section: str, reason: str) -> None:
        super().__init__(f"{reason} (rulebook: {section})")
        self.section = section
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Choice:
    """One command that a seat may give now, with the words for its button.

    ``group`` is the heading under which a page lists it. The first choice marked ``default`` is the
    one big button ("Done, nothing hit").
    """

    command: Command
    label: str
    group: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What the engine cannot decide: people choose one of the commands, the likeliest first.

    No command at all, ``None``, is a choice too: "that was nothing".
    """

    text: str
    choices: tuple[tuple[Command | None, str], ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """A game's answer to a sighting: commands that certainly follow, or one question, or neither."""

    commands: tuple[Command, ...] = ()
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won (teams or seats), the scores, and a sentence."""

    winners: tuple[str, ...]
    scores: Mapping[str, int] = field(default_factory=dict)
    text: str = ""


State = TypeVar("State")


class Game(Protocol[State]):
    """A game's rules. All methods are pure functions of their arguments."""

    name: str

    def new(self, setup: Mapping[str, Any]) -> State:
        """The first state. ``setup`` holds seed, players, options, map and packs' text, so that
        journalling it suffices to begin the same game again. ``ValueError`` names a bad key."""
        ...

    def legal(self, state: State, seat: Seat) -> Sequence[Choice]: ...

    def apply(self, state: State, command: Command, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        """The next state and what happened, or ``Illegal`` with the state unchanged."""
        ...

    def expect(self, state: State) -> Expectation: ...

    def observe(self, state: State, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed: ...

    def cues(self, state: State) -> Mapping[PlaceId, Cue]: ...

    def view(self, state: State, seat: Seat) -> dict[str, Any]: ...

    def outcome(self, state: State) -> Outcome | None: ...

    def activation(self, state: State) -> int:
        """A number that grows with each Activation: which window a pass falls in."""
        ...

    def dump(self, state: State) -> str:
        """The whole state as canonical JSON, secrets included: for snapshots and comparison."""
        ...

    def load(self, text: str) -> State: ...
