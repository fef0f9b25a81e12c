"""The host's half of the protocol against the firmware's own half, in simulated time, on good and bad lines."""

from __future__ import annotations

import random
from struct import pack

import pytest
from arena import wire
from arena.link.board import reflex_bodies
from arena.link.health import of_session
from arena.link.session import State
from link_world import CONFIG, IDENTITY, SimulatedBoard, World, bad_line

BANNER = b"\r\nets Jul 29 2019 12:21:46\r\n\r\nrst:0x10 (RTCWDT_RTC_RESET),boot:0x17 (SPI_FAST_FLASH_BOOT)\r\n"


@pytest.fixture
def world() -> World:
    world = World()
    world.run_until(world.live, 2)
    world.run(0.5)
    return world


def pulse(world: World, channel: int, width_us: int = 5_000) -> None:
    """Something passes a beam now."""
    world.board.edge(world.now_us - width_us, channel, 1)
    world.board.edge(world.now_us, channel, 0)


def held_once_and_true(world: World) -> None:
    """Every edge that the board made is held, once, in order, and happened within its interval."""
    edges = [edge for edge in world.edges if edge.id.boot == b"AAAA".hex()]
    assert [edge.id.number for edge in edges] == list(range(len(world.board.truth)))
    for edge, (at_us, channel, level) in zip(edges, world.board.truth, strict=True):
        assert (edge.board, edge.channel, edge.level) == ("lower", channel, level)
        assert edge.earliest_us <= at_us <= edge.latest_us


def test_a_board_is_live_in_a_tenth_of_a_second_and_known_after_its_files_are_read() -> None:
    world = World()
    assert world.run_until(lambda: world.session.live) < 0.1
    world.run_until(world.live, 2)
    board = world.session.board
    assert board is not None
    assert (board.name, board.identity, board.reset) == ("lower", IDENTITY.hex(), "power on")
    assert board.config == CONFIG
    world.run(2)
    assert world.memory[f"dictionary:{board.dictionary_digest:08x}"] == wire.dictionary()


def test_a_board_that_is_known_is_asked_for_none_of_its_files_again(world: World) -> None:
    world.run(2)
    asked = world.frames_sent(wire.READ)
    world.restart_host()
    assert world.run_until(world.live) < 0.1
    world.run(2)
    assert world.frames_sent(wire.READ) == asked


def test_edges_come_within_milliseconds_and_on_the_table_clock(world: World) -> None:
    for channel in range(16):
        pulse(world, channel)
        world.run(0.02)
    held_once_and_true(world)
    assert all(edge.latest_us - edge.earliest_us < 10_000 for edge in world.edges)
    # One board's edges keep their distances, whatever is known of the clock
    assert world.edges[1].latest_us - world.edges[0].latest_us == pytest.approx(5_000, abs=5)


def test_a_gate_counter_is_read_as_a_signed_count(world: World) -> None:
    ticks, wraps = world.board.ticks(world.now_us)
    world.board.ring.edge(ticks, wraps, 0xFFFC, wire.COUNTER | 3, 0)
    world.run(0.1)
    (edge,) = world.edges
    assert (edge.channel, edge.level, edge.count) == (3, 0, -4)
    assert edge.earliest_us <= world.now_us


def test_an_edge_that_saturates_its_lateness_is_given_the_worst_blind_gap() -> None:
    world = World()
    world.run_until(world.live, 2)
    world.run(1.5)
    assert world.session.board is not None
    world.session.board.status["gap_us"] = 90_000
    world.board.edge(world.now_us - 80_000, 1, 1, late_us=0xFFFF)
    world.run(0.1)
    (edge,) = world.edges
    assert edge.latest_us - edge.earliest_us >= 90_000


