"""The effective list of a game's commands, and the state as its fold.

Pure: no store, no clock. A ``Timeline`` never changes; every operation gives a new one that shares
all states before the point of change, so that a preview is simply a timeline nobody keeps.

Actions form a stack: a command, a strike, an insertion or an answer is pushed, an undo pops. So a
state after an undo is by construction the state that never knew what was undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from ..games.contract import Event, Game, Illegal
from ..words import TABLE, Command, Expectation, Seat


@dataclass(frozen=True, slots=True)
class Move:
    """One command in the list. ``seq`` is its journal number; ``by`` says who caused it (a seat or "beams").

    ``asked`` is the number of the question that it answers; 0 where none was asked.
    """

    seq: int
    command: Command
    seat: Seat
    by: str
    at_us: int
    wall: str = ""
    inserted: bool = False
    asked: int = 0

    @property
    def when(self) -> tuple[int, int]:
        """Its time, and where answers stand that are of the same time: as they were asked."""
        return (self.at_us, self.asked)


@dataclass(frozen=True, slots=True)
class Action:
    """What one undo takes back: moves made together, moves inserted, one strike, or an answer without moves.

    ``after`` is the journal number behind which ``moves`` are inserted, ``struck`` the one that is
    struck out. ``question`` is the question that the action answered.
    """

    seq: int
    moves: tuple[Move, ...] = ()
    after: int | None = None
    struck: int | None = None
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one move. ``refused`` says why the rules no longer allow it: then nothing happened.

    ``opened_at_us`` is when the window began in which the game now is: an Activation, or the time
    after its movement ended; ``activation_at_us`` is when the Activation itself began.
    """

    move: Move | None
    state: Any
    events: tuple[Event, ...]
    expectation: Expectation
    activation: int
    activation_at_us: int
    opened_at_us: int
    refused: Illegal | None = field(default=None, compare=False)

    @property
    def seq(self) -> int:
        return self.move.seq if self.move else 0

    @property
    def at_us(self) -> int:
        return self.move.at_us if self.move else self.opened_at_us

    def words(self, seat: Seat) -> str:
        """What happened, as ``seat`` may know it."""
        seen = [event.text for event in self.events if may_see(event, seat)]
        if seen:
            return " ".join(seen)
        move = self.move
        if self.events or move is None or (move.seat not in (TABLE, seat)):
            return "Something that is hidden from you."
        return f"{label_of(move.command)}."


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list: behind the move with this number, which may be struck out, in the state after ``step``."""

    seq: int
    step: int
    is_end: bool = False


def may_see(event: Event, seat: Seat) -> bool:
    return not event.seats or seat in event.seats


def label_of(command: Command) -> str:
    """A command in plain words where no event has told it better."""
    return " ".join([command.do.replace("_", " "), *(str(value) for _, value in command.args if value is not None)])


class Timeline:
    """The actions that count, the moves in the order in which they count, and the state after each.

    ``steps[0]`` is the beginning, before any move; a refused move keeps its step, so that it can be named.
    """

    def __init__(
        self,
        game: Game[Any],
        begun: Step,
        actions: tuple[Action, ...] = (),
        steps: tuple[Step, ...] = (),
    ) -> None:
        self.game = game
        self.actions = actions
        self.steps = steps or (begun,)

    @staticmethod
    def begin(game: Game[Any], state: Any, at_us: int) -> Timeline:
        begun = Step(None, state, (), game.expect(state), game.activation(state), at_us, at_us)
        return Timeline(game, begun)

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def state(self) -> Any:
        return self.last.state

    @property
    def refused(self) -> list[Step]:
        """The moves that the rules no longer allow, because of a correction before them."""
        return [step for step in self.steps if step.refused]

    def index(self, seq: int) -> int | None:
        """Where the move with this journal number stands in ``steps``; 0 is the beginning."""
        if seq == 0:
            return 0
        return next((place for place in range(len(self.steps) - 1, 0, -1) if self.steps[place].seq == seq), None)

    def holds(self, seq: int) -> bool:
        """Whether this number is the beginning or a move that was not undone, struck out or not."""
        return seq == 0 or any(move.seq == seq for action in reversed(self.actions) for move in action.moves)

    def time_of(self, seq: int) -> int:
        """When the move with this number happened, also where it is struck out; the beginning for 0."""
        moves = (move for action in self.actions for move in action.moves)
        return next((move.at_us for move in moves if move.seq == seq), self.steps[0].opened_at_us)

    def at(self, at_us: int) -> int:
        """The index of the step that was in force at this time."""
        place = len(self.steps) - 1
        while place and self.steps[place].at_us > at_us:
            place -= 1
        return place

    def opens(self, place: int) -> bool:
        """Whether a window opens with this step: an Activation, or the time after its movement ended."""
        before, step = self.steps[place - 1], self.steps[place]
        return step.activation != before.activation or step.expectation.mover != before.expectation.mover

    def behind(self, floor: int, when: tuple[int, int]) -> Place:
        """The place that its time gives to a move: never before ``floor``, nor in another window than that.

        It depends on no other move that a question asks for: so it is the same in whatever order people answer.
        """
        indices = {step.seq: index for index, step in enumerate(self.steps)}
        place = Place(0, 0)
        reached = floor == 0
        for move in _with_struck(self.actions):
            index = indices.get(move.seq, 0)
            if reached and (move.when > when or (index and not move.asked and self.opens(index))):
                return place
            place = Place(move.seq, index or place.step)
            reached = reached or move.seq == floor
        return replace(place, is_end=True)

    def with_action(self, action: Action) -> Timeline:
        """The timeline after one more action; cheap when it only appends moves."""
        actions = (*self.actions, action)
        if action.after is None and action.struck is None:
            return Timeline(self.game, self.steps[0], actions, self._fold(self.steps, action.moves))
        return self._laid_out(actions)

    def without_last(self, steps: int) -> Timeline:
        """The timeline as it was ``steps`` actions ago."""
        steps = min(steps, len(self.actions))
        if not steps:
            return self
        kept, gone = self.actions[:-steps], self.actions[-steps:]
        if any(action.after is not None or action.struck is not None for action in gone):
            return self._laid_out(kept)
        moves = sum(len(action.moves) for action in gone)
        return Timeline(self.game, self.steps[0], kept, self.steps[: len(self.steps) - moves])

    def _laid_out(self, actions: tuple[Action, ...]) -> Timeline:
        """Folds again, from the first move that stands elsewhere than before."""
        moves = _layout(actions)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].move is pair[1], zip(self.steps[1:], moves, strict=False)))
        steps = self._fold(self.steps[: same + 1], moves[same:])
        return Timeline(self.game, self.steps[0], actions, steps)

    def _fold(self, steps: tuple[Step, ...], moves: Sequence[Move]) -> tuple[Step, ...]:
        folded = list(steps)
        for move in moves:
            folded.append(apply(self.game, folded[-1], move))
        return tuple(folded)


def apply(game: Game[Any], before: Step, move: Move) -> Step:
    """The step that a move makes; refused, with the state of ``before``, where the rules do not allow it."""
    try:
        state, events = game.apply(before.state, move.command, move.seat)
    except Illegal as refusal:
        return Step(
            move,
            before.state,
            (),
            before.expectation,
            before.activation,
            before.activation_at_us,
            before.opened_at_us,
            refusal,
        )
    expectation, activation = game.expect(state), game.activation(state)
    new_activation = activation != before.activation
    new_window = new_activation or expectation.mover != before.expectation.mover
    return Step(
        move,
        state,
        events,
        expectation,
        activation,
        move.at_us if new_activation else before.activation_at_us,
        move.at_us if new_window else before.opened_at_us,
    )


def same_until(steps: Sequence[Step], others: Sequence[Step]) -> int:
    """How many steps two timelines share from the beginning."""
    pairs = zip(steps, others, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one is not other), min(len(steps), len(others)))


def _layout(actions: Sequence[Action]) -> list[Move]:
    """The moves in the order in which they count, without those that are struck out."""
    struck = {action.struck for action in actions if action.struck is not None}
    return [move for move in _with_struck(actions) if move.seq not in struck]


def _with_struck(actions: Sequence[Action]) -> list[Move]:
    moves: list[Move] = []
    for action in actions:
        if action.after is None:
            moves.extend(action.moves)
            continue
        place = next((place for place in range(len(moves), 0, -1) if moves[place - 1].seq == action.after), 0)
        moves[place:place] = action.moves
    return moves
