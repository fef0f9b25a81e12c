"""Random whole games: what every state of every game must keep, whatever people do."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from arena.games.contract import Illegal
from arena.games.iron_forest import IronForest, State
from arena.games.iron_forest.teams import ALL_MECHAS, MECHAS, TEAMS, activation_cards
from arena.words import OUTSIDE, SPECTATOR, TABLE, Command

OPTIONS = ("second_chance", "no_power_ups", "maximum_chaos", "physical_deck")
GAMES = [
    (players, {name: bool(mask >> bit & 1) for bit, name in enumerate(OPTIONS)})
    for players, mask in itertools.product((2, 3, 4), (0b0000, 0b0001, 0b0010, 0b0100, 0b1000, 0b1101, 0b0101))
]
# Corrections and misfortunes come seldom, so that a random game still gets on
WEIGHTS = {"put": 0.002, "passed": 0.3, "stuck": 0.15, "done": 3.0, "movement_ended": 1.0}
# Cards are played and lie on the table, so that a random game meets them, and a Launch that is left open
WEIGHTS |= {"play": 2.0, "set_off": 0.3, "launched": 3.0, "landed": 0.5, "unstick": 20.0, "second_chance": 2.0}


def players_of(state: State) -> list[str]:
    return [player.seat for player in state.setup.players]


def pick(game: IronForest, state: State, dice: random.Random) -> tuple[Command, str]:
    seat = dice.choice([TABLE, TABLE, *players_of(state)])
    choices = game.legal(state, seat) or game.legal(state, seat := TABLE)
    own = state.markers_of(state.team)
    weights = [
        40.0
        if choice.command.do == "passed"
        and choice.command["place"] in own
        and state.active is not None
        and choice.command["piece"] == state.active.mecha
        and dice.random() < 0.02
        else WEIGHTS.get(choice.command.do, 1.0)
        for choice in choices
    ]
    return dice.choices([choice.command for choice in choices], weights)[0], seat


def presumed(state: State, command: Command, dice: random.Random) -> Command:
    """As beams tell it: whoever stands in that Box too can have made the Active Mecha's pass."""
    active = state.open
    if command.do != "passed" or active is None or command["piece"] != active.mecha or dice.random() < 0.2:
        return command
    origin = state.setup.places.origin(str(command["place"]), str(command["target"]))
    others = sorted(mecha.name for mecha in state.mechas if origin in mecha.boxes and mecha.name != active.mecha)
    return Command.of("passed", **dict(command.args), others=" ".join(others)) if others else command


def play(game: IronForest, setup: dict[str, Any], seed: int, limit: int = 5000) -> list[tuple[State, Command, str]]:
    """The states of a random game, with the command that followed each."""
    dice, state, story = random.Random(seed), game.new(setup), []
    while game.outcome(state) is None:
        assert len(story) < limit, "the random game does not end"
        command, seat = pick(game, state, dice)
        command = presumed(state, command, dice)
        story.append((state, command, seat))
        state, _ = game.apply(state, command, seat)
    story.append((state, Command.of("end"), TABLE))
    return story


def check_counts(state: State) -> None:
    """Nothing of the game box is lost or made: cards and markers."""
    for number, team in enumerate(TEAMS):
        assert Counter(state.decks[number] + state.discards[number]) == Counter(activation_cards(team))
        assert len(state.markers_of(team)) <= 8
        if not state.winners:
            placed = 7 + 5 * state.renewed[number]
            due = state.markers_due if team == state.team else 0
            assert len(state.markers_of(team)) + state.score(team) + due == placed
    lying = ["barricade"] * len(state.barricades) + ["proximity_mine"] * len(state.mines)
    lying += ["sabotage"] * len(state.sabotages)
    cards = Counter(state.power_deck + state.power_discard + state.gifts) + Counter(lying)
    cards += Counter(held.kind for hand in state.held for held in hand)
    assert cards == (Counter() if state.setup.options.no_power_ups else Counter(state.setup.cards.deck))


def check_whereabouts(state: State) -> None:
    for mecha in state.mechas:
        assert (mecha.boxes == (OUTSIDE,)) == mecha.ko
        assert not (mecha.ko and mecha.damaged)
        assert mecha.stuck is None or set(mecha.boxes) == set(state.setup.places.doors[mecha.stuck])


