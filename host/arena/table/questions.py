"""Questions that wait for people, and where the answer's commands belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.contract import Illegal
from ..games.contract import Question as Asked
from ..words import TABLE, Command, Seat
from .timeline import Action, Move, Step, Timeline, same_until

UNWRITTEN = 1 << 60  # numbers of moves that are only tried out, far above any in a journal


@dataclass(frozen=True, slots=True)
class Answer:
    """One choice: its words, the commands that follow from it (none: "that was nothing"), and where.

    ``after`` is the journal number behind which they are to be inserted; ``None`` leaves it to the
    question, which knows when it was asked.
    """

    label: str
    commands: tuple[Command, ...] = ()
    after: int | None = None

    def to_json(self) -> dict[str, Any]:
        data = {"label": self.label, "commands": [command.to_json() for command in self.commands]}
        return data if self.after is None else {**data, "after": self.after}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Answer:
        commands = tuple(Command.from_json(command) for command in data["commands"])
        return Answer(data["label"], commands, data.get("after"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the journal. ``after`` is the last move that counted when it was asked."""

    id: str
    text: str
    section: str
    answers: tuple[Answer, ...]
    after: int
    activation: int

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
            "activation": self.activation,
        }

    @staticmethod
    def from_body(seq: int, body: Mapping[str, Any]) -> Question:
        answers = tuple(Answer.from_json(answer) for answer in body["answers"])
        return Question(f"q{seq}", body["text"], body["section"], answers, body["after"], body["activation"])


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


def try_answer(timeline: Timeline, question: Question, answer: Answer, *, seq: int, by: Seat, at_us: int) -> Trial:
    """Where an answer's commands belong, and whether the rules allow them there.

    A question is about the moment in which it was asked, so its commands belong there, even when the
    game has gone on; at the end only while the same Activation lasts and it costs nothing that
    happened since.
    """
    moves = moves_of(answer.commands, seq=seq, by=by, at_us=at_us)
    if not moves:
        return Trial(timeline)
    after = question.after if answer.after is None else answer.after
    if not timeline.holds(after):
        return Trial(timeline, refused=Illegal("", "The moment that this is about was undone."))
    if answer.after is not None:
        return try_action(timeline, Action(seq, moves, after=after))
    now = try_action(timeline, Action(seq, moves))
    if timeline.last.seq == question.after:
        return now
    then = try_action(timeline, Action(seq, moves, after=question.after))
    if then.refused is None and not then.dropped:
        return then
    if now.refused is None and timeline.last.activation == question.activation:
        return now
    return then


def moves_of(commands: Sequence[Command], *, seq: int, by: str, at_us: int) -> tuple[Move, ...]:
    """Moves to try out, numbered on from ``seq``."""
    return tuple(Move(seq + nth, command, TABLE, by, at_us) for nth, command in enumerate(commands))


def still_applies(timeline: Timeline, question: Question) -> bool:
    """False when the moment it is about was undone, or when the game went on and the rules allow none of
    its commands any more."""
    if timeline.last.seq == question.after:
        return True
    trials = [
        try_answer(timeline, question, answer, seq=UNWRITTEN, by=TABLE, at_us=0)
        for answer in question.answers
        if answer.commands
    ]
    return not trials or any(trial.refused is None for trial in trials)
