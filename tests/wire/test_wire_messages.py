"""Every message survives the line unchanged, and nothing that was not sent is believed."""

from __future__ import annotations

import json
from struct import calcsize, pack

import pytest
from arena import wire
from hypothesis import assume, given
from hypothesis import strategies as st

KINDS = sorted(wire.MESSAGES)
words = st.integers(0, 0xFFFFFFFF)


@st.composite
def messages(draw: st.DrawFn) -> tuple[int, bytes]:
    kind = draw(st.sampled_from(KINDS))
    _, _, layout, _, item = wire.MESSAGES[kind]
    size = calcsize(layout or "<")
    items = draw(st.integers(0, (wire.MAX_BODY - size) // item)) if item else 0
    size += items * item
    return kind, draw(st.binary(min_size=size, max_size=size))


@given(messages(), st.integers(0, 0xFFFF), words, st.integers(0, 7), words)
def test_every_message_comes_out_as_it_went_in(
    message: tuple[int, bytes], sequence: int, ack: int, flags: int, session: int
) -> None:
    kind, body = message
    line = wire.encode(kind, body, sequence, ack, session, flags)
    assert len(line) <= wire.MAX_LINE
    assert line.endswith(b"\n")
    assert line.isascii()
    assert b"\x03" not in line
    assert wire.decode(line[:-1], session) == (kind, flags, sequence, ack, body)
    assert pack(wire.MESSAGES[kind][2], *wire.fixed(kind, body)) + wire.tail(kind, body) == body


@given(messages(), words, words)
def test_bytes_of_an_earlier_session_fail(message: tuple[int, bytes], earlier: int, session: int) -> None:
    assume(earlier != session)
    kind, body = message
    line = wire.encode(kind, body, 1, 2, earlier)[:-1]
    if kind > wire.HELLO:
        assert wire.decode(line, session) is None
    else:  # what begins a session is understood in any
        assert wire.decode(line, session) is not None


@given(messages(), st.data())
def test_one_changed_letter_is_noticed(message: tuple[int, bytes], data: st.DataObject) -> None:
    line = bytearray(wire.encode(message[0], message[1], 3, 4, 5)[:-1])
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] = data.draw(st.integers(0, 255).filter(lambda letter: letter != line[at]))
    assert wire.decode(bytes(line), 5) is None


@given(messages(), st.data())
def test_a_frame_that_was_cut_is_noticed(message: tuple[int, bytes], data: st.DataObject) -> None:
    line = wire.encode(message[0], message[1], 3, 4, 5)[:-1]
    assert wire.decode(line[: data.draw(st.integers(0, len(line) - 1))], 5) is None


def test_a_body_over_the_length_of_a_frame_is_refused_and_says_so() -> None:
    assert len(wire.encode(wire.TEXT, bytes(wire.MAX_BODY), 0, 0, 1)) == wire.MAX_LINE
    with pytest.raises(ValueError, match="a body of 73 bytes is over the 72 of a frame"):
        wire.encode(wire.TEXT, bytes(wire.MAX_BODY + 1), 0, 0, 1)


@given(st.sampled_from(KINDS), st.binary(max_size=wire.MAX_BODY))
def test_a_body_of_the_wrong_size_is_not_believed(kind: int, body: bytes) -> None:
    _, _, layout, _, item = wire.MESSAGES[kind]
    rest = len(body) - calcsize(layout or "<")
    assume(rest < 0 or (rest % item if item else rest))
    assert wire.decode(wire.encode(kind, body, 0, 0, 9)[:-1], 9) is None


def test_an_unknown_type_is_not_believed() -> None:
    assert wire.decode(wire.encode(99, b"", 0, 0, 9)[:-1], 9) is None


def test_every_message_fits_a_frame_and_names_each_of_its_fields() -> None:
    for name, sender, layout, fields, item in wire.MESSAGES.values():
        assert calcsize(layout or "<") + item <= wire.MAX_BODY, name
        assert len([letter for letter in layout if letter.isalpha()]) == len(fields.split()), name
        assert sender in ("host", "board", "both"), name
    assert calcsize(wire.EDGE) == wire.MESSAGES[wire.EDGES][4]
    assert calcsize(wire.REFLEX_ENTRY) == wire.MESSAGES[wire.REFLEX][4]
    assert calcsize("<IH") + wire.EDGES_PER_FRAME * 8 <= wire.MAX_BODY


def test_the_dictionary_is_json_that_tells_all_messages() -> None:
    told = json.loads(json.dumps(wire.dictionary()))
    assert told["protocol"] == list(wire.PROTOCOL)
    assert {entry["type"] for entry in told["messages"].values()} == set(KINDS)
    assert told["messages"]["pong"]["fields"] == ["token", "clock", "wraps"]


def test_a_digest_of_parts_is_the_digest_of_the_whole() -> None:
    assert wire.digest(b"def", wire.digest(b"abc")) == wire.digest(b"abcdef")
