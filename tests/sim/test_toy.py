"""The toy table between physics, boards and people: what is told to whom, and when."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from arena.rig import RigFile, load_rig
from arena.sim.physics import Impossible
from arena.sim.server import toy_app
from arena.sim.toy import AHEAD_US, ToyTable

RIG_FILE = Path(__file__).parents[2] / "hardware" / "rig.toml"
NORTH = math.pi / 2


class Pins:
    """A board's pins as a logic analyser would note them."""

    def __init__(self) -> None:
        self.fed: list[tuple[int, int, int]] = []

    def feed(self, events: Sequence[tuple[int, int, int]]) -> None:
        self.fed += events

    def pixels(self) -> Sequence[bytes]:
        return [bytes(range(96))]


class Bench:
    """A toy table with noted pins and a clock that the test turns."""

    def __init__(self, rig: RigFile, kept: Path | None = None) -> None:
        self.at_us = 1_000_000
        self.boards = {name: Pins() for name in rig.boards}
        self.toy = ToyTable(rig, self.boards, seed=1, kept=kept, clock=lambda: self.at_us)

    def rest(self) -> None:
        self.at_us += 30_000_000


@pytest.fixture(scope="module")
def rig() -> RigFile:
    return load_rig(RIG_FILE.read_text(encoding="utf-8"), RIG_FILE.name)


@pytest.fixture
def bench(rig: RigFile) -> Bench:
    return Bench(rig)


def words(entry: dict[str, Any]) -> list[str]:
    return [tap["words"] for tap in entry["suggest"]]


def test_a_pass_pulls_the_doors_two_pins_low_and_up_again_a_moment_later(bench: Bench) -> None:
    bench.toy.place("BUBO", "B5", None, "lower")
    bench.toy.flick("BUBO", NORTH, 0.7)
    assert [(pin, level) for _, pin, level in bench.boards["lower"].fed] == [(4, 0), (13, 0), (4, 1), (13, 1)]
    assert bench.boards["lower"].fed[0][0] > bench.at_us + AHEAD_US
    assert bench.boards["upper"].fed == []


def test_a_launch_presses_the_switch_of_the_upper_board(bench: Bench) -> None:
    bench.toy.launch("BUBO")
    assert bench.boards["upper"].fed[:2] == [
        (bench.at_us + AHEAD_US, 26, 0),
        (bench.at_us + AHEAD_US + 250_000, 26, 1),
    ]


def test_boards_that_start_are_told_every_input_once(bench: Bench) -> None:
    bench.toy.show_all()
    assert {level for _, _, level in bench.boards["lower"].fed} == {1}
    assert len(bench.boards["lower"].fed) == 16
    assert len(bench.boards["upper"].fed) == 11


def test_the_truth_is_told_only_when_all_is_at_rest(bench: Bench) -> None:
    bench.toy.flick("BUBO", NORTH, 2.0)
    assert bench.toy.truth() == []
    assert bench.toy.state()["flight"]["piece"] == "BUBO"
    with pytest.raises(Impossible, match="still moving"):
        bench.toy.flick("SPIKE", NORTH, 2.0)
    bench.rest()
    assert [entry["piece"] for entry in bench.toy.truth()] == ["BUBO"]
    assert bench.toy.truth(after=1) == []
    assert bench.toy.state()["flight"] is None


def test_hitting_an_opponent_suggests_a_hit_and_a_friend_a_bump(bench: Bench) -> None:
    bench.toy.place("BUBO", None, (350, 300), "lower")
    bench.toy.place("WH33L", None, (350, 350), "lower")
    bench.toy.flick("BUBO", NORTH, 0.8)
    bench.rest()
    truth = bench.toy.truth()[-1]
    assert [tap["command"] for tap in truth["suggest"]] == [{"do": "done", "hit": "WH33L"}]
    assert words(truth) == ["BUBO hit WH33L: done."]
    bench.toy.flick("BBIT", 0.0, 1.2)
    bench.rest()
    assert bench.toy.truth()[-1]["suggest"][0]["command"] == {"do": "bumped", "piece": "HOWLER"}


