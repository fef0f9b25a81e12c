"""The toy page in a browser, embedded as the daemon's page embeds it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from arena.rig import load_rig
from arena.sim.server import toy_app
from arena.sim.toy import ToyTable
from playwright.async_api import Page, async_playwright

RIG_FILE = Path(__file__).parents[2] / "hardware" / "rig.toml"
GREEN = bytes([0, 96, 0])


class Lit:
    """A board whose strips are all green."""

    def feed(self, events: Sequence[tuple[int, int, int]]) -> None:
        pass

    def pixels(self) -> Sequence[bytes]:
        return [GREEN * 32]


async def serve(app: web.Application) -> tuple[web.AppRunner, str]:
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/"


def embedding(toy_url: str) -> web.Application:
    async def page(request: web.Request) -> web.Response:
        html = f"""<link rel="icon" href="data:,">
            <script>told = []; addEventListener("message", (event) => told.push(event.data))</script>
            <iframe id="toy" src="{toy_url}" style="width: 100%; height: 760px; border: 0"></iframe>"""
        return web.Response(text=html, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", page)
    return app


async def pull_back(page: Page, piece: str, right: float, down: float) -> None:
    """Draw a Mecha back like a slingshot and let go."""
    body = page.frame_locator("#toy").locator(f'svg:visible g[data-piece="{piece}"]:visible circle.body')
    box = await body.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + right, y + down, steps=4)
    await page.mouse.up()


async def suggested(page: Page) -> list[dict[str, Any]]:
    """The commands of the next suggestion that has any."""
    handle = await page.wait_for_function(
        'told.find((each) => each.arena === "suggest" && each.commands.length)?.commands', timeout=8000
    )
    commands: list[dict[str, Any]] = await handle.json_value()
    await page.evaluate("told = []")
    return commands


def test_a_person_flicks_by_drag_and_release_and_the_parent_page_is_told_what_to_tap() -> None:
    async def run() -> None:
        rig = load_rig(RIG_FILE.read_text(encoding="utf-8"), RIG_FILE.name)
        toy = ToyTable(rig, {name: Lit() for name in rig.boards}, seed=1)
        toy_runner, toy_url = await serve(toy_app(toy))
        runner, url = await serve(embedding(toy_url))
        wrong: list[str] = []
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"] if os.geteuid() == 0 else []
            )
            page = await browser.new_page(viewport={"width": 1100, "height": 800})
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
            await page.goto(url)
            frame = page.frame_locator("#toy")
            light = frame.locator("#lower .light").first
            await light.wait_for()
            await page.wait_for_timeout(200)
            assert await light.get_attribute("fill") == "rgb(0 255 0)"
            await pull_back(page, "BUBO", right=-60, down=5)
            assert await suggested(page) == [{"do": "bumped", "piece": "HOWLER"}, {"do": "done"}]
            assert toy.truth()[-1]["hits"][0] == "HOWLER"
            assert await frame.locator("#seen").inner_text() == "BUBO touched HOWLER.\nThat was all: done."
            await frame.get_by_role("radio", name="Launch").click()
            await frame.locator('#lower g[data-piece="SPIKE"]').click()
            await frame.locator("#upper").click(position={"x": 120, "y": 120})
            commands = await suggested(page)
            assert commands[0]["do"] == "landed"
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            await browser.close()
        await runner.cleanup()
        await toy_runner.cleanup()
        assert wrong == []

    asyncio.run(run())
