"""Damage and KO: what happens when a Mecha is hit, ends outside, or is damaged by a card.

All of the rulebook's section *Taking Damage + Getting KO'd* is here:

* an Undamaged Mecha that is damaged becomes Damaged; a Damaged one is KO'd: its card turns back to
  Undamaged and it lies on its card, outside, until its next Activation;
* once for being hit by the opposing Active Mecha, however often, per main action (IF-1, IF-2, IF-3);
* once more for ending outside; then it stands on its Depot at once, if it is not KO'd (IF-4);
* the team opposing a KO'd Mecha draws a Power-up (IF-5, IF-6: ``draws.draw_for_ko``);
* what it did before, a marker collected say, stays done (IF-9).
"""

from __future__ import annotations

from ..contract import Event, Illegal
from . import sections
from .draws import draw_for_ko
from .state import OUTSIDE, Activation, State
from .teams import TEAM_NAMES, TEAM_OF


def damage(state: State, name: str, why: str, told: list[Event]) -> State:
    """One damage. ``why`` completes a sentence: "hit by BUBO"."""
    mecha = state.mecha(name)
    if mecha.ko:
        return state
    if not mecha.damaged:
        told.append(Event("damaged", f"{name} is Damaged: {why}.", piece=name))
        return state.with_mecha(mecha.but(damaged=True))
    told.append(Event("ko", f"{name} is KO'd: {why}.", piece=name))
    state = state.with_mecha(mecha.to(OUTSIDE).but(damaged=False, ko=True))
    state = _movement_over(state.but(placing=tuple(piece for piece in state.placing if piece != name)), name)
    return draw_for_ko(state, mecha.team, told)


def _movement_over(state: State, name: str) -> State:
    """The Active Mecha moves no more once it is outside; what it passed before still counts (IF-9)."""
    active = state.open
    if active is None or active.mecha != name:
        return state
    return state.with_active(ended=True, landed=active.launched)


def to_depot(state: State, name: str, told: list[Event]) -> State:
    """Hands put a Mecha on its Depot, or on a White line of the Depot's Box if that is obstructed (IF-12)."""
    box = state.setup.places.depots[name]
    state = state.with_mecha(state.mecha(name).to(box).but(ko=False))
    told.append(Event("depot", f"{name} goes to its Depot in {state.setup.places.box(box)}.", piece=name))
    return state.but(placing=(*(piece for piece in state.placing if piece != name), name))


def able(active: Activation) -> None:
    """Refuse what only a movement can bring about: without the Active Mecha's nothing moves."""
    if not active.able:
        raise Illegal(sections.DAMAGE, f"{active.mecha} was KO'd before it could move")


# --- being hit by the opposing Active Mecha


def may_hit(state: State, active: Activation, name: str) -> None:
    able(active)
    team = TEAM_OF[name]
    if team == state.team:
        reason = f"{name} is of {TEAM_NAMES[team]} too: only an opposing Mecha is Damaged by a hit (IF-1)"
        raise Illegal(sections.DAMAGE, reason)
    if name in active.hits:
        raise Illegal(sections.DAMAGE, f"{name} has been Damaged for being hit in this main action already (IF-3)")
    if state.mecha(name).ko:
        raise Illegal(sections.DAMAGE, f"{name} is KO'd and lies on its card")


def hit(state: State, active: Activation, name: str, told: list[Event]) -> State:
    """ "When an Active Mecha hits any Mecha(s) on the opposing team the hit Mecha(s) are Damaged." """
    state = state.with_active(hits=(*active.hits, name))
    return damage(state, name, f"hit by {active.mecha}", told)


# --- ending outside the Play area


def may_be_outside(state: State, active: Activation, name: str) -> None:
    able(active)
    if name in active.outside:
        raise Illegal(sections.DAMAGE, f"{name} has been told outside in this main action already")
    if state.mecha(name).ko:
        raise Illegal(sections.DAMAGE, f"{name} is KO'd and lies on its card")
    if name == active.mecha and active.landing:
        raise Illegal(sections.LAUNCH, f"say that {name} landed outside")


def outside(state: State, active: Activation, name: str, told: list[Event]) -> State:
    """ "Any Mecha from either team that ends up outside the Play area, is Damaged." Friend, foe or the Active one."""
    state = _movement_over(state.with_active(outside=(*active.outside, name)), name)
    state = damage(state, name, "it ended outside the Play area", told)
    return state if state.mecha(name).ko else to_depot(state, name, told)
