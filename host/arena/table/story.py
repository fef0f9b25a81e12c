"""A game's story: the fold of its journal.

Pure: entries in, story out. What is new goes the same way as what is read again after a restart, so
that both cannot come to different states.

Journal bodies (``part`` marks an entry that belongs to the action before it; undo takes all of it):

==========  ======================================================================================
setup       ``game``, ``setup``: all that is needed to begin the same game again
command     ``command``, ``seat``; ``sighting`` where the beams caused it
insert      the same, and ``after``: the journal number behind which it counts
strike      ``strike``: the journal number that no longer counts
undo        ``steps``: how many actions are taken back
question    ``text``, ``section``, ``answers``, ``after``; ``sighting``
answer      ``question``, ``choice``; its commands or its strike follow as parts
belief      ``belief`` (absent: unchanged); ``sighting`` where nothing else followed from it
settled     ``sighting``; ``edge_row`` up to which everything is decided and lies still
note        ``text``; ``withdraws``: a question that is not asked as long as nothing of it is possible; ``sighting``
==========  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.contract import Game
from ..store import Entry
from ..tracker import Belief, begin, load
from ..words import Command, EdgeId, PlaceId, Seen, Sighting
from .beliefs import follow
from .questions import Question, dropped_between, still_applies
from .sightings import MOVED, PASSED, Key, edges_in, from_json, key_in, key_of, words_of
from .timeline import Action, Move, Step, Timeline, same_until

BEAMS = "beams"
DAEMON = "daemon"


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of the log that is no move: a correction, a note, an answer without commands.

    ``about`` are steps that it names after ``text``; each reader gets them in the words for that reader.
    """

    seq: int
    at_us: int
    wall: str
    kind: str
    by: str
    text: str
    about: tuple[Step, ...] = ()
    dropped: tuple[Step, ...] = ()
    place: str | None = None