def test_a_quiet_flick_suggests_only_done(bench: Bench) -> None:
    bench.toy.flick("BUBO", NORTH, 0.3)
    bench.rest()
    assert words(bench.toy.truth()[-1]) == ["Done, nothing hit or touched."]


def test_a_launch_suggests_where_it_landed(bench: Bench) -> None:
    bench.toy.launch("BUBO", (225, 350))
    bench.rest()
    first = bench.toy.truth()[-1]["suggest"][0]["command"]
    assert first["do"] == "landed"
    assert first["box"] == bench.toy.state()["pieces"]["BUBO"]["boxes"][0]


def test_a_table_left_alone_is_found_again_as_it_was(rig: RigFile, tmp_path: Path) -> None:
    first = Bench(rig, tmp_path / "toy.json")
    first.toy.flick("BUBO", 2.0, 3.0)
    assert Bench(rig, tmp_path / "toy.json").toy.physics.dump() == first.toy.physics.dump()
    (tmp_path / "toy.json").write_text("{half a fi")
    assert Bench(rig, tmp_path / "toy.json").toy.physics.moves == 0


def test_each_place_shows_the_pixels_that_its_strip_shows(bench: Bench) -> None:
    lights = bench.toy.lights()
    assert lights["D2"][0] == [12, 13, 14]
    assert len(lights["H1"]) == 4


def over_http(bench: Bench, talk: Callable[[TestClient[Any, Any]], Awaitable[None]]) -> None:
    async def run() -> None:
        async with TestClient(TestServer(toy_app(bench.toy))) as client:
            await talk(client)

    asyncio.run(run())


def test_a_flick_over_http_and_its_truth(bench: Bench) -> None:
    async def talk(client: TestClient[Any, Any]) -> None:
        answer = await client.post("/api/flick", json={"piece": "BUBO", "angle": NORTH, "speed": 2})
        assert (await answer.json())["ok"]
        assert (await (await client.get("/api/truth")).json()) == {"moving": True, "movements": []}
        bench.rest()
        truth = await (await client.get("/api/truth?after=0")).json()
        assert truth["movements"][0]["piece"] == "BUBO"

    over_http(bench, talk)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"piece": "NOBODY", "angle": 0, "speed": 1}, "NOBODY"),
        ({"piece": "BUBO", "angle": 0, "speed": 9}, "6 m/s"),
        ({"piece": "BUBO", "angle": "north", "speed": 1}, "angle"),
        ([], "object"),
    ],
)
def test_a_movement_that_cannot_be_is_refused_in_a_sentence(bench: Bench, body: Any, says: str) -> None:
    async def talk(client: TestClient[Any, Any]) -> None:
        answer = await client.post("/api/flick", json=body)
        assert answer.status == 409
        assert says in (await answer.json())["error"]

    over_http(bench, talk)


def test_foreign_pages_can_neither_name_nor_move_the_table(bench: Bench) -> None:
    async def talk(client: TestClient[Any, Any]) -> None:
        assert (await client.get("/api/state", headers={"Host": "evil.example"})).status == 421
        movement = json.dumps({"piece": "BUBO", "angle": 0, "speed": 1})
        assert (await client.post("/api/flick", data=movement)).status == 415
        page = await client.get("/")
        assert "frame-ancestors http://127.0.0.1:*" in page.headers["Content-Security-Policy"]

    over_http(bench, talk)


def test_the_stream_tells_the_state_and_the_lights_at_once(bench: Bench) -> None:
    async def talk(client: TestClient[Any, Any]) -> None:
        stream = await client.get("/api/events")
        seen = b""
        while b"event: lights" not in seen:
            seen += await asyncio.wait_for(stream.content.readany(), 2)
        assert b"event: state" in seen
        stream.close()

    over_http(bench, talk)


def test_a_new_setup_puts_every_mecha_on_its_depot(bench: Bench) -> None:
    bench.toy.place("BUBO", "B5", None, "lower")

    async def talk(client: TestClient[Any, Any]) -> None:
        await client.post("/api/reset", json={})

    over_http(bench, talk)
    assert bench.toy.physics.where("BUBO") == ("B3",)
