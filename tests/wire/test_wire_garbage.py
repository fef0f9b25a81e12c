"""Anything may arrive before, between and inside frames: skipped, counted, kept for diagnosis, never believed."""

from __future__ import annotations

from arena import wire
from hypothesis import example, given
from hypothesis import strategies as st

SESSION = 0x1234ABCD
BOOT = b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
TRACEBACK = b'Traceback (most recent call last):\r\n  File "main.py", line 3, in <module>\r\nKeyboardInterrupt: \r\n'


def ping(number: int) -> bytes:
    return wire.encode(wire.PING, number.to_bytes(4, "little"), number, 0, SESSION)


def fed(*parts: bytes) -> tuple[wire.Lines, list[int], list[bytes]]:
    """The lines object, the tokens of the pings that it found, and its console lines."""
    lines = wire.Lines()
    lines.session = SESSION
    tokens, console = [], []
    for part in parts:
        for found in lines.feed(part):
            if isinstance(found, bytes):
                console.append(found)
            else:
                tokens.append(wire.fixed(found[0], found[4])[0])
    return lines, tokens, console


noise = st.one_of(
    st.binary(max_size=400),
    st.sampled_from(
        [BOOT, TRACEBACK, b"~", b"~~", b"\x03", b"\r\n", ping(1)[:9], ping(1)[1:], b"MPY: soft reboot\r\n"]
    ),
)


def forged(garbage: bytes) -> bool:
    return any(wire.decode(b"~" + rest.rstrip(b"\r"), SESSION) for rest in garbage.replace(b"\n", b"~").split(b"~"))


@given(st.lists(noise, min_size=3, max_size=3).filter(lambda pieces: not any(map(forged, pieces))))
@example([BOOT, TRACEBACK, b""])
@example([b"~", b"~", b"~"])
def test_frames_are_found_among_anything(pieces: list[bytes]) -> None:
    lines, tokens, _ = fed(pieces[0], ping(7), pieces[1] + ping(8) + pieces[2], ping(9))
    assert tokens == [7, 8, 9]
    assert lines.frames == 3


@given(st.binary(max_size=2000).filter(lambda garbage: not forged(garbage)), st.integers(1, 64))
def test_garbage_is_never_believed_and_none_of_it_is_swallowed(garbage: bytes, size: int) -> None:
    pieces = [garbage[at : at + size] for at in range(0, len(garbage), size)]
    lines, tokens, console = fed(*pieces, b"\n")
    assert tokens == []
    assert lines.frames == 0
    assert b"".join(b"".join(console).split()) == b"".join(garbage.split())
    assert all(len(line) <= wire.MAX_CONSOLE for line in console)


@given(st.binary(min_size=1, max_size=200).filter(lambda piece: b"\n" not in piece), st.integers(1, 24))
def test_what_falls_into_the_middle_of_a_frame_costs_that_frame_and_is_counted(intruder: bytes, at: int) -> None:
    frame = ping(5)
    lines, tokens, console = fed(frame[:at] + intruder + frame[at:], ping(6))
    assert tokens in ([6], [5, 6])  # 5 only where the intruder happened to leave it whole
    if tokens == [6]:
        assert lines.broken >= 1
        assert b"".join(console)


@given(st.integers(1, 40))
def test_the_same_bytes_mean_the_same_however_they_are_cut(size: int) -> None:
    stream = BOOT + ping(1) + TRACEBACK + ping(2)[:20] + ping(3) + b"done\r\n"
    whole = wire.Lines()
    whole.session = SESSION
    cut = wire.Lines()
    cut.session = SESSION
    pieces: list[object] = []
    for at in range(0, len(stream), size):
        pieces += cut.feed(stream[at : at + size])
    assert pieces == whole.feed(stream)
    assert (cut.frames, cut.broken) == (whole.frames, whole.broken) == (2, 1)


def test_a_boot_banner_stays_readable() -> None:
    _, tokens, console = fed(ping(1)[:15] + b"\r\n" + BOOT + ping(2))
    assert tokens == [2]
    assert b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)" in console


def test_a_line_ended_with_a_return_is_still_a_frame() -> None:
    assert fed(ping(1)[:-1] + b"\r\n")[1] == [1]


def test_a_line_without_an_end_is_kept_in_pieces_of_bounded_size() -> None:
    lines, _, console = fed(b"x" * 100_000)
    assert max(map(len, console)) == wire.MAX_CONSOLE
    assert len(console) == 100_000 // wire.MAX_CONSOLE
    assert len(lines._line) < wire.MAX_CONSOLE


def test_a_frame_of_an_earlier_session_between_two_of_this_one_is_dropped_and_counted() -> None:
    stale = wire.encode(wire.PING, bytes(4), 1, 0, SESSION - 1)
    lines, tokens, _ = fed(ping(1) + stale + ping(2))
    assert tokens == [1, 2]
    assert lines.broken == 1
