"""What the simulation feeds is what a program on the board sees: every pulse, in its width."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Callable, Sequence

from arena.sim.board import VirtualBoard

from .conftest import Host, MakeBoard, now_us, until

# Prints (ticks_us, word) of each change of the low inputs, looking as a sampler does
WATCH = """
import machine, micropython, time
low, high = machine.gpio_in_addresses()
seen = [(0, 0)] * 64

@micropython.viper
def wait(address: int, word: int) -> int:
    inputs = ptr32(address)
    while int(inputs[0]) == word:
        pass
    return int(inputs[0])

word = machine.mem32[low]
print("watching", word)
n = 0
while n < %d:
    word = wait(low, word)
    seen[n] = (time.ticks_us(), word)
    n += 1
for at, word in seen[:n]:
    print("change", at, word)
"""

# Long enough for a watcher that has to share its processor
PULSES = [(0, 4, 0), (6_000, 13, 0), (14_000, 4, 1), (22_000, 13, 1), (40_000, 4, 0), (50_000, 4, 1), (90_000, 4, 0)]


def feed(board: VirtualBoard, events: Sequence[tuple[int, int, int]], ahead_us: int = 20_000) -> int:
    start = now_us() + ahead_us
    board.feed([(start + at, pin, level) for at, pin, level in events])
    return start


def test_a_waveform_appears_in_order_and_with_its_widths(
    make_board: MakeBoard, open_port: Callable[[VirtualBoard], Host]
) -> None:
    applied: list[tuple[int, int, int, int, bool]] = []
    board = make_board(WATCH % len(PULSES), on_applied=lambda *what: applied.append(what))
    assert board.wait_for("watching 4294967295")
    host = open_port(board)
    start = feed(board, PULSES)
    seen = [host.line_with("change").split()[1:] for _ in PULSES]
    word = 0xFFFFFFFF
    for (ticks, shown), (_, pin, level) in zip(seen, PULSES, strict=True):
        word = word | 1 << pin if level else word & ~(1 << pin)
        assert int(shown) == word
        assert int(ticks) > 0
    assert until(lambda: len(applied) == len(PULSES))
    # The program sees each level after it was applied, and the widths between them are the ones asked for
    assert [(pin, level) for _, _, pin, level, _ in applied] == [(pin, level) for _, pin, level in PULSES]
    assert all(was_seen for *_, was_seen in applied)
    for index, (due, at, _, _, _) in enumerate(applied):
        assert due == start + PULSES[index][0]
        assert at >= due
        assert -5 <= int(seen[index][0]) - board.ticks_us(at) < 20_000
    for before, after in itertools.pairwise(applied):
        assert after[1] - before[1] >= after[0] - before[0]


def test_a_late_board_shifts_the_rest_and_shortens_no_pulse(make_board: MakeBoard) -> None:
    applied: list[tuple[int, int, int, int, bool]] = []
    board = make_board(on_applied=lambda *what: applied.append(what))
    pulses = [(5_000 * index, 4, index % 2) for index in range(20)]
    feed(board, pulses, 30_000)
    time.sleep(0.06)
    os.kill(board.interpreter_pid, signal.SIGSTOP)
    time.sleep(0.04)
    os.kill(board.interpreter_pid, signal.SIGCONT)
    assert until(lambda: len(applied) == 20)
    widths = [after[1] - before[1] for before, after in itertools.pairwise(applied)]
    assert min(widths) >= 5_000
    assert max(widths) >= 35_000
    assert board.slip_us >= 30_000
    # With nothing pending, the next waveform is on time again
    feed(board, [(0, 4, 0), (5_000, 4, 1)])
    assert until(lambda: len(applied) == 22)
    assert board.slip_us < 20_000


def test_levels_are_applied_while_the_program_collects_garbage(make_board: MakeBoard) -> None:
    applied: list[tuple[int, int, int, int, bool]] = []
    board = make_board(
        """
        import gc
        print("collecting")
        while True:
            [bytearray(50) for _ in range(50)]
            gc.collect()
        """,
        on_applied=lambda *what: applied.append(what),
    )
    assert board.wait_for("collecting")
    feed(board, [(500 * index, 4 + index % 3, index % 2) for index in range(600)])
    assert until(lambda: len(applied) == 600)
    assert board.faults == []


def test_inputs_begin_inactive_as_the_boards_file_says(
    make_board: MakeBoard, open_port: Callable[[VirtualBoard], Host]
) -> None:
    config = b'{"inputs": [{"pin": 4, "active": 0}, {"pin": 13, "active": 1}, {"pin": 35, "active": 1}]}'
    board = make_board(
        """
        from machine import Pin
        import time
        while True:
            print([Pin(n, Pin.IN).value() for n in (4, 13, 34, 35)])
            time.sleep_ms(20)
        """,
        files={"board.json": config},
    )
    host = open_port(board)
    assert host.line_with("[") == "[1, 0, 1, 0]"
    feed(board, [(0, 35, 1)], 0)
    assert host.line_with("1, 1]") == "[1, 0, 1, 1]"


def test_what_happens_while_the_power_is_off_is_there_when_it_comes_back(
    make_board: MakeBoard, open_port: Callable[[VirtualBoard], Host]
) -> None:
    applied: list[tuple[int, int, int, int, bool]] = []
    board = make_board("from machine import Pin\nprint('pin', Pin(4).value())", on_applied=lambda *w: applied.append(w))
    assert board.wait_for("pin 1")
    feed(board, [(0, 4, 0)], 20_000)
    board.power_cycle(off_s=0.1)
    assert board.wait_for("pin 0")
    assert [(pin, level, seen) for _, _, pin, level, seen in applied] == [(4, 0, False)]


COUNT = """
from esp32 import PCNT
from machine import Pin
import time
a, b = Pin(4, Pin.IN), Pin(13, Pin.IN)
gate = PCNT(0, min=-32000, max=32000)
gate.init(channel=0, pin=a, falling=PCNT.INCREMENT, rising=PCNT.DECREMENT, mode_pin=b, mode_low=PCNT.REVERSE)
gate.init(channel=1, pin=b, falling=PCNT.DECREMENT, rising=PCNT.INCREMENT, mode_pin=a, mode_low=PCNT.REVERSE)
gate.start()
hole = PCNT(5, pin=Pin(14), falling=PCNT.INCREMENT, rising=PCNT.INCREMENT, max=5)
hole.start()
while True:
    time.sleep_ms(50)
    print("counts", gate.value(), hole.value())
