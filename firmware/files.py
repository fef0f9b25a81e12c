"""The three files that a host may read from a board, given out in pieces so that none is held in memory."""

import wire

_PIECE = 256
_NAMES = {wire.DICTIONARY: "dictionary.json", wire.CONFIG: "board.json"}


class Files:
    """Dictionary and configuration, opened once at the start; a crash report is held as text."""

    def __init__(self, crash: bytes) -> None:
        self.crash = crash
        self._open = {}
        self._sizes = {wire.CRASH: len(crash)}
        self.digests = {wire.DICTIONARY: 0, wire.CONFIG: 0}
        for kind, name in _NAMES.items():
            size = digest = 0
            try:
                file = open(name, "rb")
            except OSError:
                continue  # nobody has put it there: an empty file
            while True:
                piece = file.read(_PIECE)
                if not piece:
                    break
                size += len(piece)
                digest = wire.digest(piece, digest)
            self._open[kind] = file
            self._sizes[kind] = size
            self.digests[kind] = digest

    def size(self, kind: int) -> int:
        """Bytes of a file; 0 where there is none."""
        return self._sizes.get(kind, 0)

    def piece(self, kind: int, offset: int, most: int) -> bytes:
        """Up to ``most`` bytes of a file from ``offset`` on."""
        if kind == wire.CRASH:
            return self.crash[offset : offset + most]
        file = self._open.get(kind)
        if file is None:
            return b""
        file.seek(offset)
        piece: bytes = file.read(most)
        return piece
