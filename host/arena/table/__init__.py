"""One running game: decides with tracker and game, journals, undoes, corrects, asks, recovers."""

from .record import Record, RecordError, read_record, record
from .redecide import Redecided, redecide, sightings
from .story import Story
from .table import Given, Journal, Table

__all__ = [
    "Given",
    "Journal",
    "Record",
    "RecordError",
    "Redecided",
    "Story",
    "Table",
    "read_record",
    "record",
    "redecide",
    "sightings",
]
