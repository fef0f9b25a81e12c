"""What a correction changes, in words, before it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..games.contract import Game
from ..words import OUTSIDE, SPECTATOR, PlaceId
from .timeline import Step


def changes(game: Game[Any], before: Step, after: Step) -> tuple[str, ...]:
    """Score, turn, whereabouts and the end of the game, as a spectator may see them: nothing secret."""
    old, new = game.view(before.state, SPECTATOR), game.view(after.state, SPECTATOR)
    told = [*_scores(old, new), *_markers(old, new), *_turn(old, new)]
    told += [*_whereabouts(before, after), *_damage(old, new)]
    was, will = game.outcome(before.state), game.outcome(after.state)
    if was != will:
        told.append(f"The game is over: {will.text}" if will else "The game goes on.")
    return tuple(told) or ("Nothing changes in score, turn or whereabouts.",)


def _scores(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    teams = old.get("teams") or {}
    return [
        f"{now.get('name', team)}: {then['score']} → {now['score']}."
        for team, now in (new.get("teams") or {}).items()
        if (then := teams.get(team)) and then.get("score") != now.get("score")
    ]


def _turn(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    told = []
    if old.get("round") != new.get("round"):
        told.append(f"Round {old.get('round')} → {new.get('round')}.")
    if _active(old) != _active(new):
        told.append(f"Active: {_active(old)} → {_active(new)}.")
    elif old.get("turn") != new.get("turn"):
        told.append(f"Turn {old.get('turn')} → {new.get('turn')}.")
    return told


def _active(view: Mapping[str, Any]) -> str:
    active = view.get("active")
    if not isinstance(active, Mapping):
        return "nobody" if active is None else str(active)
    return ", ".join(str(active[name]) for name in ("mecha", "seat") if active.get(name)) or "nobody"


def _markers(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    was, will = old.get("markers") or {}, new.get("markers") or {}
    return [
        f"Markers at {place}: {_names(was.get(place))} → {_names(will.get(place))}."
        for place in sorted(was.keys() | will.keys())
        if (was.get(place) or []) != (will.get(place) or [])
    ]


def _names(values: Any) -> str:
    names = [values] if isinstance(values, str) else list(values or [])
    return ", ".join(str(name).replace("_", " ") for name in names) or "none"


def _whereabouts(before: Step, after: Step) -> list[str]:
    was, will = before.expectation.known, after.expectation.known
    return [
        f"{piece}: {_boxes(was.get(piece, ()))} → {_boxes(places)}."
        for piece, places in will.items()
        if was.get(piece, ()) != places
    ]


def _damage(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    was = old.get("mechas") or {}
    return [
        f"{name}: {_health(was[name])} → {_health(now)}."
        for name, now in (new.get("mechas") or {}).items()
        if name in was and _health(was[name]) != _health(now)
    ]


def _health(mecha: Mapping[str, Any]) -> str:
    return "KO'd" if mecha.get("ko") else "Damaged" if mecha.get("damaged") else "undamaged"


def _boxes(places: tuple[PlaceId, ...]) -> str:
    return " or ".join("outside" if place == OUTSIDE else place for place in places) or "unknown"
