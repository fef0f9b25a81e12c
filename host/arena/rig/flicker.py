"""Notices an input that changes far more often than anything on the table could make it."""

from __future__ import annotations

from collections import deque

CHANGES = 24  # eight Mechas through one Door make 16
WITHIN_US = 1_000_000
WELL_AGAIN_US = 5_000_000


class Flicker:
    """The recent changes of one input."""

    def __init__(self) -> None:
        self.recent: deque[int] = deque(maxlen=CHANGES)
        self.sick = False

    def edge(self, at_us: int) -> bool:
        """Whether this change is the one that makes the input sick."""
        if self.recent and at_us - self.recent[-1] > WELL_AGAIN_US:
            self.sick = False
            self.recent.clear()
        self.recent.append(at_us)
        if self.sick or len(self.recent) < CHANGES or at_us - self.recent[0] > WITHIN_US:
            return False
        self.sick = True
        return True

    def sick_at(self, now_us: int) -> bool:
        """Whether it is still sick: it becomes well by being quiet."""
        return self.sick and now_us - self.recent[-1] <= WELL_AGAIN_US
