"""The Iron Forest smart arena: a table that referees a flicking game by itself."""

__version__ = "0.1.0"
