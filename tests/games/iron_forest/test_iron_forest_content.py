"""What a person can get wrong in a setup, a Scenario or a Power-up pack, and how it is told."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from arena.games.iron_forest import ContentError, IronForest
from arena.games.iron_forest.cards import load_cards

Setup = dict[str, Any]


def broken(setup: Setup, key: str, old: str, new: str) -> Setup:
    assert old in setup[key]
    return {**setup, key: setup[key].replace(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"D7"]', '"D77"]', "the Scenario, markers.iron_force[6]: found 'D77', expected a Door or Hole of this table"),
        ('"D7"]', '"D1"]', "markers.iron_force[6]: found 'D1', expected each place once"),
        ("goal = 12", "goal = 13", "scenario.goal: found 13, expected at most 12"),
        ("goal = 12", 'goal = "12"', "scenario.goal: found '12', expected a whole number from 1 to 16"),
        ("goal = 12", "gaol = 12", "scenario.gaol: found 'gaol', expected only the keys"),
        ("goal = 12", "", "scenario.goal: found nothing, expected a whole number"),
        ("new_markers = 5", "new_markers = 9", "scenario.new_markers: found 9, expected a whole number from 0 to 8"),
        ('origin = "printed"', 'origin = "mine"', "scenario.origin: found 'mine', expected one of printed, house"),
        ('game = "iron_forest"', 'game = "iron"', "scenario.game: found 'iron', expected one of iron_forest"),
        ("iron_force = [", "iron_farce = [", "markers.iron_farce"),
        ("schema = 1", "schema = 2", "scenario.schema: found 2"),
        ("[markers]", "[markers", "the Scenario: is not TOML"),
    ],
)
def test_a_scenario_says_its_file_its_key_what_was_found_and_what_was_expected(
    game: IronForest, make_setup: Callable[..., Setup], old: str, new: str, told: str
) -> None:
    with pytest.raises(ContentError) as problem:
        game.new(broken(make_setup(), "scenario", old, new))
    assert told in str(problem.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("copies = 4", "copies = 5", "the Power-up pack, card.copies: found 17, expected 16 cards in all"),
        ('effect = "mine"', 'effect = "mime"', "card[3].effect: found 'mime', expected one of repair"),
        ('id = "sabotage"', 'id = "barricade"', "card[2]: found 'barricade', expected another id"),
        ('text = "Draw 2', 'txet = "Draw 2', "card[6].txet: found 'txet'"),
        ("[pack]", "[bag]", "pack: found nothing, expected a table [pack]"),
    ],
)
def test_a_power_up_pack_says_what_is_wrong_in_it(
    game: IronForest, make_setup: Callable[..., Setup], old: str, new: str, told: str
) -> None:
    with pytest.raises(ContentError) as problem:
        game.new(broken(make_setup(), "power_ups", old, new))
    assert told in str(problem.value)


def test_everything_wrong_in_a_file_is_told_at_once(game: IronForest, make_setup: Callable[..., Setup]) -> None:
    setup = broken(make_setup(), "scenario", '"D7"]', '"D77"]')
    with pytest.raises(ContentError) as problem:
        game.new(broken(setup, "scenario", '"H2"]', '"H3"]'))
    assert len(problem.value.problems) == 2


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("seed", None, "the setup, seed: found nothing, expected a whole number"),
        ("seed", True, "the setup, seed: found True"),
        ("first", "animals", "the setup, first: found 'animals', expected one of animal_clans, iron_force"),
        ("players", [], "the setup, players: found [], expected a list of 2 to 4 players"),
        ("options", {"chaos": True}, "the setup, options.chaos: found 'chaos', expected only second_chance"),
        ("options", {"maximum_chaos": 1}, "the setup, options.maximum_chaos: found 1, expected true or false"),
        ("option", {}, "the setup, option: found 'option', expected only the keys"),
        ("map", None, "the map, map: found nothing, expected the rig file's map"),
        ("scenario", None, "the Scenario: found NoneType, expected the text of a TOML file"),
    ],
)
def test_a_setup_names_the_bad_key(
    game: IronForest, make_setup: Callable[..., Setup], key: str, value: object, told: str
) -> None:
    with pytest.raises(ValueError, match="expected") as problem:
        game.new({**make_setup(), key: value})
    assert told in str(problem.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"team": "iron_force"}, "expected teams of 1 and 1, 1 and 2, or 2 and 2 players"),
        ({"team": "reds"}, "players[0].team: found 'reds'"),
        ({"seat": "P2"}, "players[1].seat: found 'P2', expected a seat of its own"),
        ({"seat": "table"}, "players[0].seat: found 'table'"),
        ({"name": ""}, "players[0].name: found '', expected some words"),
    ],
)
def test_players_are_checked(
    game: IronForest, make_setup: Callable[..., Setup], change: dict[str, str], told: str
) -> None:
    setup = copy.deepcopy(make_setup())
    setup["players"][0] |= change
    with pytest.raises(ValueError, match="expected") as problem:
        game.new(setup)
    assert told in str(problem.value)


@pytest.mark.parametrize("key", ["boxes", "doors", "depots"])
def test_a_map_that_lacks_what_the_rules_need_is_refused(
    game: IronForest, make_setup: Callable[..., Setup], key: str
) -> None:
    setup = copy.deepcopy(make_setup())
    setup["map"][key] = {"D1": {"boxes": ["B1"]}} if key == "doors" else {}
    with pytest.raises(ContentError, match="the map"):
        game.new(setup)


def test_the_shipped_deck_has_16_cards_and_only_field_repair_kit_claims_a_printed_effect(
    make_setup: Callable[..., Setup],
) -> None:
    cards = load_cards(make_setup()["power_ups"])
    assert len(cards.deck) == 16
    assert [card.name for card in cards.kinds.values() if card.origin == "printed"] == ["Field Repair Kit"]
    printed = {card.name for card in cards.kinds.values() if card.name_origin == "printed"}
    assert printed == {"Field Repair Kit", "Barricade", "Sabotage", "Proximity Mine"}


def test_the_shipped_scenario_is_the_rulebooks(make_setup: Callable[..., Setup], house_map: dict[str, Any]) -> None:
    """7 Iron Force markers on the Lower level; 5 Animal Clans at Doors of both levels and 2 at Holes."""
    markers = tomllib.loads(make_setup()["scenario"])["markers"]
    doors, holes = house_map["doors"], house_map["holes"]
    assert [doors[place]["level"] for place in markers["iron_force"]] == ["lower"] * 7
    clans = markers["animal_clans"]
    assert {doors[place]["level"] for place in clans if place in doors} == {"lower", "upper"}
    assert sum(place in doors for place in clans) == 5
    assert sum(place in holes for place in clans) == 2


def test_a_text_that_is_no_saved_game_is_refused(game: IronForest, make_setup: Callable[..., Setup]) -> None:
    for text in ('{"format":0}', "[]", game.dump(game.new(make_setup())).replace('"turn"', '"trun"')):
        with pytest.raises(ValueError, match="saved game"):
            game.load(text)
