"""The daemon as its owner starts it: a process of its own, reached by its printed address."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

START_S = 40.0


class Arena:
    """``arena run`` with these arguments, until the ``with`` ends. Its output is kept in ``said``."""

    def __init__(self, data: Path, *arguments: str) -> None:
        self.data = data
        self._arguments = arguments
        self.said: list[str] = []
        self.page = self.key = self.toy = ""

    def __enter__(self) -> Arena:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()

    def start(self, http_port: int = 0) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "arena",
                "run",
                "--no-browser",
                "--data",
                str(self.data),
                "--http-port",
                str(http_port),
                *self._arguments,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        ready = threading.Event()
        self._listener = threading.Thread(target=self._listen, args=(self.process, ready), daemon=True)
        self._listener.start()
        assert ready.wait(START_S), f"The daemon did not start: {self.said}"
        assert self.page, f"The daemon ended at once: {self.said}"

    def _listen(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.said.append(line.rstrip())
            if found := re.match(r"The table's page: +(\S+/)#key=(\S+)", line):
                self.page, self.key = found.groups()
            elif found := re.match(r"The toy table: +(\S+)", line):
                self.toy = found.group(1)
            elif line.startswith("Ctrl-C"):
                ready.set()
        ready.set()

    @property
    def port(self) -> int:
        return int(self.page.rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        """As a power cut or ``kill -9`` ends it."""
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """As Ctrl-C ends it."""
        self.process.send_signal(signal.SIGINT)
        self._ended()

    def _ended(self) -> None:
        self.process.wait(15)
        self._listener.join(5)

    # What a page does

    def get(self, path: str, timeout_s: float = 10) -> Any:
        request = urllib.request.Request(self.page + path, headers={"Authorization": f"Bearer {self.key}"})
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:
            return json.load(answer)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return post(self.page + path, body, {"Authorization": f"Bearer {self.key}"})

    def first_page(self) -> dict[str, Any]:
        """The whole page of the table's host, as the live stream begins with it."""
        request = urllib.request.Request(self.page + "api/events", headers={"Authorization": f"Bearer {self.key}"})
        with urllib.request.urlopen(request, timeout=10) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    page: dict[str, Any] = json.loads(line[5:])
                    return page
        raise AssertionError("The live stream ended without a page.")

    def tap(self, **command: Any) -> dict[str, Any]:
        return self.post("api/command", {"command": command, "id": os.urandom(8).hex()})

    def trouble(self) -> list[str]:
        """Lines that no owner should see."""
        return [line for line in self.said if re.search(r"Traceback|Error\b|Exception", line)]


def post(url: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
    request = urllib.request.Request(
        url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json", **(headers or {})}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            told: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as refusal:
        told = json.load(refusal)
    return told
