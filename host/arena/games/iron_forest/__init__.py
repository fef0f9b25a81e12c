"""Iron Forest: the rules of the scenario "Establishing a Network"."""

from .content_check import ContentError
from .game import IronForest
from .state import State

__all__ = ["ContentError", "IronForest", "State"]
