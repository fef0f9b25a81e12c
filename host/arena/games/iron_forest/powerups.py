"""Playing Power-up cards: one printed effect, Field Repair Kit; the others are house content.

What the rulebook's FAQ says of Barricade, Sabotage and Proximity Mine holds for them all the same
(IF-18, IF-19, IF-20). A card is named by its kind: any playable copy in the current token's hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..contract import Event, Illegal
from . import presumed, sections
from .cards import Card
from .damage import damage, to_depot
from .draws import draw_for_active
from .state import Activation, Held, State
from .teams import MECHAS

DRAWN_BY_CARD = 2


@dataclass(frozen=True, slots=True)
class Effect:
    """``target``: the name of the command's argument, "mecha" or "place", or ``None``.

    ``targets`` lists those that are allowed now. ``lies`` marks cards that stay on the table.
    """

    target: str | None
    targets: Callable[[State, Activation], tuple[str, ...]]
    do: Callable[[State, str, list[Event]], State]
    lies: bool = False
    none: str = ""


def playable(state: State, token: int) -> tuple[str, ...]:
    """The kinds that a token may play now: not those gained this turn, unless Maximum Chaos lifts that (IF-14)."""
    active = state.open
    if active is None or token != state.token or state.placing or under_way(active):
        return ()
    kinds = {held.kind: None for held in state.held[token - 1] if not face_down(state, held)}
    return tuple(kind for kind in kinds if targets(state, active, kind) is None or targets(state, active, kind))


def under_way(active: Activation) -> str:
    """What has to be told before Power-ups may be played; empty before and after the main action (IF-37)."""
    doubted = presumed.doubt(active)
    if doubted is not None:
        return f"say first who passed {doubted.place}"
    if active.landing:
        return f"say first where {active.mecha} landed"
    if active.touched and not active.ended:
        return f"say first that {active.mecha} lies still"
    return ""


def face_down(state: State, held: Held) -> bool:
    """A reminder: gained this turn, so not playable before it ends."""
    return held.gained == state.turn and not state.setup.options.maximum_chaos


def targets(state: State, active: Activation, kind: str) -> tuple[str, ...] | None:
    """What a card may be played on now; ``None`` for a card that needs no target."""
    effect = EFFECTS[state.setup.cards.kinds[kind].effect]
    return None if effect.target is None else effect.targets(state, active)


def may_play(state: State, active: Activation, kind: str, mecha: str | None, place: str | None) -> None:
    cards = state.setup.cards.kinds
    if kind not in cards:
        raise Illegal(sections.PLAY_POWER_UP, f"there is no Power-up {kind!r} in this game")
    card = cards[kind]
    held = [each for each in state.held[state.token - 1] if each.kind == kind]
    if not held:
        reason = f"{state.player.name} has no {card.name} for Turn Order token {state.token}"
        raise Illegal(sections.PLAY_POWER_UP, reason)
    if all(face_down(state, each) for each in held):
        raise Illegal(sections.PLAY_POWER_UP, f"{card.name} was gained this turn and lies face down until it ends")
    if state.placing:
        raise Illegal(sections.PLAY_POWER_UP, f"hands are still placing {' and '.join(state.placing)}")
    first = under_way(active)
    if first:
        raise Illegal(sections.PLAY_POWER_UP, f"{card.name} is played before or after the main action: {first} (IF-37)")
    _may_target(state, active, card, mecha, place)


def _may_target(state: State, active: Activation, card: Card, mecha: str | None, place: str | None) -> None:
    effect = EFFECTS[card.effect]
    given = {name: value for name, value in (("mecha", mecha), ("place", place)) if value is not None}
    if set(given) != ({effect.target} if effect.target else set()):
        needed = f"a {effect.target}" if effect.target else "nothing else"
        raise Illegal(sections.PLAY_POWER_UP, f"{card.name} needs {needed} to be named")
    if effect.target is None:
        return
    allowed = effect.targets(state, active)
    if not allowed:
        raise Illegal(sections.PLAY_POWER_UP, f"{card.name}: {effect.none}")
    if given[effect.target] not in allowed:
        raise Illegal(
            sections.PLAY_POWER_UP, f"{card.name} goes on {', '.join(allowed)}, not on {given[effect.target]}"
        )


def play(state: State, kind: str, target: str | None, told: list[Event]) -> State:
    """Follow the text, then discard the card; "as many Power-ups as you have available"."""
    card = state.setup.cards.kinds[kind]
    effect = EFFECTS[card.effect]
    hand = list(state.held[state.token - 1])
    hand.remove(next(held for held in hand if held.kind == kind and not face_down(state, held)))
    held = (*state.held[: state.token - 1], tuple(hand), *state.held[state.token :])
    on = f" on {target}" if target else ""
    told.append(Event("played", f"{state.player.name} plays {card.name}{on}.", place=target, piece=None))
    state = effect.do(state.but(held=held), target or "", told)
    return state if effect.lies else state.but(power_discard=(*state.power_discard, kind))


# --- the effects


def _damaged(state: State, active: Activation) -> tuple[str, ...]:
    return tuple(mecha.name for mecha in state.mechas if mecha.damaged)


def _repair(state: State, name: str, told: list[Event]) -> State:
    """Printed: "Repair any one damaged Mecha." Of either team; a KO'd Mecha is not Damaged."""
    told.append(Event("repaired", f"{name} is repaired.", piece=name))
    return state.with_mecha(state.mecha(name).but(damaged=False))


