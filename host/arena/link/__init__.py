"""Boards and their serial ports: one stream of edges on the table clock, pixels out.

Knows frames and bytes; knows neither Doors nor games.
"""

from .health import BoardHealth
from .link import Link
from .port import PortError, find_ports, open_port
from .session import State

__all__ = ["BoardHealth", "Link", "PortError", "State", "find_ports", "open_port"]
