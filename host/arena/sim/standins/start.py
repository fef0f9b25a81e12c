# mypy: ignore-errors
"""What a virtual board runs first: stand-ins in place, then ``boot.py`` and ``main.py`` as a board does.

Arguments: file system's folder, identity (hex), reset cause, input words low and high, the clock's zero,
the clock now, 1 to run ``main.py``, and the terminal's bit that makes Ctrl-C interrupt.
"""

import sys


def _stand_in() -> None:
    import time

    import esp32  # noqa: F401
    import machine
    import neopixel  # noqa: F401
    import vfs
    import virtual_channel
    import virtual_keyboard

    folder, identity, cause, low, high, zero_us, now_us, _, interrupt = sys.argv[1:]
    machine.virtual_start(identity, int(cause))
    time.virtual_start(int(zero_us), int(now_us))
    virtual_keyboard.virtual_start(int(interrupt))
    sys.modules["micropython"] = virtual_keyboard  # built in, so a file of that name would not be found
    sys.path[:] = ["", ".frozen", "/lib"]
    # From here on "/" is the board's own file system; the stand-ins are loaded already
    vfs.umount("/")
    vfs.mount(vfs.VfsPosix(folder), "/")
    virtual_channel.begin(int(low), int(high))
    virtual_keyboard.kbd_intr(3)


def _run(name: str) -> None:
    import os

    if name not in os.listdir():
        return
    try:
        execfile(name)  # noqa: F821  # MicroPython's own
    except SystemExit:
        import virtual_channel

        virtual_channel.send(virtual_channel.RESET, 2)
        while True:
            pass
    except BaseException as problem:
        sys.print_exception(problem)


_stand_in()
_run("boot.py")
if sys.argv[8] == "1":
    _run("main.py")
del sys.argv[:]
