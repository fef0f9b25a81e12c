"""What people and lights are shown. Nothing here reads a deck's order or the generator."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...words import TABLE, Cue, Expectation, Pattern, PlaceId, Seat
from . import powerups, presumed
from .movement import lines
from .setup import Player
from .state import TEAM_NUMBER, Activation, Held, State
from .teams import ANIMAL_CLANS, IRON_FORCE, MECHAS, TEAM_NAMES, TEAM_OF, TEAMS

GREEN = (0, 200, 40)
RED = (220, 20, 0)
WHITE = (160, 160, 160)
COLOURS = {ANIMAL_CLANS: GREEN, IRON_FORCE: RED}


def expect(state: State) -> Expectation:
    """Where each Mecha is known to be, which may move by itself, what hands are placing, what is at stake."""
    known = {mecha.name: mecha.boxes for mecha in state.mechas}
    placing = tuple(piece for piece in state.placing if piece in known)
    mover = state.mover
    return Expectation(known, mover, placing, state.markers_of(state.team) if mover else ())


def cues(state: State) -> dict[PlaceId, Cue]:
    """Teams by pattern as well as colour: Animal Clans SOLID green, Iron Force DOTS red, both SPLIT."""
    places = state.setup.places
    answers = dict(state.answers)
    shown: dict[PlaceId, Cue] = {}
    for place in places.ways:
        teams = [team for where, team in state.markers if where == place]
        answer = answers.get(place, 0)
        if state.winners:
            shown[place] = Cue(Pattern.PULSE, COLOURS[state.winners[0]], answer=answer)
        elif len(teams) == 2:
            shown[place] = Cue(Pattern.SPLIT, GREEN, RED, answer)
        elif teams:
            pattern = Pattern.SOLID if teams[0] == ANIMAL_CLANS else Pattern.DOTS
            shown[place] = Cue(pattern, COLOURS[teams[0]], answer=answer)
        else:
            shown[place] = Cue(Pattern.OFF, answer=answer)
    ready = state.may_launch()
    for launcher in places.launchers:
        shown[launcher] = Cue(Pattern.PULSE, WHITE) if ready else Cue(Pattern.OFF)
    return shown


def view(state: State, seat: Seat) -> dict[str, Any]:
    """What a seat may see. A looked-at Power-up is shown to the team that decides, and at the table itself."""
    setup, active = state.setup, state.active
    looks = seat == TABLE or seat in setup.seats_of(state.opponents)
    return {
        "game": "iron_forest",
        "scenario": {
            "name": setup.scenario.name,
            "origin": setup.scenario.origin,
            "goal": setup.scenario.goal,
            "text": setup.scenario.goal_text,
        },
        "round": state.round,
        "turn": state.turn,
        "step": state.step,
        "active": {
            "seat": state.player.seat,
            "player": state.player.name,
            "team": state.team,
            "token": state.token,
            "mecha": active.mecha if active else None,
            "second_attempt": active.second if active else False,
        }
        if not state.winners
        else None,
        "phase": phase(state),
        "prompt": prompt(state),
        "teams": {team: _team(state, team) for team in TEAMS},
        "players": [_player(state, player) for player in setup.players],
        "mechas": {
            mecha.name: {
                "team": mecha.team,
                "boxes": list(mecha.boxes),
                "damaged": mecha.damaged,
                "ko": mecha.ko,
                "active": active is not None and active.mecha == mecha.name and not state.winners,
                "stuck": mecha.stuck,
            }
            for mecha in state.mechas
        },
        "markers": _markers(state),
        "markers_due": state.markers_due,
        "placed_cards": {
            "barricades": list(state.barricades),
            "mines": list(state.mines),
            "sabotages": list(state.sabotages),
        },
        "hands": list(state.placing),
        "power_ups": {
            "deck": len(state.power_deck),
            "discard": [setup.cards.name(kind) for kind in state.power_discard],
            "waiting": len(state.gifts),
            "seen": [_card(state, kind) for kind in state.gifts[:1]] if looks else [],
        },
        "house": house(state),
        "outcome": _outcome(state),
    }


def phase(state: State) -> str:
    """What the game waits for: over, draw, give, markers, placing, doubt, landing, action or still."""
    if state.winners:
        return "over"
    if state.gifts:
        return "give"
    if state.markers_due:
        return "markers"
    active = state.open
    if active is None:
        return "draw"
    if state.placing and not active.touched:
        return "placing"
    if presumed.doubt(active) is not None:
        return "doubt"
    if active.landing:
        return "landing"
    return "still" if active.ended else "action"


def prompt(state: State) -> str:
    """One sentence: who does what now."""
    who, active = state.player.name, state.open
    match phase(state):
        case "over":
            return f"{TEAM_NAMES[state.winners[0]]} wins."
        case "give":
            return f"{TEAM_NAMES[state.opponents]}: who gains the Power-up that you looked at?"
        case "markers":
            left = state.markers_due
            many = f"{left} more Objective marker{'s' if left > 1 else ''}"
            return f"{TEAM_NAMES[state.team]}: place {many} above different Doors or Holes."
        case "draw":
            which = "first" if state.step == 1 else "second"
            return f"{who}: draw your {which} Activation card and tap the Mecha that it names."
        case "placing":
            return _placing_prompt(state)
        case "doubt":
            return _doubt_prompt(state)
        case "landing":
            return f"{who}: where did {active.mecha if active else ''} land?"
    assert active is not None
    if not active.able:
        return f"{active.mecha} was KO'd before it could move: go on."
    if active.ended:
        return f"{_rest(state, active)}: tell what it hit and who is outside, then Done."
    if active.touched:
        return f"{who}: tap what the beams cannot see of {active.mecha}'s movement, then Done."
    again = "once more, and this attempt stands" if active.second else "then tap what the beams cannot see, or Done"
    launch = " or Launch" if state.may_launch() else ""
    return f"{who}: Flick{launch} {active.mecha}, {again}."


def _rest(state: State, active: Activation) -> str:
    """How the Active Mecha's movement ended."""
    if state.mecha(active.mecha).ko:
        return f"{active.mecha} is KO'd"
    if active.mecha in active.outside:
        return f"{active.mecha} was outside and is back on its Depot"
    return f"{active.mecha} lies still"


