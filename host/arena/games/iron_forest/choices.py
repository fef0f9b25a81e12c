"""What a seat may do now, as buttons: one command each, the likeliest first.

Candidates are written down generously here; the rules of ``verbs`` decide which of them stand. So
whatever is listed applies, and nothing that applies is missing but what only beams say of a pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...words import OUTSIDE, TABLE, Command, Seat
from ..contract import Choice, Illegal
from . import powerups, presumed
from .state import Activation, State
from .teams import ALL_MECHAS, MECHAS
from .verbs import allowed

NOW = "Now"
HIT = "Hit"
OUT = "Outside"
LAUNCHER = "Launch"
LANDED = "Landed"
POWER_UPS = "Power-ups"
TABLE_CARDS = "Cards on the table"
WHITE_LINE = "White lines"
STUCK = "Stuck in a Door"
MISSED = "A pass was missed"
WHEREABOUTS = "Where it stands"


def legal(state: State, seat: Seat) -> tuple[Choice, ...]:
    if state.winners or (seat != TABLE and all(player.seat != seat for player in state.setup.players)):
        return ()
    return tuple(choice for choice in _candidates(state, seat) if applies(state, choice.command, seat))


def applies(state: State, command: Command, seat: Seat) -> bool:
    try:
        allowed(state, command, seat)
    except Illegal:
        return False
    return True


def _candidates(state: State, seat: Seat) -> Iterator[Choice]:
    active = state.open
    if active is not None and (seat in (TABLE, state.player.seat)):
        yield from _told(state, active)
        yield from _cards(state, active)
        yield from _doors(state, active)
    elif active is None:
        yield from _between(state)
    if seat == TABLE:
        if active is not None:
            yield from _passes(state, active)
        for name in ALL_MECHAS:
            for box in state.setup.places.boxes:
                label = f"{name} stands in {state.setup.places.box(box)}"
                yield Choice(Command.of("put", piece=name, box=box), label, WHEREABOUTS)


def _between(state: State) -> Iterator[Choice]:
    """No Activation is open: a card to draw or to give, markers to place."""
    for name in MECHAS[state.team]:
        yield Choice(Command.of("draw", card=name), f"The card is {name}", NOW)
    for token in state.setup.tokens_of(state.opponents) if state.gifts else ():
        player = state.setup.tokens[token - 1]
        if len(state.setup.seats_of(state.opponents)) > 1:
            yield Choice(Command.of("give", player=player.seat), f"{player.name} gains the Power-up", NOW)
        else:
            label = f"{player.name} gains the Power-up for Turn Order token {token}"
            yield Choice(Command.of("give", player=player.seat, token=token), label, NOW)
    for place in state.setup.places.ways if state.markers_due else ():
        label = f"Objective marker at {state.setup.places.kind(place)}"
        yield Choice(Command.of("place_marker", place=place), label, NOW)


def _told(state: State, active: Activation) -> Iterator[Choice]:
    """The default first, then what beams cannot see. A doubt comes before all else."""
    name, places = active.mecha, state.setup.places
    waiting = bool(state.placing) and not active.touched
    doubted = presumed.doubt(active)
    for piece in presumed.suspects(active, doubted) if doubted else ():
        assert doubted is not None
        command = Command.of("credit", piece=piece, place=doubted.place, target=doubted.target)
        yield Choice(command, f"{piece} passed {places.kind(doubted.place)} into {places.box(doubted.target)}", NOW)
    for box in (*places.upper, OUTSIDE, *places.lower) if active.landing else ():
        label = f"{name} landed {'outside' if box == OUTSIDE else f'in {places.box(box)}'}"
        yield Choice(Command.of("landed", box=box), label, LANDED)
    if waiting:
        yield Choice(Command.of("placed"), _placed_label(state, active), NOW, default=True)
    yield Choice(Command.of("done"), _done_label(state, active), NOW, default=not waiting)
    for foe in MECHAS[state.opponents]:
        yield Choice(Command.of("done", hit=foe), f"Done, hit {foe}", NOW)
    for box in places.boxes:
        yield Choice(Command.of("unstick", box=box), f"{name} is on the White line of {places.box(box)}", WHITE_LINE)
    yield Choice(Command.of("second_chance"), f"2nd Chance: nothing passed or touched, {name} goes back", NOW)
    for foe in MECHAS[state.opponents]:
        yield Choice(Command.of("hit", piece=foe), f"{name} hit {foe}", HIT)
    for friend in MECHAS[state.team]:
        yield Choice(Command.of("bumped", piece=friend), f"{name} touched {friend}", HIT)
    for foe in MECHAS[state.opponents]:
        yield Choice(Command.of("bumped", piece=foe), f"{foe} was pushed by another, not hit by {name}", HIT)
    yield Choice(Command.of("bumped"), f"{name} touched something else", HIT)
    for piece in (*MECHAS[state.team], *MECHAS[state.opponents]):
        yield Choice(Command.of("outside", piece=piece), f"{piece} is outside", OUT)
    yield Choice(Command.of("launched"), f"{name} was Launched", LAUNCHER)
    yield Choice(Command.of("prepare_launch"), f"Put {name} into the Launcher", LAUNCHER)
    yield Choice(Command.of("white_line"), f"Move {name} onto the White line", WHITE_LINE)
    yield Choice(Command.of("movement_ended"), _still_label(state, active), NOW)
    if not waiting and state.placing:
        yield Choice(Command.of("placed"), _placed_label(state, active), NOW)


def _placed_label(state: State, active: Activation) -> str:
    stuck = state.mecha(active.mecha).stuck
    if stuck and state.placing == (active.mecha,) and not active.touched:
        return f"{active.mecha} stays in Door {stuck}: hands are off"
    return f"{' and '.join(state.placing)} placed: hands are off"


def _still_label(state: State, active: Activation) -> str:
    waiting = active.touched and any(not powerups.face_down(state, held) for held in state.held[state.token - 1])
    return f"{active.mecha} lies still" + (": then Power-ups may be played" if waiting else "")


def _done_label(state: State, active: Activation) -> str:
    if not active.able:
        return f"{active.mecha} is KO'd: go on"
    if state.placing and active.touched:
        return f"Done, {' and '.join(state.placing)} placed"
    return "Done" if active.hits or active.outside or active.changed else "Done, nothing hit or touched"


def _cards(state: State, active: Activation) -> Iterator[Choice]:
    cards, places = state.setup.cards, state.setup.places
    for kind in powerups.playable(state, state.token):
        effect = powerups.EFFECTS[cards.kinds[kind].effect]
        on = powerups.targets(state, active, kind)
        if effect.target is None or on is None:
            yield Choice(Command.of("play", card=kind), f"Play {cards.name(kind)}", POWER_UPS)
            continue
        for target in on:
            command = Command.of("play", card=kind, **{effect.target: target})
            yield Choice(command, f"{cards.name(kind)}: {target}", POWER_UPS)
    for place in dict.fromkeys(state.mines):
        where = places.box(place) if place in places.boxes else places.kind(place)
        for name in ALL_MECHAS:
            label = f"{name} set off the Proximity Mine at {where}"
            yield Choice(Command.of("set_off", piece=name, place=place), label, TABLE_CARDS)


def _doors(state: State, active: Activation) -> Iterator[Choice]:
    """Who stands in a Door's frame; for each Mecha the Doors beside which it may be."""
    for name in _active_first(active):
        for place, ends in state.setup.places.doors.items():
            if not any(end in ends for end in state.mecha(name).boxes):
                continue
            yield Choice(Command.of("stuck", piece=name, place=place), f"{name} is stuck in {place}", STUCK)
            for side in ends if name == active.mecha else ():
                label = f"{name} is stuck in {place}, seen from {side} only"
                yield Choice(Command.of("stuck", piece=name, place=place, side=side), label, STUCK)


def _passes(state: State, active: Activation) -> Iterator[Choice]:
    """Passes that no beam told, those from where a Mecha is known first."""
    places = state.setup.places
    perhaps = {box: presumed.perhaps_in(active, active.passed, box) for box in places.boxes}
    for name in _active_first(active):
        known = state.mecha(name).boxes
        ways = [(place, way) for place, ways in places.ways.items() for way in ways]
        if name != active.mecha:
            ways = [each for each in ways if each[1][0] in known or name in perhaps[each[1][0]]]
        for place, (_, target) in sorted(ways, key=lambda each: each[1][0] not in known):
            label = f"{name} passed {places.kind(place)} into {places.box(target)}"
            yield Choice(Command.of("passed", piece=name, place=place, target=target), label, MISSED)


def _active_first(active: Activation) -> tuple[str, ...]:
    return (active.mecha, *(name for name in ALL_MECHAS if name != active.mecha))