@pytest.mark.parametrize("seed", range(6))
def test_on_a_bad_line_every_edge_is_held_once_and_the_lights_are_right(seed: int) -> None:
    chance = random.Random(seed)
    world = World()
    world.run_until(world.live, 2)
    world.to_host = bad_line(chance, 0.15)
    world.to_board = bad_line(chance, 0.15)
    wished = [bytearray(96), bytearray(12)]

    def live() -> None:
        if chance.random() < 0.02:
            pulse(world, chance.randrange(16), chance.randrange(1_000, 9_000))
        if chance.random() < 0.01:
            strip = chance.randrange(2)
            first = chance.randrange(len(wished[strip]) // 3)
            wished[strip][3 * first : 3 * first + 3] = colour = chance.randbytes(3)
            world.want(strip, first, colour)

    world.run(20, live)
    world.to_host = world.to_board = lambda frame: [frame]
    world.run(4)
    assert len(world.board.truth) > 500
    held_once_and_true(world)
    assert world.gaps == []
    assert world.board.picture.strips == wished
    assert world.board.dropped == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_host_that_is_killed_again_and_again_loses_nothing(seed: int) -> None:
    chance = random.Random(100 + seed)
    world = World()
    world.to_host = bad_line(chance, 0.05)

    def live() -> None:
        if chance.random() < 0.02:
            pulse(world, chance.randrange(16))
        if chance.random() < 0.001:
            world.restart_host()

    world.run(15, live)
    world.run(3)
    held_once_and_true(world)
    assert world.gaps == []


def test_never_more_than_the_window_is_under_way_whatever_is_asked(world: World) -> None:
    chance = random.Random(7)

    def live() -> None:
        world.want(0, 0, chance.randbytes(96))
        if chance.random() < 0.1:
            pulse(world, chance.randrange(16))

    world.run(3, live)
    world.run(0.5)
    assert world.board.most_input <= wire.WINDOW
    assert world.board.dropped == 0
    held_once_and_true(world)


def test_a_cable_that_was_out_brings_all_edges_in_order_and_no_gap(world: World) -> None:
    pulse(world, 1)
    world.run(0.1)
    world.plugged = False
    for _ in range(100):
        pulse(world, 2)
        world.run(0.1)
    assert world.session.state is State.GONE
    assert len(world.edges) == 2
    world.plugged = True
    world.restart_host(forget=False)
    assert world.run_until(lambda: len(world.edges) == 202) < 1
    held_once_and_true(world)
    assert world.gaps == []


def test_what_the_board_had_no_room_for_is_told_by_number() -> None:
    world = World(SimulatedBoard(b"AAAA", 50_000_000, ring=16))
    world.run_until(world.live, 2)
    pulse(world, 0)
    world.run(0.1)
    world.plugged = False
    for _ in range(20):
        pulse(world, 1)
        world.run(0.3)
    world.plugged = True
    world.run(2)
    (gap,) = world.gaps
    assert (gap.first, gap.last) == (2, 25)
    assert gap.reason == 'The board "lower" saw more than it could keep: 24 edges are lost.'
    assert [edge.id.number for edge in world.edges] == [0, 1, *range(26, 42)]


def test_nothing_is_acknowledged_before_it_is_kept(world: World) -> None:
    world.refuse = OSError("disk full")
    pulse(world, 4)
    with pytest.raises(OSError, match="disk full"):
        world.run(0.1)
    for _ in range(4):
        with pytest.raises(OSError, match="disk full"):
            world.run(1.1)
    assert world.board.ring.oldest == 0
    world.refuse = None
    world.run(1.5)
    held_once_and_true(world)
    assert world.board.ring.oldest == 2


def test_a_boot_banner_tells_the_reset_at_once_and_its_cause(world: World) -> None:
    pulse(world, 3)
    world.run(0.1)
    world.replace_board(SimulatedBoard(b"BBBB", world.now_us + 3_000_000, reset=3), BANNER)
    assert world.run_until(lambda: world.session.state is State.DOUBTFUL) < 0.01
    assert world.session.console.cause == "the watchdog"
    world.run_until(world.live)
    (gap,) = world.gaps
    assert (gap.boot, gap.first, gap.last) == (b"BBBB".hex(), None, None)
    assert gap.reason == 'The board "lower" has started again (watchdog): what it saw last may be missing.'
    pulse(world, 5)
    world.run(0.1)
    assert [(edge.id.boot, edge.id.number) for edge in world.edges[2:]] == [(b"BBBB".hex(), 0), (b"BBBB".hex(), 1)]


def test_a_restart_while_the_daemon_was_down_is_told_too_and_once(world: World) -> None:
    world.replace_board(SimulatedBoard(b"BBBB", world.now_us))
    world.restart_host()
    world.run(1)
    assert [gap.boot for gap in world.gaps] == [b"BBBB".hex()]
    world.restart_host()
    world.run(1)
    assert len(world.gaps) == 1


def test_a_restart_that_could_not_be_kept_is_told_again(world: World) -> None:
    world.replace_board(SimulatedBoard(b"BBBB", world.now_us))
    world.restart_host()
    world.refuse = OSError("disk full")
    with pytest.raises(OSError, match="disk full"):
        world.run(1)
    world.refuse = None
    world.restart_host()
    world.run(1)
    assert len(world.gaps) == 1


def test_a_crash_is_read_and_told(world: World) -> None:
    crash = b'Traceback (most recent call last):\n  File "superloop.py", line 5\nMemoryError: \n' * 3
    world.say(crash.replace(b"\n", b"\r\n"))
    world.replace_board(SimulatedBoard(b"BBBB", world.now_us, reset=2, crash=crash), BANNER)
    world.run(1)
    board = world.session.board
    assert board is not None
    assert board.crashed
    assert board.crash == crash.decode()
    assert board.reset == "an error in its program"
    assert any("MemoryError" in line for line in world.session.console.tail())


def test_a_silent_board_is_doubtful_after_two_and_a_half_seconds_and_gone_after_four(world: World) -> None:
    world.plugged = False
    world.run(0.1)
    assert 2.2 < world.run_until(lambda: world.session.state is State.DOUBTFUL) < 2.6
    assert 1.4 < world.run_until(lambda: world.session.state is State.GONE) < 1.6
    world.plugged = True
    assert world.run_until(lambda: world.session.state is State.LIVE) < 1.1


def test_a_host_that_slept_for_an_hour_goes_on_where_it_was(world: World) -> None:
    pulse(world, 1)
    world.run(0.1)
    world.now_us += 3_600_000_000
    pulse(world, 2)
    world.run(2)
    held_once_and_true(world)
    assert world.session.state is State.LIVE


def test_only_changed_pixels_are_sent(world: World) -> None:
    world.run(1)
    world.sent.clear()
    world.want(0, 0, b"\x10\x20\x30" + bytes(93))
    world.run(0.1)
    assert world.board.picture.strips[0][:6] == b"\x10\x20\x30\0\0\0"
    (frame,) = world.frames_sent(wire.PIXELS)
    assert len(frame) == 30  # with one pixel
    world.sent.clear()
    world.want(0, 0, b"\x10\x20\x30" + bytes(93))
    world.run(0.1)
    assert world.frames_sent(wire.PIXELS) == []


def test_what_a_board_shows_wrongly_is_mended_within_two_seconds(world: World) -> None:
    world.want(0, 4, b"\xff\0\0" * 8)
    world.run(2)
    world.board.picture.strips[0][30:33] = b"\1\2\3"
    world.run(2)
    assert world.board.picture.strips[0] == bytes(12) + b"\xff\0\0" * 8 + bytes(60)
    assert world.session.healed == 1
    world.run(3)
    assert world.session.healed == 1


def test_a_lost_picture_comes_again_at_once(world: World) -> None:
    world.run(1.5)
    lost: list[bytes] = []

    def lose_one(frame: bytes) -> list[bytes]:
        lost.append(frame)
        return [] if len(lost) == 1 else [frame]

    world.to_board = lose_one
    world.want(0, 0, b"\xff\0\0" * 4)
    assert world.run_until(lambda: world.board.picture.strips[0][:12] == b"\xff\0\0" * 4) < 1
    assert world.session.healed == 0


def test_the_wished_picture_comes_back_after_a_restart_of_the_board(world: World) -> None:
    world.want(1, 0, b"\0\xff\0" * 4)
    world.run(0.5)
    world.replace_board(SimulatedBoard(b"BBBB", world.now_us), BANNER)
    world.run(1)
    assert world.board.picture.strips[1] == b"\0\xff\0" * 4
    assert world.board.picture.shows == "picture"


def test_reflexes_are_set_in_every_session_and_replaced_as_a_whole(world: World) -> None:
    board = world.session.board
    assert board is not None
    board.reflexes = reflex_bodies([(channel, 0, channel, 2, 9, 9, 9, 300) for channel in range(16)])
    world.session.sync_reflexes()
    world.run(1.2)
    assert sorted(world.board.picture.reflexes) == list(range(16))
    board.reflexes = reflex_bodies([(3, 0, 3, 2, 9, 9, 9, 300)])
    world.session.sync_reflexes()
    world.run(1.2)
    assert world.board.picture.reflexes == {3: (0, 3, 2, 9, 9, 9, 300)}
    world.restart_host(forget=False)
    world.run(1.2)
    assert world.board.picture.reflexes == {3: (0, 3, 2, 9, 9, 9, 300)}


def test_a_release_is_announced_and_acknowledged_and_ends_with_the_next_session(world: World) -> None:
    world.session.release(60)
    world.flush()
    assert not world.session.released
    world.run(0.1)
    assert world.session.released
    assert world.board.session.may_interrupt()
    assert world.board.picture.shows == "maintenance"
    world.restart_host()
    world.run(0.2)
    assert not world.board.session.may_interrupt()


def test_goodbye_shows_the_waiting_pattern_at_once(world: World) -> None:
    goodbye = world.session.bye()
    world.plugged = False
    world.board.read(goodbye)
    world.run(0.01)
    assert world.board.picture.shows == "waiting"


def beacon(major: int = 1, boot: bytes = b"AAAA", sequence: int = 1) -> bytes:
    body = pack(wire.MESSAGES[wire.BEACON][2], major, 0, 1, b"\x09\0\0", boot, IDENTITY)
    return wire.encode(wire.BEACON, body, sequence, 0, 0)


def test_of_another_major_version_nothing_is_believed() -> None:
    world = World()
    world.plugged = False
    world.session.receive(beacon(major=2), world.now_us)
    body = pack("<IH", 0, 0) + pack(wire.EDGE, 5, 5, 5, 1)
    world.session.receive(wire.encode(wire.EDGES, body, 2, 0, 0), world.now_us)
    world.flush()
    assert world.session.state is State.OLD
    assert world.frames_sent(wire.HELLO) == []
    assert world.edges == []
    world.session.receive(beacon(boot=b"NEWW"), world.now_us)  # it has been flashed
    world.flush()
    assert len(world.frames_sent(wire.HELLO)) == 1


def test_frames_of_an_earlier_session_are_not_believed(world: World) -> None:
    body = pack("<IH", 0, 0) + pack(wire.EDGE, 5, 5, 5, 1)
    world.session.receive(wire.encode(wire.EDGES, body, 2, 0, 0x5E5500), world.now_us)
    assert world.edges == []
    assert world.session.lines.broken == 1


def test_a_board_left_at_the_python_prompt_is_started_once(world: World) -> None:
    world.plugged = False
    world.session.receive(b"\r\nMicroPython v1.29.0; ESP32\r\n>>> " + beacon()[:0], world.now_us)
    who = wire.encode(wire.WHO, b"", 0, 0, 0)
    world.session.receive(who, world.now_us)  # the prompt echoes what is typed
    assert world.session.at_prompt
    world.sent.clear()
    world.run(10)
    assert sum(data.count(b"\x04") for data in world.sent) == 1
    # Its echo of our questions is an error message a second, and must not make us ask faster
    world.sent.clear()
    for _ in range(100):
        world.session.receive(
            who + b"Traceback (most recent call last):\r\nSyntaxError: invalid syntax\r\n>>> ", world.now_us
        )
        world.run(0.05)
    assert len(world.sent) <= 25


def test_while_nobody_answers_questions_are_few(world: World) -> None:
    world.plugged = False
    world.run(10)
    world.sent.clear()
    world.run(60)
    assert 50 <= len(world.frames_sent(wire.WHO)) <= 70


def test_a_board_that_counts_anew_under_an_old_identity_is_found_out(world: World) -> None:
    assert world.session.board is not None
    assert not world.session.board.behind
    world._kept_next[b"AAAA".hex()] = 50
    world.restart_host()
    world.run(0.5)
    assert world.session.board is not None
    assert world.session.board.behind
    assert "its edges do not count: reset it" in of_session(world.session, "/dev/x", {}, []).words
