"""Where automatic tracking meets the rules: what follows from a sighting, or what people are asked.

The rig said *what* moved and the tracker *who* it can have been; here it is decided whether that
matters. A pass that can be the Active Mecha's is presumed to be (``presumed``); any other that is not
sure is never scored: it becomes one question.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...words import TABLE, Candidate, Command, Seen, Sighting
from ..contract import Observed, Question
from . import presumed, sections
from .choices import applies
from .movement import visited
from .state import Activation, State
from .teams import ALL_MECHAS, TEAM_OF

LIKELY = 0.5  # of the Active Mecha's weight: then a pass is presumed its own
SURE = 0.99  # of a candidate's weight: then nobody else can have been there
POSSIBLE = 0.01  # below it a candidate is not worth a button
CONVINCED = 0.65  # of a sighting's own confidence: below it the rig itself thinks of a hand
A_HAND = "A hand, or nothing"

Answers = tuple[tuple[Command | None, str], ...]
_NOTHING = Observed()
_HAND: Answers = ((None, A_HAND),)


def observe(state: State, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
    if state.winners:
        return _NOTHING
    match sighting.seen:
        case Seen.PASS | Seen.DROP:
            return _passed(state, sighting, pieces)
        case Seen.LAUNCH:
            return _launched(state)
        case Seen.STUCK:
            return _stuck(state, sighting, pieces)
        case Seen.SETTLED:
            return _settled(state)
        case Seen.SICK:
            return _blind(state, sighting)
        case _:
            return _NOTHING


# --- a pass or a drop


def _passed(state: State, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
    place, target = sighting.place, sighting.target
    if target is None or state.setup.places.origin(place, target) is None:
        return _NOTHING
    active = state.open
    if active is None:
        text = f"{_seen(state, sighting)} while no Mecha is Active. What was it?"
        return _ask(text, (*_HAND, *_put(state, pieces, target)), sections.ACCIDENTS)
    if state.placing:
        return _ask_about_hands(state, active, sighting, pieces)
    if active.ended:
        text = f"{_seen(state, sighting)} after {active.mecha} lay still. What was it?"
        return _ask(text, (*_HAND, *_passes(state, active, sighting, pieces)), sections.STUCK)
    if place in state.barricades or sighting.confidence < CONVINCED:
        text = f"{_seen(state, sighting)}. Which Mecha was it?"
        return _ask(text, (*_passes(state, active, sighting, pieces), *_HAND), sections.STUCK)
    own = next((each.weight for each in pieces if each.piece == active.mecha), 0.0)
    if own < LIKELY:
        return _not_its_own(state, active, sighting, pieces)
    others = " ".join(sorted(each.piece for each in pieces if each.piece != active.mecha))
    command = Command.of("passed", piece=active.mecha, place=place, target=target)
    if others:
        command = Command.of("passed", piece=active.mecha, place=place, target=target, others=others)
    if applies(state, command, TABLE):
        return Observed((command,))
    text = f"{_seen(state, sighting)}. Which Mecha was it?"
    return _ask(text, (*_passes(state, active, sighting, pieces), *_HAND), sections.STUCK)


def _not_its_own(state: State, active: Activation, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
    """A pass out of a Box in which the Active Mecha is not believed.

    Another made it, or the whereabouts are wrong: the Active Mecha leapt over a wall, or another made an
    earlier pass. So it is asked, unless one that is told to have moved was alone there and nothing is at stake.
    """
    place, target, places = sighting.place, sighting.target, state.setup.places
    origin = places.origin(place, target or "") or ""
    there = [each.piece for each in pieces if each.weight >= POSSIBLE]
    names = _likeliest_first(state, active, origin, [*there, *presumed.perhaps_in(active, active.passed, origin)])
    certain = len(names) == 1 and names[0] in active.knocked and presumed.perhaps_left(active, origin) is None
    if certain and (place, state.team) not in state.markers:
        command = Command.of("passed", piece=names[0], place=place, target=target)
        if applies(state, command, TABLE):
            return Observed((command,))
    answers: list[tuple[Command | None, str]] = []
    for name in names:
        command = Command.of("passed", piece=name, place=place, target=target)
        by_hit = Command.of("passed", piece=name, place=place, target=target, by=active.mecha)
        words = f"{name} passed {places.kind(place)}"
        if applies(state, by_hit, TABLE):
            answers.append((by_hit, f"{words}, hit by {active.mecha}"))
            answers.append((command, f"{words}, pushed by another"))
        elif applies(state, command, TABLE):
            answers.append((command, words))
        else:
            answers.extend(_put(state, (Candidate(name, 1.0),), target or ""))
    command = Command.of("passed", piece=active.mecha, place=place, target=target)
    after_all: Answers = ((command, f"{active.mecha} passed {places.kind(place)} after all"),)
    text = f"{_seen(state, sighting)}, and {active.mecha} is not known to have been there. Which Mecha was it?"
    return _ask(text, (*answers, *_that_apply(state, after_all), *_HAND), sections.STUCK)


def _likeliest_first(state: State, active: Activation, origin: str, names: list[str]) -> list[str]:
    """Those that are told to have moved, then the only opponent that the Active Mecha can have met, then the others."""
    names = [name for name in dict.fromkeys(names) if name != active.mecha]
    foes = [name for name in names if TEAM_OF[name] != state.team]
    met = foes if len(foes) == 1 and origin in visited(state, active) else []
    return sorted(names, key=lambda name: (name not in active.knocked, name not in met))


def _ask_about_hands(state: State, active: Activation, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
    """A hand window is open: most likely the hand, perhaps a Flick before anybody said "placed"."""
    assert sighting.target is not None
    lines: Answers = ()
    if state.mecha(active.mecha).stuck == sighting.place:
        command = Command.of("unstick", box=sighting.target)
        lines = ((command, f"{active.mecha} was placed on the White line of {sighting.target}"),)
    origin = state.setup.places.origin(sighting.place, sighting.target)
    there = [Candidate(mecha.name, 1.0) for mecha in state.mechas if origin in mecha.boxes]
    there.sort(key=lambda each: each.piece != active.mecha)
    passes = _passes(state, active, sighting, pieces or there)
    text = f"{_seen(state, sighting)} while hands were placing {' and '.join(state.placing)}. What was it?"
    return _ask(text, (*_that_apply(state, lines), *_HAND, *passes), sections.PLACING)


def _passes(state: State, active: Activation, sighting: Sighting, pieces: Sequence[Candidate]) -> Answers:
    """A button for each Mecha that it can have been, the likeliest first; the Active Mecha is always possible."""
    names = [each.piece for each in pieces if each.weight >= POSSIBLE]
    places = state.setup.places
    answers: list[tuple[Command | None, str]] = []
    for name in dict.fromkeys((*names, active.mecha)):
        command = Command.of("passed", piece=name, place=sighting.place, target=sighting.target)
        if applies(state, command, TABLE):
            answers.append((command, f"{name} passed {places.kind(sighting.place)}"))
        elif sighting.target is not None:
            answers.extend(_put(state, (Candidate(name, 1.0),), sighting.target))
    return tuple(answers)


def _put(state: State, pieces: Sequence[Candidate], box: str) -> Answers:
    """Mechas that were moved by hand or by accident: where they are now, and no pass."""
    where = state.setup.places.box(box)
    return _that_apply(
        state,
        tuple(
            (Command.of("put", piece=each.piece, box=box), f"{each.piece} stands in {where} now")
            for each in pieces
            if each.weight >= POSSIBLE and each.piece in ALL_MECHAS
        ),
    )


# --- a Launch, a Mecha in a frame, stillness, blindness


def _launched(state: State) -> Observed:
    command = Command.of("launched")
    active = state.open
    if active is not None and applies(state, command, TABLE):
        return Observed((command,))
    nothing: Answers = ((None, "Nothing: somebody tried the Launcher"),)
    if active is None or active.touched or not active.able:
        return _ask("The Launcher was released, but no Launch is due. What was it?", nothing, sections.LAUNCH)
    # Known elsewhere: people first say where it stood, then that it was Launched
    text = f"The Launcher was released, but {active.mecha} is not known in an outer Box. Where did it stand?"
    boxes = state.setup.places.launch_boxes
    stood: Answers = tuple(
        (Command.of("put", piece=active.mecha, box=box), f"{active.mecha} stood in {state.setup.places.box(box)}")
        for box in boxes
    )
    return _ask(text, (*_that_apply(state, stood), *nothing), sections.LAUNCH)


def _stuck(state: State, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
    active = state.open
    known = any(mecha.stuck == sighting.place for mecha in state.mechas)
    if active is None or sighting.place in state.barricades or (state.placing and known):
        return _NOTHING
    names = [each.piece for each in pieces if each.weight >= POSSIBLE] or [active.mecha]
    answers = _that_apply(
        state, tuple((_stuck_command(state, name, sighting), f"{name} is stuck there") for name in names)
    )
    if not answers:
        return _NOTHING
    if state.placing:
        # Most likely the hand, perhaps a Flick before anybody said "placed"
        hands = f"while hands were placing {' and '.join(state.placing)}. What is it?"
        return _ask(
            f"Something stands in the frame of Door {sighting.place} {hands}", (*_HAND, *answers), sections.STUCK
        )
    if len(answers) == 1 and (not pieces or pieces[0].weight >= SURE) and answers[0][0] is not None:
        return Observed((answers[0][0],))
    text = f"Something stands in the frame of Door {sighting.place}. Which Mecha is it?"
    return _ask(text, (*answers, *_HAND), sections.STUCK)


def _stuck_command(state: State, name: str, sighting: Sighting) -> Command:
    """For the Active Mecha the side from which alone it is seen belongs to it, where the beams tell."""
    if len(sighting.sides) == 1 and state.active is not None and state.active.mecha == name:
        return Command.of("stuck", piece=name, place=sighting.place, side=sighting.sides[0])
    return Command.of("stuck", piece=name, place=sighting.place)


def _settled(state: State) -> Observed:
    """Only a movement of which something was seen ends so: a Flick is never announced."""
    command = Command.of("movement_ended")
    active = state.open
    if active is None or not applies(state, command, TABLE):
        return _NOTHING
    return Observed((command,)) if active.moving else _NOTHING


def _blind(state: State, sighting: Sighting) -> Observed:
    """Edges were lost: people who saw a pass say so. A sensor that only looks ill is no question."""
    active, places = state.open, state.setup.places
    if active is None or sighting.place in places.ways or sighting.confidence >= CONVINCED:
        return _NOTHING
    name, known = active.mecha, state.mecha(active.mecha).boxes
    answers: Answers = tuple(
        (
            Command.of("passed", piece=name, place=place, target=target),
            f"{name} passed {places.kind(place)} into {places.box(target)}",
        )
        for place, ways in places.ways.items()
        for origin, target in ways
        if origin in known
    )
    nothing: Answers = ((None, f"{name} passed nothing"),)
    text = f"The table may have missed a pass. {sighting.note} Did {name} pass a Door or Hole meanwhile?"
    return _ask(text, (*nothing, *_that_apply(state, answers)), sections.STUCK)


# --- in common


def _ask(text: str, answers: Answers, section: str) -> Observed:
    return Observed(question=Question(text, answers, section))


def _that_apply(state: State, answers: Answers) -> Answers:
    return tuple(answer for answer in answers if answer[0] is not None and applies(state, answer[0], TABLE))


def _seen(state: State, sighting: Sighting) -> str:
    places = state.setup.places
    origin = places.origin(sighting.place, sighting.target or "") or "?"
    return f"Something passed {places.kind(sighting.place)} from {origin} into {sighting.target}"
