"""Starts the arena's board. Two seconds in which Ctrl-C wins; a file named ``safe`` skips the program.

A crash is written to ``crash.txt``, told to the host at the next introduction, and the board starts
again. Nothing here may stand between a person and the REPL.
"""

import gc
import io
import os
import select
import sys
import time

import machine

MOMENT_MS = 2000
CRASH_BYTES = 1500


def interrupted() -> bool:
    """Wait the moment; whether a Ctrl-C came as a byte (on an ESP32 it comes as KeyboardInterrupt)."""
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    end = time.ticks_add(time.ticks_ms(), MOMENT_MS)
    while True:
        left = time.ticks_diff(end, time.ticks_ms())
        if left <= 0:
            return False
        for _ in poll.ipoll(min(left, 50)):
            if sys.stdin.buffer.read(1) in (b"\x03", b""):
                return True


def keep(fault: Exception) -> None:
    """Write the traceback where the next introduction finds it, and on the console."""
    gc.collect()
    text = io.StringIO()
    sys.print_exception(fault, text)
    print(text.getvalue())
    try:
        with open("crash.txt", "w") as file:
            file.write(text.getvalue()[-CRASH_BYTES:])
    except OSError as full:
        print("arena: crash.txt could not be written:", full)


def main() -> None:
    if "safe" in os.listdir():
        print("arena: a file named safe is here, so the program does not start; remove it and reset")
        return
    print("arena: starts in 2 s; Ctrl-C now leaves to the REPL")
    if interrupted():
        print("arena: stopped by Ctrl-C; Ctrl-D or a reset starts the program")
        return
    try:
        # In this order, while the heap is whole: the largest piece, what leaves most behind, the rest
        import sampler  # noqa: F401
        import settings
        import wire

        del wire.Lines, wire.dictionary  # only a host needs them

        wiring, fault = settings.read()
        del settings
        del sys.modules["settings"]
        gc.collect()
        import superloop

        gc.collect()
        superloop.run(wiring, fault)
    except Exception as crash:
        keep(crash)
        machine.reset()


main()
