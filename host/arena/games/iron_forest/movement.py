"""What is told of a movement: passes, a Launch, a Mecha stuck, moved by hand, put back; and the 2nd Chance."""

from __future__ import annotations

from ..contract import Event, Illegal
from . import presumed, sections
from .damage import able, damage, hit, may_be_outside, may_hit, outside
from .state import OUTSIDE, Activation, Mecha, Pass, State, changed_pair
from .teams import TEAM_NAMES, TEAM_OF

# --- a complete pass through a Door or down a Hole


def may_pass(
    state: State,
    active: Activation,
    name: str,
    place: str,
    target: str,
    others: str | None = None,
    by: str | None = None,
) -> None:
    """The Active Mecha may pass anywhere, it may have leapt over a wall unseen; any other from where it is known.

    ``others``: who can have made a presumed pass too. ``by``: the Active Mecha, where it hit the other itself.
    """
    places = state.setup.places
    if others is not None:
        presumed.may_be_presumed(active, name, others)
    if by is not None:
        if by != active.mecha:
            raise Illegal(sections.DAMAGE, f"{active.mecha} is Active, so it is not {by} that hits")
        may_hit(state, active, name)
    if place not in places.ways:
        raise Illegal(sections.STUCK, f"{place!r} is no Door or Hole of this table")
    origin = places.origin(place, target)
    if origin is None:
        raise Illegal(sections.STUCK, f"nothing passes {places.kind(place)} into {target!r}")
    able(active)
    mecha = state.mecha(name)
    if name == active.mecha:
        if mecha.stuck == place and mecha.seen_from == target:
            reason = f"{name} was seen from {target} only: coming out of {place} there, it has not passed (IF-38)"
            raise Illegal(sections.STUCK, reason)
    elif origin not in mecha.boxes and name not in presumed.perhaps_in(active, active.passed, origin):
        raise Illegal(sections.STUCK, f"{name} is not known in {places.box(origin)}: say first where it stood")


def passed(
    state: State,
    active: Activation,
    name: str,
    place: str,
    target: str,
    told: list[Event],
    others: str | None = None,
    by: str | None = None,
) -> State:
    """Only the Active Mecha's own passes count, and only for its team's markers (IF-7, IF-10)."""
    places = state.setup.places
    own = name == active.mecha
    new = Pass(
        piece=name,
        place=place,
        origin=places.origin(place, target) or "",
        target=target,
        before=state.mecha(active.mecha).boxes,
        others=tuple(others.split(" ")) if others else (),
        sure=not own,
        collected=own and (place, state.team) in state.markers,
    )
    if name not in active.outside and not state.mecha(name).ko:
        state = state.with_mecha(state.mecha(name).to(target))
    text = (
        f"{name} {'drops down' if place in places.holes else 'passes'} {places.kind(place)} into {places.box(target)}."
    )
    told.append(Event("pass", text, place=place, piece=name))
    answers = dict(state.answers)
    answers[place] = answers.get(place, 0) + 1
    state = state.but(answers=tuple(sorted(answers.items())), active=presumed.remember(active, new))
    state = _over_barricade(state, place, told)
    if not own:
        state = state.with_active(pushed=(*(other for other in active.pushed if other != name), name))
        assert state.active is not None
        return check_goal(hit(state, state.active, name, told) if by else state, told)
    # It moves by itself, so no hand is placing it any more
    state = state.but(placing=tuple(piece for piece in state.placing if piece != name or name in active.outside))
    return check_goal(_collect(state, place, told), told)


def _collect(state: State, place: str, told: list[Event]) -> State:
    team = state.team
    if (place, team) not in state.markers:
        return state
    score = state.score(team) + 1
    text = f"{TEAM_NAMES[team]} removes an Objective marker from {state.setup.places.kind(place)}: {score}."
    told.append(Event("marker", text, place=place))
    return state.but(
        markers=tuple(marker for marker in state.markers if marker != (place, team)),
        scores=changed_pair(state.scores, team, score),
    )


def check_goal(state: State, told: list[Event]) -> State:
    """The game ends at once; the active team wins where both reach their Goals (IF-16).

    Not while people still have to say who passed: what they say can take the Goal away again.
    """
    if state.active is not None and presumed.doubt(state.active) is not None:
        return state
    goal = state.setup.scenario.goal
    for team in (state.team, state.opponents):
        if state.score(team) >= goal:
            told.append(Event("over", f"{TEAM_NAMES[team]} has removed {goal} Objective markers and wins."))
            return state.but(winners=(team,))
    return state


