"""One board's pixels as a wish and as what the board must be showing; only the difference is sent.

Pure. Colours are RGB bytes, three a pixel; a strip is a number from 0, as the board numbers it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..wire import digest

MOST = 22  # pixels in one frame: MAX_BODY less the 6 bytes before them, over 3
JOIN = 4  # equal pixels between two changed ones cost less than the frame around another run
STRIPS = 8
PIXELS = 256

_UNKNOWN = b""


class Pixels:
    """Wished pixels, and the ones that the board has, or will have when all frames under way arrive."""

    def __init__(self) -> None:
        self._wished: list[list[bytes]] = []
        self._sent: list[list[bytes]] = []
        self._sizes: Sequence[int] | None = None
        self._under_way: dict[int, tuple[int, int, int]] = {}  # by sequence: strip, first, pixels

    def resize(self, sizes: Sequence[int]) -> None:
        """The board has these strips, of so many pixels each; wishes beyond them wait for another board."""
        self._sizes = tuple(sizes)
        for strip, size in enumerate(self._sizes[:STRIPS]):
            self._grow(strip, min(size, PIXELS))

    def want(self, strip: int, first: int, colours: bytes) -> None:
        """Pixels should have these colours from now on. ``ValueError`` where no board can have such pixels."""
        pixels, rest = divmod(len(colours), 3)
        if rest or not 0 <= strip < STRIPS or not 0 <= first <= PIXELS - pixels:
            raise ValueError(
                f"expected a strip below {STRIPS} and whole pixels below {PIXELS}, "
                f"not strip {strip}, {len(colours)} bytes from pixel {first}"
            )
        self._grow(strip, first + pixels)
        for pixel in range(pixels):
            self._wished[strip][first + pixel] = bytes(colours[3 * pixel : 3 * pixel + 3])

    def forget(self) -> None:
        """Nothing is known of what the board shows: everything is sent again."""
        self._under_way.clear()
        for strip in self._sent:
            strip[:] = [_UNKNOWN] * len(strip)

    @property
    def settled(self) -> bool:
        """Whether the board has acknowledged everything that is wished."""
        return not self._under_way and self.next_run(MOST) is None

    def next_run(self, room: int) -> tuple[int, int, bytes] | None:
        """The next (strip, first, colours) to send, at most ``room`` pixels; ``None`` where nothing differs."""
        room = min(room, MOST)
        if room < 1:
            return None
        for strip, (wished, sent) in enumerate(zip(self._wished, self._sent, strict=True)):
            size = len(wished) if self._sizes is None else self._size(strip)
            first = next((pixel for pixel in range(size) if wished[pixel] != sent[pixel]), None)
            if first is None:
                continue
            end = first + 1
            for pixel in range(first + 1, min(size, first + room)):
                if wished[pixel] != sent[pixel]:
                    if pixel - end > JOIN:
                        break
                    end = pixel + 1
            return strip, first, b"".join(wished[first:end])
        return None

    def under_way(self, sequence: int, strip: int, first: int, colours: bytes) -> None:
        """A run has left in the frame of that number."""
        pixels = len(colours) // 3
        self._under_way[sequence] = strip, first, pixels
        self._sent[strip][first : first + pixels] = self._wished[strip][first : first + pixels]

    def answered(self, sequence: int, lost: bool) -> bool:
        """The board has dealt with a frame, or ``lost`` it; whether the frame was one of pixels."""
        run = self._under_way.pop(sequence, None)
        if run is None:
            return False
        if lost:
            strip, first, pixels = run
            self._sent[strip][first : first + pixels] = [_UNKNOWN] * pixels
        return True

    def digest(self) -> int:
        """What the board's status says where it shows all that is wished."""
        found = 0
        for strip, wished in enumerate(self._wished):
            size = len(wished) if self._sizes is None else self._size(strip)
            found = digest(b"".join(wished[:size]), found)
        return found

    def _size(self, strip: int) -> int:
        return min(self._sizes[strip], PIXELS) if self._sizes is not None and strip < len(self._sizes) else 0

    def _grow(self, strip: int, size: int) -> None:
        while len(self._wished) <= strip:
            self._wished.append([])
            self._sent.append([])
        more = size - len(self._wished[strip])
        if more > 0:
            self._wished[strip] += [b"\0\0\0"] * more
            self._sent[strip] += [_UNKNOWN] * more
