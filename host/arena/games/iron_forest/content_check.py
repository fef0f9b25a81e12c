"""Reading content: every problem is told with its file, its key, what was found and what was expected."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

ORIGINS = ("printed", "house")
SCHEMA = 1


class ContentError(ValueError):
    """A content pack that cannot be used; ``problems`` has one sentence for each thing to mend."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class Reader:
    """Collects what is wrong with one file, so that a person can mend it all at once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []

    def parse(self, text: object) -> dict[str, Any]:
        if not isinstance(text, str):
            raise ContentError([f"{self.file}: found {type(text).__name__}, expected the text of a TOML file"])
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise ContentError([f"{self.file}: is not TOML: {problem}"]) from None

    def wrong(self, key: str, found: object, expected: str) -> None:
        told = "nothing" if found is None else repr(found)
        self.problems.append(f"{self.file}, {key}: found {told}, expected {expected}")

    def table(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = data.get(key)
        if isinstance(value, Mapping):
            return value
        self.wrong(key, value, f"a table [{key}]")
        return {}

    def word(self, data: Mapping[str, Any], key: str, where: str, known: tuple[str, ...] = ()) -> str:
        value = data.get(key)
        if isinstance(value, str) and value and (not known or value in known):
            return value
        self.wrong(f"{where}.{key}", value, f"one of {', '.join(known)}" if known else "some words")
        return ""

    def number(self, data: Mapping[str, Any], key: str, where: str, least: int, most: int) -> int:
        value = data.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.wrong(f"{where}.{key}", value, f"a whole number from {least} to {most}")
        return least

    def unknown(self, data: Mapping[str, Any], where: str, known: tuple[str, ...]) -> None:
        """A key that nobody reads is most likely a slip of the pen."""
        for key in data:
            if key not in known:
                self.wrong(f"{where}.{key}" if where else key, key, f"only the keys {', '.join(known)}")

    def check(self) -> None:
        if self.problems:
            raise ContentError(self.problems)
