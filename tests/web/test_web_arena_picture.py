"""The picture of the arena in a browser: what a person sees on it is what the table believes."""

from __future__ import annotations

import copy
import functools
import http.server
import itertools
import random
import threading
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from arena.games.iron_forest import IronForest
from arena.games.iron_forest.state import State
from arena.rig import load_rig
from arena.table.page import cue_json
from arena.web.guard import headers_for
from arena.words import TABLE, Command
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "host" / "arena" / "web" / "static"
CONTENT = resources.files("arena.games.iron_forest") / "content"
HARNESS = {
    "/": '<!doctype html><meta charset="utf-8"><title>Picture</title><link rel="icon" href="data:,">'
    '<div id="a"></div><script type="module" src="/t.js"></script>',
    "/t.js": 'import {createArena} from "/arena_picture.js"; window.createArena = createArena;',
}
LOOK = """() => {
  const root = document.querySelector("#a > div").shadowRoot;
  const seen = (node) => {
    const {left, top, right, bottom} = node.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const by = (query, key, what) =>
    Object.fromEntries([...root.querySelectorAll(query)].map((node) => [node.dataset[key], what(node)]));
  const shown = (node) => getComputedStyle(node).display !== "none";
  return {
    words: root.querySelector("svg").getAttribute("aria-label"),
    role: root.querySelector("svg").getAttribute("role"),
    texts: [...root.querySelectorAll("text")].filter(shown).map((text) => text.textContent),
    mechas: by(".mecha", "mecha", (node) => ({
      spot: node.dataset.spot, plate: seen(node.querySelector(".plate")), name: seen(node.querySelector(".mecha-name")),
      label: node.querySelector(".mecha-name").textContent, ring: shown(node.querySelector(".ring")),
      hurt: shown(node.querySelector(".hurt")), gold: node.classList.contains("active"),
      glides: node.getAnimations().flatMap((each) => each.effect.getKeyframes().map((frame) => frame.transform)),
      title: node.querySelector("title").textContent,
    })),
    boxes: by(".box", "place", (node) => seen(node.querySelector(".floor"))),
    doors: by(".door, .hole", "place", (node) => ({
      middle: seen(node.querySelector(".hit")), markers: [...node.querySelectorAll(".marker")].map((marker) =>
        ({team: marker.dataset.team, at: seen(marker.querySelector(".body")), round: marker.matches(".round")})),
      light: node.querySelector(".light").dataset.pattern, flashing: node.querySelector(".light.answers") !== null,
      trails: node.querySelectorAll(".trail").length, title: node.querySelector("title").textContent,
    })),
    tray: seen(root.querySelector(".tray-floor")), picture: seen(root.querySelector("svg")),
  };
}"""
Rect = list[float]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The page's own files, with the headers of the real server."""

    def log_message(self, *_: Any) -> None: ...

    def end_headers(self) -> None:
        for name, value in headers_for(None).items():
            self.send_header(name, value)
        super().end_headers()

    def do_GET(self) -> None:
        body = HARNESS.get(self.path)
        if body is None:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/" else "text/javascript")
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(STATIC))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Picture:
    """One picture in one browser page, and what is seen on it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.troubles: list[str] = []
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)
        page.goto(address)
        page.wait_for_function("Boolean(window.createArena)")

    def draw(self, house_map: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
        self.page.evaluate(
            """async ([map, told]) => {
              window.arena = createArena(document.getElementById("a"), map);
              const style = document.querySelector("#a > div").shadowRoot.querySelector("link");
              if (!style.sheet) await new Promise((done) => style.addEventListener("load", done));
              window.arena.update(told);
            }""",
            [house_map, told],
        )
        return self.look()

    def update(self, told: dict[str, Any]) -> dict[str, Any]:
        self.page.evaluate("(told) => window.arena.update(told)", told)
        return self.look()

    def look(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.page.evaluate(LOOK)
        return seen


@pytest.fixture
def open_picture(chromium: Browser, address: str) -> Iterator[Callable[..., Picture]]:
    pictures: list[Picture] = []

    def open_at(width: int = 1300, height: int = 860, motion: bool = False) -> Picture:
        page = chromium.new_page(
            viewport={"width": width, "height": height}, reduced_motion="no-preference" if motion else "reduce"
        )
        pictures.append(Picture(page, address))
        return pictures[-1]

    yield open_at
    for picture in pictures:
        picture.page.close()
        assert picture.troubles == []


@pytest.fixture(scope="module")
def house_map() -> dict[str, Any]:
    return load_rig((ROOT / "hardware" / "rig.toml").read_text(), "rig.toml").map()


GAME = IronForest()


@pytest.fixture
def begun(house_map: dict[str, Any]) -> State:
    return GAME.new(
        {
            "seed": 7,
            "players": [
                {"name": "Ann", "seat": "P1", "team": "animal_clans"},
                {"name": "Ida", "seat": "P2", "team": "iron_force"},
            ],
            "first": "animal_clans",
            "map": house_map,
            "scenario": (CONTENT / "establishing_a_network.toml").read_text(),
            "power_ups": (CONTENT / "power_ups.toml").read_text(),
            "options": {},
        }
    )


def told_of(state: State, passes: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """A page as the stream sends it, as far as the picture reads it."""
    return {
        "view": GAME.view(state, TABLE),
        "cues": {place: cue_json(cue) for place, cue in GAME.cues(state).items()},
        "log": [
            {"seq": nth + 1, "kind": "pass", "piece": piece, "place": place, "text": ""}
            for nth, (piece, place) in enumerate(passes)
        ],
    }


def inside(inner: Rect, outer: Rect, slack: float = 1.0) -> bool:
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def meet(one: Rect, other: Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def far(one: Rect, other: Rect) -> float:
    xs, ys = (one[0] + one[2] - other[0] - other[2]) / 2, (one[1] + one[3] - other[1] - other[3]) / 2
    return float((xs**2 + ys**2) ** 0.5)


def no_two_overlap(seen: dict[str, Any]) -> None:
    figures = [(name, mecha[part]) for name, mecha in seen["mechas"].items() for part in ("plate", "name")]
    for nth, (name, rect) in enumerate(figures):
        for other, its in figures[nth + 1 :]:
            assert name == other or not meet(rect, its), f"{name} lies over {other}"


def test_markers_stand_above_their_doors_and_leave_when_collected(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    picture = open_picture()
    seen = picture.draw(house_map, told_of(begun))
    view = GAME.view(begun, TABLE)
    for place, shown in seen["doors"].items():
        assert [marker["team"] for marker in shown["markers"]] == view["markers"].get(place, [])
        for marker in shown["markers"]:
            assert far(marker["at"], shown["middle"]) < 45
            assert marker["round"] == (marker["team"] == "animal_clans")
    assert seen["doors"]["D8"]["markers"]
    assert seen["doors"]["D8"]["light"] == "solid"
    state = begun
    for place, box in (("D7", "B4"), ("D8", "B1")):
        state, _ = GAME.apply(state, Command.of("passed", piece="HOWLER", place=place, target=box), TABLE)
    after = picture.update(told_of(state, (("HOWLER", "D7"), ("HOWLER", "D8"))))
    assert after["doors"]["D8"]["markers"] == []
    assert after["doors"]["D8"]["light"] == "off"
    assert "no marker" in after["doors"]["D8"]["title"]
    assert after["doors"]["D8"]["trails"] == 1
    assert sum(door["trails"] for door in after["doors"].values()) == 1
    assert inside(after["mechas"]["HOWLER"]["plate"], after["boxes"]["B1"])


def test_two_teams_markers_stand_side_by_side(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    told = told_of(begun)
    told["view"]["markers"].update(D1=["iron_force", "animal_clans"], D9=["iron_force", "animal_clans"])
    seen = open_picture().draw(house_map, told)
    for place in ("D1", "D9"):
        one, other = seen["doors"][place]["markers"]
        assert not meet([*(side + 1 for side in one["at"][:2]), *(side - 1 for side in one["at"][2:])], other["at"])


@pytest.mark.parametrize("width", [360, 1300, 1920])
def test_every_mecha_stands_in_its_box_and_over_no_other(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State, width: int
) -> None:
    picture = open_picture(width)
    told = told_of(begun)
    picture.draw(house_map, told)
    dice = random.Random(width)
    for crowd in (7, 4, 2, 1, 5, 3):
        boxes = dice.sample(list(house_map["boxes"]), crowd)
        for mecha in told["view"]["mechas"].values():
            mecha["boxes"] = [dice.choice(boxes)]
        seen = picture.update(told)
        no_two_overlap(seen)
        for name, mecha in told["view"]["mechas"].items():
            box = seen["boxes"][mecha["boxes"][0]]
            assert inside(seen["mechas"][name]["plate"], box), f"{name} is outside of {mecha['boxes']}"
            assert inside(seen["mechas"][name]["name"], box), f"the name of {name} leaves {mecha['boxes']}"
        assert inside(seen["picture"], [0, 0, width, 10_000])


@pytest.mark.parametrize("width", [360, 1300])
def test_those_outside_stand_in_the_tray(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State, width: int
) -> None:
    picture = open_picture(width)
    told = told_of(begun)
    assert "nobody" in picture.draw(house_map, told)["texts"]
    for mecha in told["view"]["mechas"].values():
        mecha["boxes"] = ["outside"]
    told["view"]["mechas"]["SPIKE"]["ko"] = True
    seen = picture.update(told)
    no_two_overlap(seen)
    assert all(mecha["spot"] == "tray" and inside(mecha["plate"], seen["tray"]) for mecha in seen["mechas"].values())
    assert "nobody" not in seen["texts"]
    assert "SPIKE of Animal Clans, KO'd, outside" in seen["mechas"]["SPIKE"]["title"]


def test_only_the_active_mecha_has_the_ring_and_only_damaged_ones_the_sign(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    told = told_of(begun)
    told["view"]["mechas"]["DRON3"]["damaged"] = True
    mechas = open_picture().draw(house_map, told)["mechas"]
    assert [name for name, mecha in mechas.items() if mecha["ring"]] == [told["view"]["active"]["mecha"]]
    assert [name for name, mecha in mechas.items() if mecha["hurt"]] == ["DRON3"]


def test_a_mecha_that_may_be_in_two_boxes_hangs_in_their_door_with_a_question_mark(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    told = told_of(begun)
    mechas = told["view"]["mechas"]
    mechas["BUBO"]["boxes"] = ["B1", "B2"]
    mechas["CHAS3R"].update(boxes=["B6", "B7"], stuck="D10")
    mechas["DRON3"]["boxes"] = ["B1", "B2"]
    seen = open_picture().draw(house_map, told)
    no_two_overlap(seen)
    assert far(seen["mechas"]["BUBO"]["plate"], seen["doors"]["D5"]["middle"]) < 5
    assert far(seen["mechas"]["DRON3"]["plate"], seen["doors"]["D5"]["middle"]) < 150
    assert far(seen["mechas"]["CHAS3R"]["plate"], seen["doors"]["D10"]["middle"]) < 5
    assert [seen["mechas"][name]["label"] for name in ("BUBO", "CHAS3R")] == ["BUBO?", "CHAS3R?"]
    for marker in seen["doors"]["D10"]["markers"]:
        assert not meet(marker["at"], seen["mechas"]["CHAS3R"]["plate"])


def test_the_picture_is_told_in_words(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    told = told_of(begun)
    mechas = told["view"]["mechas"]
    for name, mecha in mechas.items():
        mecha.update(boxes=["B5"] if name in ("BUBO", "SHI3LD") else ["B3"], active=name == "BUBO")
    mechas["SHI3LD"]["damaged"] = True
    mechas["WH33L"].update(boxes=["outside"], ko=True)
    mechas["DRON3"]["boxes"] = ["B1", "B2"]
    mechas["CHAS3R"].update(boxes=["B6", "B7"], stuck="D10")
    told["view"]["markers"] = {"D2": ["iron_force"], "D10": ["iron_force", "animal_clans"], "H1": ["animal_clans"]}
    seen = open_picture().draw(house_map, told)
    assert seen["role"] == "img"
    assert seen["words"] == (
        "In B3 South: BBIT, HOWLER and SPIKE. In B5 Centre: BUBO (Active) and SHI3LD (Damaged). "
        "DRON3 is perhaps in B1 or in B2. CHAS3R is stuck in Door D10. Outside: WH33L (KO'd). "
        "Markers of Animal Clans: D10 and H1. Markers of Iron Force: D2 and D10."
    )
    assert seen["doors"]["D2"]["title"] == "Door D2 between B5 and B2: marker of Iron Force"


def test_a_new_answer_flashes_its_door_once_and_opening_the_page_flashes_nothing(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    picture = open_picture()
    told = told_of(begun)
    told["cues"]["D3"]["answer"] = 4
    picture.draw(house_map, told)
    picture.page.evaluate(
        """() => {
          window.flashes = [];
          const watch = new MutationObserver((changes) => changes.forEach(({target, oldValue}) => {
            if (target.classList.contains("answers") && !oldValue.includes("answers"))
              window.flashes.push([target.closest("[data-place]").dataset.place, performance.now()]);
          }));
          watch.observe(document.querySelector("#a > div").shadowRoot,
            {subtree: true, attributes: true, attributeFilter: ["class"], attributeOldValue: true});
        }"""
    )
    picture.update(told)
    picture.page.wait_for_timeout(150)
    assert picture.page.evaluate("window.flashes") == []
    picture.page.evaluate(
        """(told) => {
          for (const number of [5, 6, 7, 8, 9]) {
            told.cues.D3.answer = number;
            window.arena.update(told);
            window.arena.update(told);
          }
        }""",
        told,
    )
    picture.page.wait_for_timeout(1400)
    flashes = picture.page.evaluate("window.flashes")
    assert {place for place, _ in flashes} == {"D3"}
    assert 1 <= len(flashes) <= 2
    assert all(late[1] - early[1] > 333 for early, late in itertools.pairwise(flashes))


def test_a_mecha_glides_through_the_doors_it_passed_unless_motion_is_unwanted(
    open_picture: Callable[..., Picture], house_map: dict[str, Any], begun: State
) -> None:
    for motion in (True, False):
        picture = open_picture(motion=motion)
        told = told_of(begun)
        picture.draw(house_map, told)
        moved = copy.deepcopy(told)
        moved["view"]["mechas"]["SHI3LD"]["boxes"] = ["B2"]
        moved["log"] = [{"seq": 9, "kind": "pass", "piece": "SHI3LD", "place": "H2", "text": ""}]
        seen = picture.update(moved)
        # From its Depot to the Hole, out below the Hole, and to where it lies: four points
        assert len(seen["mechas"]["SHI3LD"]["glides"]) == (4 if motion else 0)
        assert all(not mecha["glides"] for name, mecha in seen["mechas"].items() if name != "SHI3LD")
        if not motion:
            assert inside(seen["mechas"]["SHI3LD"]["plate"], seen["boxes"]["B2"])


def owners_map() -> dict[str, Any]:
    return {
        "title": "Attic and hall",
        "origin": "owner",
        "size_mm": [900, 400],
        "wall_mm": 5,
        "mecha_mm": 30,
        "boxes": {
            "Kitchen": {"level": "lower", "outer": True, "rect_mm": [0, 0, 300, 400], "label": "Kitchen"},
            "Hall": {"level": "lower", "outer": True, "rect_mm": [300, 0, 900, 250], "label": "The long hall"},
            "Nook": {"level": "lower", "outer": False, "rect_mm": [300, 250, 420, 400], "label": ""},
            "Attic": {"level": "upper", "outer": False, "rect_mm": [500, 50, 800, 200], "label": "Attic"},
        },
        "doors": {
            "Gate": {
                "level": "lower",
                "boxes": ["Kitchen", "Hall"],
                "at_mm": [300, 100],
                "width_mm": 50,
                "axis": "x",
                "spacing_mm": 12,
            },
            "Cat flap": {
                "level": "lower",
                "boxes": ["Hall", "Nook"],
                "at_mm": [360, 250],
                "width_mm": 45,
                "axis": "y",
                "spacing_mm": 12,
            },
        },
        "holes": {"Shaft": {"box": "Attic", "below": "Hall", "at_mm": [600, 120], "diameter_mm": 50}},
        "depots": {"BUBO": {"box": "Kitchen", "at_mm": [60, 60]}, "Zed": {"box": "Attic", "at_mm": [760, 120]}},
        "launchers": {},
        "buttons": {},
        "launch_boxes": ["Kitchen", "Hall"],
    }


@pytest.mark.parametrize("width", [360, 1300])
def test_an_owners_layout_with_other_names_is_drawn_too(open_picture: Callable[..., Picture], width: int) -> None:
    mecha = {"damaged": False, "ko": False, "active": False, "stuck": None}
    told = {
        "view": {
            "teams": {"animal_clans": {"name": "Animal Clans"}, "iron_force": {"name": "Iron Force"}},
            "mechas": {
                "BUBO": {**mecha, "team": "animal_clans", "boxes": ["Nook"]},
                "Zed": {**mecha, "team": "iron_force", "boxes": ["Attic"]},
                "BBIT": {**mecha, "team": "animal_clans", "boxes": ["Nook"]},
                "WH33L": {**mecha, "team": "iron_force", "boxes": ["Hall", "Attic"]},
            },
            "markers": {"Shaft": ["iron_force"], "Cat flap": ["animal_clans"]},
        },
        "cues": {},
        "log": [],
    }
    seen = open_picture(width).draw(owners_map(), told)
    no_two_overlap(seen)
    for name, box in (("BUBO", "Nook"), ("BBIT", "Nook"), ("Zed", "Attic")):
        assert inside(seen["mechas"][name]["plate"], seen["boxes"][box])
    assert "In Nook: BUBO and BBIT. In Attic: Zed. WH33L is perhaps in Hall or in Attic." in seen["words"]
    assert {"Gate", "Cat flap", "Launch Area of Hall"} <= set(seen["texts"])
    long, high = (seen["boxes"]["Hall"][n + 2] - seen["boxes"]["Hall"][n] for n in (0, 1))
    assert long / high == pytest.approx(600 / 250, rel=0.01)


def test_without_a_game_the_empty_arena_is_shown_and_destroy_leaves_nothing(
    open_picture: Callable[..., Picture], house_map: dict[str, Any]
) -> None:
    picture = open_picture()
    seen = picture.draw(house_map, {"view": None, "cues": {}, "log": []})
    assert seen["mechas"] == {}
    assert seen["words"] == "The arena. No game is being played."
    picture.page.evaluate("window.arena.destroy()")
    assert picture.page.evaluate("document.getElementById('a').childElementCount") == 0
