"""Decide a recorded game again: the same edges and the same people, through rig, tracker and game as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..games.contract import Game
from ..rig import Rig
from ..store import Entry
from ..words import TABLE, Command, Edge, Gap, Sighting
from .questions import Question
from .record import Record
from .sightings import PASSED
from .story import BEAMS, Story
from .table import Given, Table


@dataclass(frozen=True, slots=True)
class Redecided:
    """What was decided then, and what is decided now: passes in words, in the order in which they count.

    ``lost`` are things that people did and that find no place now. ``same_end`` is whether the last
    states are equal.
    """

    recorded: tuple[str, ...]
    decided: tuple[str, ...]
    lost: tuple[str, ...]
    same_end: bool

    @property
    def same(self) -> bool:
        return self.recorded == self.decided


def redecide(record: Record, rig: Rig, game: Game[Any]) -> Redecided:
    """Fold the record again. ``ValueError`` where it has no journal, or that of another game."""
    entries = record.entries
    if not entries:
        raise ValueError("The record has no journal: it was made before its game was over.")
    then = Story.of(game, entries)
    again = _Again(rig, game, then)
    for item in record.items:
        again.take(item)
    return Redecided(
        tuple(passes(then)),
        tuple(passes(again.table.story)),
        tuple(again.lost),
        game.dump(then.state) == game.dump(again.table.state),
    )


def sightings(record: Record, rig: Rig) -> list[Sighting]:
    """What the rig alone makes of a record, also of one whose game was not over."""
    found: list[Sighting] = []
    last_us = 0
    for item in record.items:
        if isinstance(item, Edge):
            last_us = item.latest_us
            found += rig.fold(item)
        elif isinstance(item, Gap):
            found += rig.gap(item)
    while (due_us := rig.next_tick_us) is not None:
        last_us = max(last_us, due_us)
        found += rig.tick(last_us)
    return found


def passes(story: Story) -> list[str]:
    """The passes that beams saw and that count, each as its command in short."""
    steps = (step for step in story.timeline.steps[1:] if step.move is not None and not step.refused)
    return [
        " ".join(str(value) for value in (step.move.command.do, *(value for _, value in step.move.command.args)))
        for step in steps
        if step.move is not None and step.move.by == BEAMS and story.move_keys[step.seq][0][0] in PASSED
    ]


@dataclass
class MemoryJournal:
    """A journal that ends with the process."""

    rows: int = 0
    written: list[Entry] = field(default_factory=list)

    def append(self, game_id: str, entries: Sequence[Entry]) -> list[Entry]:
        new = [replace(entry, seq=len(self.written) + nth) for nth, entry in enumerate(entries, 1)]
        self.written += new
        return new

    def entries(self, game_id: str) -> list[Entry]:
        return list(self.written)

    def latest_game(self) -> str | None:
        return "again" if self.written else None

    def last_edge_row(self) -> int:
        return self.rows


class _Again:
    """The table of the second time, and which of its journal numbers stand for those of the first."""

    def __init__(self, rig: Rig, game: Game[Any], then: Story) -> None:
        self.rig, self.then = rig, then
        self.now_us = 0
        self.journal = MemoryJournal()
        self.table = Table(game, self.journal, lambda: self.now_us, lambda: "")
        self.lost: list[str] = []
        self._seqs: dict[int, int] = {0: 0}

    def take(self, item: Edge | Gap | Entry) -> None:
        if isinstance(item, Entry):
            self.now_us = max(self.now_us, item.at_us)
            self._see(self.rig.tick(item.at_us))
            self._entry(item)
            return
        self.journal.rows += 1
        if isinstance(item, Edge):
            self.now_us = max(self.now_us, item.latest_us)
            self._see(self.rig.fold(item))
        else:
            self._see(self.rig.gap(item))

    def _see(self, seen: list[Sighting]) -> None:
        if self.table.running:
            begun_us = self.table.story.timeline.steps[0].at_us
            self.table.on_sightings([sighting for sighting in seen if sighting.latest_us >= begun_us])

    def _entry(self, entry: Entry) -> None:
        assert entry.seq is not None
        body = entry.body
        part = body.get("part", 0)
        if part:  # came with the entry that it belongs to, if that found its place
            first = self._seqs.get(entry.seq - part)
            self._seqs |= {} if first is None else {entry.seq: first + part}
            return
        match entry.kind:
            case "setup":
                self.table.begin(body["setup"])
                self._seqs[entry.seq] = self.table.seq
            case "command" if entry.cause != BEAMS:
                given = self.table.give(body["seat"], Command.from_json(body["command"]), f"again-{entry.seq}")
                self._given(entry, given, f"{entry.cause}: {body['command']}")
            case "insert":
                after, command = self._now(body["after"]), Command.from_json(body["command"])
                given = Given(False, 0) if after is None else self.table.insert(after, command)
                self._given(entry, given, f"{entry.cause} put in {body['command']} behind entry {body['after']}")
            case "strike":
                # A pass that people had to strike out may not be seen at all by now
                struck = self._now(body["strike"])
                given = Given(False, 0) if struck is None else self.table.strike(struck)
                self._given(entry, given, f"{entry.cause} struck out entry {body['strike']}")
            case "undo":
                self._given(entry, self.table.undo(body["steps"]), f"{entry.cause} undid {body['steps']}")
            case "answer":
                self._answer(entry)

    def _answer(self, entry: Entry) -> None:
        asked = self.then.question(entry.body["question"])
        assert asked is not None
        waiting = next((each for each in self.table.story.waiting if _alike(each, asked)), None)
        answer = asked.answers[entry.body["choice"]]
        words = f"{entry.cause} answered {asked.text!r} with {answer.label!r}"
        if waiting is not None:
            given = self.table.answer(waiting.id, entry.body["choice"], f"again-{entry.seq}")
            self._given(entry, given, words)
            return
        # Not asked this time, or in other words: what people said still holds
        if answer.strike is not None:
            struck = self._now(answer.strike)
            self._given(entry, Given(False, 0) if struck is None else self.table.strike(struck), words)
        for nth, command in enumerate(answer.commands):
            self._given(entry, self.table.give(TABLE, command, f"again-{entry.seq}-{nth}"), words)

    def _given(self, entry: Entry, given: Given, words: str) -> None:
        assert entry.seq is not None
        if given.ok:
            self._seqs[entry.seq] = given.seq
        else:
            reason = (given.error or {}).get("reason", "it finds no place any more")
            self.lost.append(f"Entry {entry.seq}, {words}: {reason}")

    def _now(self, seq: int) -> int | None:
        """The journal number that stands for this one now."""
        if seq in self._seqs:
            return self._seqs[seq]
        key = self.then.move_keys.get(seq)
        return next((now for now, other in self.table.story.move_keys.items() if key and other == key), None)


def _alike(question: Question, other: Question) -> bool:
    return question.text == other.text and [each.label for each in question.answers] == [
        each.label for each in other.answers
    ]
