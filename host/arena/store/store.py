"""The file that remembers everything: SQLite, WAL, ``synchronous=FULL``; durable when a call returns.

Belongs to one thread of one process. Every writing call is one transaction: all of it or nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ..words import Edge, EdgeId, Gap
from .entry import Entry, GameKept
from .lock import Taken, WriterLock
from .remembered import Remembered
from .schema import WrongFile, bring_up_to_date, check

PAGE_ROWS = 500  # edges read at a time, so that reading a long log never holds the file
COLUMNS = "seq, kind, at_us, cause, body, command_id, edge_row, wall"


class StoreError(Exception):
    """What stands in the way of keeping or reading the journal, as a sentence for people."""


class Store:
    """Two logs in one file: what boards sent (edges and gaps, by arrival), and each game's journal.

    ``read_only`` looks into a file, also one that a running daemon writes. Otherwise this process
    becomes the one writer: ``StoreError`` where there is another, or where the file cannot be used.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._lock: WriterLock | None = None
        self._next: dict[str, int] = {}  # by boot, as far as asked
        self._islands: set[str] = set()  # boots that hold edges behind one that is missing
        try:
            if read_only:
                self._database = sqlite3.connect(
                    f"{self.path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None
                )
            else:
                self._lock = WriterLock(self.path.with_name(self.path.name + "-lock"))
                self._database = sqlite3.connect(self.path, isolation_level=None)
        except Taken as taken:
            holder = f" (process {taken.process})" if taken.process else ""
            raise StoreError(
                f"Another arena{holder} is playing with {self.path}. Stop it first, or name another folder with --data."
            ) from None
        except (OSError, sqlite3.Error) as problem:
            self._unlock()
            raise StoreError(
                f"The journal {self.path} cannot be opened: {problem}. Does its folder exist, and may you write there?"
            ) from None
        try:
            if read_only:
                if check(self._database) == 0:
                    raise WrongFile("is empty: no game was played with it.")
            else:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = FULL")
                bring_up_to_date(self._database)
        except (WrongFile, sqlite3.Error) as problem:
            self.close()
            says = problem if isinstance(problem, WrongFile) else f"cannot be read: {problem}."
            raise StoreError(f"The journal {self.path} {says}") from None

    def close(self) -> None:
        self._database.close()
        self._unlock()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # Edges

    def add_edges(self, edges: Sequence[Edge], gaps: Sequence[Gap] = ()) -> list[Edge]:
        """Keep what a board sent. Durable when it returns; returns the edges that were not held before, in order.

        A gap stands before the edges that follow it. What is held already is left as it is.
        """
        fresh: list[Edge] = []
        grown: list[tuple[str, int, int]] = []
        if not edges and not gaps:
            return fresh
        with self._transaction() as run:
            for arrival in _by_arrival(edges, gaps):
                if run.execute(
                    "INSERT INTO arrivals (boot, first, last, board, channel, level, earliest_us, latest_us, count,"
                    " reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    _to_row(arrival),
                ).rowcount:
                    if isinstance(arrival, Edge):
                        fresh.append(arrival)
                        grown.append((arrival.id.boot, arrival.id.number, arrival.id.number))
                    elif arrival.first is not None and arrival.last is not None:
                        grown.append((arrival.boot, arrival.first, arrival.last))
        for boot, first, last in grown:
            if boot in self._next:
                if first > self._next[boot]:
                    self._islands.add(boot)
                else:
                    self._next[boot] = max(self._next[boot], last + 1)
        return fresh

    def next_edge(self, boot: str) -> int:
        """The first number of that boot that is not held, 0 where none is. Numbers in a gap count as passed."""
        if boot not in self._next or boot in self._islands:
            following = 0
            with self._reading():
                for first, last in self._database.execute(
                    "SELECT first, last FROM arrivals WHERE boot = ? AND first + last IS NOT NULL ORDER BY first",
                    (boot,),
                ):
                    if first > following:
                        self._islands.add(boot)
                        break
                    following = max(following, last + 1)
                else:
                    self._islands.discard(boot)
            self._next[boot] = following
        return self._next[boot]

    def edges(self, after: int = 0) -> Iterator[tuple[int, Edge | Gap]]:
        """Every edge and gap behind row ``after``, with its row, in the order in which they were kept."""
        while True:
            with self._reading():
                page = self._database.execute(
                    "SELECT row, boot, first, last, board, channel, level, earliest_us, latest_us, count, reason"
                    " FROM arrivals WHERE row > ? ORDER BY row LIMIT ?",
                    (after, PAGE_ROWS),
                ).fetchall()
            for row in page:
                yield row[0], _from_row(row[1:])
            if len(page) < PAGE_ROWS:
                return
            after = page[-1][0]

    def last_edge_row(self) -> int:
        """The row of the newest edge or gap, 0 where there is none."""
        return int(self._one("SELECT coalesce(max(row), 0) FROM arrivals"))

    # The journal

    def append(self, game_id: str, entries: Sequence[Entry]) -> list[Entry]:
        """Write entries behind a game's last one. Durable when it returns; returns them with ``seq`` filled in.

        ``StoreError``, and nothing is written, where a command's id is in the game already or an
        entry that carries a ``seq`` is not the next one.
        """
        written: list[Entry] = []
        with self._transaction() as run:
            (seq,) = run.execute("SELECT coalesce(max(seq), 0) FROM journal WHERE game_id = ?", (game_id,)).fetchone()
            for entry in entries:
                seq += 1
                if entry.seq not in (None, seq):
                    raise StoreError(f"The journal of game {game_id} goes on with entry {seq}, not {entry.seq}.")
                try:
                    run.execute(
                        f"INSERT INTO journal (game_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        (
                            game_id,
                            seq,
                            entry.kind,
                            entry.at_us,
                            entry.cause,
                            json.dumps(entry.body, separators=(",", ":"), allow_nan=False),
                            entry.command_id,
                            entry.edge_row,
                            entry.wall,
                        ),
                    )
                except sqlite3.IntegrityError:
                    raise StoreError(
                        f"The command {entry.command_id!r} stands in the journal of game {game_id} already."
                    ) from None
                written.append(replace(entry, seq=seq))
        return written

    def entries(self, game_id: str, after: int = 0) -> list[Entry]:
        """A game's entries behind number ``after``, oldest first."""
        with self._reading():
            rows = self._database.execute(
                f"SELECT {COLUMNS} FROM journal WHERE game_id = ? AND seq > ? ORDER BY seq", (game_id, after)
            ).fetchall()
        return [_to_entry(row) for row in rows]

    def has_command(self, game_id: str, command_id: str) -> Entry | None:
        """The entry that a command of this id wrote, if it did."""
        with self._reading():
            row = self._database.execute(
                f"SELECT {COLUMNS} FROM journal WHERE game_id = ? AND command_id = ?", (game_id, command_id)
            ).fetchone()
        return _to_entry(row) if row else None

    def games(self) -> list[GameKept]:
        """Every game of the file, the one played last first."""
        with self._reading():
            rows = self._database.execute(
                "SELECT game_id, at_us, wall, body, entries FROM journal JOIN"
                " (SELECT game_id AS game, max(row) AS newest, count(*) AS entries FROM journal GROUP BY game_id)"
                " ON game = game_id WHERE seq = 1 ORDER BY newest DESC"
            ).fetchall()
        return [
            GameKept(game_id, at_us, wall, json.loads(body), entries) for game_id, at_us, wall, body, entries in rows
        ]

    def latest_game(self) -> str | None:
        """The game played last."""
        found = self._one("SELECT (SELECT game_id FROM journal ORDER BY row DESC LIMIT 1)")
        return None if found is None else str(found)

    # Small things

    def last_at_us(self) -> int:
        """The newest time that is held, 0 where there is none: the table clock must go on from here."""
        return int(
            self._one(
                "SELECT max((SELECT coalesce(max(latest_us), 0) FROM arrivals),"
                " (SELECT coalesce(max(at_us), 0) FROM journal))"
            )
        )

    def remember(self, key: str, value: Any) -> None:
        """Keep one small JSON value under a name. Durable when it returns; ``None`` forgets it."""
        with self._transaction() as run:
            if value is None:
                run.execute("DELETE FROM remembered WHERE key = ?", (key,))
            else:
                run.execute("INSERT OR REPLACE INTO remembered VALUES (?, ?)", (key, json.dumps(value)))

    def recall(self, key: str) -> Any:
        """What was last remembered under a name, or ``None``."""
        with self._reading():
            row = self._database.execute("SELECT value FROM remembered WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    @property
    def remembered(self) -> Remembered:
        """All that is remembered, as a mapping."""
        return Remembered(self.recall, self.remember, self._remembered_keys)

    # Inside

    def _remembered_keys(self) -> list[str]:
        with self._reading():
            return [key for (key,) in self._database.execute("SELECT key FROM remembered ORDER BY key")]

    def _one(self, query: str) -> Any:
        with self._reading():
            return self._database.execute(query).fetchone()[0]

    @contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as problem:
            raise StoreError(f"The journal {self.path} cannot be read: {problem}.") from problem

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        """All or nothing; on the way out the operating system has it on the disk."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database
            self._database.execute("COMMIT")
        except BaseException as problem:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            if isinstance(problem, sqlite3.Error):
                raise StoreError(
                    f"The journal {self.path} cannot be written: {problem}. Is the disk full, or the folder read-only?"
                ) from problem
            raise

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()


Row = tuple[Any, ...]


def _by_arrival(edges: Sequence[Edge], gaps: Sequence[Gap]) -> list[Edge | Gap]:
    """Edges in their order, each gap before the first edge of its boot that follows it."""
    arrivals: list[Edge | Gap] = list(edges)
    for gap in gaps:
        place = len(arrivals)
        for index, arrival in enumerate(arrivals):
            if isinstance(arrival, Edge) and arrival.id.boot == gap.boot and arrival.id.number > (gap.last or -1):
                place = index
                break
        arrivals.insert(place, gap)
    return arrivals


def _to_row(arrival: Edge | Gap) -> Row:
    if isinstance(arrival, Gap):
        return arrival.boot, arrival.first, arrival.last, arrival.board, None, None, None, None, None, arrival.reason
    return (
        arrival.id.boot,
        arrival.id.number,
        arrival.id.number,
        arrival.board,
        arrival.channel,
        arrival.level,
        arrival.earliest_us,
        arrival.latest_us,
        arrival.count,
        None,
    )


def _from_row(row: Row) -> Edge | Gap:
    boot, first, last, board, channel, level, earliest_us, latest_us, count, reason = row
    if reason is not None:
        return Gap(board, boot, first, last, reason)
    return Edge(EdgeId(boot, first), board, channel, level, earliest_us, latest_us, count)


def _to_entry(row: Row) -> Entry:
    seq, kind, at_us, cause, body, command_id, edge_row, wall = row
    return Entry(seq, kind, at_us, cause, json.loads(body), command_id, edge_row, wall)
