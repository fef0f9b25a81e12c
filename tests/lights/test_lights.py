"""What places show, and that nothing ever flashes more than three times a second."""

from __future__ import annotations

from pathlib import Path

import pytest
from arena.lights import Lights, Run
from arena.rig import RigFile, load_rig
from arena.words import Cue, Pattern
from hypothesis import given, settings
from hypothesis import strategies as st

GREEN, RED, BLACK = (0, 200, 0), (200, 0, 0), (0, 0, 0)
SECOND = 1_000_000


@pytest.fixture(scope="module")
def house() -> RigFile:
    text = (Path(__file__).parents[2] / "hardware" / "rig.toml").read_text(encoding="utf-8")
    return load_rig(text)


class Panel:
    """All pixels as the boards would show them."""

    def __init__(self, rig_file: RigFile) -> None:
        self.spans = rig_file.pixels()
        self.pixels = {
            (board.name, strip.index): [BLACK] * strip.pixels
            for board in rig_file.boards.values()
            for strip in board.strips
        }

    def take(self, runs: list[Run]) -> None:
        for run in runs:
            strip = self.pixels[run.board, run.strip]
            assert len(run.colours) % 3 == 0
            for index in range(len(run.colours) // 3):
                red, green, blue = run.colours[3 * index : 3 * index + 3]
                strip[run.first + index] = (red, green, blue)

    def at(self, place: str) -> list[tuple[int, int, int]]:
        span = self.spans[place]
        return self.pixels[span.board, span.strip][span.first : span.first + span.count]


@pytest.mark.parametrize(
    ("cue", "shown"),
    [
        (Cue(Pattern.OFF, GREEN), [BLACK] * 4),
        (Cue(Pattern.SOLID, GREEN), [GREEN] * 4),
        (Cue(Pattern.DOTS, RED), [RED, BLACK, RED, BLACK]),
        (Cue(Pattern.SPLIT, GREEN, RED), [GREEN, GREEN, RED, BLACK]),
    ],
)
def test_a_cue_is_shown_in_its_pattern(house: RigFile, cue: Cue, shown: list[tuple[int, int, int]]) -> None:
    panel = Panel(house)
    panel.take(Lights(house).show({"D3": cue}, 1_000_000))
    assert panel.at("D3") == shown
    assert panel.at("D2") == panel.at("D4") == [BLACK] * 4


def test_two_teams_are_told_apart_without_colour(house: RigFile) -> None:
    panel, white = Panel(house), (200, 200, 200)
    panel.take(Lights(house).show({"D1": Cue(Pattern.SOLID, white), "D2": Cue(Pattern.DOTS, white)}, 0))
    assert panel.at("D1") != panel.at("D2")


def test_the_same_cues_again_send_nothing(house: RigFile) -> None:
    lights = Lights(house)
    cues = {"D1": Cue(Pattern.SOLID, GREEN), "H1": Cue(Pattern.DOTS, RED)}
    assert lights.show(cues, 0)
    assert lights.show(dict(cues), 100_000) == []
    assert lights.next_tick_us is None


def test_only_the_pixels_that_change_are_sent(house: RigFile) -> None:
    lights = Lights(house)
    lights.show({"D1": Cue(Pattern.SOLID, GREEN), "D2": Cue(Pattern.SOLID, RED)}, 0)
    runs = lights.show({"D1": Cue(Pattern.DOTS, GREEN), "D2": Cue(Pattern.SOLID, RED)}, 100_000)
    assert runs == [Run("lower", 0, 1, bytes([*BLACK, *GREEN, *BLACK]))]


def test_a_place_without_pixels_may_have_a_cue(house: RigFile) -> None:
    lights = Lights(house)
    lights.show({}, 0)
    assert lights.show({"B1": Cue(Pattern.SOLID, GREEN), "nowhere": Cue(Pattern.PULSE, RED)}, 1000) == []


def test_a_new_answer_flashes_at_once_for_a_quarter_of_a_second_and_then_shows_the_cue(house: RigFile) -> None:
    lights, panel = Lights(house), Panel(house)
    panel.take(lights.show({"D1": Cue(Pattern.SOLID, GREEN)}, 0))
    panel.take(lights.show({"D1": Cue(Pattern.OFF, answer=1)}, 5_000_000))
    assert min(panel.at("D1")[0]) > 100  # whitish
    assert len(set(panel.at("D1"))) == 1
    assert lights.next_tick_us == 5_250_000
    panel.take(lights.tick(5_249_000))
    assert min(panel.at("D1")[0]) > 100
    panel.take(lights.tick(5_250_000))
    assert panel.at("D1") == [BLACK] * 4
    assert lights.next_tick_us is None
    assert lights.show({"D1": Cue(Pattern.OFF, answer=1)}, 9_000_000) == []


def test_an_answer_from_before_a_restart_does_not_flash(house: RigFile) -> None:
    lights, panel = Lights(house), Panel(house)
    panel.take(lights.show({"D1": Cue(Pattern.SOLID, GREEN, answer=7)}, 0))
    assert panel.at("D1") == [GREEN] * 4
    assert lights.next_tick_us is None


def test_a_second_answer_soon_after_is_held_back_and_shown_later(house: RigFile) -> None:
    lights, panel = Lights(house), Panel(house)
    lights.show({}, 0)
    panel.take(lights.show({"D1": Cue(Pattern.SOLID, GREEN, answer=1)}, 5_000_000))
    panel.take(lights.tick(5_250_000))
    panel.take(lights.show({"D1": Cue(Pattern.SOLID, GREEN, answer=2)}, 5_400_000))
    assert panel.at("D1") == [GREEN] * 4
    due = lights.next_tick_us
    assert due is not None
    assert 5_500_000 < due <= 6_400_000
    panel.take(lights.tick(due))
    assert min(panel.at("D1")[0]) > 100


def test_a_pulsing_place_answers_at_once_too(house: RigFile) -> None:
    for late_us in range(0, 2_000_000, 130_000):
        lights = Lights(house)
        lights.show({"D1": Cue(Pattern.PULSE, GREEN)}, 0)
        while lights.next_tick_us is not None and lights.next_tick_us <= 4_000_000 + late_us:
            lights.tick(lights.next_tick_us)
        runs = lights.show({"D1": Cue(Pattern.PULSE, GREEN, answer=1)}, 4_000_000 + late_us)
        assert [min(run.colours) > 100 for run in runs] == [True], late_us


def test_a_pulse_is_no_faster_than_one_hertz(house: RigFile) -> None:
    lights, changes = Lights(house), []
    lights.show({"D1": Cue(Pattern.PULSE, GREEN)}, 0)
    while lights.next_tick_us is not None and lights.next_tick_us < 10 * SECOND:
        at_us = lights.next_tick_us
        if lights.tick(at_us):
            changes.append(at_us)
    assert 5 <= len(changes) <= 20


CUES = st.builds(
    Cue,
    st.sampled_from(list(Pattern)),
    st.sampled_from([GREEN, RED, (40, 0, 0)]),
    st.sampled_from([GREEN, RED]),
    st.integers(0, 5),
)
STEPS = st.lists(
    st.tuples(st.integers(1_000, 700_000), st.dictionaries(st.sampled_from(["D1", "H2"]), CUES)), max_size=40
)


@settings(max_examples=200, deadline=None)
@given(steps=STEPS)
def test_no_place_changes_more_than_three_times_in_any_second_whatever_the_cues(
    house: RigFile, steps: list[tuple[int, dict[str, Cue]]]
) -> None:
    lights, panel = Lights(house), Panel(house)
    changes: dict[str, list[int]] = {"D1": [], "H2": []}
    now_us, cues = 0, dict[str, Cue]()

    def take(runs: list[Run]) -> None:
        before = {place: list(panel.at(place)) for place in changes}
        panel.take(runs)
        for place, times in changes.items():
            if panel.at(place) != before[place]:
                times.append(now_us)

    def tick_until(end_us: int) -> None:
        nonlocal now_us
        while lights.next_tick_us is not None and lights.next_tick_us < end_us:
            assert lights.next_tick_us >= now_us
            now_us = lights.next_tick_us
            take(lights.tick(now_us))

    for wait_us, cues in steps:
        at_us = now_us + wait_us
        tick_until(at_us)
        now_us = at_us
        take(lights.show(cues, now_us))
    tick_until(now_us + 6 * SECOND)
    for times in changes.values():
        for first, fourth in zip(times, times[3:], strict=False):
            assert fourth - first >= SECOND
    # and in the end everything shows what it should
    for place in changes:
        cue = cues.get(place, Cue(Pattern.OFF))
        if cue.pattern is not Pattern.PULSE:
            shown = Panel(house)
            shown.take(Lights(house).show({place: cue}, 0))
            assert panel.at(place) == shown.at(place)
