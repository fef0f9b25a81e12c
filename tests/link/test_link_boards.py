"""The link with real firmware on virtual boards, in real time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arena import wire
from arena.link import BoardHealth, Link, State, open_port
from arena.link import link as link_module
from arena.sim.board import VirtualBoard
from arena.store import Store
from arena.words import Edge, Gap

FIRMWARE = Path(__file__).parents[2] / "firmware"
A, B = 4, 13  # the pins of the two beams of a Door; dark is 0


def board_files(name: str) -> dict[str, bytes]:
    config = {
        "name": name,
        "inputs": [{"pin": pin, "active": 0, "pull": "up", "kind": "beam"} for pin in (A, B)],
        "gates": [{"a": 0, "b": 1, "counter": 0}],
        "strips": [{"pin": 23, "pixels": 32, "order": "GRB", "brightness": 255, "limit_ma": 5000}],
        "settle_us": 5000,
    }
    files = {path.name: path.read_bytes() for path in FIRMWARE.glob("*.py")}
    files["wire.py"] = Path(wire.__file__).read_bytes()
    files["dictionary.json"] = json.dumps(wire.dictionary()).encode()
    files["board.json"] = json.dumps(config).encode()
    return files


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualBoard]:
    folder = tmp_path_factory.mktemp("boards")
    with VirtualBoard("lower", board_files("lower"), b"\1\2\3\4\5\6", folder / "lower", baud=115_200) as board:
        yield board


def now_us() -> int:
    return time.monotonic_ns() // 1000


class Host:
    """A link with a store behind it, as the daemon has."""

    def __init__(self, store: Store, ports: list[str] | None, **more: Any) -> None:
        self.store = store
        self.edges: list[Edge] = []
        self.gaps: list[Gap] = []
        self.kept_at_us: list[int] = []
        self.on_edge: Callable[[Edge], None] = lambda edge: None
        self.changes = 0
        self.link = Link(
            ports=ports,
            names={},
            clock=now_us,
            keep=self.keep,
            wanted=store.next_edge,
            on_change=self.changed,
            **more,
        )
        self.running = asyncio.create_task(self.link.run())

    def changed(self) -> None:
        self.changes += 1

    def keep(self, edges: list[Edge], gaps: list[Gap]) -> None:
        for edge in self.store.add_edges(edges, gaps):
            self.edges.append(edge)
            self.kept_at_us.append(now_us())
            self.on_edge(edge)
        self.gaps += gaps

    def health(self, name: str = "lower") -> BoardHealth | None:
        return next((health for health in self.link.boards() if health.name == name), None)

    def beams(self) -> int:
        """How many edges there are, gate counters left aside: they are read when a Door has come to rest."""
        return sum(edge.count is None for edge in self.edges)

    def live(self) -> bool:
        health = self.health()
        return health is not None and health.state is State.LIVE

    async def until(self, condition: Callable[[], object], seconds: float = 8) -> float:
        begin = time.monotonic()
        while not condition():
            assert time.monotonic() - begin < seconds, [health.words for health in self.link.boards()]
            assert not self.running.done(), self.running
            await asyncio.sleep(0.002)
        return time.monotonic() - begin

    async def close(self) -> None:
        await self.link.close()
        await self.running


@contextlib.asynccontextmanager
async def host(folder: Path, *boards: VirtualBoard, **more: Any) -> AsyncIterator[Host]:
    with Store(folder / "arena.db") as store:
        host = Host(store, [str(board.port) for board in boards], **more)
        try:
            yield host
        finally:
            if not host.running.done():
                await host.close()


def pass_through(board: VirtualBoard) -> None:
    """Something goes through the Door from A to B, slowly: also a busy machine's board must see all of it."""
    at_us = now_us() + 3_000
    board.feed([(at_us, A, 0), (at_us + 20_000, B, 0), (at_us + 50_000, A, 1), (at_us + 70_000, B, 1)])


