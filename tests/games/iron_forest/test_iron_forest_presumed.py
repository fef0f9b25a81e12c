"""Whoever made the passes: when people have told truly what was hit, each Objective marker is rightly credited.

Random movements of several Mechas, seen as the beams see them (only what passed), through the tracker and
the game; questions and doubts are answered as somebody would who watched.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from arena.games.iron_forest import IronForest, State
from arena.games.iron_forest import presumed as rules
from arena.games.iron_forest.choices import applies
from arena.games.iron_forest.teams import ALL_MECHAS, TEAM_OF
from arena.tracker import begin as believe
from arena.tracker import who
from arena.words import TABLE, Command, Seen, Sighting

Made = tuple[str, str, str, str]  # piece, place, origin, target


def movement(state: State, dice: random.Random) -> tuple[list[Made], list[str]]:
    """The passes of one movement, and whom something moved: nobody moves that is not the Active Mecha or was met."""
    assert state.active is not None
    mover, places = state.active.mecha, state.setup.places
    at = {mecha.name: mecha.boxes[0] for mecha in state.mechas}
    met, passes = [mover], []
    for _ in range(dice.randrange(1, 5)):
        around = [name for name in ALL_MECHAS if name not in met and any(at[name] == at[other] for other in met)]
        met += [name for name in around if dice.random() < 0.5]
        piece = dice.choice(met)
        ways = [(p, o, t) for p, ends in places.ways.items() for o, t in ends if o == at[piece]]
        place, origin, target = dice.choice(ways)
        passes.append((piece, place, origin, target))
        at[piece] = target
    moved = {piece for piece, *_ in passes}
    return passes, [name for name in met[1:] if name in moved or dice.random() < 0.3]


def see(game: IronForest, state: State, true: Made) -> State:
    piece, place, origin, target = true
    kind = Seen.DROP if place in state.setup.places.holes else Seen.PASS
    sighting = Sighting(kind, place, 1000, 2000, origin, target)
    expectation = game.expect(state)
    pieces, _ = who(believe(expectation), sighting, expectation)
    observed = game.observe(state, sighting, pieces)
    if observed.question is not None:
        said = [command for command, _ in observed.question.choices if command and command.get("piece") == piece]
        command = said[0] if said else Command.of("passed", piece=piece, place=place, target=target)
    else:
        (command,) = observed.commands
    return game.apply(state, command, TABLE)[0]


@pytest.mark.parametrize("seed", range(400))
def test_who_made_each_pass_is_right_in_the_end(game: IronForest, begin: Callable[..., State], seed: int) -> None:
    dice = random.Random(seed)
    start = begin(seed=seed)
    for name in ALL_MECHAS:
        start = start.with_mecha(start.mecha(name).to(dice.choice(start.setup.places.boxes)))
    assert start.active is not None
    mover = start.active.mecha
    start = start.with_active(start=start.mecha(mover))
    places = list(start.setup.places.ways)
    own = tuple((place, start.team) for place in dice.sample(places, 8))
    start = replace(start, markers=tuple(sorted(own)))
    passes, moved = movement(start, dice)
    state = start
    dice.shuffle(moved)
    for number, true in enumerate(passes):
        state = see(game, state, true)
        if moved and dice.random() < 0.2 and moved[0] in {piece for piece, *_ in passes[: number + 1]}:
            state = tell(game, state, moved.pop(0))
    assert state.active is not None
    assert len(state.active.passed) == len(passes)
    while True:
        active = state.active
        assert active is not None
        doubted = rules.doubt(active)
        if doubted is not None:
            piece = passes[active.passed.index(doubted)][0]
            command = Command.of("credit", piece=piece, place=doubted.place, target=doubted.target)
            state, _ = game.apply(state, command, TABLE)
        elif moved:
            state = tell(game, state, moved.pop(0))
        else:
            break
    assert [each.piece for each in active.passed] == [piece for piece, *_ in passes]
    collected = {place for piece, place, *_ in passes if piece == mover and (place, start.team) in start.markers}
    assert state.score(state.team) == len(collected)
    assert {place for place, team in state.markers} == {place for place, _ in start.markers} - collected
    at = {mecha.name: mecha.boxes for mecha in start.mechas} | {piece: (target,) for piece, _, _, target in passes}
    assert {mecha.name: mecha.boxes for mecha in state.mechas} == at
    assert applies(state, Command.of("done"), TABLE)


def tell(game: IronForest, state: State, name: str) -> State:
    command = Command.of("hit", piece=name)
    if TEAM_OF[name] == state.team:
        command = Command.of("bumped", piece=name)
    return game.apply(state, command, TABLE)[0] if applies(state, command, TABLE) else state
