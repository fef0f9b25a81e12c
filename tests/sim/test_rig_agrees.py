"""What the rig concludes from the beams is what happened on the simulated table: in simulated time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from arena.rig import Rig, RigFile, load_rig
from arena.sim.flight import Flight
from arena.sim.physics import Impossible, Physics, stuck_pieces
from arena.sim.toy import BEAMS
from arena.words import Edge, EdgeId, Seen, Sighting

RIG_FILE = Path(__file__).parents[2] / "hardware" / "rig.toml"
BOOT = "0badcafe"


class Watched:
    """A simulated table whose beams a rig watches, through boards that look every 100 µs."""

    def __init__(self, seed: int) -> None:
        self.file: RigFile = load_rig(RIG_FILE.read_text(encoding="utf-8"), RIG_FILE.name)
        self.table = Physics(self.file.map(), seed)
        self.rig = Rig(self.file)
        self.now_us = 1_000_000
        self.numbers = dict.fromkeys(self.file.boards, 0)
        self.channels = {
            (each.place, each.beam): (board.name, each.channel)
            for board in self.file.boards.values()
            for each in board.inputs
        }
        for board in self.file.boards:
            self.rig.levels_say(board, 0, self.now_us)

    def watch(self, flight: Flight) -> list[Sighting]:
        """What the rig says of a movement, until everything has settled."""
        seen: list[Sighting] = []
        for event in flight.beams:
            board, channel = self.channels[event.place, BEAMS[event.beam]]
            at_us = self.now_us + event.at_us
            look_us = at_us - at_us % 100 + 100
            seen += self.rig.fold(
                Edge(EdgeId(BOOT, self.numbers[board]), board, channel, event.level, look_us - 100, look_us)
            )
            self.numbers[board] += 1
        self.now_us += flight.duration_us + 5_000_000
        return seen + self.rig.tick(self.now_us)


@pytest.mark.parametrize("seed", range(6))
def test_every_pass_and_drop_is_seen_once_and_nothing_else(seed: int) -> None:
    watched, chance = Watched(seed), random.Random(seed)
    table, compared = watched.table, 0
    for _ in range(60):
        piece = chance.choice(sorted(table.spots))
        was_stuck = {place for _, place in stuck_pieces(table)}
        try:
            if table.spots[piece].level == "off":
                flight = table.place(piece, "depot")
            elif chance.random() < 0.15:
                flight = table.launch(piece)
            else:
                flight = table.flick(piece, chance.uniform(-3.15, 3.15), chance.uniform(0.3, 4))
        except Impossible:
            continue
        sightings = watched.watch(flight)
        seen = [(s.place, s.origin, s.target) for s in sightings if s.seen in (Seen.PASS, Seen.DROP)]
        true = [(each.place, each.origin, each.target) for each in flight.passes]
        # Where a Mecha stood in a frame, "in one move" is the game's to judge; two in one frame are a muddle
        crowded = {f.name for f in table.layout.frames if len(visitors(flight, f.name)) > 1} | was_stuck
        assert sorted(each for each in seen if each[0] not in crowded) == sorted(
            each for each in true if each[0] not in crowded
        )
        compared += len(true)
        launches = [s for s in sightings if s.seen is Seen.LAUNCH]
        assert len(launches) == (flight.kind == "launch")
        stuck = {s.place for s in sightings if s.seen is Seen.STUCK}
        assert {place for _, place in flight.stuck} <= stuck | was_stuck
    assert compared >= 5


def visitors(flight: Flight, door: str) -> set[str]:
    """Who was in a Door's frame during a movement."""
    return {each.piece for each in (*flight.passes, *flight.bounces) if each.place == door} | {
        piece for piece, place in flight.stuck if place == door
    }
