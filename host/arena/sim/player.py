"""A scripted player for whole games: sees the daemon's page, flicks on the toy table, taps the truth.

It plays every seat in turn with the referee's key, as people at one table do. It knows the page's
words and what the toy table saw, nothing of the daemon's insides.
"""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import asdict, dataclass, field
from typing import Any

from .clients import Daemon, Refused, Toy
from .flight import Spot
from .layout import Layout
from .physics import Physics, stuck_pieces
from .planner import Plan, Planner

log = logging.getLogger(__name__)

QUIET_S = 0.25  # no new page for so long after all is at rest: the daemon has nothing more to say
PATIENCE_S = 10.0
LONGEST_GAME = 400  # activations; far more than two bad players need


@dataclass(slots=True)
class Report:
    """What a scripted game came to. ``taps`` are all commands and answers, ``turns`` the players' turns.

    ``refused`` holds what the daemon said no to, ``disputed`` the movements after which its score
    was not what the toy table saw.
    """

    taps: int = 0
    turns: int = 0
    activations: int = 0
    flicks: int = 0
    launches: int = 0
    placements: int = 0
    questions: int = 0
    winners: list[str] = field(default_factory=list)
    scores: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    by_verb: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Player:
    """Plays a running game to its end. ``steady`` 0 is a sure hand; 1 misses as people do."""

    def __init__(self, daemon: Daemon, toy: Toy, seed: int, steady: float = 0.0) -> None:
        self.daemon, self.toy, self.steady = daemon, toy, steady
        self.chance = random.Random(seed)
        self.report = Report()
        self.layout = Layout({"boxes": {}, "doors": {}, "holes": {}, "depots": {}, "launchers": {}})
        self.planner = Planner(self.layout, self.chance)
        self._spots: dict[str, Spot] = {}
        self._seen: list[dict[str, Any]] = []  # the truth of the newest movements, for questions
        self._moved: tuple[Any, ...] | None = None  # the activation whose movement is made
        self._turns: set[tuple[Any, Any]] = set()

    async def play(self) -> Report:
        """To the end of the game. ``Refused`` if it does not get there."""
        began = asyncio.get_running_loop().time()
        self.layout = Layout(await self.toy.get("map"))
        self.planner = Planner(self.layout, self.chance)
        await self.daemon.first_page()
        idle = 0
        while self.report.activations < LONGEST_GAME:
            page = self.page
            outcome = page["view"].get("outcome")
            if outcome:
                self.report.winners = list(outcome["winners"])
                self.report.scores = dict(outcome["scores"])
                self.report.seconds = round(asyncio.get_running_loop().time() - began, 1)
                self.report.turns = len(self._turns)
                return self.report
            seq = page["seq"]
            if await self._step(page):
                idle = 0
            elif self.page["seq"] == seq and not await self.daemon.news(PATIENCE_S):
                idle += 1
                if idle >= 2:
                    raise Refused(f"The game does not go on: {self._where(self.page)}")
        raise Refused(f"No winner after {LONGEST_GAME} activations: {self._where(self.page)}")

    @property
    def page(self) -> dict[str, Any]:
        assert self.daemon.page is not None
        return self.daemon.page

    # One thing at a time

    async def _step(self, page: dict[str, Any]) -> bool:
        """Do the next thing that the page asks for; False if there is nothing to do but wait."""
        view = page["view"]
        if page.get("question"):
            return await self._answer(page["question"])
        await self._tidy(view)
        legal = verbs(page)
        if view.get("hands") and "placed" in legal:
            return await self._tap(legal["placed"][0])
        for verb in ("draw", "give", "place_marker"):
            if verb in legal:
                return await self._tap(self._choice(view, verb, legal[verb]))
        active = view.get("active")
        if active and active.get("mecha") and "done" in legal:
            key = (view["round"], view["turn"], view["step"], active["mecha"])
            if key != self._moved:
                self._moved = key
                self._turns.add((view["round"], view["turn"]))
                self.report.activations += 1
                await self._activate(view, active["mecha"])
            else:
                await self._tap({"do": "done"})
            return True
        return False

    def _choice(self, view: dict[str, Any], verb: str, commands: list[dict[str, Any]]) -> dict[str, Any]:
        if verb != "place_marker":
            return self.chance.choice(commands)
        # Where the team's own Mechas get to soonest
        active = view.get("active") or {}
        own = [name for name, each in view["mechas"].items() if each["team"] == active.get("team")]
        table = Physics(self.layout)
        table.spots.update(self._spots)
        return min(commands, key=lambda command: min(self.planner.way(table, n, [command["place"]]) for n in own))

    async def _activate(self, view: dict[str, Any], mecha: str) -> None:
        """One main action: choose, move, wait until all is at rest, and tap what beams cannot see."""
        table = await self._look()
        stuck = [door for piece, door in stuck_pieces(table) if piece == mecha]
        if stuck:
            table = await self._unstick(mecha, stuck[0], table)
        team = view["mechas"][mecha]["team"]
        goals = {place for place, owners in view["markers"].items() if team in owners}
        plan = await asyncio.to_thread(self.planner.choose, table.copy(), mecha, goals)
        before = self._score(view, team)
        truth = await self._move(plan)
        self._seen = [truth, *self._seen[:4]]
        await self._quiet()
        await self._tell(truth)
        expected = {passed["place"] for passed in truth["passes"] if passed["piece"] == mecha} & goals
        counted = self._score(self.page["view"], team) - before
        if counted != len(expected):
            self.report.disputed.append(
                f"{mecha} passed {sorted(expected)} of its goals, and the score grew by {counted}: {truth}"
            )

    async def _unstick(self, mecha: str, door: str, table: Physics) -> Physics:
        """Onto a White line: a Mecha stuck in a Door may be moved there and then pass completely."""
        choices = verbs(self.page).get("unstick")
        if not choices:
            return table
        command = self.chance.choice(choices)
        level = table.spots[mecha].level
        # First the hand, then the tap: it says that hands are off
        await self._place(mecha, at_mm=list(self.planner.white_line(door, command["box"])), level=level)
        await self._quiet()
        await self._tap(command)
        return await self._look()

    async def _move(self, plan: Plan) -> dict[str, Any]:
        if plan.kind == "launch":
            self.report.launches += 1
            told = await self.toy.do("launch", piece=plan.piece, aim_mm=plan.aim_mm and list(plan.aim_mm))
        else:
            self.report.flicks += 1
            angle = plan.angle_rad + self.chance.gauss(0, 0.03) * self.steady
            speed = min(6.0, plan.speed_m_s * (1 + self.chance.gauss(0, 0.06) * self.steady))
            told = await self.toy.do("flick", piece=plan.piece, angle=angle, speed=speed)
        return await self.toy.truth(told["n"])

    async def _tell(self, truth: dict[str, Any]) -> None:
        """Tap what a person saw, in the order of the game, and then that this was all."""
        for suggestion in truth["suggest"]:
            command = suggestion["command"]
            if command is None:
                continue
            while self.page.get("question"):
                await self._answer(self.page["question"])
            if command["do"] == "bumped" and "second_chance" not in verbs(self.page):
                continue  # a friend touched changes nothing but a 2nd Chance
            if command in [choice["command"] for choice in self.page["legal"]]:
                await self._tap(command)
                await self._tidy(self.page["view"])

    async def _answer(self, question: dict[str, Any]) -> bool:
        """Truthfully: the choice that names what the toy table saw."""
        labels: list[str] = question["choices"]
        self.report.questions += 1
        best = max(range(len(labels)), key=lambda nth: (self._truthfulness(question["text"], labels[nth]), -nth))
        log.info("question %r: %r of %r", question["text"], labels[best], labels)
        self._count("answer")
        try:
            await self.daemon.answer(question["id"], best)
        except Refused as problem:
            self.report.refused.append(str(problem))
            return False
        await self._next_page()
        return True

    def _truthfulness(self, text: str, label: str) -> int:
        """How many words of something that really happened a choice has; its place must be the question's."""
        whole, best = words_of(f"{text} {label}"), 0
        for movement in self._seen:
            for passed in movement["passes"]:
                if passed["place"] in whole:
                    named = {passed["piece"], passed["target"], passed["origin"]} & words_of(label)
                    best = max(best, (passed["piece"] in named) * 10 + len(named))
            landed = movement["landed"]
            if landed and (landed in words_of(label) or (landed == "outside" and "outside" in label.lower())):
                best = max(best, 9)
        return best

    # The toy table follows the game

    async def _tidy(self, view: dict[str, Any]) -> None:
        """Put pieces on the toy table where the game has put them: KO'd off it, others onto their Depots."""
        table = await self._look()
        for piece, mecha in view["mechas"].items():
            spot = table.spots[piece]
            off = mecha["ko"] or list(mecha["boxes"]) == ["outside"]
            if off and spot.level != "off":
                await self._place(piece, box="off")
            elif not off and (spot.level == "off" or piece in view.get("hands", [])):
                depot = self.layout.depots[piece].box
                if spot.level == "off" or table.where(piece)[0] not in mecha["boxes"]:
                    box = "depot" if depot in mecha["boxes"] else mecha["boxes"][0]
                    await self._place(piece, box=box)

    async def _place(self, piece: str, **where: Any) -> None:
        self.report.placements += 1
        await self.toy.do("place", piece=piece, **where)

    async def _look(self) -> Physics:
        state = await self.toy.get("state")
        table = Physics.load(self.layout, state["physics"])
        self._spots = dict(table.spots)
        return table

    # Taps

    async def _tap(self, command: dict[str, Any]) -> bool:
        self._count(command["do"])
        try:
            await self.daemon.command(command)
        except Refused as problem:
            self.report.refused.append(str(problem))
            return False
        await self._next_page()
        return True

    def _count(self, verb: str) -> None:
        self.report.taps += 1
        self.report.by_verb[verb] = self.report.by_verb.get(verb, 0) + 1

    async def _next_page(self) -> None:
        """What was accepted shows on the page a moment later."""
        await self.daemon.news(1.0)

    async def _quiet(self) -> None:
        """Until the daemon has said all that it concluded by itself."""
        await asyncio.sleep(QUIET_S)
        while await self.daemon.news(QUIET_S):
            pass

    def _score(self, view: dict[str, Any], team: str) -> int:
        return int(view["teams"][team]["score"])

    def _where(self, page: dict[str, Any]) -> str:
        view = page["view"]
        legal = [choice["command"] for choice in page["legal"]][:12]
        return f"phase {view.get('phase')!r}, {view.get('prompt')!r}, legal {legal}"


def verbs(page: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The legal commands of a page by their verb."""
    found: dict[str, list[dict[str, Any]]] = {}
    for choice in page["legal"]:
        found.setdefault(choice["command"]["do"], []).append(choice["command"])
    return found


def words_of(text: str) -> set[str]:
    return {word.strip(".,:;!?()'\"“”") for word in text.split()}


async def play_game(daemon_url: str, key: str, toy_url: str, seed: int, steady: float = 0.0) -> Report:
    """Play the running game of a daemon to its end, with the toy table of its simulation."""
    async with Daemon(daemon_url, key) as daemon, Toy(toy_url) as toy:
        return await Player(daemon, toy, seed, steady).play()
