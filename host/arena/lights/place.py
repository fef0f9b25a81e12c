"""The pixels of one place: what they show, and how often they may change."""

from __future__ import annotations

from collections import deque

from ..words import Cue, Pattern
from .paint import PULSE_STEP_US, flash, paint

FLASH_US = 250_000
SECOND_US = 1_000_000
CHANGES = 3  # in any second, at any place: more could harm people with photosensitive epilepsy (WCAG 2.3.1)


class LitPlace:
    """Shows a cue, flashes once for each new answer, and holds back what would change it too often."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.cue = Cue(Pattern.OFF)
        self.shown: bytes | None = None  # None while nobody knows what the pixels show
        self._pending = False
        self._flash_until_us: int | None = None
        self._changes: deque[int] = deque(maxlen=CHANGES)

    def show(self, cue: Cue, answers: bool) -> None:
        """The cue from now on; a new answer number asks for a flash, if ``answers``."""
        if answers and cue.answer and cue.answer != self.cue.answer:
            self._pending = True
        self.cue = cue

    def step(self, now_us: int) -> bytes | None:
        """The colours to send now, or ``None`` where nothing changes."""
        if self._flash_until_us is not None and now_us >= self._flash_until_us:
            self._flash_until_us = None
        if self._pending and self._flash_until_us is None and self._may_flash(now_us):
            self._pending, self._flash_until_us = False, now_us + FLASH_US
        wanted = self._wanted(now_us)
        if wanted == self.shown or self._recent(now_us, now_us) >= CHANGES:
            return None
        self.shown = wanted
        self._changes.append(now_us)
        return wanted

    def due_us(self, now_us: int) -> int | None:
        """When ``step`` will next have something to do."""
        dues = []
        if self._flash_until_us is not None:
            dues.append(self._flash_until_us)
        else:
            if self._pending:
                freed = (at for change in self._changes for at in (change + SECOND_US, change + SECOND_US - FLASH_US))
                dues.append(min((at for at in freed if at > now_us and self._may_flash(at)), default=now_us))
            if self._wanted(now_us) != self.shown:
                dues.append(max(now_us, self._changes[0] + SECOND_US))
            if self.cue.pattern is Pattern.PULSE:
                dues.append((now_us // PULSE_STEP_US + 1) * PULSE_STEP_US)
        return min(dues, default=None)

    def _wanted(self, now_us: int) -> bytes:
        return flash(self.count) if self._flash_until_us is not None else paint(self.cue, self.count, now_us)

    def _may_flash(self, at_us: int) -> bool:
        """Whether a flash may both begin then and end in time."""
        end_us = at_us + FLASH_US
        return self._recent(at_us, at_us) < CHANGES and self._recent(end_us, at_us) + 1 < CHANGES

    def _recent(self, at_us: int, until_us: int) -> int:
        """How many changes up to ``until_us`` fall into the second before ``at_us``."""
        return sum(1 for change in self._changes if at_us - SECOND_US < change <= until_us)
