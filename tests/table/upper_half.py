"""The upper half of the daemon's loop, on simulated time: edges are kept, folded, decided, and recovered."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from arena.games.iron_forest import IronForest
from arena.rig import Rig, RigFile, load_rig
from arena.store import Store
from arena.table import Table
from arena.words import TABLE, Command, Edge, EdgeId, Gap, Seen, Sighting

RIG_TOML = Path(__file__).parents[2] / "hardware" / "rig.toml"
CONTENT = resources.files("arena.games.iron_forest") / "content"
MS = 1000


def house_rig() -> RigFile:
    return load_rig(RIG_TOML.read_text(encoding="utf-8"), "rig.toml")


def two_players(rig_file: RigFile, seed: int = 1) -> dict[str, Any]:
    return {
        "seed": seed,
        "players": [
            {"name": "Ann", "seat": "P1", "team": "animal_clans"},
            {"name": "Ben", "seat": "P2", "team": "iron_force"},
        ],
        "first": "animal_clans",
        "options": {},
        "map": rig_file.map(),
        "scenario": (CONTENT / "establishing_a_network.toml").read_text(encoding="utf-8"),
        "power_ups": (CONTENT / "power_ups.toml").read_text(encoding="utf-8"),
    }


class UpperHalf:
    """One daemon's life on a file; another on the same file goes on where this one was killed."""

    def __init__(self, path: Path, store: type[Store] = Store) -> None:
        self.rig_file = house_rig()
        self.game = IronForest()
        self.now_us = 1_000_000
        self.store = store(path)
        self.now_us = max(self.now_us, self.store.last_at_us())
        self.table = Table(self.game, self.store, lambda: self.now_us, lambda: "2030-01-01T12:00:00+00:00")
        self.recover()

    def restart(self, forget: bool = False) -> UpperHalf:
        """A new daemon on the same file, perhaps one that finds no memory of its rig."""
        if forget:
            self.store.remember("rig", None)
        self.store.close()
        return UpperHalf(self.store.path)

    def recover(self) -> None:
        known = self.store.recall("rig") or {"row": 0, "memory": None}
        self.rig = Rig(self.rig_file, known["memory"])
        if not self.table.resume():
            self.table.begin(two_players(self.rig_file))
        for row, item in self.store.edges(after=known["row"]):
            seen = self.rig.fold(item) if isinstance(item, Edge) else self.rig.gap(item)
            self.table.on_sightings(seen, edge_row=row)

    def keep(self, edge: Edge) -> None:
        self.now_us = max(self.now_us, edge.latest_us + MS)
        self.conclude([seen for fresh in self.store.add_edges([edge]) for seen in self.rig.fold(fresh)])

    def lose(self, gap: Gap) -> None:
        self.store.add_edges([], [gap])
        self.conclude(self.rig.gap(gap))

    def tick(self, now_us: int) -> None:
        self.now_us = max(self.now_us, now_us)
        self.conclude(self.rig.tick(now_us))

    def conclude(self, sightings: list[Sighting]) -> None:
        self.table.on_sightings(sightings)
        if any(sighting.seen is Seen.SETTLED for sighting in sightings):
            self.store.remember("rig", {"row": self.store.last_edge_row(), "memory": self.rig.to_json()})

    def tap(self, now_us: int, command: Command, command_id: str) -> None:
        self.now_us = max(self.now_us, now_us)
        given = self.table.give(TABLE, command, command_id)
        assert given.ok, given

    def answers(self, now_us: int, command_id: str, choice: int) -> None:
        """People answer the question that is shown, if there is one."""
        self.now_us = max(self.now_us, now_us)
        question = self.table.page(TABLE)["question"]
        if question:
            self.table.answer(question["id"], choice, command_id)

    def dump(self) -> str:
        return self.game.dump(self.table.state)

    def act(self, act: tuple[Any, ...]) -> None:
        getattr(self, act[0])(*act[1:])


class Play:
    """Writes a script of edges, ticks and taps, as a table would make them."""

    def __init__(self) -> None:
        self.rig_file = house_rig()
        self.acts: list[tuple[Any, ...]] = []
        self.now_us = 1_000_000
        self._numbers = dict.fromkeys(self.rig_file.boards, 0)

    def edge(self, place: str, beam: str, level: int, at_us: int) -> None:
        board, channel = next(
            (board.name, each.channel)
            for board in self.rig_file.boards.values()
            for each in board.inputs
            if each.place == place and (each.beam or "A") == beam
        )
        boot = {"lower": "aaaa0001", "upper": "bbbb0002"}[board]
        number = self._numbers[board]
        self._numbers[board] += 1
        self.acts.append(("keep", Edge(EdgeId(boot, number), board, channel, level, at_us - 150, at_us)))
        self.now_us = max(self.now_us, at_us)

    def passes(self, place: str, origin: str) -> None:
        """A Mecha slides through a Door at 0.8 m/s, a second later."""
        first, second = ("A", "B") if self.rig_file.map()["doors"][place]["boxes"][0] == origin else ("B", "A")
        at_us = self.now_us + 1_000 * MS
        for beam, level, after_ms in ((first, 1, 0), (second, 1, 15), (first, 0, 38), (second, 0, 53)):
            self.edge(place, beam, level, at_us + after_ms * MS)

    def counts(self, place: str, count: int) -> None:
        """The reading of a gate's counter, 10 ms after the pass."""
        board, gate = next(
            (board.name, gate.index)
            for board in self.rig_file.boards.values()
            for gate in board.gates
            if gate.place == place
        )
        at_us = self.now_us + 10 * MS
        number = self._numbers[board]
        self._numbers[board] += 1
        boot = {"lower": "aaaa0001", "upper": "bbbb0002"}[board]
        self.acts.append(("keep", Edge(EdgeId(boot, number), board, gate, 0, at_us - 150, at_us, count)))
        self.now_us = at_us

    def drops(self, hole: str) -> None:
        at_us = self.now_us + 400 * MS
        self.edge(hole, "A", 1, at_us)
        self.edge(hole, "A", 0, at_us + 60 * MS)

    def settles(self, choices: Sequence[int] = (0, 0)) -> None:
        """All lies still; people answer what they are asked meanwhile."""
        self.now_us += 3_500 * MS
        self.acts.append(("tick", self.now_us))
        for choice in choices:
            self.now_us += 300 * MS
            self.acts.append(("answers", self.now_us, f"answer-{len(self.acts)}", choice))

    def taps(self, do: str, **args: Any) -> None:
        self.now_us += 700 * MS
        self.acts.append(("tap", self.now_us, Command.of(do, **args), f"tap-{len(self.acts)}"))


def a_few_turns() -> list[tuple[Any, ...]]:
    """Passes, a drop, a hit, and whatever the seed's cards bring, over several Activations."""
    play = Play()
    play.passes("D6", "B3")  # seed 1: BBIT
    play.passes("D2", "B2")
    play.settles()
    play.taps("hit", piece="SHI3LD")
    play.taps("done")
    play.taps("done")
    play.passes("D10", "B7")
    play.drops("H1")
    play.settles()
    play.taps("done")
    play.passes("D9", "B7")
    play.taps("done")
    play.settles()
    return play.acts


def a_disputed_turn() -> list[tuple[Any, ...]]:
    """Two passes of pieces that were not known there, asked together, and one that its counter denies."""
    play = Play()
    play.passes("D6", "B3")  # seed 1: BBIT
    play.counts("D6", 0)
    play.settles([0])  # strike it
    play.passes("D9", "B7")
    play.passes("D10", "B6")
    play.settles([1, 1])
    play.taps("done")
    return play.acts
