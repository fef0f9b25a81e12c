"""Iron Forest itself at the table: random legal games, corrected at random."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.table import Story, Table
from arena.table.redecide import MemoryJournal
from arena.words import SPECTATOR, TABLE
from upper_half import house_rig, two_players

SETUP: dict[str, Any] = two_players(house_rig(), seed=918273645564738291)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_game_with_corrections_is_the_fold_of_its_journal(seed: int) -> None:
    chance = Random(seed)
    journal, game = MemoryJournal(), IronForest()
    table = Table(game, journal, lambda: 1000 * len(journal.written), lambda: "")
    table.begin(SETUP)
    for nth in range(120):
        legal = game.legal(table.state, TABLE)
        if not legal or chance.random() < 0.06:
            steps = chance.randint(1, min(5, len(table.story.timeline.actions) or 1))
            table.undo(steps)
        elif chance.random() < 0.04 and len(table.story.timeline.steps) > 1:
            table.strike(chance.choice(table.story.timeline.steps[1:]).seq)
        elif chance.random() < 0.04:
            table.insert(chance.choice(table.story.timeline.steps).seq, chance.choice(legal).command)
        else:
            choice = next((each for each in legal if each.default and chance.random() < 0.4), chance.choice(legal))
            given = table.give(TABLE, choice.command, f"c{nth}")
            assert given.ok, (choice, given)
    again = Story.of(IronForest(), journal.written)
    assert game.dump(again.state) == game.dump(table.state)
    assert again.belief == table.belief
    for seat in (SPECTATOR, TABLE, "P1", "P2"):
        page = json.dumps(table.page(seat))
        assert str(SETUP["seed"]) not in page
        assert len(page) < 80_000


def test_undo_across_a_draw_brings_the_same_mecha_back() -> None:
    game = IronForest()
    table = Table(game, MemoryJournal(), lambda: 0, lambda: "")
    table.begin(SETUP)
    done = next(choice.command for choice in game.legal(table.state, TABLE) if choice.default)
    before = game.dump(table.state)
    assert table.give(TABLE, done, "c1").ok
    drawn = game.dump(table.state)
    table.undo(1)
    assert game.dump(table.state) == before
    table.give(TABLE, done, "c2")
    assert game.dump(table.state) == drawn


def test_a_preview_tells_damage_in_words() -> None:
    table = Table(IronForest(), MemoryJournal(), lambda: 0, lambda: "")
    table.begin(SETUP)
    hit = next(c.command for c in IronForest().legal(table.state, TABLE) if c.command.do == "hit")
    table.give(TABLE, hit, "c1")
    assert f"{hit['piece']}: Damaged → undamaged." in table.undo(1, preview=True).changes
