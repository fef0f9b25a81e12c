"""Who may command: one secret for the referee (seat ``table``) and one for each player's phone."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from ..words import TABLE, Seat

SEATS: tuple[Seat, ...] = (TABLE, "P1", "P2", "P3", "P4")
BYTES = 32  # of chance in each key: nobody guesses 256 bits


class KeysError(Exception):
    """The key file cannot be used; the text says what to do."""


class Keys:
    """The secrets of the seats. They are compared in constant time and never leave in a page."""

    def __init__(self, secret_of: Mapping[Seat, str]) -> None:
        self._secret_of = dict(secret_of)

    @staticmethod
    def open(folder: Path) -> Keys:
        """The keys in ``folder``, made at the first start. Only the owner can read the file (mode 0600)."""
        path = folder / "keys.json"
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            made = {seat: secrets.token_urlsafe(BYTES) for seat in SEATS}
            draft = folder / f"keys.{os.getpid()}.new"
            with open(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                json.dump(made, file, indent=1)
            draft.replace(path)
        path.chmod(0o600)
        try:
            held = json.loads(path.read_text())
            return Keys({seat: str(held[seat]) for seat in SEATS})
        except (ValueError, KeyError, TypeError) as problem:
            raise KeysError(
                f"{path} should hold one key for each of {', '.join(SEATS)}, but {problem!r} is wrong with it. "
                "Delete the file: new keys are made at the next start, and old links stop working."
            ) from None

    def of(self, seat: Seat) -> str:
        """The secret of a seat, for a link that begins with ``/#key=``."""
        return self._secret_of[seat]

    def seats(self) -> tuple[Seat, ...]:
        return tuple(self._secret_of)

    def seat(self, secret: str) -> Seat | None:
        """Whose key it is. Every key is compared, so that the time tells nothing."""
        found = None
        for seat, own in self._secret_of.items():
            if hmac.compare_digest(own.encode(), secret.encode()):
                found = seat
        return found
