"""How a board is wired, as plain checked values."""


class Wiring:
    """What :func:`settings.load` found. ``Wiring()`` is a board that nobody has set up yet."""

    def __init__(self) -> None:
        self.name = ""
        self.pins: "list[tuple[int, int]]" = []  # by channel: pin, active level
        self.pulls: "list[bool]" = []
        self.beams: "list[bool]" = []
        self.gates: "list[tuple[int, int, int]]" = []  # beam A, beam B or -1, counter unit or -1
        self.strips: "list[tuple[int, int, str, int, int]]" = []  # pin, pixels, order, brightness, mA
        self.settle_us = 5000  # a gate's counter is recorded when both beams have been clear for so long

    def counted(self) -> bool:
        """Whether hardware watches every beam, so that a pixel write blinds nothing."""
        counted = set()
        for a, b, counter in self.gates:
            if counter >= 0:
                counted.add(a)
                counted.add(b)
        return all(channel in counted for channel, beam in enumerate(self.beams) if beam)
