"""A game in a file, and decided again from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arena.games.iron_forest import IronForest
from arena.rig import Rig
from arena.table import Record, RecordError, read_record, record, redecide, sightings
from arena.words import Edge, Gap, Seen
from little_race import Race
from upper_half import UpperHalf, a_few_turns, house_rig


def played(path: Path) -> UpperHalf:
    daemon = UpperHalf(path)
    for act in a_few_turns():
        daemon.act(act)
    daemon.table.undo(1)
    daemon.table.strike(daemon.table.log("table")[2]["seq"])
    daemon.table.undo(1)
    return daemon


def recorded(daemon: UpperHalf, over: bool = True) -> list[str]:
    """Its lines. ``over`` stands for a game that has come to its end, whose journal is no secret."""
    game_id = daemon.table.game_id or ""
    return list(
        record(daemon.store.edges(), daemon.store.entries(game_id), game=daemon.game.name, game_id=game_id, over=over)
    )


def test_a_recorded_game_decides_to_the_same_passes_and_the_same_end(tmp_path: Path) -> None:
    lines = recorded(played(tmp_path / "arena.sqlite"))
    result = redecide(read_record(lines), Rig(house_rig()), IronForest())
    assert result.recorded
    assert result.decided == result.recorded
    assert result.lost == ()
    assert result.same_end


def test_an_edge_that_was_lost_makes_a_difference_that_is_named(tmp_path: Path) -> None:
    whole = read_record(recorded(played(tmp_path / "arena.sqlite")))
    lost = Record(whole.game, whole.game_id, whole.over, tuple(item for item in whole.items if not in_h1(item)))
    result = redecide(lost, Rig(house_rig()), IronForest())
    assert not result.same
    assert any("H1" in text for text in result.recorded)
    assert not any("H1" in text for text in result.decided)


def in_h1(item: object) -> bool:
    return isinstance(item, Edge) and item.board == "upper" and item.channel == 8


def test_a_record_is_read_back_as_it_was(tmp_path: Path) -> None:
    daemon = played(tmp_path / "arena.sqlite")
    daemon.store.add_edges([], [Gap("lower", "aaaa0001", 90, 92, "the ring was full")])
    read = read_record(recorded(daemon))
    assert [item for item in read.items if isinstance(item, (Edge, Gap))] == [item for _, item in daemon.store.edges()]
    kept = daemon.store.entries(daemon.table.game_id or "")
    assert [(entry.seq, entry.kind, entry.body) for entry in read.entries] == [
        (entry.seq, entry.kind, entry.body) for entry in kept
    ]


def test_the_record_of_a_game_that_goes_on_holds_no_secret(tmp_path: Path) -> None:
    lines = recorded(played(tmp_path / "arena.sqlite"), over=False)
    assert not any("entry" in json.loads(line) for line in lines)
    assert "seed" not in "".join(lines)
    read = read_record(lines)
    with pytest.raises(ValueError, match="before its game was over"):
        redecide(read, Rig(house_rig()), IronForest())
    seen = sightings(read, Rig(house_rig()))
    assert [each.place for each in seen if each.seen in (Seen.PASS, Seen.DROP)] == ["D6", "D2", "D10", "H1", "D9"]
    assert seen[-1].seen is Seen.SETTLED


def test_a_record_of_another_game_is_refused(tmp_path: Path) -> None:
    read = read_record(recorded(played(tmp_path / "arena.sqlite")))
    with pytest.raises(ValueError, match="iron_forest"):
        redecide(read, Rig(house_rig()), Race())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "is empty"),
        (['{"record": 2}'], "version 2"),
        (["nonsense"], "Line 1 of the record was expected to be its head"),
        (['{"record": 1, "game": "race"}', '{"edge": ["a", 1]}'], "Line 2 .* an edge, a gap or an entry"),
    ],
)
def test_what_is_no_record_is_told_with_its_line(lines: list[str], words: str) -> None:
    with pytest.raises(RecordError, match=words):
        read_record(lines)
