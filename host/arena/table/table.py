"""One running game: asks the tracker and the game, journals, and only then tells anybody.

Synchronous, and pure of HTTP and serial ports. The journal is the truth: everything is written down
first and then folded, by the same fold that reads it again after a restart.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, Protocol

from ..games.contract import Game, Illegal, Outcome
from ..store import Entry
from ..tracker import Belief
from ..words import SPECTATOR, TABLE, Command, Cue, PlaceId, Seat, Seen, Sighting
from .changes import changes
from .decide import body_of, decide, parts
from .page import log, no_game, page
from .questions import (
    dropped_between,
    moves_of,
    try_action,
    try_answer,
)
from .sightings import to_json
from .story import BEAMS, DAEMON, Story
from .timeline import Action, Timeline

ANSWERS_KEPT = 500  # for commands given twice; a page repeats within seconds


class Journal(Protocol):
    """What the table needs of a store."""

    def append(self, game_id: str, entries: Sequence[Entry]) -> list[Entry]: ...
    def entries(self, game_id: str) -> list[Entry]: ...
    def latest_game(self) -> str | None: ...
    def last_edge_row(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to a person. ``seq`` is the journal number reached; ``error`` has ``section`` and ``reason``.

    ``changes`` says in words what a correction changes (or would), ``dropped`` which later commands
    no longer count because of it.
    """

    ok: bool
    seq: int
    error: Mapping[str, str] | None = None
    changes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class Table:
    """One game at a time. ``clock`` gives the table clock in µs, ``wall`` the time of day for people.

    Errors of the store pass through: what could not be written has not happened.
    """

    def __init__(
        self,
        game: Game[Any],
        store: Journal,
        clock: Callable[[], int],
        wall: Callable[[], str] = lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    ) -> None:
        self.game, self.clock = game, clock
        self.game_id: str | None = None
        self._store, self._wall = store, wall
        self._story: Story | None = None
        self._paused = False
        self._edge_row: int | None = None  # what the rig has folded, while sightings are decided
        self._answers: dict[str, Given] = {}
        self._listeners: list[Callable[[], None]] = []

    # Beginning

    def begin(self, setup: Mapping[str, Any], command_id: str | None = None) -> str:
        """A new game, in the place of the one before; its id. ``ValueError`` names what is wrong with the setup.

        The id with which the running game was begun begins no other.
        """
        if self._story is not None and self.game_id is not None and command_id in self._story.begun_by:
            return self.game_id
        body = {"game": self.game.name, "setup": dict(setup)}
        self.game.new(setup)  # before anything is written
        game_id = secrets.token_hex(8)
        entries = self._store.append(game_id, [self._entry("setup", DAEMON, body, command_id)])
        self._take(game_id, Story.of(self.game, entries))
        return game_id

    def resume(self) -> bool:
        """The latest game of the store, folded again; false where there is none."""
        game_id = self._store.latest_game()
        if game_id is None:
            return False
        self._take(game_id, Story.of(self.game, self._store.entries(game_id)))
        return True

    def _take(self, game_id: str, story: Story) -> None:
        self.game_id, self._story = game_id, story
        self._withdraw_stale()
        self._tell()

    # Looking

    @property
    def story(self) -> Story:
        """The fold of the journal; ``RuntimeError`` before a game was begun."""
        if self._story is None:
            raise RuntimeError("no game was begun at this table")
        return self._story

    @property
    def running(self) -> bool:
        return self._story is not None

    @property
    def state(self) -> Any:
        return self.story.state

    @property
    def seq(self) -> int:
        return self._story.seq if self._story else 0

    @property
    def belief(self) -> Belief:
        return self.story.belief

    def outcome(self) -> Outcome | None:
        return self.game.outcome(self.state) if self._story else None

    def cues(self) -> Mapping[PlaceId, Cue]:
        return self.game.cues(self.state) if self._story else {}

    def page(self, seat: Seat) -> dict[str, Any]:
        """What a seat may see, as JSON: nothing of the setup, the generator or another seat's secrets."""
        if self._story is None or self.game_id is None:
            return no_game()
        return page(self._story, seat, self.game_id, self._paused)

    def log(self, seat: Seat) -> list[dict[str, Any]]:
        """The whole log; ``page`` has only its end."""
        return log(self._story, seat) if self._story else []

    def listen(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after every change, when it is durable. Returns what ends it."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def pause(self, paused: bool = True) -> None:
        """Show the clock as stopped: boards are gone. The game itself goes on."""
        if paused != self._paused:
            self._paused = paused
            self._tell()

    def _tell(self) -> None:
        for callback in tuple(self._listeners):
            callback()

    # What the beams saw

    def on_sightings(
        self,
        sightings: Sequence[Sighting],
        edge_row: int | None = None,
    ) -> None:
        """Decide what follows from each, journal it, apply it. What was decided before, or
        happened before the game was begun, is passed over.

        ``edge_row`` is the row of the newest edge that the rig has folded, the store's newest if not
        given. When all has settled it is kept: everything before it is decided and lies still.
        """
        if self._story is None:
            return
        before = self._story.seq
        self._edge_row = edge_row
        try:
            self._decide_all(sightings)
        finally:
            self._edge_row = None
        if self._story.seq != before:
            self._withdraw_stale()
            self._tell()

    def _decide_all(self, sightings: Sequence[Sighting]) -> None:
        begun_at_us = self.story.timeline.steps[0].at_us
        for sighting in sightings:
            if self.story.has_decided(sighting) or sighting.latest_us < begun_at_us:
                continue
            entries = decide(self.story, sighting, self._entry)
            last = sighting is sightings[-1]
            if sighting.seen is Seen.SETTLED and last and not self.story.stuck:
                # A piece that is stuck keeps its beam dark: a rig that was folded from here would not know it
                entries.append(self._entry("settled", BEAMS, {"sighting": to_json(sighting)}))
            self._append(entries)

    # What people say

    def give(self, seat: Seat, command: Command, command_id: str, activation: int | None = None) -> Given:
        """A person's command. The same id again changes nothing and gets the same answer.

        ``activation`` is the Activation in which the person gave it, where known: a tap that another
        page's tap has overtaken means nothing in the next one.
        """
        if again := self._given_before(command_id):
            return again
        if self._story is None:
            return self._refuse(command_id, "No game was begun yet.")
        if seat == SPECTATOR:
            return self._refuse(command_id, "Spectators watch; they have no commands.")
        if activation not in (None, self.story.timeline.last.activation):
            return self._refuse(command_id, "The game went on meanwhile: look again, and tap what is true now.")
        try:
            self.game.apply(self.state, command, seat)
        except Illegal as illegal:
            return self._refuse(command_id, illegal.reason, illegal.section)
        body = {"command": command.to_json(), "seat": seat}
        return self._commit([self._entry("command", seat, body, command_id)])

    def answer(self, question_id: str, index: int, command_id: str, seat: Seat = TABLE) -> Given:
        """A person's answer to a question that waits."""
        if again := self._given_before(command_id):
            return again
        waiting = self._story.waiting if self._story else []
        question = next((question for question in waiting if question.id == question_id), None)
        if question is None:
            return self._refuse(command_id, "This question is no longer open: it was answered, or the game went on.")
        if seat == SPECTATOR:
            return self._refuse(command_id, "Spectators watch; they do not answer.")
        if not 0 <= index < len(question.answers):
            return self._refuse(
                command_id, f"There are {len(question.answers)} answers to choose from, not {index + 1}."
            )
        answer = question.answers[index]
        trial = try_answer(self.story.timeline, question, answer, seq=self.seq + 1, by=seat)
        if trial.refused:
            return self._refuse(command_id, trial.refused.reason, trial.refused.section)
        entries = [self._entry("answer", seat, {"question": question.id, "choice": index}, command_id)]
        bodies = [body_of(command) for command in answer.commands]
        if answer.strike is not None:
            entries += parts(self._entry, "strike", seat, [{"strike": answer.strike}], first=1)
        elif trial.after is None:
            entries += parts(self._entry, "command", seat, bodies, first=1)
        else:
            entries += parts(self._entry, "insert", seat, [{**body, "after": trial.after} for body in bodies], first=1)
        return self._commit(entries, trial.timeline)

    # Corrections

    def undo(self, steps: int = 1, preview: bool = False, command_id: str | None = None, seat: Seat = TABLE) -> Given:
        """Take the last ``steps`` actions back, as if they had never been."""
        command_id = None if preview else command_id
        if again := self._given_before(command_id):
            return again
        if self._story is None or not 1 <= steps <= len(self._story.timeline.actions):
            available = len(self._story.timeline.actions) if self._story else 0
            return self._refuse(command_id, f"{available} steps can be taken back, not {steps}.")
        after = self._story.timeline.without_last(steps)
        return self._correct(after, self._entry("undo", seat, {"steps": steps}, command_id), preview)

    def strike(self, seq: int, preview: bool = False, command_id: str | None = None, seat: Seat = TABLE) -> Given:
        """Strike out one command, as if it had never been given, and keep those after it."""
        command_id = None if preview else command_id
        if again := self._given_before(command_id):
            return again
        place = self._story.timeline.index(seq) if self._story else None
        if not place:
            return self._refuse(command_id, f"Entry {seq} is nothing that can be struck out, or it no longer counts.")
        after = self.story.timeline.with_action(Action(self.seq + 1, struck=seq))
        return self._correct(after, self._entry("strike", seat, {"strike": seq}, command_id), preview)

    def insert(
        self,
        after_seq: int,
        command: Command,
        preview: bool = False,
        command_id: str | None = None,
        seat: Seat = TABLE,
    ) -> Given:
        """Put a command in behind entry ``after_seq``, as if it had been given then."""
        command_id = None if preview else command_id
        if again := self._given_before(command_id):
            return again
        place = self._anchor(after_seq)
        if self._story is None or place is None:
            return self._refuse(command_id, f"Nothing that counts stands at entry {after_seq}.")
        moves = moves_of((command,), seq=self.seq + 1, by=seat, at_us=self.clock())
        trial = try_action(self.story.timeline, Action(self.seq + 1, moves, after=place))
        if trial.refused:
            return self._refuse(command_id, trial.refused.reason, trial.refused.section)
        entry = self._entry("insert", seat, {**body_of(command), "after": place}, command_id)
        return self._correct(trial.timeline, entry, preview)

    def _anchor(self, after_seq: int) -> int | None:
        """The move behind which something may be put in: 0, or the setup's number, is the beginning."""
        if self._story is None:
            return None
        if after_seq in (0, self._story.setup_seq):
            return 0
        return after_seq if self._story.timeline.holds(after_seq) else None

    def _correct(self, after: Timeline, entry: Entry, preview: bool) -> Given:
        return self._told(self.seq, self.story.timeline, after) if preview else self._commit([entry], after)

    def _told(self, seq: int, before: Timeline, after: Timeline) -> Given:
        dropped = tuple(step.words(SPECTATOR) for step in dropped_between(before, after))
        return Given(True, seq, changes=changes(self.game, before.last, after.last), dropped=dropped)

    # Writing it down

    def _commit(self, entries: Sequence[Entry], corrected: Timeline | None = None) -> Given:
        """Durable, then folded, then told."""
        before = self.story.timeline
        seq = self.seq + 1
        self._append(entries)
        self._withdraw_stale()
        self._tell()
        given = Given(True, seq) if corrected is None else self._told(seq, before, corrected)
        return self._remember(entries[0].command_id, given)

    def _append(self, entries: Sequence[Entry]) -> None:
        if entries:
            assert self.game_id is not None
            self.story.fold(self._store.append(self.game_id, entries))

    def _withdraw_stale(self) -> None:
        notes = [
            self._entry(
                "note",
                DAEMON,
                {"text": f"No longer asked, the game went on: {question.text}", "withdraws": question.id},
            )
            for question in self.story.stale
        ]
        self._append(notes)

    def _entry(
        self,
        kind: str,
        cause: str,
        body: dict[str, Any],
        command_id: str | None = None,
    ) -> Entry:
        row = self._store.last_edge_row() if self._edge_row is None else self._edge_row
        return Entry(None, kind, self.clock(), cause, body, command_id, row, self._wall())

    def _given_before(self, command_id: str | None) -> Given | None:
        if command_id is None or self._story is None:
            return None
        if command_id in self._story.commands and command_id not in self._answers:  # from before a restart
            return self._remember(command_id, self._given_at(self._story.commands[command_id]))
        return self._answers.get(command_id)

    def _given_at(self, seq: int) -> Given:
        """What was answered to the person who caused this entry."""
        assert self.game_id is not None
        entries = self._store.entries(self.game_id)
        before, entry, later = entries[: seq - 1], entries[seq - 1], entries[seq:]
        if entry.kind == "command":
            return Given(True, seq)
        story = Story.of(self.game, before)
        then = story.timeline
        story.fold([entry, *takewhile(lambda each: "part" in each.body, later)])
        return self._told(seq, then, story.timeline)

    def _refuse(self, command_id: str | None, reason: str, section: str = "") -> Given:
        return self._remember(command_id, Given(False, self.seq, {"section": section, "reason": reason}))

    def _remember(self, command_id: str | None, given: Given) -> Given:
        if command_id is not None and self._story is not None:
            self._answers[command_id] = given
            while len(self._answers) > ANSWERS_KEPT:
                self._answers.pop(next(iter(self._answers)))
        return given
