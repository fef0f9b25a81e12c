# mypy: ignore-errors
"""``esp32.PCNT``: eight units of two channels, counted by the same waveform that the inputs show.

Left out: ``irq``, thresholds, and the glitch filter (the simulated waveforms hold no glitches that short).
"""

import virtual_channel

_ABSENT = object()


class PCNT:
    IGNORE = 0
    INCREMENT = 1
    DECREMENT = 2
    NORMAL = 0
    REVERSE = 1
    HOLD = 2

    _known = {}  # noqa: RUF012

    def __new__(cls, id, **keywords):
        if not 0 <= id < virtual_channel.UNITS:
            raise ValueError("invalid id")
        if id not in cls._known:
            cls._known[id] = object.__new__(cls)
            cls._known[id]._unit = id
            cls._known[id].deinit()
        return cls._known[id]

    def __init__(self, id, **keywords):
        self.init(**keywords)

    def init(
        self,
        channel=0,
        pin=_ABSENT,
        rising=None,
        falling=None,
        mode_pin=_ABSENT,
        mode_low=None,
        mode_high=None,
        filter=None,
        min=None,
        max=None,
        value=None,
    ):
        unit = self._unit
        if channel not in (0, 1):
            raise ValueError("channel")
        if filter is not None and not 0 <= filter <= 1023:
            raise ValueError("filter")
        at = (2 * unit + channel) * virtual_channel.CHANNEL
        table = virtual_channel.channels
        if pin is not _ABSENT or mode_pin is not _ABSENT:
            if pin is _ABSENT:
                raise ValueError("pin")
            table[at] = -1
            table[at + 1] = -1 if mode_pin is _ABSENT or mode_pin is None else mode_pin.number
            table[at] = -1 if pin is None else pin.number
        if not (rising is None and falling is None and mode_low is None and mode_high is None):
            for edge, action in ((2, falling or 0), (4, rising or 0)):
                for high, mode in ((0, mode_low or 0), (1, mode_high or 0)):
                    if action not in (0, 1, 2) or mode not in (0, 1, 2):
                        raise ValueError("rising, falling, mode_low and mode_high are 0, 1 or 2")
                    add = (0, 1, -1)[action]
                    table[at + edge + high] = (add, -add, 0)[mode]
        if min is not None:
            if not -32768 <= min <= 0:
                raise ValueError("minimum")
            virtual_channel.limits[2 * unit] = min
        if max is not None:
            if not 0 <= max <= 32767:
                raise ValueError("maximum")
            virtual_channel.limits[2 * unit + 1] = max
        if value:
            raise ValueError("value")
        if not (value is None and min is None and max is None):
            virtual_channel.counts[unit] = 0

    def deinit(self):
        unit = self._unit
        virtual_channel.running[unit] = 0
        at = 2 * unit * virtual_channel.CHANNEL
        for index, word in enumerate((-1, -1, 0, 0, 0, 0) * 2):
            virtual_channel.channels[at + index] = word
        virtual_channel.limits[2 * unit] = 0
        virtual_channel.limits[2 * unit + 1] = 0
        virtual_channel.counts[unit] = 0

    def start(self):
        virtual_channel.running[self._unit] = 1

    def stop(self):
        virtual_channel.running[self._unit] = 0

    def value(self, value=None):
        count = virtual_channel.counts[self._unit]
        if value is not None:
            if value != 0:
                raise ValueError("value")
            virtual_channel.counts[self._unit] = 0
        return count
