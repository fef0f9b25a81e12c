"""Every ruling of ``tests/rulings/iron_forest``: the rulebook, read as the team reads it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.games.iron_forest.choices import applies
from arena.words import TABLE

sys.path.insert(0, str(Path(__file__).parent))
from ruling import Told, begin, command_of, do, found_at, words_of

FOLDER = Path(__file__).parents[2] / "rulings" / "iron_forest"
KEYS = {"section", "id", "say", "players", "first", "options", "given", "do", "then"}
THEN = {"view", "lacks", "legal", "not_legal", "refused", "asks", "answers", "follows", "told", "untold", "mover"}
THEN |= {"placing", "cues", "count", "stakes", "offered", "default", "labels"}


def rulings() -> list[Any]:
    found = []
    for file in sorted(FOLDER.glob("*.toml")):
        for nth, ruling in enumerate(tomllib.loads(file.read_text())["ruling"], 1):
            assert set(ruling) <= KEYS, f"{file.name}, ruling {nth}: {set(ruling) - KEYS}"
            assert set(ruling["then"]) <= THEN, f"{file.name}, ruling {nth}: {set(ruling['then']) - THEN}"
            found.append(pytest.param(ruling, id=f"{file.stem}: {ruling['say']}"))
    return found


def test_there_are_rulings_for_every_heading_that_the_scenario_needs() -> None:
    texts = {file.stem: tomllib.loads(file.read_text())["ruling"] for file in FOLDER.glob("*.toml")}
    assert sum(len(each) for each in texts.values()) >= 80
    sections = {ruling["section"] for each in texts.values() for ruling in each}
    for heading in (
        "Getting Ready",
        "On a Player's Turn",
        "2. Take Actions: Launch action",
        "2. Take Actions: Play a Power-up card",
        "Taking Damage + Getting KO'd",
        "End of a Round",
        "End of the Game",
        "2nd Chance Rule",
        "No Power-Ups Rule",
        "Maximum Chaos Rule",
        "FAQ: Power-Up Cards",
        "White Lines on the Board",
        "Getting Stuck in a Door",
        "Accidentally Changing the Game State",
    ):
        assert heading in sections, heading


@pytest.mark.parametrize("ruling", rulings())
def test_ruling(game: IronForest, make_setup: Callable[..., dict[str, Any]], ruling: dict[str, Any]) -> None:
    setup = make_setup(ruling.get("players", 2), first=ruling.get("first", "animal_clans"), **ruling.get("options", {}))
    told = Told(begin(game, setup, ruling.get("given", {})))
    lines = ruling.get("do", [])
    then = ruling["then"]
    for nth, line in enumerate(lines, 1):
        do(game, told, line)
        assert told.refused is None or nth == len(lines), f"{line}: {told.refused}"
    _check(game, told, then)


def _check(game: IronForest, told: Told, then: dict[str, Any]) -> None:
    refused = f"{told.refused.section}: {told.refused.reason}" if told.refused else None
    if "refused" in then:
        assert refused is not None
        assert then["refused"] in refused
    else:
        assert refused is None
    view = game.view(told.state, TABLE)
    for path, value in then.get("view", {}).items():
        assert found_at(view, path) == value, path
    for path, key in then.get("lacks", {}).items():
        assert key not in found_at(view, path), path
    for line in then.get("legal", []):
        assert applies(told.state, *command_of(line)), line
    for line in then.get("not_legal", []):
        assert not applies(told.state, *command_of(line)), line
    if "offered" in then:
        assert [words_of(choice.command) for choice in game.legal(told.state, TABLE)][: len(then["offered"])] == then[
            "offered"
        ]
    if "default" in then:
        assert [choice.label for choice in game.legal(told.state, TABLE) if choice.default] == [then["default"]]
    labels = {words_of(choice.command): choice.label for choice in game.legal(told.state, TABLE)}
    for line, label in then.get("labels", {}).items():
        assert labels[line] == label
    if "asks" in then:
        text = told.question.text if told.question else ""
        assert then["asks"] in text if then["asks"] else text == ""
    if "answers" in then:
        assert told.question is not None
        given = [words_of(command) for command, _ in told.question.choices]
        assert given == then["answers"]
    if "follows" in then:
        assert [words_of(command) for command in told.follows] == then["follows"]
    for kind in then.get("told", []):
        assert kind in told.kinds, told.kinds
    for kind in then.get("untold", []):
        assert kind not in told.kinds
    for kind, number in then.get("count", {}).items():
        assert told.kinds.count(kind) == number, told.kinds
    expectation = game.expect(told.state)
    if "mover" in then:
        assert (expectation.mover or "") == then["mover"]
    if "placing" in then:
        assert list(expectation.placing) == then["placing"]
    if "stakes" in then:
        assert sorted(expectation.stakes) == then["stakes"]
    for place, pattern in then.get("cues", {}).items():
        assert game.cues(told.state)[place].pattern == pattern, place
