"""Which window a sighting belongs to: by when it happened, never by when it came."""

from __future__ import annotations

from enum import StrEnum

from ..words import Seen, Sighting
from .timeline import Step, Timeline


class Belongs(StrEnum):
    NOW = "now"  # wholly in the window that is open
    BEFORE = "before"  # wholly in an earlier one: it came late
    UNSURE = "unsure"  # across the moment in which the window opened


def belongs(timeline: Timeline, sighting: Sighting) -> Belongs:
    """A window opens when an Activation begins, when a mover may move, and when it may no longer."""
    opened_at_us = timeline.last.opened_at_us
    if sighting.latest_us < opened_at_us:
        return Belongs.BEFORE
    return Belongs.NOW if sighting.earliest_us >= opened_at_us else Belongs.UNSURE


def step_then(timeline: Timeline, sighting: Sighting) -> Step:
    """The step in force when an earlier sighting happened; the last one before the window for one across it."""
    place = timeline.at(min(sighting.latest_us, timeline.last.opened_at_us - 1))
    return timeline.steps[place]


def settles(timeline: Timeline, sighting: Sighting, moved_at_us: int | None) -> bool:
    """Whether *settled* is about this Activation: something has to have moved in it.

    Otherwise the last Activation's stillness would end a movement that has not begun.
    """
    opened_at_us = timeline.last.activation_at_us
    moved = moved_at_us is not None and moved_at_us >= opened_at_us
    return sighting.seen is Seen.SETTLED and moved and sighting.latest_us >= opened_at_us
