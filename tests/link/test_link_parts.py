"""Pixels, window, files and console text, each for itself."""

from __future__ import annotations

from struct import pack

import pytest
from arena import wire
from arena.link.board import Board, read_config, reflex_bodies
from arena.link.console import KEPT, Console, Told
from arena.link.files import Files
from arena.link.pixels import MOST, Pixels
from arena.link.window import Window
from hypothesis import given, settings
from hypothesis import strategies as st

wishes = st.tuples(st.integers(0, 1), st.integers(0, 31), st.binary(min_size=3, max_size=60))
steps = st.lists(wishes | st.sampled_from(["send", "answer", "lose", "forget"]), max_size=60)


@settings(deadline=None)
@given(steps)
def test_a_board_ends_with_the_wished_picture_whatever_was_lost(steps: list[object]) -> None:
    pixels = Pixels()
    pixels.resize([32, 20])
    wished = [bytearray(96), bytearray(60)]
    shown = [bytearray(b"?" * 96), bytearray(b"?" * 60)]
    under_way: list[tuple[int, int, int, bytes]] = []
    sequence = 0

    def send() -> bool:
        nonlocal sequence
        run = pixels.next_run(MOST)
        if run is None:
            return False
        sequence += 1
        pixels.under_way(sequence, *run)
        under_way.append((sequence, *run))
        return True

    def answer(lost: bool) -> None:
        number, strip, first, colours = under_way.pop(0)
        assert len(colours) <= 3 * MOST
        if not lost:
            shown[strip][3 * first : 3 * first + len(colours)] = colours
        pixels.answered(number, lost)

    for step in steps:
        if isinstance(step, tuple):
            strip, first, data = step
            colours = data[: max(0, min(len(data), len(wished[strip]) - 3 * first)) // 3 * 3]
            if colours:
                wished[strip][3 * first : 3 * first + len(colours)] = colours
                pixels.want(strip, first, colours)
        elif step == "send":
            send()
        elif step == "forget":
            pixels.forget()
            under_way.clear()
        elif under_way:
            answer(lost=step == "lose")
    while under_way or send():
        if under_way:
            answer(lost=False)
    assert pixels.settled
    assert shown == wished
    assert pixels.digest() == wire.digest(wished[0] + wished[1])


def test_pixels_beyond_the_strips_of_a_board_are_not_sent() -> None:
    pixels = Pixels()
    pixels.want(1, 30, b"\1\2\3" * 10)
    pixels.resize([4])
    assert pixels.next_run(MOST) == (0, 0, bytes(12))
    pixels.under_way(1, 0, 0, bytes(12))
    assert pixels.next_run(MOST) is None
    assert pixels.digest() == wire.digest(bytes(12))


@pytest.mark.parametrize(
    ("strip", "first", "colours"), [(8, 0, b"abc"), (0, 256, b"abc"), (0, 0, b"abcd"), (-1, 0, b"abc")]
)
def test_pixels_that_no_board_can_have_are_refused(strip: int, first: int, colours: bytes) -> None:
    with pytest.raises(ValueError, match=f"not strip {strip}, {len(colours)} bytes from pixel {first}"):
        Pixels().want(strip, first, colours)


def test_a_full_window_has_room_for_one_acknowledgement_and_no_more() -> None:
    window = Window()
    window.begin()
    while (room := window.room()) >= 0:
        frame = wire.encode(wire.REFLEX, bytes(room), window.next(), 0, 1)
        window.sent(wire.REFLEX, len(frame), 0)
    assert window.room_for_ack()
    window.sent(wire.ACK, len(wire.encode(wire.ACK, b"", window.next(), 0, 1)), 0)
    assert not window.room_for_ack()


def test_an_acknowledgement_that_makes_no_sense_settles_nothing() -> None:
    window = Window()
    start = window.begin()
    for _ in range(3):
        window.next()
        window.sent(wire.ACK, 18, 0)
    assert window.settle(start) == []
    assert window.settle(start + 4) == []
    assert window.settle(start - 1 & 0xFFFF) == []
    assert window.settle(start + 2) == [(start + 1, wire.ACK), (start + 2, wire.ACK)]


def test_sequence_numbers_wrap() -> None:
    window = Window()
    window.begin()
    for _ in range(70_000):
        number = window.next()
        window.sent(wire.PIXELS, 30, 0)
        assert window.settle(number) == [(number, wire.PIXELS)]
    assert window.room() == wire.MAX_BODY


def test_a_frame_without_an_answer_is_given_up_later_and_later() -> None:
    window = Window()
    window.begin()
    now_us = 0
    waits = []
    for _ in range(5):
        window.next()
        window.sent(wire.PING, 26, now_us)
        due_us = window.due_us()
        assert due_us is not None
        assert window.give_up(due_us - 1) == []
        waits.append(due_us - now_us)
        now_us = due_us
        assert len(window.give_up(now_us)) == 1
    assert waits == [500_000, 1_000_000, 2_000_000, 2_000_000, 2_000_000]
    window.sent(wire.ACK, 18, 0)
    assert window.due_us() is None  # an acknowledgement is not answered by itself


def piece(file: int, offset: int, total: int, text: bytes) -> bytes:
    return pack("<BHH", file, offset, total) + text


def test_a_file_is_read_piece_by_piece_whatever_is_lost_or_doubled() -> None:
    files = Files()
    files.want(wire.CONFIG)
    assert files.question(0) == pack("<BH", wire.CONFIG, 0)
    assert files.question(1) is None
    assert files.take(piece(wire.CRASH, 0, 3, b"abc")) is None
    assert files.take(piece(wire.CONFIG, 3, 6, b"def")) is None
    assert files.take(piece(wire.CONFIG, 0, 6, b"abc")) is None
    assert files.question(2) == pack("<BH", wire.CONFIG, 3)
    assert files.take(piece(wire.CONFIG, 0, 6, b"abc")) is None  # a double
    assert files.question(600_000) == pack("<BH", wire.CONFIG, 3)
    assert files.take(piece(wire.CONFIG, 3, 6, b"def")) == (wire.CONFIG, b"abcdef")
    assert files.question(700_000) is None


def test_an_empty_file_ends_at_once() -> None:
    files = Files()
    files.want(wire.CRASH)
    files.question(0)
    assert files.take(piece(wire.CRASH, 0, 0, b"")) == (wire.CRASH, b"")


@pytest.mark.parametrize(
    ("line", "told", "cause"),
    [
        (b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", Told.RESET, "power came on"),
        (b"~AAAArst:0xf (RTCWDT_BROWN_OUT_RESET),boot:0x13", Told.RESET, "its supply voltage fell too low"),
        (b"ESP-ROM:esp32s3 rst:0x15 (USB_UART_CHIP_RESET),boot:0x8", Told.RESET, "usb uart chip reset"),
        (b"MPY: soft reboot", Told.RESET, "a soft reset"),
        (b"Traceback (most recent call last):", Told.CRASH, "an error in its program"),
        (b">>>", Told.PROMPT, ""),
        (b"raw REPL; CTRL-B to exit", Told.PROMPT, ""),
        (b"hello \xff\x1b[2J", Told.NOTHING, ""),
    ],
)
def test_console_text_tells_resets_and_their_causes(line: bytes, told: Told, cause: str) -> None:
    console = Console()
    assert console.add(line) is told
    assert console.cause == cause
    assert all(sign.isprintable() for text in console.tail() for sign in text)


def test_console_text_is_kept_up_to_a_bound() -> None:
    console = Console()
    for number in range(KEPT + 50):
        console.add(b"line %d" % number)
    assert console.tail()[0] == "line 50"
    assert len(console.tail()) == KEPT


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b'{"strips": 5}', b'{"strips": [5]}', b"\xff", b'{"name": 5, "strips": [{"pixels": "x"}]}'],
)
def test_a_configuration_with_anything_in_it_does_no_harm(text: bytes) -> None:
    assert read_config(text)[0] == ""
    Board("0102").take_config(text)


def test_a_deeply_nested_configuration_does_no_harm() -> None:
    assert read_config(b"[" * 60_000) == ("", [])


def test_reflexes_that_cannot_be_are_refused_with_what_they_should_be() -> None:
    with pytest.raises(ValueError, match="channel, strip, first pixel"):
        reflex_bodies([(1, 2)])
    with pytest.raises(ValueError, match="channel, strip, first pixel"):
        reflex_bodies([(300, 0, 0, 1, 0, 0, 0, 100)])
    assert [len(body) for body in reflex_bodies([(1, 0, 0, 1, 0, 0, 0, 100)] * 10)] == [0, 72, 18]
