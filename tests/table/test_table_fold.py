"""The state is the fold of the journal, whatever people do: random games against a plain model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from arena.games.contract import Illegal
from arena.store import Store
from arena.table import Story, Table
from arena.table.redecide import MemoryJournal
from arena.words import TABLE, Command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from little_race import DOORS, Race, Standing

COMMANDS = [
    Command.of("done"),
    Command.of("reveal"),
    Command.of("movement_ended"),
    *(
        Command.of("passed", piece=piece, place=door, target=target)
        for piece in ("RED", "BLUE")
        for door, ends in DOORS.items()
        for target in ends
    ),
    *(Command.of("put", piece=piece, box=box) for piece in ("RED", "BLUE") for box in "ABC"),
]
OPERATIONS = st.one_of(
    st.tuples(st.just("give"), st.sampled_from(COMMANDS)),
    st.tuples(st.just("give"), st.sampled_from(COMMANDS[:5])),
    st.tuples(st.just("undo"), st.integers(1, 6)),
    st.tuples(st.just("strike"), st.integers(0, 30)),
    st.tuples(st.just("insert"), st.integers(0, 30), st.sampled_from(COMMANDS)),
)


class Model:
    """What a person would do on paper: a stack of things done, and the game played again from the start."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []

    def state(self) -> Standing:
        listed: list[tuple[int, Command]] = []
        struck = set()
        for what, number, *rest in self.done:
            if what == "give":
                listed.append((number, rest[0]))
            elif what == "strike":
                struck.add(rest[0])
            else:
                after, command = rest
                place = next((at + 1 for at, (other, _) in enumerate(listed) if other == after), 0)
                listed.insert(place, (number, command))
        game = Race()
        state = game.new({"seed": 7})
        for number, command in listed:
            if number not in struck:
                try:
                    state, _ = game.apply(state, command, TABLE)
                except Illegal:
                    continue
        return state


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(OPERATIONS, max_size=30))
def test_whatever_people_do_the_state_is_the_fold_of_what_counts(operations: list[tuple[Any, ...]]) -> None:
    journal, game, model = MemoryJournal(), Race(), Model()
    table = Table(game, journal, lambda: len(journal.written), lambda: "")
    table.begin({"seed": 7})
    for what, *rest in operations:
        before = game.dump(table.state)
        seq = table.seq + 1
        match what:
            case "give":
                done = table.give(TABLE, rest[0], f"id{seq}-{len(journal.written)}-{rest[0]}").ok
            case "undo":
                table.undo(rest[0], preview=True)
                done = table.undo(rest[0]).ok
            case "strike":
                table.strike(rest[0], preview=True)
                done = table.strike(rest[0]).ok
            case _:
                table.insert(*rest, preview=True)
                # The setup's number, 1, means the beginning too
                rest[0] = 0 if rest[0] == 1 else rest[0]
                done = table.insert(*rest).ok
        if not done:
            assert game.dump(table.state) == before
            assert table.seq == seq - 1, "what is refused leaves no trace"
        elif what == "undo":
            model.done = model.done[: -rest[0]]
        else:
            model.done.append((what, seq, *rest))
        assert table.state == model.state()
        assert table.page(TABLE)["can_undo"] == len(model.done)
    again = Story.of(game, journal.written)
    assert game.dump(again.state) == game.dump(table.state)
    assert again.belief == table.belief
    assert again.remarks == table.story.remarks
    assert again.timeline.steps == table.story.timeline.steps


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(COMMANDS), max_size=12), st.lists(OPERATIONS, min_size=1, max_size=12))
def test_an_undo_of_any_length_is_as_if_it_had_never_been(first: list[Command], then: list[tuple[Any, ...]]) -> None:
    journal, game = MemoryJournal(), Race()
    table = Table(game, journal, lambda: len(journal.written), lambda: "")
    table.begin({"seed": 7})
    for nth, command in enumerate(first):
        table.give(TABLE, command, f"a{nth}")
    before, belief, actions = table.story.timeline, table.belief, len(table.story.timeline.actions)
    for nth, (what, *rest) in enumerate(then):
        if what == "give":
            table.give(TABLE, rest[0], f"b{nth}")
        elif what == "strike":
            table.strike(rest[0])
        elif what == "insert":
            table.insert(*rest)
    more = len(table.story.timeline.actions) - actions
    if more:
        assert table.undo(more).ok
    assert table.state == before.state
    assert [step.seq for step in table.story.timeline.steps] == [step.seq for step in before.steps]
    assert table.belief == belief


def test_two_thousand_entries_are_folded_again_in_well_under_a_second(tmp_path: Path) -> None:
    journal = MemoryJournal()
    table = Table(Race(), journal, lambda: 0, lambda: "")
    table.begin({"seed": 7})
    for nth in range(1990):
        if nth % 10 == 9:
            assert table.undo(1).ok
        else:
            assert table.give(TABLE, COMMANDS[0] if nth % 3 else COMMANDS[-1], f"c{nth}").ok
    assert table.strike(5).ok
    assert table.insert(1, COMMANDS[-1]).ok
    assert max(len(str(entry.body)) for entry in journal.written[1:]) < 200, "an entry holds no state"
    with Store(tmp_path / "arena.sqlite") as store:
        store.append("game", journal.written)
        fresh = Table(Race(), store, lambda: 0)
        begun_s = time.process_time()
        assert fresh.resume()
        took_s = time.process_time() - begun_s
    assert Race().dump(fresh.state) == Race().dump(table.state)
    assert took_s < 1.0  # about 0.3 s where nothing else runs
