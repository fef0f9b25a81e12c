"""What a host sees of a board: introduction, edges, pixels, counters, status."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from struct import pack, unpack

from arena import wire

TICKS_MASK = wire.TICKS - 1
SLACK_US = 300  # the stand-in reads its clock, then changes the pin
A, B, HOLE, SWITCH, LONE = 4, 13, 32, 33, 14  # pins of channels 0 to 4


def pixels(version: int, first: int, *colours: tuple[int, int, int], strip: int = 0) -> bytes:
    return pack("<IBB", version, strip, first) + b"".join(bytes(colour) for colour in colours)


def reflex(channel: int, first: int, count: int, colour: tuple[int, int, int], ms: int) -> bytes:
    return pack(wire.REFLEX_ENTRY, channel, 0, first, count, *colour, ms)


def test_a_board_introduces_itself(live):
    beacon = live.wait("beacon")
    assert (beacon["major"], beacon["minor"]) == wire.PROTOCOL
    assert wire.RESETS[beacon["reset"]] == "power on"
    assert beacon["board"] == b"\x24\x6f\x28\x01\x02\x03\x00\x00"
    welcome = live.wait("welcome")
    assert welcome["boot"] == beacon["boot"]
    assert welcome["firmware"] == beacon["firmware"]
    assert welcome["crashed"] == 0
    assert welcome["config"] == wire.digest((live.folder / "board.json").read_bytes())
    assert welcome["dictionary"] == wire.digest((live.folder / "dictionary.json").read_bytes())
    assert (welcome["window"], welcome["ring"]) == (wire.WINDOW, 512)
    assert welcome["heap"] > 10_000


def test_its_files_can_be_read_piece_by_piece(live):
    assert live.file(wire.CONFIG) == (live.folder / "board.json").read_bytes()
    assert json.loads(live.file(wire.DICTIONARY)) == wire.dictionary()
    assert live.file(wire.CRASH) == b""


def test_who_is_answered_in_a_session_too(live):
    mark = len(live.messages)
    live.send("who")
    live.wait("beacon", mark, timeout=1)


def test_a_hello_to_an_earlier_start_of_the_board_begins_nothing(live):
    live.bye()
    mark = len(live.messages)
    live.send("hello", pack("<BB4sII", *wire.PROTOCOL, b"gone", 5, 0))
    live.wait("beacon", mark)
    time.sleep(0.1)
    assert "welcome" not in [message.kind for message in live.messages[mark:]]


def test_edges_arrive_in_order_with_times_within_their_stated_lateness(live):
    live.applied.clear()
    live.change(*[(A, 0), (B, 0), (A, 1), (B, 1)] * 10, pause=0.012)
    live.wait_until(lambda: len([edge for edge in live.edges if not edge.channel & wire.COUNTER]) == 40)
    seen = [edge for edge in live.edges if not edge.channel & wire.COUNTER]
    for edge, (applied, pin, level) in zip(seen, live.applied, strict=True):
        assert (A, B)[edge.channel] == pin
        assert edge.level == 1 - level, "dark is active, whatever the wiring"
        assert (edge.ticks - applied) & TICKS_MASK < 60_000, "seen after it happened"
        if edge.late < 65535:
            earliest = edge.ticks - edge.late
            assert (applied + SLACK_US - earliest) & TICKS_MASK < 500_000, "and not later than it says"
    numbers = [edge.number for edge in live.edges]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_frames_that_are_lost_come_again(live):
    lost = []

    def lose_some(message):
        if message.kind == "edges" and len(lost) < 6:
            lost.append(message)
            return len(lost) % 2 == 1
        return False

    live.drop = lose_some
    for _ in range(5):
        live.change((SWITCH, 0), (SWITCH, 1))
    live.wait_until(lambda: len(live.edges) == 10)
    assert [edge.level for edge in live.edges] == [1, 0] * 5
    assert live.status()["resends"] > 0


def test_a_line_that_loses_a_third_of_everything_loses_no_edge(live):
    chance = random.Random(5)
    live.drop = lambda message: message.kind == "edges" and chance.random() < 0.33
    live.swallow = lambda: chance.random() < 0.33
    first = live.wanted
    live.change(*[(SWITCH, 0), (SWITCH, 1)] * 60, pause=0.008)
    live.swallow = live.drop = lambda *lost: False
    live.wait_until(lambda: len(live.edges) > 100 and live.edges[-1].level == 0, 5)  # a busy machine may miss a few
    assert [edge.number for edge in live.edges] == list(range(first, first + len(live.edges)))
    assert [edge.level for edge in live.edges] == [1, 0] * (len(live.edges) // 2)
    assert not live.lost


def test_an_edge_that_nobody_acknowledges_comes_again_more_and_more_rarely(live):
    live.acknowledge = False
    mark = len(live.messages)
    live.change((SWITCH, 0), pause=0)
    time.sleep(1.3)
    live.acknowledge = True
    live.send("ack")
    times = [message.at for message in live.messages[mark:] if message.kind == "edges"]
    live.change((SWITCH, 1))
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert len(pauses) in (4, 5)
    assert 0.05 < pauses[0] < 0.12
    assert all(later > 1.5 * earlier for earlier, later in pairwise(pauses))


def test_nothing_is_lost_while_the_host_is_away(live):
    live.bye()
    live.change(*[(LONE, 0), (LONE, 1)] * 20, pause=0.01)
    welcome = live.hello(session=123)
    assert welcome["next"] - welcome["first"] == 40
    live.wait_until(lambda: len(live.edges) == 40)
    assert not live.lost


def test_a_new_host_is_told_what_was_never_kept_for_it(live):
    live.change((LONE, 0), (LONE, 1))
    live.wait_until(lambda: len(live.edges) == 2)
    live.bye()
    live.hello(session=124, wanted=0)  # a host that has never seen this board
    live.lost.clear()
    live.change((LONE, 0), (LONE, 1))
    live.wait_until(lambda: len(live.edges) == 4)
    assert live.lost == [(0, live.edges[-2].number - 1)]


def test_more_edges_than_the_ring_holds_are_reported_as_lost(live):
    live.bye()
    live.lost.clear()
    before = live.wanted
    live.change(*[(LONE, 0), (LONE, 1)] * 300, pause=0.003)
    welcome = live.hello(session=125)
    made = welcome["next"] - before
    assert 520 < made <= 600
    assert welcome["next"] - welcome["first"] == 512
    live.wait_until(lambda: len(live.edges) == 512)
    assert live.lost == [(before, welcome["first"] - 1)]
    assert live.status()["overflow"] >= made - 512


def test_pixels_are_shown_in_the_order_of_the_strip_and_the_digest_says_so(live):
    errors = live.status()["errors"]
    live.send("pixels", pixels(1, 0, (0, 0, 0)) + bytes(21))
    live.send("pixels", pixels(2, 2, (255, 100, 3), (1, 2, 4)))
    wanted = bytearray(24)
    wanted[6:12] = bytes((255, 100, 3, 1, 2, 4))
    status = live.wait("status", len(live.messages), pixels=wire.digest(wanted))
    assert status["errors"] == errors
    # green, red, blue at half brightness
    assert live.pixels[-1] == (bytes(6) + bytes((50, 127, 1, 1, 0, 2)) + bytes(12)).hex()


def test_a_picture_that_is_already_shown_is_not_written_again(live):
    live.send("pixels", pixels(1, 0, (9, 9, 9)))
    live.status()
    written = len(live.pixels)
    live.send("pixels", pixels(2, 0, (9, 9, 9)))
    live.status()
    assert len(live.pixels) == written


def test_pixels_that_a_board_does_not_have_are_counted_and_harm_nothing(live):
    errors = live.status()["errors"]
    live.send("pixels", pixels(1, 7, (1, 1, 1), (1, 1, 1)))
    live.send("pixels", pixels(1, 0, (1, 1, 1), strip=3))
    live.send("reflex", reflex(0, 6, 5, (1, 1, 1), 50))
    assert live.wait("status", len(live.messages), errors=errors + 3)


def test_every_command_is_answered_at_once_and_a_lost_one_is_told(live):
    mark = len(live.messages)
    live.send("pixels", pixels(1, 0, (5, 5, 5)))
    live.answered()
    assert not any(message.flags & wire.LOSS for message in live.messages[mark:])
    live.send("pixels", pixels(2, 0, (6, 6, 6)), skip=1)
    live.wait_until(lambda: any(message.flags & wire.LOSS for message in live.messages[mark:]), 1)


def test_many_bytes_without_a_question_are_acknowledged_before_the_window_is_full(live):
    live.status()
    for _ in range(5):
        live.send("ack")  # 18 bytes each, which need no answer by themselves
    live.answered()


def test_pings_are_answered_with_the_clock(live):
    mark = len(live.messages)
    live.send("ping", pack("<I", 41))
    first = live.wait("pong", mark, token=41)
    time.sleep(0.2)
    live.send("ping", pack("<I", 42))
    second = live.wait("pong", mark, token=42)
    passed_us = (second["clock"] - first["clock"]) & TICKS_MASK
    assert abs(passed_us - (second.at - first.at) * 1e6) < 50_000


def test_noise_between_frames_is_skipped_and_counted(live):
    errors = live.status()["errors"]
    live.raw(b"\x00\xff garbage ~notaframe\r\n~" + b"A" * 150 + b"\n\x03half")
    mark = len(live.messages)
    live.send("ping", pack("<I", 5))
    live.wait("pong", mark, token=5, timeout=1)
    assert live.status()["errors"] >= errors + 2


def test_bytes_of_an_earlier_session_are_not_believed(live):
    shown = live.status()["pixels"]
    live.raw(wire.encode(wire.PIXELS, pixels(9, 0, (77, 77, 77)), 5000, 0, live.session ^ 1))
    assert live.status()["pixels"] == shown


def counters(board):
    return [unpack("<h", pack("<H", edge.late))[0] for edge in board.edges if edge.channel == wire.COUNTER | 0]


def test_a_pass_through_a_counted_gate_counts_four_and_back_again_none(live):
    begin = unpack("<8h", live.status()["gates"])[0]
    live.change((A, 0), (B, 0), (A, 1), (B, 1))
    live.wait_until(lambda: counters(live) == [begin + 4])
    record = live.edges[-1]
    assert record.level == 0
    assert record.number == live.edges[0].number + 4, "the count comes in the same stream, after its edges"
    live.change((A, 0), (B, 0), (B, 1), (A, 1), (A, 0), (A, 1))  # looked in and went back: nothing changed
    live.change((B, 0), (A, 0), (B, 1), (A, 1))
    live.wait_until(lambda: counters(live) == [begin + 4, begin])
    assert unpack("<8h", live.status()["gates"])[0] == begin


def test_a_count_is_recorded_only_when_the_gate_is_clear(live):
    begin = unpack("<8h", live.status()["gates"])[1]
    live.change((HOLE, 0), pause=0.1)
    assert [edge.channel for edge in live.edges] == [2]
    live.change((HOLE, 1))
    live.wait_until(lambda: [edge.channel for edge in live.edges] == [2, 2, wire.COUNTER | 1])
    assert live.edges[-1].late == (begin + 2) & 0xFFFF


def test_levels_are_told_once_a_second(live):
    live.change((LONE, 0))
    mark = len(live.messages)
    status = live.wait("status", mark)
    assert status["levels"] == 0b10000
    live.change((LONE, 1))
    assert live.wait("status", mark, levels=0).at - status.at < 1.5


def test_no_write_blinds_the_sampler_while_something_moves_through_a_beam(live):
    live.send("pixels", pixels(1, 0, (0, 0, 0)))
    live.status()
    live.change((LONE, 0), pause=0.01)
    written = len(live.pixels)
    live.send("pixels", pixels(2, 0, (50, 50, 50)))
    time.sleep(0.1)
    assert len(live.pixels) == written
    live.change((LONE, 1), pause=0.05)
    assert len(live.pixels) == written + 1


def test_a_beam_that_stays_dark_does_not_keep_the_lights_from_changing(live):
    live.change((LONE, 0), pause=0.4)
    written = len(live.pixels)
    live.send("pixels", pixels(1, 0, (80, 80, 80)))
    time.sleep(0.1)
    live.change((LONE, 1))
    assert len(live.pixels) == written + 1


def test_a_reflex_answers_when_the_beam_is_clear_again_and_goes_by_itself(live):
    live.send("pixels", pixels(1, 0, (0, 0, 0), (2, 2, 2), (0, 0, 0)))
    live.send("reflex", reflex(4, 1, 2, (200, 0, 0), 80))
    live.status()
    written = len(live.pixels)
    live.change((LONE, 0), pause=0.05)
    assert len(live.pixels) == written
    live.change((LONE, 1), pause=0.25)
    lit, after = live.pixels[written:]
    assert lit[:18] == "000000" + "006400" * 2
    assert after[:18] == "000000" + "010101" + "000000"
    live.send("reflex")
    live.change((LONE, 0), (LONE, 1), pause=0.1)
    assert len(live.pixels) == written + 2


def test_a_lost_link_shows_a_calm_waiting_pattern_and_edges_are_kept(live):
    live.send("pixels", pixels(1, 0, *[(90, 0, 0)] * 8))
    live.status()
    written = len(live.pixels)
    mark = len(live.messages)
    live.fall_silent()
    silent = time.monotonic()
    beacon = live.wait("beacon", mark, timeout=6)
    assert 3.5 < beacon.at - silent < 5.5
    time.sleep(2.2)
    patterns = live.pixels[written:]
    assert 2 <= len(patterns) <= 4, "one change a second at most"
    assert all(pattern != patterns[0] or index in (0, 2) for index, pattern in enumerate(patterns))
    assert all(int(pattern, 16) for pattern in patterns), "it is visible"
    assert "5a" not in patterns[0]
    live.change((SWITCH, 0), (SWITCH, 1))
    assert live.hello(session=126)["next"] - live.wanted == 2
    live.wait_until(lambda: len(live.edges) == 2)
    assert live.wait("status", len(live.messages), pixels=wire.digest(bytes((90, 0, 0) * 8)))
    assert live.pixels[-1] == "002d00" * 8


def test_a_goodbye_shows_the_waiting_pattern_at_once(live):
    live.send("pixels", pixels(1, 0, *[(91, 0, 0)] * 8))
    live.status()
    written = len(live.pixels)
    live.bye()
    live.wait("beacon", len(live.messages) - 1, timeout=1)
    time.sleep(0.1)
    assert len(live.pixels) > written


def test_nothing_is_printed_in_play(live):
    heard = len(live.console)
    live.change((A, 0), (A, 1))
    live.status()
    assert len(live.console) == heard <= 1, "one line at the start"


def test_a_bare_ctrl_c_is_refused_in_a_session(live):
    live.raw(b"\r\x03\r\x03\x03")
    live.status()
    live.status()
    assert not any(b"REPL is yours" in line for line in live.console)
