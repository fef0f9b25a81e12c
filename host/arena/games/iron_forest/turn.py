"""Turns and rounds: cards drawn, Activations opened and closed, whose turn comes next."""

from __future__ import annotations

from ..contract import Event, Illegal
from . import presumed, sections
from .chance import shuffled
from .damage import damage, hit, may_hit, to_depot
from .draws import dealt, give, pay_owed
from .movement import check_goal
from .setup import Setup
from .state import OUTSIDE, TEAM_NUMBER, Activation, Mecha, State, changed_pair
from .teams import ALL_MECHAS, COPIES, TEAM_NAMES, TEAM_OF, TEAMS, activation_cards

DRAWING = {1: sections.DRAW_FIRST, 3: "3. Draw Your Second Activation Card"}


def first_state(setup: Setup) -> State:
    """The table as it is set up, the first card drawn."""
    held, power_deck, chance = dealt(setup, setup.seed & ((1 << 64) - 1))
    state = State(
        setup=setup,
        mechas=tuple(Mecha(name, (setup.places.depots[name],)) for name in ALL_MECHAS),
        decks=((), ()),
        markers=setup.scenario.markers,
        held=held,
        power_deck=power_deck,
        chance=chance,
    )
    return _draw_card(_new_decks(state), [])


def _new_decks(state: State) -> State:
    """ "Each team shuffles their 12 Activation cards." People shuffle a physical deck; here it is only counted."""
    chance, decks = state.chance, []
    for team in TEAMS:
        cards = activation_cards(team)
        if not state.setup.options.physical_deck:
            cards, chance = shuffled(cards, chance)
        decks.append(cards)
    return state.but(decks=(decks[0], decks[1]), discards=((), ()), chance=chance)


def _draw_card(state: State, told: list[Event]) -> State:
    """Steps 1 and 3: the top card names the Active Mecha. A physical deck waits for a tap."""
    state = state.but(active=None)
    if state.setup.options.physical_deck:
        return state
    return open_activation(state, state.decks[TEAM_NUMBER[state.team]][0], told)


def may_draw(state: State, card: str) -> None:
    if not state.setup.options.physical_deck:
        raise Illegal(sections.DRAW_FIRST, "the daemon draws the Activation cards in this game")
    if state.active is not None:
        raise Illegal(DRAWING[1], f"{state.active.mecha} is Active: the next card comes when its step is over")
    if TEAM_OF[card] != state.team:
        raise Illegal(DRAWING[state.step], f"{card} is not in the deck of {TEAM_NAMES[state.team]}")
    if card not in state.decks[TEAM_NUMBER[state.team]]:
        # IF-17: a damaged count is reported, not guessed
        reason = f"all {COPIES} cards of {card} have been drawn in this round: count the deck's cards"
        raise Illegal(DRAWING[state.step], reason)


def open_activation(state: State, card: str, told: list[Event]) -> State:
    """Steps 2 and 4 begin. A KO'd Mecha returns to its Depot first, then a Sabotage on it triggers."""
    number = TEAM_NUMBER[state.team]
    deck = list(state.decks[number])
    deck.remove(card)
    state = state.but(
        decks=changed_pair(state.decks, state.team, tuple(deck)),
        discards=changed_pair(state.discards, state.team, (*state.discards[number], card)),
        step=state.step + 1,
        activations=state.activations + 1,
        active=Activation(card, state.mecha(card)),
    )
    told.append(Event("activation", f"{state.player.name} Activates {card}.", piece=card))
    began_outside = state.mecha(card).ko
    if began_outside:
        state = to_depot(state, card, told)
    elif state.mecha(card).stuck:
        state = state.but(placing=(card,))
    if card in state.sabotages:
        state = _sabotage(state, card, began_outside, told)
    mecha = state.mecha(card)
    return state.with_active(start=mecha, able=not mecha.ko)


