"""What the store promises: durable, once only, in order, one writer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from arena.store import Entry, Store, StoreError
from arena.words import Edge, EdgeId, Gap
from hypothesis import given, settings
from hypothesis import strategies as st

BOOT = "0badcafe"


def edge(number: int, boot: str = BOOT, at_us: int = 1_000, **more: int) -> Edge:
    return replace(Edge(EdgeId(boot, number), "lower", 3, number % 2, at_us, at_us + 150), **more)  # type: ignore[arg-type]


def entry(kind: str = "command", command_id: str | None = None, at_us: int = 5_000) -> Entry:
    return Entry(None, kind, at_us, "table", {"do": "done"}, command_id, wall="2025-01-02T03:04:05+00:00")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


def test_edges_are_returned_once_and_found_again_after_a_restart(path: Path) -> None:
    with Store(path) as store:
        assert store.add_edges([edge(0), edge(1)]) == [edge(0), edge(1)]
        assert store.add_edges([edge(1, at_us=2_000), edge(2)]) == [edge(2)]
    with Store(path) as store:
        assert store.add_edges([edge(0), edge(1), edge(2)]) == []
        assert list(store.edges()) == [(1, edge(0)), (2, edge(1)), (3, edge(2))]
        assert list(store.edges(after=2)) == [(3, edge(2))]
        assert store.last_edge_row() == 3


def test_the_next_edge_is_the_first_that_is_missing(path: Path) -> None:
    with Store(path) as store:
        assert store.next_edge(BOOT) == 0
        store.add_edges([edge(0), edge(1), edge(0, boot="ffffffff")])
        assert store.next_edge(BOOT) == 2
        store.add_edges([edge(4)])
        assert store.next_edge(BOOT) == 2
        store.add_edges([edge(3)])
        assert store.next_edge(BOOT) == 2
        store.add_edges([edge(2)])
        assert store.next_edge(BOOT) == 5
        assert store.next_edge("ffffffff") == 1
    with Store(path) as store:
        assert store.next_edge(BOOT) == 5


def test_a_gap_counts_as_passed_and_stands_where_the_edges_are_missing(path: Path) -> None:
    gap = Gap("lower", BOOT, 2, 6, "The board's memory was full.")
    restarted = Gap("lower", "ffffffff", None, None, "The board lost power.")
    with Store(path) as store:
        store.add_edges([edge(0), edge(1), edge(7)], [gap])
        store.add_edges([edge(0, boot="ffffffff")], [restarted])
        store.add_edges([], [gap])
        store.add_edges([], [Gap("lower", BOOT, 3, None, "Nobody knows how much.")])
        assert store.next_edge(BOOT) == 8
        assert [kept for _, kept in store.edges()] == [
            edge(0),
            edge(1),
            gap,
            edge(7),
            restarted,
            edge(0, boot="ffffffff"),
            Gap("lower", BOOT, 3, None, "Nobody knows how much."),
        ]
    with Store(path) as store:
        assert store.next_edge(BOOT) == 8


def test_a_long_log_reads_whole_and_in_order_while_it_grows(path: Path) -> None:
    with Store(path) as store:
        store.add_edges([edge(number) for number in range(1_200)])
        reader = store.edges()
        assert next(reader)[1] == edge(0)
        store.add_edges([edge(1_200)])
        assert [kept.id.number for _, kept in reader if isinstance(kept, Edge)] == list(range(1, 1_201))


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            Edge,
            st.builds(EdgeId, st.text("0123456789abcdef", min_size=8, max_size=8), st.integers(0, 2**32 - 1)),
            st.text(max_size=20).filter(lambda name: "\0" not in name and name.isprintable()),
            st.integers(0, 127),
            st.integers(0, 1),
            st.integers(-(2**62), 2**62),
            st.integers(-(2**62), 2**62),
            st.none() | st.integers(-(2**15), 2**15 - 1),
        ),
        max_size=20,
        unique_by=lambda edge: edge.id,
    )
)
def test_edges_read_back_equal(edges: list[Edge]) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "arena.db")) as store:
        assert store.add_edges(edges) == edges
        assert [kept for _, kept in store.edges()] == edges


def test_the_journal_numbers_each_game_for_itself(path: Path) -> None:
    with Store(path) as store:
        first = store.append("g1", [entry("setup"), entry()])
        assert [line.seq for line in first] == [1, 2]
        assert [line.seq for line in store.append("g2", [entry("setup")])] == [1]
        assert [line.seq for line in store.append("g1", [entry("settled")])] == [3]
    with Store(path) as store:
        assert [(line.seq, line.kind) for line in store.entries("g1")] == [(1, "setup"), (2, "command"), (3, "settled")]
        assert store.entries("g1")[:2] == first
        assert [line.seq for line in store.entries("g1", after=2)] == [3]
        assert store.latest_game() == "g1"
        assert [(game.game_id, game.entries, game.setup) for game in store.games()] == [
            ("g1", 3, {"do": "done"}),
            ("g2", 1, {"do": "done"}),
        ]


def test_a_command_id_stands_once_in_a_game_and_a_refused_append_writes_nothing(path: Path) -> None:
    with Store(path) as store:
        (given_first,) = store.append("g1", [entry(command_id="a")])
        store.append("g2", [entry(command_id="a")])
        with pytest.raises(StoreError, match="'a' stands in the journal of game g1 already"):
            store.append("g1", [entry(command_id="b"), entry(command_id="a")])
        assert store.entries("g1") == [given_first]
        assert store.has_command("g1", "a") == given_first
        assert store.has_command("g1", "b") is None
        with pytest.raises(StoreError, match="goes on with entry 2, not 7"):
            store.append("g1", [replace(entry(), seq=7)])
        assert store.append("g1", [entry(command_id="b")])[0].seq == 2


def test_an_empty_store_holds_no_game_and_no_time(path: Path) -> None:
    with Store(path) as store:
        assert store.latest_game() is None
        assert store.games() == []
        assert store.last_at_us() == 0
        assert store.last_edge_row() == 0
        assert store.add_edges([]) == []


def test_the_clock_goes_on_from_the_newest_time_held(path: Path) -> None:
    with Store(path) as store:
        store.append("g1", [entry(at_us=700)])
        assert store.last_at_us() == 700
        store.add_edges([edge(0, at_us=900), edge(1, at_us=800)])
        assert store.last_at_us() == 1_050


def test_small_things_are_remembered_and_forgotten(path: Path) -> None:
    with Store(path) as store:
        store.remember("dictionary:1a2b", {"protocol": [1, 0]})
        store.remember("colour", "red")
        store.remember("colour", None)
    with Store(path) as store:
        assert store.recall("dictionary:1a2b") == {"protocol": [1, 0]}
        assert store.recall("colour") is None
        remembered = store.remembered
        remembered["b"] = [1]
        assert dict(remembered) == {"b": [1], "dictionary:1a2b": {"protocol": [1, 0]}}
        del remembered["b"]
        with pytest.raises(KeyError):
            del remembered["b"]
        assert len(remembered) == 1


def test_a_second_writer_is_told_plainly_and_a_reader_may_look(path: Path) -> None:
    with Store(path) as store:
        store.add_edges([edge(0)])
        script = (
            "import sys; from pathlib import Path; from arena.store import Store, StoreError\n"
            "try: Store(Path(sys.argv[1]))\n"
            "except StoreError as problem: print(problem)"
        )
        told = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True).stdout
        assert told.strip() == (
            f"Another arena (process {os.getpid()}) is playing with {path}. "
            "Stop it first, or name another folder with --data."
        )
        with Store(path, read_only=True) as reader:
            store.add_edges([edge(1)])
            assert [kept for _, kept in reader.edges()] == [edge(0), edge(1)]
            with pytest.raises(StoreError, match="cannot be written"):
                reader.remember("colour", "red")
    Store(path).close()


def test_files_that_cannot_be_used_are_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Does its folder exist"):
        Store(tmp_path / "nowhere" / "arena.db")
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"not a database at all, but longer than a header" * 50)
    with pytest.raises(StoreError, match="cannot be read: file is not a database"):
        Store(noise)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    database.close()
    with pytest.raises(StoreError, match="is the database of another program"):
        Store(foreign)
    newer = tmp_path / "newer.db"
    Store(newer).close()
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="was written by a newer arena"):
        Store(newer)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "missing.db", read_only=True)


def test_a_full_disk_is_said_and_what_was_kept_stays(path: Path) -> None:
    with Store(path) as store:
        store.add_edges([edge(0)])
        store._database.execute("PRAGMA max_page_count = 1")  # SQLite then answers as on a full disk
        with pytest.raises(StoreError, match="disk is full"):
            store.add_edges([edge(number) for number in range(1, 5_000)])
        assert [kept for _, kept in store.edges()] == [edge(0)]
        assert store.next_edge(BOOT) == 1


def test_a_copy_of_the_files_taken_at_any_moment_is_a_working_journal(path: Path, tmp_path: Path) -> None:
    with Store(path) as store:
        store.append("g1", [entry("setup"), entry(command_id="a")])
        copies = tmp_path / "copy"
        copies.mkdir()
        for file in tmp_path.glob("arena.db*"):
            shutil.copy(file, copies)
    with Store(copies / "arena.db") as copy:
        assert [line.kind for line in copy.entries("g1")] == ["setup", "command"]


def test_the_file_is_written_through_to_the_disk(path: Path) -> None:
    with Store(path) as store:
        assert store._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._database.execute("PRAGMA synchronous").fetchone() == (2,)
