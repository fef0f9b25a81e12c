"""One running game: decides with tracker and game, journals, undoes, corrects, asks, recovers."""

from .story import Story
from .table import Given, Journal, Table

__all__ = ["Given", "Journal", "Story", "Table"]
