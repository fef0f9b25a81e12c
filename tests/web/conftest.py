"""One Chromium for the whole room, and a fresh table for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

from live_table import LiveTable

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveTable]:
    """A table at which Ann (Animal Clans) and Ben (Iron Force) have just begun."""
    table = LiveTable(tmp_path)
    table.begin()
    yield table
    table.stop()


@pytest.fixture(scope="module")  # no two drivers may run at once
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def screen(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    yield context
    context.close()
