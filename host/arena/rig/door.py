"""Watches one Door: tells a complete pass and its direction from a bounce and from something stuck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..words import Edge, Seen, Sighting
from .file import Door, Gate
from .partners import Partners
from .passage import (
    Mark,
    Measure,
    Passage,
    alike,
    measure,
    quarter_steps,
    together,
    two_in_a_row,
    wrapped,
)

PASS = 4  # quarter steps
SMALL_US = 300_000  # an object smaller than the beams' spacing reaches the second beam within this
MISSED_US = 100_000  # the longest time in which a board does not look: a collection with PSRAM
CONFIRM_US = 100_000  # a counter's reading follows its pass within 10 ms; this is generous


class DoorWatch:
    """The state of one Door: edges and counter readings in, sightings out; the caller holds the time.

    The edges decide at once. A gate counter's reading, some milliseconds later, has the last word: it
    adds a pass whose edges were missed, and where it contradicts a pass that was told already it
    says so (``SICK``) and takes nothing back by itself.
    """

    def __init__(self, door: Door, gate: Gate, mecha_mm: float) -> None:
        self.door = door
        self.place = door.name
        self.counted = gate.counter >= 0
        self.mecha_mm = mecha_mm
        self.flickers = False  # set by the rig: a beam changes so often that little can be believed
        self.forget(None)

    def forget(self, counter: int | None) -> None:
        """Nothing is known: the board started. ``counter`` is 0 where all since then will be seen."""
        self.levels: list[int | None] = [None, None]
        self.passage: Passage | None = None
        self.waiting: Passage | None = None  # over, but what it was is not clear yet
        self.counter = counter
        self.confirmed = False  # a reading has come since the board started
        self.said = 0  # quarter steps of the passes told since the last reading
        self.small = 0  # the passes of small things among them, which counters do not see, by direction
        self.last_pass: Passage | None = None  # the last of them
        self.changed_us: int | None = None  # when this gate last changed
        self.partners = Partners()

    def begin(self, counter: int | None) -> None:
        """The first that is heard of the board: its counter's base, where all since its start will be seen."""
        self.counter = counter

    def lose(self) -> None:
        """Edges of this Door were lost: its levels are unknown, while the counter went on counting."""
        self.levels = [None, None]
        self.passage = self.waiting = None

    # --- edges

    def fold(self, beam: int, edge: Edge) -> list[Sighting]:
        """What follows at once from one edge."""
        known = self.levels[beam]
        before = (self.levels[0] or 0, self.levels[1] or 0)
        self.levels[beam] = edge.level
        after = (self.levels[0] or 0, self.levels[1] or 0)
        self.changed_us = edge.latest_us
        if self.passage is None:
            if not edge.level and known is not None:
                return []  # clear again, of what was never seen to go dark
            self.passage = self._continued(Mark.of(beam, edge)) or Passage(half=not edge.level)
        passage = self.passage
        passage.marks.append(Mark.of(beam, edge))
        if known == edge.level:
            passage.missed = True
        elif before != after:
            passage.net += quarter_steps(before, after)
        else:
            passage.half = True  # clear now, so it was dark before anybody looked
        if after != (0, 0):
            return []
        self.passage = None
        return self._close(passage)

    def _continued(self, mark: Mark) -> Passage | None:
        """The passage that seemed over, where the other beam went dark in the same look: it never was clear."""
        before = self.waiting
        if before is None or not mark.level or not together(before.marks[-1], mark):
            return None
        self.waiting = None
        return before

    def _close(self, passage: Passage) -> list[Sighting]:
        """Both beams are clear: what was it?"""
        if (small := self._small(passage)) is not None:
            self.waiting = None
            return [*self._silence(passage), small]
        found = [*self._decide_waiting(), *self._silence(passage)]
        unclear = passage.half or passage.unordered()
        if passage.only_beam() is not None or (unclear and self.counted and self.counter is not None):
            self.waiting = passage  # the other beam, or the counter, may tell
            return found
        return found + self._decide(passage)

    def _decide(self, passage: Passage) -> list[Sighting]:
        if passage.half:
            what = "was in the frame before anybody looked and is gone; say which way it went"
            return [self._sick(passage, what)]
        if passage.only_beam() is None and passage.unordered():
            return self._guess(passage)
        if passage.net == 0 or passage.only_beam() is not None:
            return [] if self.flickers and passage.only_beam() is not None else [self._bounce(passage)]
        way = 1 if passage.net > 0 else -1
        self._tell(passage, way)
        pair = two_in_a_row(passage)
        if pair is None:
            return [self._pass(passage, way)]
        return [self._pass(each, way, 0.7, "Two went through close together.") for each in pair]

    def _decide_waiting(self) -> list[Sighting]:
        passage, self.waiting = self.waiting, None
        return self._decide(passage) if passage is not None else []

    def _guess(self, passage: Passage) -> list[Sighting]:
        """The board looked too rarely to see which beam changed first, and no counter helps."""
        marks = passage.marks
        joined = [together(*pair) for pair in pairwise(marks)]
        if len(marks) != 4 or sum(joined) != 1 or (joined[1] and marks[0].beam == marks[3].beam):
            return [self._sick(passage, "was too fast to see which way it went; say what it was")]
        # What is known of the order gives the direction if it was a pass, as most are
        sure = marks[2] if joined[0] else marks[0]
        way = 1 if sure.beam == 0 else -1
        self._tell(passage, way)
        return [self._pass(passage, way, 0.5, "Too fast to tell from a bounce for certain.")]

    def _tell(self, passage: Passage, way: int) -> None:
        self.said += way * PASS
        self.last_pass = passage

    # --- the counter

    def count(self, edge: Edge) -> list[Sighting]:
        """What a reading of the gate's counter adds; it is taken when both beams are clear and still."""
        assert edge.count is not None
        last, self.counter, self.confirmed = self.counter, edge.count, True
        said, small, self.said, self.small = self.said, self.small, 0, 0
        passage, self.passage, self.levels = self.passage, None, [0, 0]
        if passage is not None:
            passage.missed = True  # it is clear, but no edge said so
        elif self.waiting is not None and (self.waiting.only_beam() is None or self.waiting.half):
            passage, self.waiting = self.waiting, None
        quiet_us = self.changed_us
        self.changed_us = edge.latest_us
        if last is None:  # the board was running before: nothing to compare with
            return self._decide(passage) if passage is not None else []
        true = wrapped(edge.count - last)
        if true % PASS:
            found = self._decide(passage) if passage is not None else []
            return [*found, self._doubt(edge, quiet_us, f"went on by {true}, and a pass is {PASS}: is a beam loose?")]
        more = (true - said) // PASS
        if more * small > 0:  # it was not so small: told already
            more -= small
        if more == 0:
            return [self._bounce(passage)] if passage is not None and not passage.half else []
        if said * true < 0 or abs(said) > abs(true):
            what = "came back" if true == 0 else "went the other way"
            doubt = self._doubt(edge, quiet_us, f"says that what was told as a pass {what}; strike the pass if so")
            return [replace(doubt, contradicts=self.last_pass.ids() if self.last_pass is not None else ())]
        if passage is None and self.waiting is not None:
            passage, self.waiting = self.waiting, None
            passage.missed = True  # one beam's edges came, the other's did not
        found = [self._counted(passage, edge, quiet_us, 1 if more > 0 else -1)]
        if abs(more) > 1:
            what = f"went on by {abs(more) - 1} passes more than could be told apart; add them if they matter"
            found.append(self._doubt(edge, quiet_us, what))
        return found

    def _counted(self, passage: Passage | None, edge: Edge, quiet_us: int | None, way: int) -> Sighting:
        """A pass that the counter saw: the edges left its direction open, or are lacking."""
        if passage is not None and passage.only_beam() is None and not passage.missed and not passage.half:
            return self._pass(passage, way, 0.9, "The counter told which way.")
        since = max(quiet_us or 0, edge.earliest_us - MISSED_US)
        origin, target = self._boxes(way)
        return Sighting(
            Seen.PASS,
            self.place,
            passage.earliest_us if passage is not None else min(since, edge.earliest_us),
            edge.latest_us,
            origin,
            target,
            confidence=0.8,
            edges=(*(passage.ids() if passage is not None else ()), edge.id),
            note="The counter saw it; some of its edges were missed.",
        )

    def later(self, at_us: int) -> list[Sighting]:
        """The same board has told of a later time: has the counter failed to confirm a pass?"""
        passage = self.last_pass
        if not self.said or not self.confirmed or passage is None or self.passage is not None:
            return []
        if at_us <= (self.changed_us or 0) + CONFIRM_US:
            return []
        self.said, self.last_pass = 0, None
        doubt = self._sick(passage, "was told as a pass, but the counter saw none; strike the pass if so")
        return [replace(doubt, contradicts=passage.ids())]

    # --- time

    @property
    def due_us(self) -> int | None:
        """When this Door will conclude something by itself."""
        return self.waiting.latest_us + SMALL_US if self.waiting is not None else None

    def tick(self) -> list[Sighting]:
        """The due time has come, and nothing more was heard of what was waiting."""
        return self._decide_waiting()

    def settle(self) -> list[Sighting]:
        """Nothing moves any more: what is still dark is stuck. Told once, and again if it shows on other sides."""
        dark = (self.levels[0] or 0) + 2 * (self.levels[1] or 0)
        passage = self.passage
        if passage is None or not dark or passage.stuck_on == dark:
            return []
        passage.stuck_on, passage.told = dark, len(passage.marks)
        origin, target = self._boxes(1 if passage.first_beam == 0 else -1)
        return [
            Sighting(
                Seen.STUCK,
                self.place,
                passage.marks[0].earliest_us,
                passage.latest_us,
                origin,
                target,
                sides=tuple(box for bit, box in zip((1, 2), self.door.boxes, strict=True) if dark & bit),
                confidence=0.6 if passage.half or passage.missed or self.flickers else 1.0,
                edges=passage.ids(),
            )
        ]

    def say_level(self, beam: int, level: int, at_us: int) -> None:
        """Take a level from a status: the first that is known of this beam, or against what edges said."""
        if self.levels[beam] is not None:
            self.passage = self.waiting = None
        self.levels[beam] = level
        if any(self.levels) and self.passage is None:
            self.passage = Passage([Mark(beam, level, at_us, at_us, None)], half=True)

    # --- what it says

    def _boxes(self, way: int) -> tuple[str, str]:
        first, second = self.door.boxes
        return (first, second) if way > 0 else (second, first)

    def _pass(self, passage: Passage, way: int, confidence: float = 1.0, note: str = "") -> Sighting:
        first, second = passage.pulses(0 if way > 0 else 1), passage.pulses(1 if way > 0 else 0)
        size: Measure | None = None
        doubts = [(confidence, note)]
        if passage.stuck_on:
            doubts.append((0.5, "It had been stuck there: a hand may have lifted it out."))
        elif len(first) != 1 or len(second) != 1:
            doubts.append((0.9, "It went to and fro in the frame."))
        else:
            size = measure(first[0], second[0], self.door.spacing_mm)
        if passage.missed:
            doubts.append((0.8, "An edge was missed."))
        if size is not None and size.shortest_mm > 2.5 * self.mecha_mm:
            doubts.append((0.3, "Longer than any Mecha: a hand?"))
        elif size is not None and size.shortest_mm > 1.5 * self.mecha_mm:
            doubts.append((0.6, "Longer than a Mecha: two together, or a hand?"))
        elif size is not None and size.longest_mm < 0.5 * self.mecha_mm:
            doubts.append((0.7, "Smaller than a Mecha."))
        origin, target = self._boxes(way)
        return Sighting(
            Seen.PASS,
            self.place,
            passage.earliest_us,
            passage.latest_us,
            origin,
            target,
            speed_mm_s=size.speed_mm_s if size is not None else None,
            length_mm=size.length_mm if size is not None else None,
            confidence=min(doubt for doubt, _ in doubts) * (0.5 if self.flickers else 1.0),
            edges=passage.ids(),
            note=" ".join(why for _, why in doubts if why),
        )

    def _small(self, passage: Passage) -> Sighting | None:
        """A pass of something that never darkens both beams: one alone, then the other, alike."""
        before = self.waiting
        if before is None or {before.only_beam(), passage.only_beam()} != {0, 1} or before.half or passage.half:
            return None
        first, second = before.pulses(before.first_beam), passage.pulses(passage.first_beam)
        if len(first) != 1 or len(second) != 1 or before.stuck_on or passage.stuck_on:
            return None
        delays = [second[0][end].latest_us - first[0][end].latest_us for end in (0, 1)]
        darks = [dark[0][1].latest_us - dark[0][0].latest_us for dark in (first, second)]
        if max(delays) > SMALL_US or not alike(delays, 3) or not alike(darks, 3):
            return None
        way = 1 if before.first_beam == 0 else -1
        self.small += way
        return self._pass(Passage(before.marks + passage.marks), way, 0.5, "It never darkened both beams.")

    def _bounce(self, passage: Passage) -> Sighting:
        first, second = passage.pulses(passage.first_beam), passage.pulses(1 - passage.first_beam)
        way_in_us = second[0][0].latest_us - first[0][0].latest_us if first and second and not passage.stuck_on else 0
        origin, _ = self._boxes(1 if passage.first_beam == 0 else -1)
        return Sighting(
            Seen.BOUNCE,
            self.place,
            passage.earliest_us,
            passage.latest_us,
            origin,
            origin,
            speed_mm_s=self.door.spacing_mm / way_in_us * 1e6 if way_in_us > 0 else None,
            confidence=0.8 if passage.missed else 1.0,
            edges=passage.ids(),
            note="An edge was missed." if passage.missed else "",
        )

    def _sick(self, passage: Passage, what: str) -> Sighting:
        return Sighting(
            Seen.SICK,
            self.place,
            passage.earliest_us,
            passage.latest_us,
            confidence=0.5,
            edges=passage.ids(),
            note=f"Something at {self.place} {what}.",
        )

    def _doubt(self, edge: Edge, quiet_us: int | None, what: str) -> Sighting:
        return Sighting(
            Seen.SICK,
            self.place,
            min(quiet_us or edge.earliest_us, edge.earliest_us),
            edge.latest_us,
            confidence=0.5,
            edges=(edge.id,),
            note=f"The counter of {self.place} {what}.",
        )

    # --- its health

    def _silence(self, passage: Passage) -> list[Sighting]:
        """A beam that stays silent while its partner is broken again and again."""
        if self.flickers or not self.partners.passage(passage):
            return []
        return [
            Sighting(
                Seen.SICK,
                self.place,
                passage.earliest_us,
                passage.latest_us,
                confidence=0.9,
                edges=passage.ids(),
                note=self.sick() or "",
            )
        ]

    def sick(self) -> str | None:
        """What is wrong with this Door's beams now, in the owner's words."""
        return self.partners.sick(self.place)

    # --- remembering

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": self.levels,
            "passage": self.passage.to_json() if self.passage else None,
            "waiting": self.waiting.to_json() if self.waiting else None,
            "counter": self.counter,
            "confirmed": self.confirmed,
            "said": self.said,
            "small": self.small,
            "last_pass": self.last_pass.to_json() if self.last_pass and self.said else None,
            "changed_us": self.changed_us,
            "partners": self.partners.to_json(),
        }

    def recall(self, data: Mapping[str, Any]) -> None:
        self.levels = list(data["levels"])
        self.passage, self.waiting, self.last_pass = (
            Passage.from_json(data[key]) if data[key] else None for key in ("passage", "waiting", "last_pass")
        )
        self.counter, self.confirmed = data["counter"], data["confirmed"]
        self.said, self.small = data["said"], data["small"]
        self.changed_us = data["changed_us"]
        self.partners.recall(data["partners"])