def check_doing(game: IronForest, state: State) -> None:
    """Whatever is listed can be done, and leaves the table as it may be left."""
    listed = [choice.command for choice in game.legal(state, TABLE)]
    verbs = {command.do for command in listed}
    active = state.open
    if active is not None:
        told = active.passed or active.launched or active.hits or active.outside or active.bumped or active.changed
        where_to = game.view(state, TABLE)["phase"]
        if where_to in ("landing", "doubt") or (told and not active.ended):
            assert "play" not in verbs, "a Power-up in the middle of the main action"
        if state.mecha(active.mecha).ko or active.mecha in active.outside:
            assert where_to in ("still", "doubt"), where_to
            assert "landed" not in verbs
            assert game.expect(state).mover is None
        if told or active.ended or state.mecha(active.mecha).stuck != active.start.stuck:
            assert not verbs & {"launched", "prepare_launch", "white_line", "unstick"}, "a second main action"
        if not active.able:
            assert verbs <= {"done", "play", "put", "placed"}, verbs
    for command in listed:
        after, _ = game.apply(state, command, TABLE)
        check_whereabouts(after)
        if command.do == "play" and command["card"] == "barricade":
            assert command["place"] not in {mecha.stuck for mecha in state.mechas}


def all_commands(state: State) -> list[Command]:
    """Every command that could be thought of, right or wrong."""
    places = state.setup.places
    seats, boxes = [*players_of(state), "P9"], [*places.boxes, OUTSIDE, "B9"]
    spots = [*places.ways, "D99"]
    of = Command.of
    found = [of(do) for do in ("launched", "bumped", "movement_ended", "done", "second_chance", "placed", "dance")]
    found += [of("prepare_launch"), of("white_line"), of("done", piece="BUBO"), of("hit"), of("hit", piece=None)]
    found += [of(do, piece=name) for do in ("hit", "outside") for name in (*ALL_MECHAS, "NOBODY")]
    found += [of("done", hit=name) for name in (*ALL_MECHAS, "NOBODY")]
    found += [of("bumped", piece=name) for name in (*ALL_MECHAS, "NOBODY")]
    found += [of("draw", card=name) for name in (*ALL_MECHAS, "NOBODY")]
    found += [of(do, box=box) for do in ("landed", "unstick") for box in boxes]
    found += [of("put", piece=name, box=box) for name in ALL_MECHAS for box in boxes]
    found += [of("place_marker", place=place) for place in spots]
    found += [
        of(do, piece=m, place=p, target=b)
        for do in ("passed", "credit")
        for m in ALL_MECHAS
        for p in spots
        for b in boxes
    ]
    found += [of("stuck", piece=m, place=p) for m in ALL_MECHAS for p in spots]
    found += [of("stuck", piece=m, place=p, side=b) for m in ALL_MECHAS for p in spots for b in boxes]
    found += [of("set_off", piece=m, place=p) for m in ALL_MECHAS for p in (*boxes, *places.holes)]
    found += [of("give", player=seat) for seat in seats]
    found += [of("give", player=seat, token=token) for seat in seats for token in (1, 2, 3, 4, 5)]
    for kind in (*state.setup.cards.kinds, "joker"):
        found += [of("play", card=kind), of("play", card=kind, mecha="BUBO", place="D1")]
        found += [of("play", card=kind, mecha=name) for name in ALL_MECHAS]
        found += [of("play", card=kind, place=place) for place in (*spots, *boxes)]
    return found


def refusal(game: IronForest, state: State, command: Command, seat: str) -> Illegal | None:
    try:
        game.apply(state, command, seat)
    except Illegal as refused:
        return refused
    return None


def check_choices(game: IronForest, state: State) -> None:
    """What is listed applies, what is not is refused with a reason, and a refusal changes nothing."""
    before = game.dump(state)
    everything = all_commands(state)
    for seat in (TABLE, *players_of(state), SPECTATOR):
        choices = game.legal(state, seat)
        listed = {choice.command for choice in choices}
        assert len(listed) == len(choices)
        assert listed <= set(everything)
        assert sum(choice.default for choice in choices) <= 1
        for command in everything:
            refused = refusal(game, state, command, seat)
            assert (command in listed) == (refused is None), f"{command} for {seat}: {refused}"
            assert refused is None or (refused.section and refused.reason)
    assert game.dump(state) == before


