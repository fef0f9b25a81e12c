"""The verbs from the shell: a person's mistake gets a sentence and exit status 2, never a stack trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MISTAKES = {
    "a rig file that is not there": (["run", "--rig", "{tmp}/no.toml"], "cannot be read"),
    "a rig file that is no text": (["run", "--rig", "{tmp}/bytes"], "not text"),
    "a rig file that is not TOML": (["run", "--rig", "{tmp}/words.toml"], "words.toml"),
    "a data folder that cannot be": (["run", "--data", "{tmp}/words.toml/data"], "--data"),
    "simulated and real boards at once": (["run", "--sim", "--port", "/dev/ttyUSB0", "--data", "{tmp}"], "not both"),
    "a port that is no number": (["run", "--http-port", "door"], "65535"),
    "a port that is too high": (["run", "--http-port", "70000"], "65535"),
    "an address that is not ours": (["run", "--host", "192.0.2.77", "--data", "{tmp}/a", "--port", "x"], "cannot use"),
    "a board that the rig file lacks": (["files", "middle", "{tmp}/files"], "only lower, upper"),
    "a folder that cannot be made": (["files", "lower", "{tmp}/words.toml/files"], "cannot be written"),
    "nothing to record": (["record", "{tmp}/out", "--data", "{tmp}/empty"], "no journal"),
    "a record that is none": (["replay", "{tmp}/words.toml"], "cannot be replayed"),
    "a record that is not there": (["replay", "{tmp}/nowhere"], "cannot be read"),
    "no simulation to play on": (["play", "--data", "{tmp}/empty"], "arena run --sim"),
    "a simulation without its rig file": (["sim", "--rig", "{tmp}/no.toml", "--data", "{tmp}/s"], "no.toml"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_a_sentence(mistake: str, tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "words.toml").write_text("these are words")
    arguments, sentence = MISTAKES[mistake]
    done = subprocess.run(
        [sys.executable, "-m", "arena", *(each.format(tmp=tmp_path) for each in arguments)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
