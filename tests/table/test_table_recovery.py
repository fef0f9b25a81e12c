"""No pass is lost and none counts twice: over restarts, corrections, new games, and the word of a counter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from arena.games.iron_forest import IronForest
from arena.rig import Rig
from arena.table import Given, read_record, record, redecide
from arena.words import TABLE, Command, EdgeId, Gap, Seen, Sighting
from race_table import MS, RaceTable
from upper_half import Play, UpperHalf, a_disputed_turn, a_few_turns, house_rig, two_players

STARTS = pytest.mark.parametrize("forget", [False, True], ids=["from the rig's memory", "from the first edge"])


def played(path: Path, play: Play) -> UpperHalf:
    daemon = UpperHalf(path)
    for act in play.acts:
        daemon.act(act)
    return daemon


def asked(daemon: UpperHalf) -> list[str]:
    return [question.text for question in daemon.table.story.waiting]


# The counter's word


def denied(path: Path) -> UpperHalf:
    play = Play()
    play.passes("D6", "B3")  # seed 1: BBIT
    play.counts("D6", 0)
    return played(path, play)


def test_a_pass_that_its_counter_denies_is_asked_about_and_struck_once(tmp_path: Path) -> None:
    daemon = denied(tmp_path / "arena.sqlite")
    question = daemon.table.page(TABLE)["question"]
    assert question["text"].startswith("The counter of D6 says that what was told as a pass came back")
    assert question["text"].endswith("In the log: BBIT passes Door D6 into B2 (East).")
    assert question["choices"] == ["strike it", "keep it"]
    given = daemon.table.answer(question["id"], 0, "a1")
    assert given.ok
    assert "BBIT: B2 → B3." in given.changes
    assert asked(daemon) == []
    daemon.table.undo(1)
    assert len(asked(daemon)) == 1
    assert "BBIT passes Door D6 into B2 (East)." in [line["text"] for line in daemon.table.log(TABLE)]


@STARTS
@pytest.mark.parametrize("choice", [0, 1])
def test_the_answer_to_a_counter_holds_over_a_restart(tmp_path: Path, choice: int, forget: bool) -> None:
    daemon = denied(tmp_path / "arena.sqlite")
    daemon.table.answer(daemon.table.page(TABLE)["question"]["id"], choice, "a1")
    where, seq = daemon.dump(), daemon.table.seq
    again = daemon.restart(forget)
    assert (again.dump(), again.table.seq, asked(again)) == (where, seq, [])
    assert again.table.story.timeline.last.expectation.known["BBIT"] == (("B3",) if choice == 0 else ("B2",))


def test_a_pass_that_a_counter_never_confirmed_is_asked_about_too(tmp_path: Path) -> None:
    play = Play()
    play.counts("D6", 0)
    play.passes("D6", "B3")
    play.passes("D7", "B4")  # the same board, a second later: D6's counter said nothing
    daemon = played(tmp_path / "arena.sqlite", play)
    assert any("the counter saw none" in text for text in asked(daemon))


def test_a_counter_that_agrees_asks_nothing(tmp_path: Path) -> None:
    play = Play()
    play.passes("D6", "B3")
    play.counts("D6", -4 if house_rig().map()["doors"]["D6"]["boxes"][0] == "B2" else 4)
    assert asked(played(tmp_path / "arena.sqlite", play)) == []


@pytest.mark.parametrize("correct", [lambda race, seq: race.table.strike(seq), lambda race, seq: race.table.undo(1)])
def test_a_counter_asks_nothing_about_a_pass_that_does_not_count_any_more(
    race: RaceTable, correct: Callable[[RaceTable, int], Given]
) -> None:
    seen = race.flick("D1", "A")
    doubt = Sighting(
        Seen.SICK, "D1", race.now_us, race.now_us, edges=seen.edges, note="Denied.", contradicts=seen.edges
    )
    other = replace(doubt, place="D2", edges=(EdgeId("a1b2c3d4", 900),))
    race.see(other)
    assert race.page()["question"] is None, "that was another Door"
    correct(race, race.seq_of("RED passes D1 to B."))
    race.see(doubt)
    assert race.page()["question"] is None
    assert "Denied." in race.texts()


def test_a_question_about_a_pass_goes_when_people_strike_it_themselves(race: RaceTable) -> None:
    seen = race.flick("D1", "A")
    race.see(Sighting(Seen.SICK, "D1", race.now_us, race.now_us, edges=seen.edges, note="No.", contradicts=seen.edges))
    assert race.page()["question"]["choices"] == ["strike it", "keep it"]
    race.table.strike(race.seq_of("RED passes D1 to B."))
    assert race.page()["question"] is None
    race.table.undo(1)
    assert race.page()["question"]["choices"] == ["strike it", "keep it"]


def test_the_pass_that_won_can_be_denied(race: RaceTable) -> None:
    ring = ["D1", "D2", "D3"]
    seen = [race.flick(ring[nth % 3], "ABC"[nth % 3]) for nth in range(10)][-1]
    race.see(Sighting(Seen.SICK, "D1", race.now_us, race.now_us, edges=seen.edges, note="No.", contradicts=seen.edges))
    race.restart()
    assert race.answer(0).ok
    assert race.table.outcome() is None
    assert race.state.scores == (9, 0)


def test_an_answered_pass_can_be_denied(race: RaceTable) -> None:
    race.wait(500)
    seen = race.pass_seen("D1", "A", sure=0.3)
    race.see(seen)
    race.answer(0)
    race.see(Sighting(Seen.SICK, "D1", race.now_us, race.now_us, edges=seen.edges, note="No.", contradicts=seen.edges))
    race.answer(0)
    assert race.state.scores == (0, 0)


def test_a_disputed_turn_is_decided_again_as_it_was(tmp_path: Path) -> None:
    play = Play()
    play.acts = a_disputed_turn()
    daemon = played(tmp_path / "arena.sqlite", play)
    game_id = daemon.table.game_id or ""
    lines = record(
        daemon.store.edges(), daemon.store.entries(game_id), game=daemon.game.name, game_id=game_id, over=True
    )
    result = redecide(read_record(lines), Rig(house_rig()), IronForest())
    assert (result.lost, result.same, result.same_end) == ((), True, True)


# Restarts


@STARTS
def test_a_struck_pass_does_not_come_back(tmp_path: Path, forget: bool) -> None:
    play = Play()
    play.acts = a_few_turns()
    daemon = played(tmp_path / "arena.sqlite", play)
    seq = next(line["seq"] for line in daemon.table.log(TABLE) if line["by"] == "beams" and line["can_strike"])
    assert daemon.table.strike(seq).ok
    where, held = daemon.dump(), daemon.table.seq
    again = daemon.restart(forget)
    assert (again.dump(), again.table.seq) == (where, held)


@STARTS
def test_a_pass_is_decided_once_although_its_journal_entry_was_not_written_before_the_kill(
    tmp_path: Path, forget: bool
) -> None:
    play = Play()
    play.passes("D6", "B3")
    edges = [act[1] for act in play.acts]
    daemon = UpperHalf(tmp_path / "arena.sqlite")
    daemon.store.add_edges(edges)  # and then the power goes
    daemon.now_us = play.now_us
    again = daemon.restart(forget)
    assert again.table.story.timeline.last.expectation.known["BBIT"] == ("B2",)
    seq = again.table.seq
    for edge in edges:
        again.keep(edge)  # the board sends them again
    assert again.restart(forget).table.seq == seq


@STARTS
def test_a_waiting_question_and_an_undone_answer_wait_once_after_a_restart(tmp_path: Path, forget: bool) -> None:
    play = Play()
    play.passes("D9", "B7")  # BBIT was not there
    daemon = played(tmp_path / "arena.sqlite", play)
    waiting = asked(daemon)
    assert len(waiting) == 1
    daemon = daemon.restart(forget)
    assert asked(daemon) == waiting
    assert daemon.table.answer(daemon.table.page(TABLE)["question"]["id"], 1, "a1").ok
    daemon = daemon.restart(forget)
    assert asked(daemon) == []
    daemon.table.undo(1)
    daemon = daemon.restart(forget)
    assert asked(daemon) == waiting
    assert daemon.table.answer(daemon.table.page(TABLE)["question"]["id"], 1, "a1").ok, "the same tap again"
    assert asked(daemon) == waiting, "is the one that was undone"


def test_lost_edges_are_asked_about_once_however_much_later_the_daemon_starts_again(tmp_path: Path) -> None:
    play = Play()
    play.passes("D6", "B3")
    daemon = played(tmp_path / "arena.sqlite", play)
    daemon.rig.tick(daemon.now_us + 100 * MS)  # the rig's own time has gone on when it hears of the loss
    daemon.lose(Gap("lower", "aaaa0001", 4, 9, "the ring was full"))
    waiting = asked(daemon)
    assert len(waiting) == 1
    assert asked(daemon.restart(forget=True)) == waiting


def test_a_pass_that_a_rig_tells_otherwise_after_a_restart_counts_once(race: RaceTable) -> None:
    seen = race.flick("D1", "A")
    race.restart()
    reading = EdgeId("a1b2c3d4", 500)
    race.see(replace(seen, edges=(*seen.edges, reading), latest_us=seen.latest_us + 10 * MS))
    assert race.state.scores == (1, 0)
    assert race.page()["question"] is None


# New games and late edges


def test_what_straddles_the_beginning_of_a_game_is_asked_and_never_scored_by_itself(race: RaceTable) -> None:
    seen = race.pass_seen("D1", "A", at_us=race.now_us + 200 * MS, width_us=300 * MS)
    race.wait(10)
    race.table.begin({"seed": 8})
    race.wait(300)
    race.see(seen)
    assert race.state.scores == (0, 0)
    question = race.page()["question"]
    assert question["text"].endswith("It cannot be told whether that was before this game began.")
    assert question["choices"] == ["count it in RED's Activation", "ignore it"]
    race.restart()
    assert race.answer(0).ok
    assert race.state.scores == (1, 0)


@STARTS
def test_edges_of_the_old_game_that_a_board_still_held_are_no_part_of_the_new_one(tmp_path: Path, forget: bool) -> None:
    play = Play()
    play.passes("D6", "B3")
    daemon = UpperHalf(tmp_path / "arena.sqlite")
    daemon.now_us = play.now_us + 100 * MS
    daemon.table.begin(two_players(daemon.rig_file, seed=1))
    begun, seq = daemon.dump(), daemon.table.seq
    for act in play.acts:
        daemon.act(act)
    assert (daemon.dump(), daemon.table.seq) == (begun, seq)
    again = daemon.restart(forget)
    assert (again.dump(), again.table.seq) == (begun, seq)


@STARTS
def test_a_late_pass_of_the_activation_before_is_asked_once(tmp_path: Path, forget: bool) -> None:
    play = Play()
    play.passes("D6", "B3")
    late = [act[1] for act in play.acts]
    daemon = UpperHalf(tmp_path / "arena.sqlite")
    daemon.tap(play.now_us + 500 * MS, Command.of("done"), "c1")
    mover = daemon.table.story.timeline.last.expectation.mover
    for edge in late:
        daemon.keep(edge)
    waiting = asked(daemon)
    assert len(waiting) == 1
    assert "It came late: it happened in BBIT's Activation." in waiting[0]
    daemon = daemon.restart(forget)
    assert asked(daemon) == waiting
    assert daemon.table.answer(daemon.table.page(TABLE)["question"]["id"], 0, "a1").ok
    daemon = daemon.restart(forget)
    assert asked(daemon) == []
    expectation = daemon.table.story.timeline.last.expectation
    assert (expectation.known["BBIT"], expectation.mover) == (("B2",), mover)


# The same tap twice


CORRECTIONS: dict[str, Callable[[RaceTable], Given]] = {
    "undo": lambda race: race.table.undo(1, command_id="same"),
    "strike": lambda race: race.table.strike(race.table.story.timeline.steps[1].seq, command_id="same"),
    "insert": lambda race: race.table.insert(
        0, Command.of("passed", piece="BLUE", place="D1", target="B"), command_id="same"
    ),
    "answer": lambda race: race.table.answer("q4", 1, "same"),
    "an answer that was nothing": lambda race: race.table.answer("q4", 2, "same"),
}


@pytest.mark.parametrize("what", CORRECTIONS)
def test_a_correction_whose_answer_was_lost_in_a_restart_is_answered_as_before_and_made_once(
    race: RaceTable, what: str
) -> None:
    race.flick("D1", "A")
    race.flick("D2", "B")
    race.wait(300)
    race.see(race.pass_seen("D1", "A", sure=0.3))
    first = CORRECTIONS[what](race)
    assert first.ok
    assert first.changes
    seq, dump = race.table.seq, race.dump()
    race.restart()
    assert CORRECTIONS[what](race) == first
    assert (race.table.seq, race.dump()) == (seq, dump)
    race.give("done")
    race.restart()
    assert CORRECTIONS[what](race) == first, "also after more was done"


def test_a_tap_of_the_old_game_that_is_sent_again_does_nothing_in_the_new_one(race: RaceTable) -> None:
    first = race.give("done", id="tap-1")
    race.table.begin({"seed": 8})
    assert race.give("done", id="tap-1") == first
    assert race.state.activation == 1


def test_a_new_game_whose_answer_was_lost_in_a_restart_is_begun_once(race: RaceTable) -> None:
    game_id = race.table.begin({"seed": 8}, "new-1")
    race.give("done")
    race.restart()
    assert race.table.begin({"seed": 8}, "new-1") == game_id
    assert race.state.activation == 2
    assert race.table.begin({"seed": 8}, "new-2") != game_id
