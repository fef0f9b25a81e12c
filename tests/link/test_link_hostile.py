"""Whatever comes in on a port: nothing is raised, nothing is believed, nothing grows."""

from __future__ import annotations

import random
import tracemalloc
from struct import calcsize

import pytest
from arena import wire
from hypothesis import given, settings
from hypothesis import strategies as st
from link_world import World

kinds = sorted(wire.MESSAGES)


def made_up(chance: random.Random, session: int) -> bytes:
    """A frame that passes its check, with anything in it."""
    kind = chance.choice(kinds)
    size = calcsize(wire.MESSAGES[kind][2] or "<")
    item = wire.MESSAGES[kind][4]
    if item:
        size += item * chance.randint(0, (wire.MAX_BODY - size) // item)
    body = chance.choice((chance.randbytes(size), bytes(size), b"\xff" * size))
    return wire.encode(
        kind, body, chance.choice((chance.randrange(65536), 0)), chance.randrange(2**32), session, chance.randrange(256)
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_bytes_do_no_harm(pieces: list[bytes]) -> None:
    world = World()
    world.plugged = False
    for data in pieces:
        world.session.receive(data, world.now_us)
        world.run(0.001)
    assert world.edges == []


@pytest.mark.parametrize("seed", range(5))
def test_valid_frames_with_anything_in_them_do_no_harm(seed: int) -> None:
    chance = random.Random(seed)
    world = World()
    world.run_until(world.live)

    def attack() -> None:
        if chance.random() < 0.1:
            session = chance.choice((0, world.session.lines.session))
            world.session.receive(made_up(chance, session), world.now_us)
            world.flush()

    world.run(5, attack)


def test_a_flood_of_anything_leaves_memory_as_it_was() -> None:
    chance = random.Random(1)
    world = World()
    world.run_until(world.live)
    world.plugged = False

    def flood(rounds: int) -> None:
        for _ in range(rounds):
            session = chance.choice((0, world.session.lines.session))
            noise = chance.randbytes(chance.randrange(400))
            frame = made_up(chance, session)
            world.session.receive(noise + frame[: chance.choice((len(frame), 20))] + noise, world.now_us)
            world.now_us += 1_000
            world.session.to_send(world.now_us)
            world.edges.clear()
            world.gaps.clear()
            world.sent.clear()
            # One board a port is remembered; a liar may name many, one hello each
            world.boards.clear()
            world.memory.clear()
            world._kept_next.clear()

    flood(1_000)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    flood(2_500)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 60_000
