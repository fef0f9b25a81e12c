"""What moved on the table: edges in, sightings out. Pure: time is an argument, never read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words import Edge, EdgeId, Gap, PlaceId, Seen, Sighting
from .door import DoorWatch
from .file import Input, RigFile
from .flicker import Flicker
from .hole import HoleWatch
from .movement import Movement
from .switch import SwitchWatch

Watch = DoorWatch | HoleWatch | SwitchWatch

MEMORY = 1  # the format of ``to_json``: another one is not believed
LATE_US = 40_000  # an edge is here so long after it happened: the serial line, a resend, the journal
DOUBT_US = 900_000  # a level that a status contradicts for so long was missed


class Rig:
    """Folds edges, in the order of their arrival, into sightings.

    The same edges in the same order give the same sightings, whether ``tick`` is called between them
    or not, as long as no edge is later than ``LATE_US``: what is due is told with the time at which
    it was due. ``memory`` is what ``to_json`` of an earlier rig gave; that of another version is
    forgotten.
    """

    def __init__(self, rig_file: RigFile, memory: Mapping[str, Any] | None = None) -> None:
        self.rig_file = rig_file
        self._watches: dict[PlaceId, Watch] = {}
        self._gates: dict[tuple[str, int], Watch] = {}
        self._by_board: dict[str, list[Watch]] = {}
        for board in rig_file.boards.values():
            for gate in board.gates:
                watch: Watch = (
                    DoorWatch(rig_file.doors[gate.place], gate, rig_file.mecha_mm)
                    if gate.place in rig_file.doors
                    else HoleWatch(rig_file.holes[gate.place], gate)
                )
                self._watches[gate.place] = self._gates[board.name, gate.index] = watch
            for each in board.inputs:
                if each.kind == "switch":
                    self._watches[each.place] = SwitchWatch(each.place, each.place in rig_file.launchers)
            here = dict.fromkeys(each.place for each in board.inputs)
            self._by_board[board.name] = [self._watches[place] for place in here]
        self._flickers: dict[tuple[str, int], Flicker] = {}
        self._doubts: dict[tuple[str, int], int] = {}
        self._strange: dict[tuple[str, str], str] = {}  # boards and inputs that the rig file does not know
        self._movement = Movement()
        self._boots: dict[str, str] = {}
        self._heard_us: dict[str, int] = {}
        self._now_us = 0
        self._last: EdgeId | None = None
        if memory is not None and memory.get("format") == MEMORY:
            self._recall(memory)

    # --- in

    def fold(self, edge: Edge) -> list[Sighting]:
        """What one more edge tells, and what became due before it."""
        found = self._advance(edge.latest_us - LATE_US)
        if edge.board not in self._by_board:
            return found + self._stranger(edge, "", f"Board {edge.board} is not in the rig file: which table is it of?")
        found += self._started(edge.board, edge.id.boot, edge.id.number, edge)
        self._now_us = max(self._now_us, edge.latest_us)
        self._heard_us[edge.board] = edge.latest_us
        told = self._change(edge) if edge.count is None else self._count(edge)
        for watch in self._by_board[edge.board]:
            told += watch.later(edge.latest_us)
        self._last = edge.id
        for sighting in told:
            self._movement.sighting(sighting)
        return found + told

    def _change(self, edge: Edge) -> list[Sighting]:
        each = self.rig_file.input(edge.board, edge.channel)
        if each is None:
            many = len(self.rig_file.boards[edge.board].inputs)
            note = (
                f"Board {edge.board} tells of input {edge.channel}, but the rig file gives it {many}: flash it again."
            )
            return self._stranger(edge, str(edge.channel), note)
        watch = self._watches[each.place]
        flicker = self._flickers.setdefault((edge.board, edge.channel), Flicker())
        began = flicker.edge(edge.latest_us)
        watch.flickers = any(self._is_sick(edge.board, other) for other in self._inputs(edge.board, each.place))
        if each.kind == "beam" and not flicker.sick:
            self._movement.edge(edge.latest_us)
        told = watch.fold(1 if each.beam == "B" else 0, edge)
        if told and told[0].seen is Seen.LAUNCH:
            self._movement.edge(edge.latest_us)
        if began:
            note = self._flickers_say(each)
            told.append(Sighting(Seen.SICK, each.place, edge.earliest_us, edge.latest_us, edges=(edge.id,), note=note))
        self._doubts.pop((edge.board, edge.channel), None)
        return told

    def _count(self, edge: Edge) -> list[Sighting]:
        watch = self._gates.get((edge.board, edge.channel))
        if watch is None:
            note = (
                f"Board {edge.board} counts at gate {edge.channel}, which the rig file does not have: flash it again."
            )
            return self._stranger(edge, f"gate {edge.channel}", note)
        told = watch.count(edge)
        if any(sighting.seen in (Seen.PASS, Seen.DROP) for sighting in told):
            self._movement.edge(edge.latest_us)
        return told

    def gap(self, gap: Gap) -> list[Sighting]:
        """Edges that nobody will ever see: what they would have told may be missing."""
        if gap.board not in self._by_board:
            return []
        found = self._started(gap.board, gap.boot, gap.first, None)
        if gap.first is not None:
            for watch in self._by_board[gap.board]:
                watch.lose()
        since_us = self._heard_us.get(gap.board, self._now_us)
        places = ", ".join(watch.place for watch in self._by_board[gap.board])
        lost = "some" if gap.first is None or gap.last is None else str(gap.last - gap.first + 1)
        note = f"Board {gap.board} lost {lost} changes ({gap.reason.rstrip('. ')}): passes at {places} may be missing."
        return [
            *found,
            Sighting(Seen.SICK, gap.board, since_us, max(since_us, self._now_us), confidence=0.5, note=note),
        ]

    def levels_say(self, board: str, bitmap: int, now_us: int) -> list[Sighting]:
        """Compare a status with what the edges told. A level that was never known is taken over; one
        that stays different for a second was missed while nobody listened: a flagged correction."""
        found: list[Sighting] = []
        if board not in self._by_board:
            return found
        self._now_us = max(self._now_us, now_us)
        for each in self.rig_file.boards[board].inputs:
            watch, beam = self._watches[each.place], 1 if each.beam == "B" else 0
            level, key = (bitmap >> each.channel) & 1, (board, each.channel)
            known = watch.levels[beam]
            if known == level:
                self._doubts.pop(key, None)
            elif known is None:
                watch.say_level(beam, level, now_us)
                if level and each.kind == "beam":
                    self._movement.edge(now_us)
            elif now_us - self._doubts.setdefault(key, now_us) >= DOUBT_US:
                del self._doubts[key]
                watch.say_level(beam, level, now_us)
                state = ("pressed" if level else "open") if each.kind == "switch" else "dark" if level else "clear"
                who = each.says()
                note = f"{who[0].upper()}{who[1:]} is {state}, but nobody saw it change: a pass there may be missing."
                since_us = self._heard_us.get(board, now_us)
                found.append(Sighting(Seen.SICK, each.place, min(since_us, now_us), now_us, confidence=0.5, note=note))
                if each.kind == "beam":
                    self._movement.edge(now_us)
        return found

    # --- time

    def tick(self, now_us: int) -> list[Sighting]:
        """What has become due: a bounce for certain, something stuck, settled."""
        self._now_us = max(self._now_us, now_us)
        # Twice: an edge from just before the due time may still be on its way, and counts first
        return self._advance(now_us - 2 * LATE_US)

    @property
    def next_tick_us(self) -> int | None:
        """When ``tick`` will have something to do, if no edge comes before."""
        due_us = self._due()
        return due_us + 2 * LATE_US if due_us is not None else None

    def _due(self) -> int | None:
        dues = [watch.due_us for watch in self._watches.values() if watch.due_us is not None]
        if self._movement.due_us is not None:
            dues.append(self._movement.due_us)
        return min(dues, default=None)

    def _advance(self, to_us: int) -> list[Sighting]:
        """Everything that became due up to ``to_us``, in the order of its time."""
        found: list[Sighting] = []
        while (due_us := self._due()) is not None and due_us <= to_us:
            told = [
                sighting
                for watch in self._watches.values()
                if watch.due_us is not None and watch.due_us <= due_us
                for sighting in watch.tick()
            ]
            for sighting in told:
                self._movement.sighting(sighting)
            found += told
            if not told and self._movement.due_us == due_us:
                found += self._settled(due_us)
        return found

    def _settled(self, due_us: int) -> list[Sighting]:
        stuck = [sighting for watch in self._watches.values() for sighting in watch.settle()]
        last_us = self._movement.last_us
        self._movement.end()
        edges = (self._last,) if self._last is not None else ()
        return [*stuck, Sighting(Seen.SETTLED, "", last_us if last_us is not None else due_us, due_us, edges=edges)]

    # --- what is known

    @property
    def levels(self) -> dict[str, list[int | None]]:
        """By board, the level of each channel: 1 dark or pressed, 0 clear, ``None`` not known."""
        return {
            board.name: [self._watches[each.place].levels[1 if each.beam == "B" else 0] for each in board.inputs]
            for board in self.rig_file.boards.values()
        }

    def sick(self) -> dict[str, str]:
        """Places and boards whose word is doubtful now, each with a sentence for the owner."""
        found = {place: note for place, watch in self._watches.items() if (note := watch.sick()) is not None}
        for (board, channel), flicker in self._flickers.items():
            each = self.rig_file.input(board, channel)
            if each is not None and flicker.sick_at(self._now_us):
                found[each.place] = self._flickers_say(each)
        for (board, _), note in self._strange.items():
            found[board] = note
        return found

    def to_json(self) -> dict[str, Any]:
        """Everything that later edges are judged by, as plain JSON values."""
        return {
            "format": MEMORY,
            "boots": self._boots,
            "heard_us": self._heard_us,
            "now_us": self._now_us,
            "last": [self._last.boot, self._last.number] if self._last is not None else None,
            "movement": self._movement.to_json(),
            "places": {place: watch.to_json() for place, watch in self._watches.items()},
        }

    def _recall(self, memory: Mapping[str, Any]) -> None:
        self._boots, self._heard_us = dict(memory["boots"]), dict(memory["heard_us"])
        self._now_us = memory["now_us"]
        self._last = EdgeId(*memory["last"]) if memory["last"] else None
        self._movement.recall(memory["movement"])
        for place, data in memory["places"].items():
            if place in self._watches:  # the owner may have changed the table meanwhile
                self._watches[place].recall(data)

    # --- boards

    def _started(self, board: str, boot: str, number: int | None, edge: Edge | None) -> list[Sighting]:
        """A board that has started anew knows nothing of before, and neither do we."""
        known = self._boots.get(board)
        if known == boot:
            return []
        self._boots[board] = boot
        counter = 0 if number == 0 else None  # counters begin at 0 with the first edge
        if known is None:  # what a status told already stays
            for watch in self._by_board[board]:
                watch.begin(counter)
            return []
        for watch in self._by_board[board]:
            watch.forget(counter)
        for each in self.rig_file.boards[board].inputs:
            self._flickers.pop((board, each.channel), None)
            self._doubts.pop((board, each.channel), None)
        since_us = self._heard_us.get(board, self._now_us)
        places = ", ".join(watch.place for watch in self._by_board[board])
        note = f"Board {board} started again: passes at {places} may be missing since it was last heard."
        until_us = max(since_us, edge.latest_us if edge is not None else self._now_us)
        edges = (edge.id,) if edge is not None else ()
        return [Sighting(Seen.SICK, board, since_us, until_us, confidence=0.5, edges=edges, note=note)]

    def _stranger(self, edge: Edge, what: str, note: str) -> list[Sighting]:
        """Something that the rig file does not know: told once."""
        if (edge.board, what) in self._strange:
            return []
        self._strange[edge.board, what] = note
        return [Sighting(Seen.SICK, edge.board, edge.earliest_us, edge.latest_us, edges=(edge.id,), note=note)]

    def _inputs(self, board: str, place: PlaceId) -> list[int]:
        return [each.channel for each in self.rig_file.boards[board].inputs if each.place == place]

    def _is_sick(self, board: str, channel: int) -> bool:
        flicker = self._flickers.get((board, channel))
        return flicker is not None and flicker.sick

    def _flickers_say(self, each: Input) -> str:
        who = each.says()
        return (
            f"{who[0].upper()}{who[1:]} flickers: more changes in a second than pieces can make. Is a cable loose, "
            "the light badly aimed, or the sun on it? Passes there count for little until it is quiet."
        )