def _over_barricade(state: State, place: str, told: list[Event]) -> State:
    """House effect: a Mecha that passes all the same knocks the Barricade over; a marker stays collectable (IF-19)."""
    if place not in state.barricades:
        return state
    told.append(Event("set_off", f"The Barricade in {place} falls and is discarded.", place=place))
    state = state.but(
        barricades=tuple(door for door in state.barricades if door != place),
        power_discard=(*state.power_discard, state.setup.cards.with_effect("barricade")),
    )
    return state.with_active(changed=True)


# --- a Launch


def may_launch(state: State, active: Activation) -> None:
    if state.may_launch():
        return
    if active.touched or not active.able:
        raise Illegal(sections.LAUNCH, f"the main action of {active.mecha} is under way already")
    if state.placing not in ((), (active.mecha,)):
        raise Illegal(sections.LAUNCH, "hands are still placing something")
    boxes = " or ".join(state.setup.places.box(box) for box in state.mecha(active.mecha).boxes)
    outer = ", ".join(state.setup.places.launch_boxes)
    reason = f"a Mecha Launches from an outer Box of the Lower level ({outer}), and {active.mecha} is in {boxes}"
    raise Illegal(sections.LAUNCH, reason)


def may_prepare(state: State, active: Activation) -> None:
    may_launch(state, active)
    if state.placing:
        raise Illegal(sections.LAUNCH, f"hands are placing {active.mecha} already")


def prepare_launch(state: State, active: Activation, told: list[Event]) -> State:
    """Hands take the Mecha into the Launcher."""
    told.append(Event("prepared", f"{active.mecha} is put into the Launcher.", piece=active.mecha))
    return state.but(placing=(active.mecha,))


def launched(state: State, active: Activation, told: list[Event]) -> State:
    mecha = state.mecha(active.mecha)
    told.append(Event("launch", f"{mecha.name} is Launched.", piece=mecha.name))
    state = state.with_mecha(mecha.to(*state.setup.places.upper))
    return state.with_active(launched=True).but(placing=())


def may_land(state: State, active: Activation, box: str) -> None:
    if not active.landing:
        raise Illegal(sections.LAUNCH, f"nothing asks where {active.mecha} landed")
    if box != OUTSIDE and box not in state.setup.places.boxes:
        raise Illegal(sections.LAUNCH, f"{box!r} is no Box of this table")
    if box == OUTSIDE:
        may_be_outside(state, active.but(landed=True), active.mecha)


def landed(state: State, active: Activation, box: str, told: list[Event]) -> State:
    name = active.mecha
    told.append(Event("landed", f"{name} landed {_in(state, box)}.", piece=name))
    if box == OUTSIDE:
        return outside(state, active, name, told)
    return state.with_mecha(state.mecha(name).to(box)).with_active(landed=True)


def _in(state: State, box: str) -> str:
    return "outside" if box == OUTSIDE else f"in {state.setup.places.box(box)}"


# --- stuck in a Door, White lines, hands


def may_be_stuck(state: State, active: Activation, name: str, place: str, side: str | None) -> None:
    ends = state.setup.places.doors.get(place)
    if ends is None:
        raise Illegal(sections.STUCK, f"{place!r} is no Door of this table")
    able(active)
    mecha = state.mecha(name)
    if mecha.ko or name in active.outside:
        raise Illegal(sections.STUCK, f"{name} is not in the Play area")
    if mecha.stuck == place and mecha.seen_from == side:
        raise Illegal(sections.STUCK, f"{name} is known to be stuck in {place}")
    if not any(end in mecha.boxes for end in ends):
        raise Illegal(sections.STUCK, f"{name} is not known beside {place}: say first where it stood")
    if side is not None and name != active.mecha:
        raise Illegal(sections.STUCK, f"from which side it is seen is told of {active.mecha} only, not of {name}")
    if side is not None and side not in ends:
        raise Illegal(sections.STUCK, f"a Mecha in {place} is seen from {ends[0]} or {ends[1]}, not from {side!r}")


