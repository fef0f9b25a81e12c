"""Reading a person's TOML: bounded getters that note every mistake instead of stopping at the first."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
}


class RigError(Exception):
    """Everything that is wrong with a rig file. ``problems``: one sentence each, with its key."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        self.name = name
        self.problems = tuple(problems)
        many = "one thing" if len(problems) == 1 else f"{len(problems)} things"
        super().__init__(f"The rig file {name} needs {many} changed:\n" + "\n".join(f"  - {line}" for line in problems))


@dataclass(slots=True)
class Problems:
    """The list of mistakes that a reading collects."""

    lines: list[str] = field(default_factory=list)

    def add(self, key: str, what: str) -> None:
        line = f"{key}: {what}"
        if line not in self.lines:
            self.lines.append(line)


def shown(value: object) -> str:
    """A value as the person wrote it, cut where it is long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = "[" + ", ".join(shown(each) for each in value) + "]"
    elif isinstance(value, dict):
        text = "a table" if len(value) > 3 else "{ " + ", ".join(f"{k} = {shown(v)}" for k, v in value.items()) + " }"
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def either(words: Sequence[str]) -> str:
    """ "a, b or c" """
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1] if words else "nothing"


def guess(word: str, known: Sequence[str]) -> str:
    """A hint at the word that was probably meant."""
    close = difflib.get_close_matches(word, known, 1, 0.6)
    return f' Did you mean "{close[0]}"?' if close else ""


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value and abs(value) < 1e9


class Section:
    """One table of the file. Each getter returns a usable value even where the person's is not;
    ``end`` reports the keys that nobody asked for."""

    def __init__(self, problems: Problems, path: str, data: object, what: str = "a table") -> None:
        self.problems = problems
        self.path = path
        self.data: dict[str, Any] = {}
        self._asked: list[str] = []
        if isinstance(data, dict):
            self.data = data
        else:
            problems.add(path, f"expected {what}, found {shown(data)}")

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def bad(self, name: str, what: str) -> None:
        self.problems.add(self.key(name), what)

    def has(self, name: str) -> bool:
        return name in self.data

    def raw(self, name: str, needed: str = "") -> Any:
        """The value, or ``None``; where it is ``needed``, its absence is a mistake."""
        self._asked.append(name)
        if name not in self.data and needed:
            self.bad(name, f"is missing; write {needed}")
        return self.data.get(name)

    def text(self, name: str, default: str | None = None, choices: Sequence[str] = (), example: str = "") -> str:
        quoted = [f'"{choice}"' for choice in choices]
        wish = either(quoted) if choices else example or "a text in quotes"
        value = self.raw(name, f"{name} = {wish}" if default is None else "")
        if value is None:
            return default or (choices[0] if choices else "")
        if not isinstance(value, str):
            self.bad(name, f"expected {wish}, found {shown(value)}")
        elif choices and value not in choices:
            self.bad(name, f"expected {wish}, found {shown(value)}.{guess(value, choices)}")
        else:
            return value
        return default or (choices[0] if choices else "")

    def flag(self, name: str, default: bool) -> bool:
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.bad(name, f"expected true or false (without quotes), found {shown(value)}")
            return default
        return value

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        value = self.raw(name, f"a number from {low:g} to {high:g}" if default is None else "")
        if value is None:
            return low if default is None else default
        if not is_number(value):
            self.bad(name, f"expected a number from {low:g} to {high:g}, found {shown(value)}")
        elif not low <= value <= high:
            self.bad(name, f"{shown(value)} is out of range; write a number from {low:g} to {high:g}")
        else:
            return float(value) if isinstance(value, float) and value != int(value) else int(value)
        return low if default is None else default

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        value = self.raw(name, f"a whole number from {low} to {high}" if default is None else "")
        if value is None:
            return low if default is None else default
        if not isinstance(value, int) or isinstance(value, bool):
            self.bad(name, f"expected a whole number from {low} to {high}, found {shown(value)}")
        elif not low <= value <= high:
            self.bad(name, f"{value} is out of range; write a whole number from {low} to {high}")
        else:
            return value
        return low if default is None else default

    def numbers(self, name: str, count: int, example: str) -> tuple[float, ...] | None:
        """A list of exactly ``count`` numbers, or ``None`` where it is not one."""
        value = self.raw(name, f"{name} = {example}")
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != count or not all(is_number(each) for each in value):
            self.bad(name, f"expected {count} numbers such as {example}, found {shown(value)}")
            return None
        return tuple(value)

    def texts(self, name: str, example: str, count: int | None = None) -> list[str] | None:
        """A list of texts (exactly ``count`` where given), or ``None`` where it is not one."""
        value = self.raw(name, f"{name} = {example}" if count is not None else "")
        if value is None:
            return None if count is not None else []
        right = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not right or (count is not None and len(value) != count):
            how = f"{count} names" if count is not None else "a list of names"
            self.bad(name, f"expected {how} such as {example}, found {shown(value)}")
            return None
        return list(value)

    def tables(self, name: str, example: str, needed: bool = True) -> Iterator[tuple[str, Section]]:
        """The named tables inside this one."""
        value = self.raw(name, f"[{self.key(name)}.{example}]" if needed else "")
        if value is None:
            return
        if not isinstance(value, dict):
            self.bad(name, f"expected a table for each, such as [{self.key(name)}.{example}], found {shown(value)}")
            return
        for each, data in value.items():
            yield each, Section(self.problems, f"{self.key(name)}.{each}", data)

    def rows(self, name: str, example: str, needed: bool = True) -> list[Section]:
        """The list of tables under ``name``; each is called by its number, from 1."""
        value = self.raw(name, f"{name} = [ {example} ]" if needed else "")
        if value is None:
            return []
        if not isinstance(value, list):
            self.bad(name, f"expected a list such as [ {example} ], found {shown(value)}")
            return []
        return [Section(self.problems, f"{self.key(name)}[{number}]", row) for number, row in enumerate(value, 1)]

    def end(self) -> None:
        """Report every key that nobody asked for."""
        known = sorted(set(self._asked))
        for name in self.data:
            if name not in self._asked:
                hint = guess(name, known)
                self.bad(name, f"unknown key, a typo?{hint} Known keys here are {', '.join(known)}")
