"""Presumed passes: whose a pass is held to be, when that is doubted, and how it is decided again.

By itself only the Active Mecha moves; all others move only because they were hit. Beams cannot see who
passed. So a pass out of a Box in which the Active Mecha can be is its own until people say that one of
the ``others`` there was hit, touched or went outside. "Done, nothing hit or touched" says that none was.
Such a pass is then in *doubt*: people say whose it was, before the Activation is over.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..contract import Event, Illegal
from . import sections
from .state import Activation, Mecha, Pass, State, changed_pair
from .teams import ALL_MECHAS, TEAM_NAMES

Whereabouts = dict[str, tuple[str, ...]]


def doubt(active: Activation) -> Pass | None:
    """The first pass of which people have to say whose it was."""
    number = _first_doubt(active)
    return None if number is None else active.passed[number]


def _first_doubt(active: Activation) -> int | None:
    knocked = active.knocked
    return next(
        (
            number
            for number, each in enumerate(active.passed)
            if each.piece == active.mecha and not each.sure and (each.doubtful or not knocked.isdisjoint(each.others))
        ),
        None,
    )


def suspects(active: Activation, doubted: Pass) -> tuple[str, ...]:
    """Who can have made a doubted pass, the likeliest first.

    Mechas weigh alike: one that is hit squarely takes the movement over, so it is rather the knocked one,
    unless the Active Mecha was seen to go on from there. Last those that a knocked one can have pushed on.
    """
    number = active.passed.index(doubted)
    there = dict.fromkeys((*doubted.others, *perhaps_in(active, active.passed[:number], doubted.origin)))
    knocked = tuple(name for name in there if name in active.knocked)
    pushed_on = tuple(name for name in there if name not in active.knocked)
    later = active.passed[number + 1 :]
    went_on = any(each.piece == active.mecha and each.origin == doubted.target for each in later)
    return (active.mecha, *knocked, *pushed_on) if went_on else (*knocked, active.mecha, *pushed_on)


def may_be_presumed(active: Activation, name: str, others: str) -> None:
    """``others`` are given by beams: Mechas in order of name, with a space between."""
    names = others.split(" ")
    if name != active.mecha:
        raise Illegal(sections.COMMANDS, f"only a pass of {active.mecha} is presumed, not one of {name}")
    if names != sorted(set(names)) or not set(names) <= set(ALL_MECHAS) - {name}:
        raise Illegal(sections.COMMANDS, f"'others' must name other Mechas in order of name, not {others!r}")


def perhaps_in(active: Activation, passed: Sequence[Pass], box: str) -> tuple[str, ...]:
    """Who is in that Box if some of these passes were not the Active Mecha's."""
    reached: dict[str, set[str]] = {}
    for each in passed:
        if each.piece != active.mecha or each.sure:
            continue
        for boxes in reached.values():
            if each.origin in boxes:
                boxes.add(each.target)
        for name in each.others:
            reached.setdefault(name, set()).add(each.target)
    return tuple(name for name, boxes in reached.items() if box in boxes)


def perhaps_left(active: Activation, box: str) -> int | None:
    """The newest pass out of that Box that need not have been the Active Mecha's, so that it may be there still."""
    for number, each in reversed(list(enumerate(active.passed))):
        out = each.piece == active.mecha and each.origin == box and not each.sure
        if out and (each.others or perhaps_in(active, active.passed[:number], box)):
            return number
    return None


def remember(active: Activation, new: Pass) -> Activation:
    """One more pass, and what it says about those before it."""
    before = active.passed
    if new.piece != active.mecha:
        # It was still there, or there again: so it has made no pass out of that Box after the last one into it
        since = max((n for n, each in enumerate(before) if each.target == new.origin), default=0)
        before = tuple(
            each.but(others=tuple(other for other in each.others if other != new.piece))
            if n >= since and each.origin == new.origin
            else each
            for n, each in enumerate(before)
        )
    elif new.origin not in new.before:
        # It was not believed there: then perhaps it was another that left that Box
        number = perhaps_left(active, new.origin)
        if number is not None:
            before = (*before[:number], before[number].but(doubtful=True), *before[number + 1 :])
        new = new.but(sure=not new.others)
    return active.but(passed=(*before, new))


def may_credit(active: Activation, name: str, place: str, target: str) -> None:
    doubted = doubt(active)
    if doubted is None:
        raise Illegal(sections.STUCK, "of no pass it is in doubt whose it was")
    if (doubted.place, doubted.target) != (place, target):
        reason = f"say first who passed {doubted.place} into {doubted.target}"
        raise Illegal(sections.STUCK, reason)
    possible = suspects(active, doubted)
    if name not in possible:
        raise Illegal(sections.STUCK, f"that was {' or '.join(possible)}: {name} was not there")