def _sabotage(state: State, name: str, began_outside: bool, told: list[Event]) -> State:
    """House effect. Outside is the starting Box of a Mecha that was KO'd; one damage, then discarded (IF-18)."""
    kind = state.setup.cards.with_effect("sabotage")
    state = state.but(
        sabotages=tuple(mecha for mecha in state.sabotages if mecha != name),
        power_discard=(*state.power_discard, kind),
    )
    box = OUTSIDE if began_outside else state.mecha(name).boxes[0]
    return damage(state, name, f"Sabotage in its starting Box, {state.setup.places.box(box)}", told)


def may_be_done(state: State, active: Activation, name: str | None = None) -> None:
    """``name``: an opposing Mecha that was hit, the only one or the last of several."""
    if active.landing:
        raise Illegal(sections.LAUNCH, f"say where {active.mecha} landed first")
    doubted = presumed.doubt(active)
    if doubted is not None:
        raise Illegal(sections.STUCK, f"say first who passed {state.setup.places.kind(doubted.place)}")
    if name is None:
        return
    may_hit(state, active, name)


def done(state: State, told: list[Event], name: str | None = None) -> State:
    """Everything is told: the Activation is over, at once or when the doubt that ``name`` raises is settled."""
    if name is not None:
        assert state.active is not None
        state = hit(state, state.active, name, told)
        assert state.active is not None
        if presumed.doubt(state.active) is not None:
            return state.with_active(finishing=True)
    return close(state, told)


def credit(state: State, active: Activation, name: str, told: list[Event]) -> State:
    """Whose a doubted pass was; when "Done" was said already, the Activation is over after the last doubt."""
    state = presumed.credit(state, active, name, told)
    now = state.active
    assert now is not None
    if presumed.doubt(now) is not None:
        return state
    state = check_goal(presumed.take_back(state, told), told)  # both waited for the doubt
    if state.winners or not now.finishing:
        return state
    return state.with_active(finishing=False) if now.landing else close(state, told)


def close(state: State, told: list[Event]) -> State:
    """The movement has ended and everything is told: settle what it left, then go on."""
    state = state.with_active(ended=True, closed=True).but(placing=())
    state = pay_owed(state, told)
    team = state.team
    # IF-8: when the movement has ended, before the next step
    if not state.markers_of(team) and not state.renewed[TEAM_NUMBER[team]]:
        due = state.setup.scenario.new_markers
        state = state.but(markers_due=due, renewed=changed_pair(state.renewed, team, True))
        if due:
            told.append(Event("markers_due", f"{TEAM_NAMES[team]} places {due} more Objective markers."))
    return proceed(state, told)


def proceed(state: State, told: list[Event]) -> State:
    """The next step, unless people still have to decide something before it."""
    if state.gifts or state.markers_due:
        return state
    if state.step == 2:
        return _draw_card(state.but(step=3), told)
    token = state.token % len(state.setup.tokens) + 1
    state = state.but(turn=state.turn + 1, step=1, token=token)
    if not any(state.decks):
        state = _new_decks(state.but(round=state.round + 1, token=1))
        text = f"Round {state.round} begins: both teams shuffle their 12 Activation cards."
        told.append(Event("round", text))
    told.append(Event("turn", f"It is {state.player.name}'s turn ({TEAM_NAMES[state.team]}, token {state.token})."))
    return _draw_card(state, told)


def may_place_marker(state: State, place: str) -> None:
    if not state.markers_due:
        raise Illegal(sections.SCENARIO, "no new Objective marker is to be placed now")
    if place not in state.setup.places.ways:
        raise Illegal(sections.SCENARIO, f"{place!r} is no Door or Hole of this table")
    if (place, state.team) in state.markers:
        raise Illegal(sections.SCENARIO, f"{place} has one already: the new markers go to different Doors or Holes")


def place_marker(state: State, place: str, told: list[Event]) -> State:
    """One of the new Objective markers; a place that bears an opponent's is allowed (IF-8)."""
    markers = tuple(sorted((*state.markers, (place, state.team))))
    text = f"{TEAM_NAMES[state.team]} places an Objective marker at {state.setup.places.kind(place)}."
    told.append(Event("marker_placed", text, place=place))
    return proceed(state.but(markers=markers, markers_due=state.markers_due - 1), told)


def give_card(state: State, player: str, token: object, told: list[Event]) -> State:
    return proceed(give(state, player, token, told), told)