def _doubt_prompt(state: State) -> str:
    assert state.open is not None
    doubted = presumed.doubt(state.open)
    assert doubted is not None
    then = " Then the Activation is over." if state.open.finishing else ""
    return f"Who passed {state.setup.places.kind(doubted.place)} into {state.setup.places.box(doubted.target)}?{then}"


def _placing_prompt(state: State) -> str:
    active = state.open
    assert active is not None
    mecha = state.mecha(active.mecha)
    if lines(state, active):
        return f"{mecha.name} is stuck in Door {mecha.stuck}: it may go to a White line. Tap where it stands."
    if mecha.stuck and state.placing == (mecha.name,):
        return f"Put {mecha.name} back into Door {mecha.stuck}, tap that hands are off, then Flick."
    return f"Place {' and '.join(state.placing)}, tap that hands are off, then Flick."


def house(state: State) -> list[str]:
    """Sentences that name what was invented here rather than printed."""
    setup = state.setup
    told = []
    if setup.scenario.places_origin == "house":
        told.append("Which Doors and Holes bear Objective markers is this house layout's, not the printed sheet's.")
    if not setup.options.no_power_ups:
        kinds = setup.cards.kinds.values()
        effects = ", ".join(card.name for card in kinds if card.origin == "house" and card.name_origin == "printed")
        cards = ", ".join(card.name for card in kinds if card.name_origin == "house")
        if effects:
            told.append(f"The effects of {effects} are invented here; only their names are printed.")
        if cards:
            told.append(f"The Power-ups {cards} are invented here.")
        told.append("How many copies of each Power-up there are is invented here.")
    return told


def _team(state: State, team: str) -> dict[str, Any]:
    number = TEAM_NUMBER[team]
    return {
        "name": TEAM_NAMES[team],
        "score": state.scores[number],
        "goal": state.setup.scenario.goal,
        "deck": len(state.decks[number]),
        "discard": list(state.discards[number]),
        "left": dict(Counter(state.decks[number])) if state.setup.options.physical_deck else None,
        "mechas": list(MECHAS[team]),
        "players": list(state.setup.seats_of(team)),
    }


def _player(state: State, player: Player) -> dict[str, Any]:
    tokens = [number for number, holder in enumerate(state.setup.tokens, 1) if holder == player]
    return {
        "seat": player.seat,
        "name": player.name,
        "team": player.team,
        "tokens": tokens,
        "power_ups": [_held(state, token, held) for token in tokens for held in state.held[token - 1]],
    }


def _held(state: State, token: int, held: Held) -> dict[str, Any]:
    down = powerups.face_down(state, held)
    playable = not down and held.kind in powerups.playable(state, token)
    return {**_card(state, held.kind), "playable": playable, "face_down": down, "token": token}


def _card(state: State, kind: str) -> dict[str, Any]:
    card = state.setup.cards.kinds[kind]
    return {"id": card.id, "name": card.name, "text": card.text, "origin": card.origin}


def _markers(state: State) -> dict[str, list[str]]:
    markers: dict[str, list[str]] = {}
    for place, team in state.markers:
        markers.setdefault(place, []).append(team)
    return markers


def _outcome(state: State) -> dict[str, Any] | None:
    if not state.winners:
        return None
    scores = {team: state.score(team) for team in TEAMS}
    return {"winners": list(state.winners), "scores": scores, "text": outcome_text(state)}


def outcome_text(state: State) -> str:
    winner = state.winners[0]
    loser = TEAM_OF[MECHAS[state.opponents if winner == state.team else state.team][0]]
    return f"{TEAM_NAMES[winner]} wins, {state.score(winner)} to {state.score(loser)}."