@pytest.mark.parametrize(("players", "options"), GAMES, ids=str)
def test_a_random_game_ends_and_keeps_every_promise(
    game: IronForest, make_setup: Callable[..., dict[str, Any]], players: int, options: dict[str, bool]
) -> None:
    story = play(game, make_setup(players, seed=players, **options), seed=players)
    for state, _, _ in story:
        check_counts(state)
        check_whereabouts(state)
    for nth, (state, _, _) in enumerate(story):
        if nth % 10 == 0 or (state.open and (state.open.landing or state.mecha(state.open.mecha).ko)):
            check_doing(game, state)
    for state, _, _ in story[:: max(1, len(story) // 40)]:
        assert game.load(game.dump(state)) == state
        assert json.dumps(game.view(state, TABLE))
        assert set(game.expect(state).known) == set(ALL_MECHAS)
    for state, _, _ in story[:: max(1, len(story) // 2)]:
        check_choices(game, state)
    doubted = [state for state, _, _ in story if not state.winners and game.view(state, TABLE)["phase"] == "doubt"]
    assert doubted, "no pass was ever in doubt"
    check_choices(game, doubted[len(doubted) // 2])
    outcome = game.outcome(story[-1][0])
    assert outcome is not None
    assert outcome.scores[outcome.winners[0]] == 12
    assert not game.legal(story[-1][0], TABLE)


def test_random_games_meet_cards_mines_landings_and_kos_in_the_middle(
    game: IronForest, make_setup: Callable[..., dict[str, Any]]
) -> None:
    """Else the promises above would be empty."""
    told: Counter[str] = Counter()
    effects: set[str] = set()
    for seed in (1, 2, 3, 4):
        for state, command, _ in play(game, make_setup(2, seed=seed, second_chance=True), seed=seed):
            told[command.do] += 1
            if command.do == "play":
                effects.add(str(command["card"]))
            active = state.open
            if active is not None and active.able and state.mecha(active.mecha).ko:
                told["KO'd in its own main action"] += 1
    for verb in ("play", "set_off", "launched", "landed", "stuck", "unstick", "outside", "credit", "second_chance"):
        assert told[verb], (verb, told)
    assert told["KO'd in its own main action"] >= 3
    assert effects >= {"proximity_mine", "barricade", "sabotage", "recall_beacon", "shock_pulse"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_same_commands_give_the_same_game(
    game: IronForest, make_setup: Callable[..., dict[str, Any]], players: int
) -> None:
    setup = make_setup(players, seed=99, second_chance=True)
    story = play(game, setup, seed=4)
    state = game.new(json.loads(json.dumps(setup)))
    for then, command, seat in story:
        assert state == then
        assert game.dump(state) == game.dump(then)
        if command.do != "end":
            state, _ = game.apply(state, command, seat)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_loaded_game_goes_on_as_the_one_that_was_saved(
    game: IronForest, make_setup: Callable[..., dict[str, Any]], players: int
) -> None:
    story = play(game, make_setup(players, seed=5), seed=6)
    middle = len(story) // 2
    state = game.load(game.dump(story[middle][0]))
    for then, command, seat in story[middle:-1]:
        assert state == then
        state, _ = game.apply(state, command, seat)
    assert state == story[-1][0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_seat_sees_a_deck_the_generator_or_the_seed(
    game: IronForest, make_setup: Callable[..., dict[str, Any]], players: int
) -> None:
    """Two games that differ only in what nobody may know look alike to everybody."""
    for state, _, _ in play(game, make_setup(players, seed=1), seed=2)[::7]:
        turned = replace(
            state,
            decks=(state.decks[0][::-1], state.decks[1][::-1]),
            power_deck=state.power_deck[::-1],
            chance=state.chance ^ 12345,
            setup=replace(state.setup, seed=state.setup.seed + 1),
        )
        for seat in (TABLE, SPECTATOR, *players_of(state)):
            assert game.view(state, seat) == game.view(turned, seat)
            assert game.legal(state, seat) == game.legal(turned, seat)
        assert game.cues(state) == game.cues(turned)
        assert game.expect(state) == game.expect(turned)


@pytest.mark.parametrize("players", [3, 4])
def test_a_looked_at_power_up_is_hidden_from_the_other_team(
    game: IronForest, make_setup: Callable[..., dict[str, Any]], players: int
) -> None:
    found = 0
    for seed in range(6):
        for state, command, seat in play(game, make_setup(players, seed=seed), seed=seed):
            if state.gifts:
                others = [kind for kind in state.setup.cards.kinds if kind != state.gifts[0]]
                changed = replace(state, gifts=(others[0], *state.gifts[1:]))
                own = state.setup.seats_of(state.team)
                for hidden in (*own, SPECTATOR):
                    assert game.view(state, hidden) == game.view(changed, hidden)
                for shown in state.setup.seats_of(state.opponents):
                    assert game.view(state, shown) != game.view(changed, shown)
                found += 1
            if command.do == "done":
                _, events = game.apply(state, command, seat)
                for event in events:
                    if event.kind == "gift_seen":
                        assert event.seats
                        assert not set(event.seats) & set(state.setup.seats_of(state.team))
    assert found


def test_spectators_and_strangers_may_do_nothing(game: IronForest, begin: Callable[..., State]) -> None:
    state = begin()
    for seat in (SPECTATOR, "P3", ""):
        assert not game.legal(state, seat)
        with pytest.raises(Illegal):
            game.apply(state, Command.of("done"), seat)


def test_every_seed_shuffles_differently_and_every_order_keeps_three_cards_of_each(begin: Callable[..., State]) -> None:
    orders = {begin(seed=seed).decks[1] for seed in range(50)}
    assert len(orders) == 50
    for order in orders:
        assert Counter(order) == dict.fromkeys(MECHAS["iron_force"], 3)
