"""Every verb of the game: its arguments, who may give it, when the rules allow it, what it does.

The check runs before anything changes, so a refused command leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...words import TABLE, Command, Seat
from ..contract import Event, Illegal
from . import damage, draws, movement, powerups, presumed, sections, turn
from .state import Activation, State
from .teams import ALL_MECHAS, TEAM_NAMES

Told = list[Event]


@dataclass(frozen=True, slots=True)
class Verb:
    """``needs`` and ``may_have``: arguments by name. ``seats``: who may give it besides the table."""

    needs: tuple[str, ...]
    seats: Callable[[State], tuple[Seat, ...]]
    check: Callable[..., None]
    do: Callable[..., State]
    may_have: tuple[str, ...] = ()


def apply(state: State, command: Command, seat: Seat) -> tuple[State, tuple[Event, ...]]:
    verb, args = allowed(state, command, seat)
    told: Told = []
    state = verb.do(state, told, **args)
    return state, tuple(told)


def allowed(state: State, command: Command, seat: Seat) -> tuple[Verb, dict[str, Any]]:
    """The verb and its arguments, or ``Illegal``."""
    verb = VERBS.get(command.do)
    if verb is None:
        raise Illegal(sections.COMMANDS, f"{command.do!r} is nothing that one can do in Iron Forest")
    args = _arguments(command, verb)
    if state.winners:
        raise Illegal(sections.END_OF_GAME, f"the game is over: {TEAM_NAMES[state.winners[0]]} has won")
    if seat != TABLE and seat not in verb.seats(state):
        raise Illegal(sections.TURN, f"{command.do.replace('_', ' ')} is not for seat {seat!r} to say now")
    verb.check(state, **args)
    return verb, args


def _arguments(command: Command, verb: Verb) -> dict[str, Any]:
    args: dict[str, Any] = {}
    for name, value in command.args:
        if name not in verb.needs and name not in verb.may_have:
            raise Illegal(sections.COMMANDS, f"{command.do!r} has no {name!r}")
        if not (type(value) is int if name == "token" else type(value) is str):
            raise Illegal(sections.COMMANDS, f"{name!r} of {command.do!r} cannot be {value!r}")
        args[name] = value
    for name in verb.needs:
        if name not in args:
            raise Illegal(sections.COMMANDS, f"{command.do!r} needs {name!r}")
    for name in ("piece", "mecha", "hit"):
        if name in args and args[name] not in ALL_MECHAS:
            raise Illegal(sections.COMMANDS, f"there is no Mecha {args[name]!r}")
    return args


def _active_seat(state: State) -> tuple[Seat, ...]:
    return (state.player.seat,)


def _active_team(state: State) -> tuple[Seat, ...]:
    return state.setup.seats_of(state.team)


def _opposing_team(state: State) -> tuple[Seat, ...]:
    return state.setup.seats_of(state.opponents)


def _nobody(state: State) -> tuple[Seat, ...]:
    return ()


def _open(state: State) -> Activation:
    """The Activation of which things may be told."""
    if state.open is None:
        raise Illegal(sections.TAKE_ACTIONS, "no Mecha is in its Take Actions step now")
    return state.open


def _when_open(check: Callable[..., None] | None = None) -> Callable[..., None]:
    """A check that first asks for an open Activation and then hands it over."""

    def checked(state: State, **args: Any) -> None:
        active = _open(state)
        if check is not None:
            check(state, active, **args)

    return checked


# One small function a verb where the arguments' names differ from the rule's


def _draw(state: State, told: Told, card: str) -> State:
    return turn.open_activation(state, card, told)


def _may_draw(state: State, card: str) -> None:
    if card not in ALL_MECHAS:
        raise Illegal(sections.DRAW_FIRST, f"there is no Activation card {card!r}")
    turn.may_draw(state, card)


def _may_set_off(state: State, active: Activation, piece: str, place: str) -> None:
    movement.may_set_off(state, active, piece, place)


def _may_be_placed(state: State) -> None:
    _open(state)
    if not state.placing:
        raise Illegal(sections.PLACING, "nothing is being placed")


def _may_play(state: State, active: Activation, card: str, mecha: str | None = None, place: str | None = None) -> None:
    powerups.may_play(state, active, card, mecha, place)


def _play(state: State, told: Told, card: str, mecha: str | None = None, place: str | None = None) -> State:
    return powerups.play(state, card, mecha or place, told)


def _may_give(state: State, player: str, token: int | None = None) -> None:
    draws.token_of(state, player, token)


def _stuck(state: State, told: Told, piece: str, place: str, side: str | None = None) -> State:
    return movement.stuck(state, _open(state), piece, place, side, told)


def _may_be_stuck(state: State, active: Activation, piece: str, place: str, side: str | None = None) -> None:
    movement.may_be_stuck(state, active, piece, place, side)


def _may_bump(state: State, active: Activation, piece: str | None = None) -> None:
    movement.may_bump(state, active, piece)


def _bumped(state: State, told: Told, piece: str | None = None) -> State:
    return movement.bumped(state, _open(state), piece, told)


def _may_pass(state: State, active: Activation, piece: str, place: str, target: str, **more: str) -> None:
    movement.may_pass(state, active, piece, place, target, **more)


def _passed(state: State, told: Told, piece: str, place: str, target: str, **more: str) -> State:
    return movement.passed(state, _open(state), piece, place, target, told, **more)


def _may_be_done(state: State, active: Activation, hit: str | None = None) -> None:
    turn.may_be_done(state, active, hit)


def _done(state: State, told: Told, hit: str | None = None) -> State:
    return turn.done(state, told, hit)


def _give(state: State, told: Told, player: str, token: int | None = None) -> State:
    return turn.give_card(state, player, token, told)


VERBS: Mapping[str, Verb] = {
    "draw": Verb(("card",), _active_seat, _may_draw, _draw),
    # ``others`` and ``by`` come from what beams saw and the questions about it
    "passed": Verb(("piece", "place", "target"), _nobody, _when_open(_may_pass), _passed, may_have=("others", "by")),
    "credit": Verb(
        ("piece", "place", "target"),
        _active_seat,
        _when_open(lambda state, active, piece, place, target: presumed.may_credit(active, piece, place, target)),
        lambda state, told, piece, place, target: turn.credit(state, _open(state), piece, told),
    ),
    "launched": Verb(
        (),
        _active_seat,
        _when_open(movement.may_launch),
        lambda state, told: movement.launched(state, _open(state), told),
    ),
    "landed": Verb(
        ("box",),
        _active_seat,
        _when_open(movement.may_land),
        lambda state, told, box: movement.landed(state, _open(state), box, told),
    ),
    "hit": Verb(
        ("piece",),
        _active_seat,
        _when_open(lambda state, active, piece: damage.may_hit(state, active, piece)),
        lambda state, told, piece: damage.hit(state, _open(state), piece, told),
    ),
    "bumped": Verb((), _active_seat, _when_open(_may_bump), _bumped, may_have=("piece",)),
    "outside": Verb(
        ("piece",),
        _active_seat,
        _when_open(lambda state, active, piece: damage.may_be_outside(state, active, piece)),
        lambda state, told, piece: damage.outside(state, _open(state), piece, told),
    ),
    "stuck": Verb(("piece", "place"), _active_seat, _when_open(_may_be_stuck), _stuck, may_have=("side",)),
    "set_off": Verb(
        ("piece", "place"),
        _active_seat,
        _when_open(_may_set_off),
        lambda state, told, piece, place: movement.set_off(state, piece, place, told),
    ),
    "movement_ended": Verb(
        (),
        _active_seat,
        _when_open(movement.may_end),
        lambda state, told: movement.movement_ended(state, told),
    ),
    "done": Verb((), _active_seat, _when_open(_may_be_done), _done, may_have=("hit",)),
    "second_chance": Verb(
        (),
        _active_seat,
        _when_open(movement.may_try_again),
        lambda state, told: movement.second_chance(state, _open(state), told),
    ),
    "play": Verb(("card",), _active_seat, _when_open(_may_play), _play, may_have=("mecha", "place")),
    "give": Verb(("player",), _opposing_team, _may_give, _give, may_have=("token",)),
    "place_marker": Verb(
        ("place",),
        _active_team,
        turn.may_place_marker,
        lambda state, told, place: turn.place_marker(state, place, told),
    ),
    "placed": Verb((), _active_seat, _may_be_placed, movement.placed),
    "prepare_launch": Verb(
        (),
        _active_seat,
        _when_open(lambda state, active: movement.may_prepare(state, active)),
        lambda state, told: movement.prepare_launch(state, _open(state), told),
    ),
    "white_line": Verb(
        (),
        _active_seat,
        _when_open(movement.may_move_by_hand),
        lambda state, told: movement.white_line(state, _open(state), told),
    ),
    "unstick": Verb(
        ("box",),
        _active_seat,
        _when_open(movement.may_unstick),
        lambda state, told, box: movement.unstick(state, _open(state), box, told),
    ),
    "put": Verb(
        ("piece", "box"),
        _nobody,
        lambda state, piece, box: movement.may_put(state, piece, box),
        lambda state, told, piece, box: movement.put(state, piece, box, told),
    ),
}