def test_a_board_is_waited_for_and_then_live_with_edges_on_the_table_clock(tmp_path: Path) -> None:
    async def play() -> None:
        board = VirtualBoard("upper", board_files("upper"), b"\6\5\4\3\2\1", tmp_path / "upper", baud=115_200)
        digest = wire.digest(board_files("upper")["board.json"])
        async with host(tmp_path, board, configs={"upper": digest, "lower": 1}) as table:
            await asyncio.sleep(0.3)
            words = [health.words for health in table.link.boards()]
            assert words == [
                f"Nothing is plugged in at {board.port}.",
                'The rig file\'s board "lower" has not been seen yet. Is it plugged in?',
                'The rig file\'s board "upper" has not been seen yet. Is it plugged in?',
            ]
            applied: list[int] = []
            board.on_applied = lambda at, applied_us, pin, level, seen: applied.append(applied_us)
            table.link.show("upper", 0, 1, b"\xff\x80\x00")  # long before anybody is there to show it
            await asyncio.to_thread(board.start)
            try:
                await table.until(lambda: getattr(table.health("upper"), "state", None) is State.LIVE)
                await table.until(lambda: board.pixels()[0][:9] == b"\0\0\0\xff\x80\0\0\0\0")
                await asyncio.sleep(0.3)
                pass_through(board)
                await table.until(lambda: len(table.edges) == 5 and len(applied) == 4)
                seen = [(edge.board, edge.channel, edge.level) for edge in table.edges[:4]]
                assert seen == [("upper", 0, 1), ("upper", 1, 1), ("upper", 0, 0), ("upper", 1, 0)]
                for edge, applied_us in zip(table.edges, applied, strict=False):
                    # The stand-in reads its clock, then changes the pin, which may take it a moment
                    assert edge.earliest_us - 2_000 <= applied_us <= edge.latest_us
                assert (table.edges[4].channel, table.edges[4].count) == (0, 4)
                health = table.health("upper")
                assert health is not None
                assert health.words == f'The board "upper" on {board.port} is live.'
                assert (health.reset, health.firmware[:2], health.protocol) == ("power on", "1.", "1.0")
                await table.until(lambda: table.link.dictionary(health.identity) == wire.dictionary())
            finally:
                await asyncio.to_thread(board.stop)
            await table.until(lambda: table.health("upper").state is State.GONE)  # type: ignore[union-attr]

    asyncio.run(play())


def test_a_pulled_cable_loses_nothing_and_a_plugged_one_is_live_at_once(board: VirtualBoard, tmp_path: Path) -> None:
    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            pass_through(board)
            await table.until(lambda: len(table.edges) >= 5)
            before = table.beams()
            await asyncio.to_thread(board.pull_cable)
            await table.until(lambda: not table.live())
            for _ in range(20):
                pass_through(board)
                await asyncio.sleep(0.1)
            await asyncio.to_thread(board.plug_in)
            assert await table.until(table.live) < 2  # 0.15 s where nothing else runs; a crowded machine gets more
            await table.until(lambda: table.beams() == before + 80)
            numbers = [edge.id.number for edge in table.edges]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            assert table.gaps == []

    asyncio.run(play())


def test_a_reset_is_told_as_a_gap_and_the_picture_comes_back(board: VirtualBoard, tmp_path: Path) -> None:
    picture = bytes(range(96))

    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            table.link.show("lower", 0, 0, picture)
            await table.until(lambda: board.pixels() == [picture])
            gaps = len(table.gaps)
            await asyncio.to_thread(board.reset, "watchdog")
            await table.until(lambda: not table.live(), 1)
            await table.until(table.live)
            assert [gap.reason for gap in table.gaps[gaps:]] == [
                'The board "lower" has started again (watchdog): what it saw last may be missing.'
            ]
            await table.until(lambda: board.pixels() == [picture])
            pass_through(board)
            await table.until(lambda: any(edge.id.boot == table.gaps[-1].boot for edge in table.edges))
        await asyncio.sleep(0.1)
        assert board.pixels() != [picture]  # goodbye: the waiting pattern

    asyncio.run(play())


def test_a_daemon_that_comes_back_takes_what_it_lacks_and_nothing_twice(board: VirtualBoard, tmp_path: Path) -> None:
    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            pass_through(board)
            await table.until(lambda: len(table.edges) >= 5 and table.edges[-1].count is not None)
            last = table.edges[-1]
        pass_through(board)
        await asyncio.sleep(0.15)
        async with host(tmp_path, board, configs={"lower": 1}, memory={}) as table:
            assert await table.until(lambda: len(table.edges) == 5) < 2
            assert [edge.id.number for edge in table.edges] == list(range(last.id.number + 1, last.id.number + 6))
            assert {edge.id.boot for edge in table.edges} == {last.id.boot}
            health = table.health()
            assert health is not None
            assert "Its configuration is not the rig file's: flash it" in health.words

    asyncio.run(play())


def test_a_released_port_is_free_for_mpremote_and_then_the_game_goes_on(board: VirtualBoard, tmp_path: Path) -> None:
    mpremote = shutil.which("mpremote") or str(Path(sys.executable).with_name("mpremote"))

    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            await table.link.release(60)
            health = table.health()
            assert health is not None
            assert health.state is State.RELEASED
            command = [mpremote, "connect", str(board.port), "resume", "exec", "print(6 * 7)"]
            done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=30)
            assert done.stdout.strip() == "42", done
            table.link.resume()
            # mpremote has left the board at the prompt; the link starts its program again
            await table.until(table.live, 12)
            before = len(table.edges)
            pass_through(board)
            await table.until(lambda: len(table.edges) > before)

    asyncio.run(play())


