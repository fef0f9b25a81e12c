"""One board's clock on the host's: offset and drift from the shortest round trips, every time an interval.

Pure. A ping that was sent at ``sent_us`` and answered by ``received_us`` says that the board's clock
showed ``board_us`` somewhere in between; the shorter the round trip, the more it says.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..wire import TICKS

DRIFT_BOUND = 200e-6  # two crystals (±50 ppm each is poor), and a host clock that is being steered
WANDER = 2e-6  # what warmth does to a crystal while a game lasts
BUCKET_US = 8_000_000  # the best sample of so long is kept ...
BUCKETS = 40  # ... for five minutes
SPAN_US = 5_000_000  # samples must be so far apart before they say anything of the drift
QUIET_US = 1_000_000  # without an edge for so long, the mapping may jump
SLEW = 1e-3  # otherwise it moves by 1 ms a second, 3 µs between the two beams of a Door


def whole_clock_us(wraps: int, ticks: int) -> int:
    """The board's whole clock from its 30-bit ticks and how often they wrapped."""
    return wraps * TICKS + ticks


@dataclass(frozen=True, slots=True)
class _Sample:
    board_us: int
    middle_us: float
    half_us: float
    bucket: int


class BoardClock:
    """Takes round trips, gives intervals. Not ``ready`` before the first round trip.

    The mapping is corrected without jumps while edges come in, so that the times between the edges
    of one board stay right to a few microseconds; the interval is wide enough to allow for it.
    """

    def __init__(self) -> None:
        self._samples: list[_Sample] = []
        self._anchor: _Sample | None = None
        self._drift = 0.0
        self._unsure = DRIFT_BOUND
        self._turned_us = 0  # board time of the last correction
        self._rest_us = 0.0  # of the correction, still to be made then
        self._slack_us = 0.0  # how much wider than needed the interval was then
        self._mapped_us: int | None = None  # newest board time that was asked for

    @property
    def ready(self) -> bool:
        return self._anchor is not None

    @property
    def drift_ppm(self) -> float:
        """How much faster the host's clock runs than the board's."""
        return self._drift * 1e6

    @property
    def newest_uncertain_us(self) -> float:
        """Half the width of an interval at the newest round trip, how late the board looked left aside."""
        return self._place(self._samples[-1].board_us)[1]

    def add(self, board_us: int, sent_us: int, received_us: int) -> None:
        """One round trip. A contradiction of all earlier ones (either clock was stopped or set) begins anew."""
        sample = _Sample(board_us, (sent_us + received_us) / 2, (received_us - sent_us) / 2, sent_us // BUCKET_US)
        if self._anchor is None:
            self._samples = [sample]
            self._anchor = sample
            return
        used_us, used_half_us = self._place(board_us)
        if abs(sample.middle_us - used_us) > 2 * (sample.half_us + used_half_us) + 1000:
            self.__init__()  # type: ignore[misc]  # nothing of before is true any longer
            self.add(board_us, sent_us, received_us)
            return
        last = self._samples[-1]
        if last.bucket != sample.bucket:
            self._samples.append(sample)
            if len(self._samples) > BUCKETS:
                del self._samples[1 if self._samples[0] is self._anchor else 0]
        elif sample.half_us < last.half_us:
            self._samples[-1] = sample
        self._estimate(sample)
        self._rest_us = self._slack_us = 0.0
        self._turned_us = board_us
        if self._mapped_us is not None and board_us - self._mapped_us < QUIET_US:
            target_us, half_us = self._place(board_us)
            self._rest_us = used_us - target_us
            self._slack_us = max(0.0, used_half_us - half_us - abs(self._rest_us))

    def interval(self, board_us: int, late_us: int, now_us: int) -> tuple[int, int]:
        """When something happened that the board saw at ``board_us``, up to ``late_us`` late, and told by now."""
        if self._mapped_us is None or board_us > self._mapped_us:
            self._mapped_us = board_us
        middle_us, half_us = self._place(board_us)
        middle_us = min(middle_us, now_us)
        return round(middle_us - half_us) - late_us, round(middle_us + half_us)

    def _place(self, board_us: int) -> tuple[float, float]:
        anchor = self._anchor
        if anchor is None:
            raise ValueError("a board's clock is unknown before its first answer to a ping")
        since_us = board_us - anchor.board_us
        left_us = abs(board_us - self._turned_us) * SLEW
        rest_us = max(0.0, abs(self._rest_us) - left_us) * (1 if self._rest_us > 0 else -1)
        slack_us = max(0.0, self._slack_us - left_us)
        return (
            anchor.middle_us + since_us * (1 + self._drift) + rest_us,
            anchor.half_us + abs(since_us) * self._unsure + abs(rest_us) + slack_us,
        )

    def _estimate(self, newest: _Sample) -> None:
        """Choose drift and anchor anew."""
        third = max(1, len(self._samples) // 3)
        old = min(self._samples[:third], key=lambda sample: sample.half_us)
        new = min(self._samples[-third:], key=lambda sample: sample.half_us)
        span_us = new.board_us - old.board_us
        if span_us >= SPAN_US:
            unsure = (old.half_us + new.half_us) / span_us
            if unsure < DRIFT_BOUND:
                drift = (new.middle_us - old.middle_us) / span_us - 1
                self._drift = max(-DRIFT_BOUND, min(DRIFT_BOUND, drift))
                self._unsure = min(DRIFT_BOUND, unsure + WANDER)
        self._anchor = min(
            self._samples, key=lambda sample: sample.half_us + abs(newest.board_us - sample.board_us) * self._unsure
        )
