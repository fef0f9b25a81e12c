"""The state of a game: frozen records that share what did not change.

All rules are functions from a state to the next one; what happened meanwhile they add to a list of
events. Decks and ``chance`` are secret: only ``dump`` may tell them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeVar

from ...words import OUTSIDE
from .setup import Player, Setup
from .teams import ALL_MECHAS, TEAM_OF, TEAMS, other_team

Value = TypeVar("Value")

_NUMBER = {mecha: number for number, mecha in enumerate(ALL_MECHAS)}
TEAM_NUMBER = {team: number for number, team in enumerate(TEAMS)}


class Record:
    """What every part of the state can do: be copied with something changed.

    ``dataclasses.replace`` calls the constructor field by field and is ten times slower; slots would
    take away the dictionary that is copied here.
    """

    def but(self, **changes: Any) -> Self:
        """The same record but for these fields."""
        assert changes.keys() <= self.__dict__.keys(), f"{type(self).__name__} has no {sorted(changes)}"
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other


@dataclass(frozen=True)
class Mecha(Record):
    """``boxes``: the Boxes in which it may be; both Boxes of the Door while it is ``stuck`` in one.

    ``seen_from`` is the only Box from which a stuck Mecha is visible, ``None`` where it is from both.
    """

    name: str
    boxes: tuple[str, ...]
    damaged: bool = False
    ko: bool = False
    stuck: str | None = None
    seen_from: str | None = None

    @property
    def team(self) -> str:
        return TEAM_OF[self.name]

    def to(self, *boxes: str) -> Mecha:
        """The same Mecha elsewhere, out of any Door."""
        return self.but(boxes=boxes, stuck=None, seen_from=None)


@dataclass(frozen=True)
class Held(Record):
    """A Power-up card in front of a player. ``gained``: the number of the turn; 0 when dealt."""

    kind: str
    gained: int = 0


@dataclass(frozen=True)
class Pass(Record):
    """A complete pass in an Activation, and whose it is held to be (``presumed``).

    ``others``: who can have made it besides the Active Mecha. ``sure``: people said whose it is.
    ``doubtful``: it is to be asked although nobody of ``others`` is told to have been moved.
    ``before``: the Boxes in which the Active Mecha was known then. ``collected``: an Objective marker went
    with it.
    """

    piece: str
    place: str
    origin: str
    target: str
    before: tuple[str, ...]
    others: tuple[str, ...] = ()
    sure: bool = False
    doubtful: bool = False
    collected: bool = False


@dataclass(frozen=True)
class Activation(Record):
    """One Take Actions step: the Active Mecha and what is told of its main action so far.

    ``start``: where the main action began, after any White-line move. ``able``: it was not KO'd before
    it could move. ``closed``: its movement and everything told of it are over. ``passed``: every pass, in
    order. ``changed``: something else of the game state changed (a friend touched, a card set off).
    ``hits``: opposing Mechas that it hit; ``bumped``: others that were touched or moved; ``pushed``: others
    that passed or are stuck. ``caught``: it came to stand in a Door's frame in this main action. ``landed``:
    where it landed is told otherwise than by a pass. ``finishing``: "Done" is said already, and only a doubt
    is still to be settled.
    """

    mecha: str
    start: Mecha
    able: bool = True
    closed: bool = False
    second: bool = False
    ended: bool = False
    passed: tuple[Pass, ...] = ()
    changed: bool = False
    launched: bool = False
    landed: bool = False
    hits: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    bumped: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    caught: bool = False
    finishing: bool = False

    @property
    def passes(self) -> int:
        """How many passes are the Active Mecha's own."""
        return sum(each.piece == self.mecha for each in self.passed)

    @property
    def knocked(self) -> frozenset[str]:
        """The other Mechas of which it is told that something moved them."""
        return frozenset((*self.hits, *self.outside, *self.bumped, *self.pushed)) - {self.mecha}

    @property
    def touched(self) -> bool:
        """Whether anything is told of the main action."""
        of_others = self.hits or self.outside or self.pushed
        return bool(self.passes or self.changed or self.launched or self.caught or of_others or self.ended)

    @property
    def moving(self) -> bool:
        return bool(self.passes or self.launched or self.pushed or self.caught) and not self.ended

    @property
    def landing(self) -> bool:
        """Launched, and neither people nor a pass of its own have said where it landed."""
        return self.launched and not self.landed and not self.passes


