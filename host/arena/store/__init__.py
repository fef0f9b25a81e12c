"""Two durable logs in one file: raw edges by (boot, number), and the journal of every game."""

from .entry import Entry, GameKept
from .store import Store, StoreError

__all__ = ["Entry", "GameKept", "Store", "StoreError"]