def stuck(state: State, active: Activation, name: str, place: str, side: str | None, told: list[Event]) -> State:
    """It has not passed, whatever the beams saw of it at that Door before (IF-10); it is inside both Boxes (IF-11)."""
    told.append(Event("stuck", f"{name} is stuck in Door {place}.", place=place, piece=name))
    mecha = Mecha(name, state.setup.places.doors[place], state.mecha(name).damaged, stuck=place, seen_from=side)
    state = state.with_mecha(mecha)
    if name != active.mecha:
        return state.with_active(pushed=(*(other for other in active.pushed if other != name), name))
    if active.start.stuck == place and state.placing == (name,) and not active.touched:
        return state.with_active(start=mecha)  # put right before it moves
    # It moved by itself, so no hand is placing it any more
    state = state.but(placing=tuple(piece for piece in state.placing if piece != name))
    return presumed.take_back(state.with_active(caught=True, landed=active.launched), told)


def lines(state: State, active: Activation) -> tuple[str, ...]:
    """The Boxes to whose White line a Mecha stuck in a Door may be moved before its Flick (IF-11)."""
    mecha = state.mecha(active.mecha)
    began = mecha.stuck is not None and mecha.stuck == active.start.stuck
    if not began or active.touched or active.second or state.placing != (mecha.name,):
        return ()
    return mecha.boxes if mecha.seen_from is None else (mecha.seen_from,)


def may_unstick(state: State, active: Activation, box: str) -> None:
    allowed = lines(state, active)
    if not allowed:
        raise Illegal(sections.STUCK, f"{active.mecha} is not stuck in a Door at the beginning of its Activation")
    if box not in allowed:
        raise Illegal(sections.STUCK, f"{active.mecha} goes to a White line in {' or '.join(allowed)}, not in {box!r}")


def unstick(state: State, active: Activation, box: str, told: list[Event]) -> State:
    """Moved by hand, so no pass (IF-10); the main action starts from the White line (IF-15)."""
    mecha = state.mecha(active.mecha).to(box)
    text = f"{mecha.name} is placed on the White line of {state.setup.places.box(box)}."
    told.append(Event("white_line", text, piece=mecha.name))
    return state.with_mecha(mecha).with_active(start=mecha).but(placing=())


def may_move_by_hand(state: State, active: Activation) -> None:
    if active.touched or not active.able:
        raise Illegal(sections.WHITE_LINES, f"{active.mecha} goes to a White line before its Flick only")
    if state.placing:
        raise Illegal(sections.WHITE_LINES, f"hands are placing {' and '.join(state.placing)} already")


def white_line(state: State, active: Activation, told: list[Event]) -> State:
    """A Mecha between a White line and the wall may be moved onto the line, in the same Box."""
    told.append(Event("white_line", f"{active.mecha} is moved to the nearest White line.", piece=active.mecha))
    return state.but(placing=(active.mecha,))


def placed(state: State, told: list[Event]) -> State:
    """Hands are off: from now on passes are the Mecha's own."""
    told.append(Event("placed", f"Placed: {', '.join(state.placing)}."))
    return state.but(placing=())


def may_put(state: State, name: str, box: str) -> None:
    mecha = state.mecha(name)
    if mecha.ko:
        raise Illegal(sections.ACCIDENTS, f"{name} is KO'd and lies on its card until its next Activation")
    if box not in state.setup.places.boxes:
        raise Illegal(sections.ACCIDENTS, f"{box!r} is no Box of this table")
    if mecha.boxes == (box,) and mecha.stuck is None:
        raise Illegal(sections.ACCIDENTS, f"{name} is known in {state.setup.places.box(box)}")


def put(state: State, name: str, box: str, told: list[Event]) -> State:
    """People say where a Mecha stands, after an accident or a leap that no beam saw. Never a pass."""
    mecha = state.mecha(name).to(box)
    told.append(Event("put", f"{name} stands in {state.setup.places.box(box)}.", piece=name))
    state = state.with_mecha(mecha)
    active = state.open
    if active is None or active.mecha != name:
        return state
    if active.touched:
        return state.with_active(landed=active.launched)
    # It was there all along or leapt there: after a 2nd Chance it is in the one Box or the other (IF-39)
    return state.with_active(start=mecha.but(boxes=tuple(dict.fromkeys((*active.start.boxes, box)))))


# --- the end of a movement, and the 2nd Chance


def may_end(state: State, active: Activation) -> None:
    if active.ended or state.mover is None:
        raise Illegal(sections.TAKE_ACTIONS, "no movement is under way")


