"""The game's own dice: a 64-bit generator whose whole state is one number inside the game's state.

SplitMix64 (Steele, Lea, Flood 2014): small, the same on every machine and in every Python.
"""

from __future__ import annotations

from collections.abc import Sequence

_MASK = (1 << 64) - 1


def _next(chance: int) -> tuple[int, int]:
    chance = (chance + 0x9E3779B97F4A7C15) & _MASK
    mixed = ((chance ^ (chance >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return chance, mixed ^ (mixed >> 31)


def shuffled(cards: Sequence[str], chance: int) -> tuple[tuple[str, ...], int]:
    """The cards in a random order, and the generator's next state."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chance, number = _next(chance)
        other = (number * (last + 1)) >> 64  # 0..last, biased by less than 2⁻⁶⁰
        order[last], order[other] = order[other], order[last]
    return tuple(order), chance
