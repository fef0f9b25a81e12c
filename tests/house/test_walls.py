"""The walls between the rooms, as design.md's table draws them: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ARENA = Path(__file__).parents[2] / "host" / "arena"
STANDINS = ARENA / "sim" / "standins"

# Each room, and the rooms of the arena that it may know besides itself and `words`.
# The daemon wires the rooms together, and the cli starts it or the simulation.
MAY_KNOW = {
    "words": set(),
    "wire": set(),
    "link": {"wire"},
    "store": set(),
    "rig": {"wire"},
    "tracker": set(),
    "games": set(),
    "table": {"store", "tracker", "games", "rig"},
    "lights": {"rig"},
    "web": {"table", "games", "store"},
    "sim": {"wire", "rig"},
    "daemon": {"wire", "link", "store", "rig", "games", "table", "lights", "web"},
    "cli": {"wire", "store", "rig", "games", "table", "web", "sim", "daemon"},
}
# What stays outside a pure room: clocks, files, ports, threads and chance from the machine
IMPURE = {"asyncio", "os", "pathlib", "random", "secrets", "socket", "sqlite3", "subprocess", "threading", "time"}
PURE = {"games", "tracker", "rig", "lights", "words", "wire"}


def room_of(path: Path) -> str:
    return path.relative_to(ARENA).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, absolute, relative imports resolved."""
    package = ("arena", *path.relative_to(ARENA).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found.add(module)
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def files(rooms: set[str]) -> list[Path]:
    return [
        path
        for path in sorted(ARENA.rglob("*.py"))
        if STANDINS not in path.parents and room_of(path) in rooms and path.name != "__main__.py"
    ]


def test_every_room_of_the_design_stands_under_its_name() -> None:
    rooms = {room_of(path) for path in ARENA.rglob("*.py")} - {"__init__", "__main__"}
    assert rooms == MAY_KNOW.keys()


@pytest.mark.parametrize("path", files(set(MAY_KNOW)), ids=lambda path: str(path.relative_to(ARENA)))
def test_a_room_imports_only_the_rooms_it_may_know(path: Path) -> None:
    room = room_of(path)
    known = {name.split(".")[1] for name in imports_of(path) if name.startswith("arena.")}
    assert known & (MAY_KNOW.keys()) <= MAY_KNOW[room] | {room, "words"}


@pytest.mark.parametrize("path", files(PURE), ids=lambda path: str(path.relative_to(ARENA)))
def test_a_pure_room_imports_no_clock_port_file_or_chance(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports_of(path)} & IMPURE
