"""A game in a file: what the boards sent and what people did, in the order in which it came.

JSON lines. The first is ``{"record": 1, "game": …, "game_id": …, "over": true|false}``, then, in the
order of arrival:

* ``{"edge": [boot, number], "board": …, "channel": …, "level": 0|1, "us": [earliest, latest]}``, with
  ``"count"`` for a reading of a gate counter; times are on the table clock;
* ``{"gap": [first, last], "boot": …, "board": …, "reason": …}``: edges that were lost;
* ``{"entry": seq, "kind": …, "at_us": …, "cause": …, "body": …}``: one line of the journal, with
  ``"id"`` and ``"wall"`` where there are any, behind the edges that were known when it was written.

A game that is not over has no entries in its record: they hold the seed, and with it every card to come.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..store import Entry
from ..words import Edge, EdgeId, Gap

VERSION = 1
Item = Edge | Gap | Entry


class RecordError(ValueError):
    """A file that is no record; the sentence names the line and what was expected there."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it was read; ``items`` are in the order in which they came."""

    game: str
    game_id: str
    over: bool
    items: tuple[Item, ...]

    @property
    def entries(self) -> list[Entry]:
        return [item for item in self.items if isinstance(item, Entry)]


def record(
    edges: Iterable[tuple[int, Edge | Gap]], entries: Sequence[Entry], *, game: str, game_id: str, over: bool
) -> Iterator[str]:
    """The lines of a record. ``edges`` with their rows, as ``Store.edges`` gives them; those from before
    the game tell the rig what it knew when it began."""
    yield _line({"record": VERSION, "game": game, "game_id": game_id, "over": over})
    waiting = list(entries) if over else []
    for row, item in edges:
        while waiting and (waiting[0].edge_row or 0) < row:
            yield _line(_entry_json(waiting.pop(0)))
        yield _line(_edge_json(item) if isinstance(item, Edge) else _gap_json(item))
    for entry in waiting:
        yield _line(_entry_json(entry))


def read_record(lines: Iterable[str]) -> Record:
    """The record in a file's lines; ``RecordError`` says which line is wrong, and how."""
    head: Mapping[str, Any] | None = None
    items: list[Item] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if head is None:
                if data["record"] != VERSION:
                    raise RecordError(f"This is a record of version {data['record']!r}; version {VERSION} is known.")
                head = data
            else:
                items.append(_item(data))
        except RecordError:
            raise
        except (ValueError, KeyError, TypeError, IndexError) as problem:
            raise RecordError(
                f"Line {number} of the record was expected to be "
                f"{'its head' if head is None else 'an edge, a gap or an entry'}, and is {line.strip()[:60]!r} "
                f"({type(problem).__name__}: {problem})."
            ) from None
    if head is None:
        raise RecordError("The record is empty; its first line should say which record it is.")
    return Record(str(head.get("game")), str(head.get("game_id")), bool(head.get("over")), tuple(items))


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _edge_json(edge: Edge) -> dict[str, Any]:
    data = {
        "edge": [edge.id.boot, edge.id.number],
        "board": edge.board,
        "channel": edge.channel,
        "level": edge.level,
        "us": [edge.earliest_us, edge.latest_us],
    }
    return data if edge.count is None else {**data, "count": edge.count}


def _gap_json(gap: Gap) -> dict[str, Any]:
    return {"gap": [gap.first, gap.last], "boot": gap.boot, "board": gap.board, "reason": gap.reason}


def _entry_json(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = {
        "entry": entry.seq,
        "kind": entry.kind,
        "at_us": entry.at_us,
        "cause": entry.cause,
        "body": entry.body,
    }
    return data | {name: value for name, value in (("id", entry.command_id), ("wall", entry.wall)) if value}


def _item(data: Mapping[str, Any]) -> Item:
    if "edge" in data:
        boot, number = data["edge"]
        earliest_us, latest_us = data["us"]
        return Edge(
            EdgeId(boot, number),
            data["board"],
            data["channel"],
            data["level"],
            earliest_us,
            latest_us,
            data.get("count"),
        )
    if "gap" in data:
        first, last = data["gap"]
        return Gap(data["board"], data["boot"], first, last, data["reason"])
    return Entry(
        data["entry"],
        data["kind"],
        data["at_us"],
        data["cause"],
        data["body"],
        data.get("id"),
        wall=data.get("wall", ""),
    )
