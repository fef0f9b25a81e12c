"""The files that a board lets the host read, one after the other, piece by piece. Pure."""

from __future__ import annotations

from struct import pack

from .. import wire
from .window import ANSWER_US


class Files:
    """Which files are still to be read, and the part of the first that is here; at most 64 KiB."""

    def __init__(self) -> None:
        self._wanted: list[int] = []
        self._text = bytearray()
        self._asked_us: int | None = None

    def clear(self) -> None:
        self._wanted.clear()
        self.lost()
        self._text.clear()

    def want(self, file: int) -> None:
        if file not in self._wanted:
            self._wanted.append(file)

    def due_us(self) -> int | None:
        """When a question without an answer is asked again."""
        return None if self._asked_us is None else self._asked_us + ANSWER_US

    def lost(self) -> None:
        """The question under way, if there is one, was lost."""
        self._asked_us = None

    def question(self, now_us: int) -> bytes | None:
        """The body of the READ that should go out now."""
        due_us = self.due_us()
        if not self._wanted or (due_us is not None and now_us < due_us):
            return None
        self._asked_us = now_us
        return pack("<BH", self._wanted[0], len(self._text))

    def take(self, body: bytes) -> tuple[int, bytes] | None:
        """One TEXT; the file and its bytes where it is whole now. What was not asked is passed over."""
        file, offset, total = wire.fixed(wire.TEXT, body)
        text = wire.tail(wire.TEXT, body)
        if not self._wanted or file != self._wanted[0] or offset != len(self._text):
            return None
        self.lost()
        self._text += text
        if len(self._text) < total and text:
            return None
        self._wanted.pop(0)
        whole = bytes(self._text)
        self._text.clear()
        return file, whole