def credit(state: State, active: Activation, name: str, told: list[Event]) -> State:
    """People say whose the doubted pass was: confirmed, or decided again with all that follows from it."""
    number = _first_doubt(active)
    assert number is not None
    doubted, kind = active.passed[number], state.setup.places.kind
    if name == active.mecha:
        text = f"It was {name} that passed {kind(doubted.place)}."
        told.append(Event("confirmed", text, place=doubted.place, piece=name))
        sure = doubted.but(others=(), sure=True, doubtful=False)
        return state.with_active(passed=(*active.passed[:number], sure, *active.passed[number + 1 :]))
    passed, where = _decided_again(active, number, name)
    for then, now in zip(active.passed, passed, strict=True):
        if then.piece != now.piece:
            text = f"It was {now.piece}, not {then.piece}, that passed {kind(now.place)}."
            told.append(Event("credited", text, place=now.place, piece=now.piece))
    passed, lost = _markers_again(active, passed)
    state = _give_back(state, lost, told)
    pushed = (*(other for other in active.pushed if other != name), name)
    state = state.with_active(passed=passed, pushed=pushed)
    return _whereabouts_again(state, active, doubted, name, where)


def _decided_again(active: Activation, number: int, name: str) -> tuple[tuple[Pass, ...], Whereabouts]:
    """All passes when this one was ``name``'s, and where both are then.

    A later one that the Active Mecha cannot have made, as it had not come to that Box, was ``name``'s if
    nobody else was there; otherwise it is in doubt too.
    """
    passed, doubted, mover = list(active.passed), active.passed[number], active.mecha
    where: Whereabouts = {mover: doubted.before, name: (doubted.target,)}
    passed[number] = doubted.but(piece=name, others=(), sure=True, doubtful=False)
    for later in range(number + 1, len(passed)):
        each = passed[later]
        if each.piece == mover and not each.sure:
            there = {name} if each.origin in where[name] else set()
            others = tuple(sorted((set(each.others) - {name}) | there))
            each = each.but(others=others, before=where[mover])
            if each.origin not in where[mover]:
                if others == (name,):
                    each = each.but(piece=name, others=(), sure=True)
                else:
                    each = each.but(doubtful=bool(others))
            passed[later] = each
        if each.piece in where:
            where[each.piece] = (each.target,)
    return tuple(passed), where


def _markers_again(active: Activation, passed: tuple[Pass, ...]) -> tuple[tuple[Pass, ...], tuple[str, ...]]:
    """The passes with the markers that still go with them, and the places whose markers come back."""
    kept, lost = list(passed), []
    for number, each in enumerate(passed):
        if not each.collected or each.piece == active.mecha:
            continue
        kept[number] = each.but(collected=False)
        own = (n for n, other in enumerate(kept) if other.piece == active.mecha and other.place == each.place)
        again = next(own, None)
        if again is None:
            lost.append(each.place)
        else:
            kept[again] = kept[again].but(collected=True)
    return tuple(kept), tuple(lost)


def take_back(state: State, told: list[Event]) -> State:
    """The Active Mecha's last pass, where it then came to stand in that Door's frame: so it is none (IF-10).

    Where it is in doubt whose that pass was, people say so first.
    """
    active = state.active
    if active is None or not active.caught or doubt(active) is not None:
        return state
    mecha = state.mecha(active.mecha)
    own = [number for number, each in enumerate(active.passed) if each.piece == mecha.name]
    if not own or active.passed[own[-1]].place != mecha.stuck:
        return state
    gone = active.passed[own[-1]]
    text = f"{mecha.name} stands in Door {gone.place}: it has not passed."
    told.append(Event("no_pass", text, place=gone.place, piece=mecha.name))
    rest = (*active.passed[: own[-1]], *active.passed[own[-1] + 1 :])
    return _give_back(state.with_active(passed=rest), (gone.place,) if gone.collected else (), told)


def _give_back(state: State, places: tuple[str, ...], told: list[Event]) -> State:
    for place in places:
        score = state.score(state.team) - 1
        text = f"The Objective marker of {TEAM_NAMES[state.team]} returns to {state.setup.places.kind(place)}: {score}."
        told.append(Event("marker_back", text, place=place))
        state = state.but(
            markers=tuple(sorted((*state.markers, (place, state.team)))),
            scores=changed_pair(state.scores, state.team, score),
        )
    return state


def _whereabouts_again(state: State, then: Activation, doubted: Pass, name: str, where: Whereabouts) -> State:
    """Both Mechas where the passes leave them, unless people or beams have said since where they are."""
    mover, other = state.mecha(then.mecha), state.mecha(name)
    last = next(each.target for each in reversed(then.passed) if each.piece == mover.name)
    ends = state.setup.places.doors.get(mover.stuck or "", ())
    stays = other.ko or name in then.outside
    if mover.stuck and set(where[name]) & set(ends) and not set(where[mover.name]) & set(ends):
        # Then it is the other that stands in that frame
        if not stays:
            state = state.with_mecha(other.but(boxes=ends, stuck=mover.stuck, seen_from=None))
        # So the frame has not told either where the Active Mecha's Launch ended
        landed = then.landed and len(where[mover.name]) == 1
        return state.with_mecha(_back(then, mover, where)).with_active(caught=False, landed=landed)
    if not stays and doubted.origin in other.boxes:
        state = state.with_mecha(other.to(*where[name]))
    if mover.boxes == (last,) and mover.name not in then.outside:
        state = state.with_mecha(_back(then, mover, where))
    return state


def _back(then: Activation, mover: Mecha, where: Whereabouts) -> Mecha:
    """The Active Mecha where its own passes leave it: in a Door's frame again if it never left it."""
    boxes = where[mover.name]
    if boxes == then.start.boxes:
        return mover.but(boxes=boxes, stuck=then.start.stuck, seen_from=then.start.seen_from)
    return mover.to(*boxes)