@dataclass(frozen=True)
class State(Record):
    """A whole game.

    ``step`` is the rulebook's (1–4); ``token`` the Turn Order token of the Active player.
    ``decks``, ``discards``, ``scores`` and ``renewed`` go by team, ``held`` by token.
    ``placing``: what hands are putting down (Mechas, cards): a pass meanwhile is the hand's.
    ``markers_due``: new Objective markers that the active team still has to place.
    ``owed``: Power-ups that the other team draws when the movement is over; ``gifts``: those that it
    has looked at and not yet given to one of its players.
    ``answers``: how often each place was passed, for its answering light.
    """

    setup: Setup
    mechas: tuple[Mecha, ...]
    decks: tuple[tuple[str, ...], tuple[str, ...]]
    markers: tuple[tuple[str, str], ...]
    held: tuple[tuple[Held, ...], ...]
    power_deck: tuple[str, ...]
    chance: int
    discards: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    power_discard: tuple[str, ...] = ()
    round: int = 1
    turn: int = 1
    step: int = 1
    token: int = 1
    activations: int = 0
    active: Activation | None = None
    scores: tuple[int, int] = (0, 0)
    renewed: tuple[bool, bool] = (False, False)
    markers_due: int = 0
    owed: int = 0
    gifts: tuple[str, ...] = ()
    barricades: tuple[str, ...] = ()
    mines: tuple[str, ...] = ()
    sabotages: tuple[str, ...] = ()
    placing: tuple[str, ...] = ()
    answers: tuple[tuple[str, int], ...] = ()
    winners: tuple[str, ...] = ()

    def mecha(self, name: str) -> Mecha:
        return self.mechas[_NUMBER[name]]

    def with_mecha(self, mecha: Mecha) -> State:
        number = _NUMBER[mecha.name]
        return self.but(mechas=(*self.mechas[:number], mecha, *self.mechas[number + 1 :]))

    def with_active(self, **told: Any) -> State:
        """The same, with something more told of the main action."""
        assert self.active is not None
        return self.but(active=self.active.but(**told))

    @property
    def player(self) -> Player:
        """The Active player."""
        return self.setup.tokens[self.token - 1]

    @property
    def team(self) -> str:
        """The active team."""
        return self.player.team

    @property
    def opponents(self) -> str:
        """The team opposing the active one."""
        return other_team(self.team)

    @property
    def open(self) -> Activation | None:
        """The Activation whose movement may still be told of."""
        return self.active if self.active is not None and not self.active.closed and not self.winners else None

    @property
    def mover(self) -> str | None:
        """The Mecha that may move by itself now."""
        active = self.open
        if active is None or active.ended or not active.able or self.placing:
            return None
        return None if self.mecha(active.mecha).ko else active.mecha

    def may_launch(self) -> bool:
        """Whether the Active Mecha may be in an outer Box of the Lower level and has not moved (IF-36).

        A Mecha stuck in a Door is in both its Boxes, so either may be the outer one (IF-11).
        """
        active = self.open
        if active is None or not active.able or active.touched or self.placing not in ((), (active.mecha,)):
            return False
        return any(box in self.setup.places.launch_boxes for box in self.mecha(active.mecha).boxes)

    def markers_of(self, team: str) -> tuple[str, ...]:
        return tuple(place for place, whose in self.markers if whose == team)

    def score(self, team: str) -> int:
        return self.scores[TEAM_NUMBER[team]]


def changed_pair(pair: tuple[Value, Value], team: str, value: Value) -> tuple[Value, Value]:
    """A per-team pair with one team's value changed."""
    return (value, pair[1]) if TEAM_NUMBER[team] == 0 else (pair[0], value)


__all__ = ["OUTSIDE", "TEAM_NUMBER", "Activation", "Held", "Mecha", "Pass", "State", "changed_pair"]
