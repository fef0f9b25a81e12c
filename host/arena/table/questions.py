"""Questions that wait for people, and where the answer's commands belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.contract import Game, Illegal
from ..games.contract import Question as Asked
from ..words import TABLE, Command, Seat
from .timeline import Action, Move, Place, Step, Timeline, apply, same_until

UNWRITTEN = 1 << 60  # numbers of moves that are only tried out, far above any in a journal


@dataclass(frozen=True, slots=True)
class Answer:
    """One choice: its words, the commands that follow from it (none: "that was nothing"), and where.

    ``after`` is the journal number behind which they belong; ``None`` leaves it to the question, which
    knows when it was asked. ``strike`` is a move that is struck out instead.
    """

    label: str
    commands: tuple[Command, ...] = ()
    after: int | None = None
    strike: int | None = None

    def to_json(self) -> dict[str, Any]:
        data = {"label": self.label, "commands": [command.to_json() for command in self.commands]}
        where = {"after": self.after, "strike": self.strike}
        return data | {name: seq for name, seq in where.items() if seq is not None}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Answer:
        commands = tuple(Command.from_json(command) for command in data["commands"])
        return Answer(data["label"], commands, data.get("after"), data.get("strike"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the journal, about what the beams saw at ``at_us``.

    ``after`` is the move behind which the answer's commands belong, or further behind, as their time says.
    """

    number: int
    text: str
    section: str
    answers: tuple[Answer, ...]
    after: int
    at_us: int

    @property
    def id(self) -> str:
        return f"q{self.number}"

    @property
    def when(self) -> tuple[int, int]:
        return (self.at_us, self.number)

    @property
    def strikes(self) -> bool:
        """Whether it asks to strike something out; that is asked also when the game is over."""
        return any(answer.strike is not None for answer in self.answers)

    def to_json(self) -> dict[str, Any]:
        """What a page shows of it."""
        labels = [answer.label for answer in self.answers]
        return {"id": self.id, "text": self.text, "section": self.section, "choices": labels}

    def body(self) -> dict[str, Any]:
        """What the journal keeps of it; its id is its journal number."""
        return {
            "text": self.text,
            "section": self.section,
            "answers": [answer.to_json() for answer in self.answers],
            "after": self.after,
        }

    @staticmethod
    def from_body(seq: int, body: Mapping[str, Any]) -> Question:
        answers = tuple(Answer.from_json(answer) for answer in body["answers"])
        at_us = body["sighting"]["us"][1]
        return Question(seq, body["text"], body["section"], answers, body["after"], at_us)


def answers_of(asked: Asked) -> tuple[Answer, ...]:
    return tuple(Answer(label, () if command is None else (command,)) for command, label in asked.choices)


@dataclass(frozen=True, slots=True)
class Trial:
    """A timeline that nobody has kept yet: what was refused in it, and which later steps it would drop."""

    timeline: Timeline
    after: int | None = None
    refused: Illegal | None = None
    dropped: tuple[Step, ...] = ()


def try_action(before: Timeline, action: Action) -> Trial:
    """What an action would do. Dropped are steps that count now and no longer would."""
    timeline = before.with_action(action)
    own = {move.seq for move in action.moves}
    refused = next((step.refused for step in timeline.steps if step.seq in own and step.refused), None)
    return Trial(timeline, action.after, refused, dropped_between(before, timeline))


def dropped_between(before: Timeline, after: Timeline) -> tuple[Step, ...]:
    """The steps that count in ``before`` and that the rules refuse in ``after``."""
    same = same_until(before.steps, after.steps)
    refused = {step.seq for step in after.steps[same:] if step.refused}
    return tuple(step for step in before.steps[same:] if step.seq in refused and not step.refused) if refused else ()


def try_answer(timeline: Timeline, question: Question, answer: Answer, *, seq: int, by: Seat) -> Trial:
    """Where an answer's commands belong, and whether the rules allow them there.

    A question is about what was seen, so its commands belong to the time of that, however long people
    think and in whatever order they answer.
    """
    if answer.strike is not None:
        if not _counts(timeline, answer.strike):
            return Trial(timeline, refused=Illegal("", "What this is about does not count any more."))
        return try_action(timeline, Action(seq, struck=answer.strike))
    if not answer.commands:
        return Trial(timeline)
    place = _place(timeline, question, answer)
    if place is None:
        return Trial(timeline, refused=Illegal("", "The moment that this is about was undone."))
    moves = moves_of(answer.commands, seq=seq, by=by, at_us=question.at_us, asked=question.number)
    return try_action(timeline, Action(seq, moves, after=None if place.is_end else place.seq))


def _place(timeline: Timeline, question: Question, answer: Answer) -> Place | None:
    floor = question.after if answer.after is None else answer.after
    return timeline.behind(floor, question.when) if timeline.holds(floor) else None


def _counts(timeline: Timeline, seq: int) -> bool:
    index = timeline.index(seq)
    return bool(index) and timeline.steps[index or 0].refused is None


def allowed(game: Game[Any], step: Step, commands: Sequence[Command]) -> bool:
    """Whether the rules allow these commands, one after the other, in the state after a step."""
    for move in moves_of(commands, seq=UNWRITTEN, by=TABLE, at_us=0):
        step = apply(game, step, move)
        if step.refused:
            return False
    return True


def moves_of(commands: Sequence[Command], *, seq: int, by: str, at_us: int, asked: int = 0) -> tuple[Move, ...]:
    """Moves to try out, numbered on from ``seq``."""
    return tuple(Move(seq + nth, command, TABLE, by, at_us, asked=asked) for nth, command in enumerate(commands))


def still_applies(timeline: Timeline, question: Question) -> bool:
    """False when the moment it is about was undone, or when the rules allow none of its commands there any more."""
    doing = [answer for answer in question.answers if answer.commands or answer.strike is not None]
    return not doing or any(_possible(timeline, question, answer) for answer in doing)


def _possible(timeline: Timeline, question: Question, answer: Answer) -> bool:
    if answer.strike is not None:
        return _counts(timeline, answer.strike)
    place = _place(timeline, question, answer)
    return place is not None and allowed(timeline.game, timeline.steps[place.step], answer.commands)