def movement_ended(state: State, told: list[Event]) -> State:
    assert state.active is not None
    told.append(Event("still", f"{state.active.mecha} lies still."))
    return state.with_active(ended=True)


def may_bump(state: State, active: Activation, name: str | None = None) -> None:
    """``name``: a friend that was near, or an opposing Mecha that another pushed where that puts a pass in doubt."""
    able(active)
    if name is None:
        if active.changed:
            raise Illegal(sections.SECOND_CHANCE, "it is told already that the game state changed")
        return
    if name == active.mecha:
        raise Illegal(sections.DAMAGE, f"{name} is the Active Mecha: it touches others")
    if name in active.bumped:
        raise Illegal(sections.DAMAGE, f"it is told already that {name} was touched or moved")
    if state.mecha(name).ko:
        raise Illegal(sections.DAMAGE, f"{name} is KO'd and lies on its card")
    if any(name in each.others for each in active.passed):
        return
    if TEAM_OF[name] != state.team:
        raise Illegal(sections.DAMAGE, f"{name} opposes {active.mecha}: say that it was hit")
    if not visited(state, active) & set(state.mecha(name).boxes):
        raise Illegal(sections.DAMAGE, f"{name} is not known in a Box in which {active.mecha} was")


def visited(state: State, active: Activation) -> set[str]:
    """The Boxes in which the Active Mecha can have been in this Activation."""
    boxes = {*active.start.boxes, *state.mecha(active.mecha).boxes}
    return boxes.union(*((each.origin, each.target) for each in active.passed if each.piece == active.mecha))


def bumped(state: State, active: Activation, name: str | None, told: list[Event]) -> State:
    """A friend or anything else was touched: no damage (IF-1), but no 2nd Chance either."""
    told.append(Event("bumped", f"{name or 'Something else'} was touched or moved.", piece=name))
    return state.with_active(changed=True, bumped=(*active.bumped, name) if name else active.bumped)


def may_try_again(state: State, active: Activation) -> None:
    """IF-15: the attempt passed nothing and changed nothing; once per main action."""
    if not state.setup.options.second_chance:
        raise Illegal(sections.SECOND_CHANCE, "this game is played without the 2nd Chance Rule")
    if active.second:
        raise Illegal(sections.SECOND_CHANCE, "the second attempt stands")
    if active.landing:
        raise Illegal(sections.LAUNCH, f"say first where {active.mecha} landed: outside is a change")
    if active.passes:
        raise Illegal(sections.SECOND_CHANCE, f"{active.mecha} went through a Door or Hole")
    if active.changed or active.hits or active.outside or active.pushed or not active.able:
        raise Illegal(sections.SECOND_CHANCE, "the attempt changed the game state")
    if state.placing:
        raise Illegal(sections.SECOND_CHANCE, "no attempt has been made yet: hands are still placing")


def second_chance(state: State, active: Activation, told: list[Event]) -> State:
    """Hands put the Mecha back where the main action started; it may be Flicked or Launched once more."""
    told.append(Event("second_chance", f"2nd Chance: {active.mecha} goes back and tries again.", piece=active.mecha))
    start = active.start
    mecha = state.mecha(active.mecha)
    state = state.with_mecha(mecha.but(boxes=start.boxes, stuck=start.stuck, seen_from=start.seen_from))
    return state.but(active=Activation(active.mecha, start, second=True), placing=(active.mecha,))


# --- a Proximity Mine on the table


def may_set_off(state: State, active: Activation, name: str, place: str) -> None:
    able(active)
    if place not in state.mines:
        raise Illegal(sections.FAQ, f"no Proximity Mine lies at {place!r}")
    if state.mecha(name).ko:
        raise Illegal(sections.FAQ, f"{name} is KO'd and lies on its card")


def set_off(state: State, name: str, place: str, told: list[Event]) -> State:
    """House effect: the first Mecha that moves onto the mine, of either team, is Damaged."""
    mines = list(state.mines)
    mines.remove(place)
    state = state.with_active(changed=True).but(
        mines=tuple(mines),
        power_discard=(*state.power_discard, state.setup.cards.with_effect("mine")),
    )
    told.append(Event("set_off", f"{name} sets off the Proximity Mine at {place}.", place=place, piece=name))
    return damage(state, name, "a Proximity Mine", told)
