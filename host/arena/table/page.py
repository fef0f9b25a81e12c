"""What one seat may see of the table, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words import SPECTATOR, Cue, PlaceId, Seat
from .story import Remark, Story
from .timeline import Step, may_see

LOG_LINES = 80  # a page is sent whole at every change; ``log`` gives all of them


def page(story: Story, seat: Seat, game_id: str, paused: bool) -> dict[str, Any]:
    """The page of a seat. Only the game's view, choices and events reach it, never its state or setup."""
    game, state = story.game, story.state
    waiting = story.waiting
    return {
        "seq": story.seq,
        "game_id": game_id,
        "activation": story.timeline.last.activation,
        "view": game.view(state, seat),
        "legal": [] if seat == SPECTATOR else choices(story, seat),
        "question": waiting[0].to_json() if waiting else None,
        "questions_waiting": len(waiting),
        "log": log(story, seat, LOG_LINES),
        "cues": {place: cue_json(cue) for place, cue in game.cues(state).items()},
        "can_undo": len(story.timeline.actions),
        "paused": paused,
    }


def no_game(seq: int = 0) -> dict[str, Any]:
    """The page before any game was begun."""
    return {
        "seq": seq,
        "game_id": None,
        "activation": None,
        "view": None,
        "legal": [],
        "question": None,
        "questions_waiting": 0,
        "log": [],
        "cues": {},
        "can_undo": 0,
        "paused": False,
    }


def choices(story: Story, seat: Seat) -> list[dict[str, Any]]:
    return [
        {
            "command": choice.command.to_json(),
            "label": choice.label,
            "group": choice.group,
            "default": choice.default,
        }
        for choice in story.game.legal(story.state, seat)
    ]


def log(story: Story, seat: Seat, lines: int | None = None) -> list[dict[str, Any]]:
    """The log in words, the oldest first; at most the last ``lines``.

    Moves stand in the order in which they count, so one that was put in afterwards stands where it
    belongs; remarks stand where they were made.
    """
    told: list[dict[str, Any]] = []
    remarks = list(story.remarks)
    for step in reversed(story.timeline.steps[1:]):
        move = step.move
        assert move is not None
        # Moves put in afterwards have a late number but stand early: only the others place the remarks
        if not move.inserted:
            while remarks and remarks[-1].seq > move.seq:
                told.append(_remark_line(remarks.pop(), seat))
        told.extend(reversed(_step_lines(step, seat)))
        if lines is not None and len(told) >= lines:
            return told[:lines][::-1]
    told.extend(_remark_line(remark, seat) for remark in reversed(remarks))
    return told[:lines][::-1]


def _step_lines(step: Step, seat: Seat) -> list[dict[str, Any]]:
    move = step.move
    assert move is not None
    line = {"seq": move.seq, "at": move.at_us, "wall": move.wall, "by": move.by}
    if step.refused:
        text = f"No longer possible, so it does not count: {step.words(seat)}. {step.refused.reason}"
        return [{**line, "text": text, "kind": "refused", "place": None, "piece": None, "can_strike": True}]
    seen = [event for event in step.events if may_see(event, seat)]
    return [
        {
            **line,
            "text": event.text,
            "kind": event.kind,
            "place": event.place,
            "piece": event.piece,
            "can_strike": nth == 0,  # one button for all that one command did
        }
        for nth, event in enumerate(seen)
    ]


def _remark_line(remark: Remark, seat: Seat) -> dict[str, Any]:
    text = " ".join([remark.text, *(step.words(seat) for step in remark.about)])
    if remark.dropped:
        text += " So these no longer count: " + " ".join(step.words(seat) for step in remark.dropped)
    return {
        "seq": remark.seq,
        "at": remark.at_us,
        "wall": remark.wall,
        "text": text,
        "kind": remark.kind,
        "place": remark.place,
        "piece": None,
        "by": remark.by,
        "can_strike": False,
    }


def cue_json(cue: Cue) -> dict[str, Any]:
    return {
        "pattern": cue.pattern.value,
        "colour": list(cue.colour),
        "second": list(cue.second),
        "answer": cue.answer,
    }


def cues(story: Story) -> Mapping[PlaceId, Cue]:
    return story.game.cues(story.state)
