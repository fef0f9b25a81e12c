"""A small real game for the table's tests: a race through three Doors, with hidden cards.

Three Boxes in a ring; each pass of the Active piece scores a point, "done" draws a card that only
its player sees, "reveal" turns it into points. Ten points win.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.games.contract import Choice, Event, Illegal, Observed, Outcome, Question
from arena.words import TABLE, Candidate, Command, Cue, Expectation, Pattern, Seat, Seen, Sighting

DOORS = {"D1": ("A", "B"), "D2": ("B", "C"), "D3": ("C", "A")}
PIECES = {"P1": "RED", "P2": "BLUE"}
GOAL = 10


@dataclass(frozen=True)
class Standing:
    generator: int
    boxes: tuple[str, str]
    scores: tuple[int, int] = (0, 0)
    hands: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    activation: int = 1
    moving: bool = True
    answer: int = 0

    @property
    def active(self) -> int:
        return (self.activation - 1) % 2

    @property
    def mover(self) -> str:
        return ("RED", "BLUE")[self.active]

    def box(self, piece: str) -> str:
        return self.boxes[("RED", "BLUE").index(piece)]


def changed(pair: tuple[Any, Any], at: int, value: Any) -> tuple[Any, Any]:
    return (value, pair[1]) if at == 0 else (pair[0], value)


class Race:
    name = "race"

    def new(self, setup: Mapping[str, Any]) -> Standing:
        if not isinstance(setup.get("seed"), int):
            raise ValueError(f'the setup needs a whole number "seed", not {setup.get("seed")!r}')
        return Standing(setup["seed"] % 2**31, ("A", "A"))

    def legal(self, state: Standing, seat: Seat) -> Sequence[Choice]:
        if self.outcome(state) or seat not in (TABLE, f"P{state.active + 1}"):
            return []
        choices = [Choice(Command.of("done"), "Done", default=True)]
        if state.hands[state.active]:
            choices.append(Choice(Command.of("reveal"), "Reveal a card"))
        return choices

    def apply(self, state: Standing, command: Command, seat: Seat) -> tuple[Standing, tuple[Event, ...]]:
        if self.outcome(state):
            raise Illegal("The end", "The race is over.")
        who = f"P{state.active + 1}"
        if seat not in (TABLE, who):
            raise Illegal("Turns", f"It is {who}'s turn.")
        match command.do:
            case "passed":
                return self._passed(state, command)
            case "put":
                piece, box = str(command["piece"]), str(command["box"])
                if piece not in ("RED", "BLUE") or box not in ("A", "B", "C"):
                    raise Illegal("Boxes", f"There is no {piece} or no Box {box}.")
                boxes = changed(state.boxes, ("RED", "BLUE").index(piece), box)
                return replace(state, boxes=boxes), (Event("put", f"{piece} is put into {box}.", box, piece),)
            case "movement_ended":
                if not state.moving:
                    raise Illegal("Movement", "Movement has ended already.")
                return replace(state, moving=False), (Event("still", f"{state.mover} lies still."),)
            case "done":
                generator = (state.generator * 1103515245 + 12345) % 2**31
                card = generator // 65536 % 3 + 1
                hands = changed(state.hands, state.active, (*state.hands[state.active], card))
                after = replace(state, generator=generator, hands=hands, activation=state.activation + 1, moving=True)
                return after, (
                    Event("done", f"{who} is done."),
                    Event("drawn", f"{who} draws a secret {card}.", seats=(who,)),
                )
            case "reveal":
                hand = state.hands[state.active]
                if not hand:
                    raise Illegal("Cards", f"{who} has no card.")
                hands = changed(state.hands, state.active, hand[1:])
                scores = changed(state.scores, state.active, state.scores[state.active] + hand[0])
                return replace(state, hands=hands, scores=scores), (Event("revealed", f"{who} reveals a {hand[0]}."),)
        raise Illegal("Commands", f"The race knows no {command.do!r}.")

    def _passed(self, state: Standing, command: Command) -> tuple[Standing, tuple[Event, ...]]:
        piece, place, target = str(command["piece"]), str(command["place"]), str(command["target"])
        ends = DOORS.get(place)
        if not state.moving:
            raise Illegal("Movement", "Movement has ended.")
        if ends is None or target not in ends or state.box(piece) not in ends or state.box(piece) == target:
            raise Illegal("Doors", f"{piece} cannot pass {place} to {target}.")
        after = replace(
            state,
            boxes=changed(state.boxes, ("RED", "BLUE").index(piece), target),
            answer=state.answer + 1,
        )
        if piece == state.mover:
            after = replace(after, scores=changed(state.scores, state.active, state.scores[state.active] + 1))
        return after, (Event("pass", f"{piece} passes {place} to {target}.", place, piece),)

    def expect(self, state: Standing) -> Expectation:
        known = {"RED": (state.boxes[0],), "BLUE": (state.boxes[1],)}
        return Expectation(known, state.mover if state.moving else None, (), tuple(DOORS))

    def observe(self, state: Standing, sighting: Sighting, pieces: Sequence[Candidate]) -> Observed:
        if sighting.seen is Seen.SETTLED:
            return Observed((Command.of("movement_ended"),)) if state.moving else Observed()
        if sighting.seen is not Seen.PASS:
            return Observed()
        names = [candidate.piece for candidate in pieces] or ["RED", "BLUE"]
        puts = tuple((Command.of("put", piece=name, box=sighting.target), f"{name} is there now") for name in names)
        if not state.moving:
            return Observed(question=Question("A pass with nobody moving. Who?", (*puts, (None, "that was nothing"))))
        if not pieces:
            return Observed(question=Question("Who passed?", (*puts, (None, "nobody")), "Doors"))
        commands = tuple(
            Command.of("passed", piece=name, place=sighting.place, target=sighting.target) for name in names
        )
        if sighting.confidence < 0.5:
            names = ["RED", "BLUE"]
            commands = tuple(
                Command.of("passed", piece=name, place=sighting.place, target=sighting.target) for name in names
            )
        elif pieces[0].weight > 0.9:
            return Observed(commands[:1])
        choices = tuple(zip(commands, names, strict=True))
        return Observed(question=Question("Which piece passed?", (*choices, (None, "nobody")), "Doors"))

    def cues(self, state: Standing) -> Mapping[str, Cue]:
        return {place: Cue(Pattern.SOLID, (0, 60, 0), answer=state.answer) for place in DOORS}

    def view(self, state: Standing, seat: Seat) -> dict[str, Any]:
        return {
            "game": self.name,
            "turn": state.activation,
            "active": {"seat": f"P{state.active + 1}", "mecha": state.mover},
            "teams": {seat: {"name": seat, "score": state.scores[at]} for at, seat in enumerate(PIECES)},
            "boxes": dict(zip(("RED", "BLUE"), state.boxes, strict=True)),
            "hand": state.hands[int(seat[1]) - 1] if seat in PIECES else None,
        }

    def outcome(self, state: Standing) -> Outcome | None:
        scores = dict(zip(PIECES, state.scores, strict=True))
        winners = tuple(seat for seat, score in scores.items() if score >= GOAL)
        return Outcome(winners, scores, f"{winners[0]} wins.") if winners else None

    def activation(self, state: Standing) -> int:
        return state.activation

    def dump(self, state: Standing) -> str:
        return json.dumps(asdict(state), sort_keys=True)

    def load(self, text: str) -> Standing:
        data = json.loads(text)
        return Standing(
            **{
                **data,
                "boxes": tuple(data["boxes"]),
                "scores": tuple(data["scores"]),
                "hands": tuple(tuple(hand) for hand in data["hands"]),
            }
        )
