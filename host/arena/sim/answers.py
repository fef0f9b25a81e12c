"""Answering the daemon's questions as somebody who watched: only from what the toy table saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

NOTHING = ("hand", "nothing", "ignore", "no", "pushed")
TRUE, FALSE = 100, -100


def truthful(question: Mapping[str, Any], movements: Sequence[Mapping[str, Any]], told: Sequence[str] = ()) -> int:
    """The index of the true choice. ``movements`` are truths of the toy table, the newest first.

    ``told`` are the lines of the log since the newest movement began: what is told there already was
    not missed.
    """
    asked = words_of(question["text"])
    scores = [_truth(question["text"], asked, label, movements, told) for label in question["choices"]]
    return max(range(len(scores)), key=lambda nth: (scores[nth], -nth))


def _truth(text: str, asked: set[str], label: str, movements: Sequence[Mapping[str, Any]], told: Sequence[str]) -> int:
    words = words_of(label)
    if not movements:
        return _nothing(words)
    newest = movements[0]
    if "hit" in words_of(text):  # "WH33L passed a Door. Was it hit by BUBO itself?"
        hit = any(piece in asked for piece in newest["hits"])
        return TRUE if ("Yes" in words) == hit else FALSE
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
                return TRUE - age + ("passed" in words)
    return _nothing(words)


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
