"""One board's clock on the host's: offset and drift from the shortest ways there and back, all as intervals.

Pure. A ping that was sent at ``sent_us`` and answered by ``received_us`` says that the board's clock
showed ``board_us`` somewhere in between. So each ping bounds the offset from below, as tightly as
its way there was short, and from above, as its way back; all bounds together leave little room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..wire import TICKS

DRIFT_BOUND = 200e-6  # two crystals (±50 ppm each is poor), and a host clock that is being steered
WANDER = 2e-6  # what warmth does to a crystal while a game lasts
BUCKET_US = 8_000_000  # the best bounds of so long are kept ...
BUCKETS = 40  # ... for five minutes
SPAN_US = 5_000_000  # bounds must be so far apart before they say anything of the drift
STRAY_US = 1_000  # bounds that miss each other by more mean that a clock was stopped or set
QUIET_US = 1_000_000  # without an edge for so long, the mapping may jump
SLEW = 1e-3  # otherwise it moves by 1 ms a second, 3 µs between the two beams of a Door


def whole_clock_us(wraps: int, ticks: int) -> int:
    """The board's whole clock from its 30-bit ticks and how often they wrapped."""
    return wraps * TICKS + ticks


@dataclass(slots=True)
class _Bounds:
    """The best of one bucket: offset (host less board) at least ``low_us``, at most ``high_us``, each at its time."""

    bucket: int
    low_at_us: int
    low_us: int
    high_at_us: int
    high_us: int


class BoardClock:
    """Takes round trips, gives intervals. Not ``ready`` before the first round trip.

    The mapping is corrected without jumps while edges come in, so that the times between the edges
    of one board stay right to a few microseconds; the interval is wide enough to allow for it.
    """

    def __init__(self) -> None:
        self._bounds: list[_Bounds] = []
        self._drift = 0.0
        self._unsure = DRIFT_BOUND
        self._at_us = 0  # board time of the newest estimate
        self._offset_us = 0.0  # then
        self._half_us = 0.0  # how far off that may be
        self._rest_us = 0.0  # how far the mapping in use is from the estimate
        self._slack_us = 0.0  # how much wider than needed the interval in use is
        self._mapped_us: int | None = None  # newest board time that was asked for

    @property
    def ready(self) -> bool:
        return bool(self._bounds)

    @property
    def drift_ppm(self) -> float:
        """How much faster the host's clock runs than the board's."""
        return self._drift * 1e6

    @property
    def uncertain_us(self) -> float:
        """Half the width of an interval at the newest round trip, how late the board looked left aside."""
        return self._offset(self._at_us)[1]

    def add(self, board_us: int, sent_us: int, received_us: int) -> None:
        """One round trip. One that contradicts the earlier ones (a clock was stopped or set) begins anew."""
        fresh = _Bounds(sent_us // BUCKET_US, board_us, sent_us - board_us, board_us, received_us - board_us)
        if not self._bounds:
            self._bounds = [fresh]
            self._estimate(board_us)
            return
        used_us, used_half_us = self._offset(board_us)
        room_us = used_half_us + STRAY_US
        if not fresh.low_us - room_us <= used_us <= fresh.high_us + room_us:
            self.__init__()  # type: ignore[misc]  # nothing of before is true any longer
            self.add(board_us, sent_us, received_us)
            return
        self._collect(fresh)
        self._learn_drift()
        self._estimate(board_us)
        if self._mapped_us is not None and board_us - self._mapped_us < QUIET_US:
            self._rest_us = used_us - self._offset_us
            self._slack_us = max(0.0, used_half_us - self._half_us - abs(self._rest_us))

    def interval(self, board_us: int, late_us: int, now_us: int) -> tuple[int, int]:
        """When something happened that the board saw at ``board_us``, up to ``late_us`` late, and told by now."""
        if self._mapped_us is None or board_us > self._mapped_us:
            self._mapped_us = board_us
        offset_us, half_us = self._offset(board_us)
        middle_us = min(board_us + offset_us, now_us)
        return round(middle_us - half_us) - late_us, round(middle_us + half_us)

    def _offset(self, board_us: int) -> tuple[float, float]:
        """The offset in use at that time, and how far off it may be."""
        if not self._bounds:
            raise ValueError("a board's clock is unknown before its first answer to a ping")
        since_us = board_us - self._at_us
        moved_us = abs(since_us) * SLEW
        rest_us = max(0.0, abs(self._rest_us) - moved_us) * (1 if self._rest_us > 0 else -1)
        slack_us = max(0.0, self._slack_us - moved_us)
        return (
            self._offset_us + since_us * self._drift + rest_us,
            self._half_us + abs(since_us) * self._unsure + abs(rest_us) + slack_us,
        )

    def _collect(self, fresh: _Bounds) -> None:
        last = self._bounds[-1]
        if last.bucket != fresh.bucket:
            self._bounds.append(fresh)
            del self._bounds[:-BUCKETS]
            return
        if fresh.low_us > self._least(last, fresh.low_at_us):
            last.low_at_us, last.low_us = fresh.low_at_us, fresh.low_us
        if fresh.high_us < self._most(last, fresh.high_at_us):
            last.high_at_us, last.high_us = fresh.high_at_us, fresh.high_us

    def _learn_drift(self) -> None:
        """Drift from what the oldest and the newest bounds allow."""
        third = max(1, len(self._bounds) // 3)
        old, new = self._bounds[:third], self._bounds[-third:]
        old_at_us, new_at_us = old[third // 2].low_at_us, new[third // 2].low_at_us
        span_us = new_at_us - old_at_us
        if span_us < SPAN_US:
            return
        old_us, old_half_us = self._meet(old, old_at_us)
        new_us, new_half_us = self._meet(new, new_at_us)
        unsure = (old_half_us + new_half_us) / span_us + WANDER
        if unsure < DRIFT_BOUND:
            self._drift = max(-DRIFT_BOUND, min(DRIFT_BOUND, (new_us - old_us) / span_us))
            self._unsure = unsure

    def _estimate(self, board_us: int) -> None:
        self._at_us = board_us
        self._offset_us, self._half_us = self._meet(self._bounds, board_us)
        self._rest_us = self._slack_us = 0.0

    def _meet(self, bounds: Sequence[_Bounds], board_us: int) -> tuple[float, float]:
        """What bounds together allow at one time: the middle, and half the width."""
        low_us = max(self._least(each, board_us) for each in bounds)
        high_us = min(self._most(each, board_us) for each in bounds)
        return (low_us + high_us) / 2, abs(high_us - low_us) / 2

    def _least(self, bounds: _Bounds, board_us: int) -> float:
        since_us = board_us - bounds.low_at_us
        return bounds.low_us + since_us * self._drift - abs(since_us) * self._unsure

    def _most(self, bounds: _Bounds, board_us: int) -> float:
        since_us = board_us - bounds.high_at_us
        return bounds.high_us + since_us * self._drift + abs(since_us) * self._unsure