"""

A_TO_B = [(0, 4, 0), (3_000, 13, 0), (6_000, 4, 1), (9_000, 13, 1)]
B_TO_A = [(0, 13, 0), (3_000, 4, 0), (6_000, 13, 1), (9_000, 4, 1)]
RETREAT = [(0, 4, 0), (3_000, 13, 0), (6_000, 13, 1), (9_000, 4, 1)]
CHATTER = [(0, 4, 0), (500, 4, 1), (1_000, 4, 0), (1_500, 13, 0), (1_900, 13, 1), (2_300, 13, 0), (4_000, 4, 1)]


def test_a_gate_counts_four_for_a_pass_and_nothing_for_a_retreat(
    make_board: MakeBoard, open_port: Callable[[VirtualBoard], Host]
) -> None:
    board = make_board(COUNT)
    host = open_port(board)
    host.line_with("counts 0 0")
    for waveform, total in (
        (A_TO_B, 4),
        (B_TO_A, 0),
        (B_TO_A, -4),
        (RETREAT, -4),
        ([*CHATTER, (6_000, 13, 1)], 0),
    ):
        feed(board, waveform)
        host.line_with(f"counts {total} ")
        time.sleep(0.06)
        host.serial.reset_input_buffer()
        host.line()
        assert host.line().startswith(f"counts {total} ")


def test_a_counter_begins_again_at_its_limit(make_board: MakeBoard, open_port: Callable[[VirtualBoard], Host]) -> None:
    board = make_board(COUNT)
    host = open_port(board)
    host.line_with("counts 0 0")
    feed(board, [(1_000 * index, 14, index % 2) for index in range(4)])
    host.line_with("counts 0 4")
    feed(board, [(1_000 * index, 14, index % 2) for index in range(2)])
    host.line_with("counts 0 1")