def test_a_port_that_somebody_else_has_is_said_and_taken_when_it_is_free(board: VirtualBoard, tmp_path: Path) -> None:
    async def play() -> None:
        other = open_port(str(board.port))
        async with host(tmp_path, board) as table:
            await table.until(lambda: any("Another program uses" in health.words for health in table.link.boards()))
            other.close()
            await table.until(table.live)

    asyncio.run(play())


def test_the_link_ends_with_what_keep_raised_and_nothing_was_acknowledged(board: VirtualBoard, tmp_path: Path) -> None:
    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            held = len(table.edges)

            def refuse(edge: Edge) -> None:
                raise OSError("the disk is full")

            table.on_edge = refuse
            pass_through(board)
            with pytest.raises(OSError, match="the disk is full"):
                await asyncio.wait_for(table.running, 5)
            assert len(table.edges) == held + 1
        async with host(tmp_path, board) as table:
            await table.until(lambda: table.edges and table.edges[-1].count is not None)

    asyncio.run(play())


def test_light_answers_the_completing_edge_before_anybody_notices(board: VirtualBoard, tmp_path: Path) -> None:
    applied: list[int] = []
    lit: list[int] = []

    async def play() -> None:
        async with host(tmp_path, board) as table:
            await table.until(table.live)
            table.link.show("lower", 0, 0, bytes(96))
            await asyncio.sleep(1.2)
            colour = 0

            def answer(edge: Edge) -> None:
                nonlocal colour
                if edge.channel == 1 and edge.level == 0 and edge.count is None:
                    colour += 1
                    table.link.show("lower", 0, 4, bytes([colour, 0, 0]) * 4)

            table.on_edge = answer
            board.on_applied = lambda at, applied_us, pin, level, seen: (
                applied.append(applied_us) if (pin, level) == (B, 1) else None
            )
            board.on_pixels = lambda pin, data, at_us: lit.append(at_us)
            for number in range(30):
                pass_through(board)
                await table.until(lambda number=number: len(lit) > number)
                await asyncio.sleep(0.04)

    try:
        asyncio.run(play())
    finally:
        board.on_applied = board.on_pixels = None
    waits_us = sorted(light - edge for edge, light in zip(applied, lit, strict=False))
    assert len(waits_us) == 30
    # The two frames alone take 7 ms at 115,200 baud; the rest is left to whatever else this machine does
    assert waits_us[15] < 50_000


def test_two_boards_of_one_name_are_told_apart(board: VirtualBoard, tmp_path: Path) -> None:
    async def play() -> None:
        twin = VirtualBoard("twin", board_files("lower"), b"\7\7\7\7\7\7", tmp_path / "twin")
        async with host(tmp_path, board, twin) as table:
            await table.until(table.live)
            await asyncio.to_thread(twin.start)
            try:
                await table.until(lambda: table.health("0707070707070000"))
                health = table.health("0707070707070000")
                assert health is not None
                assert health.words.endswith("Another board has the name in its configuration: flash one of them anew.")
                pass_through(twin)
                await table.until(lambda: [edge.board for edge in table.edges[-5:]] == ["0707070707070000"] * 5)
                # When the first is taken away, the other takes its place and its picture
                table.link.show("lower", 0, 0, b"\1\2\3" * 32)
                await asyncio.to_thread(board.pull_cable)
                await table.until(lambda: not table.live())
                await asyncio.to_thread(twin.reset, "reset button")
                await table.until(table.live)
                await table.until(lambda: twin.pixels() == [b"\1\2\3" * 32])
            finally:
                await asyncio.to_thread(twin.stop)
                await asyncio.to_thread(board.plug_in)

    asyncio.run(play())


def test_a_found_port_that_nobody_answers_on_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    controller, device = pty.openpty()
    path = os.ttyname(device)
    monkeypatch.setattr(link_module, "find_ports", lambda: [path])
    monkeypatch.setattr(link_module, "SILENT_S", 0.3)

    async def play() -> None:
        with Store(tmp_path / "arena.db") as store:
            table = Host(store, None)
            for said in ("is open; no board has introduced itself", "no board of the arena answers"):
                await table.until(lambda said=said: any(said in health.words for health in table.link.boards()))
            open_port(path).close()
            await table.close()

    try:
        asyncio.run(play())
    finally:
        os.close(controller)
        os.close(device)