def _free_doors(state: State, active: Activation) -> tuple[str, ...]:
    """The card's foot needs the frame empty: without a Barricade, without a Mecha stuck in it."""
    taken = {*state.barricades, *(mecha.stuck for mecha in state.mechas)}
    return tuple(door for door in state.setup.places.doors if door not in taken)


def _barricade(state: State, place: str, told: list[Event]) -> State:
    """A Door with an Objective marker is allowed: the marker moves aside and stays collectable (IF-19)."""
    return state.but(barricades=tuple(sorted((*state.barricades, place))), placing=("Barricade",))


def _unsabotaged(state: State, active: Activation) -> tuple[str, ...]:
    return tuple(mecha for mecha in MECHAS[state.opponents] if mecha not in state.sabotages)


def _sabotage(state: State, name: str, told: list[Event]) -> State:
    return state.but(sabotages=tuple(sorted((*state.sabotages, name))))


def _mine_places(state: State, active: Activation) -> tuple[str, ...]:
    """Anywhere flat: in a Box, or over a Hole (IF-20)."""
    everywhere = (*state.setup.places.boxes, *state.setup.places.holes)
    return tuple(place for place in everywhere if place not in state.mines)


def _mine(state: State, place: str, told: list[Event]) -> State:
    return state.but(mines=tuple(sorted((*state.mines, place))), placing=("Proximity Mine",))


def _opponents_here(state: State, active: Activation) -> tuple[str, ...]:
    here = state.mecha(active.mecha)
    if here.ko:
        return ()
    return tuple(name for name in MECHAS[state.opponents] if set(state.mecha(name).boxes) & set(here.boxes))


def _damage(state: State, name: str, told: list[Event]) -> State:
    return damage(state, name, "Shock Pulse", told)


def _own_in_play(state: State, active: Activation) -> tuple[str, ...]:
    return tuple(name for name in MECHAS[state.team] if not state.mecha(name).ko)


def _recall(state: State, name: str, told: list[Event]) -> State:
    state = to_depot(state, name, told)
    active = state.open
    if active is None or active.mecha != name:
        return state
    # After the main action it is a change of the game state, before it the new start (IF-15)
    return state.with_active(changed=True) if active.touched else state.with_active(start=state.mecha(name))


def _nothing(state: State, active: Activation) -> tuple[str, ...]:
    return ()


def _draw(state: State, target: str, told: list[Event]) -> State:
    return draw_for_active(state, DRAWN_BY_CARD, told)


EFFECTS: Mapping[str, Effect] = {
    "repair": Effect("mecha", _damaged, _repair, none="no Mecha is Damaged"),
    "barricade": Effect("place", _free_doors, _barricade, lies=True, none="every Door has one or a Mecha in its frame"),
    "sabotage": Effect("mecha", _unsabotaged, _sabotage, lies=True, none="every opposing Mecha has one"),
    "mine": Effect("place", _mine_places, _mine, lies=True, none="no place is left"),
    "damage": Effect("mecha", _opponents_here, _damage, none="no opposing Mecha is in the Active Mecha's Box"),
    "recall": Effect("mecha", _own_in_play, _recall, none="no Mecha of the team is in the Play area"),
    "draw": Effect(None, _nothing, _draw),
}
