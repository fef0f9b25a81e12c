"""The small language of the rulings in ``tests/rulings/iron_forest``: given, do, then.

A command is written ``hit piece=SHI3LD``; ``P2: done`` gives it from a seat, ``done *3`` three times.
Several Mechas in one argument have a comma between: ``others=BBIT,SPIKE``.
A sighting is written ``see pass D5 B1>B2 BUBO:0.9 SPIKE:0.1``: what certainly follows is applied.
``sides=B1`` and ``sure=0.5`` set a sighting's sides and confidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.games.contract import Event, Illegal, Question
from arena.games.iron_forest import IronForest, State
from arena.games.iron_forest.state import Held
from arena.games.iron_forest.teams import TEAMS, activation_cards
from arena.games.iron_forest.turn import _draw_card
from arena.words import TABLE, Candidate, Command, Seen, Sighting

GIVEN = {"mechas", "deck", "markers", "scores", "renewed", "held", "power_deck", "power_discard", "mines"}
GIVEN |= {"barricades", "sabotages"}


@dataclass
class Told:
    """Where a ruling has come to, and what the last line of it gave."""

    state: State
    events: tuple[Event, ...] = ()
    refused: Illegal | None = None
    follows: tuple[Command, ...] = ()
    question: Question | None = None
    kinds: list[str] = field(default_factory=list)


def command_of(text: str) -> tuple[Command, str]:
    seat, _, rest = text.rpartition(": ")
    do, *words = rest.split()
    args: dict[str, str | int] = {}
    for word in words:
        name, value = word.split("=", 1)
        args[name] = value.replace(",", " ")
    if "token" in args:
        args["token"] = int(args["token"])
    return Command.of(do, **args), seat or TABLE


def words_of(command: Command | None) -> str:
    """A command as it is written here."""
    if command is None:
        return "nothing"
    return " ".join([command.do, *(f"{name}={value}".replace(" ", ",") for name, value in command.args)])


def sighting_of(text: str) -> tuple[Sighting, list[Candidate]]:
    _, kind, place, *words = text.split()
    sighting = Sighting(Seen(kind), place, 1000, 2000)
    pieces = []
    for word in words:
        if ">" in word:
            origin, target = word.split(">")
            sighting = replace(sighting, origin=origin, target=target)
        elif word.startswith("sides="):
            sighting = replace(sighting, sides=tuple(word[6:].split(",")))
        elif word.startswith("sure="):
            sighting = replace(sighting, confidence=float(word[5:]))
        else:
            piece, weight = word.split(":")
            pieces.append(Candidate(piece, float(weight)))
    return sighting, pieces


def begin(game: IronForest, setup: dict[str, Any], given: Mapping[str, Any]) -> State:
    """The start of a game with some of it put otherwise, its first card drawn again."""
    assert set(given) <= GIVEN, f"a ruling's situation has no {sorted(set(given) - GIVEN)}"
    state = game.new(setup)
    decks = tuple(_stacked(team, given.get("deck", {}).get(team, [])) for team in TEAMS)
    state = replace(state, decks=decks, discards=((), ()), activations=0, step=1, active=None, placing=())
    for name, wishes in given.get("mechas", {}).items():
        if wishes.get("ko"):
            wishes = {"boxes": ["outside"], **wishes}
        changes = {key: tuple(value) if isinstance(value, list) else value for key, value in wishes.items()}
        state = state.with_mecha(replace(state.mecha(name), **changes))
    if "markers" in given:
        state = replace(
            state, markers=tuple(sorted((p, team) for team in TEAMS for p in given["markers"].get(team, [])))
        )
    for name in ("scores", "renewed"):
        if name in given:
            state = replace(state, **{name: tuple(given[name].get(team, 0) for team in TEAMS)})
    if "held" in given:
        state = replace(state, held=tuple(tuple(Held(kind) for kind in hand) for hand in given["held"]))
    for name in ("power_deck", "power_discard", "mines", "barricades", "sabotages"):
        if name in given:
            state = replace(state, **{name: tuple(given[name])})
    return _draw_card(state, [])


def _stacked(team: str, top: Sequence[str]) -> tuple[str, ...]:
    cards = list(activation_cards(team))
    for card in top:
        cards.remove(card)
    return (*top, *cards)


def do(game: IronForest, told: Told, line: str) -> None:
    line, _, times = line.partition(" *")
    for _ in range(int(times or 1)):
        told.events, told.refused, told.follows, told.question = (), None, (), None
        if line.startswith("see "):
            observed = game.observe(told.state, *sighting_of(line))
            told.follows, told.question = observed.commands, observed.question
            for command in observed.commands:
                told.state, told.events = game.apply(told.state, command, TABLE)
                told.kinds += [event.kind for event in told.events]
            continue
        command, seat = command_of(line)
        try:
            told.state, told.events = game.apply(told.state, command, seat)
        except Illegal as refusal:
            told.refused = refusal
            return
        told.kinds += [event.kind for event in told.events]


def found_at(data: Any, path: str) -> Any:
    for part in path.split("."):
        data = data[int(part)] if isinstance(data, list) else data[part]
    return data
