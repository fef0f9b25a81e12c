"""A process that keeps writing and says after each call what was promised; its test kills it."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from arena.store import Entry, Store
from arena.words import Edge, EdgeId, Gap


def main() -> None:
    with Store(Path(sys.argv[1])) as store:
        start = store.next_edge("0badcafe")
        print("ready", start, flush=True)
        for number in count(start):
            if number % 5 == 4:
                store.add_edges([], [Gap("lower", "0badcafe", number, number, "lost")])
            else:
                store.add_edges([Edge(EdgeId("0badcafe", number), "lower", 1, number % 2, number, number)])
            print("edge", number, flush=True)
            (entry,) = store.append("g", [Entry(None, "command", number, "beams", {"edge": number}, f"c{number}")])
            print("entry", entry.seq, flush=True)


if __name__ == "__main__":
    main()
