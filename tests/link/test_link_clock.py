"""A board's clock on the host's: intervals that hold the truth, and distances that stay right."""

from __future__ import annotations

import random

import pytest
from arena import wire
from arena.link.clock import BoardClock, whole_clock_us
from hypothesis import given, settings
from hypothesis import strategies as st


class Line:
    """Two clocks and a line with uneven delays; ``host(board_us)`` is the truth."""

    def __init__(self, seed: int, drift_ppm: float, offset_us: int, delays_us: tuple[int, int]) -> None:
        self.chance = random.Random(seed)
        self.rate = 1 + drift_ppm * 1e-6
        self.offset_us = offset_us
        self.delays_us = delays_us
        self.clock = BoardClock()

    def host(self, board_us: int) -> int:
        return self.offset_us + round(board_us * self.rate)

    def ping(self, board_us: int) -> None:
        at_us = self.host(board_us)
        there, back = (self.chance.randint(*self.delays_us) for _ in range(2))
        self.clock.add(board_us, at_us - there, at_us + back)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10_000),
    st.floats(-150, 150),
    st.integers(-(10**12), 10**12),
    st.sampled_from([(40, 300), (500, 9_000), (2_000, 40_000)]),
)
def test_an_interval_holds_the_true_time_and_is_far_narrower_than_a_round_trip(
    seed: int, drift_ppm: float, offset_us: int, delays_us: tuple[int, int]
) -> None:
    line = Line(seed, drift_ppm, offset_us, delays_us)
    board_us = 1_000_000
    for second in range(200):
        line.ping(board_us)
        for _ in range(3):
            board_us += line.chance.randrange(20_000, 300_000)
            true_us = line.host(board_us)
            earliest_us, latest_us = line.clock.interval(board_us, 0, true_us + 10**6)
            assert earliest_us - 1 <= true_us <= latest_us + 1
            if second > 100:
                assert latest_us - earliest_us < 100 + 2 * delays_us[0] + (delays_us[1] - delays_us[0]) / 2
        board_us += 400_000
    true_ppm = (line.rate - 1) * 1e6
    assert line.clock.drift_ppm == pytest.approx(true_ppm, abs=1 + delays_us[1] / 100)


def test_the_two_beams_of_a_door_keep_their_distance_while_the_clock_is_learned() -> None:
    line = Line(3, 80, 7_000_000, (300, 20_000))
    board_us = 0
    for _ in range(300):
        line.ping(board_us)
        first = line.clock.interval(board_us + 400, 0, 10**15)
        line.ping(board_us + 1_000)
        second = line.clock.interval(board_us + 3_400, 0, 10**15)
        assert sum(second) / 2 - sum(first) / 2 == pytest.approx(3_000, abs=5)
        assert second[1] - first[1] == pytest.approx(3_000, abs=50)
        board_us += 700_000


def test_edges_that_waited_for_the_cable_are_placed_long_before() -> None:
    line = Line(5, 40, 0, (500, 2_000))
    for second in range(60):
        line.ping(2_000_000_000 + second * 1_000_000)
    for minutes in (1, 10, 30):
        board_us = 2_000_000_000 - minutes * 60_000_000
        earliest_us, latest_us = line.clock.interval(board_us, 100, 10**15)
        assert earliest_us <= line.host(board_us) <= latest_us
        assert latest_us - earliest_us < 3_000 + (minutes + 1) * 60_000_000 * 100e-6


def test_lateness_widens_the_interval_backwards() -> None:
    clock = BoardClock()
    clock.add(1_000_000, 5_000_000, 5_000_400)
    assert clock.interval(1_000_000, 0, 10**9) == (5_000_000, 5_000_400)
    assert clock.interval(1_000_000, 2_500, 10**9) == (4_997_500, 5_000_400)


def test_nothing_happens_after_it_was_told() -> None:
    clock = BoardClock()
    clock.add(1_000_000, 5_000_000, 5_010_000)
    earliest_us, latest_us = clock.interval(1_100_000, 0, 5_050_000)
    assert (earliest_us + latest_us) / 2 <= 5_050_000


def test_a_clock_that_was_stopped_or_set_begins_anew() -> None:
    line = Line(1, 0, 0, (200, 400))
    for second in range(20):
        line.ping(second * 1_000_000)
    line.offset_us += 3_600_000_000  # the host slept for an hour
    line.ping(21_000_000)
    earliest_us, latest_us = line.clock.interval(21_000_100, 0, 10**15)
    assert earliest_us <= line.host(21_000_100) <= latest_us
    assert latest_us - earliest_us < 1_000


def test_the_clock_is_unknown_before_the_first_answer() -> None:
    clock = BoardClock()
    assert not clock.ready
    with pytest.raises(ValueError, match="before its first answer"):
        clock.interval(0, 0, 0)


def test_ticks_and_wraps_make_one_clock() -> None:
    assert whole_clock_us(0, 5) == 5
    assert whole_clock_us(2, 0) - whole_clock_us(1, wire.TICKS - 1) == 1