class Story:
    """Everything that the journal of one game says, folded."""

    def __init__(self, game: Game[Any], setup: Entry) -> None:
        """``ValueError`` where the setup is not this game's, or the game refuses it."""
        if setup.kind != "setup":
            raise ValueError(f'the journal begins with an entry of kind {setup.kind!r}, not "setup"')
        if setup.body.get("game") != game.name:
            raise ValueError(f"the journal is of the game {setup.body.get('game')!r}, this table plays {game.name!r}")
        assert setup.seq is not None
        self.game = game
        self.setup_seq = self.seq = setup.seq
        self.begun_by = {setup.command_id} - {None}
        self.timeline = Timeline.begin(game, game.new(setup.body["setup"]), setup.at_us)
        self.belief: Belief = begin(self.timeline.last.expectation)
        self.remarks: list[Remark] = [Remark(setup.seq, setup.at_us, setup.wall, "setup", DAEMON, "A new game begins.")]
        self._decided: set[Key] = set()
        self._passed: set[tuple[PlaceId, EdgeId]] = set()
        self.commands: dict[str, int] = {}
        self.move_keys: dict[int, tuple[Key, int]] = {}  # which sighting, and which of its commands, a move came from
        self.moved_at_us: int | None = None
        self.stuck: set[str] = set()
        self._questions: dict[str, Question] = {}
        self._told_off: set[str] = set()  # questions of which the log says that they are no longer asked
        self._asked_of: dict[str, Key] = {}
        self._open: tuple[Timeline, int, list[Question]] | None = None

    @staticmethod
    def of(game: Game[Any], entries: Sequence[Entry]) -> Story:
        story = Story(game, entries[0])
        story.fold(entries[1:])
        return story

    @property
    def state(self) -> Any:
        return self.timeline.state

    @property
    def waiting(self) -> list[Question]:
        """The questions that wait for an answer, the oldest first.

        They follow from what counts now: an undone answer lets its question wait again, and so does the
        undoing of what had made all its answers impossible.
        """
        if self._open is None or self._open[0] is not self.timeline or self._open[1] != len(self._questions):
            over = self.game.outcome(self.state) is not None
            waiting = [
                question
                for question in self._unanswered()
                if (question.strikes or not over) and still_applies(self.timeline, question)
            ]
            self._open = (self.timeline, len(self._questions), waiting)
        return self._open[2]

    @property
    def stale(self) -> list[Question]:
        """The questions that are neither answered nor asked any longer, and of which the log does not say so yet.

        None as long as others wait: their answers may make these possible again.
        """
        if self.waiting:
            return []
        return [question for question in self._unanswered() if question.id not in self._told_off]

    def _unanswered(self) -> list[Question]:
        if not self._questions:
            return []
        answered = {action.question for action in self.timeline.actions}
        return [question for question in self._questions.values() if question.id not in answered]

    def has_decided(self, sighting: Sighting) -> bool:
        """Whether something followed from it already, or from another pass of the same edges.

        A rig that is folded again without what it was told between edges may conclude a pass a little otherwise.
        """
        if key_of(sighting) in self._decided:
            return True
        return sighting.seen in PASSED and any((sighting.place, edge) in self._passed for edge in sighting.edges)

    def passed_by(self, place: PlaceId, edges: Sequence[EdgeId]) -> Step | None:
        """The last move that counts, from a pass of that place that ended with one of these edges."""
        keys = {(seen, place, edge.boot, edge.number) for seen in PASSED for edge in edges}
        return next(
            (
                step
                for step in reversed(self.timeline.steps[1:])
                if step.refused is None and self.move_keys.get(step.seq, (None,))[0] in keys
            ),
            None,
        )

    def question(self, question_id: str) -> Question | None:
        return self._questions.get(question_id)

    def fold(self, entries: Iterable[Entry]) -> None:
        for group in _groups(entries):
            for entry in group:
                assert entry.seq is not None
                self.seq = entry.seq
                if entry.command_id is not None:
                    self.commands[entry.command_id] = entry.seq
                self._note_sighting(entry)
            self._fold_group(group)

    def _fold_group(self, group: list[Entry]) -> None:
        entry = group[0]
        match entry.kind:
            case "command" | "insert" | "answer":
                self._act(group)
            case "strike":
                self._correct(entry, self.timeline.with_action(Action(_seq(entry), struck=entry.body["strike"])))
            case "undo":
                self._correct(entry, self.timeline.without_last(entry.body["steps"]))
            case "belief":
                if "belief" in entry.body:
                    self.belief = load(entry.body["belief"])
                if "sighting" in entry.body:
                    self._remark_kept(entry)
            case "question":
                question = Question.from_body(_seq(entry), entry.body)
                self._questions[question.id] = question
                self._asked_of[question.id] = key_in(entry.body["sighting"])
            case "note":
                self._told_off |= {entry.body["withdraws"]} if "withdraws" in entry.body else set()
                self._remark(entry, entry.body["text"])
            case "settled":
                pass  # its sighting is noted above; nothing else follows
            case _:
                raise ValueError(f"journal entry {entry.seq} is of the unknown kind {entry.kind!r}")

    def _act(self, group: list[Entry]) -> None:
        first = group[0]
        strike = next((entry for entry in group if entry.kind == "strike"), None)
        told = [entry for entry in group if entry.kind not in ("answer", "strike")]
        after = next((entry.body["after"] for entry in told if entry.kind == "insert"), None)
        question = self._questions[first.body["question"]] if first.kind == "answer" else None
        place = self._place(after)
        at_us = first.at_us if place is None else self.timeline.time_of(place)
        key = key_in(first.body["sighting"]) if "sighting" in first.body else None
        if key is not None:
            at_us = first.body["sighting"]["us"][1]
        if question is not None:
            at_us, key = question.at_us, self._asked_of[question.id]
        if key is not None:
            self.move_keys |= {_seq(entry): (key, nth) for nth, entry in enumerate(told)}
        moves = tuple(_move(entry, at_us, question.number if question else 0) for entry in told)
        struck = strike.body["strike"] if strike else None
        action = Action(_seq(first), moves, place, struck, question.id if question else None)
        before = self.timeline.last
        timeline = self.timeline.with_action(action)
        if after is not None or strike is not None:
            self._correct(strike or first, timeline)
            return
        self.timeline = timeline
        if question is not None:
            # What one believed of the other pieces was part of what was asked
            self.belief = begin(timeline.last.expectation)
        for step in () if question is not None else timeline.steps[-len(moves) :]:
            assert step.move is not None
            self.belief = follow(self.belief, before, step, step.move.command)
            before = step
        if question is not None and not moves:
            self._remark(first, f"{question.text} – {question.answers[first.body['choice']].label}.")

    def _place(self, after: int | None) -> int | None:
        return 0 if after == self.setup_seq else after

    def _correct(self, entry: Entry, timeline: Timeline) -> None:
        """The list has changed before its end: say so, and let the belief begin anew from what the game knows."""
        before, self.timeline = self.timeline, timeline
        self.belief = begin(timeline.last.expectation)
        dropped = dropped_between(before, timeline)
        same = same_until(before.steps, timeline.steps)
        old, new = before.steps[same:], timeline.steps[same:]
        then, now = {step.seq for step in old}, {step.seq for step in new}
        gone = tuple(step for step in old if step.seq not in now and not step.refused)
        come = tuple(step for step in new if step.seq not in then and not step.refused)
        match entry.kind:
            case "undo":
                # An undone strike or answer names what counts again
                text, about = ("Undone:", gone) if gone else ("Undone; it counts again:", come)
            case "strike":
                text, about = "Struck out:", gone
            case _:
                text, about = "Put in afterwards:", come
        self._remark(entry, text, about, dropped)

    def _note_sighting(self, entry: Entry) -> None:
        data = entry.body.get("sighting")
        if data is None:
            return
        self._decided.add(key_in(data))
        seen, place = Seen(data["seen"]), data["place"]
        if seen in PASSED:
            self._passed |= {(place, edge) for edge in edges_in(data)}
        if seen in MOVED:
            self.moved_at_us = max(data["us"][1], self.moved_at_us or 0)
        if seen is Seen.STUCK:
            self.stuck.add(place)
        elif seen in MOVED:
            self.stuck.discard(place)

    def _remark_kept(self, entry: Entry) -> None:
        sighting = from_json(entry.body["sighting"])
        if sighting.seen in (Seen.PASS, Seen.DROP, Seen.LAUNCH):
            self._remark(entry, f"{words_of(sighting)} Nothing follows from it.", place=sighting.place)

    def _remark(
        self,
        entry: Entry,
        text: str,
        about: tuple[Step, ...] = (),
        dropped: tuple[Step, ...] = (),
        place: str | None = None,
    ) -> None:
        self.remarks.append(
            Remark(_seq(entry), entry.at_us, entry.wall, entry.kind, entry.cause, text, about, dropped, place)
        )


def _groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Entries that were made together: the first, and those marked as its parts."""
    group: list[Entry] = []
    for entry in entries:
        if group and not entry.body.get("part"):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _seq(entry: Entry) -> int:
    assert entry.seq is not None
    return entry.seq


def _move(entry: Entry, at_us: int, asked: int) -> Move:
    """A move counts from when it happened: when the beams saw it, or where it was put in."""
    command = Command.from_json(entry.body["command"])
    inserted = entry.kind == "insert"
    return Move(_seq(entry), command, entry.body["seat"], entry.cause, at_us, entry.wall, inserted, asked)
