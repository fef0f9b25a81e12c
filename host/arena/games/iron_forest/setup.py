"""How a game is set up: who plays, on which table, with which content and options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .cards import Cards, load_cards
from .places import Places, load_places
from .scenario import Scenario, load_scenario
from .teams import TEAMS, other_team

KEYS = ("seed", "players", "first", "map", "scenario", "power_ups", "options")


@dataclass(frozen=True, slots=True)
class Player:
    name: str
    seat: str
    team: str


@dataclass(frozen=True, slots=True)
class Options:
    """The three optional rules, and whether people draw from a real Activation deck."""

    second_chance: bool = False
    no_power_ups: bool = False
    maximum_chaos: bool = False
    physical_deck: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that stays the same during a game. Two setups are equal when their text is.

    ``tokens``: who holds which Turn Order token; token n is ``tokens[n - 1]``.
    """

    text: str
    seed: int = field(compare=False)
    players: tuple[Player, ...] = field(compare=False)
    tokens: tuple[Player, ...] = field(compare=False)
    options: Options = field(compare=False)
    places: Places = field(compare=False)
    scenario: Scenario = field(compare=False)
    cards: Cards = field(compare=False)

    def team_of(self, token: int) -> str:
        return self.tokens[token - 1].team

    def tokens_of(self, team: str) -> tuple[int, ...]:
        return tuple(number for number, player in enumerate(self.tokens, 1) if player.team == team)

    def seats_of(self, team: str) -> tuple[str, ...]:
        return tuple(player.seat for player in self.players if player.team == team)


def load_setup(data: Mapping[str, Any]) -> Setup:
    """A checked setup; ``ValueError`` names the key, what was found and what was expected."""
    for key in data:
        if key not in KEYS:
            raise _wrong(key, key, f"only the keys {', '.join(KEYS)}")
    seed = data.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise _wrong("seed", seed, "a whole number")
    first = data.get("first", TEAMS[0])
    if first not in TEAMS:
        raise _wrong("first", first, f"one of {', '.join(TEAMS)}")
    players = _players(data.get("players"))
    places = load_places(data.get("map"))
    return Setup(
        text=json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":")),
        seed=seed,
        players=players,
        tokens=_tokens(players, first),
        options=_options(data.get("options", {})),
        places=places,
        scenario=load_scenario(data.get("scenario"), places),
        cards=load_cards(data.get("power_ups")),
    )


def _wrong(key: str, found: object, expected: str) -> ValueError:
    told = "nothing" if found is None else repr(found)
    return ValueError(f"the setup, {key}: found {told}, expected {expected}")


def _players(rows: object) -> tuple[Player, ...]:
    if not isinstance(rows, (list, tuple)) or not 2 <= len(rows) <= 4:
        raise _wrong("players", rows, "a list of 2 to 4 players")
    players: list[Player] = []
    for nth, row in enumerate(rows):
        where = f"players[{nth}]"
        if not isinstance(row, Mapping):
            raise _wrong(where, row, "name, seat and team")
        for key in ("name", "seat"):
            if not isinstance(row.get(key), str) or not row[key]:
                raise _wrong(f"{where}.{key}", row.get(key), "some words")
        if row.get("team") not in TEAMS:
            raise _wrong(f"{where}.team", row.get("team"), f"one of {', '.join(TEAMS)}")
        if row["seat"] in [player.seat for player in players] or row["seat"] in ("table", "spectator"):
            raise _wrong(f"{where}.seat", row["seat"], "a seat of its own, P1 to P4")
        players.append(Player(row["name"], row["seat"], row["team"]))
    sizes = sorted(sum(player.team == team for player in players) for team in TEAMS)
    # "In 2 or 4-player games, divide players evenly. In a 3-player game ... the third player on their own team"
    if sizes != [len(players) // 2, (len(players) + 1) // 2]:
        teams = [player.team for player in players]
        raise _wrong("players", teams, "teams of 1 and 1, 1 and 2, or 2 and 2 players")
    return tuple(players)


def _tokens(players: tuple[Player, ...], first: str) -> tuple[Player, ...]:
    """Odd Turn Order tokens for the first team, even ones for the other; a single player holds both of its team's."""
    count = 2 if len(players) == 2 else 4
    tokens = []
    for number in range(count):
        team = first if number % 2 == 0 else other_team(first)
        members = [player for player in players if player.team == team]
        tokens.append(members[number // 2 % len(members)])
    return tuple(tokens)


def _options(data: object) -> Options:
    names = tuple(each.name for each in fields(Options))
    if not isinstance(data, Mapping):
        raise _wrong("options", data, f"true or false for {', '.join(names)}")
    for name, value in data.items():
        if name not in names:
            raise _wrong(f"options.{name}", name, f"only {', '.join(names)}")
        if not isinstance(value, bool):
            raise _wrong(f"options.{name}", value, "true or false")
    return Options(**data)
