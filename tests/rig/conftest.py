"""A board in simulated time: what its sampler and its gate counters make of beams going dark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from arena.rig import Rig, RigFile, load_rig
from arena.words import Edge, EdgeId, Seen, Sighting

SHIPPED = Path(__file__).parents[2] / "hardware" / "rig.toml"
COUNTER_SETTLE_US = 9_000  # still for 5 ms, read every 4 ms

Change = tuple[int, int, int]
"""(time, channel, level)"""


class BoardModel:
    """Turns true changes of one board's inputs into the edges that the board would send.

    It looks every ``look_us``, except within ``blind`` (from, to); two changes of one beam between
    two looks are never seen. Counters see everything.
    """

    def __init__(self, rig_file: RigFile, board: str = "lower", boot: str = "00c0ffee") -> None:
        self.rig_file = rig_file
        self.board = board
        self.boot = boot
        self.look_us = 100
        self.clock_us = 300  # how well the two clocks are known to agree
        self.blind: list[tuple[int, int]] = []
        self.counters = True
        self.next = 0
        self.totals: dict[str, int] = {}  # gate counters, by place

    def channel(self, place: str, beam: str = "") -> int:
        return next(
            each.channel
            for each in self.rig_file.boards[self.board].inputs
            if each.place == place and each.beam == beam
        )

    def looks_at(self, at_us: int) -> int:
        """The first look at or after a time."""
        seen = -(-at_us // self.look_us) * self.look_us
        for start, end in self.blind:
            if start <= seen < end:
                return -(-end // self.look_us) * self.look_us
        return seen

    def look_before(self, at_us: int) -> int:
        seen = at_us - self.look_us
        for start, end in self.blind:
            if start <= seen < end:
                return start // self.look_us * self.look_us
        return seen

    def edges(self, changes: Iterable[Change]) -> list[Edge]:
        changes = sorted(changes)
        seen_at: dict[int, dict[int, int]] = {}
        for at_us, channel, level in changes:
            seen_at.setdefault(self.looks_at(at_us), {})[channel] = level
        levels: dict[int, int] = {}
        rows: list[tuple[int, int, int, int, int | None]] = []
        for seen_us, now in sorted(seen_at.items()):
            for channel, level in sorted(now.items()):
                if levels.get(channel, 0) != level:
                    levels[channel] = level
                    rows.append((seen_us, seen_us - self.look_before(seen_us), channel, level, None))
        if self.counters:
            rows += self.counter_rows(changes)
        made = []
        for seen_us, late_us, channel, level, count in sorted(rows, key=lambda row: row[0]):
            made.append(
                Edge(
                    EdgeId(self.boot, self.next),
                    self.board,
                    channel,
                    level,
                    seen_us - late_us - 2 * self.clock_us,
                    seen_us,
                    count,
                )
            )
            self.next += 1
        return made

    def counter_rows(self, changes: list[Change]) -> list[tuple[int, int, int, int, int | None]]:
        rows: list[tuple[int, int, int, int, int | None]] = []
        for gate in self.rig_file.boards[self.board].gates:
            mine = [change for change in changes if change[1] in (gate.a, gate.b)]
            state = [0, 0]
            total = recorded = self.totals.get(gate.place, 0)
            round_the_circle = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (0, 1): 3}
            for index, (at_us, channel, level) in enumerate(mine):
                before = (state[0], state[1])
                state[0 if channel == gate.a else 1] = level
                after = (state[0], state[1])
                if gate.b < 0:
                    total += before != after
                elif before != after:
                    total += 1 if (round_the_circle[after] - round_the_circle[before]) % 4 == 1 else -1
                quiet = index + 1 == len(mine) or mine[index + 1][0] - at_us > COUNTER_SETTLE_US
                if after == (0, 0) and quiet and total != recorded:
                    recorded = total
                    rows.append((self.looks_at(at_us + COUNTER_SETTLE_US), 0, gate.index, 0, total))
            self.totals[gate.place] = total
        return rows

    # --- things that happen

    def crossing(
        self, door: str, at_us: int, speed_m_s: float, forward: bool = True, length_mm: float = 30, slowing: float = 1.0
    ) -> list[Change]:
        """An object goes completely through; ``slowing`` is its speed at the end over that at the beginning."""
        spacing = self.rig_file.doors[door].spacing_mm
        first, second = ("A", "B") if forward else ("B", "A")
        way = spacing + length_mm

        def when(mm: float) -> int:
            speed = 1 + (slowing - 1) * mm / way / 2
            return at_us + round(mm / (speed_m_s * speed) * 1000)

        return [
            (when(0), self.channel(door, first), 1),
            (when(spacing), self.channel(door, second), 1),
            (when(length_mm), self.channel(door, first), 0),
            (when(way), self.channel(door, second), 0),
        ]

    def retreat(self, door: str, at_us: int, speed_m_s: float, forward: bool = True, deep: bool = True) -> list[Change]:
        """An object goes into the frame (both beams where ``deep``) and back out."""
        first, second = ("A", "B") if forward else ("B", "A")
        spacing = self.rig_file.doors[door].spacing_mm
        step_us = round(spacing / speed_m_s * 1000)
        changes = [(at_us, self.channel(door, first), 1)]
        if deep:
            changes += [
                (at_us + step_us, self.channel(door, second), 1),
                (at_us + 2 * step_us, self.channel(door, second), 0),
            ]
        return [*changes, (at_us + 3 * step_us, self.channel(door, first), 0)]


def told(rig: Rig, edges: Iterable[Edge], until_us: int | None = None) -> list[Sighting]:
    """Everything that the edges tell, and what becomes due until then."""
    found = [sighting for edge in edges for sighting in rig.fold(edge)]
    return found + (rig.tick(until_us) if until_us is not None else [])


def moves(sightings: Iterable[Sighting]) -> list[tuple[Seen, str, str | None, str | None]]:
    """The sightings without *settled*, as (what, place, from, to)."""
    return [(each.seen, each.place, each.origin, each.target) for each in sightings if each.seen is not Seen.SETTLED]


@pytest.fixture(scope="session")
def shipped() -> str:
    return SHIPPED.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def house(shipped: str) -> RigFile:
    return load_rig(shipped, "hardware/rig.toml")


@pytest.fixture
def rig(house: RigFile) -> Rig:
    return Rig(house)


@pytest.fixture(scope="session")
def make_board(house: RigFile) -> Callable[..., BoardModel]:
    return lambda board="lower", boot="00c0ffee": BoardModel(house, board, boot)


@pytest.fixture
def lower(house: RigFile) -> BoardModel:
    return BoardModel(house)


@pytest.fixture
def upper(house: RigFile) -> BoardModel:
    return BoardModel(house, "upper", "beefcafe")


@pytest.fixture
def tell() -> Callable[..., list[Sighting]]:
    return told


@pytest.fixture
def moved() -> Callable[..., list[tuple[Seen, str, str | None, str | None]]]:
    return moves
