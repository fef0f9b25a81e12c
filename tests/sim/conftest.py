"""The house layout as the rig's map gives it, small enough to read beside the tests."""

from __future__ import annotations

from typing import Any

import pytest


def house_map() -> dict[str, Any]:
    boxes = {
        "B1": ("lower", True, [0, 450, 450, 700]),
        "B2": ("lower", True, [450, 250, 700, 700]),
        "B3": ("lower", True, [250, 0, 700, 250]),
        "B4": ("lower", True, [0, 0, 250, 450]),
        "B5": ("lower", False, [250, 250, 450, 450]),
        "B6": ("upper", False, [100, 150, 350, 550]),
        "B7": ("upper", False, [350, 150, 600, 550]),
    }
    doors = {
        "D1": ("lower", ["B5", "B1"], [350, 450], "y"),
        "D2": ("lower", ["B5", "B2"], [450, 350], "x"),
        "D3": ("lower", ["B3", "B5"], [350, 250], "y"),
        "D4": ("lower", ["B4", "B5"], [250, 350], "x"),
        "D5": ("lower", ["B1", "B2"], [450, 575], "x"),
        "D6": ("lower", ["B3", "B2"], [575, 250], "y"),
        "D7": ("lower", ["B4", "B3"], [250, 125], "x"),
        "D8": ("lower", ["B4", "B1"], [125, 450], "y"),
        "D9": ("upper", ["B6", "B7"], [350, 200], "x"),
        "D10": ("upper", ["B6", "B7"], [350, 300], "x"),
        "D11": ("upper", ["B6", "B7"], [350, 400], "x"),
        "D12": ("upper", ["B6", "B7"], [350, 500], "x"),
    }
    depots = {name: ("B3", [350 + 80 * i, 60]) for i, name in enumerate(["BBIT", "BUBO", "HOWLER", "SPIKE"])}
    depots |= {name: ("B7", [560, 210 + 80 * i]) for i, name in enumerate(["SHI3LD", "DRON3", "CHAS3R", "WH33L"])}
    return {
        "title": "House layout",
        "origin": "house",
        "size_mm": [700, 700],
        "boxes": {n: {"level": b[0], "outer": b[1], "rect_mm": b[2], "label": n} for n, b in boxes.items()},
        "doors": {
            n: {"level": d[0], "boxes": d[1], "at_mm": d[2], "axis": d[3], "width_mm": 60, "spacing_mm": 12}
            for n, d in doors.items()
        },
        "holes": {
            "H1": {"box": "B6", "below": "B4", "at_mm": [175, 350], "diameter_mm": 45},
            "H2": {"box": "B7", "below": "B2", "at_mm": [525, 350], "diameter_mm": 45},
        },
        "depots": {n: {"box": d[0], "at_mm": d[1]} for n, d in depots.items()},
        "launchers": {"L1": {}},
        "launch_boxes": ["B1", "B2", "B3", "B4"],
    }


@pytest.fixture(scope="session")
def table_map() -> dict[str, Any]:
    return house_map()
