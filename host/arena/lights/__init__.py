"""The lights: what the places of a table show. Takes cues, gives pixels; knows no rules."""

from .lights import Lights, Run

__all__ = ["Lights", "Run"]
