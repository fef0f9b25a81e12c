"""Iron Forest as the table plays it: the face of the package, every answer a pure function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...words import Candidate, Command, Cue, Expectation, PlaceId, Seat, Sighting
from ..contract import Choice, Event, Observed, Outcome
from . import choices, save, verbs
from .observe import observe
from .setup import load_setup
from .state import State
from .teams import TEAMS
from .turn import first_state
from .view import cues, expect, outcome_text, view


class IronForest:
    """The game contract for "Establishing a Network", 2 to 4 players.

    >>> from arena.words import TABLE, Command
    >>> game = IronForest()
    >>> state = game.new(setup)                                           # doctest: +SKIP
    >>> state, events = game.apply(state, Command.of("done"), TABLE)      # doctest: +SKIP
    """

    name = "iron_forest"

    def new(self, setup: Mapping[str, Any]) -> State:
        """The first state, its first Activation card drawn. ``ValueError`` names what is wrong in the setup."""
        return first_state(load_setup(setup))

    def legal(self, state: State, seat: Seat) -> Sequence[Choice]:
        return choices.legal(state, seat)

    def apply(self, state: State, command: Command, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        return verbs.apply(state, command, seat)

    def expect(self, state: State) -> Expectation:
        return expect(state)

    def observe(self, state: State, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
        return observe(state, sighting, pieces)

    def cues(self, state: State) -> Mapping[PlaceId, Cue]:
        return cues(state)

    def view(self, state: State, seat: Seat) -> dict[str, Any]:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        if not state.winners:
            return None
        return Outcome(state.winners, {team: state.score(team) for team in TEAMS}, outcome_text(state))

    def activation(self, state: State) -> int:
        """How many Activations were opened so far."""
        return state.activations

    def dump(self, state: State) -> str:
        return save.dump(state)

    def load(self, text: str) -> State:
        return save.load(text)
