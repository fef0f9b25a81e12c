"""kill -9 at any point: the daemon comes back at the same state, and plays to the same end.

A game of Iron Forest with the real rig, tracker and store, in processes that are really killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from arena.store import Entry, Store
from arena.words import Edge, Gap
from upper_half import UpperHalf, a_disputed_turn, a_few_turns

SCRIPTS = {"a few turns": a_few_turns(), "a disputed turn": a_disputed_turn()}
Acts = list[tuple[Any, ...]]
FIRST_WRITE = 3  # the first two begin the game


class DyingStore(Store):
    """A store whose process is killed just before its n-th write: edges, journal or memory."""

    die_before = 1 << 30
    writes = 0

    def _write(self) -> None:
        DyingStore.writes += 1
        if DyingStore.writes >= DyingStore.die_before:
            os.kill(os.getpid(), signal.SIGKILL)

    def add_edges(self, edges: Sequence[Edge], gaps: Sequence[Gap] = ()) -> list[Edge]:
        self._write()
        return super().add_edges(edges, gaps)

    def append(self, game_id: str, entries: Sequence[Entry]) -> list[Entry]:
        self._write()
        return super().append(game_id, entries)

    def remember(self, key: str, value: Any) -> None:
        self._write()
        super().remember(key, value)


def run_and_be_killed(life: Callable[[], None], kill_after_s: float | None = None) -> None:
    """Run in a process of its own until it is killed, by itself or from here."""
    process = os.fork()
    if process == 0:
        try:
            life()
        finally:
            os._exit(1)  # only a kill is a proper end
    if kill_after_s is not None:
        time.sleep(kill_after_s)
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), "the process should have been killed"
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.fixture(scope="module", params=SCRIPTS)
def acts(request: pytest.FixtureRequest) -> Acts:
    return SCRIPTS[request.param]


@pytest.fixture(scope="module")
def undisturbed(acts: Acts, tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """The state at each journal number of the game that nobody kills; the last one is its end."""
    daemon = UpperHalf(tmp_path_factory.mktemp("undisturbed") / "arena.sqlite")
    states = {daemon.table.seq: daemon.dump()}
    append = daemon.table._append

    def noted(entries: Sequence[Entry]) -> None:
        append(entries)
        states[daemon.table.seq] = daemon.dump()

    daemon.table._append = noted  # type: ignore[method-assign]
    for act in acts:
        daemon.act(act)
    daemon.store.close()
    return states


def goes_on_to_the_same_end(path: Path, acts: Acts, undisturbed: dict[int, str]) -> int:
    """Start again on a killed daemon's file; the number of entries it had."""
    with Store(path) as store:
        held = len(store.entries(store.latest_game() or ""))
    daemon = UpperHalf(path)
    found = daemon.table.seq
    assert held <= found <= held + 4, "only what the edges held already tell is decided at the start"
    assert daemon.dump() == undisturbed[found]
    for act in acts:  # boards send again what was not acknowledged, and people tap again what was not answered
        daemon.act(act)
    assert daemon.dump() == undisturbed[max(undisturbed)]
    assert daemon.table.seq == max(undisturbed), "nothing was decided twice"
    assert daemon.table.page("table")["question"] is None
    daemon.store.close()
    return held


def test_a_daemon_killed_before_any_of_its_writes_comes_back_at_the_same_state(
    tmp_path: Path, acts: Acts, undisturbed: dict[int, str]
) -> None:
    DyingStore.writes = 0
    whole = UpperHalf(tmp_path / "whole.sqlite", DyingStore)
    for act in acts:
        whole.act(act)
    whole.store.close()
    writes = DyingStore.writes
    assert writes > 25
    held = set()
    for nth in range(FIRST_WRITE, writes + 1):
        path = tmp_path / f"killed-{nth}.sqlite"

        def life(path: Path = path, nth: int = nth) -> None:
            DyingStore.writes, DyingStore.die_before = 0, nth
            daemon = UpperHalf(path, DyingStore)
            for act in acts:
                daemon.act(act)

        run_and_be_killed(life)
        held.add(goes_on_to_the_same_end(path, acts, undisturbed))
    assert len(held) > 10, "killed at many points of the journal"


@pytest.mark.parametrize("kill_after_s", [0.05, 0.1, 0.2, 0.3, 0.4])
def test_a_daemon_killed_at_any_moment_comes_back_at_the_same_state(
    tmp_path: Path, acts: Acts, undisturbed: dict[int, str], kill_after_s: float
) -> None:
    path = tmp_path / "arena.sqlite"
    UpperHalf(path).store.close()  # the game has begun

    def life() -> None:
        daemon = UpperHalf(path)
        for act in acts:
            daemon.act(act)
            time.sleep(0.008)
        time.sleep(60)

    run_and_be_killed(life, kill_after_s)
    goes_on_to_the_same_end(path, acts, undisturbed)
