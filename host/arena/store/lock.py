"""One writer a file: a lock that the operating system takes back when its process dies, however it dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Taken(Exception):
    """Another process holds the lock; ``process`` is its number where it could be read."""

    def __init__(self, process: str) -> None:
        super().__init__(process)
        self.process = process


class WriterLock:
    """Held from construction to ``release()``. ``Taken`` where somebody else holds it; ``OSError`` as ``open``.

    Beside the database and not on it, so that readers stay possible and SQLite's own locks are left alone.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if sys.platform == "win32":
                # The byte lies beyond the process number, which thereby stays readable
                os.lseek(self._file, 1 << 20, os.SEEK_SET)
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.lseek(self._file, 0, os.SEEK_SET)
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            raise Taken(holder) from None
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, b"%d\n" % os.getpid())

    def release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
