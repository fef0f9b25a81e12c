"""Owners flash boards in the middle of a game: the real mpremote against the daemon's own boards."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from arena_process import Arena
from test_crashes import alone, live, passes, until
from wired_table import REPOSITORY, WiredTable


def mpremote(*arguments: str) -> str:
    command = [str(Path(sys.executable).parent / "mpremote"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_firmware_is_copied_with_mpremote_the_board_reset_and_the_game_goes_on(tmp_path: Path) -> None:
    with WiredTable(tmp_path / "boards") as wired, Arena(tmp_path / "data", *wired.ports) as arena:
        active = alone(arena)
        wired.pass_door("D3", into="B5")
        until(arena, passes)

        assert arena.post("api/boards/release", {"seconds": 120})["ok"]
        port = str(wired.boards["lower"].port)
        files = [str(path) for path in sorted((REPOSITORY / "firmware").glob("*.py"))]
        mpremote("connect", port, "fs", "cp", *files, ":")
        listed = mpremote("connect", port, "fs", "ls", ":")
        assert "superloop.py" in listed
        mpremote("connect", port, "reset")
        assert arena.post("api/boards/resume", {})["ok"]

        page = until(arena, live, 20)
        assert page["view"]["mechas"][active]["boxes"] == ["B5"]
        # The board has started anew: what it may have missed meanwhile is asked, never guessed
        while (question := arena.first_page()["question"]) is not None:
            nothing = next(n for n, text in enumerate(question["choices"]) if "nothing" in text)
            arena.post("api/answer", {"question": question["id"], "choice": nothing, "id": question["id"]})
            time.sleep(0.2)
        assert arena.tap(do="done")["ok"]
        following = arena.first_page()["view"]["active"]["mecha"]
        assert arena.tap(do="put", piece=following, box="B4")["ok"]
        wired.pass_door("D4", into="B5")
        page = until(arena, lambda page: len(passes(page)) == 2 or page["question"])
        assert page["view"]["mechas"][following]["boxes"] == ["B5"], page["question"]
    assert arena.trouble() == []
