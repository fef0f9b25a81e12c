"""A whole state as canonical JSON, secrets included, and back. Equal states give equal texts."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from .setup import load_setup
from .state import Activation, Held, Mecha, Pass, State

FORMAT = 1


def dump(state: State) -> str:
    data = {each.name: _plain(getattr(state, each.name)) for each in fields(State) if each.name != "setup"}
    whole = {"format": FORMAT, "setup": json.loads(state.setup.text), "state": data}
    return json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> State:
    """``ValueError`` where the text is no state of this game."""
    whole = json.loads(text)
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise ValueError(f"this is no saved game of Iron Forest in format {FORMAT}")
    data = whole["state"]
    names = {each.name for each in fields(State)} - {"setup"}
    if set(data) != names:
        raise ValueError(f"a saved game has {', '.join(sorted(names))}, not {', '.join(sorted(data))}")
    told = {name: _tuples(value) for name, value in data.items()}
    told["mechas"] = tuple(_mecha(each) for each in data["mechas"])
    told["held"] = tuple(tuple(Held(**held) for held in hand) for hand in data["held"])
    told["active"] = data["active"] and _activation(data["active"])
    return State(setup=load_setup(whole["setup"]), **told)


def _plain(value: Any) -> Any:
    if isinstance(value, (Mecha, Held, Pass, Activation)):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def _mecha(data: dict[str, Any]) -> Mecha:
    return Mecha(**{name: _tuples(value) for name, value in data.items()})


def _activation(data: dict[str, Any]) -> Activation:
    told = {name: _tuples(value) for name, value in data.items()}
    passed = tuple(Pass(**{name: _tuples(value) for name, value in each.items()}) for each in data["passed"])
    return Activation(**told).but(start=_mecha(data["start"]), passed=passed)
