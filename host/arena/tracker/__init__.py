"""The tracker: who can have passed, and where each piece can be.

Pure. Knows pieces and Boxes by name only: no rules, no score, no beams.
"""

from .belief import ANYWHERE, Belief, begin, dump, load
from .who import who

__all__ = ["ANYWHERE", "Belief", "begin", "dump", "load", "who"]
