"""Drawing Power-up cards: dealt at the start, for KOs, and by cards that say so."""

from __future__ import annotations

from ...words import TABLE
from ..contract import Event, Illegal
from . import sections
from .chance import shuffled
from .setup import Setup
from .state import Held, State
from .teams import TEAM_NAMES


def dealt(setup: Setup, chance: int) -> tuple[tuple[tuple[Held, ...], ...], tuple[str, ...], int]:
    """Every token's hand, the deck that is left, and the generator.

    "2 players: Each player draws 3 cards", otherwise 2 for each Turn Order token: the single player of
    three holds two tokens and so has 4 cards, 2 for each.
    """
    if setup.options.no_power_ups:
        return ((),) * len(setup.tokens), (), chance
    deck, chance = shuffled(setup.cards.deck, chance)
    each = 3 if len(setup.players) == 2 else 2
    hands = tuple(
        tuple(Held(kind) for kind in deck[token * each : (token + 1) * each]) for token in range(len(setup.tokens))
    )
    return hands, deck[each * len(setup.tokens) :], chance


def draw_one(state: State, told: list[Event]) -> tuple[State, str | None]:
    """The top card of the Power-up deck; the discard becomes a new deck when it is empty (IF-13)."""
    if not state.power_deck and state.power_discard:
        deck, chance = shuffled(state.power_discard, state.chance)
        state = state.but(power_deck=deck, power_discard=(), chance=chance)
        told.append(Event("shuffled", "The discarded Power-ups are shuffled into a new deck."))
    if not state.power_deck:
        told.append(Event("no_card", "No Power-up is left: nobody draws."))
        return state, None
    return state.but(power_deck=state.power_deck[1:]), state.power_deck[0]


def gain(state: State, token: int, kind: str, told: list[Event]) -> State:
    """A card comes to a token's hand; it is not playable before this turn ends (IF-14)."""
    held = (*state.held[token - 1], Held(kind, state.turn))
    player = state.setup.tokens[token - 1]
    told.append(Event("power_up", f"{player.name} gains the Power-up {state.setup.cards.name(kind)}."))
    return state.but(held=(*state.held[: token - 1], held, *state.held[token:]))


def draw_for_active(state: State, count: int, told: list[Event]) -> State:
    """The Active player draws; a single player's cards go to the current token."""
    for _ in range(count):
        state, kind = draw_one(state, told)
        if kind is None:
            break
        state = gain(state, state.token, kind, told)
    return state


def draw_for_ko(state: State, team: str, told: list[Event]) -> State:
    """One draw for a KO'd Mecha of ``team``: always by the opposing team, once per KO (IF-5).

    The Active player draws at once. The other team draws when the movement is over: so the Active
    player is always first (IF-6).
    """
    if state.setup.options.no_power_ups:  # IF-31
        return state
    return draw_for_active(state, 1, told) if team != state.team else state.but(owed=state.owed + 1)


def pay_owed(state: State, told: list[Event]) -> State:
    """The opposing team draws, looks, and decides which of its players gains each card."""
    tokens = state.setup.tokens_of(state.opponents)
    for _ in range(state.owed):
        state, kind = draw_one(state, told)
        if kind is None:
            break
        if len(tokens) == 1:
            state = gain(state, tokens[0], kind, told)
            continue
        state = state.but(gifts=(*state.gifts, kind))
        team = TEAM_NAMES[state.opponents]
        told.append(Event("gift", f"{team} looks at a Power-up and decides who gains it."))
        seats = (*state.setup.seats_of(state.opponents), TABLE)
        told.append(Event("gift_seen", f"It is {state.setup.cards.name(kind)}.", seats=seats))
    return state.but(owed=0)


def token_of(state: State, player: str, token: object) -> int:
    """The token that a gift goes to; ``Illegal`` unless it is one of the team that looks.

    A single player names the token, anybody else has only one.
    """
    if not state.gifts:
        raise Illegal(sections.DAMAGE, "no Power-up is waiting to be given")
    tokens = [
        number for number in state.setup.tokens_of(state.opponents) if state.setup.tokens[number - 1].seat == player
    ]
    if not tokens:
        raise Illegal(sections.DAMAGE, f"the card goes to a player of {TEAM_NAMES[state.opponents]}, not to {player}")
    if len(tokens) == 1 and token is None:
        return tokens[0]
    if len(tokens) > 1 and token in tokens and not isinstance(token, bool):
        assert isinstance(token, int)
        return token
    if len(tokens) == 1:
        raise Illegal(sections.DAMAGE, f"{player} has only one Turn Order token: it is not named")
    raise Illegal(sections.DAMAGE, f"say which Turn Order token of {player}: {' or '.join(map(str, tokens))}")


def give(state: State, player: str, token: object, told: list[Event]) -> State:
    number = token_of(state, player, token)
    return gain(state.but(gifts=state.gifts[1:]), number, state.gifts[0], told)
