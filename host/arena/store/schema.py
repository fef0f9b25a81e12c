"""The tables, and how a file of an earlier version becomes one of this version."""

from __future__ import annotations

import sqlite3

APPLICATION = 0x41524E41  # "ARNA" in the file's header: tells an arena's file from any other database

# Steps from version n to n + 1; a step that was ever released is never edited, only followed by another.
STEPS = (
    """
    -- Edges and gaps in one numbered row of arrivals. An edge has first = last = its number.
    CREATE TABLE arrivals (
        row INTEGER PRIMARY KEY,
        boot TEXT NOT NULL,
        first INTEGER,
        last INTEGER,
        board TEXT NOT NULL,
        channel INTEGER,
        level INTEGER,
        earliest_us INTEGER,
        latest_us INTEGER,
        count INTEGER,
        reason TEXT  -- only a gap has one
    );
    CREATE UNIQUE INDEX edge_by_number ON arrivals (boot, first) WHERE reason IS NULL;
    CREATE UNIQUE INDEX gap_by_numbers ON arrivals (boot, first, last) WHERE reason IS NOT NULL AND first IS NOT NULL;
    CREATE TABLE journal (
        row INTEGER PRIMARY KEY,
        game_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at_us INTEGER NOT NULL,
        cause TEXT NOT NULL,
        body TEXT NOT NULL,
        command_id TEXT,
        edge_row INTEGER,
        wall TEXT NOT NULL
    );
    CREATE UNIQUE INDEX entry_by_seq ON journal (game_id, seq);
    CREATE UNIQUE INDEX entry_by_command ON journal (game_id, command_id) WHERE command_id IS NOT NULL;
    CREATE TABLE remembered (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """,
)
VERSION = len(STEPS)


class WrongFile(Exception):
    """The database is not an arena's, or of a newer arena; the message ends a sentence about the file."""


def check(database: sqlite3.Connection) -> int:
    """The version of an open file, 0 where it is new and empty. ``WrongFile`` where it is not ours."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION and (tables or version):
        raise WrongFile("is the database of another program. Name another file, or move this one away.")
    if version > VERSION:
        raise WrongFile(
            f"was written by a newer arena (file version {version}, this program knows up to {VERSION}). "
            "Update the program, or name another file."
        )
    return int(version)


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Make or upgrade the tables, all steps in one transaction."""
    version = check(database)
    if version == VERSION:
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[version:]:
            for statement in step.split(";"):
                database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise
