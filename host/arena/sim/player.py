"""A scripted player for whole games: sees the daemon's page, flicks on the toy table, taps the truth.

It plays every seat in turn with the referee's key, as people at one table do. It knows the page's
words and what the toy table saw, nothing of the daemon's insides.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .answers import truthful, whose
from .clients import Daemon, Refused, Toy
from .flight import Spot
from .layout import Layout
from .physics import Physics
from .planner import Plan, Planner, make

log = logging.getLogger(__name__)

QUIET_S = 0.25  # no new page for so long after all is at rest: the daemon has nothing more to say
SETTLING_S = 4.0  # the rig calls a movement settled after at most 2.5 s of quiet
PATIENCE_S = 10.0
MOST_QUESTIONS = 6  # in a row, about one movement
LONGEST_GAME = 400  # activations; far more than two bad players need


@dataclass(slots=True)
class Report:
    """What a scripted game came to. ``taps`` are all commands and answers, ``turns`` the players' turns.

    ``refused`` holds what the daemon said no to, ``corrected`` what it had told wrongly and the player
    mended, ``disputed`` the movements after which its score still was not what the toy table saw.
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
    corrected: list[str] = field(default_factory=list)
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
        self._settled: list[tuple[str, tuple[str, str]]] = []  # whose doubted passes were, in the newest movement
        self._since = 0  # the journal's number when the newest movement began
        self._moved: tuple[Any, ...] | None = None  # the activation whose movement is made
        self._turns: set[tuple[Any, Any]] = set()

    async def play(self) -> Report:
        """To the end of the game. ``Refused`` if it does not get there."""
        began = asyncio.get_running_loop().time()
        self.layout = Layout(await self.toy.get("map"))
        self.planner = Planner(self.layout, self.chance)
        await self._tidy((await self.daemon.first_page())["view"], everything=True)
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
        if page["question"]:
            return await self._answer(page["question"])
        await self._tidy(view)
        legal = verbs(page)
        if "credit" in legal:
            return await self._settle()
        if "unstick" in legal:
            return await self._unstick(view["active"]["mecha"], legal["unstick"])
        for verb in ("draw", "give", "place_marker"):
            if verb in legal:
                return await self._tap(self._choice(view, verb, legal[verb]))
        active = view["active"]
        if active is None or "done" not in legal:
            return False
        key = (view["round"], view["turn"], view["step"], active["mecha"])
        if key == self._moved or view["mechas"][active["mecha"]]["ko"]:
            return await self._tap({"do": "done"})
        self._moved = key
        self._turns.add((view["round"], view["turn"]))
        self.report.activations += 1
        await self._activate(view, active["mecha"])
        return True

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
        team = view["mechas"][mecha]["team"]
        goals = {place for place, owners in view["markers"].items() if team in owners}
        plan = await asyncio.to_thread(self.planner.choose, table.copy(), mecha, goals)
        if "placed" in verbs(self.page) and self._through_several(table, plan):
            await self._tap({"do": "placed"})  # else each pass would be asked: was it the hand?
        before, self._since = self._score(view, team), self.page["seq"]
        self._settled = []
        origin = table.where(mecha)
        truth = {**await self._move(plan), "origin": origin}
        self._seen = [truth, *self._seen[:4]]
        log.info("%s %s from %s: %s", plan.kind, mecha, origin, {k: v for k, v in truth.items() if v})
        await self._quiet()
        await self._wait_for_stuck(truth)
        await self._tell(truth)
        own = [passed["place"] for passed in truth["passes"] if passed["piece"] == mecha]
        if own and [mecha, own[-1]] in [list(each) for each in truth["stuck"]]:
            own.pop()  # back in the frame of the Door that it passed last, it has not passed
        expected = set(own) & goals
        counted = self._score(self.page["view"], team) - before
        if counted != len(expected):
            self.report.disputed.append(
                f"{mecha} passed {sorted(expected)} of its goals, and the score grew by {counted}: {truth['passes']}"
            )

    def _through_several(self, table: Physics, plan: Plan) -> bool:
        """Whether somebody who means this movement expects it to pass more than one Door or Hole."""
        return plan.kind == "flick" and len(make(table.copy(), plan).passes) > 1

    async def _unstick(self, mecha: str, choices: list[dict[str, Any]]) -> bool:
        """Onto a White line: a Mecha stuck in a Door may be moved there and then pass completely."""
        table, command = await self._look(), self.chance.choice(choices)
        door = self.page["view"]["mechas"][mecha]["stuck"]
        at_mm, level = self.planner.white_line(door, command["box"]), table.spots[mecha].level
        # First the hand, then the tap, which says that hands are off
        await self._place(mecha, at_mm=list(at_mm), level=level)
        await self._quiet()
        return await self._tap(command)

    async def _wait_for_stuck(self, truth: dict[str, Any]) -> None:
        """Something still in a frame is seen only when everything has settled; people wait for that too."""
        until = asyncio.get_running_loop().time() + SETTLING_S
        while any(not self.page["view"]["mechas"][piece]["stuck"] for piece, _ in truth["stuck"]):
            if self.page["question"] or self.page["view"]["outcome"]:
                return
            left = until - asyncio.get_running_loop().time()
            if left <= 0 or not await self.daemon.news(left):
                return

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
            if command is not None:
                await self._answer_all()
                await (
                    self._finish(command.get("hit"), truth) if command["do"] == "done" else self._say(command, truth)
                )
        await self._tidy(self.page["view"])

    async def _say(self, command: dict[str, Any], truth: dict[str, Any]) -> None:
        passed = {each["piece"] for each in truth["passes"]}
        if command["do"] == "bumped" and command["piece"] not in passed and "second_chance" not in verbs(self.page):
            return  # a touch changes nothing but who can have passed, and a 2nd Chance
        if command["do"] == "landed" and "launched" in verbs(self.page):
            self.report.corrected.append(f"told: {truth['piece']} was launched.")
            await self._tap({"do": "launched"})
        if command in verbs(self.page).get(command["do"], []):
            await self._tap(command)
            await self._answer_all()

    async def _finish(self, hit: str | None, truth: dict[str, Any]) -> None:
        """The last hit and "done" in one tap, unless something is wrong that the hit alone does not put right."""
        _, missing = self._compared(truth)
        done: dict[str, Any] = {"do": "done", "hit": hit} if hit else {"do": "done"}
        if hit and any(piece != hit for piece, _, _ in missing):
            await self._say({"do": "hit", "piece": hit}, truth)
        if not hit or done not in verbs(self.page).get("done", []):
            done = {"do": "done"}
        if "hit" not in done or not missing:
            await self._correct(truth)
        if done in verbs(self.page).get("done", []):
            await self._tap(done)
            await self._answer_all()

    async def _answer_all(self) -> None:
        """What the daemon asks, whose the passes are that it doubts, and where a Launch ended."""
        for _ in range(MOST_QUESTIONS):
            if self.page["question"]:
                await self._answer(self.page["question"])
            elif "credit" in verbs(self.page):
                await self._settle()
            elif "landed" in verbs(self.page) and self._seen and self._seen[0]["landed"]:
                await self._tap({"do": "landed", "box": self._seen[0]["landed"]})
            else:
                return

    async def _settle(self) -> bool:
        """Whose the doubted pass was."""
        offered = verbs(self.page)["credit"]
        place, target = offered[0]["place"], offered[0]["target"]
        piece = offered[0]["piece"]
        if self._seen:
            settled = [who for who, where in self._settled if where == (place, target)]
            piece = whose(place, target, self._seen[0], settled)
        command = next((each for each in offered if each["piece"] == piece), offered[0])
        self._settled.append((command["piece"], (place, target)))
        log.info("doubted: %s", command)
        return await self._tap(command)

    def _compared(self, truth: dict[str, Any]) -> tuple[list[dict[str, Any]], list[tuple[str, str, str]]]:
        """The log's passes that were not so, and the true ones (piece, place, target) that it does not tell."""
        missing = [(passed["piece"], passed["place"], passed["target"]) for passed in truth["passes"]]
        told: list[dict[str, Any]] = []
        for line in self.page["log"]:
            if line["seq"] <= self._since:
                continue
            if line["kind"] == "pass":
                told.append({**line, "settled": line["piece"] != truth["piece"]})
            elif line["kind"] in ("credited", "confirmed"):
                first = next((each for each in told if each["place"] == line["place"] and not each["settled"]), None)
                if first is not None:
                    first |= {"piece": line["piece"], "settled": True}
        wrong = []
        for line in told:
            # The log names the target in words only, and of one piece's passes here each is as good
            found = next((each for each in missing if each[:2] == (line["piece"], line["place"])), None)
            if found is not None:
                missing.remove(found)
            else:
                wrong.append(line)
        return wrong, missing

    async def _correct(self, truth: dict[str, Any]) -> None:
        """Strike passes that were told of the wrong piece, and tell those that were not told at all."""
        wrong, missing = self._compared(truth)
        true = [(passed["piece"], passed["place"], passed["target"]) for passed in truth["passes"]]
        for line in wrong:
            if line["can_strike"]:
                self.report.corrected.append(f"struck: {line['text']} It was {true}.")
                self._count("strike")
                await self._sent(self.daemon.strike(line["seq"]))
        for piece, place, target in missing:
            command = {"do": "passed", "piece": piece, "place": place, "target": target}
            if command in verbs(self.page).get("passed", []):
                self.report.corrected.append(f"told: {piece} passed {place} into {target}.")
                log.info("was not told: %s", command)
                await self._tap(command)
        await self._answer_all()

    async def _answer(self, question: dict[str, Any]) -> bool:
        """Truthfully: the choice that names what the toy table saw."""
        told = [
            line["text"] for line in self.page["log"] if line["kind"] in ("pass", "stuck") and line["seq"] > self._since
        ]
        choice = truthful(question, self._seen, told)
        log.info("%s -> %s", question["text"], question["choices"][choice])
        self.report.questions += 1
        self._count("answer")
        return await self._sent(self.daemon.answer(question["id"], choice))

    # The toy table follows the game

    async def _tidy(self, view: dict[str, Any], everything: bool = False) -> None:
        """Put pieces on the toy table where the game has put them: KO'd off it, others onto their Depots.

        ``everything``: also those that nothing happened to, for the beginning.
        """
        table = await self._look()
        for piece, mecha in view["mechas"].items():
            boxes, here = mecha["boxes"], table.where(piece)[0]
            if mecha["ko"] or boxes == ["outside"]:
                if here != "outside":
                    await self._place(piece, box="off")
            elif here == "outside" or (here not in boxes and (everything or piece in view["hands"])):
                depot = self.layout.depots[piece].box
                await self._place(piece, box="depot" if depot in boxes else boxes[0])

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
        return await self._sent(self.daemon.command(command))

    async def _sent(self, sending: Awaitable[dict[str, Any]]) -> bool:
        """Whether it was accepted; then the page that shows it is here."""
        try:
            answer = await sending
        except Refused as problem:
            self.report.refused.append(str(problem))
            return False
        await self.daemon.reach(int(answer.get("seq", 0)))
        return True

    def _count(self, verb: str) -> None:
        self.report.taps += 1
        self.report.by_verb[verb] = self.report.by_verb.get(verb, 0) + 1

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


async def play_game(
    daemon_url: str,
    key: str,
    toy_url: str,
    seed: int,
    steady: float = 0.0,
    setup: Mapping[str, Any] | None = None,
) -> Report:
    """Play a daemon's game to its end, on the toy table of its simulation.

    The running game, or a new one with that ``setup`` (seed, players, first, options).
    """
    async with Daemon(daemon_url, key) as daemon, Toy(toy_url) as toy:
        if setup is not None:
            await toy.do("reset")
            before = (await daemon.first_page())["game_id"]
            await daemon.new_game(setup)
            while daemon.page is None or daemon.page["game_id"] == before:
                await daemon.news(1.0)
        return await Player(daemon, toy, seed, steady).play()
