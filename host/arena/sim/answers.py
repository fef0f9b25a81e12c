"""Answering the daemon's questions as somebody who watched: only from what the toy table saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

NOTHING = ("hand", "nothing", "ignore", "no")
TRUE, HALF = 100, 50


def truthful(question: Mapping[str, Any], movements: Sequence[Mapping[str, Any]], told: Sequence[str] = ()) -> int:
    """The index of the true choice. ``movements`` are truths of the toy table, the newest first.

    ``told`` are the lines of the log since the newest movement began: what is told there already was
    not missed.
    """
    asked = words_of(question["text"])
    scores = [_truth(question["text"], asked, label, movements, told) for label in question["choices"]]
    return max(range(len(scores)), key=lambda nth: (scores[nth], -nth))


def _truth(text: str, asked: set[str], label: str, movements: Sequence[Mapping[str, Any]], told: Sequence[str]) -> int:
    label, _, how = label.partition(", ")  # "WH33L passed Door D3, hit by BUBO"
    words = words_of(label)
    if not movements:
        return _nothing(words)
    newest = movements[0]
    if "released" in asked:  # "The Launcher was released, … Where did it stand?"
        return TRUE if newest["kind"] == "launch" and set(newest["origin"]) & words else _nothing(words)
    if "frame" in asked:  # "Something stands in the frame of Door D3. Which Mecha is it?"
        return TRUE if any(piece in words and place in asked for piece, place in newest["stuck"]) else _nothing(words)
    into = re.search(r"\binto (\w+)", f"{label} {text}")
    target = into[1] if into else None
    for age, movement in enumerate(movements):
        for passed in movement["passes"]:
            if passed["place"] not in asked or target not in (None, passed["target"]):
                continue
            if "missed" in asked and any(passed["place"] in words_of(line) for line in told):
                continue  # it was told after all
            if _names(movement["piece"], passed, words):
                told_right = not how or how.startswith("hit") == (passed["piece"] in movement["hits"])
                return TRUE - age + ("passed" in words) - (0 if told_right else HALF)
    return _nothing(words)


def whose(place: str, target: str, movement: Mapping[str, Any], settled: Sequence[str]) -> str:
    """Who made a doubted pass. ``settled``: of whom passes there were told already, in order.

    The Mecha that was moved where the toy table saw none, as the daemon has it until then.
    """
    there = [each["piece"] for each in movement["passes"] if (each["place"], each["target"]) == (place, target)]
    for piece in settled:
        if piece in there:
            there.remove(piece)
    return str(there[0] if there else movement["piece"])


def _names(mover: str, passed: Mapping[str, Any], words: set[str]) -> bool:
    """Whether a choice says that this pass was: by its piece, or by the Activation in which it happened."""
    by_piece = passed["piece"] in words
    by_activation = f"{mover}'s" in words
    return (by_piece or by_activation) and not words & {"hand", "ignore"}


def _nothing(words: set[str]) -> int:
    """For what did not happen: the choice that says so comes first."""
    return 1 if {word.lower() for word in words} & set(NOTHING) else 0


def words_of(text: str) -> set[str]:
    return {word.strip('.,:;!?()"“”') for word in text.split()}
